/** The setting, flag or command that a message of this program is about. */

import { problems } from "../devtools/messages/messages.ts";
import { type CommandName, commands } from "./commands.ts";
import { variableName } from "./environment.ts";
import { flagName } from "./options.ts";
import { optionNames } from "./settings.ts";

/** A part of the JSON Schema of the configuration file. */
interface Schema {
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** What a message is about. */
export interface NamedSetting {
  readonly title: string;
  readonly description: string;
  readonly example: string;
  readonly guide: string;
}

/** A command, a flag, a variable, or the path of a setting, at the end of a line, as `formatIssue()` prints it. */
const placeLine =
  /(?:^|\s)(latchkey [\w-]{1,20}|--[\w-]{1,60}|LATCHKEY_\w{1,60}|[$\w]{1,60}(?:\[\d{1,5}\]|\.[$\w]{1,60}){0,8})(?: \(warning\))?$/;

/** A warning in the log of a server. */
const loggedWarning = /\bwarning {1,3}([$\w.[\]-]{1,200}): /;

/** What stands below a place. */
const belowPlace = / \(warning\)$|\bExpected [^\n]{1,600}(?:\n[^\n]{1,300}){0,9}?,\s{1,40}found /m;

/** A flag or a variable, also inside of a sentence. */
const option = /(?<![\w-])(?:--[a-z][a-z-]{1,60}|LATCHKEY_[A-Z_]{1,60})/g;

/** The setting of the first issue or warning of a start in a text. */
export async function findSetting(text: string): Promise<NamedSetting | undefined> {
  const below = belowPlace.exec(text);
  if (below === null) return await describeFirst(loggedWarning.exec(text)?.slice(1) ?? []);
  const lines = text.slice(0, below.index + below[0].length).split("\n").reverse();
  const [, meant = ""] = /Did you mean ([\w-]{1,60})\?/.exec(text) ?? [];
  return await describeFirst([...lines.flatMap((line) => placeLine.exec(line.trimEnd())?.[1] ?? []), meant]);
}

/** The first flag or variable in a text, if it is about this program. */
export async function findOption(text: string): Promise<NamedSetting | undefined> {
  return /latchkey|^\S+$/i.test(text) ? await describeFirst(text.match(option) ?? []) : undefined;
}

async function describeFirst(places: readonly string[]): Promise<NamedSetting | undefined> {
  if (places.length === 0) return undefined;
  const { default: schema } = await import("../../static/config.schema.json", { with: { type: "json" } });
  for (const place of places) {
    const found = findCommand(place) ?? findPart(schema as Schema, settingPath(place));
    if (found !== undefined) return found;
  }
  return undefined;
}

function findCommand(place: string): NamedSetting | undefined {
  const name = place.replace(/^latchkey /, "");
  if (name === place || !Object.hasOwn(commands, name)) return undefined;
  const [args, description] = commands[name as CommandName];
  return { title: place, description, example: `${place} ${args}`, guide: `${place} --help` };
}

/** The names on the way to a setting; `[` for an item of a list. */
function settingPath(place: string): readonly string[] {
  const option = optionNames.find((name) => `--${flagName(name)}` === place || variableName(name) === place);
  return option === undefined ? place.match(/[$\w]+(?!\])|\[/g) ?? [] : [option];
}

/** The part of the schema at a path, as far as it is known. */
function findPart(schema: Schema, path: readonly string[]): NamedSetting | undefined {
  let parts = [schema];
  let found: NamedSetting | undefined;
  const names: string[] = [];
  for (const name of path) {
    parts = parts.flatMap((part) => name === "[" ? part.items ?? [] : part.properties?.[name] ?? [])
      .flatMap((part) => [part, ...part.anyOf ?? []]);
    if (parts.length === 0) break;
    if (name === "[") continue;
    names.push(name);
    const { description, examples } = parts.find((part) => part.description !== undefined) ?? {};
    if (description === undefined) continue;
    found = {
      ...{ title: names.join("."), description, example: `"${name}": ${JSON.stringify(examples?.[0])}` },
      guide: problems.find(({ server }) => server.includes(`"${name}"`))?.guide ??
        "static/docs/configure.md#the-configuration-file",
    };
  }
  return found;
}
