/** A store in one SQLite file, with `node:sqlite` of Deno, Bun and Node (22.13 or newer). */

import { chmodSync, closeSync, openSync, realpathSync, statSync } from "node:fs";
import { resolve, sep } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { resolveOptions, type Store, StoreError, type StoreErrorDetails } from "./store.ts";
import { delay } from "../timers.ts";
import { type SqlRow, sqlStore } from "./sql.ts";

/** Options of a SQLite store. */
export interface SqliteOptions {
  /**
   * The durability of a write that has returned.
   *
   * - `process` (the default): it survives the end of the process, `kill -9` included. A power failure or a crash of
   *   the operating system may lose the latest records, and the latest marks of consumed records.
   * - `power`: it also survives a power failure. Each write waits for the disk: about six times as long, on a fast
   *   disk.
   */
  readonly durability?: "process" | "power";
  /** Milliseconds to wait while another process writes; this blocks the calling process. Default: 5000. */
  readonly lockTimeout?: number;
  /** Receives a sentence if opening the file corrected its permissions. Default: not reported. */
  readonly warn?: (message: string) => void;
}

const defaults: Required<SqliteOptions> = { durability: "process", lockTimeout: 5000, warn: () => {} };

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

/** Maximum number of records deleted by one statement, because it blocks other writers. */
const deleteBatchSize = 200;

/** The parts of the message about an error, without the store. */
export type StoreErrorPhrases = Omit<StoreErrorDetails, "location">;

/**
 * Opens the store in the file at `path`. A missing file is created; its folder must exist. `:memory:` keeps all records
 * in memory.
 *
 * @param describe Says what a message of SQLite or of the file system means. Default: the message is shown.
 * @throws {StoreError} If the file cannot be opened. The store's calls reject with the same error.
 * @throws {TypeError} If an option is unknown.
 */
export async function sqliteStore(
  path: string,
  options: SqliteOptions = {},
  describe?: (message: string) => StoreErrorPhrases | undefined,
): Promise<Store> {
  const location = path === ":memory:" ? path : resolve(path);
  const resolved = resolveOptions("sqliteStore", defaults, options);
  const database = await openDatabase(location, resolved).catch((error) => Promise.reject(storeError(error)));
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
    const phrases = describe?.(message) ?? {
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
  { durability, lockTimeout, warn }: Required<SqliteOptions>,
): Promise<DatabaseSync> {
  let database: DatabaseSync | undefined;
  try {
    if (location !== ":memory:") {
      createFile(location);
      assertOwnDatabase(location);
    }
    database = new DatabaseSync(location);
    database.exec(`PRAGMA busy_timeout = ${lockTimeout}`);
    database.exec(`PRAGMA synchronous = ${durability === "power" ? "FULL" : "NORMAL"}`);
    migrate(database, location, warn);
    await enableWal(database, lockTimeout);
    return database;
  } catch (error) {
    database?.close();
    throw error;
  }
}

/** Creates a missing file, for its owner only; SQLite gives its log the same mode. */
function createFile(location: string): void {
  try {
    closeSync(openSync(location, "wx", 0o600));
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EEXIST") throw error;
    // The file is not opened, because closing it would drop the locks that other handles of this process hold on it.
    const stats = statSync(location);
    if (!stats.isFile()) throw notAFile(location, stats.isDirectory());
  }
}

/**
 * Checks the file before it is opened for writing, because opening another program's database may change its log. An
 * immutable file is read without a trace; on runtimes that accept no URL, read-only is the closest. {@link migrate}
 * checks files that cannot be read here.
 */
function assertOwnDatabase(location: string): void {
  for (const candidate of [`${pathToFileURL(location).href}?immutable=1`, location]) {
    let database: DatabaseSync | undefined;
    try {
      database = new DatabaseSync(candidate, { readOnly: true });
      // One snapshot: another process may be creating the table.
      database.exec("BEGIN");
      if (!isForeignDatabase(database)) return;
    } catch {
      continue;
    } finally {
      database?.close();
    }
    throw foreignDatabase(location);
  }
}

/** Creates the table if the file is empty, under the write lock: of two processes, one waits for the other. */
function migrate(database: DatabaseSync, location: string, warn: (message: string) => void): void {
  database.exec("BEGIN IMMEDIATE");
  if (isForeignDatabase(database)) throw foreignDatabase(location);
  restrictPermissions(location, warn);
  if (isEmptyDatabase(database)) database.exec(schema);
  const foundVersion = readPragma(database, "user_version");
  if (foundVersion !== schemaVersion) throw versionMismatch(location, foundVersion);
  // A damaged file may lack the table.
  database.prepare("SELECT kind, id, value, grant_id, consumed_at, expires_at FROM record");
  database.exec("COMMIT");
}

/** Restricts an existing file and its log to their owner: both contain private keys. */
function restrictPermissions(location: string, warn: (message: string) => void): void {
  // Windows has no such permission bits.
  if (location === ":memory:" || sep !== "/") return;
  const file = realpathSync(location);
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined || (stats.mode & 0o077) === 0) continue;
    const permissions = (stats.mode & 0o777).toString(8).padStart(4, "0");
    try {
      chmodSync(path, 0o600);
    } catch (error) {
      throw insecurePermissions(location, path, permissions, error);
    }
    warn(
      `Changed the permissions of ${path} from ${permissions} to 0600: it holds private keys. ` +
        "If other users may have read it, replace the keys: use a new store, or, if the server has it, keys.rotateEvery.",
    );
  }
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
    await delay(10);
  }
}

function isForeignDatabase(database: DatabaseSync): boolean {
  return readPragma(database, "application_id") !== applicationId && !isEmptyDatabase(database);
}

/** Whether the file has no table and no mark of a program. */
function isEmptyDatabase(database: DatabaseSync): boolean {
  return ["application_id", "user_version", "schema_version"].every((name) => readPragma(database, name) === 0);
}

function readPragma(database: DatabaseSync, name: string): number {
  return database.prepare(`PRAGMA ${name}`).get()![name] as number;
}

const anotherPath = "choose another path, where a new store is created";

function notAFile(location: string, isFolder: boolean): StoreError {
  return new StoreError({
    location,
    expected: "a file",
    received: isFolder ? "a folder" : "a device or a pipe",
    hint: isFolder ? "add a file name to the path" : anotherPath,
  });
}

function insecurePermissions(location: string, path: string, permissions: string, cause: unknown): StoreError {
  return new StoreError({
    location,
    expected: "files that only their owner may read and write, because they hold private keys",
    received: `the permissions ${permissions} on ${path}, which this process cannot change`,
    hint: `change their owner to the user of this process, or run chmod 600 on ${location} and the files beside it`,
  }, cause);
}

function foreignDatabase(location: string): StoreError {
  return new StoreError({
    location,
    expected: "a database of Latchkey",
    received: "a SQLite database of another program, which was not changed",
    hint: anotherPath,
  });
}

function versionMismatch(location: string, foundVersion: number): StoreError {
  return new StoreError({
    location,
    expected: `a Latchkey database of version ${schemaVersion}`,
    received: `version ${foundVersion}`,
    hint: `run the release of Latchkey that created it, or ${anotherPath}`,
  });
}
