/** The ways to begin a session: the members of a driver that return one, and the environment of each. */

import type { TestResource } from "../testing/resource.ts";
import type { TestLatchkey } from "../testing/test_latchkey.ts";
import type { ClientDriver, ClientJourney, ClientSession } from "./driver.ts";
import type { Wait } from "./observation.ts";

/** The ways, in the order in which the check tries them. */
const sessionStarts = ["logIn", "logInDevice", "requestResource", "acceptToken"] as const;

/** A way to begin a session: a member of {@link ClientDriver}. */
export type SessionStart = "logIn" | "logInDevice" | "requestResource" | "acceptToken";

/** The ways that a driver has. */
export function sessionStartsOf(driver: ClientDriver): readonly SessionStart[] {
  return sessionStarts.filter((start) => typeof driver[start] === "function");
}

/** Begins the sessions of one journey, and records what only some of them show. */
export interface SessionStarter {
  /** The protected resource of the journey, if the client requests one. */
  readonly resource?: TestResource;
  /** The URLs that a client on a device opened, oldest first. */
  readonly opened: readonly string[];
  /** How long a client on a device waited without an advance of the clock, oldest first. */
  readonly waits: readonly Wait[];
  /**
   * Begins a session.
   *
   * @param signal Ends this attempt; the end of the journey does so too. Default: the journey alone.
   * @throws What the client throws.
   */
  begin(by: SessionStart, signal?: AbortSignal): Promise<ClientSession>;
}

/**
 * Prepares the ways to begin a session in one journey.
 *
 * @param location The identifier of the protected resource, or its path on the origin of the issuer.
 */
export function sessionStarter(
  as: TestLatchkey,
  driver: ClientDriver,
  wholeJourney: ClientJourney,
  location: string,
): SessionStarter {
  const resourceUrl = new URL(location, as.issuer).href;
  const opened: string[] = [];
  const waits: Wait[] = [];

  async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    // A client with a clock of its own would reject what a server that is ahead of it signs.
    if (driver.readsClock) as.clock.advance(Math.max(0, milliseconds / 1000));
    else waits.push({ after: as.log.unmasked.exchanges.length, milliseconds });
    // A client that polls without end lets other tasks run.
    await new Promise((resolve) => setTimeout(resolve, 0));
    signal.throwIfAborted();
  }

  const starts: Readonly<Record<SessionStart, (journey: ClientJourney) => Promise<ClientSession>>> = {
    logIn: (journey) => driver.logIn!(journey),
    logInDevice: (journey) =>
      driver.logInDevice!({
        ...journey,
        sleep: (milliseconds) => sleep(milliseconds, journey.signal),
        open: (url) => void opened.push(String(url)),
      }),
    requestResource: (journey) => driver.requestResource!({ ...journey, resource: resourceUrl }),
    async acceptToken(journey) {
      const accessToken = await as.mint.accessToken({ client: journey.client, resource: resourceUrl });
      const client = as.client({ confidential: true, grant_types: ["client_credentials"], serves: [resourceUrl] });
      return await driver.acceptToken!({ ...journey, client, resource: resourceUrl, accessToken });
    },
  };

  return {
    resource: driver.requestResource && as.resource(location),
    opened,
    waits,
    begin: (by, signal) =>
      starts[by](
        signal === undefined
          ? wholeJourney
          : { ...wholeJourney, signal: AbortSignal.any([wholeJourney.signal, signal]) },
      ),
  };
}
