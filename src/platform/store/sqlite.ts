/** A store in one SQLite file, with `node:sqlite` of Deno, Bun and Node (22.13 or newer). */

import { type SqliteOptions, sqliteStore as open, type StoreErrorPhrases } from "../../core/store/sqlite.ts";
import type { Store } from "../../core/store/store.ts";

export type { SqliteOptions } from "../../core/store/sqlite.ts";
export { StoreError } from "../../core/store/store.ts";

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
  return await open(path, options, describeError);
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
    hint: "restore it from a copy, or choose another path, where a new store is created",
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

function describeError(message: string): StoreErrorPhrases | undefined {
  return phrasesByMessage.find(([pattern]) => pattern.test(message))?.[1];
}
