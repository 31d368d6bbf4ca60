/** The statements of a store in an SQL database. A driver adds the connection and the schema. */

import type { ListOptions, RecordKind, Records, Store, StoredRecord } from "./store.ts";
import { sleep } from "../http/timers.ts";

export type SqlValue = string | number | null;

/** A row of the table. Drivers may return numbers as text. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** A database whose table `record` has the columns `kind, id, value, grant_id, consumed_at, expires_at`. */
export interface SqlDriver {
  readonly table: string;
  /** Writes the parameter of this number, counted from 1: `$1`. */
  readonly placeholder: (number: number) => string;
  /** The clause that compares ids by code point: ` COLLATE "C"`. Default: none. */
  readonly collation?: string;
  /** Deletes a batch of records whose `expires_at` is at or before the first parameter. */
  readonly deleteExpired: string;
  /**
   * Deletes a batch of records of one kind. The parameters are the kind, the first id (included) and the last id
   * (excluded).
   */
  readonly deleteRange: string;
  /** Maximum number of records that `deleteExpired` and `deleteRange` delete. */
  readonly deleteBatchSize: number;
  /** Runs a query. @throws {StoreError} If it fails. */
  select(statement: string, values: SqlValue[]): Promise<readonly SqlRow[]>;
  /** Runs a statement, and returns the number of changed rows. @throws {StoreError} If it fails. */
  change(statement: string, values: SqlValue[]): Promise<number>;
  /** Closes the connections. Called once. */
  close(): Promise<void>;
}

