/** The steps after an authorization response: what can be sent next, the requests of a step, and its outcome. */

import { ensureBrowserCookie } from "../../core/sessions/browser_cookie.ts";
import type { Context } from "../../core/http/context.ts";
import { type ArrivedResponse, developerPagesOf } from "../../server/app.ts";
import type { Site } from "../../server/pages/layout.tsx";
import { browserCsrfToken, readProtectedForm } from "../../server/pages/csrf.ts";
import { endpointPath } from "../../core/http/endpoint.ts";
import { createProofKey, type ProofKey } from "../../client/proof.ts";
import { p256KeyFrom } from "../../platform/runtime/p256_key.ts";
import { checkResponse, fixOf } from "../../server/hosting/authorized.ts";
import {
  assertCallbackPage,
  callbackClients,
  callbackUri,
  type DemoFlow,
  restoreDemoFlow,
  startLinks,
} from "../../core/demo/demo_flow.ts";
import { mustProve } from "../../server/extensions/dpop/settings.ts";
import { type HttpResponse, redirect } from "../../core/http/message.ts";
import { htmlWithForms } from "../../platform/http/response.ts";
import { inspectCode } from "../../core/demo/authorized.ts";
import type { Client } from "../../core/clients/clients.ts";
import { reject } from "../../server/rules/mod.ts";
import type { Params } from "../../core/http/params.ts";
import type { HostedServer } from "../../server/hosted_server.ts";
import { isLoopback } from "../../core/http/test_hosts.ts";
import { decodeBase64url } from "../../core/keys/crypto.ts";
import { digest } from "../../core/keys/secrets.ts";
import type { NextSteps } from "../../server/pages/authorized_page.tsx";
import { renderPage } from "../../core/pages/render_page.ts";
import { nextSteps, type Proposal, StepPage, type StepProps } from "./pages/step_page.tsx";
import { allSteps, type FormStep, type PastStep, type StepFormState } from "./pages/step_form.tsx";
import type { TokenCheck } from "../requests/pages/tokens.tsx";
import { checkToken } from "../requests/tokens/check_token.ts";
import { readKeys } from "../requests/tokens/signature.ts";
import {
  canAuthenticate,
  type ClientState,
  hasDemoSecret,
  type RequestFactory,
  send,
  type SentResult,
  stepRequests,
  toHttpMessage,
  tokenRequest,
} from "./requests.ts";
import type { Handlers } from "../../core/route.ts";

/** The steps that need tokens, in the suggested order. */
const stepsWithTokens: readonly FormStep[] = allSteps.filter((step) => step !== "exchange" && step !== "edit");

/** Maximum number of past steps that a page keeps. */
const maxPastSteps = 30;

/** A response with a code that this server issued for `/authorized`. */
type Arrived = ArrivedResponse & { readonly code: string };

/** What is known between two steps, in hidden fields of the page; the server stores nothing. */
interface StepState {
  readonly arrived: Arrived;
  readonly client: ClientState;
  readonly past: readonly PastStep[];
  readonly codeUsed: boolean;
  readonly grantRevoked: boolean;
}

/** See `DemoSteps.next`. */
export async function describeNext(
  context: Context<HostedServer>,
  response: ArrivedResponse,
): Promise<NextSteps> {
  const { code, flow, issued, failed = false } = response;
  const client = code === undefined ? undefined : await findOwner(context, response);
  const isCodeUsed = issued?.consumedAt !== undefined;
  return nextSteps({
    base: context.site.base,
    authorized: failed ? "failed" : code === undefined ? undefined : "done",
    isCodeUsed,
    // Without the verifier, only the client that generated it can send the request.
    proposal: code === undefined || client === undefined || issued?.codeChallenge !== undefined && flow === undefined
      ? undefined
      : await propose(context, { ...response, code }, client),
    signedBy: client !== undefined && mustProve(context.server, client) ? client.id : undefined,
  });
}

