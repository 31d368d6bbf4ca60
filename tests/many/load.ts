/** Whole flows, one after the other, at whichever instance is next; and the account of what became of them. */

import { delay, until } from "./machines.ts";
import { asApi, authorization, redemption, renewal, type Sent } from "./requests.ts";
import type { Instance } from "./team.ts";

/** An answer, as a client understands it. */
type Answer =
  | { readonly kind: "done"; readonly body: Record<string, unknown>; readonly location: string | null }
  | { readonly kind: "refused"; readonly error: string }
  /** No or 5xx: it may have happened or not. */
  | { readonly kind: "unknown" };

/** A refresh token that was received. */
interface Refresh {
  readonly token: string;
  /** How often it was exchanged for another one. */
  redeemed: number;
  /** Somebody tried, and knows of no answer. */
  uncertain: boolean;
}

/** A flow, as the client that went through it remembers it. */
interface Flow {
  readonly verifier: string;
  readonly code: string;
  codeRedeemed: number;
  codeUncertain: boolean;
  /** Received, newest last. */
  readonly access: string[];
  readonly refresh: Refresh[];
  /** A code or token of it was used twice, and the second one was told so: all of it has ended. */
  ended: boolean;
  /** It was used twice, and one of the two knows of no answer: it has ended or not. */
  perhapsEnded: boolean;
}

/** What the load generator was told, and what it found out afterwards. */
export interface Account {
  /** Codes and tokens that clients were given. */
  readonly acknowledged: number;
  /** Flows that got to their tokens. */
  readonly flows: number;
  /** Answers that said no politely: 503 or 500, in JSON or by redirect. */
  readonly refused: number;
  /** Connections that broke or were refused. */
  readonly broken: number;
  /** What was acknowledged and is not so: one sentence each. */
  readonly lost: readonly string[];
  /** What was redeemed twice, or lives on although it has ended: one sentence each. */
  readonly twice: readonly string[];
  /** Answers that were no answer of an authorization server: one sentence each. */
  readonly impolite: readonly string[];
  /** Milliseconds between two answers with tokens, at the most. */
  readonly outage: number;
  /** Milliseconds that an answer took, at the most. */
  readonly slowest: number;
}

/** How the load is to be. */
export interface LoadOptions {
  /** Flows at the same time. Default 6. */
  readonly workers?: number;
  /** Whether a token request whose answer was lost is sent again, as a patient client does. Default: false. */
  readonly patient?: boolean;
}

/** Whether two refreshes got the same next token: then the second was a repetition of the first, which may be allowed. */
function isSame(one: Answer, other: Answer): boolean {
  return one.kind === "done" && other.kind === "done" && one.body.refresh_token === other.body.refresh_token;
}

/** Of so many flows one uses its code twice at the same time, and one its refresh token. */
const each = 6;

