/** Rules of DPoP (RFC 9449). */

import type { ExtensionErrorCode } from "../../oauth/rules/error_code.ts";
import { rejectBy } from "../../oauth/reject.ts";
import { type Rule, rule } from "../../oauth/rules/rule.ts";
import type { KeyProblem } from "../../oauth/tokens/bound_token.ts";

/** RFC 9449 §5; at a protected resource, the status is 401. */
export const invalidDpopProof = "invalid_dpop_proof" as ExtensionErrorCode;

const keyProblems: Readonly<Record<KeyProblem["problem"], string>> = {
  "two schemes": "access tokens were sent with two schemes",
  "unbound token": "the access token is not bound to a key",
  "no proof": "the access token is bound to a key, and was sent without proof",
  "no proofs accepted": "the access token is bound to a key, and this resource accepts no proofs",
  "another key": "the access token is not bound to the key of the DPoP proof",
};

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
  "DO-01": { cites: ["RFC 9449 §4.2, §4.3, §5.1"] },
  "DO-02": { cites: ["RFC 9449 §4.2, §4.3"] },
  "DO-03": { cites: ["RFC 9449 §4.3, §11.1"] },
  "DO-04": { cites: ["RFC 9449 §11.1"] },
  "DO-05": { cites: ["RFC 9449 §8, §9"] },
  "DO-06": { cites: ["RFC 9449 §5, §5.2, §6"] },
  "DO-07": rule<WrongKey>({ code: invalidDpopProof, message: missingProof, cites: ["RFC 9449 §5"] }),
  "DO-08": rule<WrongKey | WrongThumbprint>({
    code: (facts) => "thumbprint" in facts && facts.provenKey === undefined ? "invalid_request" : invalidDpopProof,
    message: (facts) =>
      "name" in facts
        ? missingProof(facts)
        : facts.provenKey === undefined
        ? "dpop_jkt is not the thumbprint of a key"
        : "dpop_jkt is not the thumbprint of the key of the DPoP proof",
    cites: ["RFC 9449 §10, §10.1"],
  }),
  "DO-09": rule<KeyProblem>({
    code: ({ problem }) => problem === "two schemes" ? "invalid_request" : "invalid_token",
    message: ({ problem }) => keyProblems[problem],
    cites: ["RFC 9449 §4.3, §7.1, §7.2"],
  }),
} as const satisfies Readonly<Record<string, Rule>>;

/** Creates the error of a rule of DPoP. */
export const reject = rejectBy(dpopRules);
