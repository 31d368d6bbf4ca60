/** Authorization responses: to the client, through the browser (OAuth 2.1 §4.1.2). */

import type { HttpResponse } from "../http/message.ts";
import { redirect } from "../http/responses.ts";
import type { Destination } from "../oauth/authorize/destination.ts";
import { appendToRedirectUri } from "../oauth/clients/redirect_uri.ts";
import type { MaybePromise } from "../oauth/maybe_promise.ts";
import type { Server } from "../oauth/server.ts";
import type { Context } from "./context.ts";
import { sendResponse } from "./response_mode.ts";

/** Sends an authorization response to the client, with `state` as received and `iss` (RFC 9207 §2). */
export function authorizationResponse(
  context: Pick<Context, "server" | "site" | "pages" | "request" | "clientId">,
  destination: Destination,
  response: readonly (readonly [string, string])[],
  headers?: Readonly<Record<string, string>>,
): MaybePromise<HttpResponse> {
  const fields = responseFields(context.server, destination, response);
  if (destination.mode === "query" || destination.mode === "poll") {
    return redirect(context.request.method, appendToRedirectUri(destination.uri, fields), headers);
  }
  return sendResponse(context, destination, fields, headers);
}

/** The parameters of an authorization response. */
export function responseFields(
  server: Server,
  { mode, state }: Destination,
  response: readonly (readonly [string, string])[],
): readonly (readonly [string, string])[] {
  const hasIss = sendsIss(server) || mode !== "poll" && server.responseModes.get(mode)?.replace !== undefined;
  const fields = [...response];
  if (state !== undefined) fields.push(["state", state]);
  if (hasIss) fields.push(["iss", server.issuer]);
  return fields;
}

/** Whether authorization responses have `iss` (RFC 9207), as they do unless the setting `metadata` says otherwise. */
export function sendsIss({ settings: { metadata } }: Server): boolean {
  const { authorization_response_iss_parameter_supported: isSupported = true } = metadata;
  return isSupported === true;
}
