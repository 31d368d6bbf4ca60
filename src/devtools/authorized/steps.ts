/** The steps of the playground: requests, outcome, next steps. */

import { htmlWithForms, type HttpResponse } from "../../platform/http/message.ts";
import { inspectCode, type IssuedCode } from "../../server/oauth/authorize/code.ts";
import type { Client } from "../../server/oauth/clients/repository.ts";
import { codeChallenge } from "../../client/authorization_request.ts";
import type { ProofKey } from "../../client/proof.ts";
import { OAuthError } from "../../server/oauth/errors.ts";
import { exchangesAccessTokens, tokenExchangeType } from "../../server/extensions/token_exchange/settings.ts";
import type { Params } from "../../server/oauth/params.ts";
import type { Server } from "../../server/oauth/server.ts";
import { isLoopback } from "../../server/oauth/test_hosts.ts";
import { secondsNow } from "../../server/oauth/keys/jwt.ts";
import { type BrowserCookie, ensureBrowserCookie } from "../../server/endpoints/shared/browser_cookie.ts";
import {
  callbackClients,
  callbackUri,
  type DemoFlow,
  demoProofKey,
  newDemoFlow,
  restoreDemoFlow,
} from "./demo_client.ts";
import { shortStartLinks, usesDpop } from "./demo_client.ts";
import { browserCsrfToken } from "../../server/endpoints/shared/csrf.ts";
import type { Context } from "../../server/assembly/context.ts";
import { endpointPath } from "../../server/assembly/endpoint.ts";
import type { CallbackProps } from "../../server/endpoints/authorized_page.tsx";
import type { ResponseCheck } from "../../server/pages/checks.tsx";
import type { PlaygroundProps } from "./pages/playground.tsx";
import type { PlaygroundForm, PlaygroundStep } from "./pages/playground_form.tsx";
import { checkResponse } from "./round_trip.ts";
import { checkIdToken } from "./check_id_token.ts";
import { allSteps, limitHistory, parseHistory, type StepResult, stepsWithTokens, toHistoryStep } from "./history.ts";
import { stepOutcome } from "./history.ts";
import { hasDemoSecret, isPlayable, send, stepRequests, toHttpMessage, tokenRequest } from "./requests.ts";
import type { ClientState, PlaygroundResult, RequestFactory } from "./requests.ts";

/** The authorization response, or that of a device authorization, which the page has in hidden fields. */
interface CallbackResponse {
  /** Absent if a device started the flow. */
  readonly code?: string;
  /** The state of the authorization request; for a device authorization, it only identifies the flow. */
  readonly state?: string;
  readonly iss?: string;
  readonly deviceCode?: string;
  readonly userCode?: string;
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
  const state: ClientState = {
    ...{ client, code: callback.code, verifier: issued.codeChallenge && flow?.verifier },
    proofKey: await flowProofKey(context, client, flow),
  };
  const request = await tokenRequest(context, state);
  const codeUsed = issued.consumedAt !== undefined;
  const steps = stepsWithoutTokens(state, codeUsed);
  const form = await playgroundForm(context, browser, callback, state, steps, { codeUsed, grantRevoked: false });
  return {
    request: toHttpMessage(context, request),
    secrets: request.secrets,
    secretsShown: areSecretsShown(context.server, client, form),
    form,
  };
}

/** The key of the flow for proofs; `undefined` if its client sends none. */
async function flowProofKey(
  context: Context,
  client: Client,
  flow: DemoFlow | undefined,
): Promise<ProofKey | undefined> {
  return flow !== undefined && usesDpop(context, client, flow) ? await demoProofKey(flow.dpopSecret) : undefined;
}

/** A client with this server's page as redirect URI, if the playground can authenticate as it. */
async function findPlayable(context: Context, id: string | undefined): Promise<Client | undefined> {
  return (await callbackClients(context)).find((client) => client.id === id && isPlayable(client));
}

async function playgroundForm(
  context: Context,
  browser: BrowserCookie,
  { code, state, iss, deviceCode, userCode }: CallbackResponse,
  { client, verifier, accessToken, refreshToken }: ClientState,
  steps: readonly PlaygroundStep[],
  { codeUsed, grantRevoked }: Pick<PlaygroundForm, "codeUsed" | "grantRevoked">,
): Promise<PlaygroundForm> {
  const fields: (readonly [string, string | undefined])[] = [
    ["form_token", await browserCsrfToken(context, browser)],
    ["client_id", client.id],
    ["code", code],
    ["state", state],
    ["iss", iss],
    ["device_code", deviceCode],
    ["user_code", userCode],
    ["pkce", verifier && "S256"],
    ["access_token", accessToken],
    ["refresh_token", refreshToken],
    ["ended", grantRevoked ? "yes" : undefined],
  ];
  const needsSecret = client.secretDigest !== undefined && !await hasDemoSecret(client);
  return {
    fields: fields.filter((field): field is [string, string] => field[1] !== undefined),
    needsSecretOf: needsSecret ? client.id : undefined,
    steps,
    codeUsed,
    grantRevoked,
  };
}

