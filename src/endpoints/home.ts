/** GET /: what this server is, and how to point a client at it. */

import { html } from "../http/respond.ts";
import { asPage } from "./answer.ts";
import { recogniseBrowser, startLinks } from "./demo.ts";
import { wellKnownPaths } from "./discovery.ts";
import type { Desk, Endpoint } from "./endpoint.ts";
import { urlOf } from "./endpoint.ts";

/** The home page; `endpoints` are the ones it lists. */
export function homeEndpoint(desk: Desk, endpoints: readonly Endpoint[]): Endpoint {
  const { server, site } = desk;
  const origin = new URL(server.issuer).origin;
  return {
    path: `${site.base}/`,
    async GET(request) {
      const browser = recogniseBrowser(desk, request);
      const pages = await desk.pages();
      const page = pages.home({
        ...site,
        startLinks: await startLinks(desk, browser),
        clients: server.clients.all().map((client) => ({
          id: client.id,
          name: client.name,
          authMethod: client.authMethod,
          redirectUris: client.redirectUris,
          scope: client.scope,
        })),
        users: server.users.all().map(({ sub, name }) => ({ sub, name })),
        endpoints: [
          ...endpoints.flatMap(({ name, path }) =>
            name === undefined ? [] : [{ name, url: urlOf(server.issuer, path.slice(site.base.length)) }]
          ),
          ...wellKnownPaths(site.base).map((path) => ({ name: path.split("/")[2]!, url: origin + path })),
        ],
        scopes: server.scopes,
      });
      return html(200, page, browser.headers);
    },
    refuse: (fault, target, request) => asPage(desk.during(request), target, fault),
  };
}
