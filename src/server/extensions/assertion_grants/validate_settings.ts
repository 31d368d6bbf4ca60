/** All issues of the setting `trustedIssuers`. */

import { validateAvailable, validatePublicKeys } from "../../config/key_issues.ts";
import type { Allowances } from "../../../core/test_hosts.ts";
import { quote } from "../../config/config_issue.ts";
import type { ConfigIssue } from "../../../core/configuration_error.ts";
import type { TrustedIssuer } from "./settings.ts";

/** How to use a token of this server in place of an assertion. */
export const ownTokenFix =
  "Assertions are of other issuers. Exchange a token of this server by token exchange, which the setting tokenExchange enables.";

/**
 * All issues of trusted issuers that match their description.
 *
 * @param issuer The issuer of this server.
 * @param scopes All scope values of this server.
 */
export function validateTrustedIssuers(
  trustedIssuers: readonly TrustedIssuer[],
  { issuer, scopes, allows }: {
    readonly issuer: string;
    readonly scopes: readonly string[];
    readonly allows: Allowances;
  },
): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  for (const [i, trusted] of trustedIssuers.entries()) {
    const report = (name: string, expected: string, received: string, hint: string) =>
      issues.push({ path: `trustedIssuers[${i}].${name}`, expected, received, hint });
    if (trusted.issuer === issuer) {
      report(
        "issuer",
        "another issuer than this server",
        quote(issuer),
        `Remove it. ${ownTokenFix}`,
      );
    }
    const isSame = (other: TrustedIssuer) => other.issuer === trusted.issuer && other.tenant === trusted.tenant;
    if (trustedIssuers.findIndex(isSame) < i) {
      report(
        "issuer",
        "each issuer once, or once for each tenant",
        `${quote(trusted.issuer)} again`,
        "Remove one of them.",
      );
    }
    const { algorithms = [] } = trusted;
    issues.push(...algorithms.flatMap((alg, j) => validateAvailable(`trustedIssuers[${i}].algorithms[${j}]`, alg)));
    if (trusted.jwks === undefined && trusted.jwks_uri === undefined) {
      report("jwks", "the public keys of the issuer", "nothing", "Add its jwks, or the jwks_uri that serves them.");
    }
    for (const issue of validatePublicKeys(trusted, allows.localUrls)) {
      issues.push({ ...issue, path: `trustedIssuers[${i}].${issue.path}` });
    }
    if (trusted.users === undefined && trusted.subjects === undefined) {
      report(
        "users",
        "a mapping of subjects to users or clients",
        "nothing",
        `Add users: "sub" if this server has the same subjects, or list them in subjects.`,
      );
    }
    if (trusted.users === "aud_sub" && trusted.grantProfile !== "id-jag") {
      const hint = `Set grantProfile to "id-jag", or users to "sub" or "email".`;
      report("users", `grantProfile: "id-jag" as well, because only ID-JAGs have aud_sub`, "aud_sub", hint);
    }
    if (trusted.provision === true && trusted.users !== "sub") {
      report("provision", `users: "sub" as well`, String(trusted.users), `Set users to "sub", or remove provision.`);
    }
    if (trusted.assumeEmailVerified === true && trusted.users !== "email") {
      report(
        "assumeEmailVerified",
        `users: "email" as well`,
        String(trusted.users),
        `Set users to "email", or remove assumeEmailVerified.`,
      );
    }
    for (const value of trusted.scopes ?? []) {
      if (scopes.includes(value)) continue;
      report(
        "scopes",
        `scope values of the server (${scopes.join(" ")})`,
        quote(value),
        "Add it to scopes, or remove it.",
      );
    }
  }
  return issues;
}
