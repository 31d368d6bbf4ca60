/** Reads a file that the configuration names, or describes why that fails. */

import { showFile } from "../server/config/config_issue.ts";
import type { ConfigIssue } from "../core/rules/configuration_error.ts";
import { printable } from "../core/http/quote_value.ts";

/** Reads the text of a file; rejects when it cannot. */
export type ReadTextFile = (path: string) => Promise<string>;

// The length is in UTF-16 units, which is exact enough to reject a database or a log that was named by mistake.
const maxFileChars = 10 * 1024 * 1024;

/**
 * Reads the text of a file, or returns the issue.
 *
 * @param path Relative to the working directory.
 * @param namedBy The flag, the variable or the setting that names the file.
 */
export async function readNamedFile(
  path: string,
  namedBy: string,
  readTextFile: ReadTextFile,
): Promise<string | ConfigIssue> {
  const file = showFile(path) ?? namedBy;
  try {
    const text = (await readTextFile(path)).replace(byteOrderMark, "");
    return text.length > maxFileChars ? tooLongIssue(file, namedBy, text.length) : text;
  } catch (error) {
    return unreadableIssue(file, path, namedBy, error);
  }
}

/** Whether an error of {@link ReadTextFile} says that there is no such file, or that Deno may not look for it. */
export function isAbsentFile(error: unknown): boolean {
  return error instanceof Error && ((error as { code?: string }).code === "ENOENT" || error.name === "NotCapable");
}

/** Reads a file with a single value: without a final newline, and never empty. */
export async function readValue(
  path: string,
  namedBy: string,
  readTextFile: ReadTextFile,
): Promise<string | ConfigIssue> {
  const text = await readNamedFile(path, namedBy, readTextFile);
  if (typeof text !== "string") return text;
  const value = plainValue(text);
  if (value !== "") return value;
  return {
    path: showFile(path) ?? namedBy,
    expected: "a value",
    received: "an empty file",
    hint: `Write it into the file, or correct the path that ${namedBy} names.`,
  };
}

const byteOrderMark = /^\ufeff/;

/** A single value without a byte order mark, and without the end of its line, as files from Windows have them. */
export function plainValue(text: string): string {
  return text.replace(byteOrderMark, "").replace(/\r?\n?$/, "");
}

function unreadableIssue(file: string, path: string, namedBy: string, error: unknown): ConfigIssue {
  const { code, name, message }: { code?: string; name?: string; message: string } = error instanceof Error
    ? error
    : { message: String(error) };
  const reason = name === "NotCapable" ? name : code ?? "";
  // The message of the runtime contains the path.
  const [received, hint] = readErrors[reason] ??
    [printable(message.replaceAll(path, file)) || "an error", `Check the file that ${namedBy} names.`];
  return { path: file, expected: "a file that can be read", received, hint: hint.replace("%", namedBy) };
}

const readErrors: Readonly<Record<string, readonly [received: string, hint: string]>> = {
  ENOENT: [
    "no file at this path",
    "Correct the path that % names. If the path above is not absolute, it begins at the working directory.",
  ],
  NOT_TEXT: [
    "bytes that are neither UTF-8 nor UTF-16",
    "Save the file as UTF-8, a key or certificate in DER as PEM (openssl pkey, openssl x509).",
  ],
  EISDIR: ["a directory", "Let % name the file in it."],
  EACCES: ["a file that this user may not read", "Give the user that runs the server the right to read it."],
  NotCapable: ["no permission to read it", "Start Deno with --allow-read, or with the path after it."],
};

function tooLongIssue(file: string, namedBy: string, length: number): ConfigIssue {
  return {
    path: file,
    expected: "at most 10 MiB",
    received: `${(length / 1024 / 1024).toFixed(1)} MiB`,
    hint: `Check that ${namedBy} names the right file.`,
  };
}
