/** The log of a server under test: every exchange in order, waiting for the next, and what a test expects of them. */

import { assertEndpointName } from "../../recorder/endpoint_name.ts";
import type { EndpointName } from "../../recorder/endpoint_name.ts";
import type { Exchange, Flow } from "../../recorder/exchange.ts";
import { redactExchanges } from "../../recorder/redact.ts";
import type { Recorder } from "../../recorder/recorder.ts";
import { normalizeExchanges } from "../../recorder/export/normalize.ts";
import { formatExchange } from "../../recorder/export/text.ts";
import { LogError } from "./log_error.ts";
import { expectation, formatExchanges } from "./log_expectation.ts";
import type { Expectation } from "./log_expectation.ts";
import { matchesExchange } from "./log_match.ts";
import type { ExchangeMatch } from "./log_match.ts";
import { getInternalErrors } from "../internal_error.ts";

/** How long to wait for an exchange. Default: as long as it takes. */
export interface WaitOptions {
  /** Gives up when it is aborted, with its reason. */
  readonly signal?: AbortSignal;
  /** Gives up after that many milliseconds of real time, with a {@link LogError}. */
  readonly timeoutMs?: number;
}

/** What a server was asked and what it answered. Secrets are masked, the same value always in the same way. */
export interface Log {
  /** Oldest first, those under way included. */
  readonly exchanges: readonly Exchange[];
  /** One per login, and per request that belongs to none; oldest first. */
  readonly flows: readonly Flow[];
  /** The exchanges of one endpoint, oldest first. */
  filter(endpoint: EndpointName, match?: ExchangeMatch): readonly Exchange[];
  /**
   * The newest exchange of an endpoint.
   *
   * @throws {LogError} When there is none; the message shows what was called instead.
   */
  last(endpoint: EndpointName, match?: ExchangeMatch): Exchange;
  /**
   * Waits for an exchange of an endpoint to end, however it does, and hands it out once: the oldest one that no `next`
   * has handed out before. One that ended before the call counts, so none between two calls is missed; `clear` begins
   * anew.
   *
   * @example
   * ```ts ignore
   * app.refreshInTheBackground();
   * const { outcome } = await as.log.next("token", { grant_type: "refresh_token" });
   * ```
   */
  next(endpoint: EndpointName, match?: ExchangeMatch, until?: WaitOptions): Promise<Exchange>;
  /** Begins a sentence about the exchanges of one endpoint. */
  expect(endpoint: EndpointName, match?: ExchangeMatch): Expectation;
  /**
   * Expects that nothing was refused; metadata that is not there does not count, clients look for it in several places.
   *
   * @throws {LogError}
   */
  expectNoRejections(): void;
  /**
   * Expects that the server let nothing pass that should be mended.
   *
   * @throws {LogError}
   */
  expectNoWarnings(): void;
  /** Forgets everything. */
  clear(): void;
  /** The same log with its secrets. Messages of errors stay masked. */
  readonly unmasked: Log;
  /**
   * A transcript of everything. Masked, it is the same text whenever the same requests come: secrets and other drawn
   * values have names such as `{{code 1}}`, and times are left out; fit for a snapshot.
   */
  toString(): string;
}

/** Makes the log of what a recorder remembers. */
export function testLog(recorder: Recorder): Log {
  const returned = new Set<number>();

  function createLog(redact: boolean): Log {
    // Among all others, so that what is a secret anywhere is masked everywhere.
    const present = (exchanges: readonly Exchange[]) =>
      redact ? redactExchanges(exchanges, { secretsFrom: recorder.exchanges() }) : exchanges;
    const select = (endpoint: EndpointName, match?: ExchangeMatch) => {
      assertEndpointName(endpoint);
      return recorder.exchanges().filter((exchange) =>
        exchange.endpoint === endpoint && matchesExchange(exchange, match)
      );
    };

    const self: Log = {
      get exchanges() {
        return present(recorder.exchanges());
      },
      get flows() {
        const shown = new Map(self.exchanges.map((exchange) => [exchange.number, exchange]));
        return recorder.flows().map((flow) => ({
          ...flow,
          exchanges: flow.exchanges.map(({ number }) => shown.get(number)!),
        }));
      },
      filter: (endpoint, match) => present(select(endpoint, match)),
      last(endpoint, match) {
        const last = select(endpoint, match).at(-1);
        if (last === undefined) expectation(endpoint, [], recorder.exchanges()).called();
        return present([last!])[0]!;
      },
      async next(endpoint, match, options = {}) {
        const found = await waitForExchange(recorder, options, endpoint, () => {
          const ended = select(endpoint, match).find(({ outcome, number }) =>
            outcome !== "pending" && !returned.has(number)
          );
          if (ended !== undefined) returned.add(ended.number);
          return ended;
        });
        return present([found])[0]!;
      },
      expect: (endpoint, match) => expectation(endpoint, select(endpoint, match), recorder.exchanges()),
      expectNoRejections() {
        expectNone("refusal", ({ endpoint, outcome }) => outcome === "rejected" && endpoint !== "discovery");
      },
      expectNoWarnings() {
        expectNone(
          "warning",
          ({ warnings }) => warnings.length > 0,
          ({ warnings }) => warnings.map(({ rule, reason }) => `    warns [${rule}] ${reason}`),
        );
      },
      clear() {
        recorder.clear();
        returned.clear();
      },
      get unmasked() {
        return createLog(false);
      },
      toString() {
        const shown = redact ? normalizeExchanges(recorder.exchanges()) : recorder.exchanges();
        const paragraphs = shown.map((exchange, index) =>
          formatExchange(exchange, `${index + 1}  `, "", getInternalErrors(exchange)).join("\n") + "\n"
        );
        return paragraphs.join("\n");
      },
    };
    return self;
  }

  function expectNone(
    label: string,
    matches: (exchange: Exchange) => boolean,
    getDetails: (exchange: Exchange) => readonly string[] = () => [],
  ): void {
    const all = recorder.exchanges();
    const found = all.filter(matches);
    if (found.length === 0) return;
    const lines = found.flatMap((exchange) => [formatExchanges([exchange], all), ...getDetails(exchange)]).join("\n");
    const verb = found.length === 1 ? "was one" : `were ${found.length}`;
    throw new LogError(`expected no ${label}, and there ${verb}:\n${lines}`, 0, found.length);
  }

  return createLog(true);
}

/** Looks at once, and again whenever an exchange ends. */
function waitForExchange(
  recorder: Recorder,
  { signal, timeoutMs }: WaitOptions,
  endpoint: EndpointName,
  find: () => Exchange | undefined,
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const immediate = find();
    if (immediate !== undefined) return resolve(immediate);
    const cleanUp = () => {
      stop();
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
    const stop = recorder.subscribe(() => {
      const found = find();
      if (found === undefined) return;
      cleanUp();
      resolve(found);
    });
    const abort = () => {
      cleanUp();
      reject(signal!.reason);
    };
    const onTimeout = () => {
      cleanUp();
      const all = recorder.exchanges();
      const received = all.length === 0 ? "nothing came" : `these requests came:\n${formatExchanges(all, all)}`;
      const message = `expected a request to ${endpoint} within ${timeoutMs} milliseconds; ${received}`;
      reject(new LogError(message, endpoint, all.map((exchange) => exchange.endpoint)));
    };
    const timer = timeoutMs === undefined ? undefined : setTimeout(onTimeout, timeoutMs);
    signal?.addEventListener("abort", abort);
  });
}
