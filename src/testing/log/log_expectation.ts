/** What a test expects of the requests to one endpoint, in the order in which a person would say it. */

import type { ClientAuthMethod } from "../../oauth/clients/client.ts";
import type { PassedRuleId, RejectionRuleId } from "../../oauth/rules/mod.ts";
import type { EndpointName } from "../../recorder/endpoint_name.ts";
import type { Exchange } from "../../recorder/exchange.ts";
import { redactExchanges, redactFields } from "../../recorder/redact.ts";
import { findErrorCode } from "../../recorder/record_response.ts";
import { findParam } from "../../recorder/record_request.ts";
import { summarizeExchange } from "../../recorder/export/text.ts";
import { LogError } from "./log_error.ts";
import { getClientId } from "../faults/rule_builder.ts";
import type { RequestPattern } from "../faults/rule_builder.ts";
import { matchesExchange } from "./log_match.ts";
import { getInternalErrors } from "../internal_error.ts";

/**
 * Expectations of all the exchanges that were picked, so each narrows nothing and says something of every one. All but
 * `called` also expect that there is one. Each gives back the same, to go on with, or throws a {@link LogError}.
 *
 * @example
 * ```ts ignore
 * as.log.expect("token").called(1).by(client).with("client_secret_basic").succeeded();
 * as.log.expect("authorize").withParams({ code_challenge_method: "S256", nonce: /./ });
 * as.log.expect("token", { grant_type: "refresh_token" }).rejected("invalid_grant", "RT-04");
 * ```
 */
export interface Expectation {
  /** How often the endpoint was called. Default: at least once. */
  called(times?: number): Expectation;
  /** Which client called. */
  by(client: NonNullable<RequestPattern["client"]>): Expectation;
  /** How the client said who it is. */
  with(auth: ClientAuthMethod): Expectation;
  /** What the request said, in query or form; `undefined` expects that a parameter was not there. */
  withParams(params: NonNullable<RequestPattern["params"]>): Expectation;
  /** Which rule was looked at and held, by its ID. */
  passed(rule: PassedRuleId): Expectation;
  /** That it was answered, and not with a refusal. */
  succeeded(): Expectation;
  /** That it was refused. Default: with any error code, by any rule. A rule that a fault speaks for has no ID. */
  rejected(error?: string, rule?: RejectionRuleId): Expectation;
}

/**
 * Begins with the exchanges of one endpoint.
 *
 * @param selected Those that are meant.
 * @param all Everything in the log, which a failure shows where nothing was picked.
 */
export function expectation(
  endpoint: EndpointName,
  selected: readonly Exchange[],
  all: readonly Exchange[],
): Expectation {
  const fail = (description: string, expected: unknown, actual: unknown): never => {
    throw new LogError(formatFailure(endpoint, description, selected, all), expected, actual);
  };

  /** Expects something of each exchange; `read` is what stands there instead. */
  function expectEach(
    description: string,
    expected: unknown,
    getActual: (exchange: Exchange) => unknown,
    passes: (exchange: Exchange) => boolean,
  ): Expectation {
    if (selected.length === 0 || !selected.every(passes)) fail(description, expected, selected.map(getActual));
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
      return expectEach(
        `to be called by ${id}`,
        id,
        (exchange) => exchange.client,
        (exchange) => exchange.client === id,
      );
    },
    with: (auth) =>
      expectEach(`to be called with ${auth}`, auth, (exchange) => exchange.auth, (exchange) => exchange.auth === auth),
    withParams(params) {
      for (const [name, description] of Object.entries(params)) {
        const value = description instanceof RegExp ? String(description) : redactValue(name, description);
        expectEach(
          description === undefined ? `to be called without ${name}` : `to be called with ${name}=${value}`,
          value,
          ({ request }) => redactValue(name, findParam(request, name)),
          (exchange) => matchesExchange(exchange, { params: { [name]: description } }),
        );
      }
      return self;
    },
    passed: (rule) =>
      expectEach(
        `to be answered after ${rule} held`,
        rule,
        ({ passed }) => passed.map((exchange) => exchange.rule),
        ({ passed }) => passed.some((exchange) => exchange.rule === rule),
      ),
    succeeded: () =>
      expectEach(
        "to be answered with what was asked for",
        "done",
        ({ outcome }) => outcome,
        ({ outcome }) => outcome === "done" || outcome === "interaction",
      ),
    rejected(error, rule) {
      const description = [
        "to be refused",
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

/** As the client was told it, which a fault may have had its hand in. */
function getErrorCode({ response, rejection }: Exchange): string | undefined {
  return (response && findErrorCode(response)) ?? rejection?.error;
}

function redactValue(name: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : redactFields([[name, value]])[0]![1];
}

function formatTimes(times: number): string {
  return times === 1 ? "once" : times === 2 ? "twice" : `${times} times`;
}

/** A sentence, and the requests that came, one line each. */
function formatFailure(
  endpoint: EndpointName,
  description: string,
  selected: readonly Exchange[],
  all: readonly Exchange[],
): string {
  const sentence = `expected ${endpoint} ${description}`;
  if (selected.length > 0) {
    return `${sentence}; it was called ${formatTimes(selected.length)}:\n${formatExchanges(selected, all)}`;
  }
  const summary = `${sentence}; no such request came`;
  return all.length === 0 ? `${summary}, nor any other` : `${summary}, but these:\n${formatExchanges(all, all)}`;
}

/** The newest requests, masked, one line each. */
export function formatExchanges(exchanges: readonly Exchange[], all: readonly Exchange[]): string {
  const shown = redactExchanges(exchanges.slice(-maxListedExchanges), { secretsFrom: all });
  const omitted = exchanges.length - shown.length;
  const lines = shown.map((exchange) => `  ${summarizeExchange(exchange, getInternalErrors(exchange))}`);
  return [...omitted === 0 ? [] : [`  … ${omitted} earlier`], ...lines].join("\n");
}

/** As many requests as a message shows. */
const maxListedExchanges = 20;