async function propose(
  context: Context<HostedServer>,
  arrived: Arrived,
  owner: Client,
): Promise<Proposal> {
  const { code, flow, issued } = arrived;
  const client = {
    ...{ client: owner, code, verifier: issued?.codeChallenge && flow?.verifier },
    proofKey: await proofKeyOf(context, owner, flow),
  };
  const codeUsed = issued?.consumedAt !== undefined;
  const state: StepState = { arrived, client, past: [], codeUsed, grantRevoked: false };
  const request = await tokenRequest(context, client);
  const form = await describeForm(context, state);
  return {
    request: toHttpMessage(context, request),
    secrets: request.secrets,
    secretsShown: areSecretsShown(context.server, owner, form),
    form,
    editable: editableParameters(context, state),
  };
}

/** The client of a code that was issued for this page, if the steps can authenticate as it. */
async function findOwner(context: Context<HostedServer>, { issued }: ArrivedResponse): Promise<Client | undefined> {
  return issued?.redirectUri === callbackUri(context.server)
    ? await findStepClient(context, issued.clientId)
    : undefined;
}

async function findStepClient(context: Context<HostedServer>, id: string | undefined): Promise<Client | undefined> {
  return (await callbackClients(context)).find((client) => client.id === id && canAuthenticate(client));
}

/** The key of a login for proofs, the same for each of its steps; `undefined` if its client need not send any. */
async function proofKeyOf(
  context: Context<HostedServer>,
  client: Client,
  flow: DemoFlow | undefined,
): Promise<ProofKey | undefined> {
  if (flow === undefined || !mustProve(context.server, client)) return undefined;
  const { secret } = await ensureBrowserCookie(context);
  const bytes = decodeBase64url(await digest(`dpop ${secret} ${flow.state}`));
  // A number of 255 bits is less than the order of the curve.
  bytes[0]! &= 0x7f;
  return await createProofKey(p256KeyFrom(bytes));
}

/** The parameters of the token request that the page lets the reader edit, until the code is used. */
function editableParameters(
  { server }: Context<HostedServer>,
  { codeUsed, client: { verifier, accessToken } }: StepState,
): Proposal["editable"] {
  if (codeUsed || accessToken !== undefined) return [];
  return [
    ["redirect_uri", callbackUri(server)],
    ...verifier === undefined ? [] : [["code_verifier", verifier] as const],
  ];
}

/** @param current The step that the page shows. Default: the authorization. */
async function describeForm(
  context: Context<HostedServer>,
  { arrived, client: { client, verifier, accessToken, refreshToken }, past, codeUsed, grantRevoked }: StepState,
  current?: FormStep,
): Promise<StepFormState> {
  const fields: (readonly [string, string | undefined])[] = [
    ["form_token", arrived.csrfToken],
    ["client_id", client.id],
    ["code", arrived.code],
    ["state", arrived.state],
    ["iss", arrived.iss],
    ["pkce", verifier && "S256"],
    ["access_token", accessToken],
    ["refresh_token", refreshToken],
    ["ended", grantRevoked ? "yes" : undefined],
    ["past", past.map(({ step, done }) => `${step}:${done ? "done" : "failed"}`).join(" ") || undefined],
  ];
  const possible = accessToken !== undefined
    ? stepsWithTokens.filter((step) => step !== "refresh" || refreshToken !== undefined)
    : codeUsed
    ? ["replay" as const]
    : ["exchange" as const];
  const main = accessToken === undefined
    ? possible.find((step) => step !== current || step === "exchange")
    : possible.find((step) =>
      current === undefined || stepsWithTokens.indexOf(step) > stepsWithTokens.indexOf(current)
    );
  return {
    fields: fields.filter((field): field is [string, string] => field[1] !== undefined),
    needsSecretOf: client.secretDigest !== undefined && !await hasDemoSecret(client) ? client.id : undefined,
    main,
    others: possible.filter((step) => step !== main && step !== current),
    grantRevoked,
    startLinks: await startLinks(context),
  };
}

