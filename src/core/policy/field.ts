/**
 * Fields describe clients, users, the policy and, at the whole server, its other settings.
 *
 * A {@link Field} describes one value: what it must be, its default, and examples for messages. Its type parameter ties
 * it to the interface that documents it: a member without a field, or with a field of another type, is a type error.
 * The type of a field states whether it has a default. At the whole server, the JSON Schema, the flags and the
 * environment variables follow from fields too.
 */

import type { ConfigIssue } from "../rules/configuration_error.ts";
import { isObject } from "../http/json_value.ts";
import { describeKind, quoteValue } from "../http/quote_value.ts";
import { normalizeName, suggest } from "./suggest.ts";

/** A description of one value. */
export interface Field<T = unknown> {
  /**
   * The JSON type; `function` is for options of an embedding program, `any` for a value that only the code that reads
   * it can validate.
   */
  readonly type: "string" | "integer" | "boolean" | "array" | "object" | "function" | "any";
  /** A valid value as a noun phrase, for messages. */
  readonly expected: string;
  /** Valid values. Messages show the first one. */
  readonly examples: readonly T[];
  /** The default. Absent: none, or one that follows from other values. */
  readonly default?: T;
  /** A string that is valid instead of a value of `type`. */
  readonly alternative?: string;
  /** The only valid strings. */
  readonly choices?: readonly string[];
  /**
   * Words that users write for this member or for one of its values, and the value that each stands for; `undefined`
   * is any. Messages propose it.
   */
  readonly words?: Readonly<Record<string, unknown>>;
  /** Valid strings match it. */
  readonly pattern?: RegExp;
  /** Whether a string that matches the pattern is valid. */
  readonly accepts?: (value: string) => boolean;
  /** The smallest number; of an array, its smallest length. */
  readonly min?: number;
  /** The largest number. */
  readonly max?: number;
  /** Whether a configuration file may contain a reference to the value: `{ "env": NAME }` or `{ "file": PATH }`. */
  readonly mayBeReference?: true;
  /** How messages show an invalid string that has a part which may be secret. Default: quoted. */
  readonly show?: (value: string) => string;
  /** How to fix an invalid value, if an example is not enough. `text`: the value, if it is a string. */
  readonly hint?: (text: string | undefined) => string | undefined;
  /** Whether an unknown member is an issue if its name resembles one of `members`. */
  readonly reportsMisspelt?: true;
  /** Of a member of client metadata: the standing from which a client may set it itself. Default: only the operator. */
  readonly openFrom?: "unknown" | "approved";
  /**
   * Of a member of client metadata of an extension: whether a server without the extension rejects it, because ignoring
   * it would weaken the client. Default: it is ignored with a warning.
   */
  readonly isDemand?: true;
  /**
   * Of a list in client metadata: the values that a server with these settings has. Others are issues, and are dropped
   * from metadata documents. Default: any value.
   */
  readonly valuesOf?: (settings: object) => readonly string[];
  /** Of a member of client metadata: whether the server fetches or calls the URL, or loads it in a frame. */
  readonly isFetched?: true;
  /** Of a value of several types: the fields of these types. */
  readonly oneOf?: readonly Field[];
  /** The elements of an array. */
  readonly items?: Field;
  /** The known members of an object. Without `members` and `others`, no member is examined. */
  readonly members?: Readonly<Record<string, Field>>;
  /** The names of the members that must be present. */
  readonly required?: readonly string[];
  /** Of an object: members of other products and of former versions by name, and what to do instead. */
  readonly replacedMembers?: Readonly<Record<string, string>>;
  /** The members of an object that have any other name. Absent: other names are rejected. */
  readonly others?: Field;
  /** Whether members may be inherited from a class. Default: only members that are its own count. */
  readonly mayInherit?: true;
  /** The interface that documents the members. */
  readonly documentedBy?: string;
}

/** A description of an object. */
export type ObjectField<T> = Field<T> & { readonly members: FieldsOf<T> };

/** One field for every member of an interface. */
export type FieldsOf<T> = { readonly [Name in keyof Required<T>]: Field<NonNullable<T[Name]>> };

/** The values that fields describe. */
export type ValuesOf<F> = { readonly [Name in keyof F]?: F[Name] extends Field<infer T> ? T : never };

type Details<T> = Partial<Omit<Field<T>, "examples" | "type">>;

