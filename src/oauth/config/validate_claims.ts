/** Every fault in the settings about claims. */

import { isReservedClaim, reservedClaims } from "../claims.ts";
import { quote } from "./config_issue.ts";
import type { Fault } from "./config_issue.ts";
import { scopeToken } from "../authorize/scope.ts";
import type { Settled } from "./settings.ts";

/** Checks `claims`, `unmappedClaims`, `idTokenClaims`, `accessTokenClaims`, and the claims of resources. */
export function claimFaults(
  { claims, unmappedClaims, idTokenClaims, accessTokenClaims, resources = [] }: Settled,
): Fault[] {
  const faults: Fault[] = [
    ...choiceFaults("unmappedClaims", unmappedClaims, ["openid", "none"]),
    ...choiceFaults("idTokenClaims", idTokenClaims, ["minimal", "like-userinfo"]),
    ...nameFaults("accessTokenClaims", accessTokenClaims, "access token"),
  ];
  for (const [scope, names] of Object.entries(claims)) {
    const place = /^[A-Za-z_$][\w$-]{0,59}$/.test(scope) ? `claims.${scope}` : `claims[${quote(scope)}]`;
    if (!scopeToken.test(scope)) {
      faults.push({
        place,
        expected: "a scope value: printable ASCII without spaces, quotes and backslashes",
        found: quote(scope),
        mend: "Use one scope value as the name of each list of claims.",
      });
    }
    faults.push(...nameFaults(place, names));
  }
  for (const [i, { access_token_claims: names = [] }] of resources.entries()) {
    faults.push(...nameFaults(`resources[${i}].access_token_claims`, names, "access token"));
  }
  return faults;
}

function choiceFaults(place: string, value: string, options: readonly string[]): Fault[] {
  if (options.includes(value)) return [];
  return [{
    place,
    expected: options.map(quote).join(" or "),
    found: quote(value),
    mend: "Use one of these values, or remove the setting.",
  }];
}

function nameFaults(place: string, names: readonly string[], where?: "access token"): Fault[] {
  // Users of TypeScript see this in the types.
  if (!Array.isArray(names)) {
    return [{ place, expected: "a list of claims", found: quote(names), mend: `Write it like ["groups"].` }];
  }
  const faults: Fault[] = [];
  for (const [i, name] of names.entries()) {
    if (typeof name !== "string" || name === "") {
      faults.push({
        place: `${place}[${i}]`,
        expected: "the name of a claim",
        found: quote(name),
        mend: "Use the name of a member of your users.",
      });
    } else if (isReservedClaim(name, where)) {
      faults.push({
        place: `${place}[${i}]`,
        expected: "a claim about the user that is not reserved",
        found: quote(name),
        mend: `Remove it, or rename the member of your users. Reserved: ${reservedClaims.join(", ")}${
          where === undefined ? "" : ", and in access tokens active, token_type, userinfo_claims, userinfo_values"
        }.`,
      });
    } else if (names.indexOf(name) < i) {
      faults.push({
        place: `${place}[${i}]`,
        expected: "each claim once",
        found: `${quote(name)} again`,
        mend: "Remove one of the two.",
      });
    }
  }
  return faults;
}
