/** Converts errors of SQLite and the file system to a `StoreError` with expected, received and a fix. */

import { StoreError, type StoreErrorDetails } from "./store.ts";

type StoreErrorPhrases = Omit<StoreErrorDetails, "location">;

const useAnotherPath = "choose another path, where a new store is created";

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
    hint: `restore it from a copy, or ${useAnotherPath}`,
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

/** Converts an error to a StoreError; returns a StoreError unchanged. */
export function sqliteError(location: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const phrases = phrasesByMessage.find(([pattern]) => pattern.test(message))?.[1] ?? {
    expected: "a working SQLite store",
    received: `the error "${message}"`,
    hint: "check the file, its folder and the permissions of this process",
  };
  return new StoreError({ location, ...phrases }, error);
}

/** The error of a path that is not a regular file. */
export function notAFile(location: string, isFolder: boolean): StoreError {
  return new StoreError({
    location,
    expected: "a file",
    received: isFolder ? "a folder" : "a device or a pipe",
    hint: isFolder ? "add a file name to the path" : useAnotherPath,
  });
}

/** The error of a file that other users may access and whose permissions this process cannot change. */
export function insecurePermissions(location: string, path: string, permissions: string, cause: unknown): StoreError {
  return new StoreError({
    location,
    expected: "files that only their owner may read and write, because they hold private keys",
    received: `the permissions ${permissions} on ${path}, which this process cannot change`,
    hint: `change their owner to the user of this process, or run chmod 600 on ${location} and the files beside it`,
  }, cause);
}

export function foreignDatabase(location: string): StoreError {
  return new StoreError({
    location,
    expected: "a database of Latchkey",
    received: "a SQLite database of another program, which was not changed",
    hint: useAnotherPath,
  });
}

export function versionMismatch(location: string, expected: number, received: number): StoreError {
  return new StoreError({
    location,
    expected: `a Latchkey database of version ${expected}`,
    received: `version ${received}`,
    hint: `run the release of Latchkey that created it, or ${useAnotherPath}`,
  });
}
