/** A store in the memory of this process. Its records are lost when the process ends. */

import { type ExpiryHeap, expiryHeap, type HeapItem } from "./expiry_heap.ts";
import {
  evictable,
  type ListedRecord,
  type ListOptions,
  type RecordKind,
  type RecordMetadata,
  type Records,
  resolveOptions,
  type Store,
  type StoredRecord,
} from "./store.ts";
import { delay } from "../timers.ts";

interface Row extends HeapItem {
  readonly id: string;
  /** The value itself if the record never expires, otherwise its JSON. */
  readonly storedValue: unknown;
  readonly grantId: string | undefined;
  /** Its size, in bytes; 0 if it never expires. */
  readonly bytes: number;
  consumedAt: number | undefined;
  /** Only `extend` changes it, while the row is not in the heap. */
  expiresAt: number;
}

/** The records of one kind. */
interface Table {
  readonly rows: Map<string, Row>;
  readonly expiries: ExpiryHeap<Row>;
  /** The consumed ones that can expire, in the order of consumption. */
  readonly consumed: Set<Row>;
  /**
   * Iterates over `consumed` for the evictions between two sweeps: a new iterator would step over all removed records
   * again. It must not live longer: engines keep removed records in memory for an iterator that has not passed them.
   */
  consumptionOrder: Iterator<Row, undefined> | undefined;
  /** Maximum number of records, and of their bytes. */
  readonly maxRecords: number;
  readonly maxBytes: number;
  /** Their total size, in bytes. */
  bytes: number;
}

/** @internal The limits of a memory store. */
export interface MemoryStoreOptions {
  /**
   * Maximum number of records of each evictable kind: codes, tokens, finished interactions, browsers. Above it, one
   * record is evicted as if it had expired: the record that was consumed first, so that no token outlives its
   * successor. If no record is consumed, the record that expires first is evicted, and of several that expire at the
   * same time the oldest. At most half of the records are consumed. Minimum: 1. Default: 100,000, about 50 MB of each
   * kind.
   */
  readonly maxRecords?: number;
  /**
   * Maximum bytes of JSON of each evictable kind, counted as the runtime stores strings: two per character if the
   * record contains a character beyond Latin-1. Beyond this limit, records are evicted in the same order, except the
   * newest one. Default: 64 MiB.
   */
  readonly maxBytes?: number;
}

/** Number of records that are searched before the event loop continues with other work. */
const searchBatchSize = 10_000;

const defaults: Required<MemoryStoreOptions> = { maxRecords: 100_000, maxBytes: 64 * 1024 * 1024 };

