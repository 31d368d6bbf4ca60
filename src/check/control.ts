/**
 * The control: logins without an attack, before and after the attacks. Every attack is compared with its result
 * ({@link ControlResult}).
 */

import type { Exchange } from "../recorder/exchange.ts";
import type { Fault } from "../testing/faults/fault.ts";
import { body, error } from "../testing/faults/mod.ts";
import { forgeJwt, signWithForeignKey } from "./attacks/forged_jwt.ts";
import { refreshSelector } from "./attacks/refresh.ts";
import type { Attempt } from "./attempt.ts";
import { countLogins } from "./attack.ts";
import { isExpected } from "./attack_journey.ts";
import { logoutRequest, logoutUrls, sessionIdOf, userAfterLogout } from "./attacks/ended_session.ts";
import {
  assertSession,
  type ClientDriver,
  type ClientSession,
  LoginLimitError,
  type SessionStart,
  sessionStartsOf,
  TokenRejectedError,
  unknownUser,
} from "./driver.ts";
import { type JourneyEnvironment, withoutServerNumber } from "./journeys.ts";
import { completeError } from "./assess.ts";
import type { ControlResult } from "./report.ts";
import type { Runner } from "./runner.ts";
import { givenCapabilities } from "./given_capabilities.ts";
import { capabilitiesIn, type Capability } from "./capabilities.ts";
import { isNamedIn, shownTexts } from "./user_texts.ts";

/** Uses a capability. @throws {unknown} If the client does not have it. */
type CapabilityControl = (
  session: ClientSession,
  environment: JourneyEnvironment,
  driver: ClientDriver,
) => Promise<void>;

/** The capabilities to try, each in a separate session. */
const capabilityControls: Partial<Readonly<Record<Capability, CapabilityControl>>> = {
  refresh: (session) => session.refresh!(),
  request: (session) => session.request!(),
  async currentUser(session) {
    const user = await session.currentUser!();
    if (user !== session.sub) throw new Error(`after a login of ${session.sub}, the current user is ${user}`);
  },
  logInSilently: async (session) => void assertSession(await session.logInSilently!(), "logInSilently"),
  async logOut(session) {
    await session.logOut!();
    await assertLoggedOut(session, "logOut");
  },
  async backChannelLogout(session, { as, journey }, driver) {
    const { client } = journey;
    const token = await as.mint.logoutToken({ client, sid: sessionIdOf(as) });
    const { status } = await driver.receive!(journey, logoutRequest(client, token));
    if (status >= 300) throw new Error(`the client rejected a valid logout token with status ${status}`);
    await assertLoggedOut(session, "a valid logout token");
  },
};

async function assertLoggedOut(session: ClientSession, cause: string): Promise<void> {
  const user = await userAfterLogout(session);
  if (user !== undefined) throw new Error(`after ${cause}, ${user} is still logged in`);
}

/** Whether an exchange sends tokens to the client, or an ID token with the authorization response. */
function sendsTokens({ endpoint, response }: Exchange): boolean {
  return endpoint === "token" ||
    (response?.authorizationResponse?.params.some(([name]) => name === "id_token") ?? false);
}

async function losesUserWithCookies(
  { currentUser }: ClientSession,
  { journey: { browser: { cookies } } }: JourneyEnvironment,
  { recordsVisits }: ClientDriver,
): Promise<boolean> {
  if (!recordsVisits || currentUser === undefined) return false;
  cookies.clear();
  return await currentUser().catch(() => "unknown") === undefined;
}

const noRefreshToken = "the client received no refresh token: add refresh_token to its grant_types, " +
  "and let it request offline_access if the server requires that";

/**
 * Begins a session without a fault in each way that the driver supports, and uses each other capability, all in
 * separate journeys.
 */
