/** A store in PostgreSQL, for any number of instances and machines. Needs the `postgres` package. */

import { type Store, storeOptions } from "../../../core/store/store.ts";
import { displayUrl } from "../display_url.ts";
import { type SqlRow, sqlStore, type SqlValue } from "../../../core/store/sql.ts";
import { invalidSchemaName, versionMismatch } from "./postgres_errors.ts";
import { openPool, type Sql } from "./postgres_pool.ts";
import { readTls } from "./postgres_sockets.ts";

export { StoreError } from "../../../core/store/store.ts";

/** Options of a PostgreSQL store. */
export interface PostgresOptions {
  /** The schema of its table: 1 to 63 bytes without a dot; created if missing. Default: `latchkey`. */
  readonly schema?: string;
  /** Maximum number of connections. Default: 10. */
  readonly connections?: number;
  /** Milliseconds after which a call fails. Default: 5000. */
  readonly timeout?: number;
}

const defaults: Required<PostgresOptions> = { schema: "latchkey", connections: 10, timeout: 5000 };

/** The migrations of the table, in order; a database runs the migrations that it lacks. */
const migrations: readonly ((schema: string) => string)[] = [
  (schema) => `
    CREATE TABLE ${schema}.record (
      kind text NOT NULL,
      id text NOT NULL,
      value text NOT NULL,
      grant_id text,
      consumed_at double precision,
      expires_at double precision NOT NULL,
      PRIMARY KEY (kind, id)
    );
    CREATE INDEX record_expires_at ON ${schema}.record (expires_at) WHERE expires_at < 'Infinity';
  `,
  (schema) => `
    CREATE INDEX record_listed ON ${schema}.record (kind, id COLLATE "C") WHERE kind IN ('client', 'user');
  `,
];

/**
 * Maximum length of a name in PostgreSQL, in bytes. It truncates longer names when creating them, but not when
 * comparing.
 */
const maxSchemaNameBytes = 63;

/** Maximum number of records deleted by one statement, so that it holds few locks, for a short time. */
const deleteBatchSize = 500;

/** Maximum duration, in milliseconds, of migrations and of the wait for another instance that migrates. */
const migrationTimeoutMs = 60_000;

/**
 * Opens the store in a PostgreSQL database (12 or newer). The URL is `postgres://user:password@host:5432/database`. For
 * a database on another machine add `?sslmode=verify-full`: the certificate must be valid for the host, issued by an
 * authority that the runtime knows, or by the authority in `sslrootcert=PATH`.
 *
 * The store creates and migrates its schema and table; instances that start together wait for each other. The
 * durability of a write depends on the database's `synchronous_commit`.
 *
 * @throws {StoreError} If the database cannot be reached or used. The store's calls reject with the same error; it
 *   reconnects by itself.
 * @throws {TypeError} If an option is unknown.
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
  const { schema, connections, timeout } = storeOptions("postgresStore", defaults, options);
  const location = displayUrl(url, "the PostgreSQL database", "postgres://user:password@host:5432/database");
  const size = new TextEncoder().encode(schema).length;
  if (size === 0 || size > maxSchemaNameBytes || /[.\0]/.test(schema)) throw invalidSchemaName(location, schema);
  const pool = openPool(readTls(url, location), { location, maxConnections: connections, timeoutMs: timeout });
  const table = `${quoteIdentifier(schema)}.record`;

  try {
    await pool.query((sql) => migrate(sql, schema, location), migrationTimeoutMs);
  } catch (error) {
    await pool.close();
    throw error;
  }
  const run = (text: string, values: SqlValue[]) =>
    pool.query((sql) => sql.unsafe<SqlRow[]>(text, values, { prepare: true }));
  // Rows that another instance deletes at this moment are skipped.
  const deleteBatch = (condition: string) =>
    `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${deleteBatchSize} FOR UPDATE SKIP LOCKED))`;
  return sqlStore({
    table,
    placeholder: (number) => `$${number}`,
    collation: ' COLLATE "C"',
    deleteExpired: deleteBatch("expires_at <= $1 AND expires_at < 'Infinity'"),
    deleteRange: deleteBatch('kind = $1 AND id COLLATE "C" >= $2 AND id COLLATE "C" < $3'),
    deleteBatchSize,
    select: run,
    change: async (text, values) => (await run(text, values)).count,
    close: () => pool.close(),
  });
}

/** Creates or migrates the table, under a lock of the database: of two instances, one waits for the other. */
async function migrate(sql: Sql, schema: string, location: string): Promise<void> {
  await sql.begin(async (sql) => {
    await sql.unsafe(`SET LOCAL statement_timeout = ${migrationTimeoutMs}`);
    await sql`SELECT pg_advisory_xact_lock(hashtext(${`latchkey ${schema}`}))`;
    const name = quoteIdentifier(schema);
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

function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
