/** The setting `refresh.lifetimeMembers`: the members of responses that say when a refresh token ends. */

import type { UserClaims } from "../../core/clients/claims.ts";
import type { AuthenticatedRequest } from "../../core/token/grants/authenticated_request.ts";
import { storageKey } from "../../core/keys/secrets.ts";
import type { Server } from "../../core/server.ts";
import { asServerPolicy } from "../config/server_policy.ts";
import type { HostedServer } from "../hosted_server.ts";

/** Adds the configured members to the description of a refresh token. */
export async function introspectionWithLifetimes(
  server: Server,
  { params }: AuthenticatedRequest,
  introspection: UserClaims,
): Promise<UserClaims> {
  if (introspection.token_type !== "refresh_token") return introspection;
  return { ...introspection, ...await lifetimeMembers(server, params.get("token")) };
}

/** The metadata of the configured members. */
export function lifetimeMetadata({ policy }: HostedServer): Readonly<Record<string, readonly string[]>> {
  const { lifetimeMembers } = policy.refresh;
  const types = { refresh_token_timeout: "token_timeout", authorization_expires_in: "authorization" } as const;
  const supported = Object.entries(types).filter(([name]) => lifetimeMembers.some((member) => member === name));
  return { refresh_token_expiration_types_supported: supported.map(([, type]) => type) };
}

/** The configured members with the rest of both lifetimes of a token, in whole seconds; empty without a token. */
export async function lifetimeMembers(
  server: Server,
  token: string | undefined,
): Promise<Readonly<Record<string, number>>> {
  const names = asServerPolicy(server.policy).refresh.lifetimeMembers;
  if (token === undefined || names.length === 0) return {};
  const stored = await server.store.get("refresh_token", await storageKey(server, token));
  if (stored === undefined) return {};
  const { endsAt, validUntil } = stored.value;
  const secondsUntil = (time: number) => Math.floor((time - server.now()) / 1000);
  return Object.fromEntries(
    names.map((name) => [name, secondsUntil(name === "authorization_expires_in" ? endsAt : validUntil)]),
  );
}
