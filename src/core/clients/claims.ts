/**
 * Claims about a user: the scope values that release them, the tokens and responses that contain them, and their types
 * (OpenID Connect Core §5).
 */

import { isObject } from "../http/json_value.ts";
import type { User } from "./client.ts";
import type { Policy } from "../policy/policy.ts";

/** The standard claims of each scope value (OpenID Connect Core §5.4). */
export const standardClaims: Readonly<Record<string, readonly string[]>> = {
  profile: [
    ...["name", "family_name", "given_name", "middle_name", "nickname", "preferred_username", "profile", "picture"],
    ...["website", "gender", "birthdate", "zoneinfo", "locale", "updated_at"],
  ],
  email: ["email", "email_verified"],
  address: ["address"],
  phone: ["phone_number", "phone_number_verified"],
};

const standardClaimNames = new Set(Object.values(standardClaims).flat());

/** The types of the standard claims that are not strings (OpenID Connect Core §5.1). */
const standardClaimTypes: Readonly<Record<string, string>> = {
  email_verified: "boolean",
  phone_number_verified: "boolean",
  updated_at: "number",
  address: "object",
};

/**
 * Names that no member of a user and no setting can set: claims about a token or a login, aggregated and distributed
 * claims (OpenID Connect Core §5.6.2), and members of a user that are not claims.
 */
const reservedNames = new Set([
  ...["iss", "sub", "aud", "exp", "iat", "nbf", "jti", "auth_time", "nonce", "acr", "amr", "azp", "sid"],
  ...["at_hash", "c_hash", "s_hash", "cnf", "client_id", "scope", "events", "act", "may_act"],
  ...["authorization_details", "typ", "_claim_names", "_claim_sources", "password", "__proto__"],
]);

/**
 * Names that are also reserved in access tokens: members of an introspection response, and private claims of this
 * server.
 */
const reservedAccessTokenNames = new Set(["active", "token_type", "userinfo_claims", "userinfo_values"]);

/** Whether no user, mapping or setting can set a claim of this name. */
export function isReservedClaim(name: string, context: "any" | "access token" = "any"): boolean {
  return reservedNames.has(name) || context === "access token" && reservedAccessTokenNames.has(name);
}

export const reservedClaims: readonly string[] = [...reservedNames].filter((name) => name !== "__proto__");

/** @internal The rules for releasing claims, computed once from the settings. */
export interface ClaimRules {
  /** The claims that each scope value releases: the standard claims first, then the configured ones. */
  readonly claimsByScope: ReadonlyMap<string, readonly string[]>;
  readonly scopesByClaim: ReadonlyMap<string, readonly string[]>;
  /** Whether `openid` releases the members of a user that no scope value releases. */
  readonly unmapped: "openid" | "none";
  /** Whether ID tokens contain the claims that userinfo returns for their scope. The page of a user may change it. */
  idToken: "minimal" | "like-userinfo";
  /** The claims of access tokens whose resource has no list of its own. The page of a user may change it. */
  accessToken: readonly string[];
}

/** Reads the settings about claims, which must be valid. */
export function claimRules({ claims, unmappedClaims, idTokenClaims, accessTokenClaims }: Policy): ClaimRules {
  const claimsByScope = new Map(Object.entries(standardClaims));
  for (const [scope, names] of Object.entries(claims)) {
    claimsByScope.set(scope, [...new Set([...claimsByScope.get(scope) ?? [], ...names])]);
  }
  const scopesByClaim = new Map<string, string[]>();
  for (const [scope, names] of claimsByScope) {
    for (const name of names) scopesByClaim.set(name, [...scopesByClaim.get(name) ?? [], scope]);
  }
  return {
    claimsByScope,
    scopesByClaim,
    unmapped: unmappedClaims,
    idToken: idTokenClaims,
    accessToken: accessTokenClaims,
  };
}

const noScopes: readonly string[] = [];

