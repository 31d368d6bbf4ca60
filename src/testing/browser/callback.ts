/** The end of a login in a browser. */

import type { AuthorizationResponse } from "../../client/callback.ts";
import type { Explanation } from "../../core/rules/errors.ts";
import type { InternalError } from "../internal_error.ts";

/** @internal The authorization response that a redirect URI received. */
export interface Callback extends AuthorizationResponse {
  /**
   * The URL with the query, a string like `Response.url`. For a client library that takes a URL, such as openid-client:
   * `new URL(callback.url)`.
   */
  readonly url: string;
  /** `POST` for `response_mode=form_post` and `form_post.jwt`. */
  readonly method: "GET" | "POST";
  /** Why the request was rejected, if the server explains it. */
  readonly explanation?: Explanation;
  /** The unexpected error inside the server, if that is the reason. */
  readonly internalError?: InternalError;
}
