/** The steps of the playground: requests, outcome, next steps. */

import type { HttpResponse } from "../../http/message.ts";
import { htmlWithForms } from "../../http/responses.ts";
import { inspectCode, type IssuedCode } from "../../oauth/authorize/code.ts";
import type { Client } from "../../oauth/clients/repository.ts";
import { OAuthError } from "../../oauth/errors.ts";
import type { Params } from "../../oauth/params.ts";
import { digest } from "../../oauth/secrets.ts";
import { secondsNow } from "../../oauth/server.ts";
import { checkIdToken } from "../../oauth/tokens/validation.ts";
import { type BrowserCookie, ensureBrowserCookie } from "../../app/browser_cookie.ts";
import { callbackClients, callbackUri, type DemoFlow, restoreDemoFlow, startLinks } from "../demo_client.ts";
import { browserCsrfToken } from "../../app/csrf.ts";
import type { Context } from "../../app/context.ts";
import { endpointPath } from "../../app/endpoint.ts";
import type { CallbackProps } from "../../ui/callback_page.tsx";
import type { CheckResult } from "../../ui/checks.tsx";
import type { HistoryStep } from "../../ui/history_entry.tsx";
import type { PlaygroundProps } from "../../ui/playground.tsx";
import type { PlaygroundForm, PlaygroundStep } from "../../ui/playground_form.tsx";
import { checkResponse } from "../round_trip.ts";
import { hasDemoSecret, isPlayable, send, stepRequests, toHttpMessage, tokenRequest } from "./requests.ts";
import type { ClientState, PlaygroundResult } from "./requests.ts";

/** The steps that need tokens, in the suggested order. */
const stepsWithTokens: readonly PlaygroundStep[] = ["userinfo", "introspect", "refresh", "replay", "revoke"];
const allSteps: readonly PlaygroundStep[] = ["exchange", "wrong_verifier", ...stepsWithTokens];

/** The authorization response, which the page has in hidden fields. */
interface CallbackResponse {
  readonly code: string;
  readonly state?: string;
  readonly iss?: string;
}

/** The token request of the callback page; `undefined` if the page cannot send it for this code. */
export async function initialProposal(
  context: Context,
  browser: BrowserCookie,
  callback: CallbackResponse,
  flow: DemoFlow | undefined,
  issued: IssuedCode | undefined,
): Promise<CallbackProps["proposal"]> {
  if (issued?.redirectUri !== callbackUri(context.server)) return undefined;
  const client = await findPlayable(context, issued.clientId);
  // Without the verifier, only the client that generated it can send the request.
  if (client === undefined || issued.codeChallenge !== undefined && flow === undefined) return undefined;
  const state: ClientState = { client, code: callback.code, verifier: issued.codeChallenge && flow?.verifier };
  const request = await tokenRequest(context, state);
  const steps = stepsWithoutTokens(state, issued.consumedAt !== undefined);
  return {
    request: toHttpMessage(context, request),
    secrets: request.secrets,
    form: await playgroundForm(context, browser, callback, state, steps, false),
  };
}

/** A client with this server's page as redirect URI, if the playground can authenticate as it. */
async function findPlayable(context: Context, id: string | undefined): Promise<Client | undefined> {
  return (await callbackClients(context)).find((client) => client.id === id && isPlayable(client));
}

async function playgroundForm(
  context: Context,
  browser: BrowserCookie,
  { code, state, iss }: CallbackResponse,
  { client, verifier, accessToken, refreshToken }: ClientState,
  steps: readonly PlaygroundStep[],
  grantRevoked: boolean,
): Promise<PlaygroundForm> {
  const fields: (readonly [string, string | undefined])[] = [
    ["form_token", await browserCsrfToken(context, browser)],
    ["client_id", client.id],
    ["code", code],
    ["state", state],
    ["iss", iss],
    ["pkce", verifier && "S256"],
    ["access_token", accessToken],
    ["refresh_token", refreshToken],
    ["ended", grantRevoked ? "yes" : undefined],
  ];
  const needsSecret = client.confidential && !await hasDemoSecret(client);
  return {
    fields: fields.filter((field): field is [string, string] => field[1] !== undefined),
    needsSecretOf: needsSecret ? client.id : undefined,
    steps,
    grantRevoked,
  };
}

