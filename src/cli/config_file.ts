/** Reads the configuration file: from a path to valid content and all issues. */

import { type ConfigIssue, ConfigurationError } from "../core/rules/configuration_error.ts";
import { printable } from "../core/http/quote_value.ts";
import type { Field, Mismatch } from "../core/policy/field.ts";
import { findMismatches } from "../server/config/config_issue.ts";
import { findForeignFormat, isMockOAuth2Config, isRealm } from "./foreign_formats.ts";
import type { ConvertedConfig } from "./mock_oauth2_config.ts";
import type { ConfigFile } from "./settings.ts";
import { permissiveDefaults, removeInvalid } from "./remove_invalid.ts";
import { loadSecrets, type SecretSources } from "./secret_settings.ts";
import { readNamedFile } from "./text_file.ts";
import { readObjectOfFile } from "./json_object.ts";
import { randomToken } from "../core/keys/secrets.ts";
import { randomBytes } from "../core/keys/crypto.ts";

/** The members of {@link ConvertedConfig} are those of a file of another server. */
export interface ConfigFileResult extends Partial<Omit<ConvertedConfig, "content" | "issues">> {
  readonly content: ConfigFile;
  /** The text of the file; absent if there is none. */
  readonly text?: string;
  readonly issues: readonly ConfigIssue[];
  /** Paths that `content` does not represent, such as `alg` and `clients[1]`. */
  readonly invalidPaths: ReadonlySet<string> | "everything";
  /** Whether placeholders stay, because nothing names the file. Default: false. */
  readonly keepsPlaceholders?: boolean;
}

/** The file that was named cannot be read. */
export const unreadableConfigFile: ConfigFileResult = {
  content: permissiveDefaults,
  issues: [],
  invalidPaths: "everything",
};

/**
 * Reads a file.
 *
 * @param path Relative to the working directory.
 * @param namedBy The flag or variable that named the file.
 * @param isFound Whether nothing names it.
 */
export async function readConfigFile(
  path: string,
  namedBy: string,
  field: Field,
  sources: SecretSources,
  isFound: boolean,
): Promise<ConfigFileResult> {
  const loaded = await readNamedFile(path, namedBy, sources.readTextFile);
  if (typeof loaded !== "string") return { ...unreadableConfigFile, issues: [loaded] };
  return await parseConfigText(loaded, printable(path), field, sources, isFound);
}

/**
 * Parses the text of a file, or of a variable.
 *
 * @param file The name of the text in issues: the path, or the name of the variable.
 * @param field The description of the content.
 */
export async function parseConfigText(
  text: string,
  file: string,
  field: Field,
  sources: SecretSources,
  isFound = false,
): Promise<ConfigFileResult> {
  const failWith = (issues: readonly ConfigIssue[]): ConfigFileResult => ({ ...unreadableConfigFile, text, issues });
  const hint = `Put the settings between braces, like { "port": 9000 }.`;
  const { value, issues } = await readObjectOfFile(text, file, "--config", hint);
  if (value === undefined) return failWith(issues);
  if (isRealm(value)) {
    const { own, others } = splitSettings(field, value, ["clients", "users"]);
    const read = await readRealmFile(others, text, file, isFound ? undefined : sources.env);
    return await addSettings(read, own, findMismatches(field, own, true), file, sources);
  }
  if (isMockOAuth2Config(value)) {
    const { own, others } = splitSettings(field, value);
    const read = await readMockOAuth2File(others, text, file, sources.env);
    return await addSettings(read, own, findMismatches(field, own, true), file, sources);
  }

  const mismatches = findMismatches(field, value, true);
  const foreign = mismatches.length > 0 ? findForeignFormat("--config", text, value) : undefined;
  if (foreign !== undefined) return failWith([{ path: file, expected: "a configuration file", ...foreign }]);
  return await addSettings({ ...noConfigFile, text }, value as ConfigFile, mismatches, file, sources);
}

/** No file, or one without settings. */
export const noConfigFile: ConfigFileResult = { content: {}, issues: [], invalidPaths: new Set() };

/** The settings of this server in a file of another one, and the other members. */
function splitSettings(
  { members = {} }: Field,
  value: Readonly<Record<string, unknown>>,
  ofOther: readonly string[] = [],
) {
  const isOwn = ([name]: [string, unknown]) => Object.hasOwn(members, name) && !ofOther.includes(name);
  const entries = Object.entries(value);
  return {
    own: Object.fromEntries(entries.filter(isOwn)) as ConfigFile,
    others: Object.fromEntries(entries.filter((entry) => !isOwn(entry))),
  };
}

/** A file with further settings, which replace its own. */
async function addSettings(
  read: ConfigFileResult,
  settings: ConfigFile,
  mismatches: readonly Mismatch[],
  file: string,
  sources: SecretSources,
): Promise<ConfigFileResult> {
  if (read.invalidPaths === "everything") return read;
  const { content, invalidPaths } = removeInvalid(settings, mismatches);
  const secrets = await loadSecrets(content, sources);
  const issues = [...mismatches.map(({ issue }) => issue), ...secrets.issues];
  return {
    ...read,
    content: { ...read.content, ...secrets.content },
    issues: issues.map((issue) => ({ ...issue, path: `${file}: ${issue.path}` })),
    invalidPaths: new Set([...invalidPaths, ...secrets.issues.map(({ path }) => path)]),
  };
}

/** Reads a configuration of mock-oauth2-server, with a warning for each part that has no equivalent here. */
async function readMockOAuth2File(
  value: object,
  text: string,
  file: string,
  env: SecretSources["env"],
): Promise<ConfigFileResult> {
  const { convertMockOAuth2Config } = await import("./mock_oauth2_config.ts");
  const { issues, warnings, ...converted } = convertMockOAuth2Config(value, env);
  const located = <Item extends { readonly path: string }>(items: readonly Item[]) =>
    items.map((item) => ({ ...item, path: Object.hasOwn(env, item.path) ? item.path : `${file}: ${item.path}` }));
  return {
    ...converted,
    text,
    issues: located(issues),
    warnings: located(warnings),
    invalidPaths: issues.length > 0 ? "everything" : new Set(),
  };
}

/** Maximum number of warnings about a realm: the others are details that `init --from` prints. */
const maxRealmWarnings = 4;

/** Reads a realm of Keycloak, with warnings about the parts that logins and tokens here differ by. */
async function readRealmFile(
  realm: Readonly<Record<string, unknown>>,
  text: string,
  file: string,
  env: SecretSources["env"] | undefined,
): Promise<ConfigFileResult> {
  const [{ readRealm }, { linesOf }, { placeholdersIn }] = await Promise.all([
    import("./realm/read_realm.ts"),
    import("./realm/keep_valid.ts"),
    import("./realm/placeholders.ts"),
  ]);
  try {
    const { value, notes } = await readRealm(realm, () => randomToken(randomBytes), env);
    const lines = linesOf(notes.filter(({ isDetail }) => isDetail !== true)).slice(0, maxRealmWarnings);
    const command = "Read as a realm of Keycloak. To see everything that differs here, and to change it: " +
      `latchkey init --from ${file.endsWith(".json") ? file : "realm.json"}.`;
    return {
      content: value as ConfigFile,
      text,
      issues: [],
      warnings: [command, ...lines].map((message) => ({ path: file, message })),
      keepsPlaceholders: env === undefined && placeholdersIn(realm).length > 0,
      invalidPaths: new Set(),
    };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { ...unreadableConfigFile, text, issues: error.issues };
  }
}
