/** Mints logout tokens (OpenID Connect Back-Channel Logout §2.4), valid ones and ones that a client must reject. */

import { type FieldsOf, flag, text } from "../core/policy/field.ts";
import type { Client } from "../core/clients/clients.ts";
import { randomId } from "../core/keys/secrets.ts";
import type { HostedServer } from "../server/hosted_server.ts";
import { anyOption } from "./options.ts";
import { expiryMarginSeconds, resolveAlgorithm, type TokenOverrides, withOverrides } from "./token_overrides.ts";
import { createLogoutToken, logoutTokenLifetimeSeconds } from "../server/extensions/client_logout/channels.ts";
import { findSessions } from "../server/extensions/client_logout/session_clients.ts";

/** @internal */
export interface MintedLogoutToken extends TokenOverrides {
  /** The client, or its id: the `aud`. Default: the first registered one. */
  readonly client?: string | { readonly client_id: string };
  /** The `sub` of the user. Default: the first one. */
  readonly sub?: string;
  /**
   * The `sid` of the client's ID token. Default: the `sid` of the user's session at a client with a logout URI. If the
   * user has none or several, there is no `sid`: the user is logged out of every session (OpenID Connect Back-Channel
   * Logout §2.4).
   */
  readonly sid?: string;
  /** The lifetime in seconds. Default: 120. */
  readonly expiresIn?: number;
  /** Whether it expired an hour ago. Default: false. */
  readonly expired?: boolean;
}

/** The members of {@link MintedLogoutToken} that other tokens do not have, or not in this form. */
export const logoutTokenFields: FieldsOf<
  Pick<MintedLogoutToken, "client" | "sub" | "sid" | "expiresIn" | "expired">
> = {
  client: anyOption,
  sub: text(["bob"]),
  sid: text(["08a5019c-17e1-4977-8f42-65a12843ea02"]),
  expiresIn: anyOption,
  expired: flag(false),
};

export async function mintLogoutToken(
  server: HostedServer,
  client: Client,
  sub: string,
  options: MintedLogoutToken,
): Promise<string> {
  const { sid, claims, expired = false, expiresIn = logoutTokenLifetimeSeconds } = options;
  const agoMs = expired ? (expiresIn + expiryMarginSeconds) * 1000 : 0;
  const sessions = sid === undefined ? await findSessions(server, sub, client.id) : [];
  const session = sessions.length === 1 ? sessions[0] : undefined;
  // A given sid is used verbatim: that of a pairwise client is not the id of the session.
  const overrides = { ...options, claims: { ...session === undefined && { sid }, ...claims } };
  return await createLogoutToken(
    withOverrides({ ...server, now: () => server.now() - agoMs }, overrides),
    { ...client, idTokenAlg: resolveAlgorithm(options, client.idTokenAlg) },
    { sub, sid: session ?? randomId(server.randomBytes) },
    expiresIn,
  );
}