/** The scope values that release a claim; the language tag of a claim such as `name#de` is ignored. */
export function scopesForClaim({ scopesByClaim }: ClaimRules, name: string): readonly string[] {
  return scopesByClaim.get(name) ?? scopesByClaim.get(withoutLanguageTag(name)) ?? noScopes;
}

/** Whether `scope` holds a value that releases the claim by the mapping. */
export function isReleasedByScope(rules: ClaimRules, name: string, scope: readonly string[]): boolean {
  return scopesForClaim(rules, name).some((value) => scope.includes(value));
}

/** The members of a user that no scope value releases, reserved names left out. */
function unmappedClaims(rules: ClaimRules, user: User): string[] {
  return Object.keys(user).filter((name) => !reservedNames.has(name) && scopesForClaim(rules, name).length === 0);
}

export function releasableClaims(rules: ClaimRules, scope: readonly string[], users: readonly User[]): Set<string> {
  const names = new Set(scope.flatMap((value) => rules.claimsByScope.get(value) ?? []));
  if (rules.unmapped === "openid" && scope.includes("openid")) {
    for (const user of users) for (const name of unmappedClaims(rules, user)) names.add(name);
  }
  return names;
}

/** The claims of a user that a granted scope releases. */
export function claimsForScope(rules: ClaimRules, user: User, scope: readonly string[]): Record<string, unknown> {
  const names = scope.flatMap((value) => rules.claimsByScope.get(value) ?? []);
  if (rules.unmapped === "openid" && scope.includes("openid")) names.push(...unmappedClaims(rules, user));
  return pickClaims(user, names);
}

export type UserClaims = Readonly<Record<string, unknown>>;

/** Multi-valued attributes of RFC 7643 §4.1.2: always lists in an access token (RFC 9068 §2.2.3.1). */
const listClaims = ["groups", "roles", "entitlements"];

/** Whether an access token with that scope may hold a claim that is configured for it. */
export function isAllowedInAccessToken(rules: ClaimRules, name: string, scope: readonly string[]): boolean {
  return scopesForClaim(rules, name).length === 0 || isReleasedByScope(rules, name, scope);
}

export function claimsForAccessToken(
  rules: ClaimRules,
  user: User,
  names: readonly string[],
  scope: readonly string[],
): Record<string, unknown> {
  const claims = pickClaims(user, names.filter((name) => isAllowedInAccessToken(rules, name, scope)));
  for (const name of listClaims) {
    if (claims[name] !== undefined && !Array.isArray(claims[name])) claims[name] = [claims[name]];
  }
  return claims;
}

/** The user's values of these claims. Unknown and empty values, and standard claims of a wrong type, are left out. */
export function pickClaims(user: User, names: readonly string[]): Record<string, unknown> {
  const claims: Record<string, unknown> = {};
  for (const name of names) {
    const value = Object.hasOwn(user, name) ? user[name] : undefined;
    if (isClaim(name, value)) claims[name] = value;
  }
  return claims;
}

/** Whether a member of a user can be a claim: its name is not reserved, and its value exists and has the right type. */
export function isClaim(name: string, value: unknown): boolean {
  return !isAbsent(value) && !reservedNames.has(name) && hasStandardType(name, value);
}

/** Whether a value is missing, an empty string, or not representable in JSON. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === "" || typeof value === "function" ||
    typeof value === "symbol" || typeof value === "number" && !Number.isFinite(value);
}

/**
 * Whether the value of a claim has the type that OpenID Connect Core §5.1 gives it, and is not empty; true for all
 * others.
 */
export function hasStandardType(name: string, value: unknown): boolean {
  const base = withoutLanguageTag(name);
  if (!standardClaimNames.has(base)) return true;
  return typeof value === (standardClaimTypes[base] ?? "string") && !Array.isArray(value) &&
    !(isObject(value) && Object.keys(value).length === 0);
}

function withoutLanguageTag(name: string): string {
  const hashIndex = name.indexOf("#");
  return hashIndex < 0 ? name : name.slice(0, hashIndex);
}
