/** The log of a server in another process. */

import type { Exchange } from "../../recorder/exchange.ts";
import type { RequestPattern } from "../faults/rule_builder.ts";
import type { Expectation } from "../log/log_expectation.ts";
import type { Call } from "./connection.ts";

/** @internal An exchange as the control returns it: without the traced events, and with internal errors as text. */
export interface ControlledExchange extends Omit<Exchange, "events"> {
  /** One line for each unexpected error inside the server. */
  readonly internalErrors: readonly string[];
}

/** @internal The functions of {@link Expectation}. Await the last one: one call checks them all. */
export type ConnectedExpectation =
  & PromiseLike<void>
  & { readonly [Name in keyof Expectation]: (...args: Parameters<Expectation[Name]>) => ConnectedExpectation };

/** @internal The requests and responses of a server, with real values. */
export interface ConnectedLog {
  /** Lists exchanges that have ended. Waits up to `wait` milliseconds until `count` of them match. */
  exchanges(query?: {
    readonly endpoint?: string;
    readonly client?: string;
    readonly since?: number;
    readonly count?: number;
    readonly wait?: number;
  }): Promise<
    { readonly count: number; readonly next: number; readonly exchanges: readonly ControlledExchange[] }
  >;
  /** Waits for the oldest exchange of an endpoint that `next` has not returned before. Default: 5 seconds. */
  next(endpoint: string, match?: RequestPattern, until?: { readonly timeoutMs?: number }): Promise<ControlledExchange>;
  /** Starts an expectation: `await as.log.expect("token").called(1).by(client).succeeded()`. */
  expect(endpoint: string, match?: RequestPattern): ConnectedExpectation;
  /** Expects that no request was rejected. */
  expectNoRejections(client?: NonNullable<RequestPattern["client"]>): Promise<void>;
  /** Expects that no request caused a warning. */
  expectNoWarnings(client?: NonNullable<RequestPattern["client"]>): Promise<void>;
  /** Removes all exchanges. */
  clear(): Promise<void>;
}

export function connectedLog(call: Call): ConnectedLog {
  return {
    exchanges: async (query) => await call("log.exchanges", query) as Awaited<ReturnType<ConnectedLog["exchanges"]>>,
    async next(endpoint, match = {}, until = {}) {
      const { exchange } = await call("log.next", { endpoint, ...match, ...until }) as {
        readonly exchange: ControlledExchange;
      };
      return exchange;
    },
    expect: (endpoint, match) => expectation(call, { endpoint, ...match }),
    expectNoRejections: async (client) => void await call("log.expectNoRejections", { client }),
    expectNoWarnings: async (client) => void await call("log.expectNoWarnings", { client }),
    clear: async () => void await call("log.clear"),
  };
}

function expectation(call: Call, expected: object): ConnectedExpectation {
  const and = (more: object) => expectation(call, { ...expected, ...more });
  return {
    called: (times) => and(times === undefined ? {} : { called: times }),
    by: (client) => and({ by: typeof client === "string" ? client : client.client_id }),
    with: (auth) => and({ with: auth }),
    withParams: (params) => and({ withParams: params }),
    passed: (rule) => and({ passed: rule }),
    succeeded: () => and({ succeeded: true }),
    rejected: (error, rule) => and({ rejected: true, error, rule }),
    then: (onDone, onError) => call("log.expect", expected).then(() => {}).then(onDone, onError),
  };
}
