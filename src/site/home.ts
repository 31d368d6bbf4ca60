/** GET /: the home page. */

import { html } from "../http/responses.ts";
import { errorPage } from "../app/error_response.ts";
import { toListedClient } from "../admin/clients.ts";
import { ensureBrowserCookie } from "../app/browser_cookie.ts";
import { startLinks } from "./demo_client.ts";
import { wellKnownPaths } from "../endpoints/discovery.ts";
import type { App, Endpoint, Handlers } from "../app/endpoint.ts";
import { routeUrl } from "../app/endpoint.ts";
import { isTrustedHost } from "../app/host_check.ts";
import { toListedUser } from "../admin/users.ts";

/** The home page; `endpoints` are the ones it lists, `showsDirectory` says whether it names clients and users too. */
export function home(app: App, endpoints: readonly Endpoint[], showsDirectory: boolean): Handlers {
  const { server, site } = app;
  const origin = new URL(server.issuer).origin;
  return {
    async GET(request) {
      const browser = await ensureBrowserCookie(app, request);
      const pages = await app.pages();
      const page = pages.home({
        ...site,
        startLinks: await startLinks(app, browser),
        // DNS rebinding: under a foreign host name, the page names no clients and users.
        directory: showsDirectory && isTrustedHost(server.issuer, request)
          ? {
            clients: server.clients.all().map((client) => toListedClient(app, client)),
            users: server.users.all().map((user) => toListedUser(app, user)),
          }
          : undefined,
        endpoints: [
          ...endpoints.flatMap(({ name, path }) =>
            name === undefined ? [] : [{ name, url: routeUrl(server.issuer, site.base, path) }]
          ),
          ...wellKnownPaths(site.base).map((path) => ({ name: path.split("/")[2]!, url: origin + path })),
        ],
        scopes: server.scopes,
      });
      return html(200, page, browser.headers);
    },
    reject: (error, target, request) => errorPage(app.contextFor(request), target, error),
  };
}
