/** Texts of the rules of DPoP (RFC 9449). */

import { describeBoundToken } from "../../explain/missing_token.ts";
import type { RejectionTexts, RuleTexts } from "../../explain/rule_text.ts";
import { quote } from "../../config/config_issue.ts";
import { describeKeyFor } from "../../../core/keys/key_faults.ts";
import { formatClaimTime } from "../../../platform/jwt/jwt_policies.ts";
import type { dpopRules, KeyProblem, MalformedProof, ProofOfOtherRequest, WrongKey } from "./rules.ts";

/** By ID, in the order of `tests/rules.md`. */
export const dpopTexts = {
  "DO-01": {
    passes: "the DPoP proof is signed by the key in its header",
    fix:
      "Send one header DPoP with a JWT of typ dpop+jwt, signed by the private key whose public key is in its header jwk.",
    explain: explainMalformed,
  },
  "DO-02": {
    passes: "the DPoP proof is for this request",
    fix:
      "Create a proof for each request: htm is its method, htu its URL without query and fragment, jti a random text.",
    explain: explainOtherRequest,
  },
  "DO-03": {
    passes: "the DPoP proof is recent",
    fix: "Create a proof for each request, and compare the clock of the client with the clock of this server.",
    explain: (facts) => {
      if ("time" in facts) return { expected: facts.time.expected, received: facts.time.received };
      const now = formatClaimTime(facts.now);
      return {
        expected: `iat at most ${facts.maxAgeSeconds} seconds ago; the time of this server is ${now}`,
        received: formatClaimTime(facts.iat),
      };
    },
  },
  "DO-04": {
    passes: "the DPoP proof was not used before",
    fix: "Create a proof with a new random jti for each request, even when the client repeats a request.",
    explain: () => ({ expected: "a new jti for each request", received: "a repeated jti" }),
  },
  "DO-05": {
    fix:
      "Repeat the request with a new proof whose nonce is the value of the header DPoP-Nonce. Use this nonce until a response has another.",
    explain: ({ hasNonce }) => ({
      expected: "nonce of a recent DPoP-Nonce header of this endpoint",
      received: hasNonce ? "another nonce, or one that has expired" : "no nonce",
    }),
  },
  "DO-06": {
    fix:
      "Send a DPoP proof with each token request: the client or this server requires tokens that are bound to a key.",
    explain: () => ({ expected: "the header DPoP", received: "no such header" }),
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
    explain: (facts) =>
      facts.problem === "digest"
        ? {
          expected: "ath: the SHA-256 digest of the access token, as base64url",
          received: facts.isMissing ? "no ath" : "another value",
        }
        : explainKeyProblem(facts),
  },
} as const satisfies RuleTexts<typeof dpopRules>;

function explainMalformed(facts: MalformedProof): RejectionTexts {
  switch (facts.problem) {
    case "form":
      return {
        expected: `one JWT of at most ${facts.maxLength} characters, in canonical base64url`,
        received: facts.isSeveral ? "several values" : `${facts.length} characters`,
      };
    case "header":
      return { expected: "a JSON object", received: "another header" };
    case "claims":
      return { expected: "a JSON object", received: "other JSON" };
    case "typ":
      return { expected: facts.expected, received: facts.received };
    case "alg":
      return { expected: facts.algorithms.join(" or "), received: facts.received };
    case "no key":
      return { expected: "jwk: a public key", received: facts.received };
    case "private key":
      return { expected: "a public key", received: `a key with the member ${quote(facts.member)}` };
    case "key":
      return {
        expected: `a public ${describeKeyFor(facts.alg)}`,
        received: facts.fault,
        fix: "Send another public key as jwk, and sign the proof with its private key.",
      };
    case "signature":
      return { expected: "a signature by the key in jwk", received: facts.failure };
  }
}

function explainOtherRequest(facts: ProofOfOtherRequest): RejectionTexts {
  switch (facts.problem) {
    case "jti":
      return {
        expected: `jti: a string of 1 to ${facts.maxLength} characters, unique for each proof`,
        received: facts.received,
      };
    case "no iat":
      return { expected: "iat in seconds since 1970", received: "no iat" };
    case "time type":
      return { expected: facts.expected, received: facts.received };
    case "method":
      return { expected: `htm = ${facts.expected}`, received: facts.received };
    case "URL":
      return { expected: `htu = ${facts.expected.join(" or ")}`, received: facts.received };
  }
}

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
