/** Digests of configured clients and users; each stored change holds the digest of the entry it is based on. */

import { hmacSha256 } from "../../runtime/crypto.ts";
import type { ChangeTarget } from "./change_log.ts";
import type { ClientMetadata, User } from "./client.ts";
import type { Server } from "../server.ts";
import { serverSecret } from "../keys/server_secret.ts";

/**
 * Creates digests of configured entries; `""` if the id has none. The digests are keyed with a server secret (HMAC),
 * because an entry may hold a guessable secret: a copied change cannot be used to test guesses. The store that holds
 * this server secret also holds the signing keys.
 */
export function configuredEntryDigests(
  owner: Pick<Server, "issuer" | "store" | "randomBytes">,
  { clients, users }: { readonly clients: readonly ClientMetadata[]; readonly users: readonly User[] },
): (target: ChangeTarget) => Promise<string> {
  const entries = {
    clients: new Map(clients.map((client) => [client.client_id, client])),
    users: new Map(users.map((user) => [user.sub, user])),
  };
  const digests = new Map<string, Promise<string>>();

  async function digest({ of, id }: ChangeTarget): Promise<string> {
    const entry = entries[of].get(id);
    if (entry === undefined) return "";
    const secret = await serverSecret(owner, "configuration");
    return await hmacSha256(secret)(`${of} ${canonicalJson(entry)}`);
  }

  return (target) => {
    const key = `${target.of} ${target.id}`;
    let digestPromise = digests.get(key);
    if (digestPromise === undefined) {
      digests.set(key, digestPromise = digest(target));
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
