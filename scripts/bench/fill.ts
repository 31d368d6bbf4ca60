/** A server with existing data: any number of clients, users, refresh tokens and codes. */

import { memoryStore } from "../../src/mod.ts";
import type { ClientMetadata, LatchkeyOptions } from "../../src/mod.ts";
import type { Grant } from "../../src/platform/store/store.ts";
import { clients, publicId, redirectUri, rotatingId, user } from "./clients.ts";

/** Number of each, besides those of the bench. */
export interface StoreContents {
  readonly clients?: number;
  readonly users?: number;
  /** Active ones, each of its own approval. */
  readonly refreshTokens?: number;
  /** Active ones. */
  readonly codes?: number;
}

/** Measured flows store no further records. */
const headroom = 1_000_000;

const dayMs = 24 * 60 * 60 * 1000;

/** Options of such a server. */
export async function filledOptions(fill: StoreContents): Promise<LatchkeyOptions> {
  const { clients: registered = 0, users = 0, refreshTokens = 0, codes = 0 } = fill;
  const store = memoryStore({ maxRecords: headroom + Math.max(refreshTokens, codes) });
  const now = Date.now();
  const grant = (clientId: string): Grant => ({
    clientId,
    subject: { sub: user.sub, authTime: now, sid: random(16) },
    scope: ["openid", "profile", "read"],
    resources: [],
    approvedAt: now,
  });
  for (let i = 0; i < refreshTokens; i++) {
    // They expire one after the other, like those of real approvals.
    const endsAt = now + 30 * dayMs + i;
    await store.add("refresh_token", random(32), {
      grant: grant(rotatingId),
      salt: random(16),
      validUntil: endsAt,
      endsAt,
    }, { grantId: random(16), expiresAt: endsAt });
  }
  for (let i = 0; i < codes; i++) {
    const validUntil = now + dayMs + i;
    await store.put("code", random(32), {
      grant: grant(publicId),
      redirectUri,
      codeChallenge: random(32),
      nonce: random(10),
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
