/** All issues of the settings of registration. */

import { validatePublicKeys } from "../../config/key_issues.ts";
import { quote } from "../../config/config_issue.ts";
import type { ConfigIssue } from "../../../core/configuration_error.ts";
import type { Policy } from "../../../core/policy.ts";
import type { RegistrationPolicy } from "./settings.ts";

/** A bearer token (RFC 6750 §2.1) that cannot be guessed. */
const initialAccessTokenPattern = /^[A-Za-z0-9._~+/-]{16,}=*$/;

/** All issues of resolved settings that match their description. */
export function validateRegistration(
  { allows, registration, insecureAllowOpenRegistration }: Policy & RegistrationPolicy,
  isOpen: boolean,
): ConfigIssue[] {
  const { mode, initialAccessTokens, softwareStatementIssuers } = registration;
  const issues: ConfigIssue[] = [];
  if (mode === "open" && !isOpen && !insecureAllowOpenRegistration) {
    issues.push({
      path: "registration.mode",
      expected: `"token" or "off", because the issuer is a real host and every visitor could register clients`,
      received: quote(mode),
      hint: 'Add initialAccessTokens and set it to "token", or set insecureAllowOpenRegistration as well.',
    });
  }
  if (mode === "token" && initialAccessTokens.length === 0) {
    issues.push({
      path: "registration.initialAccessTokens",
      expected: `at least one token, because registration.mode is "token"`,
      received: "none",
      hint: 'Add a long random token, or set registration.mode to "off".',
    });
  }
  for (const [i, token] of initialAccessTokens.entries()) {
    if (initialAccessTokenPattern.test(token)) continue;
    issues.push({
      path: `registration.initialAccessTokens[${i}]`,
      expected: "16 or more letters, digits, - . _ ~ + and /, and = at the end only",
      received: token.length < 16 ? `${token.length} characters` : "other characters",
      hint: "Choose a long random token of letters and digits.",
    });
  }
  for (const [i, trusted] of softwareStatementIssuers.entries()) {
    const path = `registration.softwareStatementIssuers[${i}]`;
    for (const issue of validatePublicKeys(trusted, allows.localUrls)) {
      issues.push({ ...issue, path: `${path}.${issue.path}` });
    }
    if (trusted.jwks === undefined && trusted.jwks_uri === undefined) {
      issues.push({
        path: `${path}.jwks`,
        expected: "the public keys of the issuer",
        received: "nothing",
        hint: "Add its keys as a JWK Set, or a jwks_uri that serves them.",
      });
    }
    if (softwareStatementIssuers.findIndex(({ issuer }) => issuer === trusted.issuer) === i) continue;
    issues.push({
      path: `${path}.issuer`,
      expected: "an issuer that is not in the list yet",
      received: quote(trusted.issuer),
      hint: "Put the keys of one issuer into one entry.",
    });
  }
  return issues;
}
