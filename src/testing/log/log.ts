/** The log of a server under test: every exchange in order, waiting for the next, and what a test expects of them. */

import { requireEndpointName } from "../../recorder/endpoint_name.ts";
import type { EndpointName } from "../../recorder/endpoint_name.ts";
import type { Exchange, Flow } from "../../recorder/exchange.ts";
import { maskExchanges } from "../../recorder/redact.ts";
import type { Recorder } from "../../recorder/recorder.ts";
import { stableExchanges } from "../../recorder/export/normalize.ts";
import { paragraph } from "../../recorder/export/text.ts";
import { LogError } from "./log_error.ts";
import { expectation, listing } from "./log_expectation.ts";
import type { Expectation } from "./log_expectation.ts";
import { isMeant } from "./log_match.ts";
import type { ExchangeMatch } from "./log_match.ts";
import { mishapsIn } from "../internal_error.ts";

/** How long to wait for an exchange. Default: as long as it takes. */
export interface WaitOptions {
  /** Gives up when it is aborted, with its reason. */
  readonly signal?: AbortSignal;
  /** Gives up after that many milliseconds of real time, with a {@link LogError}. */
  readonly within?: number;
}

/** What a server was asked and what it answered. Secrets are masked, the same value always in the same way. */
export interface Log {
  /** Oldest first, those under way included. */
  readonly exchanges: readonly Exchange[];
  /** One per login, and per request that belongs to none; oldest first. */
  readonly flows: readonly Flow[];
  /** The exchanges of one endpoint, oldest first. */
  of(endpoint: EndpointName, match?: ExchangeMatch): readonly Exchange[];
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
  expectNoRefusals(): void;
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
  const handedOut = new Set<number>();

  function look(mask: boolean): Log {
    // Among all others, so that what is a secret anywhere is masked everywhere.
    const show = (exchanges: readonly Exchange[]) =>
      mask ? maskExchanges(exchanges, { among: recorder.exchanges() }) : exchanges;
    const pick = (endpoint: EndpointName, match?: ExchangeMatch) => {
      requireEndpointName(endpoint);
      return recorder.exchanges().filter((exchange) => exchange.endpoint === endpoint && isMeant(exchange, match));
    };

    const self: Log = {
      get exchanges() {
        return show(recorder.exchanges());
      },
      get flows() {
        const shown = new Map(self.exchanges.map((exchange) => [exchange.number, exchange]));
        return recorder.flows().map((flow) => ({
          ...flow,
          exchanges: flow.exchanges.map(({ number }) => shown.get(number)!),
        }));
      },
      of: (endpoint, match) => show(pick(endpoint, match)),
      last(endpoint, match) {
        const last = pick(endpoint, match).at(-1);
        if (last === undefined) expectation(endpoint, [], recorder.exchanges()).called();
        return show([last!])[0]!;
      },
      async next(endpoint, match, until = {}) {
        const found = await wait(recorder, until, endpoint, () => {
          const ended = pick(endpoint, match).find(({ outcome, number }) =>
            outcome !== "under way" && !handedOut.has(number)
          );
          if (ended !== undefined) handedOut.add(ended.number);
          return ended;
        });
        return show([found])[0]!;
      },
      expect: (endpoint, match) => expectation(endpoint, pick(endpoint, match), recorder.exchanges()),
      expectNoRefusals() {
        expectNone("refusal", ({ endpoint, outcome }) => outcome === "refused" && endpoint !== "discovery");
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
        handedOut.clear();
      },
      get unmasked() {
        return look(false);
      },
      toString() {
        const shown = mask ? stableExchanges(recorder.exchanges()) : recorder.exchanges();
        const paragraphs = shown.map((exchange, index) =>
          paragraph(exchange, `${index + 1}  `, "", mishapsIn(exchange)).join("\n") + "\n"
        );
        return paragraphs.join("\n");
      },
    };
    return self;
  }

  function expectNone(
    what: string,
    isOne: (exchange: Exchange) => boolean,
    more: (exchange: Exchange) => readonly string[] = () => [],
  ): void {
    const all = recorder.exchanges();
    const found = all.filter(isOne);
    if (found.length === 0) return;
    const lines = found.flatMap((exchange) => [listing([exchange], all), ...more(exchange)]).join("\n");
    const there = found.length === 1 ? "was one" : `were ${found.length}`;
    throw new LogError(`expected no ${what}, and there ${there}:\n${lines}`, 0, found.length);
  }

  return look(true);
}

/** Looks at once, and again whenever an exchange ends. */
function wait(
  recorder: Recorder,
  { signal, within }: WaitOptions,
  endpoint: EndpointName,
  find: () => Exchange | undefined,
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const atOnce = find();
    if (atOnce !== undefined) return resolve(atOnce);
    const end = () => {
      stop();
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
    const stop = recorder.listen(() => {
      const found = find();
      if (found === undefined) return;
      end();
      resolve(found);
    });
    const abort = () => {
      end();
      reject(signal!.reason);
    };
    const late = () => {
      end();
      const all = recorder.exchanges();
      const came = all.length === 0 ? "nothing came" : `these requests came:\n${listing(all, all)}`;
      const message = `expected a request to ${endpoint} within ${within} milliseconds; ${came}`;
      reject(new LogError(message, endpoint, all.map((exchange) => exchange.endpoint)));
    };
    const timer = within === undefined ? undefined : setTimeout(late, within);
    signal?.addEventListener("abort", abort);
  });
}
