/** Texts of the rules of DPoP (RFC 9449). */

import { describeBoundToken } from "../../explain/missing_token.ts";
import type { RejectionTexts, RuleTexts } from "../../explain/rule_text.ts";
import type { KeyProblem } from "../../oauth/tokens/bound_token.ts";
import type { dpopRules, WrongKey } from "./rules.ts";

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
    explain: explainWrongKey,
  },
  "DO-08": {
    fix:
      "Send in dpop_jkt the thumbprint of the key (RFC 7638, SHA-256) that signs the DPoP proof of the token request.",
    explain: (facts) =>
      "name" in facts ? explainWrongKey(facts) : facts.provenKey === undefined
        ? {
          expected: "the SHA-256 thumbprint of a public key: 43 characters of base64url",
          received: `${facts.thumbprint.length} characters`,
        }
        : { expected: facts.provenKey, received: facts.thumbprint },
  },
  "DO-09": {
    passes: "the access token is bound to the key of the DPoP proof",
    fix:
      "Send a token of token_type DPoP as Authorization: DPoP TOKEN, with a proof signed by the key of the token request. Its ath is the digest of the token.",
    explain: explainKeyProblem,
  },
} as const satisfies RuleTexts<typeof dpopRules>;

function explainWrongKey({ name, expectedKey, provenKey }: WrongKey): RejectionTexts {
  const expected = `a DPoP proof signed by the key ${expectedKey}`;
  if (provenKey === undefined) return { expected, received: "no header DPoP" };
  const reason = `the ${name} is bound to a different key, which did not sign the DPoP proof`;
  return { reason, expected, received: `a proof by the key ${provenKey}` };
}

function explainKeyProblem(facts: KeyProblem): RejectionTexts {
  switch (facts.problem) {
    case "two schemes":
      return { expected: "Authorization: Bearer TOKEN or Authorization: DPoP TOKEN", received: "both" };
    case "unbound token":
      return { expected: "a token of token_type DPoP", received: "a bearer token" };
    case "no proof":
      return { expected: describeBoundToken("DPoP"), received: "a bound token as a bearer token" };
    case "no proofs accepted":
      return {
        expected: "a token without cnf",
        received: "a token with cnf",
        fix: "Add dpop: dpopProofs() to the resource, or let the client request tokens without a DPoP proof.",
      };
    case "another key":
      return {
        expected: `a token that is bound to the key ${facts.provenKey}`,
        received: facts.isBound ? "a token that is bound to another key" : "a bearer token",
      };
  }
}