/** Runs one step and renders its outcome. */
export async function runPlaygroundStep(context: Context, params: Params): Promise<HttpResponse> {
  const { server, site } = context;
  const browser = await ensureBrowserCookie(context);
  const { step, callback, client } = await readPlaygroundForm(context, params);
  const flow = step === "device" ? await newDemoFlow(context, browser) : await restoreDemoFlow(browser, callback.state);
  const state: ClientState = {
    ...{ client, code: callback.code, deviceCode: callback.deviceCode },
    verifier: params.get("pkce") === "S256" ? flow?.verifier : undefined,
    typedSecret: params.get("client_secret"),
    proofKey: await flowProofKey(context, client, flow),
    accessToken: params.get("access_token"),
    refreshToken: params.get("refresh_token"),
  };
  const startedAt = server.now();
  const results = await runRequests(context, step, state);
  const history = limitHistory([
    ...parseHistory(params.getAll("past"), params.getAll("past_text")),
    ...results.map((item) => toHistoryStep(startedAt, item, callback.code)),
  ]);

  const result = results.findLast((item) => item.step === step)!;
  const outcome = stepOutcome(step, result);
  const response = outcome === "done" ? result.json : {};
  const nextCallback = step === "device" ? { state: flow?.state, ...deviceResponse(response) } : callback;
  const nextTokens = step === "downscope" ? {} : responseTokens(response);
  const nextState = { ...state, deviceCode: nextCallback.deviceCode, ...nextTokens };
  const grantRevoked = params.get("ended") === "yes" || outcome === "done" && step === "revoke" ||
    step === "replay" && results.at(-1)!.step === "userinfo" && results.at(-1)!.status === 401;
  const codeUsed = callback.code !== undefined && (nextState.accessToken !== undefined || step === "replay");
  const nextSteps = stepsAfter(context, step, nextState, grantRevoked);
  const form = await playgroundForm(context, browser, nextCallback, nextState, nextSteps, { codeUsed, grantRevoked });
  const props: PlaygroundProps = {
    ...site,
    flowLink: context.app.flowLinkFor(linkingFields(nextCallback)) ?? site.flowLink,
    step,
    outcome,
    isPending: result.json.error === "authorization_pending",
    device: nextSteps[0] === "poll" ? deviceProps(context, nextCallback) : undefined,
    exchanges: results,
    secretsShown: areSecretsShown(server, client, form),
    checks: await checkTokenResponse(context, step, callback, flow, client, response),
    tokens: shownTokens(step, response),
    now: server.now(),
    history: history.slice(0, -results.length),
    latest: history.slice(-results.length),
    form,
    startLinks: shortStartLinks(context, await callbackClients(context)),
    logoutHref: `${endpointPath(context.app, "logout")}?${new URLSearchParams({ client_id: client.id })}`,
  };
  const pages = await context.pages();
  return htmlWithForms(200, pages.playground(props));
}

/**
 * Whether secrets are shown until the reader chooses: only this machine sees the page, and the client is used here
 * alone, as the built-in ones are, so that no application uses its tokens.
 */
function areSecretsShown(server: Server, { redirectUris }: Client, { needsSecretOf }: PlaygroundForm): boolean {
  return isLoopback(new URL(server.issuer).hostname) && needsSecretOf === undefined &&
    redirectUris.every((redirectUri) => redirectUri === callbackUri(server));
}

/**
 * Sends the requests of a step. The second request of a step is always userinfo, which shows the effect of the step.
 */
async function runRequests(context: Context, step: PlaygroundStep, state: ClientState): Promise<StepResult[]> {
  const results: StepResult[] = [];
  const run = async (createRequest: RequestFactory, name: PlaygroundStep, nonce?: string) => {
    const result = await send(context, await createRequest(nonce));
    results.push({ ...result, ...result.exchange, step: name });
    // A client repeats the request with the nonce (RFC 9449 §8).
    if (result.demandedNonce !== undefined && nonce === undefined) {
      await run(createRequest, name, result.demandedNonce);
    }
  };
  for (const [i, createRequest] of stepRequests(context, step, state).entries()) {
    await run(createRequest, i === 0 ? step : "userinfo");
  }
  return results;
}