/** A value that only the code that reads it can validate. */
export const anyValue: Field = { type: "any", expected: "any value", examples: [{}] };

/** An option of a program: a function. */
export const functionField: Field<never> = {
  type: "function",
  expected: "a function",
  examples: [],
  hint: () => "Pass a function, or remove the option.",
};

/** A field for each of several functions. */
export function functionFields<Name extends string>(...names: readonly Name[]): Readonly<Record<Name, Field<never>>> {
  return Object.fromEntries(names.map((name) => [name, functionField])) as Record<Name, Field<never>>;
}

/** An option of a program: an object whose members are not examined. */
export const objectField: Field<never> = {
  type: "object",
  expected: "an object",
  examples: [],
  hint: () => "Pass an object, or remove the option.",
};

/** An option of a program: an object that implements an interface, such as a store. Other members are ignored. */
export function implementation<T>(members: FieldsOf<T>, required: readonly (keyof T & string)[]): Field<never> {
  return { ...objectField, members, required, others: anyValue, mayInherit: true };
}

/** Like {@link implementation}, but a misspelt member, which would have no effect, is an issue. */
export function description<T>(members: FieldsOf<T>, required: readonly (keyof T & string)[]): Field<never> {
  return { ...implementation(members, required), reportsMisspelt: true };
}

/**
 * A value of one of several fields.
 *
 * @param choices The valid strings, for suggestions.
 */
export function union<T>(oneOf: readonly Field[], choices: readonly T[], expected: string): Field<T> {
  return { type: "any", expected, examples: choices.slice(0, 1), oneOf };
}

/** A string. */
export function text<D extends Details<string>>(examples: readonly string[], details?: D): Field<string> & D {
  return { type: "string", expected: "a string", examples, ...details! };
}

