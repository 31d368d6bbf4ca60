/**
 * Access besides scope: a list of objects, the authorization details of RFC 9396. A request for such access needs no
 * scope, the consent page lists each object, and a token request may name some of the granted objects.
 */

import type { Client } from "../../core/clients/repository.ts";
import type { AuthenticatedRequest, Authorization } from "../../core/token/grants/authenticated_request.ts";
import type { Params } from "../../core/http/params.ts";
import type { Server } from "../../core/server.ts";
import { type Slot, slot, type WithExtensions } from "../../core/slot.ts";
import type { Grant } from "../../core/store/store.ts";

/** One object of `authorization_details` (RFC 9396 §2): its other members are the fields of its type. */
export interface AuthorizationDetail extends Readonly<Record<string, unknown>> {
  /** The type, which the server configures. */
  readonly type: string;
}

/** The objects that a request asks for, or that are granted. */
export type AccessItems = readonly AuthorizationDetail[];

/** Such access. The member is absent if there is none. */
export interface FurtherAccess {
  readonly authorizationDetails?: AccessItems;
}

/** The objects in a request, an approval or a grant. */
export const accessItems: Slot<AccessItems> = slot("authorization_details");

/** Whether a request, an approval or a grant has such access: it then needs no scope (RFC 9396 §3.1). */
export function hasAccess(holder: WithExtensions): boolean {
  return hasItems(accessItems.of(holder));
}

export function hasItems(items: AccessItems = []): boolean {
  return items.length > 0;
}

/** The name of the parameter, of the claim of access tokens, and of the member of token responses. */
export const accessName = "authorization_details";

/** How an extension handles such access. Only functions that return a promise load its code. */
export interface Access {
  isRequested(server: Server, params: Params): boolean;
  /**
   * The part of a grant that a token request receives, and the part of the grant that the server still supports.
   *
   * @param resources The resources of the access token.
   * @throws {OAuthError} If the request asks for more than was granted, or nothing of the grant is left.
   */
  narrow(
    server: Server,
    request: AccessRequest,
    grant: FurtherAccess & Pick<Grant, "scope">,
    resources: readonly string[],
  ): Promise<{ readonly granted: FurtherAccess; readonly issued: IssuedAccess }>;
  /**
   * Reads the access that a client requests on its own behalf.
   *
   * @throws {OAuthError} If it is invalid, or the client may not have it without a user.
   */
  readOwn(server: Server, request: AccessRequest): Promise<FurtherAccess>;
  /** Issues access: the access token has the objects that its resources may see, the response has all objects. */
  issue(access: FurtherAccess, resources: readonly string[]): Promise<IssuedAccess>;
  /** The questions of the consent page, one for each object, in their order. */
  describe(server: Server, items: AccessItems): Promise<readonly ConsentItem[]>;
  /**
   * Reads the claim of an assertion that lists the access of the client on this server.
   *
   * @throws {OAuthError} If it is invalid.
   */
  readClaim(server: Server, client: Client, claim: unknown): Promise<AccessItems>;
  /**
   * Reads the access that a client requests at another authorization server.
   *
   * @param types The types of objects that the other server supports.
   * @throws {OAuthError} If it is invalid, and the error of `reject` if it has no object of these types.
   */
  readForeign(
    params: Params,
    types: readonly string[],
    reject: (types: readonly string[]) => Error,
  ): Promise<AccessItems>;
}

type AccessRequest = Pick<AuthenticatedRequest, "client" | "parameters">;

type IssuedAccess = Pick<Authorization, "addedClaims" | "responseMembers">;

export interface ConsentItem {
  readonly type: string;
  /** The name of its type; absent: the type itself. */
  readonly title?: string;
  readonly fields: readonly { readonly label: string; readonly values: readonly string[] }[];
}

export function requestsAccess(server: Server & { readonly access?: Access }, params: Params): boolean {
  return server.access?.isRequested(server, params) === true;
}
