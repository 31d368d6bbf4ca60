/** The one catalogue of what a server can do wrong. */

import type { FaultDefinition } from "./definition.ts";

/** The faults, and the attacks of the check that change a response; loaded only when somebody asks for them. */
export async function loadAllFaults(): Promise<readonly FaultDefinition[]> {
  return (await import("../../check/fault.ts")).allFaults;
}
