/** Expectations of the exchanges of one endpoint. */

import type { RuleId } from "../../core/rules/rule.ts";
import type { Exchange } from "../../recorder/exchange.ts";
import { redactExchanges, redactFields } from "../../recorder/redact.ts";
import { findErrorCode } from "../../recorder/record_response.ts";
import { findParam } from "../../recorder/record_request.ts";
import { summarizeExchange } from "../../recorder/export/text.ts";
import { LogError } from "./log_error.ts";
import { getClientId, matchesPattern, type RequestPattern } from "../faults/rule_builder.ts";
import { getInternalErrors } from "../internal_error.ts";
import type { ClientAuthMethod } from "../../server/config/client_metadata.ts";

/**
 * Expectations that **every** selected exchange must meet; they do not narrow the selection. So `rejected()` fails if
 * one of two requests succeeded, and `succeeded()` if one was rejected: to expect something of one request, select it
 * by the second parameter of `expect`, a pattern or a function. All but `called` also fail if no exchange is selected.
 * Each returns the same object or throws a {@link LogError}, whose message marks the exchanges that do not meet it with
 * `✗`.
 *
 * @example
 * ```ts ignore
 * as.log.expect("token").called(1).by(client).with("client_secret_basic").succeeded();
 * as.log.expect("authorize").withParams({ code_challenge_method: "S256", nonce: /./ });
 * as.log.expect("token", { grant_type: "refresh_token" }).rejected("invalid_grant", "RT-04");
 * ```
 */
export interface Expectation {
  /** The number of calls. Default: at least one. */
  called(times?: number): Expectation;
  /** The client that called. */
  by(client: NonNullable<RequestPattern["client"]>): Expectation;
  /** The client authentication method. */
  with(auth: ClientAuthMethod): Expectation;
  /** Parameters of query or form; `undefined` expects that a parameter was absent. */
  withParams(params: NonNullable<RequestPattern["params"]>): Expectation;
  /** A rule that was checked and passed, by its id. */
  passed(rule: RuleId): Expectation;
  /** No response is an error. */
  succeeded(): Expectation;
  /** Every request was rejected, by default with any error code and by any rule. An error of a fault has no rule. */
  rejected(error?: string, rule?: RuleId): Expectation;
}

/**
 * Creates the expectations of one endpoint.
 *
 * @param selected The selected exchanges.
 * @param all Every exchange, which a failure lists if none is selected.
 */
export function expectation(endpoint: string, selected: readonly Exchange[], all: readonly Exchange[]): Expectation {
  const fail = (
    description: string,
    expected: unknown,
    actual: unknown,
    passes?: (exchange: Exchange) => boolean,
  ): never => {
    throw new LogError(formatFailure(endpoint, description, { selected, all, passes }), expected, actual);
  };

  /** Throws unless every selected exchange passes. */
  function expectEach(
    description: string,
    expected: unknown,
    getActual: (exchange: Exchange) => unknown,
    passes: (exchange: Exchange) => boolean = (exchange) => getActual(exchange) === expected,
  ): Expectation {
    if (selected.length === 0 || !selected.every(passes)) fail(description, expected, selected.map(getActual), passes);
    return self;
  }

  const self: Expectation = {
    called(times) {
      const passes = times === undefined ? selected.length > 0 : selected.length === times;
      const description = times === 0
        ? "not to be called"
        : `to be called ${times === undefined ? "at least once" : formatTimes(times)}`;
      if (!passes) fail(description, times ?? 1, selected.length);
      return self;
    },
    by(client) {
      const id = getClientId(client);
      return expectEach(`to be called by ${id}`, id, (exchange) => exchange.client);
    },
    with: (auth) => expectEach(`to be called with ${auth}`, auth, (exchange) => exchange.auth),
    withParams(params) {
      for (const [name, description] of Object.entries(params)) {
        const value = description instanceof RegExp ? String(description) : redactValue(all[0], name, description);
        expectEach(
          description === undefined ? `to be called without ${name}` : `to be called with ${name}=${value}`,
          value,
          (exchange) => redactValue(exchange, name, findParam(exchange.request, name)),
          (exchange) => matchesExchange(exchange, { params: { [name]: description } }),
        );
      }
      return self;
    },
    passed: (rule) =>
      expectEach(
        `to pass ${rule}`,
        rule,
        ({ passed }) => passed.map((check) => check.rule),
        ({ passed }) => passed.some((check) => check.rule === rule),
      ),
    succeeded: () =>
      expectEach(
        "to succeed",
        "done",
        ({ outcome }) => outcome,
        ({ outcome }) => outcome === "done" || outcome === "interaction",
      ),
    rejected(error, rule) {
      const description = [
        "to be rejected",
        ...error === undefined ? [] : [`with ${error}`],
        ...rule === undefined ? [] : [`by ${rule}`],
      ];
      return expectEach(
        description.join(" "),
        [error ?? "an error", ...rule === undefined ? [] : [rule]].join(" "),
        (exchange) =>
          [getErrorCode(exchange) ?? exchange.outcome, exchange.rejection?.explanation.rule].filter((part) =>
            part !== undefined
          ).join(" "),
        (exchange) =>
          exchange.outcome === "rejected" && (error === undefined || getErrorCode(exchange) === error) &&
          (rule === undefined || exchange.rejection?.explanation.rule === rule),
      );
    },
  };
  return self;
}

