/** Requests of an attack with backchannel authentication: their start, the page of their user, and polls. */

import type { AttackerState, Step } from "./attack.ts";
import type { Pair } from "./request_draft.ts";

/** The grant type, for clients that use it. */
export const cibaGrantType = "urn:openid:params:grant-type:ciba";

/** The form that starts a request. */
export function backchannelForm({ tokens }: AttackerState, { pick, text }: Step): Pair[] {
  const idToken = tokens.findLast(({ id_token }) => typeof id_token === "string")?.id_token as string | undefined;
  return [
    ["scope", ["openid", "openid profile offline_access", "read", text][pick % 4]!],
    ...pick % 5 === 0
      ? [["id_token_hint", idToken ?? text]] as const
      : [["login_hint", ["alice", "bob", "alice@example.com", text][pick % 4]!]] as const,
    ...pick % 7 === 0 ? [["login_hint_token", text]] as const : [],
    ...pick % 3 === 0 ? [["binding_message", pick % 2 === 0 ? text : "Payment 42"]] as const : [],
    ...pick % 4 === 0 ? [["requested_expiry", pick % 8 === 0 ? text : "60"]] as const : [],
    ...pick % 11 === 0 ? [["resource", text]] as const : [],
    ...pick % 13 === 0 ? [["request", text]] as const : [],
  ];
}

/** The query of the page: the newest request, none, or any text. */
export function backchannelQuery({ backchannelRequests }: AttackerState, { pick, text }: Step): Pair[] {
  const id = backchannelRequests.at(-1)?.auth_req_id.split(".", 1)[0] ?? "none";
  return [
    ...pick % 5 === 0 ? [] : [["request_id", pick % 4 === 0 ? text : id]] as const,
    ...pick % 9 === 0 ? [["error", text]] as const : [],
    ...pick % 10 === 0 ? [["result", text]] as const : [],
  ];
}

/** The form of a poll: with the newest request, an older one, or any text. */
export function backchannelPollForm({ backchannelRequests }: AttackerState, { pick, text }: Step): Pair[] {
  const request = backchannelRequests.at(pick % 4 === 0 ? -1 - pick % (backchannelRequests.length || 1) : -1);
  return [
    ["grant_type", cibaGrantType],
    ["auth_req_id", pick % 7 === 0 ? text : request?.auth_req_id ?? "none"],
    ...pick % 5 === 0 ? [["resource", text]] as const : [],
  ];
}
