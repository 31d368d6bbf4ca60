/** The claims that the server sent about the user of a login, for drivers that know a user by a text of a page. */

import { decodeJwtPart } from "../http/jwt_part.ts";
import { parseJsonObject } from "../http/message.ts";
import type { Exchange } from "../recorder/exchange.ts";

/** The shortest value of a claim that can be a part of the text of a user by more than chance. */
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
  return values.length === 0 ||
    values.some((value) => value.includes(sought) || value.length >= minValueChars && sought.includes(value));
}

/** Whether a text is a claim that the server sent, or a part of one, letter case aside. */
export function isPartOfClaim(text: string, exchanges: readonly Exchange[]): boolean {
  return valuesIn(exchanges).some((value) => value.includes(text.toLowerCase()));
}

/**
 * The claims of the first userinfo response whose values no token of the login contains; none if the ID token is
 * encrypted, or if userinfo was requested again: then the client may have the values from elsewhere.
 */
export function claimsOfUserinfoAlone(exchanges: readonly Exchange[]): Readonly<Record<string, unknown>> {
  const tokens = exchanges.filter(({ endpoint }) => endpoint === "token").flatMap(claimsIn);
  const responses = exchanges.filter(({ endpoint }) => endpoint === "userinfo").flatMap(claimsIn);
  if (responses.length !== 1 || tokens.every((claims) => claims.sub === undefined)) return {};
  const isInToken = (name: string, value: unknown) =>
    tokens.some((claims) => JSON.stringify(claims[name]) === JSON.stringify(value));
  return Object.fromEntries(
    Object.entries(responses[0]!).filter(([name, value]) => name !== "sub" && !isInToken(name, value)),
  );
}

/** The values of all claims, in lower case. */
function valuesIn(exchanges: readonly Exchange[]): readonly string[] {
  return exchanges.flatMap(claimsIn).flatMap(textsIn).map((value) => value.toLowerCase());
}

/** The claims of the tokens of a token response, or of a userinfo response. */
function claimsIn({ endpoint, response }: Exchange): readonly Readonly<Record<string, unknown>>[] {
  const body = response?.body ?? "";
  if (endpoint === "userinfo") return [parseJsonObject(body) ?? decodeJwtPart(body, 1)];
  if (endpoint !== "token") return [];
  const { id_token, access_token } = parseJsonObject(body) ?? {};
  return [id_token, access_token].map((token) => decodeJwtPart(String(token ?? ""), 1));
}

/** The texts and numbers in a value. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(textsIn);
  return typeof value === "string" || typeof value === "number" ? [String(value)] : [];
}
