/** Parameters of attacks, with the values that a check tries, each in a journey of its own. */

import { anyParameter, choiceParameter, type FaultParameter } from "../../testing/faults/parameters.ts";

/**
 * A parameter whose values are names. The first one is the default.
 *
 * @param description Default: the names.
 */
export function oneOf<const Name extends string, const Choice extends string>(
  name: Name,
  choices: readonly Choice[],
  description = `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}.`,
) {
  return {
    parameters: [choiceParameter(name, choices, description)] as const,
    variants: choices.map((choice) => ({ [name]: choice })),
  };
}

/** Any value that an attack can send instead of a string. */
type Sent = string | number | null | readonly unknown[] | Readonly<Record<string, unknown>>;

/** A parameter that is sent as it is, such as a claim, of any JSON type unless all values are strings. */
export function sent<const Name extends string, const Value>(
  name: Name,
  values: readonly Value[],
  description: string,
) {
  return {
    parameters: [
      anyParameter<Name, [Value] extends [string] ? string : Sent>(name, values[0] as never, description),
    ] as const,
    variants: values.map((value) => ({ [name]: value })),
  };
}

/** One parameter, and its values. */
interface Tries {
  readonly parameters: readonly [FaultParameter];
  readonly variants: readonly Readonly<Record<string, unknown>>[];
}

/** Two parameters: each value of one with each of the other. */
export function eachWithEach<One extends Tries, Other extends Tries>(one: One, other: Other) {
  const parameters: readonly [One["parameters"][0], Other["parameters"][0]] = [one.parameters[0], other.parameters[0]];
  return {
    parameters,
    variants: one.variants.flatMap((first) => other.variants.map((second) => ({ ...first, ...second }))),
  };
}
