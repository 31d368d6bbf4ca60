/** Compares the issuer and members of the policy that match their description with each other. */

import { isReservedClaim, reservedClaims } from "../clients/claims.ts";
import type { ConfigIssue } from "../rules/configuration_error.ts";
import { showPath } from "../policy/field.ts";
import { scopeToken } from "../http/params.ts";
import type { PkcePolicy, Policy } from "../policy/policy.ts";
import { quoteValue } from "../http/quote_value.ts";

/** Shows a value in messages. */
type Quote = (value: unknown) => string;

/** The issues of an issuer that is not a URL in its normal form. */
export function validateIssuer(issuer: string, quote: Quote = quoteValue): ConfigIssue[] {
  const issue = (expected: string, hint: string) => [{ path: "issuer", expected, received: quote(issuer), hint }];
  if (!URL.canParse(issuer) || !/^https?:\/\/[^/]/.test(issuer)) {
    return issue("an absolute https URL", "Write it as https://host or, on this machine, http://localhost:9000.");
  }
  const { origin, href, pathname, username, password } = new URL(issuer);
  if (/[?#]/.test(issuer) || username !== "" || password !== "") {
    return issue("a URL without query, fragment and user information", "Keep only scheme, host, port and path.");
  }
  if (!/^(?:\/[A-Za-z0-9._~-]+)*\/?$/.test(pathname)) {
    return issue("a path of plain words between single slashes", "Use letters, digits, - . _ and ~ alone.");
  }
  if (issuer === origin || issuer === href) return [];
  return issue("a URL in its normal form", `Write it as ${quote(pathname === "/" ? origin : href)}.`);
}

/** What only a server on a test host may accept about code challenges. */
export function validatePkce(pkce: PkcePolicy): ConfigIssue[] {
  return (["insecureAllowMissing", "insecureAllowPlain"] as const).filter((name) => pkce[name]).map((name) => ({
    path: `pkce.${name}`,
    expected: "false, because the issuer is not a test host, and a stolen code must be useless",
    received: "true",
    hint: "Remove it, or use an issuer on a test host.",
  }));
}

/** The server must accept what it signs. */
export function validateAlg(
  { alg, signatureAlgorithms }: Pick<Policy, "alg" | "signatureAlgorithms">,
  quote: Quote = quoteValue,
): ConfigIssue[] {
  return signatureAlgorithms.includes(alg) ? [] : [{
    path: "alg",
    expected: `one of signatureAlgorithms, ${signatureAlgorithms.join(", ")}`,
    received: quote(alg),
    hint: "Set alg to one of them, or add it to signatureAlgorithms.",
  }];
}

export function validateScopes(scopes: readonly string[], quote: Quote = quoteValue): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  if (scopes.length === 0) {
    issues.push({
      path: "scopes",
      expected: "at least one scope value",
      received: "an empty array",
      hint: "Remove scopes for the default, or add scope values.",
    });
  }
  for (const [i, token] of scopes.entries()) {
    if (scopes.indexOf(token) < i) {
      issues.push({
        path: `scopes[${i}]`,
        expected: "each value once",
        received: `${quote(token)} again`,
        hint: "Remove one of the two.",
      });
    }
    if (scopeToken.test(token)) continue;
    issues.push({
      path: `scopes[${i}]`,
      expected: "printable ASCII without spaces, quotes and backslashes",
      received: quote(token),
      hint: "Write each scope value as a separate item.",
    });
  }
  return issues;
}

export function validateClaims(
  { claims, accessTokenClaims }: Pick<Policy, "claims" | "accessTokenClaims">,
  quote: Quote = quoteValue,
): ConfigIssue[] {
  return [
    ...validateClaimNames("accessTokenClaims", accessTokenClaims, quote, "access token"),
    ...Object.entries(claims).flatMap(([scope, names]) => {
      const path = showPath(["claims", scope], quote);
      const issues = validateClaimNames(path, names, quote);
      return scopeToken.test(scope) ? issues : [{
        path,
        expected: "a scope value: printable ASCII without spaces, quotes and backslashes",
        received: quote(scope),
        hint: "Use one scope value as the name of each list of claims.",
      }, ...issues];
    }),
  ];
}

/** The issues of a list of names of claims. */
export function validateClaimNames(
  path: string,
  names: readonly string[],
  quote: Quote,
  reservedIn?: "access token",
): ConfigIssue[] {
  return names.flatMap((name, i) => {
    const issue = (expected: string, received: string, hint: string) => [
      { path: `${path}[${i}]`, expected, received, hint },
    ];
    if (name === "") return issue("the name of a claim", quote(name), "Use the name of a member of your users.");
    if (isReservedClaim(name, reservedIn)) {
      const others = reservedIn === undefined
        ? ""
        : ", and in access tokens active, token_type, userinfo_claims, userinfo_values";
      const hint = `Remove it, or rename the member of your users. Reserved: ${reservedClaims.join(", ")}${others}.`;
      return issue("a claim about the user that is not reserved", quote(name), hint);
    }
    return names.indexOf(name) === i ? [] : issue("each claim once", `${quote(name)} again`, "Remove one of the two.");
  });
}
