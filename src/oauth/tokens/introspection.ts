/** Introspection (RFC 7662): what a token means, for those who may know. */

import type { Client } from "../clients/repository.ts";
import { findEnd } from "../grants/family.ts";
import { registeredScope } from "../grants/registered.ts";
import { canonicalUri } from "../authorize/resources.ts";
import { shelfId } from "../secrets.ts";
import type { Server } from "../server.ts";
import { subjectFor } from "../users/subject.ts";
import { readAccessToken } from "./access_token.ts";

/** The answer about a token; anything that this caller cannot use is only inactive (§2.2). */
export type Introspection = { readonly active: false } | { readonly active: true; readonly [claim: string]: unknown };

const inactive: Introspection = { active: false };

/**
 * Looks at a token for a caller that has authenticated: its own tokens, and access tokens for the server's default
 * audience or for a resource that the caller serves.
 */
export async function introspect(server: Server, caller: Client, token: string): Promise<Introspection> {
  const access = (await readAccessToken(server, token))?.claims;
  if (access !== undefined) {
    const audience = [access.aud].flat();
    const served = audience.some((uri) => uri === server.audience || caller.serves.includes(canonicalUri(uri)));
    if (!served && access.client_id !== caller.id) return inactive;
    return { active: true, token_type: "Bearer", ...access };
  }
  const refresh = await server.store.get("refresh_token", await shelfId(server, token));
  if (refresh === undefined || refresh.value.clientId !== caller.id || refresh.spentAt !== undefined) return inactive;
  const { sub, scope, validUntil } = refresh.value;
  if (server.now() >= validUntil || await findEnd(server, caller, refresh) !== undefined) return inactive;
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
