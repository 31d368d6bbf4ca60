/** Rules of DPoP (RFC 9449). */

import { type ExtensionErrorCode, type Rule, rule } from "../../../core/rules/rule.ts";
import type { ByProfile } from "../../config/server_policy.ts";
import type { JwtProblem } from "../../../platform/jwt/jwt_policies.ts";
import { rejectBy } from "../../../core/rules/reject.ts";

/** RFC 9449 §5; at a protected resource, the status is 401. */
const invalidDpopProof = "invalid_dpop_proof" as ExtensionErrorCode;
/** RFC 9449 §8. */
const useDpopNonce = "use_dpop_nonce" as ExtensionErrorCode;

/** Facts about a request whose access token is sent with two schemes, or not with the proof that it needs. */
export type KeyProblem =
  | { readonly problem: "two schemes" | "unbound token" | "no proof" | "no proofs accepted" }
  | {
    readonly problem: "another key";
    /** The thumbprint of the key of the proof. */
    readonly provenKey: string;
    readonly isBound: boolean;
  };

const keyProblems: Readonly<Record<KeyProblem["problem"], string>> = {
  "two schemes": "access tokens were sent with two schemes",
  "unbound token": "the access token is not bound to a key",
  "no proof": "the access token is bound to a key, and was sent without proof",
  "no proofs accepted": "the access token is bound to a key, and this resource accepts no proofs",
  "another key": "the access token is not bound to the key of the DPoP proof",
};

/** Facts about a header that is not one JWT signed by the key in it. */
export type MalformedProof =
  | { readonly problem: "form"; readonly maxLength: number; readonly length: number; readonly isSeveral: boolean }
  | { readonly problem: "header" | "claims" }
  | { readonly problem: "typ"; readonly expected: string; readonly received: string }
  | ({ readonly problem: "alg"; readonly algorithms: readonly string[]; readonly received: string } & ByProfile)
  /** `received`: the JSON type of `jwk`. */
  | { readonly problem: "no key"; readonly received: string }
  | { readonly problem: "private key"; readonly member: string }
  | { readonly problem: "key"; readonly alg: string; readonly fault: string }
  | { readonly problem: "signature"; readonly failure: string };

function describeMalformed(facts: MalformedProof): string {
  switch (facts.problem) {
    case "form":
      return "the header DPoP is not one signed JWT";
    case "header":
      return "the header of the DPoP proof is not a JSON object";
    case "claims":
      return "the DPoP proof has no claims";
    case "typ":
      return "the DPoP proof has another typ";
    case "alg":
      return `alg of the DPoP proof is not supported${facts.byProfile}`;
    case "no key":
      return "the DPoP proof has no public key";
    case "private key":
      return "jwk of the DPoP proof is not a public key";
    case "key":
      return "jwk of the DPoP proof is not a key for its alg";
    case "signature":
      return "the DPoP proof has no valid signature";
  }
}

/** Facts about a proof whose claims are malformed, or for another request. */
export type ProofOfOtherRequest =
  | { readonly problem: "jti"; readonly maxLength: number; readonly received: string }
  | { readonly problem: "no iat" }
  | { readonly problem: "time type"; readonly claim: string; readonly expected: string; readonly received: string }
  | { readonly problem: "method"; readonly expected: string; readonly received: string }
  | { readonly problem: "URL"; readonly expected: readonly string[]; readonly received: string };

function describeOtherRequest(facts: ProofOfOtherRequest): string {
  switch (facts.problem) {
    case "jti":
      return "the DPoP proof has no jti";
    case "no iat":
      return "the DPoP proof has no iat";
    case "time type":
      return `${facts.claim} of the DPoP proof is not a number`;
    case "method":
      return "htm of the DPoP proof is another method";
    case "URL":
      return "htu of the DPoP proof is another URL";
  }
}

/** Facts about a proof that is not valid now. Times are in seconds since the epoch. */
export type UntimelyProof =
  | { readonly time: JwtProblem }
  | { readonly maxAgeSeconds: number; readonly now: number; readonly iat: number };

/** Facts about a proof without the digest of the access token. */
export interface WrongDigest {
  readonly problem: "digest";
  readonly isMissing: boolean;
}

/** Facts about a code or refresh token that is bound to another key. */
export interface WrongKey {
  readonly name: string;
  readonly expectedKey: string;
  /** The key that the request proves; absent without a proof. */
  readonly provenKey?: string;
}

/** Facts about a `dpop_jkt` that is no thumbprint, or not of the key of the proof. */
export interface WrongThumbprint {
  readonly thumbprint: string;
  /** The key that the request proves; absent if `dpop_jkt` is no thumbprint. */
  readonly provenKey?: string;
}

const missingProof = ({ name }: WrongKey) => `the ${name} is bound to a key, and the request has no DPoP proof`;

/** By ID, in the order of `tests/rules.md`. */
export const dpopRules = {
  "DO-01": rule<MalformedProof>(invalidDpopProof, describeMalformed, "RFC 9449 §4.2, §4.3, §5.1"),
  "DO-02": rule<ProofOfOtherRequest>(invalidDpopProof, describeOtherRequest, "RFC 9449 §4.2, §4.3"),
  "DO-03": rule<UntimelyProof>(
    invalidDpopProof,
    (facts) =>
      "time" in facts ? `the DPoP proof is not valid at this time: ${facts.time.reason}` : "the DPoP proof is too old",
    "RFC 9449 §4.3, §11.1",
  ),
  "DO-04": rule(invalidDpopProof, "the DPoP proof was used before", "RFC 9449 §11.1"),
  "DO-05": rule<{ readonly hasNonce: boolean }>(
    useDpopNonce,
    "the DPoP proof needs the nonce of the header DPoP-Nonce",
    "RFC 9449 §8, §9",
  ),
  "DO-06": rule<ByProfile>(
    invalidDpopProof,
    ({ byProfile }) => `a DPoP proof is required${byProfile}`,
    "RFC 9449 §5, §5.2, §6",
  ),
  "DO-07": rule<WrongKey>(invalidDpopProof, missingProof, "RFC 9449 §5"),
  "DO-08": rule<WrongKey | WrongThumbprint>(
    (facts) => "thumbprint" in facts && facts.provenKey === undefined ? "invalid_request" : invalidDpopProof,
    (facts) =>
      "name" in facts
        ? missingProof(facts)
        : facts.provenKey === undefined
        ? "dpop_jkt is not the thumbprint of a key"
        : "dpop_jkt is not the thumbprint of the key of the DPoP proof",
    "RFC 9449 §10, §10.1",
  ),
  "DO-09": rule<KeyProblem | WrongDigest>(
    ({ problem }) =>
      problem === "digest" ? invalidDpopProof : problem === "two schemes" ? "invalid_request" : "invalid_token",
    ({ problem }) =>
      problem === "digest" ? "ath of the DPoP proof is not the digest of the access token" : keyProblems[problem],
    "RFC 9449 §4.3, §7.1, §7.2",
  ),
} as const satisfies Readonly<Record<string, Rule>>;

/** Creates the error of a rule of DPoP. */
export const reject = rejectBy(dpopRules);
