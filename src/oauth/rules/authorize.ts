/** Rules of the authorization request: parameters, redirect URI, PKCE, response mode. */

import type { Rule } from "./rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const authorizeRules = {
  "AZ-02": {
    passes: "client_id is the id of a registered client",
    fix: "Send client_id once, with the id of a client that is registered here, letter for letter.",
    cites: ["OAuth 2.1 §4.1.2.1"],
  },
  "AZ-06": {
    fix: "Send redirect_uri once.",
    cites: ["OAuth 2.1 §3.1, §4.1.2.1"],
  },
  "AZ-07": {
    passes: "no parameter was sent twice",
    fix: "Send each parameter once; only resource may be repeated.",
    cites: ["OAuth 2.1 §3.1", "RFC 8707 §2"],
  },
  "AZ-09": {
    passes: "response_type asks for a code, and the client is registered for it",
    fix: "Send response_type=code.",
    cites: ["OAuth 2.1 §4.1.1, §4.1.2.1"],
  },
  "AZ-11": {
    fix: "Add authorization_code to the client's grant_types.",
    cites: ["OAuth 2.1 §4.1.2.1"],
  },
  "AZ-13": {
    fix: "Let state be a name for what the client remembers, and not the thing itself.",
    cites: [],
  },
  "AZ-15": {
    fix: "Separate scope values by spaces, and write them in printable ASCII without quotes and backslashes.",
    cites: ["OAuth 2.1 §1.4.1, App. A"],
  },
  "AZ-16": {
    fix: "Send scope, or configure a defaultScope that the client may request.",
    cites: ["OAuth 2.1 §1.4.1"],
  },
  "AZ-17": {
    passes: "scope holds what the server knows and the client may ask for",
    fix: "Ask for less, add the value to the server's scopes, or register it for the client.",
    cites: ["OAuth 2.1 §4.1.2.1", "OpenID Connect Core §3.1.2.1"],
  },
  "AZ-18": {
    fix: "Allow at least one of the requested scope values: on the consent page, or in the approver.",
    cites: ["OAuth 2.1 §1.4.1, §3.2.3"],
  },
  "AZ-19": {
    fix: "Send response_mode=query or form_post, or leave it out.",
    cites: ["OAuth 2.0 Multiple Response Types"],
  },
  "AZ-21": {
    fix: "Somebody said no: take it as an answer, and offer to begin again.",
    cites: ["OAuth 2.1 §4.1.2.1"],
  },
  "AZ-22": {
    fix: "Look at the terminal of the server: it says what failed.",
    cites: ["OAuth 2.1 §4.1.2.1"],
  },
  "RU-01": {
    passes: "redirect_uri is one that the client registered",
    fix: "Send the registered redirect URI character for character, or register the one that was sent.",
    cites: ["OAuth 2.1 §4.1.1", "RFC 9700 §4.1.3", "RFC 3986 §6.2.1"],
  },
  "RU-06": {
    fix: "Send redirect_uri.",
    cites: ["OAuth 2.1 §2.3.2"],
  },
  "RU-07": {
    fix: "Send redirect_uri.",
    cites: ["OAuth 2.1 §2.3.2", "OpenID Connect Core §3.1.2.1"],
  },
  "PK-01": {
    fix:
      "Draw a code_verifier for each login, and send its SHA-256 as code_challenge, with code_challenge_method=S256.",
    cites: ["OAuth 2.1 §4.1.2.1"],
  },
  "PK-02": {
    passes: "no code_challenge came, and this confidential client need not send one",
    fix:
      "Draw a code_verifier for each login, and send its SHA-256 as code_challenge, with code_challenge_method=S256.",
    cites: ["OAuth 2.1 §4.1.2.1, §7.5.1"],
  },
  "PK-04": {
    fix: "Send code_challenge_method=S256, and as code_challenge the SHA-256 of the verifier, not the verifier itself.",
    cites: ["OAuth 2.1 §4.1.2.1"],
  },
  "PK-05": {
    fix: "Send code_challenge_method=S256 beside code_challenge.",
    cites: ["OAuth 2.1 §4.1.1"],
  },
  "PK-06": {
    fix: "Send code_challenge beside code_challenge_method, or neither of them.",
    cites: [],
  },
  "PK-07": {
    passes: "code_challenge is an S256 challenge",
    fix: "Send BASE64URL(SHA-256(code_verifier)): not hexadecimal, not standard base64, without padding.",
    cites: ["OAuth 2.1 §4.1.1"],
  },
  "PK-08": {
    fix: "Draw 32 random bytes and write them as base64url: that makes 43 characters.",
    cites: ["OAuth 2.1 §4.1.1"],
  },
  "PK-09": {
    passes: "the S256 transformation of code_verifier is the code_challenge",
    fix:
      "Keep the code_verifier of each login beside its state: a second tab, a reload or a second call may have replaced it. The challenge is BASE64URL(SHA-256(code_verifier)), of the verifier's text.",
    cites: ["OAuth 2.1 §4.1.3", "RFC 7636 §4.6"],
  },
  "PK-10": {
    fix: "Send the code_verifier whose challenge went with the authorization request.",
    cites: ["OAuth 2.1 §4.1.3"],
  },
  "PK-11": {
    fix: "Send a code_challenge with the authorization request, or no code_verifier with the code.",
    cites: ["OAuth 2.1 §3.2.4", "RFC 9700 §4.8.2"],
  },
  "PK-14": {
    fix: "Draw a code_verifier for each login.",
    cites: ["RFC 9700 §2.1.1"],
  },
  "FP-03": {
    fix: "Send a state without control characters such as line breaks, or use response_mode=query.",
    cites: [],
  },
  "FP-04": {
    fix: "Send the browser to the authorization endpoint at the issuer's address.",
    cites: [],
  },
  "JR-01": {
    fix: "Send the parameters themselves: neither request nor request_uri.",
    cites: ["OpenID Connect Core §6", "RFC 9101 §5"],
  },
} as const satisfies Readonly<Record<string, Rule>>;
