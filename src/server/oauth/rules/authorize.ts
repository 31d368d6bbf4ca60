/** Rules of the authorization request: parameters, redirect URI, PKCE, response mode. */

import type { Rule } from "./rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const authorizeRules = {
  "AZ-02": {
    passes: "client_id names a registered client",
    fix: "Send client_id once, exactly as it is registered.",
    cites: ["OAuth 2.1 §4.1.2.1"],
  },
  "AZ-06": {
    fix: "Send redirect_uri once.",
    cites: ["OAuth 2.1 §3.1, §4.1.2.1"],
  },
  "AZ-07": {
    passes: "no parameter is repeated",
    fix: "Send each parameter once; only resource may be repeated.",
    cites: ["OAuth 2.1 §3.1", "RFC 8707 §2"],
  },
  "AZ-09": {
    passes: "response_type is code, and the client is registered for it",
    fix: "Send response_type=code, and exchange the code at the token endpoint. OAuth 2.1 has no implicit grant.",
    cites: ["OAuth 2.1 §4.1.1, §4.1.2.1"],
  },
  "AZ-11": {
    fix: "Add authorization_code to the client's grant_types.",
    cites: ["OAuth 2.1 §4.1.2.1"],
  },
  "AZ-13": {
    fix: "Store the data in the client and send a short random state that refers to it.",
    cites: [],
  },
  "AZ-15": {
    fix: "Separate scope values by spaces. Use printable ASCII without quotes and backslashes.",
    cites: ["OAuth 2.1 §1.4.1, App. A"],
  },
  "AZ-16": {
    fix: "Send scope, or configure a defaultScope that the client may request.",
    cites: ["OAuth 2.1 §1.4.1"],
  },
  "AZ-17": {
    passes: "the server knows every scope value, and the client may request it",
    fix: "Remove the value from scope, add it to the server's scopes, or register it for the client.",
    cites: ["OAuth 2.1 §4.1.2.1", "OpenID Connect Core §3.1.2.1"],
  },
  "AZ-18": {
    fix: "Allow at least one of the requested scope values: on the consent page, or in the approver.",
    cites: ["OAuth 2.1 §1.4.1, §3.2.3"],
  },
  "AZ-19": {
    fix:
      "Send a response_mode that the metadata lists and the client may use; the default is query. To accept others, add them to the setting responseModes.",
    cites: ["OAuth 2.0 Multiple Response Types"],
  },
  "AZ-21": {
    fix: "The user or the approver denied the request. Handle access_denied and offer a new login.",
    cites: ["OAuth 2.1 §4.1.2.1"],
  },
  "AZ-22": {
    fix: "Read the cause in the server's log.",
    cites: ["OAuth 2.1 §4.1.2.1"],
  },
  "JR-01": {
    fix:
      "Send the parameters themselves, or push them (RFC 9126). To sign them, register the public keys of the client " +
      "as jwks or jwks_uri, and send the JWT as request.",
    cites: ["OpenID Connect Core §6", "RFC 9101 §5"],
  },
  "RU-01": {
    passes: "redirect_uri is registered for the client",
    fix: "Send a registered redirect URI, character for character, or register the URI that was sent.",
    cites: ["OAuth 2.1 §4.1.1", "RFC 9700 §4.1.3", "RFC 3986 §6.2.1"],
  },
  "RU-06": {
    fix: "Send redirect_uri, or register only one URI.",
    cites: ["OAuth 2.1 §2.3.2"],
  },
  "RU-07": {
    fix: "Send redirect_uri.",
    cites: ["OAuth 2.1 §2.3.2", "OpenID Connect Core §3.1.2.1"],
  },
  "RU-11": {
    fix: "Write it as com.example.app:/callback. This server accepts it on a test host only, many others nowhere.",
    cites: ["OAuth 2.1 §2.3.1", "RFC 8252 §7.1, §8.4"],
  },
  "PK-01": {
    fix:
      "Generate a code_verifier for each login. Send its SHA-256 digest as code_challenge, with code_challenge_method=S256.",
    cites: ["OAuth 2.1 §4.1.2.1"],
  },
  "PK-02": {
    passes: "no code_challenge, which is optional for this confidential client",
    fix:
      "Generate a code_verifier for each login. Send its SHA-256 digest as code_challenge, with code_challenge_method=S256.",
    cites: ["OAuth 2.1 §4.1.2.1, §7.5.1"],
  },
  "PK-04": {
    fix:
      "Send code_challenge_method=S256, and as code_challenge the SHA-256 digest of the verifier, not the verifier itself.",
    cites: ["OAuth 2.1 §4.1.2.1"],
  },
  "PK-05": {
    fix: "Send code_challenge_method=S256 with code_challenge.",
    cites: ["OAuth 2.1 §4.1.1"],
  },
  "PK-06": {
    fix: "Send code_challenge with code_challenge_method, or neither.",
    cites: [],
  },
  "PK-07": {
    passes: "code_challenge is an S256 challenge",
    fix: "Send BASE64URL(SHA-256(code_verifier)): not hexadecimal, not standard base64, without padding.",
    cites: ["OAuth 2.1 §4.1.1"],
  },
  "PK-08": {
    fix: "Encode 32 random bytes as base64url, which gives 43 characters.",
    cites: ["OAuth 2.1 §4.1.1"],
  },
  "PK-09": {
    passes: "code_verifier matches the code_challenge",
    fix:
      "Store the code_verifier of each login with its state: a second tab, a reload or a second call may have replaced it.",
    cites: ["OAuth 2.1 §4.1.3", "RFC 7636 §4.6"],
  },
  "PK-10": {
    fix: "Send the code_verifier of the code_challenge in the authorization request.",
    cites: ["OAuth 2.1 §4.1.3"],
  },
  "PK-11": {
    fix: "Send a code_challenge with the authorization request, or no code_verifier with the code.",
    cites: ["OAuth 2.1 §3.2.4", "RFC 9700 §4.8.2"],
  },
  "PK-14": {
    fix: "Generate a new code_verifier for each login.",
    cites: ["RFC 9700 §2.1.1"],
  },
  "MC-02": {
    fix:
      "Send resource with the URI of the MCP server, as its metadata names it, in the authorization request and in the token request.",
    cites: ["MCP authorization", "RFC 8707 §2"],
  },
  "FP-03": {
    fix: "Send a state without control characters such as line breaks, or use response_mode=query.",
    cites: [],
  },
  "FP-04": {
    fix: "Send the browser to the authorization endpoint at the issuer's address.",
    cites: [],
  },
} as const satisfies Readonly<Record<string, Rule>>;
