/** Reads the files that the setting `profile` names. */

import { type ConfigIssue, describeKind, printable } from "../server/config/config_issue.ts";
import { validate } from "../server/config/field.ts";
import { providerProfileField } from "../server/config/provider_profile.ts";
import { extendedFields } from "../server/assembly/extensions.ts";
import { readText, type ReadTextFile } from "./text_file.ts";

/**
 * Replaces the path of each file with its content. An invalid file is left out.
 *
 * @param namedBy The flag, the variable or the setting that names the files.
 * @param configPath The path of the configuration file with the setting. Paths are relative to it. Default: to the
 *   working directory.
 */
export async function loadProfiles(
  profile: unknown,
  namedBy: string,
  configPath: string | undefined,
  readTextFile: ReadTextFile,
): Promise<{ readonly value: unknown; readonly issues: readonly ConfigIssue[] }> {
  const isFile = (item: unknown) => typeof item === "string" && item.endsWith(".json");
  const items: readonly unknown[] = Array.isArray(profile) ? profile : [profile];
  if (!items.some(isFile)) return { value: profile, issues: [] };
  const issues: ConfigIssue[] = [];
  const value: unknown[] = [];
  for (const item of items) {
    if (!isFile(item)) {
      value.push(item);
      continue;
    }
    const path = besides(configPath, item as string);
    const found = await readProfile(path, namedBy, readTextFile);
    if (found.issues.length === 0) value.push(found.content);
    issues.push(...found.issues);
  }
  return { value: value.length === 0 ? undefined : value, issues };
}

async function readProfile(
  path: string,
  namedBy: string,
  readTextFile: ReadTextFile,
): Promise<{ readonly content?: unknown; readonly issues: readonly ConfigIssue[] }> {
  const text = await readText(path, namedBy, readTextFile);
  if (typeof text !== "string") return { issues: [text] };
  const file = printable(path);
  let content: unknown;
  try {
    content = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    const { findJsonSyntaxError } = await import("./json_syntax_error.ts");
    return { issues: [findJsonSyntaxError(text, file)] };
  }
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    const hint = `Put the members between braces, like { "name": "my-provider" }.`;
    return { issues: [{ path: file, expected: "a JSON object", received: describeKind(content), hint }] };
  }
  const issues = validate(providerProfileField(extendedFields.paths), content);
  return { content, issues: issues.map((issue) => ({ ...issue, path: `${file}: ${issue.path}` })) };
}

/** A path relative to a file; an absolute path stays. */
function besides(file: string | undefined, path: string): string {
  if (/^(?:[/\\]|[A-Za-z]:)/.test(path)) return path;
  return (file ?? "").replace(/[^/\\]*$/, "") + path.replace(/^\.\//, "");
}
