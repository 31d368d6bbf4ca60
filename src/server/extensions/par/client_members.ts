import { type Fields, flag } from "../../config/field.ts";
import { open } from "../../config/client_fields.ts";

/** Client metadata of pushed requests. */
export interface PushedRequestClientMembers {
  /** Reject authorization requests that the client has not pushed (RFC 9126 §6). Default: false. */
  readonly require_pushed_authorization_requests?: boolean;
}

/** Describes {@link PushedRequestClientMembers}. */
export const pushedRequestClientFields: Fields<PushedRequestClientMembers> = {
  require_pushed_authorization_requests: { ...open(flag(false)), isDemand: true },
};
