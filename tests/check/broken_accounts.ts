/** Applications that find accounts by another claim than `sub`, and what their pages show of an account. */

import type { User } from "../../src/mod.ts";

/** By what an application finds the account of a user. */
export const accountKeys: Readonly<Record<string, (user: User) => unknown>> = {
  "email": ({ email }) => email,
  "email with any email_verified": ({ email, email_verified, sub }) => email_verified ? email : sub,
  "the local part of email": ({ email }) => String(email).split("@")[0],
  "preferred_username": ({ preferred_username }) => preferred_username,
  "sub without letter case": ({ sub }) => sub.toLowerCase(),
};

/** What its page shows of the account, beside the name that the user has now. */
const accountTexts: Readonly<Record<string, (account: User, number: number) => string>> = {
  "the sub": ({ sub }) => sub,
  "the email": ({ email }) => String(email),
  "an id of its own": (_, number) => `account-${number}`,
};

/** The texts that only the user of an account has: a new user with the same email address shows it, too. */
export const accountTextsFor = (key: string) =>
  Object.keys(accountTexts).filter((text) => text !== "the email" || !key.includes("email"));

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
