/** A store in one SQLite file, with `node:sqlite` of Deno, Bun and Node (22.13 or newer). */

import { chmodSync, realpathSync, statSync } from "node:fs";
import { sep } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { anotherPath, assertOwnDatabase, sqliteDefaults, sqliteStore as open } from "../../core/store/sqlite.ts";
import { type Store, StoreError, type StoreErrorPhrases, storeOptions } from "../../core/store/store.ts";

export { StoreError } from "../../core/store/store.ts";

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

const defaults: Required<SqliteOptions> = { ...sqliteDefaults, warn: () => {} };

/**
 * Opens the store in the file at `path`. A missing file is created; its folder must exist. `:memory:` keeps all records
 * in memory. Processes on one machine may share a file; network file systems do not work.
 *
 * The file is readable by its owner only, because it holds private keys; the permissions of an existing file are
 * changed accordingly.
 *
 * @throws {StoreError} If the file cannot be opened, belongs to another program, cannot be made private, is damaged, or
 *   stays locked. Files of other programs are never written. The store's calls reject with the same error.
 * @throws {TypeError} If an option is unknown.
 */
export async function sqliteStore(path: string, options: SqliteOptions = {}): Promise<Store> {
  const { warn, ...coreOptions } = storeOptions("sqliteStore", defaults, options);
  return await open(path, coreOptions, {
    beforeOpen: checkFile,
    beforeWrite: (location) => restrictPermissions(location, warn),
    describe: (message) => phrasesByMessage.find(([pattern]) => pattern.test(message))?.[1],
  });
}

/**
 * Checks the file before it is opened for writing, because opening another program's database may change its log. An
 * immutable file is read without a trace; on runtimes that accept no URL, read-only is the closest. The core checks
 * files that cannot be read here, once it has opened them.
 */
function checkFile(location: string): void {
  // Only SQLite opens the file: closing it otherwise would drop the locks of this process's other handles.
  const stats = statSync(location);
  if (!stats.isFile()) throw notAFile(location, stats.isDirectory());
  for (const candidate of [`${pathToFileURL(location).href}?immutable=1`, location]) {
    let database: DatabaseSync | undefined;
    try {
      database = new DatabaseSync(candidate, { readOnly: true });
      // One snapshot: another process may be creating the table.
      database.exec("BEGIN");
      assertOwnDatabase(database, location);
      return;
    } catch (error) {
      if (error instanceof StoreError) throw error;
    } finally {
      database?.close();
    }
  }
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

/** Messages by pattern of the error message, because some errors have no code on Deno. */
const phrasesByMessage: readonly (readonly [RegExp, StoreErrorPhrases])[] = [
  [/database (table )?is locked/, {
    expected: "a file that is not locked",
    received: "a lock of another program for longer than lockTimeout",
    hint: "close the program that holds it, and start again",
  }],
  [/not a database|malformed|corrupt|no such (table|column)/, {
    expected: "a valid SQLite database",
    received: "a damaged file, or a file that is not a database",
    hint: `restore it from a copy, or ${anotherPath}`,
  }],
  [/Requires (read|write) access/, {
    expected: "permission of Deno to read and write the file and its folder",
    received: "no such permission",
    hint: "start it with --allow-read and --allow-write for the folder",
  }],
  // "all access": Deno protects folders of the system, such as /sys, even from programs with --allow-write.
  [/readonly database|EACCES|EPERM|EROFS|Requires all access/, {
    expected: "a writable file and folder",
    received: "no permission to write there",
    hint: "give the user of this process write permission for both, or choose another folder",
  }],
  [/ENOENT|ENOTDIR/, {
    expected: "a file in an existing folder",
    received: "no such folder",
    hint: "create the folder, or correct the path",
  }],
  [/disk is full|ENOSPC/, {
    expected: "free disk space",
    received: "a full disk",
    hint: "free disk space; no restart is needed",
  }],
  [/not open|been finalized/, {
    expected: "an open store",
    received: "a closed store",
    hint: "open it again, or make no calls after close()",
  }],
];
