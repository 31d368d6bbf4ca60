/** All issues of the settings about claims. */

import { isReservedClaim, reservedClaims } from "../claims.ts";
import { quote } from "./config_issue.ts";
import type { ConfigIssue } from "./config_issue.ts";
import { scopeToken } from "../authorize/scope_token.ts";
import type { ResolvedSettings } from "./resolve_settings.ts";
import { showPath } from "./show.ts";

/** Checks `claims`, `accessTokenClaims`, and the claims of resources. */
export function validateClaims({ claims, accessTokenClaims, resources = [] }: ResolvedSettings): ConfigIssue[] {
  const issues: ConfigIssue[] = [
    ...validateClaimNames("accessTokenClaims", accessTokenClaims, "access token"),
  ];
  for (const [scope, names] of Object.entries(claims)) {
    const path = showPath(["claims", scope]);
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

function validateClaimNames(path: string, names: readonly string[], reservedIn?: "access token"): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  for (const [i, name] of names.entries()) {
    if (name === "") {
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
