/** Options: the settings that flags and variables set, and how their texts are read. */

import { type Field, type FieldsOf, meantBy, showValue } from "../core/policy/field.ts";
import { normalizeName, suggest } from "../core/policy/suggest.ts";
import { findMismatches, quote } from "../server/config/config_issue.ts";
import type { ConfigIssue } from "../core/rules/configuration_error.ts";
import { type ConfigFile, describedFields, type OptionName, optionNames } from "./settings.ts";

/** The name of the flag and, in capitals and with underscores, of the variable: `max-in-flight`. */
export function flagName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The value of a flag or a variable; without `value` if it is invalid. */
interface RawOption {
  /** `--port` or `LATCHKEY_PORT`. */
  readonly source: string;
  readonly text?: string;
  readonly value?: unknown;
}

/** The options that flags or variables set. */
export type RawOptions = Partial<Record<OptionName, RawOption>>;

export type OptionFields = Readonly<Record<OptionName, Field>>;

/** The description of all options, with the fields of a file. */
export function optionFields(file: FieldsOf<ConfigFile>): OptionFields {
  return { ...file, config: describedFields.config };
}

/** Whether the value of an option is a path: such a value cannot be in another file (`…_FILE`). */
export function isPath(name: OptionName): boolean {
  return describedFields[name].flag === "FILE";
}

/**
 * Reads the text of an option.
 *
 * @param hint How to fix it, if the field has no hint of its own.
 */
export function readOption(
  field: Field,
  source: string,
  text: string,
  hint: string,
): { readonly option: RawOption; readonly issue?: ConfigIssue } {
  const value = parseText(field, text);
  if (findMismatches(field, value).length === 0) return { option: { source, text, value } };
  const { named, wrong } = findWrongName(field, value) ?? { named: namedField(field), wrong: text };
  const issue = { path: source, expected: expectedText(field), received: showValue(wrong, [source], named, quote) };
  const meant = meantBy(field, text)?.value;
  const nearest = meant === undefined ? suggest(wrong, named.choices ?? []) : optionText(meant);
  const fix = field.hint?.(text) ?? (nearest === undefined ? hint : `Did you mean ${nearest}?`);
  return { option: { source }, issue: { ...issue, hint: fix } };
}

/** The field with the names that a value may have. */
const namedField = (field: Field): Field => field.oneOf?.find(({ choices }) => choices !== undefined) ?? field;

/** The first item of a list of names that is none of them; `undefined` for any other value. */
function findWrongName(field: Field, value: unknown): { readonly named: Field; readonly wrong: string } | undefined {
  const items = field.oneOf?.find(({ type }) => type === "array")?.items;
  if (!Array.isArray(value) || items === undefined) return undefined;
  const [named, wrong] = [namedField(items), value.find((item) => findMismatches(items, item).length > 0)];
  return named.choices === undefined || wrong === undefined ? undefined : { named, wrong };
}

function parseText({ type, alternative, oneOf }: Field, text: string): unknown {
  if (text === alternative) return text;
  if (type === "integer") return /^[0-9]{1,15}$/.test(text) ? Number(text) : text;
  if (type === "boolean") return text === "on" || text === "off" ? text === "on" : text;
  const isList = type === "array" || text.includes(",") && oneOf?.some((one) => one.type === "array");
  return isList ? text.split(",").map((item) => item.trim()) : text;
}

/** A valid value of an option as a noun phrase. */
export function expectedText({ type, expected, items }: Field): string {
  if (type === "array") {
    return items?.pattern || items?.choices
      ? `${items.expected}; several separated by commas`
      : "values separated by commas";
  }
  return type === "boolean" ? "on or off" : expected;
}

/** An example value of an option; of a switch, the one that a wrong text means. */
export function exampleText({ type, examples }: Field, wrong = ""): string {
  return optionText(type === "boolean" ? !/^(?:false|no|none|never|0|disabled?)$/i.test(wrong) : examples[0]);
}

/** A value of a field as a flag has it. */
function optionText(value: unknown): string {
  return typeof value === "boolean" ? value ? "on" : "off" : String(value);
}

/** The option that a word stands for which is no name of one, and its value: `https` is `tls` with `self-signed`. */
export function optionOfWord(word: string): { readonly name: OptionName; readonly text?: string } | undefined {
  const [, negation, rest] = /^(?:(no|disable|without)|enable|with)[-_](.+)$/i.exec(word) ?? [];
  for (const name of optionNames) {
    const field: Field = describedFields[name];
    const isSwitched = field.type === "boolean" && rest !== undefined && normalizeName(rest) === normalizeName(name);
    const meant = isSwitched ? { value: negation === undefined } : meantBy(field, word);
    if (meant !== undefined) return { name, ...meant.value !== undefined && { text: optionText(meant.value) } };
  }
  return undefined;
}
