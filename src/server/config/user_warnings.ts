/** Warnings about claims of users that no client can receive, or that many clients reject. */

import { isAbsent, scopesForClaim } from "../../core/clients/claims.ts";
import type { User } from "../../core/clients/client.ts";
import { quote } from "./config_issue.ts";
import { type ClaimProblem, claimProblem, type ServerClaimRules } from "./received_claims.ts";
import type { ConfigurationWarning } from "../../core/rules/configuration_error.ts";

/** Warnings about one user who was added at run time. */
export function userWarnings(rules: ServerClaimRules, scopes: readonly string[], user: User): ConfigurationWarning[] {
  return Object.keys(user).flatMap((name) => {
    const problem = findProblem(rules, scopes, user, name);
    return problem === undefined
      ? []
      : [{ path: `users[${quote(user.sub)}].${name}`, message: messageByProblem[problem](rules, name, user[name]) }];
  });
}

/** This server's own pages show these claims, so they have a use even if no client receives them. */
export const claimsShownOnPages = ["name", "email", "preferred_username"];

/** A claim that no client can receive, or an address about which clients do not learn whether it is verified. */
type UserProblem = ClaimProblem | "unverified";

/** Why clients cannot use a claim of a user; `undefined` if one can. */
export function findProblem(
  rules: ServerClaimRules,
  scopes: readonly string[],
  user: User,
  name: string,
): UserProblem | undefined {
  if (name === "sub" || name === "password") return undefined;
  const problem = claimProblem(rules, name, user[name], scopes);
  if (problem === undefined && name === "email" && !isAbsent(user.email)) {
    return isAbsent(user.email_verified) ? "unverified" : undefined;
  }
  return problem === "scope" && (claimsShownOnPages.includes(name) || !scopes.includes("openid")) ? undefined : problem;
}

export const messageByProblem: Readonly<
  Record<UserProblem, (rules: ServerClaimRules, name: string, value: unknown) => string>
> = {
  reserved: (_, name) =>
    `${quote(name)} is a reserved claim name, so this member of the user is ignored. Rename or remove it.`,
  type: (_, name, value) =>
    `${quote(name)} is omitted: its value is ${
      describeType(value)
    }, and OpenID Connect Core §5.1 requires another type. ` +
    "Correct the value.",
  unverified: () =>
    `Clients such as oauth2-proxy and dex reject an address that is not verified. Add "email_verified": true to the ` +
    "user, or false to test that.",
  scope: (rules, name) => {
    const requiredScopes = scopesForClaim(rules, name);
    if (requiredScopes.length === 0) {
      return `No scope value releases ${quote(name)}, so no client receives it. Map it in claims, for example ` +
        `{"profile": [${quote(name)}]}, name it in accessTokenClaims, or set unmappedClaims to "openid".`;
    }
    return `${quote(name)} is released by the scope value ${
      requiredScopes.map(quote).join(" or ")
    }, which no client may ask ` +
      "for, so no client receives it. Add it to scopes, and to the scope of a client.";
  },
};

function describeType(value: unknown): string {
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}
