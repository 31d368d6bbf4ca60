/** Rules of Proof Key for Code Exchange (RFC 7636, OAuth 2.1 §4.1.1). */

import { type ByProfile, type Rule, rule } from "./rule.ts";

/** Facts about an authorization request without a code challenge. */
export interface MissingChallenge extends ByProfile {
  /** Whether a nonce would do (OAuth 2.1 §7.5.1). */
  readonly acceptsNonce: boolean;
}

const missingChallenge = ({ byProfile }: ByProfile) =>
  `code_challenge is missing, and this client must send one${byProfile}`;

/** Facts about a code verifier that does not match. */
export interface WrongVerifier {
  readonly clientId: string;
  /** The challenge of the authorization request. */
  readonly challenge: string;
  readonly verifier: string;
  /** The challenge of the verifier. */
  readonly computed: string;
}

/** By ID, in the order of `tests/rules.md`. */
export const pkceRules = {
  "PK-01": rule<MissingChallenge>("invalid_request", missingChallenge, "OAuth 2.1 §4.1.2.1"),
  "PK-02": rule<MissingChallenge>("invalid_request", missingChallenge, "OAuth 2.1 §4.1.2.1, §7.5.1"),
  "PK-04": rule<{ readonly method: string }>(
    "invalid_request",
    "code_challenge_method is not supported, only S256 is",
    "OAuth 2.1 §4.1.2.1",
  ),
  "PK-05": rule<ByProfile>(
    "invalid_request",
    ({ byProfile }) => `code_challenge_method is missing, it must be S256${byProfile}`,
    "OAuth 2.1 §4.1.1",
  ),
  "PK-06": rule("invalid_request", "code_challenge_method was sent without code_challenge"),
  "PK-07": rule<{ readonly challenge: string }>(
    "invalid_request",
    "code_challenge is not an S256 challenge of 43 base64url characters",
    "OAuth 2.1 §4.1.1",
  ),
  "PK-08": rule<{ readonly verifier: string }>(
    "invalid_request",
    "code_verifier is not 43 to 128 unreserved characters",
    "OAuth 2.1 §4.1.1",
  ),
  "PK-09": rule<WrongVerifier>(
    "invalid_grant",
    "code_verifier does not match code_challenge",
    "OAuth 2.1 §4.1.3; RFC 7636 §4.6",
  ),
  "PK-10": rule<{ readonly hasChallenge: boolean }>(
    "invalid_grant",
    ({ hasChallenge }) =>
      hasChallenge
        ? "code_verifier is missing"
        : "code_verifier is missing, and the code was issued without code_challenge",
    "OAuth 2.1 §4.1.3",
  ),
  "PK-11": rule(
    "invalid_grant",
    "code_verifier was sent, but the authorization request had no code_challenge",
    "OAuth 2.1 §3.2.4; RFC 9700 §4.8.2",
  ),
  "PK-14": { source: "RFC 9700 §2.1.1" },
} as const satisfies Readonly<Record<string, Rule>>;
