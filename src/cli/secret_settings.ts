/** Secrets that a configuration file points to: an environment variable, or a file of their own. */

import type { Fault } from "../oauth/config/config_issue.ts";
import type { Environment } from "./environment.ts";
import type { FileContent, SecretSource, WrittenContent } from "./option_definitions.ts";
import { showFile, showVariable } from "./show.ts";
import { type ReadTextFile, readValue } from "./text_file.ts";

/** Where secrets may be found. */
export interface SecretSources {
  readonly env: Environment;
  readonly readTextFile: ReadTextFile;
}

/** Puts the secrets themselves in the place of what points to them. Places of faults are relative to the file. */
export async function fetchSecrets(
  content: WrittenContent,
  sources: SecretSources,
): Promise<{ readonly content: FileContent; readonly faults: readonly Fault[]; readonly unsound: readonly string[] }> {
  const faults: Fault[] = [];
  const unsound: string[] = [];

  const fetched = <Item extends object>(list: string, items: readonly Item[] | undefined, key: keyof Item & string) =>
    items && Promise.all(items.map(async (item, i) => {
      const written = item[key] as string | SecretSource | undefined;
      if (typeof written !== "object") return item;
      const place = `${list}[${i}].${key}`;
      const found = await fetchSecret(written, place, sources);
      if (typeof found === "string") return { ...item, [key]: found };
      faults.push(found);
      unsound.push(place);
      return { ...item, [key]: "unsound" };
    }));

  const clients = await fetched("clients", content.clients, "client_secret");
  const users = await fetched("users", content.users, "password");
  const whole = { ...content, ...clients && { clients }, ...users && { users } };
  return { content: whole as FileContent, faults, unsound };
}

async function fetchSecret(
  source: SecretSource,
  place: string,
  { env, readTextFile }: SecretSources,
): Promise<string | Fault> {
  if ("env" in source) {
    const { env: name } = source;
    // On Node and Bun the environment object inherits functions from its prototype.
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    return value || {
      place,
      expected: `the environment variable ${showVariable(name)} to hold it`,
      found: value === "" ? "an empty variable" : "no such variable",
      mend: "Set the variable, or correct its name.",
    };
  }
  const text = await readValue(source.file, place, readTextFile);
  if (typeof text === "string") return text;
  return { ...text, place, expected: `${showFile(source.file) ?? "a file"} to hold it` };
}
