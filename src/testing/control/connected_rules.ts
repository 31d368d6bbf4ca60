/** Fault rules of a server in another process. */

import type { Fault } from "../faults/fault.ts";
import type { ListedFault } from "../faults/fault_list.ts";
import type { RequestPattern } from "../faults/rule_builder.ts";
import type { Call } from "./connection.ts";

/** @internal A fault of a definition, or its id and parameters. */
export type SentFault = Pick<Fault, "id" | "parameters">;

/** @internal A rule that was added. */
export interface ConnectedFaultRule {
  readonly id: string;
  /** How often it has fired until now. */
  fired(): Promise<number>;
  /** Removes the rule and ends the requests that wait for it. */
  remove(): Promise<void>;
  /** Releases the requests that wait for the fault `hold`, and removes the rule. */
  release(): Promise<void>;
}

/** @internal The rule builder that `on(…)` returns. */
export interface ConnectedRuleBuilder {
  /** Limits the time of the rule: it ends that many whole seconds after the first request that it applies to. */
  for(seconds: number): ConnectedRuleBuilder;
  /** Applies the fault to the next matching request. */
  once(fault: SentFault): Promise<ConnectedFaultRule>;
  /** Applies the fault to the next `count` matching requests. */
  times(count: number, fault: SentFault): Promise<ConnectedFaultRule>;
  /** Applies the fault to every matching request. */
  always(fault: SentFault): Promise<ConnectedFaultRule>;
}

export function connectedRuleBuilder(
  call: Call,
  endpoint: string,
  match: RequestPattern = {},
  limit: { readonly for?: number } = {},
): ConnectedRuleBuilder {
  if (typeof match === "function") {
    throw new TypeError("on: expected a pattern, received a function. Write the pattern as an object.");
  }
  const add = async ({ id: fault, parameters }: SentFault, often: object): Promise<ConnectedFaultRule> => {
    if (fault === undefined) {
      throw new TypeError(
        "on: expected a fault with a definition, such as faults.drop(), received a custom fault. Use one of faults.",
      );
    }
    const { id } = await call("faults.add", {
      ...match,
      fault,
      parameters,
      endpoint,
      ...often,
      ...limit,
    }) as ListedFault;
    return {
      id,
      async fired() {
        const { faults } = await call("faults.all") as { readonly faults: readonly ListedFault[] };
        return faults.find((rule) => rule.id === id)?.fired ?? 0;
      },
      remove: async () => void await call("faults.remove", { id }),
      release: async () => void await call("faults.release", { id }),
    };
  };
  return {
    for: (seconds) => connectedRuleBuilder(call, endpoint, match, { for: seconds }),
    once: (fault) => add(fault, { times: 1 }),
    times: (count, fault) => add(fault, { times: count }),
    always: (fault) => add(fault, { always: true }),
  };
}
