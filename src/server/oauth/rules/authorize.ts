/** Rules of the authorization request: parameters, redirect URI, PKCE, response mode. */

import { type Rule, rule } from "./rule.ts";

/** The end of a sentence about a setting that a profile decides: `, by the profile X`; otherwise empty. */
export interface ByProfile {
  readonly byProfile: string;
}

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
export const authorizeRules = {
  "AZ-02": { cites: ["OAuth 2.1 §4.1.2.1"] },
  "AZ-06": { cites: ["OAuth 2.1 §3.1, §4.1.2.1"] },
  "AZ-07": { cites: ["OAuth 2.1 §3.1", "RFC 8707 §2"] },
  "AZ-09": { cites: ["OAuth 2.1 §4.1.1, §4.1.2.1"] },
  "AZ-11": { cites: ["OAuth 2.1 §4.1.2.1"] },
  "AZ-13": { cites: [] },
  "AZ-15": { cites: ["OAuth 2.1 §1.4.1, App. A"] },
  "AZ-16": { cites: ["OAuth 2.1 §1.4.1"] },
  "AZ-17": { cites: ["OAuth 2.1 §4.1.2.1", "OpenID Connect Core §3.1.2.1"] },
  "AZ-18": { cites: ["OAuth 2.1 §1.4.1, §3.2.3"] },
  "AZ-19": { cites: ["OAuth 2.0 Multiple Response Types"] },
  "AZ-21": { cites: ["OAuth 2.1 §4.1.2.1"] },
  "AZ-22": { cites: ["OAuth 2.1 §4.1.2.1"] },
  "JR-01": { cites: ["OpenID Connect Core §6", "RFC 9101 §5"] },
  "RU-01": { cites: ["OAuth 2.1 §4.1.1", "RFC 9700 §4.1.3", "RFC 3986 §6.2.1"] },
  "RU-06": { cites: ["OAuth 2.1 §2.3.2"] },
  "RU-07": { cites: ["OAuth 2.1 §2.3.2", "OpenID Connect Core §3.1.2.1"] },
  "RU-11": { cites: ["OAuth 2.1 §2.3.1", "RFC 8252 §7.1, §8.4"] },
  "PK-01": rule<MissingChallenge>({
    code: "invalid_request",
    message: missingChallenge,
    cites: ["OAuth 2.1 §4.1.2.1"],
  }),
  "PK-02": rule<MissingChallenge>({
    code: "invalid_request",
    message: missingChallenge,
    cites: ["OAuth 2.1 §4.1.2.1, §7.5.1"],
  }),
  "PK-04": rule<{ readonly method: string }>({
    code: "invalid_request",
    message: "code_challenge_method is not supported, only S256 is",
    cites: ["OAuth 2.1 §4.1.2.1"],
  }),
  "PK-05": rule<ByProfile>({
    code: "invalid_request",
    message: ({ byProfile }) => `code_challenge_method is missing, it must be S256${byProfile}`,
    cites: ["OAuth 2.1 §4.1.1"],
  }),
  "PK-06": rule({
    code: "invalid_request",
    message: "code_challenge_method was sent without code_challenge",
    cites: [],
  }),
  "PK-07": rule<{ readonly challenge: string }>({
    code: "invalid_request",
    message: "code_challenge is not an S256 challenge of 43 base64url characters",
    cites: ["OAuth 2.1 §4.1.1"],
  }),
  "PK-08": rule<{ readonly verifier: string }>({
    code: "invalid_request",
    message: "code_verifier is not 43 to 128 unreserved characters",
    cites: ["OAuth 2.1 §4.1.1"],
  }),
  "PK-09": rule<WrongVerifier>({
    code: "invalid_grant",
    message: "code_verifier does not match code_challenge",
    cites: ["OAuth 2.1 §4.1.3", "RFC 7636 §4.6"],
  }),
  "PK-10": rule<{ readonly hasChallenge: boolean }>({
    code: "invalid_grant",
    message: ({ hasChallenge }) =>
      hasChallenge
        ? "code_verifier is missing"
        : "code_verifier is missing, and the code was issued without code_challenge",
    cites: ["OAuth 2.1 §4.1.3"],
  }),
  "PK-11": rule({
    code: "invalid_grant",
    message: "code_verifier was sent, but the authorization request had no code_challenge",
    cites: ["OAuth 2.1 §3.2.4", "RFC 9700 §4.8.2"],
  }),
  "PK-14": { cites: ["RFC 9700 §2.1.1"] },
  "MC-02": { cites: ["MCP authorization", "RFC 8707 §2"] },
  "FP-03": { cites: [] },
  "FP-04": { cites: [] },
} as const satisfies Readonly<Record<string, Rule>>;
