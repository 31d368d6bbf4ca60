import { type Fields, flag } from "../../config/field.ts";
import { open } from "../../config/client_fields.ts";

/** Client metadata of DPoP. */
export interface DpopClientMembers {
  /**
   * Reject token requests without a DPoP proof: each access token is bound to a key (RFC 9449 §5.2). Default: false.
   */
  readonly dpop_bound_access_tokens?: boolean;
}

/** Describes {@link DpopClientMembers}. */
export const dpopClientFields: Fields<DpopClientMembers> = {
  dpop_bound_access_tokens: { ...open(flag(false)), isDemand: true },
};