/** The code that the client received, which may be the one of a fault. */
function getErrorCode({ response, rejection }: Exchange): string | undefined {
  return (response && findErrorCode(response)) ?? rejection?.error;
}

function redactValue(exchange: Exchange | undefined, name: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : redactFields([[name, value]], exchange)[0]![1];
}

function formatTimes(times: number): string {
  return times === 1 ? "once" : times === 2 ? "twice" : `${times} times`;
}

/** One sentence, and the requests, one line each. Of several, those that do not pass are marked. */
function formatFailure(
  endpoint: string,
  description: string,
  { selected, all, passes }: {
    readonly selected: readonly Exchange[];
    readonly all: readonly Exchange[];
    readonly passes?: (exchange: Exchange) => boolean;
  },
): string {
  const sentence = `expected ${endpoint} ${description}`;
  if (selected.length > 0) {
    const isMarked = passes !== undefined && selected.length > 1;
    const every = isMarked ? " in every call" : "";
    const marked = isMarked ? new Set(selected.filter((exchange) => !passes(exchange))) : undefined;
    return `${sentence}${every}; it was called ${formatTimes(selected.length)}` +
      `${isMarked ? ", ✗ marks what differs" : ""}:\n${formatExchanges(selected, marked)}`;
  }
  const summary = `${sentence}; received no such request`;
  return all.length === 0 ? `${summary}, nor any other` : `${summary}, but:\n${formatExchanges(all)}`;
}

/** The newest requests, redacted, one line each; `marked` ones begin with ✗. */
export function formatExchanges(
  exchanges: readonly Exchange[],
  marked?: ReadonlySet<Exchange>,
): string {
  const markedNumbers = new Set([...marked ?? []].map(({ number }) => number));
  const shown = redactExchanges(exchanges.slice(-maxListedExchanges));
  const omitted = exchanges.length - shown.length;
  const lines = shown.map((exchange) =>
    `${markedNumbers.has(exchange.number) ? "✗ " : "  "}${summarizeExchange(exchange, getInternalErrors(exchange))}`
  );
  return [...omitted === 0 ? [] : [`  … ${omitted} earlier`], ...lines].join("\n");
}

/** Requests that a message shows. */
const maxListedExchanges = 20;

/**
 * The exchanges that are selected. A pattern is compared with the values that were sent, including secrets.
 *
 * @internal
 */
export type ExchangeMatch = RequestPattern | ((exchange: Exchange) => boolean);

/** Whether an exchange is selected. */
export function matchesExchange(exchange: Exchange, match: ExchangeMatch | undefined): boolean {
  if (match === undefined) return true;
  if (typeof match === "function") return match(exchange);
  const { client, request: { method, query, form } } = exchange;
  // Of a repeated parameter the first value.
  return matchesPattern(match, { client, method, params: Object.fromEntries([...query, ...form].reverse()) });
}
