/** Every fault in the settings about claims. */

import { isReservedClaim, reservedClaims } from "../claims.ts";
import { quote } from "./config_issue.ts";
import type { ConfigIssue } from "./config_issue.ts";
import { scopeToken } from "../authorize/scope.ts";
import type { ResolvedSettings } from "./settings.ts";

/** Checks `claims`, `unmappedClaims`, `idTokenClaims`, `accessTokenClaims`, and the claims of resources. */
export function validateClaims(
  { claims, unmappedClaims, idTokenClaims, accessTokenClaims, resources = [] }: ResolvedSettings,
): ConfigIssue[] {
  const issues: ConfigIssue[] = [
    ...validateChoice("unmappedClaims", unmappedClaims, ["openid", "none"]),
    ...validateChoice("idTokenClaims", idTokenClaims, ["minimal", "like-userinfo"]),
    ...validateClaimNames("accessTokenClaims", accessTokenClaims, "access token"),
  ];
  for (const [scope, names] of Object.entries(claims)) {
    const path = /^[A-Za-z_$][\w$-]{0,59}$/.test(scope) ? `claims.${scope}` : `claims[${quote(scope)}]`;
    if (!scopeToken.test(scope)) {
      issues.push({
        path,
        expected: "a scope value: printable ASCII without spaces, quotes and backslashes",
        received: quote(scope),
        hint: "Use one scope value as the name of each list of claims.",
      });
    }
    issues.push(...validateClaimNames(path, names));
  }
  for (const [i, { access_token_claims: names = [] }] of resources.entries()) {
    issues.push(...validateClaimNames(`resources[${i}].access_token_claims`, names, "access token"));
  }
  return issues;
}

function validateChoice(path: string, value: string, options: readonly string[]): ConfigIssue[] {
  if (options.includes(value)) return [];
  return [{
    path,
    expected: options.map(quote).join(" or "),
    received: quote(value),
    hint: "Use one of these values, or remove the setting.",
  }];
}

function validateClaimNames(path: string, names: readonly string[], reservedIn?: "access token"): ConfigIssue[] {
  // Users of TypeScript see this in the types.
  if (!Array.isArray(names)) {
    return [{ path, expected: "a list of claims", received: quote(names), hint: `Write it like ["groups"].` }];
  }
  const issues: ConfigIssue[] = [];
  for (const [i, name] of names.entries()) {
    if (typeof name !== "string" || name === "") {
      issues.push({
        path: `${path}[${i}]`,
        expected: "the name of a claim",
        received: quote(name),
        hint: "Use the name of a member of your users.",
      });
    } else if (isReservedClaim(name, reservedIn)) {
      issues.push({
        path: `${path}[${i}]`,
        expected: "a claim about the user that is not reserved",
        received: quote(name),
        hint: `Remove it, or rename the member of your users. Reserved: ${reservedClaims.join(", ")}${
          reservedIn === undefined ? "" : ", and in access tokens active, token_type, userinfo_claims, userinfo_values"
        }.`,
      });
    } else if (names.indexOf(name) < i) {
      issues.push({
        path: `${path}[${i}]`,
        expected: "each claim once",
        received: `${quote(name)} again`,
        hint: "Remove one of the two.",
      });
    }
  }
  return issues;
}
