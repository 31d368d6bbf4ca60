/** The handlers of the pages that every server has. The first visit of one of them loads this file. */

import type { Handlers } from "../../core/route.ts";
import { html, type HttpResponse, type PageForm } from "../../core/http/message.ts";
import { renderPage } from "../../core/pages/render_page.ts";
import { startHandlers, startLinks } from "../../core/authorize/demo_flow.ts";
import { HomePage } from "../pages/home_page.tsx";
import { isTrustedHost } from "../../core/authorize/cross_site.ts";
import { developerPagesOf } from "../app.ts";
import type { CoreSite } from "../../core/http/context.ts";
import { FormPost } from "../pages/form_post.tsx";

export { approveOrAsk, selectAccountHandlers } from "../login/select_account.ts";
export { logoutHandlers } from "../login/logout.ts";
export { authorized } from "./authorized.ts";
export { assets, favicon } from "./static_files.ts";

/**
 * GET /, which a plugin can replace. Names the issuer and its metadata, and clients only under a host of the server
 * (DNS rebinding).
 */
export const home: Handlers = {
  async GET(context) {
    const { app, server, site, request } = context;
    const { origin } = new URL(server.issuer);
    const metadata = app.endpoints.filter(({ name }) => name === "discovery").map(({ path }) => origin + path);
    const links = isTrustedHost(server, request) ? await startLinks(context) : [];
    return html(200, renderPage(HomePage, { ...site, metadata, startLinks: links }));
  },
};

/** GET /start: begins a demo login. */
export const start = startHandlers(async (context, client, request) =>
  await (await developerPagesOf(context).demoSteps?.())?.prepare(context, client, request) ?? request
);

/** The page that posts an authorization response: see `CoreApp.formPostPage`. */
export function formPostPage(site: CoreSite, client: string, form: PageForm): HttpResponse {
  return html(200, renderPage(FormPost, { ...site, client, ...form }));
}
