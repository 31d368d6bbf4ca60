/** The page that posts an authorization response, with the style sheet and the script of the whole server. */

import type { CoreSite } from "../../core/context.ts";
import { html, type HttpResponse, type PageForm } from "../../core/http/message.ts";
import { renderPage } from "../../core/pages/render_page.ts";
import { FormPost } from "../pages/form_post.tsx";

/** See `CoreApp.formPostPage`. */
export function formPostPage(site: CoreSite, client: string, form: PageForm): HttpResponse {
  return html(200, renderPage(FormPost, { ...site, client, ...form }));
}
