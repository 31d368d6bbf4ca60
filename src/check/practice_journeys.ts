/** Checks the practices of a client in ordinary use, without attacks. */

import { type PracticeResult, readPractices, type Recording } from "../recorder/practices/mod.ts";
import type { JourneyEnvironment } from "./journeys.ts";
import type { AttackResult, ControlResult } from "./report.ts";
import type { Runner } from "./runner.ts";
import { type SessionStart, sessionStartsOf } from "./driver.ts";

/** The number of logins at the first issuer, in each way that the driver has: some practices need three. */
const logins = 3;

/** The number of refreshes of each login, if the driver can refresh. */
const refreshesOfLogin = 2;

/**
 * Uses the client as its users do: three logins with what else the driver can do, and a login at another issuer. What
 * fails is left out.
 */
export async function recordOrdinaryUse(
  { driver, attempt, inEnvironment }: Runner,
  { capabilities, failedCapabilities }: ControlResult,
): Promise<readonly Recording[]> {
  const can = (capability: "refresh" | "request" | "logOut") =>
    capabilities.has(capability) && !failedCapabilities.has(capability);
  // A resource server sends no requests of a login.
  const logInBy = sessionStartsOf(driver).filter((start) => start !== "acceptToken");
  const record = (count: number) =>
    inEnvironment(async (environment, watch) => {
      for (const start of logInBy.flatMap((start) => Array<SessionStart>(count).fill(start))) {
        const { result: session } = await attempt((signal) => environment.begin(start, signal), watch);
        if (session === undefined) continue;
        const use = (act: () => Promise<void>) => attempt(act, watch);
        if (can("request")) await use(() => session.request!());
        for (let i = 0; can("refresh") && i < refreshesOfLogin; i++) await use(() => session.refresh!());
        if (can("logOut")) await use(() => session.logOut!());
      }
      return await recordingOf(environment);
    });
  return [await record(logins), await record(1)];
}

async function recordingOf({ as, journey }: JourneyEnvironment): Promise<Recording> {
  const registered = await as.clients.find(journey.client.client_id);
  return { issuer: as.issuer, exchanges: as.log.unmasked.exchanges, client: registered?.metadata };
}

/** Checks the practices in the ordinary use. @param results What the attacks show. */
export async function checkJourneyPractices(
  recordings: readonly Recording[],
  results: readonly AttackResult[],
): Promise<readonly PracticeResult[]> {
  return await readPractices(recordings, {
    rejectsWrongIssuer: rejects(results, "response/iss-wrong") || undefined,
    // In ordinary use, no request fails.
    failures: results.filter(({ attack: { id } }) => id === "transport/unavailable")
      .map(({ evidence }) => evidence.exchanges),
  });
}

/** Whether the client rejects every variant of an attack. */
function rejects(results: readonly AttackResult[], id: string): boolean {
  const variants = results.filter(({ attack }) => attack.id === id);
  return variants.length > 0 && variants.every(({ verdict }) => verdict === "passed");
}
