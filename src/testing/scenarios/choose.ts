/** The scenarios that `--scenario` names. */

import { suggest } from "../../core/policy/suggest.ts";
import { quote } from "../../server/config/config_issue.ts";
import { type Scenario, type ScenarioStep, userPlaceholder } from "./scenario.ts";
import { scenarios } from "./scenarios.ts";

export interface ChosenScenario extends Scenario {
  /** The `sub` for `$user`. Default: that of the first user. */
  readonly user?: string;
}

/**
 * Finds a scenario by its name, or `NAME:SUB`.
 *
 * @returns The scenario, or why there is none: what was expected, and how to fix it.
 */
export function chooseScenario(
  text: string,
): ChosenScenario | { readonly expected: string; readonly received: string; readonly hint: string } {
  const [, name, user] = /^([^:]*)(?::(.+))?$/s.exec(text) ?? [];
  const found = scenarios.find((one) => one.name === name);
  const received = quote(text.slice(0, 80));
  if (found === undefined) {
    const names = scenarios.map((one) => one.name);
    const nearest = suggest(name ?? text, names);
    const hint = nearest === undefined ? `The scenarios: ${names.join(", ")}.` : `Did you mean ${nearest}?`;
    return { expected: "the name of a scenario, or the path of a .json file", received, hint };
  }
  if (user === undefined || found.steps.some(usesUser)) return { ...found, user };
  return { expected: `${name} without a user, because it is about no user`, received, hint: `Write ${name}.` };
}

const usesUser = ({ input = {} }: ScenarioStep) => Object.values(input).includes(userPlaceholder);
