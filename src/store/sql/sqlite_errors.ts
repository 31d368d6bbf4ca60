/** Why a SQLite store cannot be opened or used: SQLite's and the file system's words turned into whole sentences. */

import { StoreError, type StoreFault } from "../store_error.ts";

type Phrases = Omit<StoreFault, "place">;

const another = "give another path, and a new store is made there";

/** Known by their message: Deno gives some of them no error code, and the messages are the same everywhere. */
const known: readonly (readonly [RegExp, Phrases])[] = [
  [/database (table )?is locked/, {
    expected: "a file that is free to write",
    found: "it locked by another program for longer than the store waits",
    mend: "close the program that holds it, and start again",
  }],
  [/not a database|malformed|corrupt|no such (table|column)/, {
    expected: "a SQLite database in good order",
    found: "a damaged file, or one that is no database",
    mend: `restore it from a copy, or ${another}`,
  }],
  [/Requires (read|write) access/, {
    expected: "Deno to be allowed to read and write the file and its folder",
    found: "that it is not",
    mend: "start it with --allow-read and --allow-write for the folder",
  }],
  [/readonly database|EACCES|EPERM|EROFS/, {
    expected: "a file and a folder that may be written",
    found: "no permission to write there",
    mend: "give this program's user the right to write both, or choose another folder",
  }],
  [/ENOENT|ENOTDIR/, {
    expected: "a file in a folder that exists",
    found: "no such folder",
    mend: "make the folder first, or correct the path",
  }],
  [/disk is full|ENOSPC/, {
    expected: "room for another record",
    found: "a full disk",
    mend: "make room, nothing has to be restarted",
  }],
  [/not open|been finalized/, {
    expected: "an open store",
    found: "a closed one",
    mend: "open it again, or call nothing after close()",
  }],
];

/** What was thrown while `place` was opened or used, as the sentence a person needs. */
export function sqliteError(place: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const phrases = known.find(([pattern]) => pattern.test(message))?.[1] ?? {
    expected: "a SQLite store in working order",
    found: `the error "${message}"`,
    mend: "look at the file, its folder and what this program may read and write there",
  };
  return new StoreError({ place, ...phrases }, error);
}

/** Not a regular file. */
export function notAFile(place: string, isFolder: boolean): StoreError {
  return new StoreError({
    place,
    expected: "a file",
    found: isFolder ? "a folder" : "a device or a pipe",
    mend: isFolder ? "add the name of a file to the path" : another,
  });
}

/** A file that others may access and whose permissions this program may not change. */
export function looseFile(place: string, path: string, permissions: string, cause: unknown): StoreError {
  return new StoreError({
    place,
    expected: "files that only their owner may read and write, because they hold private keys",
    found: `the permissions ${permissions} on ${path}, which this program may not change`,
    mend: `change their owner to the user that runs this program, or run chmod 600 on ${place} and the files beside it`,
  }, cause);
}

/** A database that another program made. */
export function foreignFile(place: string): StoreError {
  return new StoreError({
    place,
    expected: "a database made by Latchkey",
    found: "a SQLite database of another program, which was left as it is",
    mend: another,
  });
}

/** A database of a Latchkey that shelves its records differently. */
export function otherVersion(place: string, expected: number, found: number): StoreError {
  return new StoreError({
    place,
    expected: `a Latchkey database of version ${expected}`,
    found: `version ${found}`,
    mend: `run the release of Latchkey that made it, or ${another}`,
  });
}
