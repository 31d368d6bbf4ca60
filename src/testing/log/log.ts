/** The log of a test server: every exchange in order, waiting for the next one, and expectations. */

import { object, objectField, whole } from "../../core/policy/field.ts";
import { assertEndpointName } from "../assert_endpoint_name.ts";
import type { TraceEvent } from "../../server/trace.ts";
import type { Exchange, Flow } from "../../recorder/exchange.ts";
import { redactExchanges } from "../../recorder/redact.ts";
import type { Recorder } from "../../recorder/recorder.ts";
import { normalizeExchanges } from "../../recorder/export/normalize.ts";
import { formatExchange } from "../../recorder/export/text.ts";
import { LogError } from "./log_error.ts";
import { expectation, formatExchanges, matchesExchange } from "./log_expectation.ts";
import type { ExchangeMatch, Expectation } from "./log_expectation.ts";
import { getInternalErrors } from "../internal_error.ts";
import { assertOptions } from "../options.ts";
import { getClientId, patternField, type RequestPattern } from "../faults/rule_builder.ts";
import { timers } from "../../core/http/timers.ts";

/** @internal How long to wait for an exchange. Default: without limit. */
export interface WaitOptions {
  /** Rejects with the reason of the signal when it is aborted. */
  readonly signal?: AbortSignal;
  /** Milliseconds of real time after which the promise rejects with a {@link LogError}. */
  readonly timeoutMs?: number;
}

/** The description of {@link WaitOptions}. */
const waitField = object<WaitOptions>("WaitOptions", {
  signal: objectField,
  timeoutMs: whole(1000, { min: 0, expected: "a whole number of milliseconds" }),
}, {});

/** @internal */
export interface DocumentFetch {
  /** The URL of the document, which is the `client_id`. */
  readonly url: string;
  /** When it ended, by the server's clock in milliseconds. */
  readonly at: number;
  /** The result, such as `valid for 300 seconds`. */
  readonly outcome: string;
}

/** @internal A call of the `backchannel_logout_uri` of a client. */
export type LogoutCall = Omit<Extract<TraceEvent, { type: "back_channel_logout" }>, "type">;

/** @internal A security event that was posted to a client. */
export type EventDelivery = Omit<Extract<TraceEvent, { type: "security_event_delivery" }>, "type">;

/** The requests and responses of a server. Secrets are redacted, the same value always in the same way. */
export interface Log {
  /** Every exchange, oldest first, including those in progress. */
  readonly exchanges: readonly Exchange[];
  /** One flow for each login and for each request outside of a login, oldest first. */
  readonly flows: readonly Flow[];
  /** The fetches of client ID metadata documents, oldest first. */
  readonly documentFetches: readonly DocumentFetch[];
  /** The back-channel logout calls, oldest first, with the status of the response; 200 and 204 are success. */
  readonly logoutCalls: readonly LogoutCall[];
  /** The security events posted to clients, oldest first, with the status of the response; 202 is success. */
  readonly eventDeliveries: readonly EventDelivery[];
  /** The exchanges of one endpoint, oldest first. */
  filter(endpoint: string, match?: ExchangeMatch): readonly Exchange[];
  /**
   * The newest exchange of an endpoint.
   *
   * @throws {LogError} If there is none; the message shows the requests that were received.
   */
  last(endpoint: string, match?: ExchangeMatch): Exchange;
  /**
   * Waits until an exchange of an endpoint has ended, and returns it: the oldest one that `next` has not returned
   * before. An exchange that ended before the call counts, so that none between two calls is missed.
   *
   * @example
   * ```ts ignore
   * app.refreshInTheBackground();
   * const { outcome } = await as.log.next("token", { grant_type: "refresh_token" });
   * ```
   */
  next(endpoint: string, match?: ExchangeMatch, until?: WaitOptions): Promise<Exchange>;
  /** Starts an expectation about the exchanges of one endpoint. */
  expect(endpoint: string, match?: ExchangeMatch): Expectation;
  /**
   * Expects that no request was rejected, except for metadata, which clients look for at several URLs. A request to a
   * resource without a token is challenged, not rejected.
   *
   * @param client The only client whose requests count. Default: every client.
   * @throws {LogError}
   */
  expectNoRejections(client?: NonNullable<RequestPattern["client"]>): void;
  /**
   * Expects that no request caused a warning.
   *
   * @param client As for {@link Log.expectNoRejections}.
   * @throws {LogError}
   */
  expectNoWarnings(client?: NonNullable<RequestPattern["client"]>): void;
  /** Removes all exchanges. */
  clear(): void;
  /** The same log with secrets. Error messages stay redacted. */
  readonly unmasked: Log;
  /**
   * A transcript of all exchanges. Redacted, it is the same text for the same requests, usable as a snapshot: secrets
   * and random values have names such as `{{code 1}}`, and times are left out.
   */
  toString(): string;
}

