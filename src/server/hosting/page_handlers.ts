/** The handlers of the pages that every server has. The first visit of one of them loads this file. */

import { html, type HttpResponse, type PageForm } from "../../core/http/message.ts";
import { renderPage } from "../../core/pages/render_page.ts";
import { homeHandlers } from "../../core/pages/home.ts";
import { startHandlers, startLinks } from "../../core/demo/demo_flow.ts";
import { isTrustedHost } from "../../core/http/cross_site.ts";
import { HomePage } from "../pages/home_page.tsx";
import { developerPagesOf } from "../app.ts";
import type { CoreSite } from "../../core/http/context.ts";
import { FormPost } from "../pages/form_post.tsx";
import { assets as pageAssets } from "../pages/assets.gen.ts";
import type { Handlers } from "../../core/route.ts";
import { findAsset, serve } from "./static_files.ts";

export { approveOrAsk, selectAccountHandlers } from "../login/select_account.ts";
export { logoutHandlers } from "../login/logout.ts";
export { authorized } from "./authorized.ts";

/** GET /static/*: the style sheets, scripts and icon of the pages. */
export const assets = serve("/static/", pageAssets);

/** GET /favicon.ico, which browsers request for documents without a link to an icon. */
export const favicon: Handlers = { GET: (context) => findAsset(context, "icon.svg", pageAssets) };

/** GET /, which a plugin can replace. Names clients only under a host of the server (DNS rebinding). */
export const home = homeHandlers(async (context, endpoints) => {
  const { server, site, request } = context;
  const metadata = endpoints.flatMap(([name, url]) => name === "metadata" ? [url] : []);
  const links = isTrustedHost(server, request) ? await startLinks(context) : [];
  return html(200, renderPage(HomePage, { ...site, metadata, startLinks: links }));
});

/** GET /start: begins a demo login. */
export const start = startHandlers(async (context, client, request) =>
  await (await developerPagesOf(context).demoSteps?.())?.prepare(context, client, request) ?? request
);

/** The page that posts an authorization response: see `CoreApp.formPostPage`. */
export function formPostPage(site: CoreSite, client: string, form: PageForm): HttpResponse {
  return html(200, renderPage(FormPost, { ...site, client, ...form }));
}
