/** GET /start: starts a login of a demo client, which ends at `/authorized`. */

import type { Client } from "./clients/repository.ts";
import type { Context } from "./context.ts";
import { callbackClients, callbackUri, type DemoRequest, demoRequest, newDemoFlow } from "./demo_flow.ts";
import { endpointPath } from "./endpoint.ts";
import { HttpError, redirect } from "./http/message.ts";
import type { Handlers } from "./route.ts";
import { ensureBrowserCookie } from "./session/browser_cookie.ts";

/** Returns the query of the authorization endpoint that a client must send for a request, such as a signed one. */
type PrepareRequest = (context: Context, client: Client, request: DemoRequest) => Promise<DemoRequest>;

/**
 * Redirects to the authorization endpoint, for the demo client that `client_id` names, or the first one.
 *
 * @param prepare Default: clients send the request as it is.
 */
export const startHandlers = (prepare?: PrepareRequest): Handlers => ({
  async GET(context) {
    const id = new URLSearchParams(context.target.query).get("client_id");
    const client = (await callbackClients(context)).find((candidate) => id === null || candidate.id === id);
    if (client === undefined) {
      const subject = id === null ? "No client" : "No client with this client_id";
      throw new HttpError(404, "DM-15", `${subject} has the redirect URI ${callbackUri(context.server)}`);
    }
    const browser = await ensureBrowserCookie(context);
    const request = await demoRequest(context, client, await newDemoFlow(context, browser));
    const sent = await prepare?.(context, client, request) ?? request;
    const query = new URLSearchParams(
      Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    return redirect("GET", `${endpointPath(context.app, "authorize")}?${query}`, browser.headers);
  },
});