/** @param documentFetches The fetches so far, the calls and the deliveries; `clear` empties all. Default: none. */
export function testLog(
  recorder: Recorder,
  documentFetches: DocumentFetch[] = [],
  logoutCalls: LogoutCall[] = [],
  eventDeliveries: EventDelivery[] = [],
): Log {
  const returned = new Set<number>();

  function createLog(redact: boolean): Log {
    const present = (exchanges: readonly Exchange[]) => redact ? redactExchanges(exchanges) : exchanges;
    const select = (endpoint: string, match?: ExchangeMatch) => {
      assertEndpointName(recorder.endpoints, endpoint);
      if (match !== undefined && typeof match !== "function") assertOptions("log", patternField, match);
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
      get documentFetches() {
        return [...documentFetches];
      },
      get logoutCalls() {
        return [...logoutCalls];
      },
      get eventDeliveries() {
        return [...eventDeliveries];
      },
      filter: (endpoint, match) => present(select(endpoint, match)),
      last(endpoint, match) {
        const last = select(endpoint, match).at(-1);
        if (last === undefined) expectation(endpoint, [], recorder.exchanges()).called();
        return present([last!])[0]!;
      },
      async next(endpoint, match, options = {}) {
        assertOptions("log.next", waitField, options);
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
      expectNoRejections(client) {
        // Clients try several well-known paths and expect 404 from some.
        const isDiscovery = ({ request: { path } }: Exchange) => path.includes("/.well-known/");
        expectNone("rejections", client, (exchange) => exchange.outcome === "rejected" && !isDiscovery(exchange));
      },
      expectNoWarnings(client) {
        expectNone(
          "warnings",
          client,
          ({ warnings }) => warnings.length > 0,
          ({ warnings }) => warnings.map(({ rule, reason }) => `    warning [${rule}] ${reason}`),
        );
      },
      clear() {
        recorder.clear();
        documentFetches.length = 0;
        logoutCalls.length = 0;
        eventDeliveries.length = 0;
        returned.clear();
      },
      get unmasked() {
        return createLog(false);
      },
      toString() {
        const shown = redact ? normalizeExchanges(recorder.exchanges()) : recorder.exchanges();
        const paragraphs = shown.map((exchange, index) =>
          formatExchange(exchange, `${index + 1}  `, getInternalErrors(exchange)).join("\n") + "\n"
        );
        return paragraphs.join("\n");
      },
    };
    return self;
  }

  function expectNone(
    label: string,
    client: RequestPattern["client"],
    matches: (exchange: Exchange) => boolean,
    getDetails: (exchange: Exchange) => readonly string[] = () => [],
  ): void {
    const all = recorder.exchanges();
    const clientId = client && getClientId(client);
    const found = all.filter((exchange) =>
      (clientId === undefined || exchange.client === clientId) && matches(exchange)
    );
    if (found.length === 0) return;
    const lines = found.flatMap((exchange) => [formatExchanges([exchange]), ...getDetails(exchange)]).join("\n");
    throw new LogError(`expected no ${label}, received ${found.length}:\n${lines}`, 0, found.length);
  }

  return createLog(true);
}

/** Looks for an exchange now, and again when one ends. */
function waitForExchange(
  recorder: Recorder,
  { signal, timeoutMs }: WaitOptions,
  endpoint: string,
  find: () => Exchange | undefined,
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const immediate = find();
    if (immediate !== undefined) return resolve(immediate);
    const cleanUp = () => {
      stop();
      timers.clearTimeout(timer);
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
      const received = all.length === 0 ? "received no request" : `received:\n${formatExchanges(all)}`;
      const message = `expected a request to ${endpoint} within ${timeoutMs} milliseconds, ${received}`;
      reject(new LogError(message, endpoint, all.map((exchange) => exchange.endpoint)));
    };
    const timer = timeoutMs === undefined ? undefined : timers.setTimeout(onTimeout, timeoutMs);
    signal?.addEventListener("abort", abort);
  });
}
