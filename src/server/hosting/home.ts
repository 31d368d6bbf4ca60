/** GET /: where clients find the server, and a demo login. A plugin can replace the page. */

import type { Handlers } from "../../core/route.ts";
import { html } from "../../core/http/message.ts";
import { renderPage } from "../../core/pages/render_page.ts";
import { startHandlers, startLinks } from "../../core/demo_flow.ts";
import { HomePage } from "../pages/home_page.tsx";
import { isTrustedHost } from "../../core/cross_site.ts";
import { developerPagesOf } from "../app.ts";

/** Names the issuer and its metadata. It names clients only under a host of the server (DNS rebinding). */
export const home: Handlers = {
  async GET(context) {
    const { app, server, site, request } = context;
    const { origin } = new URL(server.issuer);
    const metadata = app.endpoints.filter(({ name }) => name === "discovery").map(({ path }) => origin + path);
    const links = isTrustedHost(server, request) ? await startLinks(context) : [];
    return html(200, renderPage(HomePage, { ...site, metadata, startLinks: links }));
  },
};

export const start = startHandlers(async (context, client, request) =>
  await (await developerPagesOf(context).demoSteps?.())?.prepare(context, client, request) ?? request
);
