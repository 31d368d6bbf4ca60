/** GET /start: starts the demo flow in whatever browser opens it, as the link that the terminal prints. */

import { HttpFault } from "../http/http_error.ts";
import { redirect } from "../http/responses.ts";
import { asPage } from "../app/error_response.ts";
import { recogniseBrowser } from "../app/browser_cookie.ts";
import { callbackUri, startLinks } from "./demo_client.ts";
import type { Answers, Desk } from "../app/endpoint.ts";

/** Sends the browser to the authorization endpoint, for the demo client that `client_id` names or for the first one. */
export function start(desk: Desk): Answers {
  return {
    async GET(request, target) {
      const browser = await recogniseBrowser(desk, request);
      const links = await startLinks(desk, browser);
      const wanted = new URLSearchParams(target.query).get("client_id");
      const link = wanted === null ? links[0] : links.find(({ clientId }) => clientId === wanted);
      if (link !== undefined) return redirect("GET", link.href, browser.headers);
      const uri = callbackUri(desk.server);
      const who = wanted === null ? "No client" : "No such client";
      return await asPage(desk, target, new HttpFault(404, "DM-15", `${who} has the redirect URI ${uri}`));
    },
    refuse: (fault, target, request) => asPage(desk.during(request), target, fault),
  };
}
