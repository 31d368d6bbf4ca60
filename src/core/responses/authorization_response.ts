/** Authorization responses: by redirect, or by a form that submits itself (OAuth 2.0 Form Post Response Mode). */

import type { Context, CoreApp } from "../http/context.ts";
import { type HttpResponse, type PageForm, redirect } from "../http/message.ts";
import type { ResponseFields } from "../http/params.ts";
import { appendToRedirectUri, encodeFields } from "../clients/redirect_uri.ts";
import type { Recipient } from "../authorize/authorization_request.ts";
import type { Server } from "../server.ts";

/** @internal What an authorization response is sent with. */
export type ResponseContext = Pick<Context, "app" | "server" | "site" | "request">;

/**
 * Sends a response to its client through the browser, in the part of the request that the response mode names. Errors
 * are sent by this function too.
 */
export async function authorizationResponse(
  context: ResponseContext,
  recipient: Recipient,
  response: ResponseFields,
  headers?: Readonly<Record<string, string>>,
): Promise<HttpResponse> {
  const { server, request } = context;
  const { client, destination: { uri, mode } } = recipient;
  const fields = await server.responses.authorization(server, recipient, response);
  switch (server.responseModes.get(mode)?.carrier) {
    case "form":
      return await formPostResponse(context, client.name ?? client.id, { action: uri, fields }, headers);
    case "fragment":
      return redirect(request.method, `${uri}#${encodeFields(fields)}`, headers);
    default:
      return redirect(request.method, appendToRedirectUri(uri, fields), headers);
  }
}

/** The parameters of a response, with `state` as received and `iss` (RFC 9207 §2). */
export function responseFields(
  server: Server,
  { destination: { state } }: Pick<Recipient, "destination">,
  response: ResponseFields,
): ResponseFields {
  const fields = [...response];
  if (state !== undefined) fields.push(["state", state]);
  fields.push(["iss", server.issuer]);
  return fields;
}

/**
 * The response with the form.
 *
 * @param client The name or ID of the client.
 * @param headers Further headers. Default: none.
 */
export async function formPostResponse(
  { app, site }: Pick<Context, "app" | "site">,
  client: string,
  form: PageForm,
  headers?: Readonly<Record<string, string>>,
): Promise<HttpResponse> {
  const page = await (app.formPostPage ?? plainFormPostPage)(site, client, form);
  return { ...page, headers: { ...page.headers, ...headers }, form };
}

const plainFormPostPage: NonNullable<CoreApp["formPostPage"]> = async ({ issuer }, _client, form) => {
  const [{ plainPage }, { PlainFormPostPage, submitScript }] = await Promise.all([
    import("../pages/render_page.ts"),
    import("../pages/plain_pages.tsx"),
  ]);
  return await plainPage(200, PlainFormPostPage, { issuer, ...form }, {}, submitScript);
};
