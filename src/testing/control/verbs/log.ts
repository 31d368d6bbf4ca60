/** Verbs of the request log. */

import { anyValue, list, object, record, text, whole } from "../../../core/policy/field.ts";
import type { Exchange } from "../../../recorder/exchange.ts";
import { assertEndpointName } from "../../assert_endpoint_name.ts";
import { type JsonPattern, jsonPatternFields, toRequestPattern } from "../../faults/json_pattern.ts";
import { getInternalErrors } from "../../internal_error.ts";
import { type ControlTarget, defineVerb, noInput } from "../verb.ts";
import { timers } from "../../../core/http/timers.ts";

/** Which exchanges to list. */
interface LogQuery {
  /** The name of the endpoint, such as `token`. Default: all endpoints. */
  readonly endpoint?: string;
  /** The `client_id` that the request names. Default: all requests. */
  readonly client?: string;
  /** The list begins after the exchange with this number: `next` of an earlier response. Default: 0. */
  readonly since?: number;
  /** How many exchanges to wait for. Default: 1. */
  readonly count?: number;
  /** Milliseconds to wait until `count` exchanges match, at most 60000. Default: 0. */
  readonly wait?: number;
}

/** The requests and responses so far. */
interface LogResult {
  /** The number of exchanges that match. */
  readonly count: number;
  /** The `since` of the next call. That call repeats exchanges that ended while an older one was still pending. */
  readonly next: number;
  /** The exchanges that have ended, oldest first, with real codes, tokens and secrets. */
  readonly exchanges: readonly Readonly<Record<string, unknown>>[];
}

/** Which exchange to wait for. */
interface NextExchange extends JsonPattern {
  /** The name of the endpoint, such as `token`. */
  readonly endpoint: string;
  /** Milliseconds to wait, at most 60000. Default: 5000. */
  readonly timeoutMs?: number;
}

/** An exchange. */
interface ExchangeResult {
  /** The request, the response, the outcome, the rules that passed, and the rejection. */
  readonly exchange: Readonly<Record<string, unknown>>;
}

const maxWaitMs = 60_000;
const milliseconds = whole(5000, { min: 0, max: maxWaitMs, expected: `a whole number from 0 to ${maxWaitMs}` });
const example = { number: 1, endpoint: "token", client: "web", outcome: "done" };
const exchangeField = record(anyValue, example, "an exchange");

/** An exchange as JSON: internal errors as text, because their causes may be anything. */
function toJson(exchange: Exchange): Readonly<Record<string, unknown>> {
  const { events: _, ...members } = exchange;
  return { ...members, internalErrors: getInternalErrors(exchange) };
}

/** Lists the exchanges again after each change, until enough of them match or the time is over. */
async function listExchanges(
  { app, control: { recorder }, closed }: ControlTarget,
  query: LogQuery,
): Promise<LogResult> {
  const { endpoint, client, since = 0, count = 1, wait = 0 } = query;
  if (endpoint !== undefined) assertEndpointName(app.endpoints, endpoint);
  const list = (): LogResult => {
    const all = recorder.exchanges();
    const ended = all.filter((exchange) =>
      exchange.outcome !== "pending" && exchange.number > since &&
      (endpoint === undefined || exchange.endpoint === endpoint) &&
      (client === undefined || exchange.client === client)
    );
    const pending = all.find(({ outcome }) => outcome === "pending");
    const next = pending === undefined ? all.at(-1)?.number ?? since : pending.number - 1;
    return { count: ended.length, next: Math.max(since, next), exchanges: ended.map(toJson) };
  };
  const immediate = list();
  if (immediate.count >= count || wait === 0 || closed.aborted) return immediate;
  return await new Promise((resolve) => {
    const finish = (result: LogResult) => {
      stopListening();
      timers.clearTimeout(timer);
      closed.removeEventListener("abort", onClose);
      resolve(result);
    };
    const stopListening = recorder.subscribe(() => {
      const result = list();
      if (result.count >= count) finish(result);
    });
    const timer = timers.setTimeout(() => finish(list()), wait);
    const onClose = () => finish(list());
    closed.addEventListener("abort", onClose);
  });
}

/** Lists, awaits and removes exchanges. */
export const logVerbs = [
  defineVerb<LogQuery, LogResult>({
    name: "log.exchanges",
    summary: "Lists requests and responses with their real values; can wait until `count` of them match.",
    reads: true,
    input: object<LogQuery>("LogQuery", {
      endpoint: text(["token"]),
      client: text(["web"]),
      since: whole(0, { min: 0, default: 0, expected: "a whole number of at least 0" }),
      count: whole(1, { min: 1, default: 1, expected: "a whole number of at least 1" }),
      wait: { ...milliseconds, default: 0 },
    }, {}),
    result: object<LogResult>("LogResult", {
      count: whole(1, { expected: "a whole number" }),
      next: whole(1, { expected: "a whole number" }),
      exchanges: list(exchangeField, [[example]]),
    }, { count: 1, next: 1, exchanges: [example] }),
    run: listExchanges,
  }),
  defineVerb<NextExchange, ExchangeResult>({
    name: "log.next",
    summary: "Returns the oldest exchange of an endpoint that no earlier call returned; waits for it if necessary.",
    input: object<NextExchange>(
      "NextExchange",
      {
        endpoint: text(["token"]),
        ...jsonPatternFields,
        timeoutMs: { ...milliseconds, default: 5000 },
      },
      { endpoint: "token", grant_type: "refresh_token" },
      { required: ["endpoint"] },
    ),
    result: object<ExchangeResult>("ExchangeResult", { exchange: exchangeField }, { exchange: example }),
    returns: "exchange",
    async run({ control: { log }, closed }, { endpoint, timeoutMs = 5000, ...pattern }) {
      const until = { timeoutMs, signal: closed };
      return { exchange: toJson(await log.unmasked.next(endpoint, toRequestPattern(pattern), until)) };
    },
  }),
  defineVerb({
    name: "log.clear",
    summary: "Removes all exchanges.",
    ...noInput,
    run: ({ control: { log } }) => log.clear(),
  }),
];
