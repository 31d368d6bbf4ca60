/** Digests of configured clients and users; each override holds the digest of the entry it is based on. */

import { hmacSha256 } from "../../../platform/runtime/crypto.ts";
import type { ClientMetadata, User } from "../clients/client.ts";
import { type SecretOwner, serverSecret } from "../session/session.ts";

/**
 * Creates digests of configured entries; `""` if the id has none. The digests are keyed with a server secret (HMAC),
 * because an entry may hold a guessable secret: without the key, a copied record cannot be used to test guesses. The
 * store that holds the key also holds the signing keys.
 */
export function configuredEntryDigests(
  owner: SecretOwner,
  { clients, users }: { readonly clients: readonly ClientMetadata[]; readonly users: readonly User[] },
): (kind: "client" | "user", id: string) => Promise<string> {
  const entries = {
    client: new Map(clients.map((client) => [client.client_id, client])),
    user: new Map(users.map((user) => [user.sub, user])),
  };
  const digests = new Map<string, Promise<string>>();

  async function digest(kind: "client" | "user", id: string): Promise<string> {
    const entry = entries[kind].get(id);
    const secret = await serverSecret(owner, "configuration");
    return await hmacSha256(secret)(`${kind}s ${canonicalJson(entry)}`);
  }

  return (kind, id) => {
    if (!entries[kind].has(id)) return Promise.resolve("");
    const key = `${kind} ${id}`;
    let digestPromise = digests.get(key);
    if (digestPromise === undefined) {
      digests.set(key, digestPromise = digest(kind, id));
      digestPromise.catch(() => digests.delete(key));
    }
    return digestPromise;
  };
}

/** JSON with members in a fixed order. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(
    value,
    (_, member) =>
      typeof member !== "object" || member === null || Array.isArray(member)
        ? member
        : Object.fromEntries(Object.entries(member).sort(([a], [b]) => a < b ? -1 : 1)),
  );
}
