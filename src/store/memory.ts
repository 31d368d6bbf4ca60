/** A store in the memory of this process: the quickest, and gone when the process ends. */

import { type Expiring, expiryQueue } from "./expiry_queue.ts";
import type { Entry, Kind, Records, Shelf, Store } from "./store.ts";

/** A record on its shelf. */
interface Slot extends Expiring {
  readonly shelf: Map<string, Slot>;
  readonly id: string;
  readonly value: unknown;
  readonly family: string | undefined;
  spentAt: number | undefined;
}

/**
 * Keeps records in maps, as the very values that were put. Nothing is scanned: a sweep costs what it removes.
 * Bounded as long as {@link Store.sweep} is called; closing does nothing.
 */
export function memoryStore(): Store {
  const shelves = new Map<Kind, Map<string, Slot>>();
  const queue = expiryQueue<Slot>();

  function shelfOf(kind: Kind): Map<string, Slot> {
    let shelf = shelves.get(kind);
    if (shelf === undefined) shelves.set(kind, shelf = new Map());
    return shelf;
  }

  function write(shelf: Map<string, Slot>, id: string, value: unknown, { family, expiresAt }: Shelf): void {
    const replaced = shelf.get(id);
    if (replaced !== undefined && replaced.expiresAt < Infinity) queue.remove(replaced);
    const slot: Slot = { shelf, id, value, family, spentAt: undefined, expiresAt, place: -1 };
    shelf.set(id, slot);
    if (expiresAt < Infinity) queue.add(slot);
  }

  return {
    get<K extends Kind>(kind: K, id: string): Promise<Entry<Records[K]> | undefined> {
      const slot = shelves.get(kind)?.get(id);
      return Promise.resolve(slot && entryOf(slot) as Entry<Records[K]>);
    },
    put(kind, id, value, shelf) {
      write(shelfOf(kind), id, value, shelf);
      return Promise.resolve();
    },
    add(kind, id, value, shelf) {
      const slots = shelfOf(kind);
      if (slots.has(id)) return Promise.resolve(false);
      write(slots, id, value, shelf);
      return Promise.resolve(true);
    },
    spend(kind, id, now) {
      const slot = shelves.get(kind)?.get(id);
      if (slot === undefined || slot.spentAt !== undefined) return Promise.resolve(false);
      slot.spentAt = now;
      return Promise.resolve(true);
    },
    revoke(family, until) {
      const marks = shelfOf("ended_family");
      const mark = marks.get(family);
      if (mark === undefined || mark.expiresAt < until) write(marks, family, {}, { expiresAt: until });
      return Promise.resolve();
    },
    sweep(now) {
      let removed = 0;
      for (let slot = queue.takeDue(now); slot !== undefined; slot = queue.takeDue(now)) {
        slot.shelf.delete(slot.id);
        removed++;
      }
      return Promise.resolve(removed);
    },
    close: () => Promise.resolve(),
  };
}

/** A snapshot: what was read stays as it was read, also when the record is spent afterwards. */
function entryOf(slot: Slot): Entry<unknown> {
  const { value, family, expiresAt, spentAt } = slot;
  if (family === undefined) return spentAt === undefined ? { value, expiresAt } : { value, expiresAt, spentAt };
  return spentAt === undefined ? { value, family, expiresAt } : { value, family, expiresAt, spentAt };
}
