/** What the page `/faults` controls. */

import type { TestClock } from "../clock.ts";
import type { FaultList } from "../faults/fault_list.ts";

export interface PageControl {
  readonly clock: TestClock;
  readonly rules: FaultList;
}
