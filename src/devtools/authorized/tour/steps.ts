/** The props of each step of the tour, and the requests that it sends. */

import { codeChallenge } from "../../../client/authorization_request.ts";
import { encodeParameters, parameterPairs } from "../../../client/parameters.ts";
import { codeExchange } from "../../../client/token_request.ts";
import type { BrowserCookie } from "../../../server/endpoints/shared/browser_cookie.ts";
import type { Context } from "../../../server/assembly/context.ts";
import { browserCsrfToken } from "../../../server/endpoints/shared/csrf.ts";
import { endpointUrl } from "../../../server/assembly/endpoint.ts";
import { backChannelOrigin } from "../../../server/config/issuer_urls.ts";
import { mayListClients } from "../../../server/endpoints/shared/suggest_match.ts";
import type { Fields } from "../../../platform/http/form.ts";
import type { Client } from "../../../server/oauth/clients/repository.ts";
import type { Params } from "../../../server/oauth/params.ts";
import type { HiddenFields } from "../../../server/pages/post_form.tsx";
import type { Mistake, TourRequest, TourResponse, TourStep } from "./pages/props.ts";
import { callbackUri, demoAuthorizationRequest, type DemoFlow, newDemoFlow, type TourKind } from "../demo_client.ts";
import { clientRequest, corruptVerifier, type PlaygroundRequest, type PlaygroundResult } from "../requests.ts";
import { send, stepRequests } from "../requests.ts";
import { checkTokenResponse } from "../steps.ts";
import { checkResponse } from "../round_trip.ts";

/** A flow of the tour whose response has arrived at this browser. */
export interface ArrivedFlow {
  readonly flow: DemoFlow;
  readonly tour: TourKind;
  readonly client: Client;
  readonly code: string;
  readonly iss?: string;
}

/** Step 1: a new authorization request. */
export async function describeRequest(context: Context, browser: BrowserCookie, client: Client): Promise<TourStep> {
  const { parts, href } = await newRequest(context, browser, client, "steps");
  return { step: "request", request: { line: `GET ${endpointUrl(context, "authorize")}`, parts }, href };
}

async function newRequest(
  context: Context,
  browser: BrowserCookie,
  client: Client,
  tour: TourKind,
): Promise<{ readonly parts: Fields; readonly href: string }> {
  const request = await demoAuthorizationRequest(context, client, await newDemoFlow(context, browser, {}, tour));
  const { pathname } = new URL(endpointUrl(context, "authorize"));
  return { parts: parameterPairs(request), href: `${pathname}?${encodeParameters(request)}` };
}

/** Step 2, or the request with a mistake: the response has arrived. */
export async function describeResponse(
  context: Context,
  browser: BrowserCookie,
  arrived: ArrivedFlow,
  response: Fields,
): Promise<TourStep> {
  const { app, server } = context;
  if (arrived.tour !== "steps") return await describeMistake(context, browser, arrived, arrived.tour);
  return {
    step: "response",
    request: { line: `GET ${callbackUri(server)}`, parts: response },
    hasLoginPages: app.endpoints.some(({ name }) => name === "login"),
    codeLifetimeSeconds: server.settings.lifetimes.code,
    href: stepHref(context, "check", arrived),
  };
}

/** Step 3: the client checks the response. */
export function describeCheck(context: Context, arrived: ArrivedFlow): TourStep {
  const { flow, iss } = arrived;
  return {
    step: "check",
    checks: checkResponse(context.server, flow.state, iss, flow),
    href: stepHref(context, "exchange", arrived),
  };
}

/** Step 4: the token request. */
export async function describeExchange(
  context: Context,
  browser: BrowserCookie,
  arrived: ArrivedFlow,
): Promise<TourStep> {
  return {
    step: "exchange",
    request: shownRequest(context, await tokenRequest(context, arrived)),
    challenge: await codeChallenge(arrived.flow.verifier),
    fields: await formFields(context, browser, arrived),
  };
}

/** The choice between the mistakes. */
export async function describeMistakes(context: Context, browser: BrowserCookie, client: Client): Promise<TourStep> {
  const [redirectUri, verifier] = await Promise.all(
    (["redirect_uri", "code_verifier"] as const).map((mistake) => newRequest(context, browser, client, mistake)),
  );
  return { step: "mistakes", hrefs: { redirect_uri: redirectUri!.href, code_verifier: verifier!.href } };
}

