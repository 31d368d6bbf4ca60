/** Authorization responses that are not the client's: wrong or missing `state` and `iss` (RFC 9700 §4.4, §4.7; RFC 9207). */

import { html } from "../../http/responses.ts";
import type { ResponseLike } from "../../http/message.ts";
import type { Fields } from "../../http/form.ts";
import { encodeFormValue } from "../../oauth/clients/redirect_uri.ts";
import { parsePageForms } from "../../recorder/page_form.ts";
import { readBodyText } from "./response_body.ts";
import type { Fault, FaultContext } from "./fault.ts";

/** Changes one parameter of the authorization response, codes and errors alike, however it travels. */
function overrideParameter(name: string, parameter: "state" | "iss", value: string | undefined): Fault {
  return {
    name,
    endpoints: ["authorize", "login", "consent"],
    followsLogin: true,
    waitsFor: `was answered with an authorization response that has ${parameter}`,
    handle: (next, context) => async (request, peer) => {
      const response = await next(request, peer);
      return overrideInRedirect(context, response, parameter, value) ??
        await overrideInForm(context, response, parameter, value);
    },
  };
}

const responseParameterPattern = /^(?:code|error)=/;

/** A redirect, whose URI may have parameters of its own, which stay as they are. */
function overrideInRedirect(
  context: FaultContext,
  response: ResponseLike,
  parameter: string,
  value: string | undefined,
): ResponseLike | undefined {
  const location = response instanceof Response ? response.headers.get("location") : response.headers.location;
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
  const target = location.slice(0, queryStart) + overridden.join("&");
  if (!(response instanceof Response)) return { ...response, headers: { ...response.headers, location: target } };
  const copy = new Response(response.body, response);
  copy.headers.set("location", target);
  return copy;
}

/** A form that posts itself is drawn anew. */
async function overrideInForm(
  context: FaultContext,
  response: ResponseLike,
  parameter: string,
  value: string | undefined,
): Promise<ResponseLike> {
  const copy = response instanceof Response ? response.clone() : response;
  if (copy.status !== 200 || copy.body === null) return response;
  const form = parsePageForms(await readBodyText(copy)).find(({ autoSubmits, fields }) =>
    autoSubmits && fields.some(([name]) => name === parameter)
  );
  if (form === undefined || !context.consume()) return response;
  const fields: Fields = form.fields.flatMap((field) =>
    field[0] !== parameter ? [field] : value === undefined ? [] : [[parameter, value] as const]
  );
  const { server, site, pages } = context.app;
  const { formPost } = await pages();
  const headers = response instanceof Response ? Object.fromEntries(response.headers) : response.headers;
  const { client: id = "" } = context.request;
  const client = server.clients.find(id)?.name ?? id;
  return html(200, formPost({ ...site, action: form.action, client, fields }), headers);
}

/** Another `state` than the client sent. */
export function wrongState(value = "state-of-another-request"): Fault {
  return overrideParameter("wrong state", "state", value);
}

/** No `state`, although the client sent one. */
export function missingState(): Fault {
  return overrideParameter("missing state", "state", undefined);
}

/** The `iss` of another authorization server, as in a mix-up attack. */
export function wrongIss(value = "https://another.example"): Fault {
  return overrideParameter("wrong iss", "iss", value);
}

/** No `iss`, although the metadata promises it. */
export function missingIss(): Fault {
  return overrideParameter("missing iss", "iss", undefined);
}
