/** A store in PostgreSQL, for any number of instances on any number of machines; through the `postgres` package. */

import { escapeKey, idRange, unescapeKey } from "../escape_key.ts";
import { invalidSchemaName, versionMismatch } from "./postgres_errors.ts";
import { openPool } from "./postgres_pool.ts";
import type { Sql } from "./postgres_pool.ts";
import { readTls } from "./postgres_sockets.ts";
import { assertUrl } from "../store_error.ts";
import type { ListOptions, RecordKind, Records, Store, StoredRecord } from "../store.ts";

export { StoreError, type StoreErrorDetails } from "../store_error.ts";

/** How a PostgreSQL store behaves. */
export interface PostgresOptions {
  /** The schema of its table: 1 to 63 bytes without a dot; created if missing. Default `latchkey`. */
  readonly schema?: string;
  /** Connections at the most. Default 10. */
  readonly connections?: number;
  /** Milliseconds after which a call that has not been answered fails. Default 5000. */
  readonly timeout?: number;
}

/** What the table looks like, step by step; a database that is behind takes the steps it lacks. */
const migrations: readonly ((schema: string) => string)[] = [
  (schema) => `
    CREATE TABLE ${schema}.record (
      kind text NOT NULL,
      id text NOT NULL,
      value text NOT NULL,
      family text,
      spent_at double precision,
      expires_at double precision NOT NULL,
      PRIMARY KEY (kind, id)
    );
    CREATE INDEX record_expires_at ON ${schema}.record (expires_at) WHERE expires_at < 'Infinity';
  `,
  (schema) => `
    CREATE INDEX record_listed ON ${schema}.record (kind, id COLLATE "C") WHERE kind IN ('client', 'user', 'override');
  `,
];

/**
 * Maximum length of a name in PostgreSQL, in bytes. It truncates longer names when creating them, but not when
 * comparing.
 */
const maxSchemaNameBytes = 63;

/** So many records go at a time, so that a sweep holds few locks and none for long. */
const deleteBatchSize = 500;

/** Milliseconds that making or mending the table may take, and waiting for another instance that does. */
const migrationTimeoutMs = 60_000;

interface Row {
  readonly value: string;
  readonly family: string | null;
  readonly spent_at: number | null;
  readonly expires_at: number;
}

interface ListedRow extends Row {
  readonly id: string;
}

/**
 * Opens the store in a PostgreSQL database (12 or newer), named as `postgres://user:password@host:5432/database`, with
 * `?sslmode=verify-full` where TLS is wanted, as it should be to any other machine: the certificate must be valid for the
 * host, by an authority that the runtime knows or by one in `sslrootcert=PATH`. Makes its schema and table when they are not there, and brings older ones up
 * to date; instances that start together wait for each other. What a call has answered is committed: it is as durable as
 * the database's `synchronous_commit` says.
 *
 * @throws {StoreError} if the database cannot be reached or used. The store's calls reject with the same error; it
 * connects again by itself.
 *
 * @example
 * ```ts
 * import { latchkey } from "@latchkey/latchkey";
 * import { postgresStore } from "@latchkey/latchkey/stores/postgres";
 *
 * const as = await latchkey({ store: postgresStore("postgres://localhost/latchkey") });
 * ```
 */