async function describeMistake(
  context: Context,
  browser: BrowserCookie,
  arrived: ArrivedFlow,
  mistake: Mistake,
): Promise<TourStep> {
  const [values, wrong] = [tokenParameters(context, arrived), tokenParameters(context, arrived, mistake)];
  return {
    step: "mistake",
    mistake,
    request: shownRequest(context, await tokenRequest(context, arrived, mistake)),
    expected: mistake === "redirect_uri" ? values.redirect_uri : await codeChallenge(values.code_verifier),
    received: mistake === "redirect_uri" ? wrong.redirect_uri : await codeChallenge(wrong.code_verifier),
    fields: await formFields(context, browser, arrived, [["mistake", mistake]]),
  };
}

/**
 * Sends the request that the page before has shown: userinfo if the form has an access token, else the token request.
 * Only the flow of a mistake sends a wrong one, unless the form asks for the correct one.
 */
export async function sendTourRequest(
  context: Context,
  browser: BrowserCookie,
  arrived: ArrivedFlow,
  params: Params,
): Promise<TourStep> {
  const { server } = context;
  const { client, flow, code, iss, tour } = arrived;
  const accessToken = params.get("access_token");
  if (accessToken !== undefined) {
    const request = await stepRequests(context, "userinfo", { client, accessToken })[0]!();
    return {
      step: "userinfo",
      request: shownRequest(context, request),
      response: shownResponse(await send(context, request)),
      hasClientsPage: mayListClients(context),
    };
  }
  const mistake = tour !== "steps" && params.get("mistake") === tour ? tour : undefined;
  const result = await send(context, await tokenRequest(context, arrived, mistake));
  const { json } = result;
  if (mistake !== undefined) {
    return {
      step: "rejection",
      mistake,
      response: shownResponse(result),
      fields: await formFields(context, browser, arrived),
    };
  }
  if (typeof json.id_token !== "string" || typeof json.access_token !== "string") {
    return { step: "failed", response: shownResponse(result) };
  }
  const checks = await checkTokenResponse(context, "exchange", { code, state: flow.state, iss }, flow, client, json);
  return {
    step: "tokens",
    response: shownResponse(result),
    // Steps 3 and 4 have the others.
    checks: checks.filter(({ name }) => !["state", "response_iss", "pkce"].includes(name)),
    idToken: json.id_token,
    now: server.now(),
    fields: await formFields(context, browser, arrived, [["access_token", json.access_token]]),
  };
}

/** The token request of the client (OAuth 2.1 §4.1.3), with a mistake in one parameter if given. */
async function tokenRequest(context: Context, arrived: ArrivedFlow, mistake?: Mistake): Promise<PlaygroundRequest> {
  const { client, code } = arrived;
  const { redirect_uri, code_verifier } = tokenParameters(context, arrived, mistake);
  return await clientRequest(context, "token", { client }, codeExchange(code, redirect_uri, code_verifier));
}

/** The parameters that can be wrong. */
function tokenParameters(
  { server }: Context,
  { flow: { verifier } }: ArrivedFlow,
  mistake?: Mistake,
): Readonly<Record<Mistake, string>> {
  const redirectUri = callbackUri(server);
  return {
    redirect_uri: mistake === "redirect_uri" ? `${redirectUri}/` : redirectUri,
    code_verifier: mistake === "code_verifier" ? corruptVerifier(verifier) : verifier,
  };
}

function stepHref({ site }: Context, step: string, { flow, code, iss }: ArrivedFlow): string {
  return `${site.base}/tour?${new URLSearchParams({ step, code, state: flow.state, ...iss !== undefined && { iss } })}`;
}

async function formFields(
  context: Context,
  browser: BrowserCookie,
  { flow, code, iss }: ArrivedFlow,
  more: HiddenFields = [],
): Promise<HiddenFields> {
  const fields: HiddenFields = [
    ["form_token", await browserCsrfToken(context, browser)],
    ["code", code],
    ["state", flow.state],
  ];
  return [...fields, ...iss === undefined ? [] : [["iss", iss] as const], ...more];
}

function shownRequest({ server }: Context, { method, path, headers, body }: PlaygroundRequest): TourRequest {
  return {
    line: `${method} ${backChannelOrigin(server) + path}`,
    parts: [
      ...headers.authorization === undefined ? [] : [["Authorization", headers.authorization] as const],
      ...new URLSearchParams(body ?? ""),
    ],
  };
}

function shownResponse({ exchange, json }: PlaygroundResult): TourResponse {
  return {
    line: exchange.response?.startLine,
    parts: Object.entries(json).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  };
}
