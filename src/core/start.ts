/** GET /start: starts a login of a demo client, which ends at `/authorized`. */

import { ensureBrowserCookie } from "./session/browser_cookie.ts";
import { endpointPath } from "./endpoint.ts";
import type { Handlers } from "./route.ts";
import { HttpError, redirect } from "./http/message.ts";
import { callbackClients, callbackUri, demoRequest, newDemoFlow } from "./demo_flow.ts";

/** Redirects to the authorization endpoint, for the demo client that `client_id` names, or the first one. */
export const start: Handlers = {
  async GET(context) {
    const id = new URLSearchParams(context.target.query).get("client_id");
    const client = (await callbackClients(context)).find((candidate) => id === null || candidate.id === id);
    if (client === undefined) {
      const subject = id === null ? "No client" : "No client with this client_id";
      throw new HttpError(404, "DM-15", `${subject} has the redirect URI ${callbackUri(context.server)}`);
    }
    const browser = await ensureBrowserCookie(context);
    const request = await demoRequest(context, client, await newDemoFlow(context, browser));
    const sent = await (await context.app.developerPages.demoSteps?.())?.prepare(context, client, request) ?? request;
    const query = new URLSearchParams(
      Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    return redirect("GET", `${endpointPath(context.app, "authorize")}?${query}`, browser.headers);
  },
};
