/** Checks and steps outside of tables, in the order that `check_order_test.ts` proves. */

import type { RuleId } from "../../src/core/rules/mod.ts";

/** A check that runs outside of the table of `src/core/authorize/checks.ts`. */
interface OtherCheck {
  /** The main rule that a request can violate. */
  readonly rule: RuleId;
  /** What it checks. */
  readonly reads: string;
  /** The function that runs it. */
  readonly by: string;
}

/**
 * The checks before the table: an error is a page, because the redirect URI is not verified, or the
 * host is not trusted.
 */
export const destinationChecks: readonly OtherCheck[] = [
  { rule: "AZ-02", reads: "client_id", by: "findDestination" },
  { rule: "JR-01", reads: "the source, without a valid redirect_uri", by: "findDestination" },
  { rule: "AZ-06", reads: "redirect_uri, sent once", by: "findDestination" },
  { rule: "RU-07", reads: "redirect_uri, with scope openid", by: "findDestination" },
  { rule: "RU-06", reads: "redirect_uri, if several are registered", by: "findDestination" },
  { rule: "RU-01", reads: "redirect_uri", by: "findDestination" },
  { rule: "FP-04", reads: "Host, with response_mode=form_post", by: "rejectUntrustedForm" },
];

/** The checks after the table: of the login and the approval. An error is sent to the client. */
export const approvalChecks: readonly OtherCheck[] = [
  { rule: "OI-03", reads: "the session, with prompt=none", by: "usableSession" },
  { rule: "UI-20", reads: "Host, before an automatic login", by: "approveAutomatically" },
  { rule: "UI-30", reads: "the site, before an automatic login", by: "approveAutomatically" },
  { rule: "AZ-21", reads: "the users, for an automatic login", by: "approveAutomatically" },
  { rule: "OI-03", reads: "the decision, with prompt=none", by: "decideRequest" },
  { rule: "OI-05", reads: "the time of the login", by: "rejectOldLogin" },
  { rule: "OI-08", reads: "the user, and what extensions demand of the login", by: "acceptApproval" },
  { rule: "AZ-18", reads: "the approved access", by: "acceptApproval" },
  { rule: "AZ-21", reads: "whether the user and the client still exist", by: "acceptApproval" },
];

/** What happens at the token endpoint before anything is issued. */
export const tokenRequestSteps: readonly { readonly by: string; readonly does: string }[] = [
  { by: "authenticateClient", does: "authenticates the client" },
  { by: "findGrantType", does: "finds the grant type, which the client must be registered for" },
  { by: "checkTokenRequest", does: "runs the checks that are also for token requests" },
  { by: "authorize of the grant type", does: "verifies the grant" },
  {
    by: "assertResult",
    does: "requires client, scope, grantId, and nothing misspelt or undefined, if a program has the grant type",
  },
  { by: "assertRegistered", does: "requires that the client is registered for each scope value" },
  { by: "requireUser", does: "requires that the user may still log in" },
  { by: "consumeGrant", does: "consumes what can be used once" },
];

/** The claims that steps set, by the step and its table. */
export const claimsOfSteps: Readonly<Record<string, string>> = {
  "grant type of accessTokenClaims": "addedClaims: act of token_exchange, authorization_details of the step above",
  "protocol of accessTokenClaims": "iss, sub, aud, client_id, scope, iat, exp, jti, auth_time, sid",
  "user of accessTokenClaims": "those of the settings accessTokenClaims and resources",
  "requested claims of accessTokenClaims": "userinfo_claims, userinfo_values",
  "protocol of idTokenClaims": "iss, sub, aud, exp, iat, auth_time, nonce, at_hash, sid",
  "user of idTokenClaims": "those that the request or the setting idTokenClaims names",
};
