/** A store in one SQLite file, through the `node:sqlite` that Deno, Bun and Node (from 22.13) all have. */

import { chmodSync, closeSync, openSync, realpathSync, statSync } from "node:fs";
import { resolve, sep } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { plain, unplain } from "../escape_key.ts";
import { foreignFile, looseFile, notAFile, otherVersion, sqliteError } from "./sqlite_errors.ts";
import type { Entry, Kind, Records, Store } from "../store.ts";

export { StoreError, type StoreFault } from "../store_error.ts";

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
const version = 1;

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
  PRAGMA user_version = ${version};
`;

/** So many records go at a time, so that a sweep keeps no other writer waiting for long. */
const sweepBatch = 200;

interface Row {
  readonly value: string;
  readonly family: string | null;
  readonly spent_at: number | null;
  readonly expires_at: number;
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
  const place = path === ":memory:" ? path : resolve(path);
  const { database, read, write, writeNew, writeLonger, mark, clear } = await open(place, options);
  let closed = false;

  function answer<T>(work: () => T): Promise<T> {
    try {
      return Promise.resolve(work());
    } catch (error) {
      return Promise.reject(sqliteError(place, error));
    }
  }

  return {
    lasting: true,
    get<K extends Kind>(kind: K, id: string): Promise<Entry<Records[K]> | undefined> {
      return answer(() => {
        const row = read.get(kind, plain(id)) as Row | undefined;
        return row && entryOf<Records[K]>(row);
      });
    },
    put(kind, id, value, { family, expiresAt }) {
      return answer(() => {
        write.run(kind, plain(id), JSON.stringify(value), plainOrNull(family), expiresAt);
      });
    },
    add(kind, id, value, { family, expiresAt }) {
      return answer(() =>
        writeNew.run(kind, plain(id), JSON.stringify(value), plainOrNull(family), expiresAt).changes === 1
      );
    },
    spend(kind, id, now) {
      return answer(() => mark.run(now, kind, plain(id)).changes === 1);
    },
    revoke(family, until) {
      return answer(() => {
        writeLonger.run("ended_family", plain(family), "{}", null, until);
      });
    },
    async sweep(now) {
      // Infinity keeps a record even from an infinite clock.
      const due = Math.min(now, Number.MAX_VALUE);
      let removed = 0;
      while (!closed) {
        const batch = await answer(() => Number(clear.run(due).changes));
        removed += batch;
        if (batch < sweepBatch) break;
        await pause();
      }
      return removed;
    },
    close() {
      if (closed) return Promise.resolve();
      closed = true;
      // The last handle to close moves what the write-ahead log holds into the file, and removes the log.
      return answer(() => database.close());
    },
  };
}

async function open(
  place: string,
  { durability = "process", lockTimeout = 5000, warn = () => {} }: SqliteOptions,
): Promise<Handle> {
  let database: DatabaseSync | undefined;
  try {
    if (place !== ":memory:") {
      claim(place);
      refuseForeign(place);
    }
    database = new DatabaseSync(place);
    database.exec(`PRAGMA busy_timeout = ${lockTimeout}`);
    database.exec(`PRAGMA synchronous = ${durability === "power" ? "FULL" : "NORMAL"}`);
    furnish(database, place, warn);
    await logAhead(database, lockTimeout);
    return { database, ...prepare(database) };
  } catch (error) {
    database?.close();
    throw sqliteError(place, error);
  }
}

/** Makes the file if there is none, for its owner alone; SQLite gives its log the same mode. */
function claim(place: string): void {
  try {
    closeSync(openSync(place, "wx", 0o600));
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EEXIST") throw error;
    // Looked at without opening: closing a file drops the locks that other handles of this process hold on it.
    const found = statSync(place);
    if (!found.isFile()) throw notAFile(place, found.isDirectory());
  }
}

/**
 * Looks at the file before it is opened for writing, because merely opening another program's database may tidy up its
 * log. As an immutable file it is read without a trace; not every runtime takes a URL, then read-only has to do. What
 * cannot be looked at is left to {@link furnish} to judge.
 */
function refuseForeign(place: string): void {
  for (const location of [`${pathToFileURL(place).href}?immutable=1`, place]) {
    let database: DatabaseSync | undefined;
    try {
      database = new DatabaseSync(location, { readOnly: true });
      // One moment's view: another process may be furnishing the file just now.
      database.exec("BEGIN");
      if (!isForeign(database)) return;
    } catch {
      continue;
    } finally {
      database?.close();
    }
    throw foreignFile(place);
  }
}

/** Makes the table if the file is empty. Under the write lock, so that of two processes one waits for the other. */
function furnish(database: DatabaseSync, place: string, warn: (message: string) => void): void {
  database.exec("BEGIN IMMEDIATE");
  if (isForeign(database)) throw foreignFile(place);
  makePrivate(place, warn);
  if (isBlank(database)) database.exec(schema);
  const found = pragma(database, "user_version");
  if (found !== version) throw otherVersion(place, version, found);
  database.exec("COMMIT");
}

/** Restricts an existing file and its log to their owner: both contain private keys. */
function makePrivate(place: string, warn: (message: string) => void): void {
  // Windows has no such permission bits.
  if (place === ":memory:" || sep !== "/") return;
  const file = realpathSync(place);
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined || (found.mode & 0o077) === 0) continue;
    const permissions = (found.mode & 0o777).toString(8).padStart(4, "0");
    try {
      chmodSync(path, 0o600);
    } catch (error) {
      throw looseFile(place, path, permissions, error);
    }
    warn(
      `Changed the permissions of ${path} from ${permissions} to 0600: it holds private keys. ` +
        "If other users may have read it, replace the keys: set keys.rotateEvery, or use a new store.",
    );
  }
}

/** Changing to the write-ahead log needs the file alone for a moment, and SQLite does not wait for that by itself. */
async function logAhead(database: DatabaseSync, lockTimeout: number): Promise<void> {
  for (let waited = 0;; waited += 10) {
    try {
      return database.exec("PRAGMA journal_mode = WAL");
    } catch (error) {
      if (waited >= lockTimeout) throw error;
    }
    await pause(10);
  }
}

type Handle = { database: DatabaseSync } & ReturnType<typeof prepare>;

/** Every statement the store runs. */
function prepare(database: DatabaseSync) {
  const insert = "INSERT INTO record (kind, id, value, family, expires_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO";
  return {
    read: database.prepare("SELECT value, family, spent_at, expires_at FROM record WHERE kind = ? AND id = ?"),
    write: database.prepare(
      `${insert} UPDATE SET value = excluded.value, family = excluded.family, spent_at = NULL,
         expires_at = excluded.expires_at`,
    ),
    writeNew: database.prepare(`${insert} NOTHING`),
    writeLonger: database.prepare(
      `${insert} UPDATE SET expires_at = excluded.expires_at WHERE excluded.expires_at > expires_at`,
    ),
    // One atomic step. Its rows are counted, not RETURNed: a row can be returned and its commit fail afterwards.
    mark: database.prepare("UPDATE record SET spent_at = ? WHERE kind = ? AND id = ? AND spent_at IS NULL"),
    clear: database.prepare(
      `DELETE FROM record WHERE rowid IN (SELECT rowid FROM record WHERE expires_at <= ? LIMIT ${sweepBatch})`,
    ),
  };
}

function isForeign(database: DatabaseSync): boolean {
  return pragma(database, "application_id") !== applicationId && !isBlank(database);
}

/** Nobody has made a table in it or marked it as theirs. */
function isBlank(database: DatabaseSync): boolean {
  return ["application_id", "user_version", "schema_version"].every((name) => pragma(database, name) === 0);
}

function pragma(database: DatabaseSync, name: string): number {
  return database.prepare(`PRAGMA ${name}`).get()![name] as number;
}

function pause(milliseconds = 0): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function entryOf<T>({ value, family, spent_at, expires_at }: Row): Entry<T> {
  return {
    value: JSON.parse(value),
    ...(family !== null && { family: unplain(family) }),
    expiresAt: expires_at,
    ...(spent_at !== null && { spentAt: spent_at }),
  };
}

function plainOrNull(text: string | undefined): string | null {
  return text === undefined ? null : plain(text);
}
