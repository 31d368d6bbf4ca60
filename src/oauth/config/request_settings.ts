/** Settings of the form of authorization requests and responses. */

import { type ResponseMode, responseModeNames } from "../authorize/response_mode.ts";
import { choice, type Fields, flag, list } from "./field.ts";

/** Settings of the form of authorization requests and responses. */
export interface RequestSettings {
  /**
   * Whether every authorization request must be pushed to the server first (RFC 9126 §5). Default: false; a client may
   * demand it for itself with `require_pushed_authorization_requests`.
   */
  readonly requirePushedAuthorizationRequests?: boolean;
  /**
   * Whether every authorization request must be signed by the client (RFC 9101 §10.5). Default: false; a client may
   * demand it for itself with `require_signed_request_object`.
   */
  readonly requireSignedRequestObject?: boolean;
  /**
   * `required`: a signed authorization request must have `nbf`, at most an hour ago, and `exp`, at most an hour after
   * it (FAPI 2.0 Message Signing §5.3.1). Default: `optional`.
   */
  readonly requestObjectTimes?: "optional" | "required";
  /**
   * The accepted values of `response_mode`. In the modes with `jwt`, authorization responses are signed (JARM); `jwt`
   * alone means `query.jwt`. Without `query`, every request must name a mode. Default: `query form_post`.
   */
  readonly responseModes?: readonly ResponseMode[];
}

/** The description of {@link RequestSettings}. */
export const requestFields = {
  requirePushedAuthorizationRequests: flag(false),
  requireSignedRequestObject: flag(false),
  requestObjectTimes: choice(["optional", "required"], { default: "optional" }),
  responseModes: list(choice(responseModeNames), [["query", "jwt"]], {
    min: 1,
    expected: "an array of response modes, at least one",
    default: ["query", "form_post"],
  }),
} satisfies Fields<RequestSettings>;
