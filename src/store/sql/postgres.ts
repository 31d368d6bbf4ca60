/** A store in PostgreSQL, for any number of instances on any number of machines; through the `postgres` package. */

import { plain, unplain } from "../escape_key.ts";
import { otherSchema, unfitSchema } from "./postgres_errors.ts";
import { openLines } from "./postgres_pool.ts";
import type { Sql } from "./postgres_pool.ts";
import { readTls } from "./postgres_sockets.ts";
import { assertUrl } from "../store_error.ts";
import type { Entry, Kind, Records, Store } from "../store.ts";

export { StoreError, type StoreFault } from "../store_error.ts";

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
const steps: readonly ((schema: string) => string)[] = [
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
];

/**
 * Maximum length of a name in PostgreSQL, in bytes. It truncates longer names when creating them, but not when
 * comparing.
 */
const longestSchema = 63;

/** So many records go at a time, so that a sweep holds few locks and none for long. */
const sweepBatch = 500;

/** Milliseconds that making or mending the table may take, and waiting for another instance that does. */
const furnishing = 60_000;

interface Row {
  readonly value: string;
  readonly family: string | null;
  readonly spent_at: number | null;
  readonly expires_at: number;
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
  const place = placeOf(url);
  const size = new TextEncoder().encode(schema).length;
  if (size === 0 || size > longestSchema || /[.\0]/.test(schema)) throw unfitSchema(place, schema);
  const lines = openLines(readTls(url, place), { place, connections, timeout });
  const table = (sql: Sql) => sql(`${schema}`);

  try {
    await lines.ask((sql) => furnish(sql, schema, place), furnishing);
  } catch (error) {
    await lines.close();
    throw error;
  }
  let closed: Promise<void> | undefined;

  // Doubles travel as text both ways, so that none loses a digit and infinity has a name.
  return {
    lasting: true,
    async get<K extends Kind>(kind: K, id: string): Promise<Entry<Records[K]> | undefined> {
      const [row] = await lines.ask((sql) =>
        sql<Row[]>`SELECT value, family, spent_at, expires_at FROM ${table(sql)}.record
          WHERE kind = ${kind} AND id = ${plain(id)}`
      );
      return row && entryOf<Records[K]>(row);
    },
    async put(kind, id, value, { family, expiresAt }) {
      await lines.ask((sql) =>
        sql`
        INSERT INTO ${table(sql)}.record (kind, id, value, family, expires_at)
        VALUES (${kind}, ${plain(id)}, ${JSON.stringify(value)}, ${plainOrNull(family)}, ${expiresAt})
        ON CONFLICT (kind, id) DO UPDATE
        SET value = excluded.value, family = excluded.family, spent_at = NULL, expires_at = excluded.expires_at`
      );
    },
    async add(kind, id, value, { family, expiresAt }) {
      const { count } = await lines.ask((sql) =>
        sql`
        INSERT INTO ${table(sql)}.record (kind, id, value, family, expires_at)
        VALUES (${kind}, ${plain(id)}, ${JSON.stringify(value)}, ${plainOrNull(family)}, ${expiresAt})
        ON CONFLICT (kind, id) DO NOTHING`
      );
      return count === 1;
    },
    async spend(kind, id, now) {
      const { count } = await lines.ask((sql) =>
        sql`
        UPDATE ${table(sql)}.record SET spent_at = ${now}
        WHERE kind = ${kind} AND id = ${plain(id)} AND spent_at IS NULL`
      );
      return count === 1;
    },
    async revoke(family, until) {
      await lines.ask((sql) =>
        sql`
        INSERT INTO ${table(sql)}.record (kind, id, value, expires_at)
        VALUES ('ended_family', ${plain(family)}, '{}', ${until})
        ON CONFLICT (kind, id) DO UPDATE SET expires_at = excluded.expires_at
        WHERE excluded.expires_at > record.expires_at`
      );
    },
    async sweep(now) {
      // Infinity keeps a record even from an infinite clock.
      const due = Math.min(now, Number.MAX_VALUE);
      let removed = 0;
      while (closed === undefined) {
        // What another instance sweeps at this moment is its business.
        const { count } = await lines.ask((sql) =>
          sql`
          DELETE FROM ${table(sql)}.record WHERE ctid = ANY(ARRAY(
            SELECT ctid FROM ${table(sql)}.record WHERE expires_at <= ${due} AND expires_at < 'Infinity'
            LIMIT ${sweepBatch} FOR UPDATE SKIP LOCKED))`
        );
        removed += count;
        if (count < sweepBatch) break;
      }
      return removed;
    },
    close() {
      return closed ??= lines.close();
    },
  };
}

/** Makes or mends the table. Under a lock of the whole database, so that instances that start together take turns. */
async function furnish(sql: Sql, schema: string, place: string): Promise<void> {
  await sql.begin(async (sql) => {
    await sql.unsafe(`SET LOCAL statement_timeout = ${furnishing}`);
    await sql`SELECT pg_advisory_xact_lock(hashtext(${`latchkey ${schema}`}))`;
    const name = `"${schema.replaceAll('"', '""')}"`;
    const [known] = await sql`SELECT 1 FROM pg_namespace WHERE nspname = ${schema}`;
    if (known === undefined) await sql.unsafe(`CREATE SCHEMA ${name}`);
    await sql.unsafe(`CREATE TABLE IF NOT EXISTS ${name}.version (number integer NOT NULL)`);
    const [row] = await sql.unsafe<{ number: number }[]>(`SELECT number FROM ${name}.version`);
    const found = row?.number ?? 0;
    if (found > steps.length) throw otherSchema(place, steps.length, found);
    for (const step of steps.slice(found)) await sql.unsafe(step(name));
    if (row === undefined) await sql.unsafe(`INSERT INTO ${name}.version VALUES (${steps.length})`);
    else if (found < steps.length) await sql.unsafe(`UPDATE ${name}.version SET number = ${steps.length}`);
  });
}

/** The database as a person may be told of it: never with its password. */
function placeOf(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

function entryOf<T>({ value, family, spent_at, expires_at }: Row): Entry<T> {
  return {
    value: JSON.parse(value),
    ...(family !== null && { family: unplain(family) }),
    expiresAt: Number(expires_at),
    ...(spent_at !== null && { spentAt: Number(spent_at) }),
  };
}

function plainOrNull(text: string | undefined): string | null {
  return text === undefined ? null : plain(text);
}
