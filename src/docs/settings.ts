/** The pages of settings: the JSON Schema of the configuration file, whose descriptions are those of the code. */

import type { Schema, SettingDescription, SettingMember, SettingSummary } from "../ui/docs/props.ts";

/** The settings by name. */
async function readSettings(): Promise<Readonly<Record<string, Schema>>> {
  const { default: schema } = await import("../../static/config.schema.json", { with: { type: "json" } });
  const { $schema: _, ...settings } = (schema as Schema).properties!;
  return settings;
}

/** Every setting of the configuration file, in short. */
export async function listSettings(): Promise<SettingSummary[]> {
  return Object.entries(await readSettings()).map(([name, schema]) => ({ name, summary: firstSentence(schema) }));
}

/** The names of settings and of their members that can be nothing else: `lifetimes.code`, `requireRedirectUri`. */
export async function settingNames(): Promise<string[]> {
  return Object.entries(await readSettings()).flatMap(([name, { properties: members = {} }]) => [
    ...Object.keys(members).map((member) => `${name}.${member}`),
    ...[name].filter((name) => /[A-Z]/.test(name)),
  ]);
}

/** The page of a setting; `undefined` if there is none of this name. */
export async function describeSetting(name: string): Promise<SettingDescription | undefined> {
  const settings = await readSettings();
  if (!Object.hasOwn(settings, name)) return undefined;
  const [{ flagName, optionNames }, { variableName }] = await Promise.all([
    import("../cli/options.ts"),
    import("../cli/environment.ts"),
  ]);
  const names = Object.keys(settings);
  const at = names.indexOf(name);
  const option = optionNames.find((option) => option === name);
  const schema = settings[name]!;
  return {
    ...describeMember(name, schema),
    flag: option && `--${flagName(option)}`,
    variable: option && variableName(option),
    example: schema.examples?.[0] === undefined ? undefined : JSON.stringify({ [name]: schema.examples[0] }, null, 2),
    members: listMembers(name, schema),
    previous: names[at - 1],
    next: names[at + 1],
  };
}

/** The members of an object, of the objects of a list, and of the values of an object, with those inside them. */
function listMembers(path: string, schema: Schema): SettingMember[] {
  const { properties = {}, items, anyOf = [], additionalProperties } = schema;
  const others = typeof additionalProperties === "object" ? [additionalProperties] : [];
  return [
    ...Object.entries(properties).flatMap(([name, member]) => {
      const memberPath = `${path}.${name}`;
      return [describeMember(memberPath, member), ...listMembers(memberPath, member)];
    }),
    ...[...items === undefined ? [] : [items], ...others].flatMap((part) => listMembers(path, part)),
    // A secret as a text, or as the name of a variable or a file: a member of its own says no more than the example.
    ...anyOf.filter(({ items }) => items !== undefined).flatMap((part) => listMembers(path, part)),
  ];
}

function describeMember(name: string, schema: Schema): SettingMember {
  const { description = "", enum: values, minimum, maximum } = schema;
  return {
    name,
    type: typeText(schema),
    description,
    values: values?.map((value) => JSON.stringify(value)),
    range: minimum === undefined && maximum === undefined
      ? undefined
      : maximum === undefined
      ? `${minimum} or more`
      : `${minimum ?? 0} to ${maximum}`,
    standard: schema.default === undefined ? undefined : JSON.stringify(schema.default),
  };
}

/** The JSON types of a value. */
function typeText({ type, items, anyOf = [] }: Schema): string {
  if (type === "array" && items !== undefined) return `array of ${typeText(items)}`;
  return type ?? ([...new Set(anyOf.map(typeText))].join(" or ") || "any");
}

function firstSentence({ description = "" }: Schema): string {
  return /^.+?[^.]\.(?= [A-Z]|$)/.exec(description)?.[0] ?? description;
}
