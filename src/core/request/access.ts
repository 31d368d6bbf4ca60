/**
 * Access besides scope: a list of objects, the authorization details of RFC 9396. A request for such access needs no
 * scope, the consent page lists each object, and a token request may name some of the granted objects.
 */

import type { Client } from "../clients/repository.ts";
import type { AuthenticatedRequest, Authorization } from "../grants/authenticated_request.ts";
import type { Params } from "../params.ts";
import type { FurtherAccess, Grant } from "../store/store.ts";
import type { CoreTrace, RulePassed } from "../trace.ts";

/** The objects that a request asks for, or that are granted. */
export type AccessItems = NonNullable<FurtherAccess["authorizationDetails"]>;

/** The name of the parameter, of the claim of access tokens, and of the member of token responses. */
export const accessName = "authorization_details";

export interface PartServer {
  readonly settings: object;
  readonly now: () => number;
  readonly trace: CoreTrace;
  /** Receives each passed check; absent if nothing listens. */
  readonly passed?: RulePassed;
}

/** How an extension handles such access. Only functions that return a promise load its code. */
export interface Access {
  isRequested(server: PartServer, params: Params): boolean;
  /**
   * The objects that an approval grants.
   *
   * @throws {Error} If the approver grants more than the client has requested.
   */
  approve(
    server: PartServer,
    client: Client,
    requested: AccessItems,
    approved: AccessItems | undefined,
  ): Promise<FurtherAccess>;
  /**
   * The part of a grant that a token request receives, and the part of the grant that the server still supports.
   *
   * @param resources The resources of the access token.
   * @throws {OAuthError} If the request asks for more than was granted, or nothing of the grant is left.
   */
  narrow(
    server: PartServer,
    request: AccessRequest,
    grant: FurtherAccess & Pick<Grant, "scope">,
    resources: readonly string[],
  ): Promise<{ readonly granted: FurtherAccess; readonly issued: IssuedAccess }>;
  /**
   * Reads the access that a client requests on its own behalf.
   *
   * @throws {OAuthError} If it is invalid, or the client may not have it without a user.
   */
  readOwn(server: PartServer, request: AccessRequest): Promise<FurtherAccess>;
  /** Issues access: the access token has the objects that its resources may see, the response has all objects. */
  issue(access: FurtherAccess, resources: readonly string[]): Promise<IssuedAccess>;
  /** The objects that the resource servers of these audiences may see; without an audience, all. */
  visibleTo(items: AccessItems, audiences: readonly string[]): Promise<FurtherAccess>;
}

type AccessRequest = Pick<AuthenticatedRequest, "client" | "parameters">;

type IssuedAccess = Pick<Authorization, "accessTokenClaims" | "responseMembers">;

interface AccessServer extends PartServer {
  readonly audience: string;
  readonly requestParts: { readonly access?: Access };
}

/** Whether a request, an approval or a grant contains access besides scope. */
export function hasAccess(
  { requestParts }: Pick<AccessServer, "requestParts">,
  { authorizationDetails: items = [] }: FurtherAccess,
): boolean {
  return requestParts.access !== undefined && items.length > 0;
}

export function requestsAccess(server: AccessServer, params: Params): boolean {
  return server.requestParts.access?.isRequested(server, params) === true;
}

/**
 * The access besides scope of a request, an approval or a grant.
 *
 * @param keep Decides about each object. Default: all of them.
 */
export function accessOf(
  { requestParts }: Pick<AccessServer, "requestParts">,
  { authorizationDetails: items }: FurtherAccess,
  keep: (item: AccessItems[number]) => boolean = () => true,
): FurtherAccess {
  return requestParts.access === undefined || items === undefined ? {} : { authorizationDetails: items.filter(keep) };
}

/**
 * The access besides scope that a client may see in an access token. In its own token, the client sees all of it. In
 * other tokens, it sees the access for the default audience and for the resources that it serves.
 */
export async function visibleAccess(
  { requestParts: { access }, audience }: AccessServer,
  { id, serves }: Client,
  claims: { readonly client_id: string; readonly [claim: string]: unknown },
): Promise<FurtherAccess> {
  const items = claims[accessName] as AccessItems | undefined;
  if (access === undefined || items === undefined) return {};
  return claims.client_id === id
    ? { authorizationDetails: items }
    : await access.visibleTo(items, [audience, ...serves]);
}
