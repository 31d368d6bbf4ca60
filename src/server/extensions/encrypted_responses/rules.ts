/** Rules of encrypted responses (OpenID Connect Core §10.2). */

import { rejectBy } from "../../../core/rules/reject.ts";
import { type Rule, rule } from "../../../core/rules/rule.ts";
import type { KeyFailure } from "../../fetching/client_keys.ts";
import type { KeyManagementAlgorithm } from "./settings.ts";

/** A client without a key for the encryption of a response. */
export interface NoEncryptionKey {
  readonly clientId: string;
  readonly alg: KeyManagementAlgorithm;
  readonly keys: number;
  readonly maxTried: number;
}

/** Keys that were not fetched. */
export type UnfetchedKeys = Omit<KeyFailure, "detailsInTraceOnly">;

/** By ID, in the order of `tests/rules.md`. */
export const encryptedResponseRules = {
  "EN-01": { source: "OpenID Connect Core §2, §10.2; OpenID Connect Registration §2; RFC 7519 §5.2" },
  "EN-05": rule<NoEncryptionKey | UnfetchedKeys>(
    (facts) => "alg" in facts ? "invalid_client_metadata" : "temporarily_unavailable",
    (facts) =>
      "alg" in facts
        ? "the client has no key for the encryption of the response"
        : "the keys of the client cannot be fetched",
  ),
} as const satisfies Readonly<Record<string, Rule>>;

/** Creates the error of a rule of encrypted responses. */
export const reject = rejectBy(encryptedResponseRules);