export async function runControl(
  { driver, options, attempt, inEnvironment, withinLimit }: Runner,
): Promise<ControlResult> {
  const exchanges: Exchange[] = [];
  let [limitsLogins, showsLogout, hasCookieSession] = [false, false, false];
  /** The second user, as the application shows it. */
  let second: string | undefined;
  const run = (by: SessionStart, use?: CapabilityControl) =>
    withinLimit(() =>
      inEnvironment(async (environment, watch) => {
        const { unmasked: log } = environment.as.log;
        const login = await attempt((signal) => environment.begin(by, signal), watch);
        // The token request of a resource server is one of the check.
        const isSilent = by !== "acceptToken" && !log.exchanges.some(sendsTokens);
        const session = isSilent ? undefined : login.result;
        const used = session && await attempt(async () => await use?.(session, environment, driver), watch);
        const isLimited = (used ?? login).error instanceof LoginLimitError;
        limitsLogins ||= isLimited;
        showsLogout ||= logoutUrls(environment.journey).size > 0;
        if (by === "logIn" && use === undefined && session !== undefined) {
          hasCookieSession = await losesUserWithCookies(session, environment, driver);
        }
        if (!isLimited) {
          exchanges.push(...log.exchanges.filter(({ endpoint }) => by !== "acceptToken" || endpoint !== "token"));
        }
        return { login, used };
      }), ({ login, used }) => (used ?? login).error);

  const failedCapabilities = new Map<Capability, unknown>();
  const [first, ...others] = sessionStartsOf(driver);
  const { login: { outcome, error, result: session }, used } = await run(first!);
  const authorizations = countLogins(exchanges);
  const isSilentFirst = capabilitiesIn(exchanges).includes("silentFirst");
  if (session === undefined) return { ...noControl, authorizations, exchanges, outcome, error };
  if (used === undefined) {
    const error = new Error("The client returned a session, but sent no token request, and received no ID token.");
    return { ...noControl, authorizations, exchanges, outcome, error };
  }
  if (first === "logIn" && !driver.opensBrowser) {
    const login = await withinLimit(() =>
      inEnvironment(async ({ as, openBrowser }, watch) => {
        const [, user] = await as.users.list();
        const logIn = async () => user && await driver.logIn!(openBrowser({ as: user.sub }));
        return await attempt(logIn, watch);
      }), ({ error }) => error);
    second = login.result?.sub;
  }
  // A server may have several clients; the login has shown which one it is.
  const client = await inEnvironment(({ journey }) => Promise.resolve(journey.client));
  const given = givenCapabilities(driver, client, session, options);
  for (const capability of given) {
    const start = others.find((other) => other === capability);
    const use = capabilityControls[capability];
    if (use === undefined && start === undefined) continue;
    const { login, used } = await run(start ?? first!, use);
    const result = used ?? login;
    const seen = capabilitiesIn(exchanges);
    const lacksToken = capability === "refresh" && seen.includes("requestsTokens") && !seen.includes("refreshToken");
    if (result.outcome !== "accepted") {
      failedCapabilities.set(capability, lacksToken ? new Error(noRefreshToken) : result.error);
    } else if (withoutServerNumber(login.result!.sub) !== withoutServerNumber(session.sub)) {
      failedCapabilities.set(capability, new Error(`another user was logged in: ${login.result!.sub}`));
    }
  }
  // An application may show an id of its own.
  const namesUser = isNamedIn(session.sub, exchanges) || second !== undefined && second !== session.sub;
  return {
    ...{ passed: true, outcome, sub: session.sub, claims: session.claims, failedCapabilities, authorizations },
    shown: shownTexts(session),
    capabilities: new Set([
      ...given,
      ...limitsLogins ? ["limitsLogins"] as const : [],
      ...showsLogout ? ["showsLogout"] as const : [],
      ...hasCookieSession ? ["cookieSession"] as const : [],
      ...second === undefined ? [] : ["secondUser"] as const,
      ...session.sub !== unknownUser && namesUser ? ["namesUser"] as const : [],
      ...capabilitiesIn(exchanges).filter((capability) => capability !== "silentFirst" || isSilentFirst),
    ]),
    endpoints: new Set(exchanges.map(({ endpoint }) => endpoint)),
    exchanges,
  };
}

/** The result of a control that was stopped before it ended. */
export const noControl: ControlResult = {
  passed: false,
  outcome: "hung",
  error: new Error("the check was stopped before it ended"),
  authorizations: 0,
  exchanges: [],
  endpoints: new Set(),
  shown: [],
  capabilities: new Set(),
  failedCapabilities: new Map(),
};

/**
 * Adds to the control whether a refresh shows that the server has rejected it, whether a resource server names DPoP,
 * whether the client reads the ID token, and whether it verifies its signature: logins whose ID token is a text, or is
 * signed with another key. An application in another process must log in again afterwards; it is restarted if it
 * cannot.
 */