/** The members of a device authorization response (RFC 8628 §3.2). */
function deviceResponse({ device_code, user_code }: PlaygroundResult["json"]): CallbackResponse {
  return typeof device_code === "string" && typeof user_code === "string"
    ? { deviceCode: device_code, userCode: user_code }
    : {};
}

function deviceProps({ app }: Context, { userCode }: CallbackResponse): PlaygroundProps["device"] {
  if (userCode === undefined) return undefined;
  return {
    userCode,
    href: `${endpointPath(app, "device")}?${new URLSearchParams({ user_code: userCode })}`,
    isApproved: !app.endpoints.some(({ name }) => name === "login"),
  };
}

function linkingFields({ code, deviceCode }: CallbackResponse): [name: string, value: string][] {
  return code !== undefined ? [["code", code]] : deviceCode !== undefined ? [["device_code", deviceCode]] : [];
}

async function readPlaygroundForm(
  context: Context,
  params: Params,
): Promise<{ step: PlaygroundStep; callback: CallbackResponse; client: Client }> {
  const requestedStep = params.get("step");
  const step = allSteps.find((candidate) => candidate === requestedStep);
  const client = await findPlayable(context, params.get("client_id"));
  const code = params.get("code");
  const deviceCode = params.get("device_code");
  const isComplete = step === "device" || (code ?? deviceCode) !== undefined;
  if (step !== undefined && client !== undefined && isComplete) {
    const [state, iss, userCode] = [params.get("state"), params.get("iss"), params.get("user_code")];
    return { step, client, callback: { code, state, iss, deviceCode, userCode } };
  }
  throw new OAuthError("invalid_request", "the form names no step of the playground", {
    rule: "DM-12",
    expected: "a step of the playground, a code, and a client that has this page as its redirect URI",
    received: [
      ...step === undefined ? ["an unknown step"] : [],
      ...client === undefined ? ["an unknown client"] : [],
      ...isComplete ? [] : ["no code"],
    ].join(", "),
  });
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
export async function checkTokenResponse(
  context: Context,
  step: PlaygroundStep,
  callback: CallbackResponse,
  flow: DemoFlow | undefined,
  client: Client,
  { id_token: token, access_token: accessToken }: PlaygroundResult["json"],
): Promise<ResponseCheck[]> {
  const { server } = context;
  if (typeof token !== "string") return [];
  const keys = await send(context, {
    method: "GET",
    path: endpointPath(context.app, "jwks"),
    headers: {},
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
  // A refreshed token need not repeat the nonce of the login (OpenID Connect Core §12.2); a device sends none.
  if (step === "refresh" || step === "poll") return idTokenChecks.filter(({ name }) => name !== "nonce");
  return [
    ...checkResponse(server, callback.state, callback.iss, flow),
    await checkCodeVerifier(context, callback, flow),
    ...idTokenChecks,
  ];
}

/** Whether the verifier matches the challenge of the code. */
async function checkCodeVerifier(
  { server }: Context,
  { code }: CallbackResponse,
  flow: DemoFlow | undefined,
): Promise<ResponseCheck> {
  const expected = (await inspectCode(server, code ?? ""))?.codeChallenge;
  if (expected === undefined || flow === undefined) return { name: "pkce" };
  const received = await codeChallenge(flow.verifier);
  const passed = received === expected;
  return { name: "pkce", passed, expected: passed ? received : "another challenge", received };
}

/** The next steps without tokens. */
function stepsWithoutTokens(
  { code, deviceCode, verifier }: Pick<ClientState, "code" | "deviceCode" | "verifier">,
  codeUsed: boolean,
): PlaygroundStep[] {
  if (code === undefined) return deviceCode === undefined ? ["device"] : ["poll"];
  if (codeUsed) return ["replay"];
  return verifier === undefined ? ["exchange"] : ["exchange", "wrong_verifier"];
}

/** The next steps after a step, in the order of the list, starting after it. */
function stepsAfter(
  { server }: Context,
  step: PlaygroundStep,
  state: ClientState,
  grantRevoked: boolean,
): PlaygroundStep[] {
  const { accessToken, refreshToken, code } = state;
  const mayExchange = exchangesAccessTokens(server.settings) && state.client.grantTypes.includes(tokenExchangeType);
  if (accessToken === undefined) return stepsWithoutTokens(state, step === "replay");
  const nextIndex = stepsWithTokens.indexOf(step) + 1;
  return [...stepsWithTokens.slice(nextIndex), ...stepsWithTokens.slice(0, nextIndex)].filter((next) =>
    next !== step && !(next === "refresh" && refreshToken === undefined) && !(next === "revoke" && grantRevoked) &&
    !(next === "replay" && code === undefined) && !(next === "downscope" && !mayExchange)
  );
}
