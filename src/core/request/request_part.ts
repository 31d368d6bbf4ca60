/**
 * Access besides scope, a part of requests. The types of all parts are in `server.ts`, their list is in
 * `request.ts`.
 */

import type { FurtherAccess, Grant } from "../store/store.ts";
import type { Client } from "../clients/repository.ts";
import type { Params } from "../params.ts";
import type { RulePassed, Trace } from "../trace.ts";

/**
 * Where a request for access is read: the authorization endpoint, the endpoint for pushed requests (RFC 9126), or one
 * whose client polls for the result, such as that for devices (RFC 8628).
 *
 * @internal
 */
export type EntryPoint = "authorize" | "par" | "poll";

/** The objects that a request asks for, or that are granted. */
export type AccessItems = NonNullable<FurtherAccess[keyof FurtherAccess]>;

/** The members of a server that access besides scope uses. */
export interface PartServer {
  /** The settings, including the settings of extensions. */
  readonly settings: object;
  /** The clock: milliseconds since the epoch. */
  readonly now: () => number;
  /** Receives every event. */
  readonly trace: Trace;
  /** Receives each passed check; absent if nothing listens. */
  readonly passed?: RulePassed;
}

/**
 * Access besides scope: a list of objects. A request for such access needs no scope. The consent page lists each
 * object. A token request may name some of the granted objects. Functions that handle it are in `access.ts`.
 */
export interface Access {
  /** Whether a token request asks for it. */
  isRequested(server: PartServer, params: Params): boolean;
  /** Reads the parameter of a stored request, which was valid when it was stored. */
  parse(text: string): AccessItems;
  /** Loads the code that only a request or grant with it needs. */
  load(): Promise<AccessLife>;
}

/** Access besides scope of a server. */
export interface AccessPart extends Access {
  /** The member of requests, approvals and grants. */
  readonly member: keyof FurtherAccess;
  /** The name of the parameter, of the claim of access tokens, and of the member of token responses. */
  readonly name: string;
}

/** How {@link Access} is handled after the request was read. */
export interface AccessLife {
  /** The questions of the consent page, one for each object, in their order. */
  describe(server: PartServer, items: AccessItems): readonly ConsentItem[];
  /**
   * The objects that an approval grants; `undefined` if there are none.
   *
   * @throws {Error} If the approver grants more than the client has requested.
   */
  approve(
    server: PartServer,
    client: Client,
    requested: AccessItems,
    approved: AccessItems | undefined,
  ): AccessItems | undefined;
  /**
   * The part of a grant that a token request receives.
   *
   * @returns The objects of the access token, and the objects of the grant that the server still supports; `undefined`
   *   if there are none.
   * @throws {OAuthError} If the request asks for more than was granted, or nothing of the grant is left.
   */
  narrow(
    server: PartServer,
    client: Client,
    grant: FurtherAccess & Pick<Grant, "scope">,
    params: Params,
  ): { readonly items: AccessItems; readonly granted: AccessItems | undefined };
  /**
   * Reads the access that a client requests on its own behalf; `undefined` if it requests none.
   *
   * @throws {OAuthError} If it is invalid, or the client may not have it without a user.
   */
  readOwn(server: PartServer, client: Client, params: Params): AccessItems | undefined;
  /**
   * Reads the claim of an assertion that lists the access of the client on this server.
   *
   * @throws {OAuthError} If it is invalid.
   */
  readClaim(server: PartServer, client: Client, claim: unknown): AccessItems;
  /**
   * Reads the access that a client requests at another authorization server.
   *
   * @param types The types of objects that the other server supports.
   * @throws {OAuthError} If it is invalid, and the error of `reject` if it has no object of these types.
   */
  readForeign(params: Params, types: readonly string[], reject: (types: readonly string[]) => Error): AccessItems;
  /**
   * The objects that the resource servers of these audiences may see; without an audience, all. `undefined` for none.
   */
  visibleTo(items: AccessItems, audiences: readonly string[]): AccessItems | undefined;
}

/** An object on the consent page. */
export interface ConsentItem {
  /** Its type. */
  readonly type: string;
  /** The name of its type; absent: the type itself. */
  readonly title?: string;
  /** Its fields. */
  readonly fields: readonly { readonly label: string; readonly values: readonly string[] }[];
}
