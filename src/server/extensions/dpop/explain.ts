/** Texts of the rules of DPoP (RFC 9449). */

import type { RuleTexts } from "../../explain/rule_text.ts";
import type { dpopRules } from "./rules.ts";

/** By ID, in the order of `tests/rules.md`. */
export const dpopTexts = {
  "DO-01": {
    passes: "the DPoP proof is signed by the key in its header",
    fix:
      "Send one header DPoP with a JWT of typ dpop+jwt, signed by the private key whose public key is in its header jwk.",
  },
  "DO-02": {
    passes: "the DPoP proof is for this request",
    fix:
      "Create a proof for each request: htm is its method, htu its URL without query and fragment, jti a random text.",
  },
  "DO-03": {
    passes: "the DPoP proof is recent",
    fix: "Create a proof for each request, and compare the clock of the client with the clock of this server.",
  },
  "DO-04": {
    passes: "the DPoP proof was not used before",
    fix: "Create a proof with a new random jti for each request, even when the client repeats a request.",
  },
  "DO-05": {
    fix:
      "Repeat the request with a new proof whose nonce is the value of the header DPoP-Nonce. Use this nonce until a response has another.",
  },
  "DO-06": {
    fix:
      "Send a DPoP proof with each token request: the client or this server requires tokens that are bound to a key.",
  },
  "DO-07": {
    fix:
      "Refresh with a DPoP proof signed by the key of the login. A public client that lost its key must start a new login.",
  },
  "DO-08": {
    fix:
      "Send in dpop_jkt the thumbprint of the key (RFC 7638, SHA-256) that signs the DPoP proof of the token request.",
  },
  "DO-09": {
    passes: "the access token is bound to the key of the DPoP proof",
    fix:
      "Send a token of token_type DPoP as Authorization: DPoP TOKEN, with a proof signed by the key of the token request. Its ath is the digest of the token.",
  },
} as const satisfies RuleTexts<typeof dpopRules>;
