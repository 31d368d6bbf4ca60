/** A store in one SQLite file, through the `node:sqlite` that Deno, Bun and Node (from 22.13) all have. */

import { chmodSync, closeSync, openSync, realpathSync, statSync } from "node:fs";
import { resolve, sep } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { escapeKey, idRange, unescapeKey } from "../escape_key.ts";
import { foreignDatabase, insecurePermissions, notAFile, sqliteError, versionMismatch } from "./sqlite_errors.ts";
import type { ListOptions, RecordKind, Records, Store, StoredRecord } from "../store.ts";

export { StoreError, type StoreErrorDetails } from "../store_error.ts";

/** How a SQLite store keeps its promises. */
export interface SqliteOptions {
  /**
   * What a record survives from the moment that the call which wrote it is answered.
   *
   * - `process` (the default): the end of the process, `kill -9` included. Only a power cut or a crash of the operating
   *   system may lose the records of the last moments, and the last marks of what was spent with them.
   * - `power`: these too. Each write then waits until the disk says that it is done: some six times what the store takes
   *   otherwise, on a quick disk.
   */
  readonly durability?: "process" | "power";
  /** Milliseconds to wait while another process is writing; the calling process stands still meanwhile. Default 5000. */
  readonly lockTimeout?: number;
  /** Receives a sentence if opening the file corrected its permissions. Default: not reported. */
  readonly warn?: (message: string) => void;
}

/** "Ltch" in ASCII: tells our files from those of other programs. */
const applicationId = 0x4c746368;
const schemaVersion = 1;

/** `value` is JSON, so a new kind of record needs no new column; `expires_at` may be infinite. */
const schema = `
  CREATE TABLE record (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    value TEXT NOT NULL,
    family TEXT,
    spent_at REAL,
    expires_at REAL NOT NULL,
    PRIMARY KEY (kind, id)
  ) STRICT;
  CREATE INDEX record_expires_at ON record (expires_at);
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${schemaVersion};
`;

/** So many records go at a time, so that a sweep keeps no other writer waiting for long. */
const deleteBatchSize = 200;

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
 * Opens the store in the file at `path`, making the file (readable by its owner alone, for private keys live in it) if
 * there is none; its folder must exist. `:memory:` keeps everything in memory. Any number of handles and processes on one
 * machine may share a file; network file systems cannot.
 *
 * Permissions of an existing file that others can read are restricted to its owner.
 *
 * @throws {StoreError} if the file cannot be opened, is not ours, cannot be made private, is damaged, or stays
 *   locked. Files of other programs are never written. The store's calls reject with the same error.
 */
export async function sqliteStore(path: string, options: SqliteOptions = {}): Promise<Store> {
  const location = path === ":memory:" ? path : resolve(path);
  const {
    database,
    selectRecord,
    upsertRecord,
    insertRecord,
    extendRecord,
    consumeRecord,
    deleteRecord,
    selectPage,
    countRecords,
    deleteExpiredBatch,
  } = await openConnection(location, options);
  let closed = false;

  function run<T>(operation: () => T): Promise<T> {
    try {
      return Promise.resolve(operation());
    } catch (error) {
      return Promise.reject(sqliteError(location, error));
    }
  }

  return {
    persistent: true,
    get<K extends RecordKind>(kind: K, id: string): Promise<StoredRecord<Records[K]> | undefined> {
      return run(() => {
        const row = selectRecord.get(kind, escapeKey(id)) as Row | undefined;
        return row && toStoredRecord<Records[K]>(row);
      });
    },
    put(kind, id, value, { grantId, expiresAt }) {
      return run(() => {
        upsertRecord.run(kind, escapeKey(id), JSON.stringify(value), escapeKeyOrNull(grantId), expiresAt);
      });
    },
    add(kind, id, value, { grantId, expiresAt }) {
      return run(() =>
        insertRecord.run(kind, escapeKey(id), JSON.stringify(value), escapeKeyOrNull(grantId), expiresAt).changes === 1
      );
    },
    consume(kind, id, now) {
      return run(() => consumeRecord.run(now, kind, escapeKey(id)).changes === 1);
    },
    revoke(grantId, until) {
      return run(() => {
        extendRecord.run("ended_family", escapeKey(grantId), "{}", null, until);
      });
    },
    delete(kind, id) {
      return run(() => void deleteRecord.run(kind, escapeKey(id)));
    },
    list<K extends RecordKind>(kind: K, { prefix, after, limit }: ListOptions) {
      return run(() => {
        const { from, to } = idRange(prefix, after);
        const rows = selectPage.all(kind, from, to, limit);
        return (rows as unknown as ListedRow[]).map((row) => ({
          id: unescapeKey(row.id),
          ...toStoredRecord<Records[K]>(row),
        }));
      });
    },
    count(kind, prefix) {
      return run(() => {
        const { from, to } = idRange(prefix);
        return Number(countRecords.get(kind, from, to)!.records);
      });
    },
    async deleteExpired(now) {
      // Infinity keeps a record even from an infinite clock.
      const expiredBefore = Math.min(now, Number.MAX_VALUE);
      let removed = 0;
      while (!closed) {
        const batch = await run(() => Number(deleteExpiredBatch.run(expiredBefore).changes));
        removed += batch;
        if (batch < deleteBatchSize) break;
        await delay();
      }
      return removed;
    },
    close() {
      if (closed) return Promise.resolve();
      closed = true;
      // The last handle to close moves what the write-ahead log holds into the file, and removes the log.
      return run(() => database.close());
    },
  };
}

