/** Reads the configuration file: from a path to content whose shape is sound, or to every fault in it. */

import type { ConfigIssue } from "../oauth/config/config_issue.ts";
import { permissiveDefaults } from "./semantic_errors.ts";
import type { ConfigFile, RawConfigFile } from "./options.ts";
import { loadSecrets, type SecretSources } from "./secret_settings.ts";
import { describeKind, printable } from "./show.ts";
import { readText } from "./text_file.ts";

/** What a file says, as far as it can be trusted. */
export interface ConfigFileResult {
  readonly content: ConfigFile;
  readonly issues: readonly ConfigIssue[];
  /** Places that `content` says nothing true about, such as `alg` and `clients[1]`. */
  readonly invalidPaths: ReadonlySet<string> | "everything";
}

/** No file was named. */
export const noConfigFile: ConfigFileResult = { content: {}, issues: [], invalidPaths: new Set() };

/** A file was named, but what it says cannot be known. */
export const unreadableConfigFile: ConfigFileResult = {
  content: permissiveDefaults,
  issues: [],
  invalidPaths: "everything",
};

/**
 * Reads a file.
 *
 * @param path relative to the working directory
 * @param namedBy the flag or variable that named the file
 */
export async function readConfigFile(path: string, namedBy: string, sources: SecretSources): Promise<ConfigFileResult> {
  const file = printable(path);
  const failWith = (issue: ConfigIssue): ConfigFileResult => ({ ...unreadableConfigFile, issues: [issue] });
  const loaded = await readText(path, namedBy, sources.readTextFile);
  if (typeof loaded !== "string") return failWith(loaded);
  const text = loaded.replace(/^\ufeff/, "");

  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const { findJsonSyntaxError } = await import("./json_syntax_error.ts");
    return failWith(findJsonSyntaxError(text, file));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return failWith(notAnObjectIssue(file, value));
  }

  const raw = value as Record<string, unknown>;
  const { validate } = await import("./validate.ts");
  const checked = validate(raw)
    ? { content: raw as RawConfigFile, issues: [], invalidPaths: [] }
    : await (await import("./schema_errors.ts")).checkSchema(raw);
  const secrets = await loadSecrets(checked.content, sources);
  return {
    content: secrets.content,
    issues: [...checked.issues, ...secrets.faults].map((issue) => ({ ...issue, path: `${file}: ${issue.path}` })),
    invalidPaths: new Set([...checked.invalidPaths, ...secrets.unsound]),
  };
}

function notAnObjectIssue(file: string, value: unknown): ConfigIssue {
  return {
    path: file,
    expected: "a JSON object",
    received: describeKind(value),
    hint: `Put the settings between braces, like { "port": 9000 }.`,
  };
}