export async function postgresStore(url: string, options: PostgresOptions = {}): Promise<Store> {
  const { schema = "latchkey", connections = 10, timeout = 5000 } = options;
  assertUrl(url, "the PostgreSQL database", "postgres://user:password@host:5432/database");
  const location = displayUrl(url);
  const size = new TextEncoder().encode(schema).length;
  if (size === 0 || size > maxSchemaNameBytes || /[.\0]/.test(schema)) throw invalidSchemaName(location, schema);
  const pool = openPool(readTls(url, location), { location, maxConnections: connections, timeoutMs: timeout });
  const table = (sql: Sql) => sql(`${schema}`);

  try {
    await pool.query((sql) => migrate(sql, schema, location), migrationTimeoutMs);
  } catch (error) {
    await pool.close();
    throw error;
  }
  let closed: Promise<void> | undefined;

  // Doubles travel as text both ways, so that none loses a digit and infinity has a name.
  return {
    persistent: true,
    async get<K extends RecordKind>(kind: K, id: string): Promise<StoredRecord<Records[K]> | undefined> {
      const [row] = await pool.query((sql) =>
        sql<Row[]>`SELECT value, family, spent_at, expires_at FROM ${table(sql)}.record
          WHERE kind = ${kind} AND id = ${escapeKey(id)}`
      );
      return row && toStoredRecord<Records[K]>(row);
    },
    async put(kind, id, value, { grantId, expiresAt }) {
      await pool.query((sql) =>
        sql`
        INSERT INTO ${table(sql)}.record (kind, id, value, family, expires_at)
        VALUES (${kind}, ${escapeKey(id)}, ${JSON.stringify(value)}, ${escapeKeyOrNull(grantId)}, ${expiresAt})
        ON CONFLICT (kind, id) DO UPDATE
        SET value = excluded.value, family = excluded.family, spent_at = NULL, expires_at = excluded.expires_at`
      );
    },
    async add(kind, id, value, { grantId, expiresAt }) {
      const { count } = await pool.query((sql) =>
        sql`
        INSERT INTO ${table(sql)}.record (kind, id, value, family, expires_at)
        VALUES (${kind}, ${escapeKey(id)}, ${JSON.stringify(value)}, ${escapeKeyOrNull(grantId)}, ${expiresAt})
        ON CONFLICT (kind, id) DO NOTHING`
      );
      return count === 1;
    },
    async consume(kind, id, now) {
      const { count } = await pool.query((sql) =>
        sql`
        UPDATE ${table(sql)}.record SET spent_at = ${now}
        WHERE kind = ${kind} AND id = ${escapeKey(id)} AND spent_at IS NULL`
      );
      return count === 1;
    },
    async revoke(grantId, until) {
      await pool.query((sql) =>
        sql`
        INSERT INTO ${table(sql)}.record (kind, id, value, expires_at)
        VALUES ('ended_family', ${escapeKey(grantId)}, '{}', ${until})
        ON CONFLICT (kind, id) DO UPDATE SET expires_at = excluded.expires_at
        WHERE excluded.expires_at > record.expires_at`
      );
    },
    async delete(kind, id) {
      await pool.query((sql) => sql`DELETE FROM ${table(sql)}.record WHERE kind = ${kind} AND id = ${escapeKey(id)}`);
    },
    async list<K extends RecordKind>(kind: K, { prefix, after, limit }: ListOptions) {
      const { from, to } = idRange(prefix, after);
      const rows = await pool.query((sql) =>
        sql<ListedRow[]>`SELECT id, value, family, spent_at, expires_at FROM ${table(sql)}.record
          WHERE ${ofKind(sql, kind)} AND id COLLATE "C" >= ${from} AND id COLLATE "C" < ${to}
          ORDER BY id COLLATE "C" LIMIT ${limit}`
      );
      return rows.map((row) => ({ id: unescapeKey(row.id), ...toStoredRecord<Records[K]>(row) }));
    },
    async count(kind, prefix) {
      const { from, to } = idRange(prefix);
      const [row] = await pool.query((sql) =>
        sql<{ records: string }[]>`SELECT count(*) AS records FROM ${table(sql)}.record
          WHERE ${ofKind(sql, kind)} AND id COLLATE "C" >= ${from} AND id COLLATE "C" < ${to}`
      );
      return Number(row!.records);
    },
    async deleteExpired(now) {
      // Infinity keeps a record even from an infinite clock.
      const expiredBefore = Math.min(now, Number.MAX_VALUE);
      let removed = 0;
      while (closed === undefined) {
        // What another instance sweeps at this moment is its business.
        const { count } = await pool.query((sql) =>
          sql`
          DELETE FROM ${table(sql)}.record WHERE ctid = ANY(ARRAY(
            SELECT ctid FROM ${table(sql)}.record WHERE expires_at <= ${expiredBefore} AND expires_at < 'Infinity'
            LIMIT ${deleteBatchSize} FOR UPDATE SKIP LOCKED))`
        );
        removed += count;
        if (count < deleteBatchSize) break;
      }
      return removed;
    },
    close() {
      return closed ??= pool.close();
    },
  };
}

/** Makes or mends the table. Under a lock of the whole database, so that instances that start together take turns. */
async function migrate(sql: Sql, schema: string, location: string): Promise<void> {
  await sql.begin(async (sql) => {
    await sql.unsafe(`SET LOCAL statement_timeout = ${migrationTimeoutMs}`);
    await sql`SELECT pg_advisory_xact_lock(hashtext(${`latchkey ${schema}`}))`;
    const name = `"${schema.replaceAll('"', '""')}"`;
    const [schemaRow] = await sql`SELECT 1 FROM pg_namespace WHERE nspname = ${schema}`;
    if (schemaRow === undefined) await sql.unsafe(`CREATE SCHEMA ${name}`);
    await sql.unsafe(`CREATE TABLE IF NOT EXISTS ${name}.version (number integer NOT NULL)`);
    const [row] = await sql.unsafe<{ number: number }[]>(`SELECT number FROM ${name}.version`);
    const foundVersion = row?.number ?? 0;
    if (foundVersion > migrations.length) throw versionMismatch(location, migrations.length, foundVersion);
    for (const migration of migrations.slice(foundVersion)) await sql.unsafe(migration(name));
    if (row === undefined) await sql.unsafe(`INSERT INTO ${name}.version VALUES (${migrations.length})`);
    else if (foundVersion < migrations.length) {
      await sql.unsafe(`UPDATE ${name}.version SET number = ${migrations.length}`);
    }
  });
}

/** The database as a person may be told of it: never with its password. */
function displayUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

function toStoredRecord<T>({ value, family, spent_at, expires_at }: Row): StoredRecord<T> {
  return {
    value: JSON.parse(value),
    ...(family !== null && { grantId: unescapeKey(family) }),
    expiresAt: Number(expires_at),
    ...(spent_at !== null && { consumedAt: Number(spent_at) }),
  };
}

/** The kind as a literal: with a parameter, PostgreSQL may plan without the partial index. */
function ofKind(sql: Sql, kind: RecordKind) {
  return sql.unsafe(`kind = '${kind}'`);
}

function escapeKeyOrNull(text: string | undefined): string | null {
  return text === undefined ? null : escapeKey(text);
}