/** Puts load on the instances while something happens, then accounts for every flow, and prints the sum. */
export async function account(
  title: string,
  instances: readonly Instance[],
  happening: () => Promise<void>,
  { workers = 6, patient = false }: LoadOptions = {},
): Promise<Account> {
  const flows: Flow[] = [];
  const lost: string[] = [];
  const doubled: string[] = [];
  const impolite: string[] = [];
  let [turn, acknowledged, refused, broken, outage, slowest] = [0, 0, 0, 0, 0, 0];
  let lastIssued = performance.now();
  let going = true;

  /** Asks whichever instance is next. */
  async function ask({ path, init }: Sent): Promise<Answer> {
    const instance = instances[turn++ % instances.length]!;
    const begun = performance.now();
    const complain = (what: string) =>
      impolite.push(`${path.split("?")[0]}: ${what.slice(0, 200)} (${instance.runtime})`);
    let response: Response;
    let text: string;
    try {
      response = await fetch(instance.url + path, { redirect: "manual", signal: AbortSignal.timeout(10_000), ...init });
      text = await response.text();
    } catch (error) {
      if ((error as Error).name === "TimeoutError") complain("no answer in 10 s");
      broken++;
      return { kind: "unknown" };
    } finally {
      if (going) slowest = Math.max(slowest, performance.now() - begun);
    }
    const location = response.headers.get("location");
    const sent = location === null ? null : new URL(location).searchParams;
    const body = location === null && text.startsWith("{") ? JSON.parse(text) : {};
    const error = sent?.get("error") ?? body.error;
    if (response.status >= 500 || error === "temporarily_unavailable" || error === "server_error") {
      refused++;
      const polite = typeof error === "string" && (response.status !== 503 || response.headers.has("retry-after"));
      if (!polite) complain(`${response.status} ${text}`);
      return { kind: "unknown" };
    }
    if (error !== undefined) return { kind: "refused", error };
    if (response.status >= 400) complain(`${response.status} ${text}`);
    return { kind: "done", body, location };
  }

  const redeem = (flow: Flow) => ask(redemption(flow));
  const renew = (token: string) => ask(renewal(token));

  /** Whether a token is good, from the first instance that can say so. */
  async function isActive(token: string): Promise<boolean | undefined> {
    const answer = await ask(asApi("/oauth2/introspect", { token }));
    return answer.kind === "done" ? answer.body.active === true : undefined;
  }

  function receive(flow: Flow, answer: Answer): void {
    if (answer.kind !== "done") return;
    const now = performance.now();
    outage = Math.max(outage, now - lastIssued);
    lastIssued = now;
    acknowledged += 2;
    flow.access.push(String(answer.body.access_token));
    flow.refresh.push({ token: String(answer.body.refresh_token), redeemed: 0, uncertain: false });
  }

  /** Uses something, once or twice at the same time. */
  async function use(flow: Flow, both: boolean, what: string, send: () => Promise<Answer>): Promise<Answer[]> {
    const answers = await Promise.all(both ? [send(), send()] : [send()]);
    const count = (wanted: Answer["kind"]) => answers.filter(({ kind }) => kind === wanted).length;
    if (count("done") === 2 && !isSame(answers[0]!, answers[1]!)) doubled.push(`${what} was redeemed twice at once`);
    if (count("refused") === answers.length) lost.push(`${what} was refused: ${JSON.stringify(answers[0])}`);
    if (both && count("refused") > 0) flow.ended = true;
    else if (both && count("unknown") > 0) flow.perhapsEnded = true;
    return answers;
  }

  async function run(both: boolean): Promise<void> {
    const { verifier, ...request } = authorization();
    const answer = await ask(request);
    const code = answer.kind === "done" && answer.location && new URL(answer.location).searchParams.get("code");
    if (!code) return;
    acknowledged++;
    const flow: Flow = {
      verifier,
      code,
      codeRedeemed: 0,
      codeUncertain: false,
      access: [],
      refresh: [],
      ended: false,
      perhapsEnded: false,
    };
    flows.push(flow);
    const exchanged = await use(flow, both, "a code", () => redeem(flow));
    for (const one of exchanged) {
      if (one.kind === "unknown") flow.codeUncertain = true;
      if (one.kind === "done") flow.codeRedeemed++;
      receive(flow, one);
    }
    if (flow.refresh.length === 0 || both) return;
    if (await isActive(flow.access[0]!) === false) lost.push("an access token was inactive right after it was issued");
    const refresh = flow.refresh[0]!;
    const twiceNow = flows.length % each === 1;
    let renewed = await use(flow, twiceNow, "a refresh token", () => renew(refresh.token));
    if (patient && renewed.every(({ kind }) => kind === "unknown")) {
      // The same token again, until there is an answer: within the grace it is the same one that follows.
      for (let i = 0; i < 60 && renewed[0]!.kind === "unknown"; i++) {
        await delay(100);
        renewed = [await renew(refresh.token)];
      }
      if (renewed[0]!.kind === "refused") lost.push("a refresh whose answer was lost could not be repeated");
    }
    for (const one of renewed) {
      if (one.kind === "unknown") refresh.uncertain = true;
      if (one.kind === "done") refresh.redeemed++;
      receive(flow, one);
    }
    if (!twiceNow) await isActive(flow.access.at(-1)!);
  }

  async function work(i: number): Promise<void> {
    for (let n = i; going; n++) {
      await run(n % each === 0);
      await delay(10);
    }
  }

  const working = Array.from({ length: workers }, (_, i) => work(i));
  try {
    await happening();
  } finally {
    outage = Math.max(outage, performance.now() - lastIssued);
    going = false;
    await Promise.all(working);
  }

  /** Asks until there is an answer that means something. */
  async function surely<T>(send: () => Promise<T>, isAnswer: (answer: T) => boolean): Promise<T> {
    let answer: T;
    await until("every question about a token is answered", async () => isAnswer(answer = await send()), 10_000);
    return answer!;
  }
  const definite = ({ kind }: Answer) => kind !== "unknown";
  const active = (token: string) => surely(() => isActive(token), (answer) => answer !== undefined);

  /** Uses once what may be used once, then again what must not be. */
  async function settle(what: string, mayWork: boolean, mustWork: boolean, send: () => Promise<Answer>): Promise<void> {
    const first = await surely(send, definite);
    if (first.kind === "done" && !mayWork) doubled.push(`${what} was redeemed a second time`);
    if (first.kind === "refused" && mustWork) lost.push(`${what} was refused: ${first.error}`);
    if (first.kind !== "done") return;
    const second = await surely(send, definite);
    if (second.kind === "done" && !isSame(first, second)) doubled.push(`${what} was redeemed a second time, later`);
  }

  const left = [...flows];
  await Promise.all(Array.from({ length: 12 }, async () => {
    for (let flow = left.pop(); flow !== undefined; flow = left.pop()) {
      const sure = !flow.ended && !flow.perhapsEnded;
      const newest = flow.refresh.at(-1);
      for (const token of flow.access) {
        const isGood = await active(token);
        if (sure && !isGood) lost.push("an access token is inactive");
        if (flow.ended && isGood) doubled.push("an access token is active although its grant has ended");
      }
      if (newest !== undefined) {
        const mayWork = newest.redeemed === 0 && !flow.ended;
        await settle("a refresh token", mayWork, mayWork && sure && !newest.uncertain, () => renew(newest.token));
      }
      const mayWork = flow.codeRedeemed === 0 && !flow.ended;
      await settle("a code", mayWork, mayWork && sure && !flow.codeUncertain, () => redeem(flow));
    }
  }));

  const sum: Account = {
    acknowledged,
    flows: flows.filter(({ access }) => access.length > 0).length,
    refused,
    broken,
    lost,
    twice: doubled,
    impolite,
    outage: Math.round(outage),
    slowest: Math.round(slowest),
  };
  console.log(
    `${title}: ${sum.flows} flows, ${acknowledged} codes and tokens acknowledged, ${refused} polite refusals, ${broken} ` +
      `broken connections; lost ${lost.length}, twice ${doubled.length}; longest outage ${sum.outage} ms, slowest answer ` +
      `${sum.slowest} ms`,
  );
  return sum;
}
