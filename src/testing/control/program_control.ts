/** The control of the program: a clock, decisions, faults and a log around its server, and the endpoints for them. */

import type { Plugin } from "../../server/hosting/options.ts";
import type { Recorder } from "../../recorder/recorder.ts";
import { testControl } from "../control.ts";
import { withTrustedPersonas } from "../personas.ts";
import type { ControlOptions, ServerControl } from "../test_control.ts";
import { controlEndpoints } from "./mod.ts";
import type { RunningScenarios, ScenarioResults } from "./run_scenarios.ts";

export { runScenarios } from "./run_scenarios.ts";

/** Options of {@link programControl}. */
export interface ProgramControlOptions extends ControlOptions {
  /** A recorder around the server. Default: the control has its own. */
  readonly recorder?: Recorder;
  /** Prepares the scenarios of the server, which must be on a test host. Default: none. */
  readonly scenarios?: (control: ServerControl) => RunningScenarios;
}

/** The control of a server that is not a mock, and its plugins in order. */
export interface ProgramControl {
  readonly control: ServerControl;
  readonly plugins: readonly Plugin[];
  /** Starts the scenarios, once the server is complete. */
  start(): Promise<void>;
  /** What the scenarios have done so far. */
  scenarioResults(): ScenarioResults;
}

/**
 * Creates the control of one server. It does not change what the settings of the server mean.
 *
 * @throws {ConfigurationError} If a scenario is invalid.
 */
export function programControl({ secret, recorder, scenarios }: ProgramControlOptions): ProgramControl {
  const inner = testControl({ recorder });
  const running = scenarios?.(inner);
  const control = running?.control ?? inner;
  const { plugin } = control;
  return {
    control,
    start: async () => await running?.start(),
    scenarioResults: () => running?.results() ?? { withEffect: [], withoutEffect: [] },
    plugins: [
      {
        ...plugin,
        configure: (options) => ({ ...plugin.configure!(options), unknownLoginHint: options.unknownLoginHint }),
        approve: withTrustedPersonas((next, showsPages) =>
          showsPages ? control.approvePages(next) : plugin.approve!(next, false)
        ),
      },
      ...running === undefined ? [] : [running.plugin],
      controlEndpoints(control, { secret }),
    ],
  };
}
