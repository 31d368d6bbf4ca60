/** Reads the files that a setting names instead of values: profiles and scenarios. */

import type { ConfigIssue } from "../core/rules/configuration_error.ts";
import { printable } from "../core/http/quote_value.ts";
import type { Field } from "../core/policy/field.ts";
import { validate } from "../server/config/config_issue.ts";
import { readNamedFile, type ReadTextFile } from "./text_file.ts";
import { findForeignFormat } from "./foreign_formats.ts";
import { readObjectOfFile } from "./json_object.ts";

/**
 * Replaces the path of each JSON file with its content. An invalid file is left out.
 *
 * @param given The value of the setting: an item, or a list.
 * @param field The content of a file, an object; created only if there is a file.
 * @param namedBy The flag, the variable or the setting that names the files.
 * @param configPath The path of the configuration file with the setting. Paths are relative to it. Default: to the
 *   working directory.
 */
export async function loadFiles(
  given: unknown,
  field: () => Field | Promise<Field>,
  namedBy: string,
  configPath: string | undefined,
  readTextFile: ReadTextFile,
): Promise<{ readonly value: unknown; readonly issues: readonly ConfigIssue[] }> {
  const isFile = (item: unknown) => typeof item === "string" && item.endsWith(".json");
  const items: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (!items.some(isFile)) return { value: given, issues: [] };
  const issues: ConfigIssue[] = [];
  const value: unknown[] = [];
  for (const item of items) {
    if (!isFile(item)) {
      value.push(item);
      continue;
    }
    const path = besides(configPath, item as string);
    const found = await readFile(path, await field(), namedBy, readTextFile);
    if (found.issues.length === 0) value.push(found.content);
    issues.push(...found.issues);
  }
  return { value: value.length === 0 ? undefined : value, issues };
}

async function readFile(
  path: string,
  field: Field,
  namedBy: string,
  readTextFile: ReadTextFile,
): Promise<{ readonly content?: unknown; readonly issues: readonly ConfigIssue[] }> {
  const text = await readNamedFile(path, namedBy, readTextFile);
  if (typeof text !== "string") return { issues: [text] };
  const file = printable(path);
  const hint = `Put the members between braces, like ${JSON.stringify(field.examples[0])}.`;
  const { value: content, issues: unreadable } = await readObjectOfFile(text, file, "--profile", hint);
  if (content === undefined) return { issues: unreadable };
  const issues = validate(field, content);
  const foreign = issues.length > 0 ? findForeignFormat("--profile", text, content) : undefined;
  if (foreign !== undefined) return { issues: [{ path: file, expected: "its own members", ...foreign }] };
  return { content, issues: issues.map((issue) => ({ ...issue, path: `${file}: ${issue.path}` })) };
}

/** A path relative to a file; an absolute path stays. */
function besides(file: string | undefined, path: string): string {
  if (/^(?:[/\\]|[A-Za-z]:)/.test(path)) return path;
  return /^(?:.*[/\\])?/s.exec(file ?? "")![0] + path.replace(/^\.\//, "");
}
