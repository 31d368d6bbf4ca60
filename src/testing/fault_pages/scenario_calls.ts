/** What the button of a scenario runs. What waits for the first tokens under `exec` happens immediately here. */

import { type ScenarioStep, userPlaceholder } from "../scenarios/scenario.ts";
import { scenarios } from "../scenarios/scenarios.ts";

/** The fault of a user who denies, as data of a form or of the control. */
export const denial = {
  fault: "error",
  endpoint: "authorize",
  parameters: { code: "access_denied", description: "the user denied the request" },
} as const;

/**
 * The calls of a scenario. A denial is a fault, so that the page lists it and can remove it.
 *
 * @param user The `sub` of the user that a call is about.
 */
export function scenarioCalls(name: string, user: string | undefined): readonly ScenarioStep[] | undefined {
  const scenario = scenarios.find((candidate) => candidate.name === name);
  return scenario?.steps.map(({ verb, input = {} }) =>
    verb === "decisions.deny" ? { verb: "faults.add", input: { ...denial, always: true } } : {
      verb,
      input: Object.fromEntries(
        Object.entries(input).map(([member, value]) => [member, value === userPlaceholder ? user : value]),
      ),
    }
  );
}
