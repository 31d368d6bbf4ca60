/** GET /: where clients find the server, and a demo login. */

import { publicUrl } from "../http/endpoint.ts";
import { redirect } from "../http/message.ts";
import { PlainHomePage } from "./plain_pages.tsx";
import { plainPage } from "./render_page.ts";
import type { Handlers } from "../route.ts";

/** Names the issuer and the endpoints. */
export const home: Handlers = {
  async GET(context) {
    const { app, server, site } = context;
    const endpoints = app.endpoints.flatMap((endpoint): [name: string, url: string][] => {
      const name = endpoint.name === "discovery" ? "metadata" : endpoint.metadataName;
      return name === undefined ? [] : [[name, publicUrl(server, endpoint)]];
    });
    return await plainPage(200, PlainHomePage, { ...site, endpoints });
  },
};

/** Leads from the root of the host to the home page, which is below the path of the issuer. */
export const root: Handlers = {
  GET: ({ request, site: { base } }) => redirect(request.method, `${base}/`),
};
