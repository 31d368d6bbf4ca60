/** Reads the configuration file: from a path to content whose shape is sound, or to every fault in it. */

import type { Fault } from "../oauth/fault.ts";
import { neutralContent } from "./meaning.ts";
import type { FileContent } from "./operator.ts";
import { kindOf, printable } from "./show.ts";

/** What a file says, as far as it can be trusted. */
export interface FileReading {
  readonly content: FileContent;
  readonly faults: readonly Fault[];
  /** Places that `content` says nothing true about, such as `alg` and `clients[1]`. */
  readonly unsound: ReadonlySet<string> | "everything";
}

/** Reads the text of a file; rejects when it cannot. */
export type ReadTextFile = (path: string) => Promise<string>;

/** No file was named. */
export const noFile: FileReading = { content: {}, faults: [], unsound: new Set() };

/** A file was named, but what it says cannot be known. */
export const unreadFile: FileReading = { content: neutralContent, faults: [], unsound: "everything" };

// Counted in UTF-16 units, which is close enough to refuse a database or a log that was named by mistake.
const longest = 10 * 1024 * 1024;

/**
 * Reads a file.
 *
 * @param path relative to the working directory
 * @param namedBy the flag or variable that named the file
 */
export async function readFile(path: string, namedBy: string, readTextFile: ReadTextFile): Promise<FileReading> {
  const file = printable(path);
  const refuse = (fault: Fault): FileReading => ({ ...unreadFile, faults: [fault] });
  let text: string;
  try {
    text = await readTextFile(path);
  } catch (error) {
    return refuse(unreadableFault(file, namedBy, error));
  }
  if (text.length > longest) return refuse(longFault(file, namedBy, text.length));
  if (text.startsWith("\ufeff")) text = text.slice(1);

  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const { findBrokenJson } = await import("./broken_json.ts");
    return refuse(findBrokenJson(text, file));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return refuse(kindFault(file, value));

  const { readShape } = await import("./shape.ts");
  const reading = await readShape(value as Record<string, unknown>);
  return { ...reading, faults: reading.faults.map((fault) => ({ ...fault, place: `${file}: ${fault.place}` })) };
}

function unreadableFault(file: string, namedBy: string, error: unknown): Fault {
  const { code, name, message }: { code?: string; name?: string; message: string } = error instanceof Error
    ? error
    : { message: String(error) };
  const reason = name === "NotCapable" ? name : code ?? "";
  const [found, mend] = reasons[reason] ??
    [printable(message) || "an error", `Check the file that ${namedBy} names.`];
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
    mend: `Check that ${namedBy} names the configuration file.`,
  };
}

function kindFault(file: string, value: unknown): Fault {
  return {
    place: file,
    expected: "a JSON object",
    found: kindOf(value),
    mend: `Put the settings between braces, like { "port": 9000 }.`,
  };
}
