/** The texts by which a page shows a user: claims that the server sent, and users whom attacks invent. */

import { decodeJwtPart } from "../platform/http/jwt_part.ts";
import { parseJsonObject } from "../platform/http/json_body.ts";
import type { Exchange } from "../recorder/exchange.ts";
import { type ClientSession, unknownUser } from "./driver.ts";

/** Minimum length of a claim value to search for in a text, in characters: shorter ones match by chance. */
const minValueChars = 3;

/**
 * Whether a text has something in common with a claim that the server sent, letter case aside: a page with these claims
 * may show the text. True if no response had claims that can be read, such as encrypted ones.
 *
 * @param exchanges Secrets included.
 */
export function isNamedIn(text: string, exchanges: readonly Exchange[]): boolean {
  const values = valuesIn(exchanges);
  const sought = text.toLowerCase();
  // A page shows no space at the end of a text.
  const isShown = (value: string) => value.length >= minValueChars && hasWord(sought, value);
  return values.length === 0 || values.some((value) => value.includes(sought) || isShown(value.trim()));
}

/** Whether a page of a user with the claims that the server sent may have a text by itself, letter case aside. */
export function mayShow(text: string, exchanges: readonly Exchange[]): boolean {
  const values = valuesIn(exchanges).map((value) => value.trim());
  const sought = text.toLowerCase();
  return values.length === 0 ||
    values.some((value) =>
      hasWord(value, sought) || hasWord(sought, value) || /\s/.test(value) && value.includes(sought) ||
      value.split("@")[0] === sought
    );
}

/** Whether a text, in lower case, is a claim of a userinfo response, and of no token that can be read. */
export function isOfUserinfoAlone(text: string, exchanges: readonly Exchange[]): boolean {
  const isIn = (name: string) => valuesIn(exchanges.filter(({ endpoint }) => endpoint === name)).includes(text);
  return isIn("userinfo") && !isIn("token");
}

/** Whether the server sent a `sub` that differs from a text in letter case alone, and no `sub` that is the text. */
export function isOtherCaseOfSub(text: string, exchanges: readonly Exchange[]): boolean {
  return isAlikeSub(text, exchanges, (sub) => sub.toLowerCase());
}

/** Whether the server sent a `sub` that differs from a text in white space alone, and no `sub` that is the text. */
export function differsInWhiteSpace(text: string, exchanges: readonly Exchange[]): boolean {
  return isAlikeSub(text, exchanges, (sub) => sub.replaceAll(/\s+/g, " ").trim());
}

/** Whether the server sent no `sub` that is a text, but one of which the same remains. */
function isAlikeSub(text: string, exchanges: readonly Exchange[], rest: (sub: string) => string): boolean {
  const subs = exchanges.flatMap(claimsIn).flatMap(({ sub }) => typeof sub === "string" ? [sub] : []);
  return !subs.includes(text) && subs.some((sub) => rest(sub) === rest(text));
}

/** The values of all claims about a user, in lower case. */
function valuesIn(exchanges: readonly Exchange[]): readonly string[] {
  return exchanges.flatMap(claimsIn).flatMap(({ iss: _, aud: __, azp: ___, client_id: ____, ...claims }) =>
    listTexts(claims)
  );
}

/** The claims of the tokens of a token response, or of a userinfo response. */
export function claimsIn({ endpoint, response }: Exchange): readonly Readonly<Record<string, unknown>>[] {
  const body = response?.body ?? "";
  if (endpoint === "userinfo") return [parseJsonObject(body) ?? decodeJwtPart(body, 1)];
  if (endpoint !== "token") return [];
  const { id_token, access_token } = parseJsonObject(body) ?? {};
  return [id_token, access_token].map((token) => decodeJwtPart(String(token ?? ""), 1));
}

/** The texts and numbers in a value, in lower case. */
export function listTexts(value: unknown): readonly string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(listTexts);
  return typeof value === "string" || typeof value === "number" ? [String(value).toLowerCase()] : [];
}

/** The texts of users that a page shows. */
export interface ShownTexts {
  /** Those that only the user who logs in has, each by itself; the first one decides first. */
  readonly ownTexts: readonly string[];
  /** Those of invented users. */
  readonly otherTexts: readonly string[];
}

/** A session that a page shows. */
export type PageSession = ClientSession & Partial<ShownTexts>;

/** The texts of the user that an application shows, in lower case. */
export const shownTexts = ({ claims, ownTexts = [] }: PageSession): readonly string[] => listTexts([claims, ownTexts]);

/** What a page shows: its texts, and the user whom they name. */
export interface Reading extends ShownTexts {
  /** Always the same text for the user who logs in; `undefined` if the page names no user. */
  readonly sub?: string;
  /** Whether the user can log out, as on the first page. */
  readonly showsLogout: boolean;
}

