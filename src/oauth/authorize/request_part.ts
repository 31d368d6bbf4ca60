/** The parts of a request for access. This file has the types; `request_parts.ts` lists the parts. */

import type { Client } from "../clients/repository.ts";
import type { MaybePromise } from "../maybe_promise.ts";
import type { Params } from "../params.ts";
import type { Server } from "../server.ts";
import type { AuthorizationRequest } from "./authorization_request.ts";
import type { ResponseMode } from "./response_mode.ts";

/**
 * Where a request for access is read: the authorization endpoint, the endpoint for pushed requests (RFC 9126), or that for
 * devices (RFC 8628).
 */
export type EntryPoint = "authorize" | "par" | "device";

/** What a part is read from. */
export interface PartRequest {
  readonly server: Server;
  readonly client: Client;
  readonly params: Params;
  readonly at: EntryPoint;
  /** How the response will be sent; absent for a device. */
  readonly mode?: ResponseMode;
  /** Whether the client has pushed the request, or is pushing it. */
  readonly isPushed?: boolean;
  /** Whether the client has signed the request (RFC 9101). */
  readonly isSigned?: boolean;
}

/** A part of a request for access: how it is read, and what the client is warned about. */
export type RequestPart = CheckedPart | MemberPart;

interface BasePart {
  /** The entry points that read it. */
  readonly at: readonly EntryPoint[];
  /** Traces what a client probably did not intend. Called once for each accepted request. */
  warn?(from: PartRequest, request: AuthorizationRequest): void;
}

/** A part that becomes no member of the request. */
interface CheckedPart extends BasePart {
  readonly name?: undefined;
  /**
   * Verifies the part. It changes nothing, so that a request may be read more than once.
   *
   * @throws {OAuthError} If the part is missing or invalid.
   */
  read?(from: PartRequest): MaybePromise<void>;
}

/** A part that becomes the member `name` of the request. */
type MemberPart = { [Name in keyof AuthorizationRequest]-?: NamedPart<Name> }[keyof AuthorizationRequest];

interface NamedPart<Name extends keyof AuthorizationRequest> extends BasePart {
  readonly name: Name;
  /**
   * Reads and verifies the part. It changes nothing, so that a request may be read more than once.
   *
   * @param parts The parts before it.
   * @throws {OAuthError} If the part is missing or invalid.
   */
  read(from: PartRequest, parts: Partial<AuthorizationRequest>): MaybePromise<AuthorizationRequest[Name]>;
}
