/** The parameters of faults: fields as settings and verbs have them, in the order of the arguments. */

import { isObject } from "../../core/http/json_value.ts";
import { anyValue, choice, type Field, text } from "../../core/policy/field.ts";
import { suggest } from "../../core/policy/suggest.ts";
import { quote, validate } from "../../server/config/config_issue.ts";

/** @internal One parameter of a fault. */
export interface FaultParameter<Name extends string = string, Value = unknown> extends Field<Value> {
  /** Unique in the fault. */
  readonly name: Name;
  /** The label in forms. Default: the words of the name. */
  readonly label?: string;
  /** What the value is or does, one sentence. */
  readonly description: string;
  /** Whether programs pass it as a member of the last argument, not as an argument of its own. Default: false. */
  readonly option?: boolean;
}

/** Further members of a parameter. */
type Details = Pick<FaultParameter, "label" | "option">;

function parameter<Name extends string, Value>(
  { name, ...field }: Omit<FaultParameter<Name>, "default" | "examples">,
  value: Value,
): FaultParameter<Name, Value> {
  return { ...field, name, examples: [value], default: value };
}

/** A parameter that is a string. Without a default it can be left out. */
export function textParameter<const Name extends string, Value extends string | undefined>(
  name: Name,
  value: Value,
  description: string,
  label?: string,
): FaultParameter<Name, string | (Value & undefined)> {
  return parameter({ ...text([]), name, description, label }, value);
}

/** A parameter that is one of several strings, by default the first. */
export function choiceParameter<const Name extends string, const Choice extends string>(
  name: Name,
  choices: readonly Choice[],
  description: string,
  label?: string,
): FaultParameter<Name, Choice> {
  return parameter({ ...choice(choices), name, description, label }, choices[0]!);
}

/** A parameter that is a whole number. Without a default it can be left out. */
export function numberParameter<const Name extends string, Value extends number | undefined>(
  name: Name,
  value: Value,
  description: string,
  { min, max, ...details }: Details & Pick<FaultParameter, "min" | "max"> = {},
): FaultParameter<Name, number | (Value & undefined)> {
  const expected = `an integer${min === undefined ? "" : ` from ${min}`}${max === undefined ? "" : ` to ${max}`}`;
  return parameter({ type: "integer", expected, min, max, name, description, ...details }, value);
}

/** A parameter that is a whole number of seconds. */
export function secondsParameter<const Name extends string>(
  name: Name,
  seconds: number,
  description: string,
  label = "Seconds",
): FaultParameter<Name, number> {
  return numberParameter(name, seconds, description, { label: `${label}, in seconds` });
}

/** A parameter whose value has one of several types; programs can pass values that JSON cannot carry. */
export function anyParameter<const Name extends string, Value>(
  name: Name,
  value: Value,
  description: string,
  details: Details = {},
): FaultParameter<Name, Value> {
  return parameter({ ...anyValue, name, description, ...details }, value);
}

export function objectParameter<const Name extends string, Value extends object>(
  name: Name,
  value: Value,
  description: string,
  details: Details = {},
): FaultParameter<Name, Value> {
  return parameter({ type: "object", expected: "an object", name, description, ...details }, value);
}

/** A parameter that is an object of members to replace; programs can pass a function of all members. */
export function editParameter<Value>(example: Value & object, label: string): FaultParameter<"edit", Value> {
  const expected = "an object";
  const oneOf = [{ type: "object", expected, examples: [] }, { type: "function", expected, examples: [] }] as const;
  const description = "Members to replace; null removes one.";
  return parameter({ type: "any", oneOf, expected, name: "edit", description, label }, example);
}

/** The values of a list of parameters, by name, with the defaults filled in. */
export type ParameterValues<Parameters extends readonly FaultParameter[]> = {
  readonly [P in Parameters[number] as P["name"]]: P extends FaultParameter<string, infer Value> ? Value : never;
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
  if (!isObject(values)) {
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
    const { name, default: defaultValue, description } = parameter;
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) return [name, defaultValue];
    const [issue] = validate(parameter, value);
    if (issue === undefined) return [name, value];
    const message = `${path}: expected ${issue.expected} for ${name}, received ${
      quote(value)
    }. ${name}: ${description}`;
    const { type } = parameter;
    const isOfType = typeof value === "number" ? type === "integer" : typeof value === "string" && type === "string";
    throw isOfType ? new RangeError(message) : new TypeError(message);
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
  if (positional.length === parameters.length || !isObject(options)) {
    const expected = positional.length === parameters.length ? "no further argument" : "an object of options";
    throw new TypeError(`${path}: expected ${expected}, received ${quote(options)}. ${listNames(parameters)}`);
  }
  return { ...options as object, ...values };
}

function listNames(parameters: readonly FaultParameter[]): string {
  return parameters.length === 0
    ? "It has no parameters."
    : `Its parameters: ${parameters.map(({ name }) => name).join(", ")}.`;
}
