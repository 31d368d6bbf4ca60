/** Fault rules that are added, listed and removed by id: by the page `/faults`, and by the control over HTTP. */

import { quote } from "../../server/config/config_issue.ts";
import type { FaultDefinition } from "./definition.ts";
import { createFault } from "./mod.ts";
import type { FaultInjector } from "./fault_injector.ts";
import type { Hold } from "./hold.ts";
import { type JsonPattern, toRequestPattern } from "./json_pattern.ts";
import type { FaultRule } from "./rule_builder.ts";

/** @internal A fault as JSON: what goes wrong, for which requests, and how often. */
export interface FaultRequest extends JsonPattern {
  /** The id of the fault, such as `error` or `id-token/exp-past`; the verb `faults.definitions` lists them. */
  readonly fault: string;
  /** The parameters of the fault by name. Default: the default of each. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** The name of the endpoint, such as `token`. Default: any, every endpoint where the fault has an effect. */
  readonly endpoint?: string;
  /** How many matching requests it applies to. Default: 1. */
  readonly times?: number;
  /** Whether it applies to every matching request. Default: false; with `for` and without `times`, true. */
  readonly always?: boolean;
  /** How many seconds the rule lasts, by the clock, from the first request that it applies to. Default: no limit. */
  readonly for?: number;
}

/** @internal A fault rule of the list. */
export interface ListedFault {
  /** The number of the rule, as text: `1` is the first. */
  readonly id: string;
  /** The fault, the endpoint, the client and the number of requests, as text. */
  readonly description: string;
  /** How many requests it has applied to. */
  readonly fired: number;
  /** Whether requests may wait until the verb `faults.release` releases them. */
  readonly waits: boolean;
  /** Whether it cannot fire again, and no request may wait for its release. */
  readonly finished: boolean;
}

/** @internal The fault rules of one server that have ids. */
export interface FaultList {
  /**
   * Adds a rule.
   *
   * @param definitions Where the fault is searched. Default: the faults without the attacks of the check.
   * @throws {TypeError} If no fault has the id, or a value has another type.
   * @throws {RangeError} If a value is out of range.
   */
  add(request: FaultRequest, definitions?: readonly FaultDefinition[]): ListedFault;
  /** The rules, oldest first. */
  all(): readonly ListedFault[];
  /** Removes a rule, which ends its faults that wait. Returns whether it existed. */
  remove(id: string): boolean;
  /** Lets the requests that wait continue, and removes the rule. Returns whether it existed. */
  release(id: string): boolean;
  /** Forgets all rules, after the fault injector was cleared. */
  clear(): void;
}

interface Entry {
  readonly description: string;
  readonly rule: FaultRule;
  /** Absent: the fault holds no request. */
  readonly release?: () => void;
}

/** Creates the list for the fault injector of a server. */
export function faultList(on: FaultInjector["on"]): FaultList {
  const entries = new Map<string, Entry>();
  let lastId = 0;

  const toListed = (id: string, { description, rule, release }: Entry): ListedFault => ({
    ...{ id, description, fired: rule.fired },
    waits: release !== undefined,
    finished: rule.finished && release === undefined,
  });

  function remove(id: string): boolean {
    entries.get(id)?.rule.remove();
    return entries.delete(id);
  }

  return {
    add(request, definitions) {
      const { fault: name, parameters, endpoint = "any", times = 1, grant_type, for: seconds } = request;
      const fault = createFault(name, parameters, definitions);
      if (grant_type !== undefined && endpoint !== "token" && endpoint !== "any") {
        throw new TypeError(
          `Grant type: expected none, because requests to ${endpoint} have none, received ${quote(grant_type)}.`,
        );
      }
      const started = on(endpoint, toRequestPattern(request));
      const builder = seconds === undefined ? started : started.for(seconds);
      const rule = isAlways(request) ? builder.always(fault) : builder.times(times, fault);
      const entry: Entry = {
        description: describe(request),
        rule,
        release: "release" in fault ? (fault as Hold).release : undefined,
      };
      const id = String(++lastId);
      entries.set(id, entry);
      return toListed(id, entry);
    },
    all: () => [...entries].map(([id, entry]) => toListed(id, entry)),
    remove,
    release(id) {
      entries.get(id)?.release?.();
      // Later requests pass.
      return remove(id);
    },
    clear: () => entries.clear(),
  };
}

const isAlways = ({ always, times, for: seconds }: FaultRequest): boolean =>
  always ?? (seconds !== undefined && times === undefined);

function describe(request: FaultRequest): string {
  const { fault, endpoint = "any", client, grant_type, times = 1, for: seconds } = request;
  const requests = isAlways(request)
    ? "every request"
    : times === 1
    ? "the next request"
    : `the next ${times} requests`;
  const whose = `${client ?? "any client"}${grant_type === undefined ? "" : ` with grant_type ${grant_type}`}`;
  return `${fault} at ${endpoint}, for ${requests} of ${whose}${seconds === undefined ? "" : `, for ${seconds} s`}`;
}
