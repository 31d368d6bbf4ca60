/** The capabilities that the check and a driver provide, without any request. */

import { type ClientDriver, type ClientSession, sessionStartsOf } from "./driver.ts";
import type { Capability } from "./capabilities.ts";
import type { TestClient } from "../testing/clients.ts";

/** What the options of the check, a driver, the client that it logs in to and a session let the check do. */
export function givenCapabilities(
  driver: ClientDriver,
  client: Partial<TestClient>,
  session: ClientSession,
  { as, timeLimits }: { readonly as?: { readonly issuer: string }; readonly timeLimits?: boolean },
): Capability[] {
  const { receive, receiveCallback, readsClock, recordsVisits } = driver;
  const has: Partial<Readonly<Record<Capability, boolean>>> = {
    refresh: session.refresh !== undefined,
    request: session.request !== undefined,
    currentUser: session.currentUser !== undefined,
    claims: session.claims !== undefined,
    logInSilently: session.logInSilently !== undefined,
    logOut: session.logOut !== undefined,
    receiveCallback: receiveCallback !== undefined,
    receive: receive !== undefined,
    backChannelLogout: receive !== undefined && client.backchannel_logout_uri !== undefined,
    frontChannelLogout: receive !== undefined && client.frontchannel_logout_uri !== undefined,
    visits: recordsVisits === true,
    journeyBrowser: driver.opensBrowser !== true,
    clock: readsClock === true,
    ages: readsClock === true || session.passTime !== undefined,
    severalIssuers: as === undefined,
    anyOrigin: as === undefined,
    httpsIssuer: as === undefined || as.issuer.startsWith("https:"),
    timeLimits: timeLimits === true,
  };
  return [...sessionStartsOf(driver), ...(Object.keys(has) as Capability[]).filter((name) => has[name])];
}