/**
 * Whether secrets are shown until the reader chooses: only this machine sees the page, and the client is used here
 * alone, as the built-in ones are, so that no application uses its tokens.
 */
function areSecretsShown(server: HostedServer, { redirectUris }: Client, { needsSecretOf }: StepFormState): boolean {
  return isLoopback(new URL(server.issuer).hostname) && needsSecretOf === undefined &&
    redirectUris.every((redirectUri) => redirectUri === callbackUri(server));
}

/** A result, with the step that its request belongs to. */
type StepResult = SentResult & StepProps["exchanges"][number];

/** Runs one step and renders its outcome. */
async function runStep(context: Context<HostedServer>, params: Params): Promise<HttpResponse> {
  const { server } = context;
  const site: Site = context.site;
  const { step, state: before } = await readState(context, params);
  const { arrived, client } = before;
  const isEdited = step === "edit";
  const sender = isEdited
    ? { ...client, redirectUri: params.get("redirect_uri") ?? "", verifier: params.get("code_verifier") }
    : client;
  const results = await runRequests(context, step, sender);
  const result = results.findLast((item) => item.step === step)!;
  const outcome = stepOutcome(step, result);
  const response = outcome === "done" ? result.json : {};
  const tokens = responseTokens(response);
  const after: StepState = {
    arrived,
    client: { ...client, ...tokens },
    past: [...before.past, { step, done: outcome === "done" }].slice(-maxPastSteps),
    codeUsed: before.codeUsed || tokens.accessToken !== undefined || step === "replay",
    grantRevoked: before.grantRevoked || outcome === "done" && step === "revoke" ||
      step === "replay" && results.at(-1)!.step === "userinfo" && results.at(-1)!.status === 401,
  };
  const form = await describeForm(context, after, step);
  const { error_description: description } = outcome === "rejected" ? result.json : {};
  const reason = typeof description === "string" ? description : undefined;
  return htmlWithForms(
    200,
    renderPage(StepPage, {
      ...site,
      flowLink: developerPagesOf(context).flowLinkFor?.([["code", arrived.code]]) ?? site.flowLink,
      step,
      outcome,
      reason,
      fix: fixOf(reason),
      exchanges: results,
      secretsShown: areSecretsShown(server, client.client, form),
      checks: typeof response.id_token !== "string" || step === "refresh" ? [] : await checkResponse(server, arrived),
      tokenChecks: await checkIdToken(context, step, after, response),
      tokens: shownTokens(step, response),
      now: server.now(),
      past: after.past,
      isCodeUsed: after.codeUsed,
      form,
      editable: editableParameters(context, after),
      logoutHref: `${endpointPath(context.app, "logout")}?${new URLSearchParams({ client_id: client.client.id })}`,
    }),
  );
}

async function readState(
  context: Context<HostedServer>,
  params: Params,
): Promise<{ readonly step: FormStep; readonly state: StepState }> {
  const requestedStep = params.get("step");
  const step = allSteps.find((candidate) => candidate === requestedStep);
  const client = await findStepClient(context, params.get("client_id"));
  const code = params.get("code");
  if (step === undefined || client === undefined || code === undefined) {
    throw reject("DM-12", {
      hasStep: step !== undefined,
      hasClient: client !== undefined,
      hasCode: code !== undefined,
    });
  }
  const [state, iss] = [params.get("state"), params.get("iss")];
  const browser = await ensureBrowserCookie(context);
  const flow = await restoreDemoFlow(browser, state);
  const csrfToken = await browserCsrfToken(context, browser);
  const past = (params.get("past") ?? "").split(" ").slice(-maxPastSteps).flatMap((text): PastStep[] => {
    const [name, outcome] = text.split(":");
    const pastStep = allSteps.find((candidate) => candidate === name);
    return pastStep === undefined ? [] : [{ step: pastStep, done: outcome === "done" }];
  });
  const issued = await inspectCode(context.server, code);
  const accessToken = params.get("access_token");
  return {
    step,
    state: {
      arrived: { csrfToken, code, state, iss, flow, issued },
      client: {
        ...{ client, code, accessToken, refreshToken: params.get("refresh_token") },
        verifier: params.get("pkce") === "S256" ? flow?.verifier : undefined,
        typedSecret: params.get("client_secret"),
        proofKey: await proofKeyOf(context, client, flow),
      },
      past,
      codeUsed: accessToken !== undefined || issued?.consumedAt !== undefined,
      grantRevoked: params.get("ended") === "yes",
    },
  };
}

