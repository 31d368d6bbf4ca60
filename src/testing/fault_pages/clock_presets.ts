/** How far to move the clock so that what a server has just issued expires. */

import type { Lifetimes } from "../../server/config/server_settings.ts";

export interface ClockPreset {
  /** How far, in seconds. */
  readonly seconds: number;
  /** What expires, in the plural. */
  readonly expires: readonly string[];
}

const names: Readonly<Record<keyof Lifetimes, string>> = {
  code: "codes",
  device_code: "device codes",
  access_token: "access tokens",
  id_token: "ID tokens",
  refresh_token: "all refresh tokens",
  refresh_token_idle: "unused refresh tokens",
  authorization_response: "signed authorization responses",
  session: "logins",
};

/** One move for each lifetime, shortest first; equal lifetimes share one. */
export function clockPresets(lifetimes: Required<Lifetimes>): ClockPreset[] {
  const all = Object.keys(names) as (keyof Lifetimes)[];
  return [...Map.groupBy(all, (name) => lifetimes[name])]
    .map(([seconds, group]) => ({ seconds, expires: group.map((name) => names[name]) }))
    .sort((a, b) => a.seconds - b.seconds);
}
