/** Runs the journeys of one check: each in an environment of its own, within time limits, watched for crashes. */

import { describeError } from "./assess.ts";
import { type Action, type Attempt, attempt, type TimeLimit, timeLimit } from "./attempt.ts";
import type { CheckOptions } from "./check_options.ts";
import { type CrashWatch, watchCrashes } from "./crashes.ts";
import { checkedDriver, type ClientDriver, LoginLimitError, UnreachableError } from "./driver.ts";
import type { JourneyEnvironment, Journeys } from "./journeys.ts";
import { scan, type Sighting } from "./markers.ts";
import { sleep, timers } from "../core/http/timers.ts";
import { unlessAborted } from "../platform/http/unless_aborted.ts";

export interface Runner extends TimeLimit {
  readonly driver: ClientDriver;
  readonly options: CheckOptions;
  /** What the scans of the journeys found, each kind once. */
  readonly sightings: readonly Sighting[];
  /** The journeys of a new client if the driver can make one, else of the same client. */
  renewed(): Runner;
  /**
   * Restarts the application, if that is possible; tries it twice.
   *
   * @throws {RestartError} If it does not start.
   */
  restart?(): Promise<void>;
  /** Opens an environment for one journey, closes it, and watches for crashes meanwhile. */
  inEnvironment<Result>(use: (environment: JourneyEnvironment, watch: CrashWatch) => Promise<Result>): Promise<Result>;
  /**
   * Repeats an action until it ends as expected, for at most the recovery time of the client, and for a shorter time if
   * no one listens any more. If the client has any, the action is repeated at least once.
   *
   * @param isOver Whether no later attempt can succeed. Default: one can.
   */
  repeat<Result>(
    act: Action<Result>,
    watch: CrashWatch,
    isExpected: (ended: Attempt<Result>) => boolean,
    isOver?: () => Promise<boolean>,
  ): Promise<Attempt<Result>>;
  /**
   * Performs a journey again as long as the application limits logins: after the time that it names, or a longer one
   * each time, together at most the recovery time of the client.
   */
  withinLimit<Ended>(perform: () => Promise<Ended>, errorOf: (ended: Ended) => unknown): Promise<Ended>;
  /** Waits until the requests of the client have ended, and errors of its last action have been reported. */
  waitForEnd(environment: JourneyEnvironment, watch: CrashWatch): Promise<void>;
}

/** The application does not start, so that no later attack shows anything. */
export class RestartError extends Error {}

/** How long a client on one server has to recover, in milliseconds. */
export const defaultRecoveryMs = 60_000;

/** How long an application may be out of reach before a check that can restart it does so, in milliseconds. */
const maxDownMs = 5000;

/** First wait between the logins of a client that may need time to recover, in milliseconds; it doubles each time. */
const firstRecoveryIntervalMs = 250;

/** The longest wait between two of these logins, in milliseconds. */
const maxRecoveryIntervalMs = 1000;

/** How long an application that stopped has to start again by itself, in milliseconds. */
const maxStartMs = 15_000;

/** First wait for an application that limits logins and does not say for how long, in milliseconds. */
const firstLimitWaitMs = 2000;

/** How long to wait for an action that a crash interrupted, in milliseconds: it may never end. */
const maxUnfinishedMs = 1000;

/** How long to wait before the second attempt to restart an application, in milliseconds. */
const restartWaitMs = 1000;

export function openRunner(
  driver: ClientDriver,
  journeys: Journeys,
  options: CheckOptions,
  sightings: Sighting[] = [],
): Runner {
  const { as, timeoutMs = 5000, pauseMs = 0, recoveryMs = as === undefined ? 0 : defaultRecoveryMs, signal: stop } =
    options;
  const { restart } = options;
  const limit = timeLimit({ timeoutMs, as, signal: stop });
  const requestsEnd = async (environment: JourneyEnvironment, watch?: CrashWatch) =>
    void await attempt(environment.requestsEnd, watch, timeoutMs, stop);
  return {
    ...limit,
    ...{ driver, options, sightings },
    renewed() {
      if (driver.renew === undefined) return this;
      return openRunner(checkedDriver(driver.renew(), driver.client), journeys, options, sightings);
    },
    ...restart !== undefined && {
      restart: () =>
        restart()
          .catch(async () => {
            await sleep(restartWaitMs);
            await restart();
          })
          .catch((error: unknown) => {
            throw new RestartError(`the application could not be restarted: ${describeError(error)}`);
          }),
    },
    async inEnvironment(use) {
      stop?.throwIfAborted();
      if (pauseMs > 0) await unlessAborted(sleep(pauseMs), stop);
      const watch = watchCrashes(options.inProcess ?? true);
      try {
        const environment = await journeys.open(driver);
        try {
          return await use(environment, watch);
        } finally {
          const isNew = ({ value, place }: Sighting) =>
            !sightings.some((other) => other.value === value && other.place === place);
          sightings.push(...scan(environment).filter(isNew));
          await environment.close();
          // An error that the client does not catch then belongs to no other journey.
          await requestsEnd(environment);
          await attempt(watch.unfinishedEnd, undefined, Math.min(timeoutMs, maxUnfinishedMs), stop);
          await watch.nextTask();
        }
      } finally {
        watch.end();
      }
    },
    async repeat(act, watch, isExpected, isOver = () => Promise.resolve(false)) {
      const startedAt = timers.elapsed();
      for (let retries = 0;; retries++) {
        const ended = await limit.attempt(act, watch);
        const isFinal = isExpected(ended) || ended.error instanceof LoginLimitError || await isOver();
        const intervalMs = Math.min(firstRecoveryIntervalMs * 2 ** retries, maxRecoveryIntervalMs, recoveryMs);
        const downMs = restart === undefined ? maxStartMs : maxDownMs;
        const limitMs = ended.error instanceof UnreachableError ? Math.min(recoveryMs, downMs) : recoveryMs;
        const isLate = retries > 0 && timers.elapsed() + intervalMs > startedAt + limitMs;
        if (isFinal || isLate || recoveryMs === 0) return ended;
        // The first waits are short.
        if (retries === 2 && ended.error !== undefined) {
          options.onWait?.(`the login after an attack failed: ${describeError(ended.error)}`, limitMs);
        }
        await sleep(intervalMs);
      }
    },
    async withinLimit(perform, errorOf) {
      for (let waitedMs = 0, nextMs = firstLimitWaitMs;; nextMs *= 2) {
        const ended = await perform();
        const error = errorOf(ended);
        if (!(error instanceof LoginLimitError)) return ended;
        const waitMs = error.retryAfterMs ?? nextMs;
        waitedMs += waitMs;
        if (waitedMs > recoveryMs) return ended;
        options.onWait?.(error.message, waitMs);
        await unlessAborted(sleep(waitMs), stop);
      }
    },
    async waitForEnd(environment, watch) {
      await requestsEnd(environment, watch);
      await watch.nextTask();
    },
  };
}