/** One of several strings; the first one is the example. */
export function choice<const Choice extends string, D extends Details<Choice>>(
  choices: readonly Choice[],
  details?: D,
): Field<Choice> & D {
  return {
    type: "string",
    // Computed for an issue or the schema, not at each start.
    get expected() {
      return choices.map((value) => JSON.stringify(value)).join(", ").replace(/, ("[^"]*")$/, " or $1");
    },
    examples: choices.slice(0, 1),
    choices,
    ...details!,
  };
}

/** `true` or `false`. */
export function flag<D extends boolean | undefined>(defaultValue?: D): Field<boolean> & { readonly default: D } {
  return { type: "boolean", expected: "true or false", examples: [true], default: defaultValue! };
}

export function whole<D extends Details<number> & { readonly expected: string }>(
  example: number,
  details: D,
): Field<number> & D {
  return { type: "integer", examples: [example], ...details };
}

/** A whole number of seconds, which is at least 1. */
export function seconds(defaultValue: number, max?: number): Field<number> & { readonly default: number } {
  const expected = `a whole number of seconds${max === undefined ? ", at least 1" : ` from 1 to ${max}`}`;
  return { ...whole(defaultValue, { min: 1, max, expected }), default: defaultValue };
}

export function list<Item, D extends Details<readonly Item[]> = Details<readonly Item[]>>(
  items: Field<Item>,
  examples: readonly (readonly Item[])[],
  details?: D,
): Field<readonly Item[]> & D {
  return { type: "array", expected: "an array of strings", examples, items, ...details! };
}

/** A list of strings with one example. */
export function texts<D extends Details<readonly string[]>>(
  example: readonly string[],
  details?: D,
): Field<readonly string[]> & D {
  return list(text(example), [example], details);
}

/** An object with known members. */
export function object<T>(
  documentedBy: string,
  members: FieldsOf<T>,
  example: T,
  details: Pick<Details<T>, "expected" | "required" | "others" | "replacedMembers"> = {},
): ObjectField<T> {
  return { type: "object", expected: "an object", examples: [example], documentedBy, members, ...details };
}

/** An object with known members; an absent one has their defaults. */
export function group<T>(
  documentedBy: string,
  members: FieldsOf<T>,
  example: Partial<T>,
): ObjectField<T> & { readonly default: T } {
  return { ...object(documentedBy, members, example as T), default: {} as T };
}

/** An object whose members have any name. */
export function record<Value>(
  others: Field<Value>,
  example: Readonly<Record<string, Value>>,
  expected: string,
): Field<Readonly<Record<string, Value>>> {
  return { type: "object", expected, examples: [example], others };
}

/** The values, with the defaults of the fields instead of absent or `undefined` values, also inside of objects. */
export function withDefaults<T extends object>(fields: FieldsOf<T>, values: T | undefined): T {
  const resolved: Record<string, unknown> = {};
  for (const [name, { default: otherwise, members, others }] of Object.entries<Field>(fields)) {
    const value = values?.[name as keyof T] ?? otherwise;
    if (value === undefined) continue;
    resolved[name] = members && others === undefined ? { ...value, ...withDefaults(members, value as object) } : value;
  }
  return resolved as T;
}

/** The value that a word of the field stands for, which may be any; `undefined` if it is no word of the field. */
export function meantBy({ words = {} }: Field, word: string): { readonly value: unknown } | undefined {
  const known = Object.keys(words).find((known) => normalizeName(known) === normalizeName(word));
  return known === undefined ? undefined : { value: words[known] };
}

/** A value that does not match its field. */
export interface Mismatch {
  readonly path: Path;
  readonly issue: ConfigIssue;
  /** The known name that an unknown one probably stands for. */
  readonly suggestion?: string;
}

/** Maximum number of mismatches of a value with a suggestion: clients send values, and each comparison takes time. */
const maxSuggestions = 20;

/** How values are compared and shown. */
export interface ComparisonOptions {
  /** Shows a value in messages. Default: {@link quoteValue}. */
  readonly quote?: (value: unknown) => string;
  /** What may stand for a value whose field has `mayBeReference`. Default: nothing. */
  readonly reference?: { readonly expected: string; isOne(value: unknown): boolean };
}

/** All mismatches of a value, in the order of the fields; unknown names come first. */
export function findMismatches(field: Field, value: unknown, comparison: ComparisonOptions = {}): Mismatch[] {
  const { quote = quoteValue, reference } = comparison;
  const found: Mismatch[] = [];
  const comparable = (known: readonly string[] = []) => found.length < maxSuggestions ? known : [];
  const visit = (field: Field, value: unknown, path: Path) => {
    if (field.alternative !== undefined && value === field.alternative) return;
    const ofType = field.oneOf?.filter(({ type }) => matches({ type, expected: "", examples: [] }, value)) ?? [];
    const one = ofType.find((option) => matches(option, value)) ?? ofType[0];
    if (one !== undefined) return visit(one, value, path);
    const stand = field.mayBeReference ? reference : undefined;
    if (!matches(field, value) && !stand?.isOne(value)) {
      const issue = invalidValue(field, value, path, comparable(field.choices), quote);
      const { expected } = issue;
      found.push({
        path,
        issue: stand === undefined ? issue : { ...issue, expected: `${expected}, or ${stand.expected}` },
      });
    } else if (field.items) {
      for (const [i, item] of (value as unknown[]).entries()) visit(field.items, item, [...path, i]);
    } else if (field.members ?? field.others) {
      const { members = {}, others, required = [] } = field;
      for (const [name, member] of Object.entries(value as object)) {
        if (Object.hasOwn(members, name)) continue;
        // Copying an object would make a member of this name its prototype.
        if (name === "__proto__") {
          found.push(unknownName(name, [], path, undefined, quote));
          continue;
        }
        const known = others && !field.reportsMisspelt ? [] : Object.keys(members);
        const meant = known.find((member) => meantBy(members[member]!, name) !== undefined);
        const suggestion = meant ?? suggest(name, comparable(known));
        if (others && suggestion === undefined) {
          visit(others, member, [...path, name]);
          continue;
        }
        const mismatch = unknownName(name, known, path, suggestion, quote);
        const { replacedMembers = {} } = field;
        const hint = Object.hasOwn(replacedMembers, name) ? replacedMembers[name] : undefined;
        found.push(hint === undefined ? mismatch : { ...mismatch, issue: { ...mismatch.issue, hint } });
      }
      for (const [name, member] of Object.entries(members)) {
        const isPresent = field.mayInherit || Object.hasOwn(value as object, name);
        const inner = isPresent ? (value as Record<string, unknown>)[name] : undefined;
        if (inner !== undefined || required.includes(name)) visit(member, inner, [...path, name]);
      }
    }
  };
  visit(field, value, []);
  return found;
}

/** Whether a value, apart from its items and members, matches a field. */
function matches(
  { type, oneOf, choices, pattern, accepts, min = -Infinity, max = Infinity }: Field,
  value: unknown,
): boolean {
  switch (type) {
    case "string":
      return typeof value === "string" && (choices?.includes(value) ?? true) && (pattern?.test(value) ?? true) &&
        (accepts?.(value) ?? true);
    case "integer":
      return Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max;
    case "array":
      return Array.isArray(value) && value.length >= min;
    case "object":
      return isObject(value) && !(value instanceof Error);
    case "any":
      return oneOf === undefined;
    case "boolean":
      return typeof value === "boolean";
    case "function":
      return typeof value === "function";
  }
}

type Quote = NonNullable<ComparisonOptions["quote"]>;

function invalidValue(
  field: Field,
  value: unknown,
  path: Path,
  comparable: readonly string[],
  quote: Quote,
): ConfigIssue {
  const name = path.at(-1);
  const suggestion = typeof value === "string" ? meantBy(field, value)?.value ?? suggest(value, comparable) : undefined;
  const example = JSON.stringify(suggestion ?? field.examples[0]);
  const like = typeof name === "string" ? `${quote(name)}: ${example}` : example;
  const addition = example === undefined ? "Add it." : `Add it, like ${like}.`;
  const correction = field.hint?.(typeof value === "string" ? value : undefined) ?? `Write it like ${like}.`;
  return {
    path: showPath(path, quote),
    expected: field.expected,
    received: showValue(value, path, field, quote),
    hint: value === undefined ? addition : correction,
  };
}

/** The mismatch of an unknown name. Without known names, every other name is allowed. */
function unknownName(
  name: string,
  known: readonly string[],
  parent: Path,
  suggestion: string | undefined,
  quote: Quote,
): Mismatch {
  const path = [...parent, name];
  const isReserved = known.length === 0;
  return {
    path,
    suggestion,
    issue: {
      path: showPath(path, quote),
      expected: isReserved ? "another name" : "a known key",
      received: quote(name),
      hint: isReserved
        ? "Choose another name."
        : suggestion
        ? `Did you mean ${suggestion}?`
        : `Remove it; ${listKeys(known)}.`,
    },
  };
}

/** Longer lists of keys are not read. */
const maxListedKeys = 10;

function listKeys(known: readonly string[]): string {
  if (known.length <= maxListedKeys) return `known keys here are ${known.join(", ")}`;
  const others = known.filter((name) => !name.startsWith("$"));
  return `no key here has a similar name: there are ${others.length}, such as ${
    others.slice(0, maxListedKeys).join(", ")
  }`;
}

/** The keys and indices that lead to a value. */
export type Path = readonly (string | number)[];

/** A path as text: `clients[1].redirect_uris[0]`. */
export function showPath(path: Path, quote: Quote = quoteValue): string {
  let shown = "";
  for (const step of path) {
    if (typeof step === "number") shown += `[${step}]`;
    else if (!/^[A-Za-z_$][\w$-]{0,59}$/.test(step)) shown += `[${quote(step)}]`;
    else shown += shown === "" ? step : `.${step}`;
  }
  return shown;
}

/** Texts that are too short for a secret: short numbers and words. */
const plainText = /^(?:-?\d[\da-z.]{0,6}|[a-z ._-]{0,12})$/;

/** Whether a value is a string or a long number where another type, or one of a few words, is expected. */
function isMisplaced(value: string | number, { type, choices, items }: Field): boolean {
  // A string where an array of strings is expected is shown: it lacks only the brackets.
  if (type === "array" && items !== undefined) return isMisplaced(value, items);
  if (plainText.test(String(value)) || typeof value === "number" && type === "integer") return false;
  return type !== "string" || choices !== undefined && suggest(String(value), choices) === undefined;
}

/**
 * A value as messages show it: strings quoted, of arrays and objects only the type. A value that may be a secret is
 * shown as its type only: if its name says so, or if it is out of place, such as the secret of a client instead of
 * `true`.
 */
export function showValue(value: unknown, path: Path, field: Field, quote: Quote = quoteValue): string {
  if (value === undefined) return "nothing";
  if (path.some((name) => /secret|password|jwks$|key$|AccessTokens$/i.test(String(name)))) {
    return `${describeKind(value)} (hidden)`;
  }
  if ((typeof value === "string" || typeof value === "number") && isMisplaced(value, field)) {
    return `${describeKind(value)} (hidden)`;
  }
  if (typeof value === "string") return field.show?.(value) ?? quote(value);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : describeKind(value);
}
