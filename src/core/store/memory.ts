/** A store in the memory of this process. Its records are lost when the process ends. */

// deno-lint-ignore-file require-await -- each call is done when it returns its promise, so it is atomic

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

interface Row {
  /** The value as JSON, so that every reader gets a copy. */
  readonly json: string;
  /** The size of the JSON. */
  readonly bytes: number;
  readonly metadata: Omit<StoredRecord<unknown>, "value">;
}

/** The records of one kind. */
interface Table {
  /** By id, the oldest first. */
  readonly rows: Map<string, Row>;
  /** The ids of consumed records, in the order of consumption. */
  readonly consumed: Set<string>;
  /** The size of all records. */
  bytes: number;
}

/**
 * Creates a store that keeps records in maps, for tests and development. A server that runs for months should use
 * SQLite: here, a restart loses all records, a full store evicts tokens that are still valid, and `deleteExpired` looks
 * at every record. `close` does nothing.
 *
 * @throws {TypeError} If an option is unknown.
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  const { maxRecords, maxBytes } = storeOptions("memoryStore", defaults, options);
  const tables = new Map<RecordKind, Table>();

  function getTable(kind: RecordKind): Table {
    let table = tables.get(kind);
    if (table === undefined) tables.set(kind, table = { rows: new Map(), consumed: new Set(), bytes: 0 });
    return table;
  }

  function write(kind: RecordKind, id: string, value: unknown, { grantId, expiresAt }: RecordMetadata): void {
    const table = getTable(kind);
    remove(table, id);
    const json = JSON.stringify(value);
    const bytes = /[^\0-\xff]/.test(json) ? 2 * json.length : json.length;
    if (evictable.has(kind)) {
      while (table.rows.size > 0 && (table.rows.size >= maxRecords || table.bytes + bytes > maxBytes)) evictOne(table);
    }
    table.rows.set(id, { json, bytes, metadata: grantId === undefined ? { expiresAt } : { grantId, expiresAt } });
    table.bytes += bytes;
  }

  /**
   * Evicts a consumed record if there is one, so that refreshing one grant does not evict others. No refresh token
   * outlives its successor: it is older, and consumed earlier.
   */
  function evictOne(table: Table): void {
    const [oldest] = table.consumed.size > 0 ? table.consumed : table.rows.keys();
    remove(table, oldest!);
  }

  function remove(table: Table, id: string): boolean {
    table.bytes -= table.rows.get(id)?.bytes ?? 0;
    table.consumed.delete(id);
    return table.rows.delete(id);
  }

  const isStill = (kind: RecordKind, id: string, former: unknown) =>
    getTable(kind).rows.get(id)?.json === JSON.stringify(former);

  function extend({ rows }: Table, id: string, expiresAt: number): void {
    const row = rows.get(id);
    if (row === undefined || row.metadata.expiresAt >= expiresAt) return;
    rows.set(id, { ...row, metadata: { ...row.metadata, expiresAt } });
  }

  /** Removes the records that a function selects; returns how many. */
  function removeAll(isSelected: (id: string, row: Row) => boolean): number {
    let count = 0;
    for (const table of tables.values()) {
      for (const [id, row] of table.rows) {
        if (!isSelected(id, row)) continue;
        remove(table, id);
        count++;
      }
    }
    return count;
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
      if (!isStill(kind, id, former)) return false;
      write(kind, id, value, metadata);
      return true;
    },
    async consume(kind, id, consumedAt) {
      const { rows, consumed } = getTable(kind);
      const row = rows.get(id);
      if (row === undefined || consumed.has(id)) return false;
      rows.set(id, { ...row, metadata: { ...row.metadata, consumedAt } });
      consumed.add(id);
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
      return (former === undefined || isStill(kind, id, former)) && remove(getTable(kind), id);
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
      return removeAll((_, { metadata: { expiresAt } }) => expiresAt <= now && expiresAt < Infinity);
    },
    async deleteAll(prefix) {
      return removeAll((id) => id.startsWith(prefix));
    },
    async close() {},
  };
}

function read<T>({ json, metadata }: Row): StoredRecord<T> {
  return { value: JSON.parse(json), ...metadata };
}
