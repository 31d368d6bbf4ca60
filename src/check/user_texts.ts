/** The texts by which a page shows a user: claims that the server sent, and users whom attacks invent. */

import { decodeJwtPart } from "../platform/http/jwt_part.ts";
import { parseJsonObject } from "../platform/http/json_body.ts";
import type { Exchange } from "../recorder/exchange.ts";
import type { ClientSession } from "./driver.ts";

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
  const isShown = (value: string) => value.length >= minValueChars && sought.includes(value);
  return values.length === 0 || values.some((value) => value.includes(sought) || isShown(value.trim()));
}

/** Whether a text is a claim that the server sent, or a part of one, letter case aside. */
export function isPartOfClaim(text: string, exchanges: readonly Exchange[]): boolean {
  return valuesIn(exchanges).some((value) => value.includes(text.toLowerCase()));
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

/** The values of all claims, in lower case. */
function valuesIn(exchanges: readonly Exchange[]): readonly string[] {
  return exchanges.flatMap(claimsIn).flatMap(listTexts);
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

/** A session that a page shows. */
export interface PageSession extends ClientSession {
  /** The texts of invented users that the page has besides. */
  readonly otherTexts?: readonly string[];
}

/** Whether a page has a text by itself: not as a part of a word, an e-mail address or an identifier. */
export function hasWord(page: string, text: string): boolean {
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

/** The `sub` of each invented user, unless it is part of one of these texts of the user who logs in. */
export function inventedSubsBeside(texts: readonly string[]): string[] {
  return inventedUsers.map(({ sub }) => sub as string).filter((sub) => !texts.some((text) => text.includes(sub)));
}
