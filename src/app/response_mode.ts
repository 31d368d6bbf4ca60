/** Sends authorization responses in all response modes, except plain ones in the query. */

import type { HttpResponse } from "../http/message.ts";
import { html, redirect } from "../http/responses.ts";
import type { RedirectDestination } from "../oauth/authorize/destination.ts";
import { responseModes } from "../oauth/authorize/response_mode.ts";
import { appendToRedirectUri, encodeFields } from "../oauth/clients/redirect_uri.ts";
import type { Context } from "./context.ts";

type Fields = readonly (readonly [name: string, value: string])[];
type ResponseContext = Pick<Context, "server" | "site" | "pages" | "request" | "clientId">;

/** Sends the fields of a response in the mode of its destination. */
export async function sendResponse(
  context: ResponseContext,
  destination: RedirectDestination,
  fields: Fields,
  headers?: Readonly<Record<string, string>>,
): Promise<HttpResponse> {
  const sent = await sentFields(context, destination, fields);
  const location = toLocation(destination, sent);
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
  fields: Fields,
): Promise<string | undefined> {
  return toLocation(destination, await sentFields(context, destination, fields));
}

/** The fields, or in a signed mode the JWT of them. */
async function sentFields(
  { server, clientId = "" }: ResponseContext,
  { mode }: RedirectDestination,
  fields: Fields,
): Promise<Fields> {
  if (!responseModes[mode].isSigned) return fields;
  const { signResponse } = await import("../oauth/authorize/signed_response.ts");
  return await signResponse(server, clientId, fields);
}

function toLocation({ uri, mode }: RedirectDestination, sent: Fields): string | undefined {
  const { carrier } = responseModes[mode];
  if (carrier === "form") return undefined;
  return carrier === "fragment" ? `${uri}#${encodeFields(sent)}` : appendToRedirectUri(uri, sent);
}
