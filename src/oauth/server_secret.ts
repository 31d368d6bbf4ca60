/** Secrets of the server itself: drawn once, kept in the store, so that they outlive a restart and all instances agree. */

import { drawSecret } from "./secrets.ts";
import { hasTestHost } from "./settings.ts";
import type { Server } from "./server.ts";

const known = new WeakMap<Server["store"], Map<string, Promise<string>>>();

/**
 * The secret for one purpose. What a test has drawn, perhaps with foreseeable dice, counts for no real host that is given
 * the test's store.
 */
export function serverSecret(server: Server, wanted: string): Promise<string> {
  const purpose = hasTestHost(server.issuer) ? `test ${wanted}` : wanted;
  let secrets = known.get(server.store);
  if (secrets === undefined) known.set(server.store, secrets = new Map());
  let secret = secrets.get(purpose);
  if (secret === undefined) {
    secret = load(server, purpose);
    secrets.set(purpose, secret);
    secret.catch(() => secrets.delete(purpose));
  }
  return secret;
}

async function load({ store, random }: Server, purpose: string): Promise<string> {
  const kept = await store.get("server_secret", purpose);
  if (kept !== undefined) return kept.value.secret;
  const secret = drawSecret(random);
  if (await store.add("server_secret", purpose, { secret }, { expiresAt: Infinity })) return secret;
  return (await store.get("server_secret", purpose))!.value.secret;
}
