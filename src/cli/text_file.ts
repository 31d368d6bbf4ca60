/** Reads a file that somebody named: its text, or why there is none and how to mend it. */

import type { Fault } from "../oauth/config/config_issue.ts";
import { printable, showFile } from "./show.ts";

/** Reads the text of a file; rejects when it cannot. */
export type ReadTextFile = (path: string) => Promise<string>;

// Counted in UTF-16 units, which is close enough to refuse a database or a log that was named by mistake.
const longest = 10 * 1024 * 1024;

/**
 * The text of a file, or the fault that keeps it from being read.
 *
 * @param path relative to the working directory
 * @param namedBy what named the file: a flag, a variable, a place in the configuration file
 */
export async function readText(path: string, namedBy: string, readTextFile: ReadTextFile): Promise<string | Fault> {
  const file = showFile(path) ?? namedBy;
  try {
    const text = await readTextFile(path);
    return text.length > longest ? longFault(file, namedBy, text.length) : text;
  } catch (error) {
    return unreadableFault(file, path, namedBy, error);
  }
}

/** The same for a single value: without the newline at its end, and never empty. */
export async function readValue(path: string, namedBy: string, readTextFile: ReadTextFile): Promise<string | Fault> {
  const text = await readText(path, namedBy, readTextFile);
  if (typeof text !== "string") return text;
  const value = text.replace(/\r?\n$/, "");
  if (value !== "") return value;
  return {
    place: showFile(path) ?? namedBy,
    expected: "a value",
    found: "an empty file",
    mend: `Write it into the file, or correct the path that ${namedBy} names.`,
  };
}

function unreadableFault(file: string, path: string, namedBy: string, error: unknown): Fault {
  const { code, name, message }: { code?: string; name?: string; message: string } = error instanceof Error
    ? error
    : { message: String(error) };
  const reason = name === "NotCapable" ? name : code ?? "";
  // The runtime's message contains the path.
  const [found, mend] = reasons[reason] ??
    [printable(message.replaceAll(path, file)) || "an error", `Check the file that ${namedBy} names.`];
  return { place: file, expected: "a file that can be read", found, mend: mend.replace("%", namedBy) };
}

const reasons: Readonly<Record<string, readonly [found: string, mend: string]>> = {
  ENOENT: ["none there", "Correct the path that % names; it is relative to the working directory."],
  EISDIR: ["a directory", "Let % name the file in it."],
  EACCES: ["one that this user may not read", "Give the user that runs the server the right to read it."],
  NotCapable: ["no permission to read it", "Start Deno with --allow-read, or with the path after it."],
};

function longFault(file: string, namedBy: string, length: number): Fault {
  return {
    place: file,
    expected: "at most 10 MiB",
    found: `${(length / 1024 / 1024).toFixed(1)} MiB`,
    mend: `Check that ${namedBy} names the right file.`,
  };
}
