/** GET /: where clients find the server, and a demo login. */

import { startLinks } from "./demo_flow.ts";
import { publicUrl } from "./endpoint.ts";
import { isTrustedHost } from "./cross_site.ts";
import { redirect } from "./http/message.ts";
import { PlainHomePage } from "./pages/plain_pages.tsx";
import { plainPage } from "./pages/render_page.ts";
import type { Handlers } from "./route.ts";

/** Names the issuer and the endpoints. It names clients only under a host of the server (DNS rebinding). */
export const home: Handlers = {
  async GET(context) {
    const { app, server, site, request } = context;
    const endpoints = app.endpoints.flatMap((endpoint): [name: string, url: string][] => {
      const name = endpoint.name === "discovery" ? "metadata" : endpoint.metadataName;
      return name === undefined ? [] : [[name, publicUrl(server, endpoint)]];
    });
    const links = isTrustedHost(server, request) ? await startLinks(context) : [];
    return await plainPage(200, PlainHomePage, { issuer: site.issuer, endpoints, startLinks: links });
  },
};

/** Leads from the root of the host to the home page, which is below the path of the issuer. */
export const root: Handlers = {
  GET: ({ request, site: { base } }) => redirect(request.method, `${base}/`),
};
