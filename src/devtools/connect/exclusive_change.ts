/**
 * Changes of a client or user by forms and by the control, one after another. A change that began with older values
 * than the record has would undo another change; a change that ends after a removal would add the record again.
 */

import { HttpError } from "../../core/http/message.ts";
import type { ClientRepository } from "../../server/entries/client_repository.ts";
import { inTurn } from "../../platform/in_turn.ts";
import { storageKey } from "../../core/secrets.ts";
import type { HostedServer } from "../../server/hosted_server.ts";
import { computeMac } from "../../core/session/session.ts";

/** The version of a record, for its form. It has a MAC, so that it does not help to guess a secret. */
export async function recordVersion(server: HostedServer, record: unknown): Promise<string> {
  return await computeMac(server, "version", JSON.stringify(record));
}

/** Milliseconds after which a change that was interrupted no longer prevents the next one. */
const maxChangeMs = 10_000;

/**
 * The last change of each record that is being changed on this instance, by the clients of its server: plugins may
 * replace the server of a request.
 */
const lastChanges = new WeakMap<ClientRepository, Map<string, Promise<unknown>>>();

/**
 * Changes a record after all earlier changes of it, and while no other instance changes it.
 *
 * @param kind The kind of the record, as messages name it.
 * @param change Reads the record again: an earlier change may have altered or removed it.
 * @returns `undefined` also if another instance is changing the record, or was interrupted while it did.
 */
export function changeExclusively<T>(
  server: HostedServer,
  kind: "client" | "user",
  id: string,
  change: () => T | Promise<T>,
): Promise<T | undefined> {
  const { store, now, users, clients: { registered } } = server;
  const name = `${kind} ${id}`;
  const running = lastChanges.get(registered) ?? new Map<string, Promise<unknown>>();
  lastChanges.set(registered, running);
  const isShared = (kind === "client" ? registered : users).persists(id);
  return inTurn(running, name, async () => {
    if (!isShared) return await change();
    const mark = await storageKey(server, `change ${name}`);
    const takeMark = () => store.add("used_identifier", mark, {}, { expiresAt: now() + maxChangeMs });
    if (!await takeMark()) {
      const left = await store.get("used_identifier", mark);
      if (left === undefined || left.expiresAt > now()) return undefined;
      await store.delete("used_identifier", mark);
      if (!await takeMark()) return undefined;
    }
    try {
      return await change();
    } finally {
      // The change has ended, so a mark that stays is no failure: it expires.
      await store.delete("used_identifier", mark).catch(() => {});
    }
  });
}

/**
 * Removes the record of a form.
 *
 * @throws {HttpError} 409 if another instance is changing it, or was interrupted while it did.
 */
export async function removeRecord(server: HostedServer, kind: "client" | "user", id: string): Promise<void> {
  const records = kind === "client" ? server.clients.registered : server.users;
  if (await changeExclusively(server, kind, id, () => records.delete(id)) !== undefined) return;
  throw new HttpError(409, "DI-03", `Nothing was removed: another change of the ${kind} ${id} has not ended`, {
    fix: "Open the page again in ten seconds, check the values, and remove the entry there.",
  });
}
