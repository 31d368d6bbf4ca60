/** Whole flows, one after the other, at whichever instance is next; and the account of what became of them. */

import { delay, waitUntil } from "./processes.ts";
import { apiRequest, authorizationRequest, codeExchange, type RequestData, tokenRefresh } from "./requests.ts";
import type { Instance } from "./instances.ts";

/** A response, as a client reads it. */
type FlowResponse =
  | { readonly kind: "done"; readonly body: Record<string, unknown>; readonly location: string | null }
  | { readonly kind: "rejected"; readonly error: string }
  /** No or 5xx: it may have happened or not. */
  | { readonly kind: "unknown" };

/** A refresh token that was received. */
interface RefreshTokenState {
  readonly token: string;
  /** How often it was exchanged for another one. */
  exchanges: number;
  /** An attempt without a received response. */
  uncertain: boolean;
}

/** A flow, as the client that went through it remembers it. */
interface Flow {
  readonly verifier: string;
  readonly code: string;
  codeExchanges: number;
  codeUncertain: boolean;
  /** Received, newest last. */
  readonly access: string[];
  readonly refresh: RefreshTokenState[];
  /** A code or token of it was used twice, and the second use was rejected: the grant is revoked. */
  revoked: boolean;
  /** It was used twice, and one of the responses was lost: the grant is revoked or not. */
  maybeRevoked: boolean;
}

/** What the load generator received, and found in the audit. */
export interface LoadReport {
  /** Codes and tokens that clients were given. */
  readonly acknowledged: number;
  /** Flows that got to their tokens. */
  readonly flows: number;
  /** Rejections: 503 or 500, in JSON or by redirect. */
  readonly unavailable: number;
  /** Broken or rejected connections. */
  readonly broken: number;
  /** What was acknowledged and is not so: one sentence each. */
  readonly lost: readonly string[];
  /** What was exchanged twice, or lives on although it has ended: one sentence each. */
  readonly doubleExchanges: readonly string[];
  /** Invalid responses, one sentence each. */
  readonly malformed: readonly string[];
  /** Maximum of milliseconds between two responses with tokens. */
  readonly longestOutageMs: number;
  /** Maximum of milliseconds of a response. */
  readonly slowestResponseMs: number;
}

/** How the load is to be. */
export interface LoadOptions {
  /** Flows at the same time. Default 6. */
  readonly workers?: number;
  /** Whether a token request with a lost response is repeated. Default: false. */
  readonly patient?: boolean;
}

/** The load while something happens. */
export interface Load {
  /** Waits until so many further flows have got their tokens. */
  flows(count: number): Promise<void>;
  /** Waits until so many requests since the start got 503, 500 or no response. */
  failures(count: number): Promise<void>;
}

/**
 * Whether two refreshes got the same next token: then the second was a repetition of the first, which may be allowed.
 */
function isSame(one: FlowResponse, other: FlowResponse): boolean {
  return one.kind === "done" && other.kind === "done" && one.body.refresh_token === other.body.refresh_token;
}

/** Of so many flows one uses its code twice at the same time, and one its refresh token. */
const repeatEvery = 6;

