/** The parameter `authorization_details` (RFC 9396). Only a request that uses it loads the code for it. */

import type { MaybePromise } from "../maybe_promise.ts";
import type { Params } from "../params.ts";
import type { Server } from "../server.ts";
import type { AuthorizationRequest } from "./authorization_request.ts";
import type { PartRequest } from "./request_part.ts";

const name = "authorization_details";

/** Whether a request has the parameter, and the server types for it. */
export function hasDetails({ settings }: Server, params: Params): boolean {
  return settings.authorizationDetails !== undefined && params.get(name) !== undefined;
}

/** The code of rich authorization requests. */
export function loadDetails(): Promise<typeof import("./authorization_details.ts")> {
  return import("./authorization_details.ts");
}

/** Reads the parameter of a request for access. */
export function readDetailsParameter(
  { server, client, params, at, isPushed, isSigned }: PartRequest,
): MaybePromise<AuthorizationRequest["authorizationDetails"]> {
  if (!hasDetails(server, params)) return undefined;
  const isProtected = at === "device" || isPushed === true || isSigned === true;
  return loadDetails().then(({ readDetails }) => readDetails(server, client, params, isProtected));
}

/** Warns about an accepted request with the parameter, if the server has no types for it. */
export function warnIgnoredDetails({ server, client, params }: PartRequest): void {
  if (server.settings.authorizationDetails !== undefined || params.get(name) === undefined) return;
  const reason = `${name} is ignored, because this server has no types of authorization details`;
  const explanation = { rule: "RA-15" as const, reason, expected: "scope, or the setting authorizationDetails" };
  server.trace({ type: "warning", at: server.now(), client: client.id, explanation });
}
