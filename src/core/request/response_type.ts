/**
 * Response types (OAuth 2.1 §4.1.1; OAuth 2.0 Multiple Response Types). Extensions implement those besides `code`. The
 * server is a type parameter, because `server.ts` imports these types.
 */

import type { MaybePromise } from "../maybe_promise.ts";
import type { Authorization } from "../grants/authenticated_request.ts";
import type { ParameterDescription, ResponseFields, ResponseMode, ResponseType } from "../params.ts";
import type { AuthorizationRequest } from "./authorization_request.ts";

/** @internal One response type. A type with the word `code` has a code. */
export interface ResponseTypeDescription<Server, Request> {
  /** The value of `response_type`, its words in alphabetical order. */
  readonly name: ResponseType;
  /** The parameters of its responses besides `code`. Default: none. */
  readonly parameters?: readonly ParameterDescription[];
  /**
   * Verifies what the type demands of a request whose other parts were read. Default: nothing.
   *
   * @throws {OAuthError} If the request lacks something.
   */
  check?(from: Request, parts: Partial<AuthorizationRequest>): MaybePromise<void>;
  /**
   * Issues the parameters of the response besides the code. Default: none.
   *
   * @param mode How the response is sent.
   * @param code The code; absent if the type has none.
   */
  issue?(
    server: Server,
    authorization: Authorization,
    mode: ResponseMode,
    code: string | undefined,
  ): Promise<ResponseFields>;
}

/** @internal The response types of a server, by name. */
export type ResponseTypes<Server, Request> = ReadonlyMap<string, ResponseTypeDescription<Server, Request>>;

/** A value of `response_type` with its words in alphabetical order: their order does not count (OAuth 2.1 §4.1.1). */
export function sortResponseType(text: string): string {
  return text.includes(" ") ? text.split(" ").sort().join(" ") : text;
}

/** Whether a response of this type has a code. Default: `code`. */
export function hasCode(type: ResponseType | undefined): boolean {
  return type === undefined || type.split(" ").includes("code");
}
