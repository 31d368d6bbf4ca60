/** A server that has been in use for long: as many clients, users, refresh tokens and codes as one likes. */

import { memoryStore } from "../../src/mod.ts";
import type { ClientMetadata, LatchkeyOptions } from "../../src/mod.ts";
import { clients, publicId, redirectUri, rotatingId, user } from "./clients.ts";

/** How many there are of each, beside those that the bench itself uses. */
export interface StoreContents {
  readonly clients?: number;
  readonly users?: number;
  /** Live ones, of as many approvals. */
  readonly refreshTokens?: number;
  /** Live ones. */
  readonly codes?: number;
}

/** Flows leave no more behind while they are measured. */
const headroom = 1_000_000;

const dayMs = 24 * 60 * 60 * 1000;

/** The options of such a server. */
export async function filledOptions(fill: StoreContents): Promise<LatchkeyOptions> {
  const { clients: registered = 0, users = 0, refreshTokens = 0, codes = 0 } = fill;
  const store = memoryStore({ maxRecords: headroom + Math.max(refreshTokens, codes) });
  const now = Date.now();
  const common = { sub: user.sub, scope: ["openid", "profile", "read"], resources: [], authTime: now };
  for (let i = 0; i < refreshTokens; i++) {
    // They end one after the other, as those of real approvals do.
    const endsAt = now + 30 * dayMs + i;
    await store.add("refresh_token", random(32), {
      ...common,
      scope: [...common.scope],
      clientId: rotatingId,
      sid: random(16),
      salt: random(16),
      validUntil: endsAt,
      endsAt,
    }, { grantId: random(16), expiresAt: endsAt });
  }
  for (let i = 0; i < codes; i++) {
    const validUntil = now + dayMs + i;
    await store.put("code", random(32), {
      ...common,
      scope: [...common.scope],
      clientId: publicId,
      redirectUri,
      challenge: random(32),
      nonce: random(10),
      sid: random(16),
      issuedAt: now,
      validUntil,
    }, { grantId: random(16), expiresAt: validUntil });
  }
  return {
    store,
    clients: [...clients, ...Array.from({ length: registered }, (_, i) => client(i))],
    users: [user, ...Array.from({ length: users }, (_, i) => ({ sub: `user-${i}`, name: `User ${i}` }))],
  };
}

function client(number: number): ClientMetadata {
  return { client_id: `client-${number}`, redirect_uris: [`https://client-${number}.example/callback`] };
}

function random(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("base64url");
}
