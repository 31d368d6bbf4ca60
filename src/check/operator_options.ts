/** The options of a check that only the command has. */

import type { Recorder } from "../recorder/recorder.ts";
import type { CheckOptions } from "./check_options.ts";

/** Options for the operator of the machine, who may do more than a visitor of a page. */
export interface OperatorOptions
  extends Pick<CheckOptions, "timeLimits" | "timeoutMs" | "recoveryMs" | "pauseMs" | "restart" | "baseline"> {
  /** The command that repeats one attack. */
  readonly repeat: (attackId: string) => string;
  /** Called before each journey. */
  readonly onStart: NonNullable<CheckOptions["onStart"]>;
  /** Called with each result. */
  readonly onResult: NonNullable<CheckOptions["onResult"]>;
  /** Records the requests of the check. */
  readonly recorder: Recorder;
}
