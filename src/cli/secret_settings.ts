/** Values that a configuration file refers to, above all secrets: in an environment variable, or in their own file. */

import { unlessAny } from "../server/config/settings.ts";
import { showFile, showVariable } from "../server/config/config_issue.ts";
import type { ConfigIssue } from "../core/rules/configuration_error.ts";
import type { Environment } from "./environment.ts";
import type { ConfigFile } from "./settings.ts";
import { plainValue, type ReadTextFile, readValue } from "./text_file.ts";

export interface SecretSources {
  readonly env: Environment;
  readonly readTextFile: ReadTextFile;
}

type SecretReference = { readonly env: string } | { readonly file: string };

/**
 * Replaces references to secrets with the secrets.
 *
 * @returns The content, and the issues of references without a secret, with paths in the file.
 */
export async function loadSecrets(content: ConfigFile, sources: SecretSources) {
  const issues: ConfigIssue[] = [];

  const load = async (value: string | SecretReference, path: string, content = "it"): Promise<string> => {
    if (typeof value !== "object") return value;
    const loaded = await loadSecret(value, path, content, sources);
    if (typeof loaded === "string") return loaded;
    issues.push(loaded);
    return placeholder;
  };

  const loadAll = <Item extends object>(list: string, items: readonly Item[] | undefined, key: keyof Item & string) =>
    items && Promise.all(items.map(async (item, i) => {
      const value = item[key] as string | SecretReference | undefined;
      return typeof value === "object" ? { ...item, [key]: await load(value, `${list}[${i}].${key}`) } : item;
    }));

  const { registration, mutualTls } = content;
  const clients = await loadAll("clients", unlessAny(content.clients), "client_secret");
  const users = await loadAll("users", unlessAny(content.users), "password");
  const controlSecret = content.controlSecret === undefined
    ? undefined
    : await load(content.controlSecret, "controlSecret");
  const loadEach = (path: string, values: readonly string[] | undefined, content?: string) =>
    values && Promise.all(values.map((value, i) => load(value, `${path}[${i}]`, content)));
  const initialAccessTokens = await loadEach("registration.initialAccessTokens", registration?.initialAccessTokens);
  const authorities = await loadEach("mutualTls.authorities", mutualTls?.authorities, "a certificate");
  return {
    content: {
      ...content,
      ...clients && { clients },
      ...users && { users },
      ...controlSecret !== undefined && { controlSecret },
      ...initialAccessTokens && { registration: { ...registration, initialAccessTokens } },
      ...authorities && { mutualTls: { ...mutualTls, authorities } },
    },
    issues,
  };
}

/** Replaces a missing secret. It causes no further issue. */
const placeholder = "missing-secret-value";

async function loadSecret(
  reference: SecretReference,
  path: string,
  content: string,
  { env, readTextFile }: SecretSources,
): Promise<string | ConfigIssue> {
  if ("env" in reference) {
    const { env: name } = reference;
    // On Node and Bun the environment object inherits functions from its prototype.
    const value = Object.hasOwn(env, name) ? plainValue(env[name] ?? "") : undefined;
    return value || {
      path,
      expected: `the environment variable ${showVariable(name)} to contain ${content}`,
      received: value === "" ? "an empty variable" : "no such variable",
      hint: "Set the variable, or correct its name.",
    };
  }
  const text = await readValue(reference.file, path, readTextFile);
  if (typeof text === "string") return text;
  return { ...text, path, expected: `${showFile(reference.file) ?? "a file"} to contain ${content}` };
}
