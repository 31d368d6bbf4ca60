/** Faults that change the parameters of an authorization response, with a code or an error, by redirect or form. */

import { type HttpResponse, isResponse, withHeaders } from "../../core/http/message.ts";
import { getHeader } from "../../platform/http/response.ts";
import { formPostResponse } from "../../core/responses/authorization_response.ts";
import type { Fields } from "../../core/http/form.ts";
import { signingAlgorithms } from "../../core/keys/signing_algorithm.ts";
import { decodeJwtPart } from "../../platform/http/jwt_part.ts";
import { encodeFormValue } from "../../core/clients/redirect_uri.ts";
import type { Fault, FaultContext } from "./fault.ts";

/** Returns other parameters; `undefined`: the response stays as it is, and the rule does not count as fired. */
type EditFields = (fields: Fields, context: FaultContext) => Fields | undefined;

/**
 * A fault that changes the parameters of the authorization response.
 *
 * @param signed `inside`: `edit` receives the parameters inside a signed response (JARM), which the server signs again.
 *   `around`: it receives `response` itself. Without a signature both are the same.
 */
export function editAuthorizationResponse(
  name: string,
  edit: EditFields,
  waitsFor = "got an authorization response",
  signed: "inside" | "around" = "inside",
): Fault {
  const editFields: EditResponse = signed === "around" ? (context, fields) => edit(fields, context) : editSigned(edit);
  return {
    name,
    followsLogin: true,
    waitsFor,
    handle: (next, context) => async (request, peer) => {
      const response = await next(request, peer);
      return await editRedirect(context, response, editFields) ?? await editForm(context, response, editFields);
    },
  };
}

const responseParameterPattern = /^(?:code|error|response)=/;

/** Changes the parameters of one response. */
type EditResponse = (context: FaultContext, fields: Fields) => Fields | undefined | Promise<Fields | undefined>;

/** Changes the parameters; of a signed response those inside it, which the server then signs again. */
function editSigned(edit: EditFields): EditResponse {
  return async (context, fields) => {
    const { app } = context;
    const jwt = fields.length === 1 && fields[0]![0] === "response" ? fields[0]![1] : "";
    const alg = signingAlgorithms.find((candidate) => candidate === decodeJwtPart(jwt, 0).alg);
    if (alg === undefined) return edit(fields, context);
    const { aud, exp, ...members } = decodeJwtPart(jwt, 1);
    const edited = edit(Object.entries(members).map(([name, value]) => [name, String(value)]), context);
    if (edited === undefined) return undefined;
    const claims = { ...Object.fromEntries(edited), aud, exp };
    return [["response", await app.server.keys.sign("authorization_response", alg, claims)]];
  };
}

/** Changes a redirect. Parameters that the redirect URI itself has stay as they are. */
async function editRedirect(
  context: FaultContext,
  response: HttpResponse | Response,
  edit: EditResponse,
): Promise<HttpResponse | Response | undefined> {
  const location = getHeader(response, "location");
  if (!location) return undefined;
  // A fragment is that of the response, because a redirect URI has none.
  const queryStart = (location.indexOf("#") + 1) || (location.indexOf("?") + 1);
  const pairs = queryStart === 0 ? [] : location.slice(queryStart).split("&");
  // The redirect URI's own query comes first.
  const first = pairs.findIndex((pair) => responseParameterPattern.test(pair));
  if (first < 0) return response;
  const own = pairs.slice(0, first);
  const fields = await edit(context, [...new URLSearchParams(pairs.slice(first).join("&"))]);
  if (fields === undefined || !context.consume()) return response;
  const edited = fields.map(([field, value]) => `${field}=${encodeFormValue(value)}`);
  return withHeaders(response, { location: location.slice(0, queryStart) + [...own, ...edited].join("&") });
}

/** Renders a form_post page again, with the changed fields. */
async function editForm(
  context: FaultContext,
  response: HttpResponse | Response,
  edit: EditResponse,
): Promise<HttpResponse | Response> {
  if (isResponse(response)) return response;
  const { form } = response;
  const fields = form && await edit(context, form.fields);
  if (form === undefined || fields === undefined || !context.consume()) return response;
  const { app, app: { server, site } } = context;
  const { client: id = "" } = context.request;
  const client = server.clients.known().get(id)?.metadata.client_name ?? id;
  const edited = await formPostResponse({ app, site }, client, { ...form, fields });
  return { ...response, body: edited.body, form: edited.form };
}
