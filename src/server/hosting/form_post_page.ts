/** The page that posts an authorization response, with the style sheet and the script of the whole server. */

import type { CoreApp } from "../../core/context.ts";
import { html } from "../../core/http/message.ts";

/** See {@link CoreApp.formPostPage}. */
export const formPostPage: NonNullable<CoreApp["formPostPage"]> = async (site, client, form) => {
  const [{ renderPage }, { FormPost }] = await Promise.all([
    import("../../core/pages/render_page.ts"),
    import("../pages/form_post.tsx"),
  ]);
  return html(200, renderPage(FormPost, { ...site, client, ...form }));
};
