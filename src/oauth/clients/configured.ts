/** Digests of configured clients and users; each stored change holds the digest of the entry it is based on. */

import { hmacSha256 } from "../../runtime/hash.ts";
import type { Subject } from "./changes.ts";
import type { ClientMetadata, User } from "./client.ts";
import type { Server } from "../server.ts";
import { serverSecret } from "../keys/server_secret.ts";

/**
 * Creates digests of configured entries; `""` if the id has none. The digests are keyed with a server secret (HMAC),
 * because an entry may hold a guessable secret: a copied change cannot be used to test guesses. The store that holds
 * this server secret also holds the signing keys.
 */
export function configuredEntries(
  owner: Pick<Server, "issuer" | "store" | "random">,
  { clients, users }: { readonly clients: readonly ClientMetadata[]; readonly users: readonly User[] },
): (subject: Subject) => Promise<string> {
  const entries = {
    clients: new Map(clients.map((client) => [client.client_id, client])),
    users: new Map(users.map((user) => [user.sub, user])),
  };
  const known = new Map<string, Promise<string>>();

  async function digest({ of, id }: Subject): Promise<string> {
    const entry = entries[of].get(id);
    if (entry === undefined) return "";
    const secret = await serverSecret(owner, "configuration");
    return await hmacSha256(secret)(`${of} ${canonicalJson(entry)}`);
  }

  return (subject) => {
    const name = `${subject.of} ${subject.id}`;
    let found = known.get(name);
    if (found === undefined) {
      known.set(name, found = digest(subject));
      found.catch(() => known.delete(name));
    }
    return found;
  };
}

/** JSON with members in a fixed order. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(
    value,
    (_, inner) =>
      typeof inner !== "object" || inner === null || Array.isArray(inner)
        ? inner
        : Object.fromEntries(Object.entries(inner).sort(([a], [b]) => a < b ? -1 : 1)),
  );
}
