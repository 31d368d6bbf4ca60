/** Secrets of the server itself: generated once and kept in the store, for later starts and other instances. */

import { randomToken } from "../secrets.ts";
import type { Allowances } from "../config/allowances.ts";
import type { Server } from "../server.ts";

/** The owner of the secret. */
export interface SecretOwner extends Pick<Server, "store" | "randomBytes"> {
  readonly settings: { readonly allows: Allowances };
}

const secretsByStore = new WeakMap<Server["store"], Map<string, Promise<string>>>();

/**
 * The secret for one purpose. Test hosts have separate secrets: a seeded test may have generated them, so a production
 * host with the same store must not use them.
 */
export function serverSecret(owner: SecretOwner, purpose: string): Promise<string> {
  let secrets = secretsByStore.get(owner.store);
  if (secrets === undefined) secretsByStore.set(owner.store, secrets = new Map());
  // Not by issuer: a server can have many names, which senders choose.
  const name = owner.settings.allows.testKeys ? `test ${purpose}` : purpose;
  let secret = secrets.get(name);
  if (secret === undefined) {
    secret = loadSecret(owner, name);
    secrets.set(name, secret);
    secret.catch(() => secrets.delete(name));
  }
  return secret;
}

async function loadSecret({ store, randomBytes }: SecretOwner, purpose: string): Promise<string> {
  const record = await store.get("server_secret", purpose);
  if (record !== undefined) return record.value.secret;
  const secret = randomToken(randomBytes);
  if (await store.add("server_secret", purpose, { secret }, { expiresAt: Infinity })) return secret;
  return (await store.get("server_secret", purpose))!.value.secret;
}