/** By which texts a reader knows the users. */
export interface UserTexts {
  /**
   * A text, or several of which a page has one, that the page at `loggedInUrl` has only for the logged-in user, such as
   * the name. Default: the claims of `users`; without them, the status and the content of the page are compared.
   */
  readonly loggedInText?: string | readonly string[];
  /** The users of the server, by whose claims a page shows who is logged in; the one who logs in first. Default: none. */
  readonly users?: readonly object[];
}

/** The texts of pages from which a user can log out. */
const logoutText = /\b(?:log|sign)[ -]?(?:out|off)\b/i;

/** What a session of another user than the first is called. */
export const anotherUser = "another user";

/** The claims by which a page may name a user, in the order in which they decide. */
const namingClaims = ["sub", "name", "email", "preferred_username"] as const;

/** What a page may show of a user, without texts so short that any page may contain them. */
function textsOf(user: object | undefined): string[] {
  const claims: Readonly<Record<string, unknown>> = { ...user };
  return namingClaims.map((claim) => String(claims[claim] ?? "")).filter((text) => text.length >= minValueChars);
}

const isPartOf = (text: string, texts: readonly string[]): boolean => texts.some((other) => other.includes(text));

/**
 * Returns the reader of who is logged in, which every driver uses. The first page that it reads must be one of the user
 * who logs in.
 *
 * @returns Reads a page; what a page without a login has (`before`) names no one.
 */
export function userReader({ loggedInText = [], users = [] }: UserTexts): (page: string, before?: string) => Reading {
  const given = [loggedInText].flat();
  const [user, ...others] = users;
  const [claims, otherClaims] = [textsOf(user), others.flatMap(textsOf)];
  const own = [...new Set([...given, ...claims.filter((text) => !isPartOf(text, otherClaims))])];
  const foreign = otherClaims.filter((text) => !isPartOf(text, [...given, ...claims]));
  const invented = inventedUsers.map(({ sub }) => sub).filter((sub) => !isPartOf(sub, own));
  /** The text by which the first page names the user, and whether it has the text by itself. */
  let first: { readonly page: string; readonly sub: string; readonly isWord: boolean } | undefined;
  return (page, before = "") => {
    const isNew = (text: string) => page.includes(text) && !before.includes(text);
    const isOwn = (text: string) => isNew(text) && hasWord(page, text);
    const named = given.find(isNew) ?? own.find(isOwn) ?? own.find(isNew);
    if (named !== undefined) first ??= { page, sub: named, isWord: hasWord(page, named) };
    const ownTexts = own.filter(isOwn);
    const hadBefore = (text: string) => first?.page.includes(text) ?? false;
    const isOther = foreign.some(isNew) || invented.some(isNew);
    const isUser = ownTexts.length > 0 || first !== undefined && !first.isWord && isNew(first.sub);
    const otherTexts = inventedTexts.filter((text) => hasWord(page, text) && !hadBefore(text));
    const sub = isUser ? first!.sub : isOther ? anotherUser : otherTexts.length > 0 ? unknownUser : undefined;
    const showsLogout = first !== undefined && !logoutText.test(before) &&
      [first.page, page].every((each) => logoutText.test(each));
    return { sub, showsLogout, ownTexts, otherTexts };
  };
}

/** Whether a page has a text by itself: not as a part of a word, an e-mail address or an identifier. */
export function hasWord(page: string, text: string): boolean {
  if (!page.includes(text)) return false;
  const word = text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const letter = "[\\p{L}\\p{N}_]";
  return new RegExp(`(?<!${letter}[-.@+|]?)${word}(?![-.@+|]?${letter})`, "u").test(page);
}

/**
 * The users of a check that is given none. No other claim contains their `sub` or a part of it. A page therefore
 * reveals it if the application identifies users by another claim.
 */
export const checkUsers = [
  {
    ...{ sub: "AItOawmwtWwc", preferred_username: "alice", name: "Alice Adams" },
    ...{ email: "alice@example.com", email_verified: true },
  },
  {
    ...{ sub: "BQxN4dLrTz7k", preferred_username: "bob", name: "Bob Brown" },
    ...{ email: "bob@example.com", email_verified: true },
  },
] as const;

/** Users whom attacks invent. An attack uses the first one, unless it is the user who logs in. */
export const inventedUsers = [
  { sub: "mallory", given_name: "Mallory", family_name: "Miller" },
  { sub: "trudy", given_name: "Trudy", family_name: "Turner" },
] as const;

/** The number of users whom one attack invents at most. */
const maxUsers = 20;

/** The `sub` of one of several invented users: an application may keep the claims of the first login of a user. */
export const numberedSub = (sub: string, number: number): string => number === 0 ? sub : `${sub}${number}`;

/** Texts by which a page may show an invented user. */
export const inventedTexts: readonly string[] = inventedUsers.flatMap(({ sub, given_name, family_name }) => [
  `${given_name} ${family_name}`,
  ...Array.from({ length: maxUsers }, (_, number) => numberedSub(sub, number)).flatMap((own) => [
    own,
    `${own}@example.com`,
  ]),
]);
