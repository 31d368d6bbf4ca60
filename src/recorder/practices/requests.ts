/** Requests of every kind: their form, repetitions after failures, and the transport. */

import type { Exchange } from "../exchange.ts";
import { type Evidence, examineEach, type PracticeCheck, type PracticeDefinition, toEvidence } from "./practice.ts";
import { isPlainName, membersOf, overlaps, parametersOf, textOf, type Traffic } from "./traffic.ts";

/** The endpoints that take a form of the client. */
const formEndpoints = ["token", "par", "revoke", "introspect", "device_authorization"];

/** The endpoints whose parameters come from the client, directly or through the browser. */
const parameterEndpoints = [...formEndpoints, "authorize", "logout", "userinfo"];

/** Parameters that a request may repeat (RFC 8707 §2, RFC 8693 §2.1). */
const repeatableParameters = ["resource", "audience"];

/** Texts that a program sends by mistake instead of a missing value. */
const absentValues = ["undefined", "null", "NaN", "[object Object]"];

/** The maximum number of repetitions of a request that failed. */
const maxRetries = 3;

/** Statuses of the client's own errors after which a repetition can succeed. */
const retryableStatuses = [408, 425, 429];

/** Errors that ask for a repetition (RFC 9449 §8, RFC 8628 §3.5). */
const repeatingErrors = ["use_dpop_nonce", "authorization_pending", "slow_down"];

function parameterProblem(exchange: Exchange): { readonly parameter?: string; readonly because: string } | undefined {
  const names = new Set<string>();
  for (const [name, value] of parametersOf(exchange)) {
    if (name === "interaction") continue;
    // A body that is not a form is read as one unusual name, which contains the secrets of the body.
    const isPlain = isPlainName(name);
    const shown = isPlain ? name : "a parameter with an unusual name";
    const finding = (because: string) => ({ ...isPlain && { parameter: name }, because });
    if (names.has(name) && !repeatableParameters.includes(name)) return finding(`the request has ${shown} twice`);
    names.add(name);
    if (value === "") return finding(`${shown} is empty`);
    if (absentValues.includes(value)) return finding(`${shown} is the text ${value}`);
  }
  return undefined;
}

function formProblem({ endpoint, request: { method, headers } }: Exchange): string | undefined {
  if (method !== "POST") return `the request to ${endpoint} is a ${method}`;
  const type = headers["content-type"] ?? "absent";
  if (!/^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i.test(type)) return `the content type is ${showTypes(type)}`;
  const { accept = "*/*" } = headers;
  return /json|\*\/\*|application\/\*/i.test(accept) ? undefined : `the client accepts only ${showTypes(accept)}`;
}

/** A header of media types; not shown if it is long or has other characters, because it is text of the client. */
function showTypes(header: string): string {
  return /^[\w.+*\/;=, \-]{1,100}$/.test(header) ? header : "malformed or long";
}

export const requestPractices: readonly PracticeDefinition[] = [
  {
    id: "http-well-formed",
    title: "The client posts forms as application/x-www-form-urlencoded and accepts JSON.",
    level: "required",
    sources: ["RFC 6749 §3.2, App. B"],
    occasion: "a token, revocation or pushed authorization request",
    check: ({ requests }) =>
      examineEach(requests.filter(({ exchange: { endpoint } }) => formEndpoints.includes(endpoint)), ({ exchange }) => {
        const because = formProblem(exchange);
        return because === undefined ? undefined : { because };
      }),
  },
  {
    id: "parameters-clean",
    title: "The client sends each parameter once, and never with an empty value or the text undefined or null.",
    level: "required",
    sources: ["RFC 6749 §3.1, §3.2"],
    occasion: "a request with parameters",
    check: ({ exchanges }) =>
      examineEach(
        exchanges.filter((exchange) =>
          parameterEndpoints.includes(exchange.endpoint) && parametersOf(exchange).length > 0
        ).map((exchange) => ({ exchange })),
        ({ exchange }) => parameterProblem(exchange),
      ),
  },
  {
    id: "retry-measured",
    title:
      "The client repeats a failed request at most three times, with growing delays, and not after a 4xx error of its own.",
    level: "recommended",
    sources: ["RFC 9110 §10.2.3", "RFC 6585 §4"],
    occasion: "a request that failed",
    check: checkRetries,
  },
];

/** Whether the client is at fault, so that the same request cannot succeed. */
function isOwnError({ response, caller }: Exchange): boolean {
  const status = response?.status ?? 0;
  // A rejected access token is a matter of `dead-token-dropped`.
  return caller === "client" && status >= 400 && status < 500 && !retryableStatuses.includes(status);
}

function hasFailed(exchange: Exchange): boolean {
  if (repeatingErrors.includes(textOf(membersOf(exchange).error))) return false;
  return exchange.outcome === "dropped" || (exchange.response?.status ?? 0) >= 500 ||
    retryableStatuses.includes(exchange.response?.status ?? 0) || isOwnError(exchange);
}

/** Equal for the repetitions of a request: without what a client creates for each of them. */
function retryKey({ request, endpoint }: Exchange): string {
  const fields = [...request.query, ...request.form].filter(([name]) => name !== "client_assertion");
  return JSON.stringify([endpoint, request.method, request.path, request.headers.authorization, fields]);
}

function checkRetries({ requests, exchanges }: Traffic): PracticeCheck {
  const failed = requests.filter(({ exchange }) => hasFailed(exchange));
  const isClockRunning = exchanges.some(({ at }) => at !== exchanges[0]!.at);
  const chains = new Map<string, Exchange[]>();
  const findings: Evidence[] = [];
  for (const { exchange } of requests) {
    const key = retryKey(exchange);
    const chain = chains.get(key) ?? [];
    const last = chain.at(-1);
    // A request that was sent at the same time repeats nothing.
    if (last === undefined || !hasFailed(last) || overlaps(last, exchange)) {
      chains.set(key, [exchange]);
      continue;
    }
    chain.push(exchange);
    const problem = retryProblem(chain, isClockRunning);
    if (problem !== undefined) findings.push(toEvidence({ exchange }, { because: problem, others: [last] }));
  }
  return { seen: failed.map(({ exchange }) => exchange), findings };
}

/** The defect of the newest attempt of a chain. */
function retryProblem(chain: readonly Exchange[], isClockRunning: boolean): string | undefined {
  const [before, last, newest] = [chain.at(-3), chain.at(-2)!, chain.at(-1)!];
  if (isOwnError(last)) return `the request is repeated after ${last.response!.status}`;
  if (chain.length === maxRetries + 2) return `the request is repeated more than ${maxRetries} times`;
  if (!isClockRunning) return undefined;
  const gap = newest.at - (last.respondedAt ?? last.at);
  const retryAfter = Number(last.response?.headers["retry-after"]);
  if (gap < retryAfter * 1000) {
    return `the request is repeated after ${gap} ms, although Retry-After is ${retryAfter} s`;
  }
  const previousGap = before === undefined ? 0 : last.at - (before.respondedAt ?? before.at);
  // A tenth less may be an effect of the network.
  return gap < previousGap * 0.9 ? `the request is repeated after ${gap} ms, sooner than the time before` : undefined;
}
