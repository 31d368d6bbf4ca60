/** Introspection (RFC 7662): what a token means, for those who may know. */

import type { Client } from "../clients/repository.ts";
import { findInvalidReason } from "../grants/revoke_grant.ts";
import { registeredScope } from "../grants/narrow_to_registered.ts";
import { canonicalUri } from "../authorize/resources.ts";
import { storageKey } from "../secrets.ts";
import type { Server } from "../server.ts";
import { subjectFor } from "../users/subject.ts";
import { readAccessToken } from "./access_token.ts";

/** The answer about a token; anything that this caller cannot use is only inactive (§2.2). */
export type Introspection = { readonly active: false } | { readonly active: true; readonly [claim: string]: unknown };

const inactiveToken: Introspection = { active: false };

/**
 * Looks at a token for a caller that has authenticated: its own tokens, and access tokens for the server's default
 * audience or for a resource that the caller serves.
 */
export async function introspect(server: Server, caller: Client, token: string): Promise<Introspection> {
  const accessTokenClaims = (await readAccessToken(server, token))?.claims;
  if (accessTokenClaims !== undefined) {
    const audience = [accessTokenClaims.aud].flat();
    const isServed = audience.some((uri) => uri === server.audience || caller.serves.includes(canonicalUri(uri)));
    if (!isServed && accessTokenClaims.client_id !== caller.id) return inactiveToken;
    return { active: true, token_type: "Bearer", ...accessTokenClaims };
  }
  const refreshToken = await server.store.get("refresh_token", await storageKey(server, token));
  if (
    refreshToken === undefined || refreshToken.value.clientId !== caller.id || refreshToken.consumedAt !== undefined
  ) return inactiveToken;
  const { sub, scope, validUntil } = refreshToken.value;
  if (server.now() >= validUntil || await findInvalidReason(server, caller, refreshToken) !== undefined) {
    return inactiveToken;
  }
  return {
    active: true,
    token_type: "refresh_token",
    iss: server.issuer,
    client_id: caller.id,
    sub: await subjectFor(server, caller, sub),
    scope: registeredScope(caller, scope).join(" "),
    exp: Math.floor(validUntil / 1000),
  };
}
