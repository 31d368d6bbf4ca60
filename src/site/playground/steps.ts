/** The steps of a trial: what is sent, what the answer is worth, and what makes sense next. */

import type { Incoming, Reply } from "../../http/message.ts";
import { htmlWithForms } from "../../http/responses.ts";
import type { Peer } from "../../http/router.ts";
import { describeCode } from "../../oauth/authorize/authorization_request.ts";
import type { IssuedCode } from "../../oauth/authorize/authorization_request.ts";
import type { Client } from "../../oauth/clients/repository.ts";
import { OAuthError } from "../../oauth/errors.ts";
import type { Params } from "../../oauth/params.ts";
import { digest } from "../../oauth/secrets.ts";
import { secondsNow } from "../../oauth/server.ts";
import { checkIdToken } from "../../oauth/tokens/validation.ts";
import { recogniseBrowser } from "../../app/browser_cookie.ts";
import { callbackUri, demoClientsOf, recallFlow, startLinks } from "../demo_client.ts";
import type { Browser } from "../../app/browser_cookie.ts";
import type { DemoFlow } from "../demo_client.ts";
import { editToken } from "../../app/csrf.ts";
import type { Desk } from "../../app/endpoint.ts";
import type { AuthorizedProps, Check, PastStep, TrialForm, TrialProps, TrialStep } from "../../app/pages.ts";
import { checkAnswer } from "../round_trip.ts";
import { canBePlayed, hasPublicSecret, onTheWire, requestsOf, send, tokenRequest } from "./requests.ts";
import type { Hand, Tried } from "./requests.ts";

/** In the order in which they are best tried once there are tokens. */
const withTokens: readonly TrialStep[] = ["userinfo", "introspect", "refresh", "replay", "revoke"];
const known: readonly TrialStep[] = ["exchange", "wrong_verifier", ...withTokens];

/** What the redirect brought, as the page carries it on. */
interface Landing {
  readonly code: string;
  readonly state?: string;
  readonly iss?: string;
}

/** The token request that the callback page proposes; `undefined` where the code is none that it may be sent for. */
export async function propose(
  desk: Desk,
  browser: Browser,
  landing: Landing,
  flow: DemoFlow | undefined,
  issued: IssuedCode | undefined,
): Promise<AuthorizedProps["proposal"]> {
  if (issued?.redirectUri !== callbackUri(desk.server)) return undefined;
  const client = findPlayable(desk, issued.clientId);
  // Without the verifier, only whoever drew it can send the request.
  if (client === undefined || issued.challenge !== undefined && flow === undefined) return undefined;
  const hand: Hand = { client, code: landing.code, verifier: issued.challenge && flow?.verifier };
  const request = await tokenRequest(desk, hand);
  return {
    request: onTheWire(desk, request),
    secrets: request.secrets,
    form: await formFor(desk, browser, landing, hand, stepsBefore(hand, issued.spentAt !== undefined), false),
  };
}

/** A client whose redirect URI is this server's page, and which can be played from there. */
function findPlayable(desk: Desk, id: string | undefined): Client | undefined {
  return demoClientsOf(desk).find((client) => client.id === id && canBePlayed(client));
}

async function formFor(
  desk: Desk,
  browser: Browser,
  { code, state, iss }: Landing,
  { client, verifier, accessToken, refreshToken }: Hand,
  steps: readonly TrialStep[],
  ended: boolean,
): Promise<TrialForm> {
  const fields: (readonly [string, string | undefined])[] = [
    ["form_token", await editToken(desk, browser)],
    ["client_id", client.id],
    ["code", code],
    ["state", state],
    ["iss", iss],
    ["pkce", verifier && "S256"],
    ["access_token", accessToken],
    ["refresh_token", refreshToken],
    ["ended", ended ? "yes" : undefined],
  ];
  const asks = client.confidential && !await hasPublicSecret(client);
  return {
    fields: fields.filter((field): field is [string, string] => field[1] !== undefined),
    asksSecretOf: asks ? client.id : undefined,
    steps,
    ended,
  };
}

