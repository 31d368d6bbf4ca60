/** The parameter `authorization_details` (RFC 9396). Only a request that uses it loads the code for it. */

import type { FurtherAccess } from "../../store/store.ts";
import type { MaybePromise } from "../maybe_promise.ts";
import type { Params } from "../params.ts";
import type { PartRequest, RequestPart, Server } from "../server.ts";

const name = "authorization_details";

const load = () => import("./authorization_details.ts");

/** Authorization details as a part of requests. */
export const detailsPart: RequestPart = {
  name: "authorizationDetails",
  at: ["authorize", "par", "device"],
  parameters: [{ name, isJson: true }],
  read: readDetailsParameter,
  warn: warnIgnoredDetails,
  access: {
    name,
    isRequested: hasDetails,
    parse: JSON.parse,
    load: async () => (await load()).authorizationDetails,
  },
};

/** Whether a request has the parameter, and the server types for it. */
function hasDetails({ settings }: Server, params: Params): boolean {
  return settings.authorizationDetails !== undefined && params.get(name) !== undefined;
}

/** Reads the parameter of a request for access. */
function readDetailsParameter(
  { server, client, params, at, isPushed, isSigned }: PartRequest,
): MaybePromise<FurtherAccess["authorizationDetails"]> {
  if (!hasDetails(server, params)) return undefined;
  const isProtected = at === "device" || isPushed === true || isSigned === true;
  return load().then(({ readDetails }) => readDetails(server, client, params, isProtected));
}

/** Warns about an accepted request with the parameter, if the server has no types for it. */
function warnIgnoredDetails({ server, client, params }: PartRequest): void {
  if (server.settings.authorizationDetails !== undefined || params.get(name) === undefined) return;
  const reason = `${name} is ignored, because this server has no types of authorization details`;
  const explanation = { rule: "RA-15" as const, reason, expected: "scope, or the setting authorizationDetails" };
  server.trace({ type: "warning", at: server.now(), client: client.id, explanation });
}
