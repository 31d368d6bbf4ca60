/** A scenario: calls of the control that put a server into a situation, as data. */

import { anyValue, list, object, type ObjectField, record, text } from "../../core/policy/field.ts";

/** What happens to a server that a whole test suite runs beside. */
export interface Scenario {
  /** How `--scenario` names it: lower-case words with hyphens. */
  readonly name: string;
  /** What happens, one sentence. */
  readonly does: string;
  /** The calls, in order. */
  readonly steps: readonly ScenarioStep[];
  /** Whether a run in which it has no effect is a success. Default: false. */
  readonly optional?: boolean;
}

/** One call of the control. */
export interface ScenarioStep {
  /** The name of the endpoint after whose first successful response the call runs. Default: at the start. */
  readonly after?: string;
  /** The name of a verb that changes the server, such as `faults.add`. */
  readonly verb: string;
  /** The input of the verb. The value `$user` is the `sub` of the user. Default: none. */
  readonly input?: Readonly<Record<string, unknown>>;
}

/** The text of an input that stands for the user: the one after the colon of `--scenario NAME:SUB`, or the first. */
export const userPlaceholder = "$user";

/** The input of a step, with the user instead of the placeholder. */
export function withUser(input: NonNullable<ScenarioStep["input"]>, user: string | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, value === userPlaceholder ? user : value]),
  );
}

const stepField = object<ScenarioStep>(
  "ScenarioStep",
  { after: text(["token"]), verb: text(["faults.add"]), input: record(anyValue, { fault: "drop" }, "an object") },
  { verb: "rotateKeys" },
  { required: ["verb"] },
);

const namePattern = /^[a-z][a-z0-9-]{0,63}$/;

/** The description of {@link Scenario}, for files of users. */
export const scenarioField: ObjectField<Omit<Scenario, "optional">> = object<Omit<Scenario, "optional">>(
  "Scenario",
  {
    name: text(["provider-down"], { pattern: namePattern, expected: "lower-case words with hyphens" }),
    does: text(["Every endpoint drops the connection once."]),
    steps: list(stepField, [[{ verb: "faults.add", input: { fault: "drop" } }]]),
  },
  {
    name: "provider-down",
    does: "Every endpoint drops the connection once.",
    steps: [{ verb: "faults.add", input: { fault: "drop" } }],
  },
  { required: ["name", "does", "steps"] },
);
