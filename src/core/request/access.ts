/**
 * Access besides scope, such as `authorization_details`: how it is requested, approved, narrowed for a token, issued
 * and shown. Each function loops over the access parts of the server (`request_part.ts`). A request without such access
 * loads no code for it.
 */

import type { FurtherAccess, Grant } from "../store/store.ts";
import type { Client } from "../clients/repository.ts";
import type { AuthenticatedRequest, Authorization } from "../grants/authenticated_request.ts";
import type { Params } from "../params.ts";
import type { Server } from "../server.ts";
import type { AccessItems } from "./request_part.ts";

/**
 * The wire names of access besides scope. They include parts that a server does not have, so that it hides their
 * claims.
 */
export const accessNames: Readonly<Record<keyof FurtherAccess, string>> = {
  authorizationDetails: "authorization_details",
};

/** The claims of an access token, and the members of a token response. */
type IssuedAccess = Pick<Authorization, "accessTokenClaims" | "responseMembers">;

/** Whether a request, an approval or a grant contains access besides scope. */
export function hasAccess({ requestParts }: Server, holder: FurtherAccess): boolean {
  return requestParts.access.some(({ member }) => (holder[member]?.length ?? 0) > 0);
}

/** Whether a token request asks for access besides scope. */
export function requestsAccess(server: Server, params: Params): boolean {
  return server.requestParts.access.some((part) => part.isRequested(server, params));
}

/**
 * The access besides scope of a request, an approval or a grant.
 *
 * @param keep Decides about each object. Default: all of them.
 */
export function accessOf(
  { requestParts }: Server,
  holder: FurtherAccess,
  keep: (item: AccessItems[number]) => boolean = () => true,
): FurtherAccess {
  const access: { -readonly [Member in keyof FurtherAccess]: FurtherAccess[Member] } = {};
  for (const { member } of requestParts.access) {
    if (holder[member] !== undefined) access[member] = holder[member].filter(keep);
  }
  return access;
}

/** A request without its access besides scope. */
export function withoutAccess<T extends FurtherAccess>({ requestParts }: Server, request: T): T {
  const members: readonly string[] = requestParts.access.map(({ member }) => member);
  return Object.fromEntries(Object.entries(request).filter(([name]) => !members.includes(name))) as T;
}

/**
 * The part of the requested access that an approval grants.
 *
 * @throws {Error} If it grants more.
 */
export async function approveAccess(
  server: Server,
  client: Client,
  request: FurtherAccess,
  approval: FurtherAccess,
): Promise<FurtherAccess> {
  const granted = server.requestParts.access.map(async ({ member, load }) => {
    const { [member]: requested } = request;
    const items = requested && (await load()).approve(server, client, requested, approval[member]);
    return items && { [member]: items };
  });
  return Object.assign({}, ...await Promise.all(granted));
}

/**
 * The part of a grant that a token request receives.
 *
 * @param resources The resources of the access token.
 * @throws {OAuthError} If the request asks for more than was granted, or nothing of the grant is left.
 */
export async function narrowAccess(
  server: Server,
  { client, parameters }: Pick<AuthenticatedRequest, "client" | "parameters">,
  grant: FurtherAccess & Pick<Grant, "scope">,
  resources: readonly string[],
): Promise<{ readonly granted: FurtherAccess; readonly issued: IssuedAccess }> {
  const items: FurtherAccess = {};
  const granted: FurtherAccess = {};
  for (const part of server.requestParts.access) {
    const { member } = part;
    if (grant[member] === undefined && !part.isRequested(server, parameters)) continue;
    const narrowed = (await part.load()).narrow(server, client, grant, parameters);
    Object.assign(items, { [member]: narrowed.items });
    Object.assign(granted, { [member]: narrowed.granted });
  }
  return { granted, issued: await issueAccess(server, items, resources) };
}

/**
 * Reads the access that a client requests on its own behalf.
 *
 * @throws {OAuthError} If it is invalid, or the client may not have it without a user.
 */
export async function readOwnAccess(
  server: Server,
  { client, parameters }: Pick<AuthenticatedRequest, "client" | "parameters">,
): Promise<FurtherAccess> {
  const own = server.requestParts.access.map(async (part) => {
    if (!part.isRequested(server, parameters)) return {};
    return { [part.member]: (await part.load()).readOwn(server, client, parameters) };
  });
  return Object.assign({}, ...await Promise.all(own));
}

/**
 * Issues access besides scope. The access token contains the objects that its resources may see; the response contains
 * all objects.
 */
export async function issueAccess(
  server: Server,
  access: FurtherAccess,
  resources: readonly string[],
): Promise<IssuedAccess> {
  const responseMembers: Record<string, unknown> = {};
  const accessTokenClaims: Record<string, unknown> = {};
  for (const { member, name, load } of server.requestParts.access) {
    const { [member]: items = [] } = access;
    if (items.length === 0) continue;
    responseMembers[name] = items;
    accessTokenClaims[name] = (await load()).visibleTo(items, resources);
  }
  return { responseMembers, accessTokenClaims };
}

/**
 * The access besides scope that a client may see in an access token. In its own token, the client sees all of it. In
 * other tokens, it sees the access for the default audience and for the resources that it serves.
 */
export async function visibleAccess(
  server: Server,
  { id, serves }: Client,
  claims: { readonly client_id: string; readonly [claim: string]: unknown },
): Promise<FurtherAccess> {
  const visible = server.requestParts.access.map(async ({ member, name, load }) => {
    const items = claims[name] as AccessItems | undefined;
    if (items === undefined || claims.client_id === id) return { [member]: items };
    return { [member]: (await load()).visibleTo(items, [server.audience, ...serves]) };
  });
  return Object.assign({}, ...await Promise.all(visible));
}

/** Access besides scope by the names of its claims; `undefined` for a claim that is not shown. */
export function accessClaims(access: FurtherAccess): Readonly<Record<string, unknown>> {
  const members = Object.keys(accessNames) as (keyof FurtherAccess)[];
  return Object.fromEntries(members.map((member) => [accessNames[member], access[member]]));
}
