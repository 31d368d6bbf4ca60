/** Authorization responses with the parameters of a provider. */

import { getHeader, isResponse, type ResponseLike, withHeaders } from "../../../../platform/http/message.ts";
import { parseFields } from "../../../../platform/http/form.ts";
import type { App } from "../../../assembly/context.ts";
import { encodeFields } from "../../../oauth/clients/redirect_uri.ts";
import type { ResponseFields } from "../../../oauth/params.ts";

/** Replaces the parameters of an authorization response. */
type EditFields = (fields: ResponseFields) => ResponseFields;

const firstParameter = /^(?:code|error)=/;

/** The response with other parameters, if it is an authorization response by redirect or form. */
export async function shapeCallback(app: App, response: ResponseLike, edit: EditFields): Promise<ResponseLike> {
  if (isResponse(response)) return response;
  const { form } = response;
  if (form !== undefined) return await editForm(app, response, edit);
  const location = getHeader(response, "location");
  if (location === undefined) return response;
  const start = (location.indexOf("#") + 1) || (location.indexOf("?") + 1);
  const pairs = start === 0 ? [] : location.slice(start).split("&");
  // The query of the redirect URI itself comes first.
  const first = pairs.findLastIndex((pair) => firstParameter.test(pair));
  if (first < 0) return response;
  const own = pairs.slice(0, first).map((pair) => `${pair}&`).join("");
  const fields = edit(parseFields(pairs.slice(first).join("&")));
  return withHeaders(response, { location: location.slice(0, start) + own + encodeFields(fields) });
}

async function editForm(app: App, response: ResponseLike, edit: EditFields): Promise<ResponseLike> {
  if (isResponse(response) || response.form === undefined) return response;
  const { action, fields: sent } = response.form;
  if (!sent.some(([name]) => name === "code" || name === "error")) return response;
  const fields = edit(sent);
  const [{ renderPage }, { FormPost }] = await Promise.all([
    import("../../../pages/render_page.ts"),
    import("../../../endpoints/shared/form_post.tsx"),
  ]);
  const body = renderPage(FormPost, { ...app.site, action, client: new URL(action).host, fields });
  return { ...response, body, form: { action, fields } };
}
