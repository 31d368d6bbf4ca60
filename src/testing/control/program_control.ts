/** The control of the program: a clock, decisions, faults and a log around its server, and the endpoints for them. */

import type { Plugin } from "../../server/assembly/plugin.ts";
import type { Recorder } from "../../recorder/recorder.ts";
import type { ClientCheck } from "../client_check.ts";
import { testControl } from "../control.ts";
import { withTrustedPersonas } from "../personas.ts";
import type { ControlOptions, ServerControl } from "../test_control.ts";
import { controlEndpoints } from "./mod.ts";

/** Options of {@link programControl}. */
export interface ProgramControlOptions extends ControlOptions {
  /** A recorder around the server. Default: the control has its own. */
  readonly recorder?: Recorder;
  /** The check of clients. Its plugin wraps the plugins of the control. Default: none. */
  readonly clientCheck?: ClientCheck;
}

/** The control of a server that is not a mock, and its plugins in order. */
export interface ProgramControl {
  readonly control: ServerControl;
  readonly plugins: readonly Plugin[];
}

/** Creates the control of one server. It does not change what the settings of the server mean. */
export function programControl({ secret, recorder, clientCheck }: ProgramControlOptions): ProgramControl {
  const control = testControl({ recorder, clientCheck });
  const { plugin } = control;
  return {
    control,
    plugins: [
      {
        ...plugin,
        configure: (options) => ({ ...plugin.configure!(options), unknownLoginHint: options.unknownLoginHint }),
        approve: withTrustedPersonas(plugin.approve!),
        approvePages: withTrustedPersonas(control.approvePages),
      },
      controlEndpoints(control, { secret }),
    ],
  };
}