async function openConnection(
  location: string,
  { durability = "process", lockTimeout = 5000, warn = () => {} }: SqliteOptions,
): Promise<Connection> {
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
    return { database, ...prepareStatements(database) };
  } catch (error) {
    database?.close();
    throw sqliteError(location, error);
  }
}

/** Makes the file if there is none, for its owner alone; SQLite gives its log the same mode. */
function createFile(location: string): void {
  try {
    closeSync(openSync(location, "wx", 0o600));
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EEXIST") throw error;
    // Looked at without opening: closing a file drops the locks that other handles of this process hold on it.
    const stats = statSync(location);
    if (!stats.isFile()) throw notAFile(location, stats.isDirectory());
  }
}

/**
 * Looks at the file before it is opened for writing, because merely opening another program's database may tidy up its
 * log. As an immutable file it is read without a trace; not every runtime takes a URL, then read-only has to do. What
 * cannot be looked at is left to {@link migrate} to judge.
 */
function assertOwnDatabase(location: string): void {
  for (const candidate of [`${pathToFileURL(location).href}?immutable=1`, location]) {
    let database: DatabaseSync | undefined;
    try {
      database = new DatabaseSync(candidate, { readOnly: true });
      // One moment's view: another process may be furnishing the file just now.
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

/** Makes the table if the file is empty. Under the write lock, so that of two processes one waits for the other. */
function migrate(database: DatabaseSync, location: string, warn: (message: string) => void): void {
  database.exec("BEGIN IMMEDIATE");
  if (isForeignDatabase(database)) throw foreignDatabase(location);
  restrictPermissions(location, warn);
  if (isEmptyDatabase(database)) database.exec(schema);
  const foundVersion = readPragma(database, "user_version");
  if (foundVersion !== schemaVersion) throw versionMismatch(location, schemaVersion, foundVersion);
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
        "If other users may have read it, replace the keys: set keys.rotateEvery, or use a new store.",
    );
  }
}

/** Changing to the write-ahead log needs the file alone for a moment, and SQLite does not wait for that by itself. */
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

type Connection = { database: DatabaseSync } & ReturnType<typeof prepareStatements>;

/** Every statement the store runs. */
function prepareStatements(database: DatabaseSync) {
  const insert = "INSERT INTO record (kind, id, value, family, expires_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO";
  return {
    selectRecord: database.prepare("SELECT value, family, spent_at, expires_at FROM record WHERE kind = ? AND id = ?"),
    upsertRecord: database.prepare(
      `${insert} UPDATE SET value = excluded.value, family = excluded.family, spent_at = NULL,
         expires_at = excluded.expires_at`,
    ),
    insertRecord: database.prepare(`${insert} NOTHING`),
    extendRecord: database.prepare(
      `${insert} UPDATE SET expires_at = excluded.expires_at WHERE excluded.expires_at > expires_at`,
    ),
    // One atomic step. Its rows are counted, not RETURNed: a row can be returned and its commit fail afterwards.
    consumeRecord: database.prepare("UPDATE record SET spent_at = ? WHERE kind = ? AND id = ? AND spent_at IS NULL"),
    deleteRecord: database.prepare("DELETE FROM record WHERE kind = ? AND id = ?"),
    selectPage: database.prepare(
      `SELECT id, value, family, spent_at, expires_at FROM record
         WHERE kind = ? AND id >= ? AND id < ? ORDER BY id LIMIT ?`,
    ),
    countRecords: database.prepare("SELECT count(*) AS records FROM record WHERE kind = ? AND id >= ? AND id < ?"),
    deleteExpiredBatch: database.prepare(
      `DELETE FROM record WHERE rowid IN (SELECT rowid FROM record WHERE expires_at <= ? LIMIT ${deleteBatchSize})`,
    ),
  };
}

function isForeignDatabase(database: DatabaseSync): boolean {
  return readPragma(database, "application_id") !== applicationId && !isEmptyDatabase(database);
}

/** Nobody has made a table in it or marked it as theirs. */
function isEmptyDatabase(database: DatabaseSync): boolean {
  return ["application_id", "user_version", "schema_version"].every((name) => readPragma(database, name) === 0);
}

function readPragma(database: DatabaseSync, name: string): number {
  return database.prepare(`PRAGMA ${name}`).get()![name] as number;
}

function delay(milliseconds = 0): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function toStoredRecord<T>({ value, family, spent_at, expires_at }: Row): StoredRecord<T> {
  return {
    value: JSON.parse(value),
    ...(family !== null && { grantId: unescapeKey(family) }),
    expiresAt: expires_at,
    ...(spent_at !== null && { consumedAt: spent_at }),
  };
}

function escapeKeyOrNull(text: string | undefined): string | null {
  return text === undefined ? null : escapeKey(text);
}
