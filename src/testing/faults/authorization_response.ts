/** Authorization responses with wrong or missing `state` and `iss`: CSRF and mix-up (RFC 9700 §4.4, §4.7; RFC 9207). */

import { getHeader, isResponse, type ResponseLike, withHeaders } from "../../http/message.ts";
import type { Fields } from "../../http/form.ts";
import { encodeFormValue } from "../../oauth/clients/redirect_uri.ts";
import { defineFault, type FaultFactory } from "./definition.ts";
import { textParameter } from "./parameters.ts";
import type { Fault, FaultContext } from "./fault.ts";

/** A fault that changes one parameter of the authorization response, with a code or an error, by redirect or form. */
function overrideParameter(name: string, parameter: "state" | "iss", value: string | undefined): Fault {
  return {
    name,
    followsLogin: true,
    waitsFor: `got an authorization response with ${parameter}`,
    handle: (next, context) => async (request, peer) => {
      const response = await next(request, peer);
      return overrideInRedirect(context, response, parameter, value) ??
        await overrideInForm(context, response, parameter, value);
    },
  };
}

const responseParameterPattern = /^(?:code|error)=/;

/** Changes a redirect. Parameters that the redirect URI itself has stay as they are. */
function overrideInRedirect(
  context: FaultContext,
  response: ResponseLike,
  parameter: string,
  value: string | undefined,
): ResponseLike | undefined {
  const location = getHeader(response, "location");
  if (!location) return undefined;
  const queryStart = location.indexOf("?") + 1;
  const pairs = queryStart === 0 ? [] : location.slice(queryStart).split("&");
  const isParameter = (pair: string) => pair.startsWith(`${parameter}=`);
  if (!pairs.some((pair) => responseParameterPattern.test(pair)) || !pairs.some(isParameter) || !context.consume()) {
    return response;
  }
  const overridden = pairs.flatMap((pair) =>
    !isParameter(pair) ? [pair] : value === undefined ? [] : [`${parameter}=${encodeFormValue(value)}`]
  );
  return withHeaders(response, { location: location.slice(0, queryStart) + overridden.join("&") });
}

/** Renders a form_post page again, with the changed field. */
async function overrideInForm(
  context: FaultContext,
  response: ResponseLike,
  parameter: string,
  value: string | undefined,
): Promise<ResponseLike> {
  if (isResponse(response)) return response;
  const { form } = response;
  if (form === undefined || !form.fields.some(([name]) => name === parameter) || !context.consume()) return response;
  const fields: Fields = form.fields.flatMap((field) =>
    field[0] !== parameter ? [field] : value === undefined ? [] : [[parameter, value] as const]
  );
  const { server, site, pages } = context.app;
  const { formPost } = await pages();
  const { client: id = "" } = context.request;
  const client = server.clients.findCached(id)?.name ?? id;
  return { ...response, body: formPost({ ...site, action: form.action, client, fields }), form: { ...form, fields } };
}

const endpoints = ["authorize", "login", "consent"] as const;

/** Another `state` than the client sent. */
export const wrongState: FaultFactory<(value?: string) => Fault> = defineFault({
  id: "authorizationResponse.wrongState",
  title: "Authorization response has another state",
  endpoints,
  correctClient: "The client rejects the response without redeeming the code, because state is not its own (CSRF).",
  parameters: [textParameter("value", "state-of-another-request", "The parameter state.")],
  create: ({ value }) => overrideParameter("wrong state", "state", value),
});

/** No `state`, although the client sent one. */
export const missingState: FaultFactory<() => Fault> = defineFault({
  id: "authorizationResponse.missingState",
  title: "Authorization response lacks the state",
  endpoints,
  correctClient: "The client rejects the response without redeeming the code, because it sent a state (CSRF).",
  create: () => overrideParameter("missing state", "state", undefined),
});

/** The `iss` of another authorization server, as in a mix-up attack. */
export const wrongIss: FaultFactory<(value?: string) => Fault> = defineFault({
  id: "authorizationResponse.wrongIss",
  title: "Authorization response has the iss of another server",
  endpoints,
  correctClient: "The client rejects the response without redeeming the code, because iss is not the issuer (mix-up).",
  parameters: [textParameter("value", "https://another.example", "The parameter iss.")],
  create: ({ value }) => overrideParameter("wrong iss", "iss", value),
});

/** No `iss`, although the metadata announces it. */
export const missingIss: FaultFactory<() => Fault> = defineFault({
  id: "authorizationResponse.missingIss",
  title: "Authorization response lacks the iss",
  endpoints,
  correctClient:
    "The client rejects the response, because the metadata has authorization_response_iss_parameter_supported (mix-up).",
  create: () => overrideParameter("missing iss", "iss", undefined),
});
