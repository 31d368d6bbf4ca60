/** Users by convention: what a suite causes that can only type a name at the login page, or send a `login_hint`. */

import type { FaultRequest } from "../faults/fault_list.ts";
import type { ScenarioStep } from "./scenario.ts";

/** A name, and what it causes. */
export interface ScenarioUserName {
  /** How the name begins: `deny@`, with any host after it. */
  readonly prefix: string;
  /** What happens, one sentence. */
  readonly does: string;
  readonly fault: Pick<FaultRequest, "fault" | "parameters">;
}

export const userNames: readonly ScenarioUserName[] = [
  {
    prefix: "deny@",
    does: "The user denies: the client receives access_denied.",
    fault: { fault: "error", parameters: { code: "access_denied", description: "the user denied the request" } },
  },
  {
    prefix: "error@",
    does: "The client receives server_error.",
    fault: { fault: "error", parameters: { code: "server_error" } },
  },
  {
    prefix: "unavailable@",
    does: "The client receives temporarily_unavailable.",
    fault: { fault: "error", parameters: { code: "temporarily_unavailable" } },
  },
  {
    prefix: "slow@",
    does: "The response comes after 5 seconds.",
    fault: { fault: "delay", parameters: { milliseconds: 5000 } },
  },
];

/** The fields that a name is typed in: those of the login page, and the hint of the client. */
const fields = [["login", "subject"], ["login", "sub"], ["authorize", "login_hint"]] as const;

export const userNameSteps: readonly ScenarioStep[] = userNames.flatMap(({ prefix, fault }) =>
  fields.map(([endpoint, field]) => ({
    verb: "faults.add",
    input: { ...fault, endpoint, params: { [field]: { pattern: `^${prefix}` } }, always: true },
  }))
);