/** Runs one step and renders its outcome. */
export async function runPlaygroundStep(context: Context, params: Params): Promise<HttpResponse> {
  const { server, site } = context;
  const browser = await ensureBrowserCookie(context);
  const { step, callback, client } = await readPlaygroundForm(context, params);
  const flow = await restoreDemoFlow(browser, callback.state);
  const state: ClientState = {
    client,
    code: callback.code,
    verifier: params.get("pkce") === "S256" ? flow?.verifier : undefined,
    typedSecret: params.get("client_secret"),
    accessToken: params.get("access_token"),
    refreshToken: params.get("refresh_token"),
  };
  const startedAt = server.now();
  const results: PlaygroundResult[] = [];
  for (const item of await stepRequests(context, step, state)) results.push(await send(context, item));
  // The second request of a step is always userinfo, which shows the effect of the step.
  const sentSteps = results.map((_, i): PlaygroundStep => i === 0 ? step : "userinfo");
  const history = limitHistory([
    ...parseHistory(params.getAll("past"), params.getAll("past_text")),
    ...results.map((item, i) => toHistoryStep(sentSteps[i]!, startedAt, item, callback.code)),
  ]);

  const [firstResult] = results as [PlaygroundResult];
  const outcome = stepOutcome(step, firstResult);
  const tokenResponse = outcome === "done" ? firstResult.json : {};
  const nextState = { ...state, ...responseTokens(tokenResponse) };
  const grantRevoked = params.get("ended") === "yes" || outcome === "done" && step === "revoke" ||
    results[1]?.status === 401;
  const nextSteps = stepsAfter(step, nextState, grantRevoked);
  const props: PlaygroundProps = {
    ...site,
    flowLink: context.app.flowLinkFor([["code", callback.code]]) ?? site.flowLink,
    step,
    outcome,
    exchanges: results.map(({ exchange }, i) => ({ ...exchange, step: sentSteps[i]! })),
    checks: await checkTokenResponse(context, step, callback, flow, client, tokenResponse),
    tokens: shownTokens(step, tokenResponse),
    now: server.now(),
    history: history.slice(0, -results.length),
    latest: history.slice(-results.length),
    form: await playgroundForm(context, browser, callback, nextState, nextSteps, grantRevoked),
    startLinks: await startLinks(context, browser),
  };
  const pages = await context.pages();
  return htmlWithForms(200, pages.playground(props));
}

async function readPlaygroundForm(
  context: Context,
  params: Params,
): Promise<{ step: PlaygroundStep; callback: CallbackResponse; client: Client }> {
  const requestedStep = params.get("step");
  const step = allSteps.find((candidate) => candidate === requestedStep);
  const client = await findPlayable(context, params.get("client_id"));
  const code = params.get("code");
  if (step !== undefined && client !== undefined && code !== undefined) {
    return { step, client, callback: { code, state: params.get("state"), iss: params.get("iss") } };
  }
  throw new OAuthError("invalid_request", "the form names no step of the playground", {
    rule: "DM-12",
    expected: "a step of the playground, a code, and a client that has this page as its redirect URI",
    received: [
      ...step === undefined ? ["an unknown step"] : [],
      ...client === undefined ? ["an unknown client"] : [],
      ...code === undefined ? ["no code"] : [],
    ].join(", "),
  });
}

function stepOutcome(step: PlaygroundStep, { status, json }: PlaygroundResult): PlaygroundProps["outcome"] {
  if (status === undefined) return "dropped";
  return status !== 200 || step === "introspect" && json.active !== true ? "rejected" : "done";
}

/** The tokens of a token response; without a new refresh token the client keeps the old one. */
function responseTokens(
  { access_token, refresh_token }: PlaygroundResult["json"],
): Pick<ClientState, "accessToken" | "refreshToken"> {
  return {
    ...typeof access_token === "string" && { accessToken: access_token },
    ...typeof refresh_token === "string" && { refreshToken: refresh_token },
  };
}

/** The tokens to decode, without the ID token of a refresh, which repeats the first one. */
function shownTokens(
  step: PlaygroundStep,
  { id_token, access_token }: PlaygroundResult["json"],
): PlaygroundProps["tokens"] {
  return [
    ...typeof id_token === "string" && step !== "refresh" ? [{ name: "ID token", token: id_token }] : [],
    ...typeof access_token === "string" ? [{ name: "Access token", token: access_token }] : [],
  ];
}

