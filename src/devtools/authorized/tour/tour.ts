/**
 * GET and POST /tour: a flow in six steps for readers who have never seen OAuth, and two mistakes of a client.
 *
 * Every request is really sent to this server. The redirect URI is that of the demo clients, so `/authorized` shows the
 * step with the response. The server stores nothing: links and forms carry the values of the flow.
 */

import { type BrowserCookie, ensureBrowserCookie } from "../../../server/endpoints/shared/browser_cookie.ts";
import type { Context } from "../../../server/assembly/context.ts";
import { readProtectedForm } from "../../../server/endpoints/shared/csrf.ts";
import type { Handlers } from "../../../server/assembly/route.ts";
import { html, type HttpResponse, redirect } from "../../../platform/http/message.ts";
import { inspectCode } from "../../../server/oauth/authorize/code.ts";
import type { TourStep } from "./pages/props.ts";
import { addClientPath, assertCallbackPage, callbackUri, restoreDemoFlow } from "../demo_client.ts";
import {
  type ArrivedFlow,
  describeCheck,
  describeExchange,
  describeMistakes,
  describeRequest,
  describeResponse,
  sendTourRequest,
} from "./steps.ts";
import { findTourClient } from "./tour_client.ts";

/** GET shows a step; POST sends the request of a step, and shows the next one. */
export const tour: Handlers = {
  async GET(context) {
    await assertCallbackPage(context);
    const browser = await ensureBrowserCookie(context);
    const fields = new URLSearchParams(context.target.query);
    const arrived = await restoreArrived(context, browser, (name) => fields.get(name) ?? undefined);
    return await render(context, browser, await describeStep(context, browser, fields.get("step"), arrived), arrived);
  },
  async POST(context) {
    await assertCallbackPage(context);
    // Pages whose URL contains a code send no referrer even to this server.
    const params = await readProtectedForm(context, true);
    const browser = await ensureBrowserCookie(context);
    const arrived = await restoreArrived(context, browser, (name) => params.get(name));
    if (arrived === undefined) return redirect("POST", `${context.site.base}/tour`);
    return await render(context, browser, await sendTourRequest(context, browser, arrived, params), arrived);
  },
};

/**
 * The step with the response of a flow that the tour started.
 *
 * @param response The parameters of the response; long values are cut.
 */
export async function showTourResponse(
  context: Context,
  browser: BrowserCookie,
  response: ReadonlyMap<string, string>,
): Promise<HttpResponse> {
  const arrived = await restoreArrived(context, browser, (name) => response.get(name));
  if (arrived === undefined) return redirect("GET", `${context.site.base}/tour`);
  return await render(context, browser, await describeResponse(context, browser, arrived, [...response]), arrived);
}

/** `undefined` unless this browser started the flow on the tour, and this server knows the code. */
async function restoreArrived(
  context: Context,
  browser: BrowserCookie,
  read: (name: string) => string | undefined,
): Promise<ArrivedFlow | undefined> {
  const [flow, code] = [await restoreDemoFlow(browser, read("state")), read("code")];
  if (flow?.tour === undefined || code === undefined) return undefined;
  const client = await findTourClient(context);
  const issued = await inspectCode(context.server, code);
  if (client === undefined || issued?.clientId !== client.id) return undefined;
  return { flow, tour: flow.tour, client, code, iss: read("iss") };
}

async function describeStep(
  context: Context,
  browser: BrowserCookie,
  step: string | null,
  arrived: ArrivedFlow | undefined,
): Promise<TourStep> {
  const client = await findTourClient(context);
  if (client === undefined) {
    return { step: "no_client", redirectUri: callbackUri(context.server), addPath: addClientPath(context, "tour") };
  }
  if (step === "mistakes") return await describeMistakes(context, browser, client);
  if (arrived === undefined) return await describeRequest(context, browser, client);
  if (step === "check") return describeCheck(context, arrived);
  if (step === "exchange") return await describeExchange(context, browser, arrived);
  return await describeRequest(context, browser, client);
}

async function render(
  context: Context,
  browser: BrowserCookie,
  page: TourStep,
  arrived: ArrivedFlow | undefined,
): Promise<HttpResponse> {
  const { site, app } = context;
  const flowLink = arrived && app.flowLinkFor([["code", arrived.code]]);
  const { renderTour } = await import("./pages/mod.ts");
  return html(200, renderTour({ ...site, flowLink, page }), browser.headers);
}
