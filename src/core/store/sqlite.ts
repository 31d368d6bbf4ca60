/** A store in one SQLite file, with `node:sqlite` of Deno, Bun and Node (22.13 or newer). */

import { closeSync, openSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { type Store, StoreError, type StoreErrorPhrases, storeOptions } from "./store.ts";
import { sleep } from "../http/timers.ts";
import { type SqlRow, sqlStore } from "./sql.ts";

/** Options of a SQLite store. */
export interface SqliteOptions {
  /** What a write that has returned survives: the end of the process (the default), or also a power failure. */
  readonly durability?: "process" | "power";
  /** Milliseconds to wait while another process writes; this blocks the calling process. Default: 5000. */
  readonly lockTimeout?: number;
}

export const sqliteDefaults: Required<SqliteOptions> = { durability: "process", lockTimeout: 5000 };

/** "Ltch" in ASCII: distinguishes Latchkey's files from those of other programs. */
const applicationId = 0x4c746368;
const schemaVersion = 1;

/** `value` is JSON, so a new kind of record needs no new column; `expires_at` may be infinite. */
const schema = `
  CREATE TABLE record (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    value TEXT NOT NULL,
    grant_id TEXT,
    consumed_at REAL,
    expires_at REAL NOT NULL,
    PRIMARY KEY (kind, id)
  ) STRICT;
  CREATE INDEX record_expires_at ON record (expires_at);
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${schemaVersion};
`;

/** The hint for a file that cannot become a store. */
export const anotherPath = "choose another path, where a new store is created";

/** Maximum number of records deleted by one statement, because it blocks other writers. */
const deleteBatchSize = 200;

/** What `platform/store/sqlite.ts` adds. */
export interface SqliteHooks {
  /** Checks the file before it is opened for writing. Not called for `:memory:`. */
  readonly beforeOpen?: (location: string) => void;
  /** Called under the write lock before the first write, unless the file is a database of another program. */
  readonly beforeWrite?: (location: string) => void;
  /** Says what a message of SQLite or of the file system means. Default: the message is shown. */
  readonly describe?: (message: string) => StoreErrorPhrases | undefined;
}

/**
 * Opens the store in the file at `path`. A missing file is created; its folder must exist. `:memory:` keeps all records
 * in memory.
 *
 * @throws {StoreError} If the file cannot be opened. The store's calls reject with the same error.
 * @throws {TypeError} If an option is unknown.
 */
export async function sqliteStore(path: string, options: SqliteOptions = {}, hooks: SqliteHooks = {}): Promise<Store> {
  const location = path === ":memory:" ? path : resolve(path);
  const resolved = storeOptions("sqliteStore", sqliteDefaults, options);
  const database = await openDatabase(location, resolved, hooks).catch((error) => Promise.reject(storeError(error)));
  const statements = new Map<string, StatementSync>();

  function prepare(text: string): StatementSync {
    let statement = statements.get(text);
    if (statement === undefined) statements.set(text, statement = database.prepare(text));
    return statement;
  }

  function run<T>(operation: () => T): Promise<T> {
    try {
      return Promise.resolve(operation());
    } catch (error) {
      return Promise.reject(storeError(error));
    }
  }

  function storeError(error: unknown): StoreError {
    if (error instanceof StoreError) return error;
    const message = error instanceof Error ? error.message : String(error);
    const phrases = hooks.describe?.(message) ?? {
      expected: "a working SQLite store",
      received: `the error "${message}"`,
      hint: "check the file, its folder and the permissions of this process",
    };
    return new StoreError({ location, ...phrases }, error);
  }

  const deleteBatch = (condition: string) =>
    `DELETE FROM record WHERE rowid IN (SELECT rowid FROM record WHERE ${condition} LIMIT ${deleteBatchSize})`;
  return sqlStore({
    table: "record",
    placeholder: (number) => `?${number}`,
    deleteExpired: deleteBatch("expires_at <= ?1"),
    deleteRange: deleteBatch("kind = ?1 AND id >= ?2 AND id < ?3"),
    deleteBatchSize,
    select: (text, values) => run(() => prepare(text).all(...values) as SqlRow[]),
    change: (text, values) => run(() => Number(prepare(text).run(...values).changes)),
    // The last handle to close moves the write-ahead log into the file, and removes the log.
    close: () => run(() => database.close()),
  });
}

async function openDatabase(
  location: string,
  { durability, lockTimeout }: Required<SqliteOptions>,
  { beforeOpen, beforeWrite }: SqliteHooks,
): Promise<DatabaseSync> {
  let database: DatabaseSync | undefined;
  try {
    if (location !== ":memory:") {
      createFile(location);
      beforeOpen?.(location);
    }
    database = new DatabaseSync(location);
    database.exec(`PRAGMA busy_timeout = ${lockTimeout}`);
    database.exec(`PRAGMA synchronous = ${durability === "power" ? "FULL" : "NORMAL"}`);
    migrate(database, location, beforeWrite);
    await enableWal(database, lockTimeout);
    return database;
  } catch (error) {
    database?.close();
    throw error;
  }
}

/**
 * Creates a missing file, for its owner only; SQLite gives its log the same mode. An existing file is not opened:
 * closing it would drop the locks that other handles of this process hold on it.
 *
 * @throws {StoreError} If it is a link to a missing file, which SQLite would create with permissions for others.
 */
function createFile(location: string): void {
  try {
    closeSync(openSync(location, "wx", 0o600));
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EEXIST") throw error;
    if (statSync(location, { throwIfNoEntry: false }) !== undefined) return;
    throw new StoreError({
      location,
      expected: "a file, or a path where one can be created",
      received: "a link to a missing file",
      hint: "create the file that it leads to, for its owner only, or remove the link",
    }, error);
  }
}

/** Creates the table if the file is empty, under the write lock: of two processes, one waits for the other. */
function migrate(database: DatabaseSync, location: string, beforeWrite: SqliteHooks["beforeWrite"]): void {
  database.exec("BEGIN IMMEDIATE");
  assertOwnDatabase(database, location);
  beforeWrite?.(location);
  if (isEmptyDatabase(database)) database.exec(schema);
  const foundVersion = readPragma(database, "user_version");
  if (foundVersion !== schemaVersion) {
    throw new StoreError({
      location,
      expected: `a Latchkey database of version ${schemaVersion}`,
      received: `version ${foundVersion}`,
      hint: `run the release of Latchkey that created it, or ${anotherPath}`,
    });
  }
  // A damaged file may lack the table.
  database.prepare("SELECT kind, id, value, grant_id, consumed_at, expires_at FROM record");
  database.exec("COMMIT");
}

/**
 * Enables the write-ahead log, which needs exclusive access to the file. SQLite itself does not wait for that access.
 */
async function enableWal(database: DatabaseSync, lockTimeout: number): Promise<void> {
  for (let waitedMs = 0;; waitedMs += 10) {
    try {
      return database.exec("PRAGMA journal_mode = WAL");
    } catch (error) {
      if (waitedMs >= lockTimeout) throw error;
    }
    await sleep(10);
  }
}

/** @throws {StoreError} If the file is a database of another program. */
export function assertOwnDatabase(database: DatabaseSync, location: string): void {
  if (readPragma(database, "application_id") === applicationId || isEmptyDatabase(database)) return;
  throw new StoreError({
    location,
    expected: "a database of Latchkey",
    received: "a SQLite database of another program, which was not changed",
    hint: anotherPath,
  });
}

/** Whether the file has no table and no mark of a program. */
function isEmptyDatabase(database: DatabaseSync): boolean {
  return ["application_id", "user_version", "schema_version"].every((name) => readPragma(database, name) === 0);
}

function readPragma(database: DatabaseSync, name: string): number {
  return database.prepare(`PRAGMA ${name}`).get()![name] as number;
}