/** How a step ended. */
function stepOutcome(step: FormStep, { status, json }: SentResult): StepProps["outcome"] {
  if (status === undefined) return "dropped";
  return status !== 200 || step === "introspect" && json.active !== true ? "rejected" : "done";
}

/**
 * Sends the requests of a step. The second request of a step is always userinfo, which shows the effect of the step.
 */
async function runRequests(context: Context<HostedServer>, step: FormStep, state: ClientState): Promise<StepResult[]> {
  const results: StepResult[] = [];
  const run = async (createRequest: RequestFactory, name: FormStep, nonce?: string) => {
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

/** The tokens of a token response; without a new refresh token the client keeps the old one. */
function responseTokens(
  { access_token, refresh_token }: SentResult["json"],
): Pick<ClientState, "accessToken" | "refreshToken"> {
  return {
    ...typeof access_token === "string" && { accessToken: access_token },
    ...typeof refresh_token === "string" && { refreshToken: refresh_token },
  };
}

/** The tokens to decode, without the ID token of a refresh, which repeats the first one. */
function shownTokens(
  step: FormStep,
  { id_token, access_token }: SentResult["json"],
): StepProps["tokens"] {
  return [
    ...typeof id_token === "string" && step !== "refresh" ? [{ name: "ID token", token: id_token }] : [],
    ...typeof access_token === "string" ? [{ name: "Access token", token: access_token }] : [],
  ];
}

/** The checks of the ID token in a token response, as the page `/tokens` makes them, with the published keys. */
async function checkIdToken(
  context: Context<HostedServer>,
  step: FormStep,
  { arrived, client: { client } }: StepState,
  { id_token: token, access_token: accessToken }: SentResult["json"],
): Promise<TokenCheck[]> {
  if (typeof token !== "string") return [];
  const path = endpointPath(context.app, "jwks");
  const published = await send(context, { method: "GET", path, headers: {}, secrets: [] });
  const keys = readKeys(JSON.stringify(published.json));
  const { checks, signature } = await checkToken(context.server, { token }, {
    kind: "id_token",
    keys: { keys: keys ?? [], owner: "this server" },
    clientId: client.id,
    nonce: arrived.flow?.nonce,
    accessToken: typeof accessToken === "string" ? accessToken : undefined,
  });
  const verified = keys === undefined
    ? { passed: undefined, note: "The published keys could not be fetched." }
    : { passed: signature?.passed === true, note: undefined };
  return checks.map((check) => check === signature ? { ...check, ...verified } : check)
    // A refreshed token need not repeat the nonce of the login (OpenID Connect Core §12.2).
    .filter(({ title }) => step !== "refresh" || !title.startsWith("nonce "));
}

/** The target of the buttons of `/authorized`; opened by hand, it leads back there. */
export const stepEndpoint: Handlers<HostedServer> = {
  async GET(context) {
    await assertCallbackPage(context);
    return redirect("GET", `${context.site.base}/authorized`);
  },
  async POST(context) {
    await assertCallbackPage(context);
    // The page sends no referrer even to this server, because its URL contains the code.
    return await runStep(context, await readProtectedForm(context, true));
  },
};
