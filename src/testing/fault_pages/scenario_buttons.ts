/** The scenarios of `exec --scenario` as buttons: what waits for the first tokens there happens immediately. */

import type { ScenarioStep } from "../scenarios/scenario.ts";
import { userPlaceholder } from "../scenarios/scenario.ts";
import { scenarios } from "../scenarios/scenarios.ts";

/** A scenario as a button. */
export interface ScenarioButton {
  /** How `--scenario` names it. */
  readonly name: string;
  /** Its effect in a few words. */
  readonly title: string;
}

/** The effect of each scenario, for its button. */
const titles: Readonly<Record<string, string>> = {
  "provider-down-30s": "Provider down, 30 s",
  "provider-slow-3s": "Provider slow, 3 s",
  "rate-limited-5s": "Rate limited, 5 s",
  "token-fails-twice": "Token endpoint fails twice",
  "refresh-rejected": "Refresh rejected",
  "keys-rotated": "Keys rotated",
  "keys-down-30s": "Keys down, 30 s",
  "clock-ahead-10m": "Clock 10 min ahead",
  "tokens-revoked": "Tokens revoked",
  "user-removed": "User removed",
  "consent-denied": "Consent denied",
  "user-names": "Users by name",
};

/** The fault of a user who denies, as data of a form or of the control. */
export const denial = {
  fault: "error",
  endpoint: "authorize",
  parameters: { code: "access_denied", description: "the user denied the request" },
} as const;

/** All scenarios, in the order of the help. */
export const scenarioButtons: readonly ScenarioButton[] = scenarios.map(({ name }) => ({
  name,
  title: titles[name] ?? name,
}));

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
