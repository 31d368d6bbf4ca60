/** The scheme of access tokens that are bound to a key (RFC 9449 §7.1). */

import type { BoundScheme } from "../../../core/tokens/bound_token.ts";
import { reject } from "./rules.ts";

/** `Authorization: DPoP TOKEN`. */
export const dpopScheme: BoundScheme = {
  name: "DPoP",
  rule: "DO-09",
  reject: (facts) => reject("DO-09", facts),
};

/** The header with the nonce for the next proof (RFC 9449 §8.2). */
export function nonceHeader(nonce: string): Readonly<Record<string, string>> {
  return { "dpop-nonce": nonce };
}
