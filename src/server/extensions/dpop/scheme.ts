/** The scheme of access tokens that are bound to a key (RFC 9449 §7.1), and the error of invalid proofs. */

import type { ExtensionErrorCode } from "../../oauth/rules/error_code.ts";
import type { BoundScheme } from "../../oauth/tokens/bound_token.ts";

/** `Authorization: DPoP TOKEN`. */
export const dpopScheme: BoundScheme = { name: "DPoP", rule: "DO-09" };

/** RFC 9449 §5; at a protected resource, the status is 401. */
export const invalidDpopProof = "invalid_dpop_proof" as ExtensionErrorCode;

/** The header with the nonce for the next proof (RFC 9449 §8.2). */
export function nonceHeader(nonce: string): Readonly<Record<string, string>> {
  return { "dpop-nonce": nonce };
}
