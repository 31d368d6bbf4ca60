/**
 * What the fix texts of the program propose: settings with or without a value, flags and commands. A reader does what
 * they say, so the tests do too.
 */

import { readFileSync } from "node:fs";
import type { Field } from "../../src/core/policy/field.ts";
import { validate } from "../../src/server/config/config_issue.ts";
import { configFileField } from "../../src/cli/settings.ts";
import { extendedClientField } from "../../src/server/hosting/extensions.ts";
import { userField } from "../../src/server/config/user_fields.ts";

/** One proposal of a text. */
export type Proposal =
  /** To write a member of the configuration, a client or a user. */
  | { readonly kind: "setting"; readonly name: string; readonly value?: unknown }
  /** To write a flag; `value` is the next word, if it may be one. */
  | { readonly kind: "flag"; readonly flag: string; readonly value?: string }
  /** To run a command of the program. */
  | { readonly kind: "command"; readonly name: string };

/** A name, perhaps with the object that it is in. */
const name = String.raw`[a-z][A-Za-z]*(?:_[a-z]+)*(?:\.[A-Za-z]\w*)*(?!\w)`;
/** A name that is not a plain word. */
const properName = String.raw`[a-z]+(?:(?:[A-Z]|_[a-z]|\.[a-z])[A-Za-z]*)+(?!\w)`;
const value = String.raw`"[^"$]*"|\[(?:[^\[\]$]|\[[^\[\]$]*\])*\]|true|false`;

/** Settings in sentences; the second group is a value. Words after a verb are settings if they look like names. */
const settingPatterns = [
  new RegExp(String.raw`\b[Ss]ettings? (${name})(?: to (${value}))?`, "g"),
  new RegExp(String.raw`\b[Ss]et (${name}) to (${value}|\d+\b)`, "g"),
  new RegExp(String.raw`\b[Ss]et (${properName})(?! to (?:${value}))()`, "g"),
  new RegExp(String.raw`\b[Aa]dd (${properName})(?! to\b)()`, "g"),
  new RegExp(String.raw`\b(?:add|Add) [^.;]*? to (${properName})()`, "g"),
  new RegExp(String.raw`"?\b(${name})"?: (${value})(?!,)`, "g"),
];

/** What is to be added to the setting `insecure`. */
const insecurePattern = /\badd ((?:"[a-z-]+"(?: and )?)+) to insecure/gi;

// Flags that permit something are those of Deno.
const flagPattern = /(?<![\w-])--(?!allow-)([a-z][a-z-]+)(?:[ =]((?!-)[^\s,;)]+))?/g;
const commandPattern = /(?:\blatchkey|\$\{program\}) ([a-z][a-z-]+)(?=[ .,;`]|$)(?! (?:is|was|has|Next))/g;

/** Words after "setting" that are prose. */
const prose = new Set([
  ...[
    "allows",
    "as",
    "between",
    "decides",
    "demands",
    "enable",
    "enables",
    "for",
    "in",
    "is",
    "it",
    "of",
    "that",
    "yourself",
  ],
]);

/** All proposals of a text. */
export function proposalsIn(text: string): Proposal[] {
  const settings = settingPatterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].filter(([, name]) => !prose.has(name!)).map(([, name, value]): Proposal => ({
      kind: "setting",
      name: name!,
      ...value && { value: JSON.parse(value) },
    }))
  );
  const insecure = [...text.matchAll(insecurePattern)].map(([, parts]): Proposal => ({
    kind: "setting",
    name: "insecure",
    value: parts!.split(" and ").map((part) => JSON.parse(part)),
  }));
  const flags = [...text.matchAll(flagPattern)].map(([, flag, value]): Proposal => ({
    kind: "flag",
    flag: flag!,
    ...value !== undefined && { value: value.replace(/\.$/, "") },
  }));
  const commands = [...text.matchAll(commandPattern)].map(([, name]): Proposal => ({ kind: "command", name: name! }));
  return [...settings, ...insecure, ...flags, ...commands];
}

/** Every field below one, by its path without indices. */
function fieldsBelow(field: Field, path: readonly string[] = []): (readonly [path: readonly string[], field: Field])[] {
  return [
    [path, field],
    ...Object.entries(field.members ?? {}).flatMap(([name, member]) => fieldsBelow(member, [...path, name])),
    ...[field.items, field.others, ...field.oneOf ?? []].flatMap((one) =>
      one === undefined ? [] : fieldsBelow(one, path)
    ),
  ];
}

/** Every member of the configuration file, of clients and of users: its path and its field. */
export const allFields: readonly (readonly [path: readonly string[], field: Field])[] = [
  ...fieldsBelow(configFileField()),
  ...fieldsBelow(extendedClientField),
  ...fieldsBelow(userField),
].filter(([path]) => path.length > 0);

/** The fields whose path ends with these names. */
export function fieldsOf(name: string): Field[] {
  return allFields.flatMap(([path, field]) => `.${path.join(".")}`.endsWith(`.${name}`) ? [field] : []);
}

/** Why the validator rejects a setting; `undefined` if it accepts it. */
export function rejectedBecause({ name, value }: Extract<Proposal, { kind: "setting" }>): string | undefined {
  const fields = fieldsOf(name);
  if (fields.length === 0) return `no setting is called ${name}`;
  if (value === undefined) return undefined;
  const issues = fields.map((field) => {
    // To add a value to a list is to write a list with it.
    const written = field.items !== undefined && !Array.isArray(value) ? [value] : value;
    return validate({ type: "object", expected: "", examples: [], members: { [name]: field } }, { [name]: written });
  });
  return issues.some((found) => found.length === 0) ? undefined : `${name} is not ${issues[0]![0]!.expected}`;
}

/** The string literals of a file of the program, joined where `+` joins them; `${…}` is what a template inserts. */
export function literalsOf(path: string): string[] {
  const code = readFileSync(path, "utf8")
    .replaceAll(/^\s*(?:\/\*\*?(?:[^*]|\*(?!\/))*\*\/|\/\/.*$)/gm, "")
    .replaceAll(/(["`]) \+\n\s*\1/g, "");
  return [...code.matchAll(/"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\[^])*)`/g)]
    .map(([, double, single, template]) => (double ?? single ?? template!).replaceAll(/\\(["'`])/g, "$1"));
}
