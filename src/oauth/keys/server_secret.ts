/** Secrets of the server itself: drawn once, kept in the store, so that they outlive a restart and all instances agree. */

import { drawSecret } from "../secrets.ts";
import { hasTestHost } from "../config/settings.ts";
import type { Server } from "../server.ts";

/** The owner of the secret. */
type Owner = Pick<Server, "issuer" | "store" | "random">;

const loaded = new WeakMap<Server["store"], Map<string, Promise<string>>>();

/**
 * The secret for one purpose. What a test has drawn, perhaps with foreseeable dice, counts for no real host that is given
 * the test's store.
 */
export function serverSecret(server: Owner, wanted: string): Promise<string> {
  let secrets = loaded.get(server.store);
  if (secrets === undefined) loaded.set(server.store, secrets = new Map());
  const known = `${wanted} ${server.issuer}`;
  let secret = secrets.get(known);
  if (secret === undefined) {
    secret = load(server, hasTestHost(server.issuer) ? `test ${wanted}` : wanted);
    secrets.set(known, secret);
    secret.catch(() => secrets.delete(known));
  }
  return secret;
}

async function load({ store, random }: Owner, purpose: string): Promise<string> {
  const kept = await store.get("server_secret", purpose);
  if (kept !== undefined) return kept.value.secret;
  const secret = drawSecret(random);
  if (await store.add("server_secret", purpose, { secret }, { expiresAt: Infinity })) return secret;
  return (await store.get("server_secret", purpose))!.value.secret;
}
