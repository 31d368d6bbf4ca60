/** A store in the memory of this process: the quickest, and gone when the process ends. */

import { type Arrival, type Arrivals, arrivals } from "./linked_list.ts";
import { type Expiring, type ExpiryQueue, expiryQueue } from "./expiry_heap.ts";
import { expendable } from "./evictable.ts";
import type { Entry, Kind, Records, Shelf, Store } from "./store.ts";

/** A record in its drawer. */
interface Slot extends Expiring, Arrival<Slot> {
  readonly id: string;
  /** The very value that was put where it never expires, and otherwise its JSON. */
  readonly kept: unknown;
  readonly family: string | undefined;
  /** Its size, in bytes; 0 if it never expires. */
  readonly size: number;
  spentAt: number | undefined;
}

/** What of one kind is kept: by id, in the order in which it expires, and what was spent also in the order of that. */
interface Drawer {
  readonly slots: Map<string, Slot>;
  readonly unspent: ExpiryQueue<Slot>;
  readonly spent: ExpiryQueue<Slot>;
  readonly asSpent: Arrivals<Slot>;
  /** Maximum number of records, and of their bytes. */
  readonly limit: number;
  readonly mostBytes: number;
  /** Their total size, in bytes. */
  bytes: number;
}

/** How much a memory store keeps. */
export interface MemoryStoreOptions {
  /**
   * Records of each of those kinds that logins leave behind: codes, tokens, logins under way. Where there are
   * more, one is forgotten as if it had expired, so that who comes with it is refused or asked again: the one that was
   * spent longest ago, so that no token outlives the one that took its place; and where none was spent the one that
   * expires first, and of those that expire together the oldest. At most half of them, or one, are spent ones. At least
   * 1. Default: 100,000, some 50 MB of each kind.
   */
  readonly limit?: number;
  /**
   * Maximum bytes of JSON of each of those kinds, counted as the runtime stores strings: two per character if the
   * record has one beyond Latin-1. Beyond it, records are evicted likewise, except the newest one. Default: 64 MiB.
   */
  readonly mostBytes?: number;
}

/**
 * Keeps records in maps: as the very values that were put where they never expire, such as keys, and as JSON where they
 * do, because one text takes less room and less of the garbage collector than an object with all its members. Nothing is
 * scanned: a sweep costs what it removes. Bounded as long as {@link Store.sweep} is called; closing does nothing.
 */
export function memoryStore({ limit = 100_000, mostBytes = 64 * 1024 * 1024 }: MemoryStoreOptions = {}): Store {
  const drawers = new Map<Kind, Drawer>();
  let written = 0;

  function drawerOf(kind: Kind): Drawer {
    let drawer = drawers.get(kind);
    if (drawer === undefined) {
      drawer = {
        slots: new Map(),
        unspent: expiryQueue(),
        spent: expiryQueue(),
        asSpent: arrivals(),
        limit: expendable.has(kind) ? Math.max(1, limit) : Infinity,
        mostBytes: expendable.has(kind) ? mostBytes : Infinity,
        bytes: 0,
      };
      drawers.set(kind, drawer);
    }
    return drawer;
  }

  function write(drawer: Drawer, id: string, value: unknown, { family, expiresAt }: Shelf): void {
    const { slots, unspent } = drawer;
    const kept = expiresAt < Infinity ? JSON.stringify(value) : value;
    const size = expiresAt < Infinity ? sizeOf(kept as string) : 0;
    const replaced = slots.get(id);
    if (replaced !== undefined) remove(drawer, replaced);
    // Before the new one is there: it must not be the one that goes, whatever the clock says.
    else if (slots.size >= drawer.limit) forgetOne(drawer);
    while (drawer.bytes > 0 && drawer.bytes + size > drawer.mostBytes) forgetOne(drawer);
    drawer.bytes += size;
    const slot: Slot = {
      id,
      kept,
      family,
      size,
      spentAt: undefined,
      expiresAt,
      number: ++written,
      place: -1,
      before: undefined,
      after: undefined,
    };
    slots.set(id, slot);
    if (expiresAt < Infinity) unspent.add(slot);
  }

  function dequeue({ unspent, spent, asSpent }: Drawer, slot: Slot): void {
    if (slot.expiresAt === Infinity) return;
    if (slot.spentAt === undefined) return unspent.remove(slot);
    spent.remove(slot);
    asSpent.remove(slot);
  }

  function remove(drawer: Drawer, slot: Slot): void {
    dequeue(drawer, slot);
    drawer.slots.delete(slot.id);
    drawer.bytes -= slot.size;
  }

  /** Makes room, where anything that is kept ever expires. */
  function forgetOne(drawer: Drawer): void {
    const slot = drawer.asSpent.first();
    if (slot === undefined) return void dropDue(drawer, Infinity);
    remove(drawer, slot);
  }

  /** Drops one that has expired; tells whether there was one. */
  function dropDue(drawer: Drawer, now: number): boolean {
    const used = drawer.spent.takeDue(now);
    if (used !== undefined) drawer.asSpent.remove(used);
    const slot = used ?? drawer.unspent.takeDue(now);
    if (slot === undefined) return false;
    drawer.slots.delete(slot.id);
    drawer.bytes -= slot.size;
    return true;
  }

  return {
    get<K extends Kind>(kind: K, id: string): Promise<Entry<Records[K]> | undefined> {
      const slot = drawers.get(kind)?.slots.get(id);
      return Promise.resolve(slot && entryOf(slot) as Entry<Records[K]>);
    },
    put(kind, id, value, shelf) {
      write(drawerOf(kind), id, value, shelf);
      return Promise.resolve();
    },
    add(kind, id, value, shelf) {
      const drawer = drawerOf(kind);
      if (drawer.slots.has(id)) return Promise.resolve(false);
      write(drawer, id, value, shelf);
      return Promise.resolve(true);
    },
    spend(kind, id, now) {
      const drawer = drawers.get(kind);
      const slot = drawer?.slots.get(id);
      if (slot === undefined || slot.spentAt !== undefined) return Promise.resolve(false);
      dequeue(drawer!, slot);
      slot.spentAt = now;
      if (slot.expiresAt === Infinity) return Promise.resolve(true);
      drawer!.spent.add(slot);
      drawer!.asSpent.add(slot);
      if (drawer!.asSpent.size() > Math.max(1, drawer!.limit / 2)) forgetOne(drawer!);
      return Promise.resolve(true);
    },
    revoke(family, until) {
      const marks = drawerOf("ended_family");
      const mark = marks.slots.get(family);
      if (mark === undefined || mark.expiresAt < until) write(marks, family, {}, { expiresAt: until });
      return Promise.resolve();
    },
    sweep(now) {
      let removed = 0;
      for (const drawer of drawers.values()) while (dropDue(drawer, now)) removed++;
      return Promise.resolve(removed);
    },
    close: () => Promise.resolve(),
  };
}

/** The size of a string, in bytes: two per character if any character is beyond Latin-1. */
function sizeOf(text: string): number {
  return beyondLatin1.test(text) ? text.length * 2 : text.length;
}

const beyondLatin1 = /[^\0-\xff]/;

/** A snapshot: what was read stays as it was read, also when the record is spent afterwards. */
function entryOf(slot: Slot): Entry<unknown> {
  const { kept, family, expiresAt, spentAt } = slot;
  const value = expiresAt < Infinity ? JSON.parse(kept as string) : kept;
  if (family === undefined) return spentAt === undefined ? { value, expiresAt } : { value, expiresAt, spentAt };
  return spentAt === undefined ? { value, family, expiresAt } : { value, family, expiresAt, spentAt };
}
