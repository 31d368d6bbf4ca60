/** The parameters of faults: a small part of JSON Schema, its TypeScript types, and the validation of values. */

import { isObject } from "../../platform/json_value.ts";
import { quote, suggest } from "../../server/config/config_issue.ts";

/** The types of JSON values (JSON Schema), and the TypeScript type of each. */
interface JsonTypes extends Record<JsonType, unknown> {
  readonly array: readonly unknown[];
  readonly integer: number;
  readonly null: null;
  readonly number: number;
  readonly object: Readonly<Record<string, unknown>>;
  readonly string: string;
}

/** Values that only a program can pass. */
interface ProgramTypes {
  readonly Date: Date;
  // deno-lint-ignore no-explicit-any
  readonly function: (...args: any[]) => any;
}

/** The name of a JSON type (JSON Schema). */
export type JsonType = "array" | "integer" | "null" | "number" | "object" | "string";

/** @internal One parameter of a fault. The members have the meaning that JSON Schema gives them. */
export interface FaultParameter {
  /** Unique in the fault. */
  readonly name: string;
  /** The label in forms, without the unit. Default: the words of the name. */
  readonly label?: string;
  /** One JSON type, or several. */
  readonly type: JsonType | readonly JsonType[];
  /** The unit of a number. Default: none. */
  readonly unit?: "milliseconds" | "seconds";
  /** The values that are allowed. Default: all values of the type. */
  readonly enum?: readonly string[];
  /** The minimum of a number. Default: none. */
  readonly minimum?: number;
  /** The maximum of a number. Default: none. */
  readonly maximum?: number;
  /** The default. Without one, the fault works without a value. */
  readonly default?: string | number | null | Readonly<Record<string, unknown>>;
  /** What the value is or does, one sentence. */
  readonly description: string;
  /** Whether programs pass it as a member of the last argument, not as an argument of its own. Default: false. */
  readonly option?: boolean;
  /** A further type that only programs can pass. Default: none. */
  readonly programType?: "Date" | "function";
}

/** A parameter that is a string, with its default. */
export function textParameter<const Name extends string>(
  name: Name,
  text: string,
  description: string,
  label?: string,
) {
  return { name, label, type: "string", default: text, description } as const;
}

/** A parameter that is a number of seconds. */
export function secondsParameter<const Name extends string>(
  name: Name,
  seconds: number,
  description: string,
  label?: string,
) {
  return { name, label, type: "number", unit: "seconds", default: seconds, description } as const;
}

/** The label of a parameter in a form: `Retry after, in seconds`. */
export function parameterLabel({ name, label, unit }: FaultParameter): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const text = label ?? words.replace(/^[a-z]/, (letter) => letter.toUpperCase());
  return unit === undefined ? text : `${text}, in ${unit}`;
}

type ParameterValue<P extends FaultParameter> =
  | (P extends { readonly enum: readonly (infer Value)[] } ? Value
    : JsonTypes[P["type"] extends readonly (infer Type extends JsonType)[] ? Type : P["type"] & JsonType])
  | (P extends { readonly programType: infer Type extends keyof ProgramTypes } ? ProgramTypes[Type] : never)
  | (P extends { readonly default: string | number | null | object } ? never : undefined);

/** The values of a list of parameters, by name, with the defaults filled in. */
export type ParameterValues<Parameters extends readonly FaultParameter[]> = {
  readonly [P in Parameters[number] as P["name"]]: ParameterValue<P>;
};

/**
 * Fills in the defaults.
 *
 * @param path Begins the message of an error: `faults.delay`.
 * @throws {TypeError} If a name is unknown or a value has another type.
 * @throws {RangeError} If a value is out of range.
 */
export function validateParameters(
  path: string,
  parameters: readonly FaultParameter[],
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (!matches.object(values)) {
    throw new TypeError(
      `${path}: expected an object of parameters, received ${quote(values)}. ${listNames(parameters)}`,
    );
  }
  const names = parameters.map(({ name }) => name);
  for (const name of Object.keys(values)) {
    if (names.includes(name)) continue;
    const closest = suggest(name, names);
    const hint = closest === undefined ? listNames(parameters) : `Did you mean ${closest}?`;
    throw new TypeError(`${path}: expected known parameters, received ${quote(name)}. ${hint}`);
  }
  return Object.fromEntries(parameters.map((parameter) => {
    const { name, default: defaultValue } = parameter;
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) return [name, defaultValue];
    assertValue(path, parameter, value);
    return [name, value];
  }));
}

/** The arguments of a call as one object: positions first, then the members of an object for the options. */
export function optionsToValues(
  path: string,
  parameters: readonly FaultParameter[],
  args: readonly unknown[],
): Readonly<Record<string, unknown>> {
  const positional = parameters.filter(({ option = false }) => !option);
  const values = Object.fromEntries(positional.map(({ name }, index) => [name, args[index]]));
  const options = args[positional.length];
  if (options === undefined) return values;
  if (positional.length === parameters.length || !matches.object(options)) {
    const expected = positional.length === parameters.length ? "no further argument" : "an object of options";
    throw new TypeError(`${path}: expected ${expected}, received ${quote(options)}. ${listNames(parameters)}`);
  }
  return { ...options as object, ...values };
}

function assertValue(path: string, parameter: FaultParameter, value: unknown): void {
  const { name, type, enum: choices, minimum = -Infinity, maximum = Infinity, description, programType } = parameter;
  const types = [type].flat();
  const isType = types.some((jsonType) => matches[jsonType](value)) ||
    (programType === "function" ? typeof value === "function" : programType === "Date" && value instanceof Date);
  const isInRange = typeof value === "number"
    ? value >= minimum && value <= maximum
    : choices?.includes(String(value)) !== false;
  if (isType && isInRange) return;
  const range = [
    ...parameter.minimum === undefined ? [] : [` from ${minimum}`],
    ...parameter.maximum === undefined ? [] : [` to ${maximum}`],
  ];
  const expected = choices?.join(" or ") ??
    [...types, ...programType ? [programType] : []].map((type) => typeNames[type]).join(" or ") + range.join("");
  const received = quote(value);
  const message = `${path}: expected ${expected} for ${name}, received ${received}. ${name}: ${description}`;
  const isWrongType = !isType && !(typeof value === "number" && types.includes("integer"));
  throw isWrongType ? new TypeError(message) : new RangeError(message);
}

/** Types with their articles. */
const typeNames: Readonly<Record<JsonType | "function" | "Date", string>> = {
  array: "an array",
  integer: "an integer",
  null: "null",
  number: "a number",
  object: "an object",
  string: "a string",
  function: "a function",
  Date: "a Date",
};

/** Whether a value has a type. */
const matches: Readonly<Record<JsonType, (value: unknown) => boolean>> = {
  array: Array.isArray,
  integer: Number.isInteger,
  null: (value) => value === null,
  number: Number.isFinite,
  object: (value) => isObject(value) && !(value instanceof Date),
  string: (value) => typeof value === "string",
};

function listNames(parameters: readonly FaultParameter[]): string {
  return parameters.length === 0
    ? "It has no parameters."
    : `Its parameters: ${parameters.map(({ name }) => name).join(", ")}.`;
}