export async function probeClient(runner: Runner, control: ControlResult): Promise<ControlResult> {
  const { restart } = runner;
  const { as } = runner.options;
  const showsRefresh = control.capabilities.has("refresh") && await reportsRejectedRefresh(runner, control);
  const seen: ControlResult = {
    ...control,
    capabilities: new Set<Capability>([
      ...control.capabilities,
      ...showsRefresh ? ["showsRefresh"] as const : [],
      ...control.capabilities.has("acceptToken") && await namesDpop(runner) ? ["dpopScheme"] as const : [],
    ]),
  };
  if (!seen.capabilities.has("idToken") || !await rejects(runner, control, textAsIdToken)) return seen;
  // An application that the text has stopped would reject any ID token.
  if (restart !== undefined && await failedLogin(runner, control) !== undefined) await restart();
  const checksSignature = await rejects(runner, control, forgeJwt("ID token of another key", signWithForeignKey));
  const probed = {
    ...seen,
    capabilities: new Set<Capability>([
      ...seen.capabilities,
      "readsIdToken",
      ...checksSignature ? ["checksSignature"] as const : [],
    ]),
  };
  if (as === undefined) return probed;
  let failed = await failedLogin(runner, control);
  if (failed !== undefined && restart !== undefined) {
    await restart();
    failed = await failedLogin(runner, control);
  }
  if (failed === undefined || failed.error instanceof LoginLimitError) return probed;
  const because = `it failed after a token response whose ID token is not valid: ${completeError(failed.error)}`;
  const { outcome, exchanges } = failed;
  return { ...probed, passed: false, outcome, error: new Error(because), exchanges };
}

const textAsIdToken = body.edited((members) => ({ ...members, id_token: "no ID token" }), "text as ID token");

/** Whether the client rejects the token response of a login. */
async function rejects(
  { driver, attempt, inEnvironment }: Runner,
  control: ControlResult,
  fault: Fault,
): Promise<boolean> {
  return await inEnvironment(async ({ as, begin }, watch) => {
    const rule = as.on("token").once(fault);
    const { outcome } = await attempt((signal) => begin(sessionStartsOf(driver)[0]!, signal), watch);
    rule.remove();
    return outcome !== "accepted" || countLogins(as.log.unmasked.exchanges) > control.authorizations;
  });
}

/** Whether a resource server names DPoP in the challenge to a token that it rejects (RFC 9449 §7.1). */
async function namesDpop({ driver, attempt, inEnvironment }: Runner): Promise<boolean> {
  return await inEnvironment(async ({ issueToken }, watch) => {
    const journey = { ...await issueToken(), accessToken: "no-access-token" };
    const { error } = await attempt(() => driver.acceptToken!(journey), watch);
    return error instanceof TokenRejectedError && /(?:^|,)\s*DPoP\b/i.test(error.challenge);
  });
}

/** Whether a refresh fails, or leads to a new login, when the server rejects it. */
async function reportsRejectedRefresh({ driver, attempt, inEnvironment }: Runner, control: ControlResult) {
  return await inEnvironment(async ({ as, begin }, watch) => {
    const { result: session } = await attempt((signal) => begin(sessionStartsOf(driver)[0]!, signal), watch);
    if (session?.refresh === undefined) return false;
    const rule = as.on("token", refreshSelector).always(error("invalid_grant"));
    const { outcome } = await attempt(() => session.refresh!(), watch);
    rule.remove();
    return outcome !== "accepted" || countLogins(as.log.unmasked.exchanges) > control.authorizations;
  });
}

/**
 * Logs in without an attack. `undefined` if the client logs in as it did in the control, else what happened.
 *
 * @param later How much later than the login of the control it is for a client that reads the clock, in seconds.
 */
export async function failedLogin(
  { driver, repeat, inEnvironment, withinLimit }: Runner,
  control: ControlResult,
  later = 0,
): Promise<Attempt<ClientSession> & Pick<ControlResult, "exchanges"> | undefined> {
  const logIn = () =>
    withinLimit(() =>
      inEnvironment(async ({ as, begin }, watch) => {
        as.clock.advance(later);
        const ended = await repeat(
          (signal) => begin(sessionStartsOf(driver)[0]!, signal),
          watch,
          (ended) => isExpected(ended, control),
        );
        return { ...ended, exchanges: as.log.unmasked.exchanges };
      }), ({ error }) => error);
  const first = await logIn();
  // A crash may belong to the attack before.
  const ended = first.outcome === "crashed" ? await logIn() : first;
  return isExpected(ended, control) ? undefined : ended;
}

/** The longest rest of a client after failures, in seconds. */
const maxRestSeconds = 3600;

/** The control; failed if the client does not log in again as it did then, at least after a rest. */
export async function controlAgain(runner: Runner, control: ControlResult): Promise<ControlResult> {
  const immediate = await failedLogin(runner, control);
  const canRest = immediate !== undefined && runner.driver.readsClock;
  const ended = canRest ? await failedLogin(runner, control, maxRestSeconds) : immediate;
  if (ended === undefined) return control;
  const { outcome, error = new Error("it did not log in the same user"), exchanges } = ended;
  const because = `it succeeded before the attacks, and failed after them: ${completeError(error)}`;
  return { ...control, passed: false, outcome, error: new Error(because, { cause: error }), exchanges };
}
