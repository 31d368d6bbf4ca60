/** GET /start: starts the demo flow; the terminal prints this link. */

import { HttpError } from "../http/http_error.ts";
import { redirect } from "../http/responses.ts";
import { errorPage } from "../app/error_response.ts";
import { ensureBrowserCookie } from "../app/browser_cookie.ts";
import { callbackUri, startLinks } from "./demo_client.ts";
import type { App, Handlers } from "../app/endpoint.ts";

/** Redirects to the authorization endpoint, for the demo client named by `client_id` or the first one. */
export function start(app: App): Handlers {
  return {
    async GET(request, target) {
      const browser = await ensureBrowserCookie(app, request);
      const links = await startLinks(app, browser);
      const requestedClientId = new URLSearchParams(target.query).get("client_id");
      const link = requestedClientId === null ? links[0] : links.find(({ clientId }) => clientId === requestedClientId);
      if (link !== undefined) return redirect("GET", link.href, browser.headers);
      const uri = callbackUri(app.server);
      const subject = requestedClientId === null ? "No client" : "No such client";
      return await errorPage(app, target, new HttpError(404, "DM-15", `${subject} has the redirect URI ${uri}`));
    },
    reject: (error, target, request) => errorPage(app.contextFor(request), target, error),
  };
}
