/** What the configuration says of a client or user, as a digest: by it a stored change knows what it was made over. */

import { hmacSha256 } from "../runtime/hash.ts";
import type { Subject } from "./changes.ts";
import type { ClientMetadata, User } from "./client.ts";
import type { Server } from "./server.ts";
import { serverSecret } from "./server_secret.ts";

/**
 * Makes digests of configured entries: `""` where there is none of that id. An entry may hold a secret that can be
 * guessed, so they are keyed with a secret of the server: a change, wherever it is shown or copied to, is no means to try
 * guesses. Whoever reads that secret in the store reads the signing keys there too.
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

/** JSON that does not depend on the order in which members were written. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(
    value,
    (_, inner) =>
      typeof inner !== "object" || inner === null || Array.isArray(inner)
        ? inner
        : Object.fromEntries(Object.entries(inner).sort(([a], [b]) => a < b ? -1 : 1)),
  );
}
