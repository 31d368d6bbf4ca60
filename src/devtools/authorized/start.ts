/** GET /start: starts the demo flow; the terminal prints this link. The form of the playground adds extensions. */

import { HttpError, redirect } from "../../platform/http/message.ts";
import { ensureBrowserCookie } from "../../server/endpoints/shared/browser_cookie.ts";
import type { Handlers } from "../../server/assembly/route.ts";
import { callbackUri, newDemoFlow, startLinks } from "./demo_client.ts";
import { readExtensions } from "./demo_extensions.ts";

/** Redirects to the authorization endpoint, for the demo client named by `client_id` or the first one. */
export const start: Handlers = {
  async GET(context) {
    const browser = await ensureBrowserCookie(context);
    const links = await startLinks(context, browser);
    const fields = new URLSearchParams(context.target.query);
    const requestedClientId = fields.get("client_id");
    const link = requestedClientId === null ? links[0] : links.find(({ clientId }) => clientId === requestedClientId);
    if (link === undefined) {
      const subject = requestedClientId === null ? "No client" : "No client with this client_id";
      throw new HttpError(404, "DM-15", `${subject} has the redirect URI ${callbackUri(context.server)}`);
    }
    const { demoRequestUrl } = await import("./demo_request.ts");
    const client = (await context.server.clients.find(link.clientId))!;
    const flow = await newDemoFlow(context, browser, readExtensions(fields));
    return redirect("GET", await demoRequestUrl(context, client, flow), browser.headers);
  },
};