/** Tries one step, and draws what it came to. */
export async function answerTrial(desk: Desk, request: Incoming, params: Params, peer: Peer): Promise<Reply> {
  const { server, site } = desk;
  const browser = await recogniseBrowser(desk, request);
  const { step, landing, client } = readTrial(desk, params);
  const flow = await recallFlow(browser, landing.state);
  const hand: Hand = {
    client,
    code: landing.code,
    verifier: params.get("pkce") === "S256" ? flow?.verifier : undefined,
    typedSecret: params.get("client_secret"),
    accessToken: params.get("access_token"),
    refreshToken: params.get("refresh_token"),
  };
  const at = server.now();
  const tried: Tried[] = [];
  for (const one of await requestsOf(desk, step, hand)) tried.push(await send(desk, one, peer));
  // Whatever follows a step looks at what it changed.
  const sent = tried.map((_, i): TrialStep => i === 0 ? step : "userinfo");
  const remembered = shorten([
    ...readPast(params.all("past"), params.all("past_text")),
    ...tried.map((one, i) => remember(sent[i]!, at, one, landing.code)),
  ]);

  const [first] = tried as [Tried];
  const outcome = judge(step, first);
  const brought = outcome === "done" ? first.json : {};
  const now = { ...hand, ...tokensIn(brought) };
  const ended = params.get("ended") === "yes" || outcome === "done" && step === "revoke" || tried[1]?.status === 401;
  const props: TrialProps = {
    ...site,
    trail: desk.trailTo([["code", landing.code]]) ?? site.trail,
    step,
    outcome,
    exchanges: tried.map(({ exchange }, i) => ({ ...exchange, step: sent[i]! })),
    checks: await checkAll(desk, step, landing, flow, client, brought, peer),
    tokens: tokensShown(step, brought),
    now: server.now(),
    past: remembered.slice(0, -tried.length),
    latest: remembered.slice(-tried.length),
    form: await formFor(desk, browser, landing, now, stepsAfter(step, now, ended), ended),
    startLinks: await startLinks(desk, browser),
  };
  const pages = await desk.pages();
  return htmlWithForms(200, pages.trial(props));
}

function readTrial(desk: Desk, params: Params): { step: TrialStep; landing: Landing; client: Client } {
  const wanted = params.get("step");
  const step = known.find((one) => one === wanted);
  const client = findPlayable(desk, params.get("client_id"));
  const code = params.get("code");
  if (step !== undefined && client !== undefined && code !== undefined) {
    return { step, client, landing: { code, state: params.get("state"), iss: params.get("iss") } };
  }
  throw new OAuthError("invalid_request", "there is nothing that could be tried with this form", {
    rule: "DM-12",
    expected: "a step of the callback page, its code, and a client whose redirect URI is that page",
    received: [
      ...step === undefined ? ["no such step"] : [],
      ...client === undefined ? ["no such client"] : [],
      ...code === undefined ? ["no code"] : [],
    ].join(", "),
  });
}

function judge(step: TrialStep, { status, json }: Tried): TrialProps["outcome"] {
  if (status === undefined) return "lost";
  return status !== 200 || step === "introspect" && json.active !== true ? "refused" : "done";
}

/** The tokens of an answer that holds some; a client keeps its refresh token where it gets no new one. */
function tokensIn({ access_token, refresh_token }: Tried["json"]): Pick<Hand, "accessToken" | "refreshToken"> {
  return {
    ...typeof access_token === "string" && { accessToken: access_token },
    ...typeof refresh_token === "string" && { refreshToken: refresh_token },
  };
}

/** What is taken apart: a refreshed id token says what the first one said. */
function tokensShown(step: TrialStep, { id_token, access_token }: Tried["json"]): TrialProps["tokens"] {
  return [
    ...typeof id_token === "string" && step !== "refresh" ? [{ name: "ID token", token: id_token }] : [],
    ...typeof access_token === "string" ? [{ name: "Access token", token: access_token }] : [],
  ];
}

