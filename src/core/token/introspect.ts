/** POST /oauth2/introspect (RFC 7662 §2), without CORS, because its callers are servers. */

import type { AuthenticatedRequest } from "./grants/authenticated_request.ts";
import { registeredScope } from "./grants/narrow_grant.ts";
import { storageKey } from "../keys/secrets.ts";
import { reject } from "../rules/reject.ts";
import type { Server } from "../server.ts";
import type { UserClaims } from "../clients/claims.ts";
import type { Client } from "../clients/clients.ts";
import { readAccessToken } from "./tokens/read_access_token.ts";
import { requireTokenParameter } from "./revoke.ts";
import { clientEndpoint } from "./client_endpoint.ts";
import type { Handlers } from "../route.ts";

export const introspection: Handlers = clientEndpoint(async (server, request) => {
  return await server.responses.introspection(server, request, await introspect(server, request));
  // RFC 7662 §2.3: 401.
}, { isChallenged: true });

/** @internal The response; only `active: false` for a token that the caller may not inspect (§2.2). */
export type Introspection = { readonly active: false } | { readonly active: true; readonly [claim: string]: unknown };

const inactiveToken: Introspection = { active: false };

/**
 * Describes a token to an authenticated client: one of its own tokens, or an access token that it may inspect.
 *
 * @throws {OAuthError} `invalid_client` for a public client, which cannot authenticate.
 */
export async function introspect(
  server: Server,
  request: Pick<AuthenticatedRequest, "client" | "params">,
): Promise<Introspection> {
  const { client: { confidential, id } } = request;
  if (!confidential) throw reject("CA-07", { failure: "public client", id });
  return await describeToken(server, request);
}

/** Describes a token to any client: to a public one only its own tokens. */
export async function describeToken(
  server: Server,
  { client: caller, params }: Pick<AuthenticatedRequest, "client" | "params">,
): Promise<Introspection> {
  const token = requireTokenParameter(params, "IN-01");
  const accessToken = await readAccessToken(server, token);
  if (accessToken !== undefined) {
    const isOwn = accessToken.claims.client_id === caller.id;
    if (!isOwn && !(caller.confidential && await server.grants.mayInspect(server, caller, accessToken))) {
      // The response is that of an invalid token (RFC 7662 §2.2).
      server.observe(server, caller.id, "IN-02", { client: caller, audience: accessToken.audience });
      return inactiveToken;
    }
    return { active: true, ...await visibleClaims(server, caller, accessToken.claims) };
  }
  const refreshToken = await server.store.get("refresh_token", await storageKey(server, token));
  if (refreshToken === undefined || refreshToken.consumedAt !== undefined) return inactiveToken;
  const { grant, validUntil } = refreshToken.value;
  if (grant.clientId !== caller.id) return inactiveToken;
  const scope = registeredScope(caller, grant.scope);
  if (
    server.now() >= validUntil ||
    await server.grants.findInvalidReason(server, caller, refreshToken, scope) !== undefined
  ) {
    return inactiveToken;
  }
  return {
    active: true,
    token_type: "refresh_token",
    ...await server.grants.refreshTokenClaims(server, caller, refreshToken.value),
  };
}

/** What introspection returns of a valid access token to a client that may introspect it. */
export async function visibleClaims(server: Server, client: Client, claims: UserClaims): Promise<UserClaims> {
  let visible: UserClaims = {};
  for (const { run } of server.steps.visibleClaims) {
    visible = { ...visible, ...await run(server, visible, client, claims) };
  }
  return visible;
}
