/** What a test expects of the requests to one endpoint, in the order in which a person would say it. */

import type { ClientAuthMethod } from "../../oauth/clients/client.ts";
import type { PassedRuleId, RejectionRuleId } from "../../oauth/rules/mod.ts";
import type { EndpointName } from "../../recorder/endpoint_name.ts";
import type { Exchange } from "../../recorder/exchange.ts";
import { maskExchanges, maskFields } from "../../recorder/redact.ts";
import { errorIn } from "../../recorder/read_response.ts";
import { paramOf } from "../../recorder/read_request.ts";
import { summary } from "../../recorder/export/text.ts";
import { LogError } from "./log_error.ts";
import { idOf } from "../faults/rule_builder.ts";
import type { RequestPattern } from "../faults/rule_builder.ts";
import { isMeant } from "./log_match.ts";
import { mishapsIn } from "../internal_error.ts";

/**
 * Expectations of all the exchanges that were picked, so each narrows nothing and says something of every one. All but
 * `called` also expect that there is one. Each gives back the same, to go on with, or throws a {@link LogError}.
 *
 * @example
 * ```ts ignore
 * as.log.expect("token").called(1).by(client).with("client_secret_basic").succeeded();
 * as.log.expect("authorize").withParams({ code_challenge_method: "S256", nonce: /./ });
 * as.log.expect("token", { grant_type: "refresh_token" }).refused("invalid_grant", "RT-04");
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
  held(rule: PassedRuleId): Expectation;
  /** That it was answered, and not with a refusal. */
  succeeded(): Expectation;
  /** That it was refused. Default: with any error code, by any rule. A rule that a fault speaks for has no ID. */
  refused(error?: string, rule?: RejectionRuleId): Expectation;
}

/**
 * Begins with the exchanges of one endpoint.
 *
 * @param picked Those that are meant.
 * @param all Everything in the log, which a failure shows where nothing was picked.
 */
export function expectation(
  endpoint: EndpointName,
  picked: readonly Exchange[],
  all: readonly Exchange[],
): Expectation {
  const fail = (wanted: string, expected: unknown, actual: unknown): never => {
    throw new LogError(complain(endpoint, wanted, picked, all), expected, actual);
  };

  /** Expects something of each exchange; `read` is what stands there instead. */
  function each(
    wanted: string,
    expected: unknown,
    read: (exchange: Exchange) => unknown,
    holds: (exchange: Exchange) => boolean,
  ): Expectation {
    if (picked.length === 0 || !picked.every(holds)) fail(wanted, expected, picked.map(read));
    return self;
  }

  const self: Expectation = {
    called(times) {
      const holds = times === undefined ? picked.length > 0 : picked.length === times;
      const wanted = times === 0
        ? "not to be called"
        : `to be called ${times === undefined ? "at least once" : often(times)}`;
      if (!holds) fail(wanted, times ?? 1, picked.length);
      return self;
    },
    by(client) {
      const id = idOf(client);
      return each(`to be called by ${id}`, id, (one) => one.client, (one) => one.client === id);
    },
    with: (auth) => each(`to be called with ${auth}`, auth, (one) => one.auth, (one) => one.auth === auth),
    withParams(params) {
      for (const [name, wanted] of Object.entries(params)) {
        const value = wanted instanceof RegExp ? String(wanted) : masked(name, wanted);
        each(
          wanted === undefined ? `to be called without ${name}` : `to be called with ${name}=${value}`,
          value,
          ({ request }) => masked(name, paramOf(request, name)),
          (one) => isMeant(one, { params: { [name]: wanted } }),
        );
      }
      return self;
    },
    held: (rule) =>
      each(
        `to be answered after ${rule} held`,
        rule,
        ({ held }) => held.map((one) => one.rule),
        ({ held }) => held.some((one) => one.rule === rule),
      ),
    succeeded: () =>
      each(
        "to be answered with what was asked for",
        "done",
        ({ outcome }) => outcome,
        ({ outcome }) => outcome === "done" || outcome === "asked",
      ),
    refused(error, rule) {
      const wanted = [
        "to be refused",
        ...error === undefined ? [] : [`with ${error}`],
        ...rule === undefined ? [] : [`by ${rule}`],
      ];
      return each(
        wanted.join(" "),
        [error ?? "an error", ...rule === undefined ? [] : [rule]].join(" "),
        (one) => [errorOf(one) ?? one.outcome, one.refusal?.why.rule].filter((part) => part !== undefined).join(" "),
        (one) =>
          one.outcome === "refused" && (error === undefined || errorOf(one) === error) &&
          (rule === undefined || one.refusal?.why.rule === rule),
      );
    },
  };
  return self;
}

/** As the client was told it, which a fault may have had its hand in. */
function errorOf({ answer, refusal }: Exchange): string | undefined {
  return (answer && errorIn(answer)) ?? refusal?.error;
}

function masked(name: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : maskFields([[name, value]])[0]![1];
}

function often(times: number): string {
  return times === 1 ? "once" : times === 2 ? "twice" : `${times} times`;
}

/** A sentence, and the requests that came, one line each. */
function complain(
  endpoint: EndpointName,
  wanted: string,
  picked: readonly Exchange[],
  all: readonly Exchange[],
): string {
  const sentence = `expected ${endpoint} ${wanted}`;
  if (picked.length > 0) return `${sentence}; it was called ${often(picked.length)}:\n${listing(picked, all)}`;
  const none = `${sentence}; no such request came`;
  return all.length === 0 ? `${none}, nor any other` : `${none}, but these:\n${listing(all, all)}`;
}

/** The newest requests, masked, one line each. */
export function listing(exchanges: readonly Exchange[], all: readonly Exchange[]): string {
  const shown = maskExchanges(exchanges.slice(-longest), { among: all });
  const left = exchanges.length - shown.length;
  const lines = shown.map((exchange) => `  ${summary(exchange, mishapsIn(exchange))}`);
  return [...left === 0 ? [] : [`  … ${left} earlier`], ...lines].join("\n");
}

/** As many requests as a message shows. */
const longest = 20;
