/**
 * The description format of the configuration.
 *
 * A {@link Field} describes one value. The validator, the JSON Schema, the defaults, the flags and the environment
 * variables follow from it. Its type parameter ties it to the interface of the settings, which holds the documentation:
 * a setting without a field, or with a field of another type, is a type error. The type of a field says whether it has a
 * default.
 */

/** A description of one value. */
export interface Field<T = unknown> {
  /** The JSON type; `function` is for options of an embedding program, `any` for a value that only its user can validate. */
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
  /** Valid strings match it. */
  readonly pattern?: RegExp;
  /** Whether a string that matches the pattern is valid. */
  readonly accepts?: (value: string) => boolean;
  /** The smallest number; of an array, its smallest length. */
  readonly min?: number;
  /** The largest number. */
  readonly max?: number;
  /** Whether a configuration file may contain a reference to the value: `{ "env": NAME }` or `{ "file": PATH }`. */
  readonly isSecret?: true;
  /** How to fix an invalid value, if an example is not enough. */
  readonly hint?: (value: unknown) => string | undefined;
  /** The elements of an array. */
  readonly items?: Field;
  /** The known members of an object. Without `members` and `others`, no member is examined. */
  readonly members?: Readonly<Record<string, Field>>;
  /** The names of the members that must be present. */
  readonly required?: readonly string[];
  /** The members of an object that have any other name. Absent: other names are rejected. */
  readonly others?: Field;
  /** The interface that documents the members. */
  readonly documentedBy?: string;
}

/** One field for every member of an interface. */
export type Fields<T> = { readonly [Name in keyof Required<T>]: Field<NonNullable<T[Name]>> };

type Details<T> = Partial<Omit<Field<T>, "examples" | "type">>;

/** A value that only its user can validate. */
export const anyValue: Field = { type: "any", expected: "any value", examples: [{}] };

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

/** A whole number. */
export function whole(example: number, details: Details<number> & { readonly expected: string }): Field<number> {
  return { type: "integer", examples: [example], ...details };
}

/** A whole number of seconds, which is at least 1. */
export function seconds(defaultValue: number, max?: number): Field<number> & { readonly default: number } {
  const expected = `a whole number of seconds${max === undefined ? ", at least 1" : ` from 1 to ${max}`}`;
  return { ...whole(defaultValue, { min: 1, max, expected }), default: defaultValue };
}

/** A list. */
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
  members: Fields<T>,
  example: T,
  details: Pick<Details<T>, "expected" | "required" | "others"> = {},
): Field<T> & { readonly members: Fields<T> } {
  return { type: "object", expected: "an object", examples: [example], documentedBy, members, ...details };
}

/** An object whose members have any name. */
export function record<Value>(
  others: Field<Value>,
  example: Readonly<Record<string, Value>>,
  expected: string,
): Field<Readonly<Record<string, Value>>> {
  return { type: "object", expected, examples: [example], others };
}

/** The values, with the defaults of the fields where a value is absent or `undefined`. */
export function withDefaults<T extends object>(fields: Fields<T>, values: T | undefined): T {
  const resolved: Record<string, unknown> = {};
  for (const [name, field] of Object.entries<Field>(fields)) {
    const value = values?.[name as keyof T] ?? field.default;
    if (value !== undefined) resolved[name] = value;
  }
  return resolved as T;
}
