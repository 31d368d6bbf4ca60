/** Authorization responses in a form that submits itself (OAuth 2.0 Form Post Response Mode). */

import type { Context, CoreApp } from "./context.ts";
import type { HttpResponse, PageForm } from "./http/message.ts";

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
    import("./pages/render_page.ts"),
    import("./pages/plain_pages.tsx"),
  ]);
  return await plainPage(200, PlainFormPostPage, { issuer, ...form }, {}, submitScript);
};
