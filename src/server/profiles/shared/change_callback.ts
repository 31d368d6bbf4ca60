/** Authorization responses with the parameters of a provider. */

import { type HttpResponse, isResponse, withHeaders } from "../../../core/http/message.ts";
import { getHeader } from "../../../platform/http/response.ts";
import { type Fields, parseFields } from "../../../core/http/form.ts";
import { formPostResponse } from "../../../core/responses/authorization_response.ts";
import type { CoreApp } from "../../../core/http/context.ts";
import { encodeFields } from "../../../core/clients/redirect_uri.ts";

/** Returns other parameters of an authorization response. */
type ChangeFields = (fields: Fields) => Fields | Promise<Fields>;

/** The authorization response, by redirect or form, with other parameters; `undefined` for any other response. */
export async function changeCallback(
  app: CoreApp,
  response: HttpResponse | Response,
  change: ChangeFields,
): Promise<HttpResponse | Response | undefined> {
  if (isResponse(response)) return undefined;
  if (response.form !== undefined) {
    const { action, fields: sent } = response.form;
    if (!sent.some(([name]) => name === "code" || name === "error")) return undefined;
    const fields = await change(sent);
    const { site } = app;
    const { body, form } = await formPostResponse({ app, site }, new URL(action).host, { action, fields });
    return { ...response, body, form };
  }
  const location = getHeader(response, "location");
  if (location === undefined) return undefined;
  const start = (location.indexOf("#") + 1) || (location.indexOf("?") + 1);
  const pairs = start === 0 ? [] : location.slice(start).split("&");
  // The query of the redirect URI itself comes first.
  const first = pairs.findLastIndex((pair) => /^(?:code|error)=/.test(pair));
  if (first < 0) return undefined;
  const own = pairs.slice(0, first).map((pair) => `${pair}&`).join("");
  const fields = await change(parseFields(pairs.slice(first).join("&")));
  return withHeaders(response, { location: location.slice(0, start) + own + encodeFields(fields) });
}
