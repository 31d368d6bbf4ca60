/** When a refresh token ends, for members of token responses. */

import { storageKey } from "../../../core/keys/secrets.ts";
import type { Server } from "../../../core/server.ts";

/** The seconds until a refresh token ends unless it is used; 0 if it does not exist. */
export async function secondsOfRefreshToken(server: Server, token: unknown): Promise<number> {
  const stored = await server.store.get("refresh_token", await storageKey(server, String(token)));
  return stored === undefined ? 0 : Math.floor((stored.value.validUntil - server.now()) / 1000);
}