/**
 * Creates a store that keeps records in maps. Records that expire are kept as JSON, because a text needs less memory
 * and less garbage collection than an object; others, such as keys, are kept as they are. `deleteExpired` takes time in
 * proportion to the removed records; the memory is bounded only if `deleteExpired` is called. `close` does nothing.
 *
 * @throws {TypeError} If an option is unknown.
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  const { maxRecords, maxBytes } = resolveOptions("memoryStore", defaults, options);
  const tables = new Map<RecordKind, Table>();
  let lastSequence = 0;

  function getTable(kind: RecordKind): Table {
    let table = tables.get(kind);
    if (table === undefined) {
      table = {
        rows: new Map(),
        expiries: expiryHeap(),
        consumed: new Set(),
        consumptionOrder: undefined,
        maxRecords: evictable.has(kind) ? Math.max(1, maxRecords) : Infinity,
        maxBytes: evictable.has(kind) ? maxBytes : Infinity,
        bytes: 0,
      };
      tables.set(kind, table);
    }
    return table;
  }

  function replace(table: Table, id: string, value: unknown, metadata: RecordMetadata): void {
    const replaced = table.rows.get(id);
    if (replaced !== undefined) remove(table, replaced);
    insert(table, id, value, metadata);
  }

  /** Adds a record under an id that the table does not have. */
  function insert(table: Table, id: string, value: unknown, { grantId, expiresAt }: RecordMetadata): void {
    const { rows, expiries } = table;
    const storedValue = expiresAt < Infinity ? JSON.stringify(value) : value;
    const bytes = expiresAt < Infinity ? stringBytes(storedValue as string) : 0;
    // Eviction runs before the new record is added, so that it does not evict this record.
    if (rows.size >= table.maxRecords) evictOne(table);
    while (table.bytes > 0 && table.bytes + bytes > table.maxBytes) evictOne(table);
    table.bytes += bytes;
    const row: Row = {
      id,
      storedValue,
      grantId,
      bytes,
      consumedAt: undefined,
      expiresAt,
      sequence: ++lastSequence,
      index: -1,
    };
    rows.set(id, row);
    if (expiresAt < Infinity) expiries.add(row);
  }

  function remove(table: Table, row: Row): void {
    if (row.expiresAt < Infinity) table.expiries.remove(row);
    table.consumed.delete(row);
    table.rows.delete(row.id);
    table.bytes -= row.bytes;
  }

  /** Evicts one record, if any record can expire. */
  function evictOne(table: Table): void {
    let next = table.consumptionOrder?.next();
    // An iterator that has ended stays ended.
    if (next === undefined || next.done) next = (table.consumptionOrder = table.consumed.values()).next();
    const row = next.value ?? table.expiries.firstExpired(Infinity);
    if (row !== undefined) remove(table, row);
  }

  return {
    get<K extends RecordKind>(kind: K, id: string): Promise<StoredRecord<Records[K]> | undefined> {
      const row = tables.get(kind)?.rows.get(id);
      return Promise.resolve(row && toStoredRecord(row) as StoredRecord<Records[K]>);
    },
    put(kind, id, value, metadata) {
      replace(getTable(kind), id, value, metadata);
      return Promise.resolve();
    },
    add(kind, id, value, metadata) {
      const table = getTable(kind);
      if (table.rows.has(id)) return Promise.resolve(false);
      insert(table, id, value, metadata);
      return Promise.resolve(true);
    },
    consume(kind, id, now) {
      const table = tables.get(kind);
      const row = table?.rows.get(id);
      if (row === undefined || row.consumedAt !== undefined) return Promise.resolve(false);
      row.consumedAt = now;
      if (row.expiresAt < Infinity) table!.consumed.add(row);
      if (table!.consumed.size > Math.max(1, table!.maxRecords / 2)) evictOne(table!);
      return Promise.resolve(true);
    },
    extend(kind, id, expiresAt) {
      const table = tables.get(kind);
      const row = table?.rows.get(id);
      if (row === undefined || row.expiresAt >= expiresAt) return Promise.resolve();
      table!.expiries.remove(row);
      row.expiresAt = expiresAt;
      table!.expiries.add(row);
      return Promise.resolve();
    },
    revoke(grantId, until, record = {}) {
      const revocations = getTable("revocation");
      const revocation = revocations.rows.get(grantId);
      if (revocation === undefined || revocation.expiresAt < until) {
        replace(revocations, grantId, revocation === undefined ? record : toStoredRecord(revocation).value, {
          expiresAt: until,
        });
      }
      return Promise.resolve();
    },
    delete(kind, id) {
      const table = tables.get(kind);
      const row = table?.rows.get(id);
      if (row !== undefined) remove(table!, row);
      return Promise.resolve();
    },
    list<K extends RecordKind>(kind: K, { prefix, after, limit }: ListOptions) {
      const rows = [...tables.get(kind)?.rows.values() ?? []]
        .filter(({ id }) => id.startsWith(prefix) && (after === undefined || id > after))
        .sort((a, b) => a.id < b.id ? -1 : 1);
      return Promise.resolve(
        rows.slice(0, limit).map((row) => ({ id: row.id, ...toStoredRecord(row) }) as ListedRecord<Records[K]>),
      );
    },
    count(kind, prefix) {
      let count = 0;
      for (const id of tables.get(kind)?.rows.keys() ?? []) if (id.startsWith(prefix)) count++;
      return Promise.resolve(count);
    },
    deleteExpired(now) {
      let removed = 0;
      for (const table of tables.values()) {
        table.consumptionOrder = undefined;
        for (let row = table.expiries.firstExpired(now); row !== undefined; row = table.expiries.firstExpired(now)) {
          remove(table, row);
          removed++;
        }
      }
      return Promise.resolve(removed);
    },
    async deleteAll(prefix) {
      let removed = 0;
      let searched = 0;
      for (const table of tables.values()) {
        for (const row of table.rows.values()) {
          if (row.id.startsWith(prefix)) {
            remove(table, row);
            removed++;
          }
          if (++searched % searchBatchSize === 0) await delay(0);
        }
      }
      return removed;
    },
    close: () => Promise.resolve(),
  };
}

/** The size of a string, in bytes: two per character if any character is beyond Latin-1. */
function stringBytes(text: string): number {
  return beyondLatin1.test(text) ? text.length * 2 : text.length;
}

const beyondLatin1 = /[^\0-\xff]/;

/** Copies a record, so that consuming it later does not change the value that was read. */
function toStoredRecord(row: Row): StoredRecord<unknown> {
  const { storedValue, grantId, expiresAt, consumedAt } = row;
  const value = expiresAt < Infinity ? JSON.parse(storedValue as string) : storedValue;
  if (grantId === undefined) return consumedAt === undefined ? { value, expiresAt } : { value, expiresAt, consumedAt };
  return consumedAt === undefined ? { value, grantId, expiresAt } : { value, grantId, expiresAt, consumedAt };
}
