/** Rules of DPoP (RFC 9449). */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const dpopRules = {
  "DO-01": {
    passes: "the DPoP proof is signed by the key in its header",
    fix:
      "Send one header DPoP with a JWT of typ dpop+jwt, signed by the private key whose public key is in its header jwk.",
    cites: ["RFC 9449 §4.2, §4.3, §5.1"],
  },
  "DO-02": {
    passes: "the DPoP proof is for this request",
    fix:
      "Create a proof for each request: htm is its method, htu its URL without query and fragment, jti a random text.",
    cites: ["RFC 9449 §4.2, §4.3"],
  },
  "DO-03": {
    passes: "the DPoP proof is recent",
    fix: "Create a proof for each request, and compare the clock of the client with the clock of this server.",
    cites: ["RFC 9449 §4.3, §11.1"],
  },
  "DO-04": {
    passes: "the DPoP proof was not used before",
    fix: "Create a proof with a new random jti for each request, even when the client repeats a request.",
    cites: ["RFC 9449 §11.1"],
  },
  "DO-05": {
    fix:
      "Repeat the request with a new proof whose nonce is the value of the header DPoP-Nonce. Use this nonce until a response has another.",
    cites: ["RFC 9449 §8, §9"],
  },
  "DO-06": {
    fix:
      "Send a DPoP proof with each token request: the client or this server requires tokens that are bound to a key.",
    cites: ["RFC 9449 §5, §5.2, §6"],
  },
  "DO-07": {
    fix:
      "Refresh with a DPoP proof signed by the key of the login. A public client that lost its key must start a new login.",
    cites: ["RFC 9449 §5"],
  },
  "DO-08": {
    fix:
      "Send in dpop_jkt the thumbprint of the key (RFC 7638, SHA-256) that signs the DPoP proof of the token request.",
    cites: ["RFC 9449 §10, §10.1"],
  },
  "DO-09": {
    passes: "the access token is bound to the key of the DPoP proof",
    fix:
      "Send a token of token_type DPoP as Authorization: DPoP TOKEN, with a proof signed by the key of the token request. Its ath is the digest of the token.",
    cites: ["RFC 9449 §4.3, §7.1, §7.2"],
  },
} as const satisfies Readonly<Record<string, Rule>>;
