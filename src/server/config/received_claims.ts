/** Which members of a user clients can receive, for warnings and pages. */

import {
  type ClaimRules,
  claimRules,
  hasStandardType,
  isAbsent,
  isAllowedInAccessToken,
  isClaim,
  isReservedClaim,
  scopesForClaim,
} from "../../core/clients/claims.ts";
import { isObject } from "../../core/http/json_value.ts";
import type { Server } from "../../core/server.ts";
import type { ServerPolicy } from "./server_policy.ts";

/** @internal The rules of the whole server for releasing claims. */
export interface ServerClaimRules extends ClaimRules {
  /** The claims of access tokens for resources that have a list of their own. */
  readonly ofResources: readonly string[];
}

/** Reads the settings about claims, which must be valid. */
export function serverClaimRules(policy: ServerPolicy): ServerClaimRules {
  const ofResources = policy.resources?.flatMap(({ access_token_claims: names = [] }) => names) ?? [];
  return { ...claimRules(policy), ofResources };
}

/** Whether access tokens for at least one resource contain this member of a user. */
export function isInAccessTokens(
  rules: ServerClaimRules,
  name: string,
  value: unknown,
  scopes: readonly string[],
): boolean {
  return isClaim(name, value) && isAllowedInAccessToken(rules, name, scopes) &&
    (rules.accessToken.includes(name) || rules.ofResources.includes(name));
}

/** The scope values that release this member of a user; empty if none does. */
export function releasingScopes(rules: ClaimRules, name: string, value: unknown): readonly string[] {
  if (!isClaim(name, value)) return [];
  const scopes = scopesForClaim(rules, name);
  return scopes.length === 0 && rules.unmapped === "openid" ? ["openid"] : scopes;
}

/**
 * Why no client can receive a member of a user: its name is reserved, its value has the wrong type, or no scope value
 * releases it.
 */
export type ClaimProblem = "reserved" | "type" | "scope";

/**
 * The reason why no client can receive a member of a user; `undefined` if a client can, or if it has no value.
 *
 * @param scopes The scope values that a client may ask for.
 */
export function claimProblem(
  rules: ServerClaimRules,
  name: string,
  value: unknown,
  scopes: readonly string[],
): ClaimProblem | undefined {
  if (isAbsent(value)) return undefined;
  if (isReservedClaim(name)) return "reserved";
  if (!hasStandardType(name, value)) return isObject(value) && Object.keys(value).length === 0 ? undefined : "type";
  const isReleased = scopes.includes("openid") &&
    releasingScopes(rules, name, value).some((scope) => scopes.includes(scope));
  return isReleased || isInAccessTokens(rules, name, value, scopes) ? undefined : "scope";
}

/** Whether a scope value can release claims, even if no access token is issued. */
export function releasesClaims({ claims }: Server, value: string): boolean {
  return value === "openid" || claims.claimsByScope.has(value);
}