/** What a client checks when an id token comes: with a code the redirect and the proof, and always the token. */
async function checkAll(
  desk: Desk,
  step: TrialStep,
  landing: Landing,
  flow: DemoFlow | undefined,
  client: Client,
  { id_token: token, access_token: accessToken }: Tried["json"],
  peer: Peer,
): Promise<Check[]> {
  const { server } = desk;
  if (typeof token !== "string") return [];
  const keys = await send(desk, { method: "GET", path: "/oauth2/jwks", headers: [], secrets: [] }, peer);
  const ofToken = await checkIdToken(token, {
    jwks: keys.json,
    issuer: server.issuer,
    clientId: client.id,
    nonce: flow?.nonce,
    accessToken: typeof accessToken === "string" ? accessToken : undefined,
    now: secondsNow(server),
  });
  // A refreshed token need not repeat the nonce of the login (OpenID Connect Core §12.2).
  if (step === "refresh") return ofToken.filter(({ name }) => name !== "nonce");
  return [
    ...checkAnswer(server.issuer, landing.state, landing.iss, flow),
    await checkProof(desk, landing, flow),
    ...ofToken,
  ];
}

/** Whether the verifier belongs to the challenge that the server kept with the code. */
async function checkProof({ server }: Desk, { code }: Landing, flow: DemoFlow | undefined): Promise<Check> {
  const kept = (await describeCode(server, code))?.challenge;
  if (kept === undefined || flow === undefined) return { name: "pkce" };
  const received = await digest(flow.verifier);
  const holds = received === kept;
  return { name: "pkce", holds, expected: holds ? received : "another challenge", received };
}

/** What makes sense while there are no tokens. */
function stepsBefore({ verifier }: Pick<Hand, "verifier">, spent: boolean): TrialStep[] {
  if (spent) return ["replay"];
  return verifier === undefined ? ["exchange"] : ["exchange", "wrong_verifier"];
}

/** What makes sense after a step: what was not tried a moment ago, in the order of the list, beginning behind it. */
function stepsAfter(step: TrialStep, { accessToken, refreshToken, verifier }: Hand, ended: boolean): TrialStep[] {
  if (accessToken === undefined) return stepsBefore({ verifier }, step === "replay");
  const from = withTokens.indexOf(step) + 1;
  return [...withTokens.slice(from), ...withTokens.slice(0, from)].filter((next) =>
    next !== step && !(next === "refresh" && refreshToken === undefined) && !(next === "revoke" && ended)
  );
}

/** Everything but the secrets, and the code, which stands on the page often enough. */
function remember(step: TrialStep, at: number, tried: Tried, code: string): PastStep {
  const { exchange: { request, response, secrets }, status, json } = tried;
  const text = [request, response].flatMap((message) =>
    message === undefined ? [] : [message.body === undefined ? message.start : `${message.start}\n\n${message.body}`]
  ).join("\n\n");
  const said = status === 200 ? "inactive" : String(json.error ?? "");
  return {
    step,
    at,
    status,
    ...judge(step, tried) === "refused" && errorCode.test(said) && { error: said },
    text: [...secrets.map(({ value }) => value), code].filter((value) => value !== "")
      .reduce((veiled, value) => veiled.replaceAll(value, "…"), text),
  };
}

const errorCode = /^\w{1,40}$/;

/** The most steps that a page carries on, and the most text of them, in characters. */
const pastLimit = { steps: 12, text: 2200 };

/** Lets go of what is oldest: of the text first. */
function shorten(past: readonly PastStep[]): PastStep[] {
  let left = pastLimit.text;
  return past.slice(-pastLimit.steps).reverse()
    .map((step) => (left -= step.text.length) < 0 ? { ...step, text: "" } : step)
    .reverse();
}

/** What the page carried on, facts and text apart; what somebody else wrote into the fields is left out. */
function readPast(facts: readonly string[], texts: readonly string[]): PastStep[] {
  return shorten(facts.flatMap((line, i) => {
    const [, name, at, status, error] = /^(\w+) (\d{1,15}) (\d{1,3})(?: (\w{1,40}))?$/.exec(line) ?? [];
    const step = known.find((one) => one === name);
    if (step === undefined) return [];
    // Browsers send every line end in a form as CR LF.
    const text = (texts[i] ?? "").replaceAll("\r\n", "\n");
    return [{ step, at: Number(at), status: Number(status) || undefined, ...error !== undefined && { error }, text }];
  }));
}
