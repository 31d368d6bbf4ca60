/** GET /start: starts a login of a demo client. */

import { callbackClients, callbackUri } from "../../core/authorized.ts";
import { endpointPath } from "../../core/endpoint.ts";
import { HttpError, redirect } from "../../core/http/message.ts";
import type { Handlers } from "../../core/route.ts";
import { developerPagesOf } from "../app.ts";
import { ensureBrowserCookie } from "../pages/browser_cookie.ts";
import { demoRequest, newDemoFlow } from "./demo_flow.ts";

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
    // Some clients must push or sign their requests.
    const sent = await (await developerPagesOf(context).demoSteps?.())?.prepare(context, client, request) ?? request;
    const query = new URLSearchParams(
      Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    return redirect("GET", `${endpointPath(context.app, "authorize")}?${query}`, browser.headers);
  },
};