export function sqlStore(driver: SqlDriver): Store {
  const { table, collation = "", deleteExpired, deleteRange, deleteBatchSize } = driver;
  const [p1, p2, p3, p4, p5, p6] = [1, 2, 3, 4, 5, 6].map(driver.placeholder);
  const columns = "value, grant_id, consumed_at, expires_at";
  const insert =
    `INSERT INTO ${table} (kind, id, value, grant_id, expires_at) VALUES (${p1}, ${p2}, ${p3}, ${p4}, ${p5})
    ON CONFLICT (kind, id) DO`;
  const selectRecord = `SELECT ${columns} FROM ${table} WHERE kind = ${p1} AND id = ${p2}`;
  const upsertRecord = `${insert} UPDATE SET value = excluded.value, grant_id = excluded.grant_id, consumed_at = NULL,
    expires_at = excluded.expires_at`;
  const insertRecord = `${insert} NOTHING`;
  const replaceRecord = `UPDATE ${table} SET value = ${p3}, grant_id = ${p4}, expires_at = ${p5}
    WHERE kind = ${p1} AND id = ${p2} AND value = ${p6} AND consumed_at IS NULL`;
  const upsertLaterRecord = `${insert} UPDATE SET expires_at = excluded.expires_at
    WHERE excluded.expires_at > record.expires_at`;
  const extendRecord =
    `UPDATE ${table} SET expires_at = ${p1} WHERE kind = ${p2} AND id = ${p3} AND expires_at < ${p4}`;
  // Atomic. Counts the changed rows instead of RETURNING them: a row can be returned before its commit fails.
  const consumeRecord =
    `UPDATE ${table} SET consumed_at = ${p1} WHERE kind = ${p2} AND id = ${p3} AND consumed_at IS NULL`;
  const selectNextKind = `SELECT min(kind) AS kind FROM ${table} WHERE kind > ${p1}`;
  const deleteRecord = `DELETE FROM ${table} WHERE kind = ${p1} AND id = ${p2}`;
  const deleteUnchanged = `${deleteRecord} AND value = ${p3} AND consumed_at IS NULL`;
  // The kind is a literal: with a parameter, PostgreSQL may plan without the partial index.
  const inRange = (kind: RecordKind) =>
    `FROM ${table} WHERE kind = '${kind}' AND id${collation} >= ${p1} AND id${collation} < ${p2}`;

  function insertValues(kind: RecordKind, id: string, value: unknown, expiresAt: number, grantId?: string): SqlValue[] {
    return [kind, escapeKey(id), JSON.stringify(value), grantId === undefined ? null : escapeKey(grantId), expiresAt];
  }

  async function deleteBatches(statement: string, values: SqlValue[]): Promise<number> {
    let removed = 0;
    while (closed === undefined) {
      const batch = await driver.change(statement, values);
      removed += batch;
      if (batch < deleteBatchSize) break;
      // Lets other requests and writers run between two batches.
      await sleep(0);
    }
    return removed;
  }

  let closed: Promise<void> | undefined;
  return {
    persistent: true,
    async get<K extends RecordKind>(kind: K, id: string) {
      const [row] = await driver.select(selectRecord, [kind, escapeKey(id)]);
      return row && toStoredRecord<Records[K]>(row);
    },
    async put(kind, id, value, { grantId, expiresAt }) {
      await driver.change(upsertRecord, insertValues(kind, id, value, expiresAt, grantId));
    },
    async add(kind, id, value, { grantId, expiresAt }) {
      return await driver.change(insertRecord, insertValues(kind, id, value, expiresAt, grantId)) === 1;
    },
    async replace(kind, id, former, value, { grantId, expiresAt }) {
      const values = insertValues(kind, id, value, expiresAt, grantId);
      return await driver.change(replaceRecord, [...values, JSON.stringify(former)]) === 1;
    },
    async consume(kind, id, now) {
      return await driver.change(consumeRecord, [now, kind, escapeKey(id)]) === 1;
    },
    async extend(kind, id, expiresAt) {
      await driver.change(extendRecord, [expiresAt, kind, escapeKey(id), expiresAt]);
    },
    async revoke(grantId, until, record = {}) {
      await driver.change(upsertLaterRecord, insertValues("revocation", grantId, record, until));
    },
    async delete(kind, id, former) {
      const key = [kind, escapeKey(id)];
      return await (former === undefined
        ? driver.change(deleteRecord, key)
        : driver.change(deleteUnchanged, [...key, JSON.stringify(former)])) === 1;
    },
    async list<K extends RecordKind>(kind: K, { prefix, after, limit }: ListOptions) {
      const { from, to } = idRange(prefix, after);
      const selectPage = `SELECT id, ${columns} ${inRange(kind)} ORDER BY id${collation} LIMIT ${p3}`;
      const rows = await driver.select(selectPage, [from, to, limit]);
      return rows.map((row) => ({ id: unescapeKey(row.id as string), ...toStoredRecord<Records[K]>(row) }));
    },
    async count(kind, prefix) {
      const { from, to } = idRange(prefix);
      const [row] = await driver.select(`SELECT count(*) AS records ${inRange(kind)}`, [from, to]);
      return Number(row!.records);
    },
    // A record with an infinite expiry outlasts even an infinite clock.
    deleteExpired: (now) => deleteBatches(deleteExpired, [Math.min(now, Number.MAX_VALUE)]),
    async deleteAll(prefix) {
      const { from, to } = idRange(prefix);
      let removed = 0;
      for (let kind: unknown = ""; kind !== null;) {
        // The query finds each kind in the index of kind and id.
        const [row] = await driver.select(selectNextKind, [kind as string]);
        kind = row!.kind;
        if (kind !== null) removed += await deleteBatches(deleteRange, [kind as string, from, to]);
      }
      return removed;
    },
    close() {
      return closed ??= driver.close();
    },
  };
}

function toStoredRecord<T>({ value, grant_id, consumed_at, expires_at }: SqlRow): StoredRecord<T> {
  return {
    value: JSON.parse(value as string),
    ...(grant_id !== null && { grantId: unescapeKey(grant_id as string) }),
    expiresAt: Number(expires_at),
    ...(consumed_at !== null && { consumedAt: Number(consumed_at) }),
  };
}

/** Escapes NUL, control characters and lone surrogates; common ids stay unchanged. Different texts stay different. */
export function escapeKey(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Reverses {@link escapeKey}. */
export function unescapeKey(text: string): string {
  return JSON.parse(`"${text}"`);
}

/**
 * The escaped ids that begin with a prefix, and follow `after` if it is given: from the first bound (included) to the
 * second (excluded). Escaped ids contain no control characters, so U+0001 sorts before every other continuation.
 */
export function idRange(prefix: string, after?: string): { readonly from: string; readonly to: string } {
  const start = escapeKey(prefix);
  return { from: after === undefined ? start : `${escapeKey(after)}\u0001`, to: `${start}\u{10FFFF}` };
}
