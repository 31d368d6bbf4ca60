/** The end of a login in a browser. */

import type { Explanation } from "../../oauth/trace.ts";
import type { InternalError } from "../internal_error.ts";

/** What a client's redirect URI received. */
export interface Callback {
  /**
   * The URL with the query, a string like `Response.url`. For a client library that takes a URL, such as openid-client:
   * `new URL(callback.url)`.
   */
  readonly url: string;
  /** `POST` for `response_mode=form_post` and `form_post.jwt`. */
  readonly method: "GET" | "POST";
  /** The parameters of the response: `params.get("code")`. Those of a form are not in `url`. */
  readonly params: URLSearchParams;
  /**
   * The JWT of a signed response (JARM), which is the only parameter. The members below are those inside it, decoded
   * and not verified.
   */
  readonly response?: string;
  /** The authorization code. */
  readonly code?: string;
  /** As the client sent it. */
  readonly state?: string;
  /** The issuer (RFC 9207). */
  readonly iss?: string;
  /** The error code of an error response. */
  readonly error?: string;
  /** One sentence about the error. */
  readonly errorDescription?: string;
  /** Why the request was rejected, if the server explains it. */
  readonly explanation?: Explanation;
  /** The unexpected error inside the server, if that is the reason. */
  readonly internalError?: InternalError;
}
