/** Applications that find accounts by another claim than `sub`, and what their pages show of an account. */

import type { User } from "../../src/mod.ts";

/** The claims by which an application may find an account. */
const claims: Readonly<Record<string, (user: User) => unknown>> = {
  "sub": ({ sub }) => sub,
  "email": ({ email }) => email,
  "email with any email_verified": ({ email, email_verified, sub }) => email_verified ? email : sub,
  "local part of email": ({ email }) => String(email).split("@")[0],
  "preferred_username": ({ preferred_username }) => preferred_username,
  "name": ({ name }) => name,
};

/** What an application does with a text before it compares it. */
const forms: Readonly<Record<string, (text: string) => string>> = {
  "as it is": (text) => text,
  "in lower case": (text) => text.toLowerCase(),
  "without white space": (text) => text.trim(),
  "its first characters": (text) => text.slice(0, 5),
  "after the last bar": (text) => text.split("|").at(-1)!,
};

/** By what an application finds the account of a user. */
export const accountKeys: Readonly<Record<string, (user: User) => string>> = Object.fromEntries(
  Object.entries(claims).flatMap(([claim, read]) =>
    Object.entries(forms).map(([form, write]) =>
      [`${claim}, ${form}`, (user: User) => write(String(read(user)))] as const
    )
  ).filter(([name]) => name !== "sub, as it is"),
);

/** What its page shows of the account, beside the name that the user has now. */
const accountTexts: Readonly<Record<string, (account: User, number: number) => string>> = {
  "the sub": ({ sub }) => sub,
  "the email": ({ email }) => String(email),
  "an id of its own": (_, number) => `account-${number}`,
};

/** The texts that show whose account it is: a new user may have the email address, and a page shows no space. */
export const accountTextsFor = (key: string) =>
  Object.keys(accountTexts).filter((text) =>
    !(text === "the email" && key.includes("email")) && !(text === "the sub" && key === "sub, without white space")
  );

/** How an application is checked that finds accounts by a key, and whose page shows a text of the account. */
export function accountPage(key: string, text: string) {
  const accounts: User[] = [];
  const keys: unknown[] = [];
  const userPage = (info: object) => {
    const user = info as User;
    const found = accountKeys[key]!(user);
    if (!keys.includes(found)) keys[accounts.push(user) - 1] = found;
    const number = keys.indexOf(found);
    return `${user.name}: ${accountTexts[text]!(accounts[number]!, number)}`;
  };
  return { userPage, loggedInText: text === "an id of its own" ? "account-0" : undefined };
}