/** Puts load on the instances while something happens, then accounts for every flow, and prints the sum. */
export async function runLoad(
  title: string,
  instances: readonly Instance[],
  disrupt: (load: Load) => Promise<void>,
  { workers = 6, patient = false }: LoadOptions = {},
): Promise<LoadReport> {
  const flows: Flow[] = [];
  const lost: string[] = [];
  const doubleExchanges: string[] = [];
  const malformed: string[] = [];
  let [turn, acknowledged, unavailable, broken, longestOutageMs, slowestResponseMs] = [0, 0, 0, 0, 0, 0];
  let lastIssued = performance.now();
  let isRunning = true;

  /** Asks whichever instance is next. */
  async function send({ path, init }: RequestData): Promise<FlowResponse> {
    const instance = instances[turn++ % instances.length]!;
    const begun = performance.now();
    const reportMalformed = (what: string) =>
      malformed.push(`${path.split("?")[0]}: ${what.slice(0, 200)} (${instance.runtime})`);
    let response: Response;
    let text: string;
    try {
      response = await fetch(instance.url + path, { redirect: "manual", signal: AbortSignal.timeout(30_000), ...init });
      text = await response.text();
    } catch (error) {
      if ((error as Error).name === "TimeoutError") reportMalformed("no response in 30 s");
      broken++;
      return { kind: "unknown" };
    } finally {
      if (isRunning) slowestResponseMs = Math.max(slowestResponseMs, performance.now() - begun);
    }
    const location = response.headers.get("location");
    const sent = location === null ? null : new URL(location).searchParams;
    const body = location === null && text.startsWith("{") ? JSON.parse(text) : {};
    const error = sent?.get("error") ?? body.error;
    if (response.status >= 500 || error === "temporarily_unavailable" || error === "server_error") {
      unavailable++;
      const isWellFormed = typeof error === "string" &&
        (response.status !== 503 || response.headers.has("retry-after"));
      if (!isWellFormed) reportMalformed(`${response.status} ${text}`);
      return { kind: "unknown" };
    }
    if (error !== undefined) return { kind: "rejected", error };
    if (response.status >= 400) reportMalformed(`${response.status} ${text}`);
    return { kind: "done", body, location };
  }

  const exchangeCode = (flow: Flow) => send(codeExchange(flow));
  const sendRefresh = (token: string) => send(tokenRefresh(token));

  /** Whether a token is good, from the first instance that can say so. */
  async function isActive(token: string): Promise<boolean | undefined> {
    const response = await send(apiRequest("/oauth2/introspect", { token }));
    return response.kind === "done" ? response.body.active === true : undefined;
  }

  function recordTokens(flow: Flow, response: FlowResponse): void {
    if (response.kind !== "done") return;
    const now = performance.now();
    longestOutageMs = Math.max(longestOutageMs, now - lastIssued);
    lastIssued = now;
    acknowledged += 2;
    flow.access.push(String(response.body.access_token));
    flow.refresh.push({ token: String(response.body.refresh_token), exchanges: 0, uncertain: false });
  }

  /** Uses something, once or twice at the same time. */
  async function use(
    flow: Flow,
    concurrently: boolean,
    what: string,
    send: () => Promise<FlowResponse>,
  ): Promise<FlowResponse[]> {
    const responses = await Promise.all(concurrently ? [send(), send()] : [send()]);
    const count = (wanted: FlowResponse["kind"]) => responses.filter(({ kind }) => kind === wanted).length;
    if (count("done") === 2 && !isSame(responses[0]!, responses[1]!)) {
      doubleExchanges.push(`${what} was exchanged twice concurrently`);
    }
    if (count("rejected") === responses.length) lost.push(`${what} was rejected: ${JSON.stringify(responses[0])}`);
    if (concurrently && count("rejected") > 0) flow.revoked = true;
    else if (concurrently && count("unknown") > 0) flow.maybeRevoked = true;
    return responses;
  }

  async function run(concurrently: boolean): Promise<void> {
    const { verifier, ...request } = authorizationRequest();
    const response = await send(request);
    const code = response.kind === "done" && response.location && new URL(response.location).searchParams.get("code");
    if (!code) return;
    acknowledged++;
    const flow: Flow = {
      verifier,
      code,
      codeExchanges: 0,
      codeUncertain: false,
      access: [],
      refresh: [],
      revoked: false,
      maybeRevoked: false,
    };
    flows.push(flow);
    const exchanged = await use(flow, concurrently, "a code", () => exchangeCode(flow));
    for (const one of exchanged) {
      if (one.kind === "unknown") flow.codeUncertain = true;
      if (one.kind === "done") flow.codeExchanges++;
      recordTokens(flow, one);
    }
    if (flow.refresh.length === 0 || concurrently) return;
    if (await isActive(flow.access[0]!) === false) lost.push("an access token was inactive right after it was issued");
    const refresh = flow.refresh[0]!;
    const concurrentRefresh = flows.length % repeatEvery === 1;
    let renewed = await use(flow, concurrentRefresh, "a refresh token", () => sendRefresh(refresh.token));
    if (patient && renewed.every(({ kind }) => kind === "unknown")) {
      // The same token again, until there is a response: within the grace period it is the same response.
      for (let i = 0; i < 60 && renewed[0]!.kind === "unknown"; i++) {
        await delay(100);
        renewed = [await sendRefresh(refresh.token)];
      }
      if (renewed[0]!.kind === "rejected") lost.push("a refresh with a lost response could not be repeated");
    }
    for (const one of renewed) {
      if (one.kind === "unknown") refresh.uncertain = true;
      if (one.kind === "done") refresh.exchanges++;
      recordTokens(flow, one);
    }
    if (!concurrentRefresh) await isActive(flow.access.at(-1)!);
  }

  async function work(i: number): Promise<void> {
    for (let n = i; isRunning; n++) {
      await run(n % repeatEvery === 0);
      await delay(40);
    }
  }

  const withTokens = () => flows.filter(({ access }) => access.length > 0).length;
  const load: Load = {
    flows(count) {
      const enough = withTokens() + count;
      return waitUntil(`${count} further flows have their tokens`, () => Promise.resolve(withTokens() >= enough));
    },
    failures: (count) =>
      waitUntil(`${count} requests have failed`, () => Promise.resolve(unavailable + broken >= count)),
  };
  const working = Array.from({ length: workers }, (_, i) => work(i));
  try {
    await disrupt(load);
  } finally {
    longestOutageMs = Math.max(longestOutageMs, performance.now() - lastIssued);
    isRunning = false;
    await Promise.all(working);
  }

  /** Repeats a request until there is a valid response. */
  async function sendUntilDefinite<T>(send: () => Promise<T>, isResponse: (response: T) => boolean): Promise<T> {
    let response: T;
    await waitUntil(
      "every request about a token gets a response",
      async () => isResponse(response = await send()),
    );
    return response!;
  }
  const isDefinite = ({ kind }: FlowResponse) => kind !== "unknown";
  const requireActive = (token: string) =>
    sendUntilDefinite(() => isActive(token), (response) => response !== undefined);

  /** Uses once what may be used once, then again what must not be. */
  async function verifyExchange(
    what: string,
    mayWork: boolean,
    mustWork: boolean,
    send: () => Promise<FlowResponse>,
  ): Promise<void> {
    const first = await sendUntilDefinite(send, isDefinite);
    if (first.kind === "done" && !mayWork) doubleExchanges.push(`${what} was exchanged a second time`);
    if (first.kind === "rejected" && mustWork) lost.push(`${what} was rejected: ${first.error}`);
    if (first.kind !== "done") return;
    const second = await sendUntilDefinite(send, isDefinite);
    if (second.kind === "done" && !isSame(first, second)) {
      doubleExchanges.push(`${what} was exchanged a second time, later`);
    }
  }

  const remainingFlows = [...flows];
  await Promise.all(Array.from({ length: 12 }, async () => {
    for (let flow = remainingFlows.pop(); flow !== undefined; flow = remainingFlows.pop()) {
      const isCertain = !flow.revoked && !flow.maybeRevoked;
      const newest = flow.refresh.at(-1);
      for (const token of flow.access) {
        const isGood = await requireActive(token);
        if (isCertain && !isGood) lost.push("an access token is inactive");
        if (flow.revoked && isGood) doubleExchanges.push("an access token is active although its grant has ended");
      }
      if (newest !== undefined) {
        const mayWork = newest.exchanges === 0 && !flow.revoked;
        await verifyExchange(
          "a refresh token",
          mayWork,
          mayWork && isCertain && !newest.uncertain,
          () => sendRefresh(newest.token),
        );
      }
      const mayWork = flow.codeExchanges === 0 && !flow.revoked;
      await verifyExchange("a code", mayWork, mayWork && isCertain && !flow.codeUncertain, () => exchangeCode(flow));
    }
  }));

  const report: LoadReport = {
    acknowledged,
    flows: withTokens(),
    unavailable,
    broken,
    lost,
    doubleExchanges,
    malformed,
    longestOutageMs: Math.round(longestOutageMs),
    slowestResponseMs: Math.round(slowestResponseMs),
  };
  console.log(
    `${title}: ${report.flows} flows, ${acknowledged} codes and tokens acknowledged, ${unavailable} rejections, ${broken} ` +
      `broken connections; lost ${lost.length}, twice ${doubleExchanges.length}; longest outage ${report.longestOutageMs} ms, slowest response ` +
      `${report.slowestResponseMs} ms`,
  );
  return report;
}
