/** GET /: what this server is, and how to point a client at it. */

import { html } from "../http/responses.ts";
import { asPage } from "../app/error_response.ts";
import { listClient } from "../admin/clients.ts";
import { recogniseBrowser } from "../app/browser_cookie.ts";
import { startLinks } from "./demo_client.ts";
import { wellKnownPaths } from "../endpoints/discovery.ts";
import type { Answers, Desk, Endpoint } from "../app/endpoint.ts";
import { urlOfEndpoint } from "../app/endpoint.ts";
import { isOwnHost } from "../app/host_check.ts";
import { listUser } from "../admin/users.ts";

/** The home page; `endpoints` are the ones it lists, `isListed` says whether it names clients and users too. */
export function home(desk: Desk, endpoints: readonly Endpoint[], isListed: boolean): Answers {
  const { server, site } = desk;
  const origin = new URL(server.issuer).origin;
  return {
    async GET(request) {
      const browser = await recogniseBrowser(desk, request);
      const pages = await desk.pages();
      const page = pages.home({
        ...site,
        startLinks: await startLinks(desk, browser),
        // As /clients and /users: a stranger's name that leads here is shown nobody.
        directory: isListed && isOwnHost(server.issuer, request)
          ? {
            clients: server.clients.all().map((client) => listClient(desk, client)),
            users: server.users.all().map((user) => listUser(desk, user)),
          }
          : undefined,
        endpoints: [
          ...endpoints.flatMap(({ name, path }) =>
            name === undefined ? [] : [{ name, url: urlOfEndpoint(server.issuer, site.base, path) }]
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
