/** Sends authorization responses in all response modes, except plain ones in the query. */

import type { HttpResponse } from "../http/message.ts";
import { html, redirect } from "../http/responses.ts";
import type { RedirectDestination } from "../oauth/authorize/destination.ts";
import type { ResponseFields } from "../oauth/authorize/response_mode.ts";
import { appendToRedirectUri, encodeFields } from "../oauth/clients/redirect_uri.ts";
import type { Context } from "./context.ts";

type ResponseContext = Pick<Context, "server" | "site" | "pages" | "request" | "clientId">;

/** Sends the fields of a response in the mode of its destination. */
export async function sendResponse(
  context: ResponseContext,
  destination: RedirectDestination,
  fields: ResponseFields,
  headers?: Readonly<Record<string, string>>,
): Promise<HttpResponse> {
  const sent = await sentFields(context, destination, fields);
  const location = toLocation(context, destination, sent);
  if (location !== undefined) return redirect(context.request.method, location, headers);
  const { clientId = "" } = context;
  const client = context.server.clients.findCached(clientId)?.name ?? clientId;
  const { uri } = destination;
  const pages = await context.pages();
  const page = pages.formPost({ ...context.site, action: uri, client, fields: sent });
  return { ...html(200, page, headers), form: { action: uri, fields: sent } };
}

/** The URL that a response redirects to; `undefined` if it is sent as a form. */
export async function responseLocation(
  context: ResponseContext,
  destination: RedirectDestination,
  fields: ResponseFields,
): Promise<string | undefined> {
  return toLocation(context, destination, await sentFields(context, destination, fields));
}

/** The fields as the mode sends them. */
async function sentFields(
  { server, clientId = "" }: ResponseContext,
  { mode }: RedirectDestination,
  fields: ResponseFields,
): Promise<ResponseFields> {
  return await server.responseModes.get(mode)?.replace?.(server, clientId, fields) ?? fields;
}

function toLocation(
  { server }: ResponseContext,
  { uri, mode }: RedirectDestination,
  sent: ResponseFields,
): string | undefined {
  const carrier = server.responseModes.get(mode)?.carrier;
  if (carrier === "form") return undefined;
  return carrier === "fragment" ? `${uri}#${encodeFields(sent)}` : appendToRedirectUri(uri, sent);
}
