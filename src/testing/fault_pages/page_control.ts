/** What the page `/faults` controls. */

import type { TestClock } from "../clock.ts";
import type { FaultInjector } from "../faults/fault_injector.ts";
import type { FaultRule } from "../faults/rule_builder.ts";

/** A rule that was added by the page. */
export interface PageRule {
  readonly id: string;
  /** Fault, endpoint, client and how often, in words. */
  readonly description: string;
  readonly rule: FaultRule;
  /** Lets the requests that wait continue. Absent: the fault holds none. */
  readonly release?: () => void;
}

/** What the page controls. */
export interface PageControl {
  readonly on: FaultInjector["on"];
  readonly clock: TestClock & { reset(): void };
  /** Oldest first. */
  readonly rules: Map<string, PageRule>;
}