/** The client's checks for a token response with an ID token; after a code exchange also of the redirect and PKCE. */
async function checkTokenResponse(
  context: Context,
  step: PlaygroundStep,
  callback: CallbackResponse,
  flow: DemoFlow | undefined,
  client: Client,
  { id_token: token, access_token: accessToken }: PlaygroundResult["json"],
): Promise<CheckResult[]> {
  const { server } = context;
  if (typeof token !== "string") return [];
  const keys = await send(context, {
    method: "GET",
    path: endpointPath(context.app, "jwks"),
    headers: [],
    secrets: [],
  });
  const idTokenChecks = await checkIdToken(token, {
    jwks: keys.json,
    issuer: server.issuer,
    clientId: client.id,
    nonce: flow?.nonce,
    accessToken: typeof accessToken === "string" ? accessToken : undefined,
    now: secondsNow(server),
  });
  // A refreshed token need not repeat the nonce of the login (OpenID Connect Core §12.2).
  if (step === "refresh") return idTokenChecks.filter(({ name }) => name !== "nonce");
  return [
    ...checkResponse(server.issuer, callback.state, callback.iss, flow),
    await checkCodeVerifier(context, callback, flow),
    ...idTokenChecks,
  ];
}

/** Whether the verifier matches the challenge of the code. */
async function checkCodeVerifier(
  { server }: Context,
  { code }: CallbackResponse,
  flow: DemoFlow | undefined,
): Promise<CheckResult> {
  const expected = (await inspectCode(server, code))?.codeChallenge;
  if (expected === undefined || flow === undefined) return { name: "pkce" };
  const received = await digest(flow.verifier);
  const passed = received === expected;
  return { name: "pkce", passed, expected: passed ? received : "another challenge", received };
}

/** The next steps without tokens. */
function stepsWithoutTokens({ verifier }: Pick<ClientState, "verifier">, codeUsed: boolean): PlaygroundStep[] {
  if (codeUsed) return ["replay"];
  return verifier === undefined ? ["exchange"] : ["exchange", "wrong_verifier"];
}

/** The next steps after a step, in the order of the list, starting after it. */
function stepsAfter(
  step: PlaygroundStep,
  { accessToken, refreshToken, verifier }: ClientState,
  grantRevoked: boolean,
): PlaygroundStep[] {
  if (accessToken === undefined) return stepsWithoutTokens({ verifier }, step === "replay");
  const nextIndex = stepsWithTokens.indexOf(step) + 1;
  return [...stepsWithTokens.slice(nextIndex), ...stepsWithTokens.slice(0, nextIndex)].filter((next) =>
    next !== step && !(next === "refresh" && refreshToken === undefined) && !(next === "revoke" && grantRevoked)
  );
}

/** The exchange as text, without its secrets and without the code. */
function toHistoryStep(step: PlaygroundStep, at: number, result: PlaygroundResult, code: string): HistoryStep {
  const { exchange: { request, response, secrets }, status, json } = result;
  const text = [request, response].flatMap((message) =>
    message === undefined
      ? []
      : [message.body === undefined ? message.startLine : `${message.startLine}\n\n${message.body}`]
  ).join("\n\n");
  const errorText = status === 200 ? "inactive" : String(json.error ?? "");
  return {
    step,
    at,
    status,
    ...stepOutcome(step, result) === "rejected" && errorCodePattern.test(errorText) && { error: errorText },
    text: [...secrets.map(({ value }) => value), code].filter((value) => value !== "")
      .reduce((redacted, value) => redacted.replaceAll(value, "…"), text),
  };
}

const errorCodePattern = /^\w{1,40}$/;

/** Maximum number of steps in the hidden fields of a page, and of characters of their texts. */
const historyLimits = { steps: 12, text: 2200 };

/** Drops the texts of the oldest steps first, then the oldest steps. */
function limitHistory(history: readonly HistoryStep[]): HistoryStep[] {
  let remaining = historyLimits.text;
  return history.slice(-historyLimits.steps).reverse()
    .map((step) => (remaining -= step.text.length) < 0 ? { ...step, text: "" } : step)
    .reverse();
}

/** Parses the history fields of the form; invalid lines are dropped. */
function parseHistory(summaries: readonly string[], texts: readonly string[]): HistoryStep[] {
  return limitHistory(summaries.flatMap((line, i) => {
    const [, name, at, status, error] = /^(\w+) (\d{1,15}) (\d{1,3})(?: (\w{1,40}))?$/.exec(line) ?? [];
    const step = allSteps.find((candidate) => candidate === name);
    if (step === undefined) return [];
    // Browsers send every line end in a form as CR LF.
    const text = (texts[i] ?? "").replaceAll("\r\n", "\n");
    return [{ step, at: Number(at), status: Number(status) || undefined, ...error !== undefined && { error }, text }];
  }));
}
