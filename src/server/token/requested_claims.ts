/** Claims that clients request by name (OpenID Connect Core §5.5), in requests and grants. */

import { type Slot, slot } from "../../core/slot.ts";

/** Names of requested claims, by the place where they are returned. */
export interface RequestedClaims {
  readonly userinfo: readonly string[];
  readonly id_token: readonly string[];
  /**
   * The requested values by place and claim name; a claim is released only if it has one of them. Absent if no values
   * were requested (§5.5.1).
   */
  readonly values?: {
    readonly userinfo: Readonly<Record<string, readonly unknown[]>>;
    readonly id_token: Readonly<Record<string, readonly unknown[]>>;
  };
}

/** The claims that a request names, and those of them that a grant contains. */
export const namedClaims: Slot<RequestedClaims> = slot("requested_claims");
