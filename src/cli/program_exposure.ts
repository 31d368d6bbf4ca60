/** Which machines can reach a program that has started. */

import { describeExposure } from "./exposure.ts";
import type { ProgramServer } from "./open_server.ts";

/** A sentence that lists what any machine that can reach the started program may do; see {@link describeExposure}. */
export function describeProgramExposure(
  { server, app, openTools, inspectorEnabled, faultsEnabled, control }: ProgramServer,
  { host, controlSecret }: { readonly host: string; readonly controlSecret?: string },
): string | undefined {
  return describeExposure({
    ...{ issuer: server.issuer, host, settings: app.server.settings },
    inspector: inspectorEnabled ? openTools ? "on" : "insecure" : "off",
    faults: faultsEnabled ? "on" : "off",
    control: control === undefined ? "off" : controlSecret === undefined ? "open" : "secret",
  });
}
