/** The configuration file that nothing names, but that is in the working directory, such as a clone from elsewhere. */

import { noConfig } from "./environment.ts";
import type { ConfigIssue } from "../core/rules/configuration_error.ts";
import { fileStatus } from "../platform/runtime/file_status.ts";

const maxBytes = 5 * 1024 * 1024;

/**
 * Why the file is not read: what nobody names must be a regular file of this user or of root, which no other user may
 * write, of at most 5 MB. `undefined` if it may be read, or if the runtime cannot look at it.
 */
export function foundFileIssue(path: string): ConfigIssue | undefined {
  const problem = describeProblem(path);
  if (problem === undefined) return undefined;
  const [received, fix] = problem;
  return {
    path,
    expected: "a regular file of at most 5 MB that only this user or root may write, because no option names it",
    received,
    hint: `${fix} --config ${path} reads it as it is; --config ${noConfig} starts without it.`,
  };
}

/** What was found, and a fix. */
function describeProblem(path: string): readonly [string, string] | undefined {
  const { kind, size, otherOwner, othersMayWrite } = fileStatus(path) ?? {};
  if (kind === undefined) return undefined;
  if (kind !== "file") return [`a ${kind}`, "Put a file there."];
  if (size! > maxBytes) return [`${(size! / 1024 / 1024).toFixed(1)} MB`, "Take out what it does not need."];
  if (otherOwner !== undefined) return [`a file of the user ${otherOwner}`, "Make a copy of your own."];
  return othersMayWrite ? ["one that others may write", `Run chmod go-w ${path}.`] : undefined;
}
