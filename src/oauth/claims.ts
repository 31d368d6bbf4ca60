/** Claims about a person: which scope shows which, in the types that OpenID Connect Core §5.1 gives them. */

import type { User } from "./client.ts";

/** The standard claims of each scope (OpenID Connect Core §5.4). */
export const claimsOfScope: Readonly<Record<string, readonly string[]>> = {
  profile: [
    ...["name", "family_name", "given_name", "middle_name", "nickname", "preferred_username", "profile", "picture"],
    ...["website", "gender", "birthdate", "zoneinfo", "locale", "updated_at"],
  ],
  email: ["email", "email_verified"],
  address: ["address"],
  phone: ["phone_number", "phone_number_verified"],
};

const standard = new Set(Object.values(claimsOfScope).flat());

/** What a standard claim is where it is not a text. */
const types: Readonly<Record<string, string>> = {
  email_verified: "boolean",
  phone_number_verified: "boolean",
  updated_at: "number",
  address: "object",
};

/** Claims that say something about a token or a login, and never stand for a member of a user. */
const ofTheProtocol = new Set([
  ...["iss", "sub", "aud", "exp", "iat", "nbf", "jti", "auth_time", "nonce", "acr", "amr", "azp", "sid"],
  ...["at_hash", "c_hash", "s_hash", "cnf", "client_id", "scope", "events"],
]);

/** The user's values of those claims: unknown and empty ones left out, and those of a wrong type. */
export function claimsFor(user: User, names: Iterable<string>): Record<string, unknown> {
  const claims: Record<string, unknown> = {};
  for (const name of names) {
    const value = Object.hasOwn(user, name) && !ofTheProtocol.has(name) ? user[name] : undefined;
    if (value === undefined || value === null || value === "") continue;
    if (standard.has(name) && !isOfType(value, types[name] ?? "string")) continue;
    claims[name] = value;
  }
  return claims;
}

function isOfType(value: unknown, type: string): boolean {
  return typeof value === type && !Array.isArray(value) && (type !== "number" || Number.isFinite(value));
}

/** The names of the claims that granted scope values show. */
export function claimNames(scope: readonly string[]): string[] {
  return scope.flatMap((token) => Object.hasOwn(claimsOfScope, token) ? claimsOfScope[token]! : []);
}

/** The scope value that shows a standard claim; `undefined` for any other claim. */
export function scopeOfClaim(name: string): string | undefined {
  return Object.keys(claimsOfScope).find((scope) => claimsOfScope[scope]!.includes(name));
}
