/** A store in the memory of this process. Its records are lost when the process ends. */

// deno-lint-ignore-file require-await -- each call is done when it returns its promise, so it is atomic

import { type LinkedList, linkedList, type LinkedListNode } from "./linked_list.ts";
import {
  evictable,
  type ListedRecord,
  type ListOptions,
  type RecordKind,
  type RecordMetadata,
  type Records,
  type Store,
  type StoredRecord,
  storeOptions,
} from "./store.ts";

/** @internal The limits of a memory store. */
export interface MemoryStoreOptions {
  /**
   * Maximum number of records of each evictable kind: codes, tokens, finished interactions, browsers. Beyond this
   * limit, records are evicted as if they had expired: the record that was consumed first, or if none is consumed, the
   * oldest one. Minimum: 1. Default: 100,000, about 50 MB of each kind.
   */
  readonly maxRecords?: number;
  /**
   * Maximum bytes of JSON of each evictable kind, counted as the runtime stores strings: two per character if the
   * record contains a character beyond Latin-1. Beyond this limit, records are evicted in the same order, except the
   * newest one. Default: 64 MiB.
   */
  readonly maxBytes?: number;
}

const defaults: Required<MemoryStoreOptions> = { maxRecords: 100_000, maxBytes: 64 * 1024 * 1024 };

interface Row extends LinkedListNode<Row> {
  readonly table: Table;
  readonly id: string;
  /** The value as JSON, so that every reader gets a copy. */
  readonly json: string;
  /** The size of the JSON. */
  readonly bytes: number;
  readonly grantId?: string;
  expiresAt: number;
  consumedAt?: number;
}

interface Table {
  readonly rows: Map<string, Row>;
  /** The oldest first. Not the order of the map: its first record is behind the gaps of deleted ones. */
  readonly unconsumed: LinkedList<Row>;
  /** In the order of consumption. */
  readonly consumed: LinkedList<Row>;
  /** The size of all records. */
  bytes: number;
}

/**
 * Creates a store that keeps records in maps, for tests and development. A server that runs for months should use
 * SQLite: here, a restart loses all records, and a full store evicts tokens that are still valid. `close` does nothing.
 *
 * @throws {TypeError} If an option is unknown.
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  const { maxRecords, maxBytes } = storeOptions("memoryStore", defaults, options);
  const tables = new Map<RecordKind, Table>();
  /** No record expires before. Until then a sweep reads none. */
  let firstExpiry = Infinity;

  function getTable(kind: RecordKind): Table {
    let table = tables.get(kind);
    if (table === undefined) {
      table = { rows: new Map(), unconsumed: linkedList(), consumed: linkedList(), bytes: 0 };
      tables.set(kind, table);
    }
    return table;
  }

  function write(kind: RecordKind, id: string, value: unknown, { grantId, expiresAt }: RecordMetadata): void {
    const table = getTable(kind);
    remove(table.rows.get(id));
    const json = JSON.stringify(value);
    const bytes = /[^\0-\xff]/.test(json) ? 2 * json.length : json.length;
    if (evictable.has(kind)) {
      while (table.rows.size > 0 && (table.rows.size >= maxRecords || table.bytes + bytes > maxBytes)) evictOne(table);
    }
    const row: Row = { table, id, json, bytes, grantId, expiresAt, previous: undefined, next: undefined };
    table.rows.set(id, row);
    table.unconsumed.add(row);
    table.bytes += bytes;
    firstExpiry = Math.min(firstExpiry, expiresAt);
  }

  /**
   * Evicts a consumed record if there is one, so that refreshing one grant does not evict others. No refresh token
   * outlives its successor: it is older, and consumed earlier.
   */
  function evictOne({ consumed, unconsumed }: Table): void {
    remove(consumed.first() ?? unconsumed.first());
  }

  function remove(row: Row | undefined): boolean {
    if (row === undefined) return false;
    const { table, id, bytes, consumedAt } = row;
    table.bytes -= bytes;
    (consumedAt === undefined ? table.unconsumed : table.consumed).remove(row);
    return table.rows.delete(id);
  }

  /** A record that still has this value, and is not consumed. */
  function findUnchanged(kind: RecordKind, id: string, former: unknown): Row | undefined {
    const row = getTable(kind).rows.get(id);
    return row?.consumedAt === undefined && row?.json === JSON.stringify(former) ? row : undefined;
  }

  function extend({ rows }: Table, id: string, expiresAt: number): void {
    const row = rows.get(id);
    if (row !== undefined && row.expiresAt < expiresAt) row.expiresAt = expiresAt;
  }

  return {
    async get<K extends RecordKind>(kind: K, id: string) {
      const row = getTable(kind).rows.get(id);
      return row && read<Records[K]>(row);
    },
    async put(kind, id, value, metadata) {
      write(kind, id, value, metadata);
    },
    async add(kind, id, value, metadata) {
      if (getTable(kind).rows.has(id)) return false;
      write(kind, id, value, metadata);
      return true;
    },
    async replace(kind, id, former, value, metadata) {
      if (findUnchanged(kind, id, former) === undefined) return false;
      write(kind, id, value, metadata);
      return true;
    },
    async consume(kind, id, consumedAt) {
      const { rows, consumed, unconsumed } = getTable(kind);
      const row = rows.get(id);
      if (row === undefined || row.consumedAt !== undefined) return false;
      unconsumed.remove(row);
      row.consumedAt = consumedAt;
      consumed.add(row);
      return true;
    },
    async extend(kind, id, expiresAt) {
      extend(getTable(kind), id, expiresAt);
    },
    async revoke(grantId, until, record = {}) {
      const table = getTable("revocation");
      if (table.rows.has(grantId)) extend(table, grantId, until);
      else write("revocation", grantId, record, { expiresAt: until });
    },
    async delete(kind, id, former) {
      return remove(former === undefined ? getTable(kind).rows.get(id) : findUnchanged(kind, id, former));
    },
    async list<K extends RecordKind>(kind: K, { prefix, after, limit }: ListOptions) {
      const found = [...getTable(kind).rows]
        .filter(([id]) => id.startsWith(prefix) && (after === undefined || id > after))
        .sort(([a], [b]) => a < b ? -1 : 1);
      return found.slice(0, limit).map(([id, row]): ListedRecord<Records[K]> => ({ id, ...read<Records[K]>(row) }));
    },
    async count(kind, prefix) {
      return [...getTable(kind).rows.keys()].filter((id) => id.startsWith(prefix)).length;
    },
    async deleteExpired(now) {
      // A record with an infinite expiry outlasts even an infinite clock.
      const expiredBefore = Math.min(now, Number.MAX_VALUE);
      if (firstExpiry > expiredBefore) return 0;
      let count = 0;
      firstExpiry = Infinity;
      for (const { rows } of tables.values()) {
        for (const row of rows.values()) {
          if (row.expiresAt > expiredBefore) firstExpiry = Math.min(firstExpiry, row.expiresAt);
          else if (remove(row)) count++;
        }
      }
      return count;
    },
    async deleteAll(prefix) {
      const rows = [...tables.values()].flatMap((table) => [...table.rows.values()]);
      return rows.filter((row) => row.id.startsWith(prefix) && remove(row)).length;
    },
    async close() {},
  };
}

function read<T>({ json, grantId, expiresAt, consumedAt }: Row): StoredRecord<T> {
  return {
    value: JSON.parse(json),
    ...grantId !== undefined && { grantId },
    expiresAt,
    ...consumedAt !== undefined && { consumedAt },
  };
}
