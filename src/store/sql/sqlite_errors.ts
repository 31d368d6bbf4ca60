/** Why a SQLite store cannot be opened or used: SQLite's and the file system's words turned into whole sentences. */

import { StoreError, type StoreErrorDetails } from "../store_error.ts";

type StoreErrorPhrases = Omit<StoreErrorDetails, "location">;

const useAnotherPath = "give another path, and a new store is made there";

/** Known by their message: Deno gives some of them no error code, and the messages are the same everywhere. */
const phrasesByMessage: readonly (readonly [RegExp, StoreErrorPhrases])[] = [
  [/database (table )?is locked/, {
    expected: "a file that is free to write",
    received: "it locked by another program for longer than the store waits",
    hint: "close the program that holds it, and start again",
  }],
  [/not a database|malformed|corrupt|no such (table|column)/, {
    expected: "a SQLite database in good order",
    received: "a damaged file, or one that is no database",
    hint: `restore it from a copy, or ${useAnotherPath}`,
  }],
  [/Requires (read|write) access/, {
    expected: "Deno to be allowed to read and write the file and its folder",
    received: "that it is not",
    hint: "start it with --allow-read and --allow-write for the folder",
  }],
  [/readonly database|EACCES|EPERM|EROFS/, {
    expected: "a file and a folder that may be written",
    received: "no permission to write there",
    hint: "give this program's user the right to write both, or choose another folder",
  }],
  [/ENOENT|ENOTDIR/, {
    expected: "a file in a folder that exists",
    received: "no such folder",
    hint: "make the folder first, or correct the path",
  }],
  [/disk is full|ENOSPC/, {
    expected: "room for another record",
    received: "a full disk",
    hint: "make room, nothing has to be restarted",
  }],
  [/not open|been finalized/, {
    expected: "an open store",
    received: "a closed one",
    hint: "open it again, or call nothing after close()",
  }],
];

/** What was thrown while `place` was opened or used, as the sentence a person needs. */
export function sqliteError(location: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const phrases = phrasesByMessage.find(([pattern]) => pattern.test(message))?.[1] ?? {
    expected: "a SQLite store in working order",
    received: `the error "${message}"`,
    hint: "look at the file, its folder and what this program may read and write there",
  };
  return new StoreError({ location, ...phrases }, error);
}

/** Not a regular file. */
export function notAFile(location: string, isFolder: boolean): StoreError {
  return new StoreError({
    location,
    expected: "a file",
    received: isFolder ? "a folder" : "a device or a pipe",
    hint: isFolder ? "add the name of a file to the path" : useAnotherPath,
  });
}

/** A file that others may access and whose permissions this program may not change. */
export function insecurePermissions(location: string, path: string, permissions: string, cause: unknown): StoreError {
  return new StoreError({
    location,
    expected: "files that only their owner may read and write, because they hold private keys",
    received: `the permissions ${permissions} on ${path}, which this program may not change`,
    hint:
      `change their owner to the user that runs this program, or run chmod 600 on ${location} and the files beside it`,
  }, cause);
}

/** A database that another program made. */
export function foreignDatabase(location: string): StoreError {
  return new StoreError({
    location,
    expected: "a database made by Latchkey",
    received: "a SQLite database of another program, which was left as it is",
    hint: useAnotherPath,
  });
}

/** A database of a Latchkey that shelves its records differently. */
export function versionMismatch(location: string, expected: number, received: number): StoreError {
  return new StoreError({
    location,
    expected: `a Latchkey database of version ${expected}`,
    received: `version ${received}`,
    hint: `run the release of Latchkey that made it, or ${useAnotherPath}`,
  });
}
