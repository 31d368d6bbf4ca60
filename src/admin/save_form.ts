/**
 * Saves the form of a client or user once, and removes the record between two saves. A form that is older than the
 * record changes nothing, because it would undo the change of another visitor.
 */

import { HttpError } from "../http/message.ts";
import type { MaybePromise } from "../oauth/maybe_promise.ts";
import { storageKey } from "../oauth/secrets.ts";
import type { Server } from "../oauth/server.ts";
import { computeMac } from "../oauth/session/session.ts";

/** The version of a record, for its form. It has a MAC, so that it does not help to guess a secret. */
export function recordVersion(server: Server, record: unknown): MaybePromise<string> {
  return computeMac(server, "version", JSON.stringify(record));
}

/** Milliseconds after which a save that was interrupted no longer prevents the next one. */
const maxSaveMs = 10_000;

/** The last save of each store, on this instance. */
const lastSaves = new WeakMap<Server["store"], Promise<unknown>>();

/**
 * Saves a form after all earlier forms, and while no other instance saves a form of the same record.
 *
 * @param name The kind and the id of the record.
 * @param save Reads the record again. Returns `undefined` if the form is older than the record.
 * @returns `undefined` also if another instance is saving a form of the record.
 */
export function saveForm<T>(server: Server, name: string, save: () => Promise<T | undefined>): Promise<T | undefined> {
  const { store, now } = server;
  const saved = (lastSaves.get(store) ?? Promise.resolve()).then(async () => {
    const id = await storageKey(server, `form ${name}`);
    if (!await store.add("used_identifier", id, {}, { expiresAt: now() + maxSaveMs })) return undefined;
    try {
      return await save();
    } finally {
      await store.delete("used_identifier", id);
    }
  });
  lastSaves.set(store, saved.catch(() => {}));
  return saved;
}

/**
 * Removes a record after all earlier forms, and while no other instance saves a form of it: the save would add the
 * record again.
 *
 * @throws {HttpError} 409 if another instance is saving a form of the record.
 */
export async function removeRecord(server: Server, name: string, remove: () => Promise<unknown>): Promise<void> {
  const isRemoved = await saveForm(server, name, async () => {
    await remove();
    return true;
  });
  if (isRemoved) return;
  throw new HttpError(409, "DI-03", `Nothing was removed: another form changes ${name}`, {
    fix: "Open the page again, check the values, and remove the entry there.",
  });
}
