/** Requests of an attack with devices: their start, the link for the user, and polls. */

import type { AttackerState, Step } from "./attack.ts";
import type { Pair } from "./request_draft.ts";

/** The grant type, for clients that use it. */
export const deviceGrantType = "urn:ietf:params:oauth:grant-type:device_code";

/** The form that starts a device. */
export function deviceForm({ pick, text }: Step): Pair[] {
  return [
    ["scope", ["openid profile", "read offline_access", "", text][pick % 4]!],
    ...pick % 5 === 0 ? [["resource", pick % 2 === 0 ? text : "https://api.example/a"]] as const : [],
    ...pick % 7 === 0 ? [["max_age", pick % 3 === 0 ? text : "60"]] as const : [],
    ...pick % 11 === 0 ? [["claims", `{"userinfo":{"email":null,${JSON.stringify(text)}:null}}`]] as const : [],
    ...pick % 13 === 0 ? [["login_hint", text]] as const : [],
  ];
}

/** The query of the page: the newest user code, another spelling of it, or any text. */
export function deviceQuery({ devices }: AttackerState, { pick, text }: Step): Pair[] {
  const userCode = devices.at(-1)?.user_code ?? "BCDF-GHJK";
  const code = [userCode, userCode.toLowerCase(), userCode.replace("-", ""), text][pick % 4]!;
  return [
    ["user_code", code],
    ...pick % 9 === 0 ? [["error", text]] as const : [],
    ...pick % 10 === 0 ? [["result", text]] as const : [],
  ];
}

/** The form of a poll: with the newest device code, an older one, or any text. */
export function pollForm({ devices }: AttackerState, { pick, text }: Step): Pair[] {
  const device = devices.at(pick % 4 === 0 ? -1 - pick % (devices.length || 1) : -1);
  return [
    ["grant_type", deviceGrantType],
    ["device_code", pick % 7 === 0 ? text : device?.device_code ?? "none"],
    ...pick % 5 === 0 ? [["resource", text]] as const : [],
  ];
}
