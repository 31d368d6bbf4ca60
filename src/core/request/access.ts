/**
 * Access besides scope: a list of objects, the authorization details of RFC 9396. A request for such access needs no
 * scope, the consent page lists each object, and a token request may name some of the granted objects. An extension
 * reads and compares the objects; requests and grants without them load no code for it.
 */

import type { Client } from "../clients/repository.ts";
import type { AuthenticatedRequest, Authorization } from "../grants/authenticated_request.ts";
import type { MaybePromise } from "../maybe_promise.ts";
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

export interface Access {
  isRequested(server: PartServer, params: Params): boolean;
  /** Reads the parameter of a stored request, which was valid when it was stored. */
  parse(text: string): AccessItems;
  /** Loads the code that only a request or grant with it needs. */
  load(): Promise<AccessLife>;
}

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

export interface ConsentItem {
  readonly type: string;
  /** The name of its type; absent: the type itself. */
  readonly title?: string;
  readonly fields: readonly { readonly label: string; readonly values: readonly string[] }[];
}

interface AccessServer extends PartServer {
  readonly audience: string;
  readonly requestParts: { readonly access?: Access };
}

type IssuedAccess = Pick<Authorization, "accessTokenClaims" | "responseMembers">;

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
  return requestParts.access === undefined ? {} : withItems(items?.filter(keep));
}

export function withoutAccess<T extends FurtherAccess>(request: T): Omit<T, keyof FurtherAccess> {
  const { authorizationDetails: _, ...others } = request;
  return others;
}

/**
 * The part of the requested access that an approval grants.
 *
 * @throws {Error} If it grants more.
 */
export function approveAccess(
  server: AccessServer,
  client: Client,
  { authorizationDetails: requested }: FurtherAccess,
  { authorizationDetails: approved }: FurtherAccess,
): MaybePromise<FurtherAccess> {
  const { access } = server.requestParts;
  if (access === undefined || requested === undefined) return {};
  return access.load().then((life) => withItems(life.approve(server, client, requested, approved)));
}

/**
 * The part of a grant that a token request receives.
 *
 * @param resources The resources of the access token.
 * @throws {OAuthError} If the request asks for more than was granted, or nothing of the grant is left.
 */
export async function narrowAccess(
  server: AccessServer,
  { client, parameters }: Pick<AuthenticatedRequest, "client" | "parameters">,
  grant: FurtherAccess & Pick<Grant, "scope">,
  resources: readonly string[],
): Promise<{ readonly granted: FurtherAccess; readonly issued: IssuedAccess }> {
  const { access } = server.requestParts;
  const isUsed = grant.authorizationDetails !== undefined || requestsAccess(server, parameters);
  if (access === undefined || !isUsed) return { granted: {}, issued: {} };
  const { items, granted } = (await access.load()).narrow(server, client, grant, parameters);
  const issued = await issueAccess(server, { authorizationDetails: items }, resources);
  return { granted: { authorizationDetails: granted }, issued };
}

/**
 * Reads the access that a client requests on its own behalf.
 *
 * @throws {OAuthError} If it is invalid, or the client may not have it without a user.
 */
export async function readOwnAccess(
  server: AccessServer,
  { client, parameters }: Pick<AuthenticatedRequest, "client" | "parameters">,
): Promise<FurtherAccess> {
  if (!requestsAccess(server, parameters)) return {};
  return withItems((await server.requestParts.access!.load()).readOwn(server, client, parameters));
}

/**
 * Issues access besides scope. The access token contains the objects that its resources may see; the response contains
 * all objects.
 */
export async function issueAccess(
  { requestParts: { access } }: AccessServer,
  { authorizationDetails: items = [] }: FurtherAccess,
  resources: readonly string[],
): Promise<IssuedAccess> {
  if (access === undefined || items.length === 0) return {};
  const visible = (await access.load()).visibleTo(items, resources);
  return { responseMembers: { [accessName]: items }, accessTokenClaims: { [accessName]: visible } };
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
  if (claims.client_id === id) return withItems(items);
  return withItems((await access.load()).visibleTo(items, [audience, ...serves]));
}

function withItems(items: AccessItems | undefined): FurtherAccess {
  return items === undefined ? {} : { authorizationDetails: items };
}
