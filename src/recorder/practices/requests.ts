/** Repetitions of requests that failed. */

import type { Exchange } from "../exchange.ts";
import { combineChecks, type Evidence, type PracticeCheck, type PracticeDefinition, toEvidence } from "./practice.ts";
import { membersOf, overlaps, textOf } from "./traffic.ts";

/** The maximum number of repetitions of a request that failed. */
const maxRetries = 3;

/** Statuses of the client's own errors after which a repetition can succeed. */
const retryableStatuses = [408, 425, 429];

/** Errors that ask for a repetition (RFC 9449 §8, RFC 8628 §3.5). */
const repeatingErrors = ["use_dpop_nonce", "authorization_pending", "slow_down"];

export const requestPractices: readonly PracticeDefinition[] = [
  {
    id: "retry-measured",
    title:
      "The client repeats a failed request at most three times, with growing delays, and not after a 4xx error of its own.",
    level: "recommended",
    sources: ["RFC 9110 §10.2.3", "RFC 6585 §4"],
    occasion: "a request that failed",
    check: ({ exchanges, facts: { failures = [] } }) => combineChecks(...[exchanges, ...failures].map(checkLogin)),
  },
];

/** Whether the client is at fault, so that the same request cannot succeed. */
function isOwnError({ response, caller }: Exchange): boolean {
  const status = response?.status ?? 0;
  // A client may try a rejected access token again.
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

function checkLogin(exchanges: readonly Exchange[]): PracticeCheck {
  const requests = exchanges.filter(({ caller }) => caller !== "browser");
  const isClockRunning = exchanges.some(({ at }) => at !== exchanges[0]!.at);
  const chains = new Map<string, Exchange[]>();
  const findings: Evidence[] = [];
  for (const exchange of requests) {
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
  return { seen: requests.filter(hasFailed), findings };
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
