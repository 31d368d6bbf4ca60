/** Secrets that a configuration file points to: an environment variable, or a file of their own. */

import type { ConfigIssue } from "../oauth/config/config_issue.ts";
import type { Environment } from "./environment.ts";
import type { ConfigFile, RawConfigFile, SecretSource } from "./options.ts";
import { showFile, showVariable } from "./show.ts";
import { type ReadTextFile, readValue } from "./text_file.ts";

/** Where secrets may be found. */
export interface SecretSources {
  readonly env: Environment;
  readonly readTextFile: ReadTextFile;
}

/** Puts the secrets themselves in the place of what points to them. Places of faults are relative to the file. */
export async function loadSecrets(
  content: RawConfigFile,
  sources: SecretSources,
): Promise<
  { readonly content: ConfigFile; readonly faults: readonly ConfigIssue[]; readonly unsound: readonly string[] }
> {
  const issues: ConfigIssue[] = [];
  const invalidPaths: string[] = [];

  const loadAll = <Item extends object>(list: string, items: readonly Item[] | undefined, key: keyof Item & string) =>
    items && Promise.all(items.map(async (item, i) => {
      const source = item[key] as string | SecretSource | undefined;
      if (typeof source !== "object") return item;
      const path = `${list}[${i}].${key}`;
      const loaded = await loadSecret(source, path, sources);
      if (typeof loaded === "string") return { ...item, [key]: loaded };
      issues.push(loaded);
      invalidPaths.push(path);
      return { ...item, [key]: "unsound" };
    }));

  const clients = await loadAll("clients", content.clients, "client_secret");
  const users = await loadAll("users", content.users, "password");
  const whole = { ...content, ...clients && { clients }, ...users && { users } };
  return { content: whole as ConfigFile, faults: issues, unsound: invalidPaths };
}

async function loadSecret(
  source: SecretSource,
  path: string,
  { env, readTextFile }: SecretSources,
): Promise<string | ConfigIssue> {
  if ("env" in source) {
    const { env: name } = source;
    // On Node and Bun the environment object inherits functions from its prototype.
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    return value || {
      path,
      expected: `the environment variable ${showVariable(name)} to hold it`,
      received: value === "" ? "an empty variable" : "no such variable",
      hint: "Set the variable, or correct its name.",
    };
  }
  const text = await readValue(source.file, path, readTextFile);
  if (typeof text === "string") return text;
  return { ...text, path, expected: `${showFile(source.file) ?? "a file"} to hold it` };
}
