/** Authorization responses that are not the client's: wrong or missing `state` and `iss` (RFC 9700 §4.4, §4.7; RFC 9207). */

import { html } from "../../http/responses.ts";
import type { Answer } from "../../http/message.ts";
import type { Fields } from "../../http/form.ts";
import { encodeFormValue } from "../../oauth/clients/redirect_uri.ts";
import { readPageForms } from "../../recorder/page_form.ts";
import { textOf } from "./fault_response.ts";
import type { Fault, FaultContext } from "./fault.ts";

/** Changes one parameter of the authorization response, codes and errors alike, however it travels. */
function changed(name: string, parameter: "state" | "iss", value: string | undefined): Fault {
  return {
    name,
    endpoints: ["authorize", "login", "consent"],
    followsLogin: true,
    needs: `was answered with an authorization response that has ${parameter}`,
    handle: (next, at) => async (request, peer) => {
      const answer = await next(request, peer);
      return inRedirect(at, answer, parameter, value) ?? await inForm(at, answer, parameter, value);
    },
  };
}

const isOfResponse = /^(?:code|error)=/;

/** A redirect, whose URI may have parameters of its own, which stay as they are. */
function inRedirect(
  at: FaultContext,
  answer: Answer,
  parameter: string,
  value: string | undefined,
): Answer | undefined {
  const location = answer instanceof Response ? answer.headers.get("location") : answer.headers.location;
  if (!location) return undefined;
  const mark = location.indexOf("?") + 1;
  const pairs = mark === 0 ? [] : location.slice(mark).split("&");
  const isParameter = (pair: string) => pair.startsWith(`${parameter}=`);
  if (!pairs.some((pair) => isOfResponse.test(pair)) || !pairs.some(isParameter) || !at.take()) return answer;
  const changed = pairs.flatMap((pair) =>
    !isParameter(pair) ? [pair] : value === undefined ? [] : [`${parameter}=${encodeFormValue(value)}`]
  );
  const target = location.slice(0, mark) + changed.join("&");
  if (!(answer instanceof Response)) return { ...answer, headers: { ...answer.headers, location: target } };
  const copy = new Response(answer.body, answer);
  copy.headers.set("location", target);
  return copy;
}

/** A form that posts itself is drawn anew. */
async function inForm(
  at: FaultContext,
  answer: Answer,
  parameter: string,
  value: string | undefined,
): Promise<Answer> {
  const copy = answer instanceof Response ? answer.clone() : answer;
  if (copy.status !== 200 || copy.body === null) return answer;
  const form = readPageForms(await textOf(copy)).find(({ submitsItself, fields }) =>
    submitsItself && fields.some(([name]) => name === parameter)
  );
  if (form === undefined || !at.take()) return answer;
  const fields: Fields = form.fields.flatMap((field) =>
    field[0] !== parameter ? [field] : value === undefined ? [] : [[parameter, value] as const]
  );
  const { server, site, pages } = at.desk;
  const { formPost } = await pages();
  const headers = answer instanceof Response ? Object.fromEntries(answer.headers) : answer.headers;
  const { client: id = "" } = at.seen;
  const client = server.clients.find(id)?.name ?? id;
  return html(200, formPost({ ...site, action: form.action, client, fields }), headers);
}

/** Another `state` than the client sent. */
export function wrongState(value = "state-of-another-request"): Fault {
  return changed("wrong state", "state", value);
}

/** No `state`, although the client sent one. */
export function missingState(): Fault {
  return changed("missing state", "state", undefined);
}

/** The `iss` of another authorization server, as in a mix-up attack. */
export function wrongIss(value = "https://another.example"): Fault {
  return changed("wrong iss", "iss", value);
}

/** No `iss`, although the metadata promises it. */
export function missingIss(): Fault {
  return changed("missing iss", "iss", undefined);
}
