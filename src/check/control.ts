/** The journeys without an attack. They find the abilities of the client; attacks that need others are skipped. */

import { decodeJwtPart } from "../platform/http/jwt_part.ts";
import type { TestLatchkey } from "../testing/test_latchkey.ts";
import { abilitiesOf, type Ability, featuresIn } from "./abilities.ts";
import { body } from "../testing/faults/mod.ts";
import { assertSession } from "./checked_driver.ts";
import type { CrashWatch } from "./crashes.ts";
import type { ClientDriver, ClientSession } from "./driver.ts";
import type { JourneyEnvironment } from "./journeys.ts";
import type { Exchange } from "../recorder/exchange.ts";
import { countLogins } from "./observation.ts";
import type { ControlResult } from "./report.ts";
import { type SessionStart, sessionStartsOf } from "./session_starts.ts";
import type { TimeLimit } from "./time_limit.ts";

/** Uses an ability. @throws {unknown} If the client does not have the ability. */
type AbilityControl = (session: ClientSession, environment: JourneyEnvironment, driver: ClientDriver) => Promise<void>;

/** The abilities to try, each in a separate session. */
const abilityControls: Partial<Readonly<Record<Ability, AbilityControl>>> = {
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

/** The request that logs out a client (Back-Channel Logout §2.5). */
export function logoutRequest(client: { readonly backchannel_logout_uri?: string }, logoutToken: string): Request {
  return new Request(client.backchannel_logout_uri!, {
    method: "POST",
    body: new URLSearchParams({ logout_token: logoutToken }),
  });
}

/** The `sid` of the newest ID token; `undefined` if it has none. */
export function sessionIdOf({ log }: TestLatchkey): string | undefined {
  const { body = "{}" } = log.unmasked.last("token").response ?? {};
  const { id_token = "" } = JSON.parse(body) as { readonly id_token?: string };
  const { sid } = decodeJwtPart(id_token, 1);
  return typeof sid === "string" ? sid : undefined;
}

async function assertLoggedOut({ currentUser }: ClientSession, cause: string): Promise<void> {
  const user = await currentUser?.();
  if (user !== undefined) throw new Error(`after ${cause}, ${user} is still logged in`);
}

/** Opens a journey and closes it; watches for crashes meanwhile. */
export type WithEnvironment = <Result>(
  use: (environment: JourneyEnvironment, watch: CrashWatch) => Promise<Result>,
) => Promise<Result>;

/**
 * Begins a session without a fault in each way that the driver supports, and uses each other ability, all in separate
 * journeys.
 */
export async function runControl(
  driver: ClientDriver,
  { attempt }: TimeLimit,
  withEnvironment: WithEnvironment,
): Promise<ControlResult> {
  const exchanges: Exchange[] = [];
  const run = (by: SessionStart, use?: AbilityControl) =>
    withEnvironment(async (environment, watch) => {
      const { unmasked: log } = environment.as.log;
      const login = await attempt((signal) => environment.begin(by, signal), watch);
      const isSilent = (by === "acceptToken" ? log.exchanges : log.filter("token")).length === 0;
      const session = isSilent ? undefined : login.result;
      const used = session &&
        await attempt(async () => await use?.(session, environment, driver), watch);
      exchanges.push(...log.exchanges);
      return { login, used };
    });

  const failedAbilities = new Map<Ability, unknown>();
  const [first, ...others] = sessionStartsOf(driver);
  const { login: { outcome, error, result: session }, used } = await run(first!);
  const authorizations = countLogins(exchanges);
  const failed = {
    passed: false,
    authorizations,
    abilities: new Set<Ability>(),
    endpoints: new Set<string>(),
    failedAbilities,
    exchanges,
  };
  if (session === undefined) return { ...failed, outcome, error };
  if (used === undefined) {
    return { ...failed, outcome, error: new Error("The driver returned a session, but sent no token request.") };
  }
  const abilities = abilitiesOf(driver, session);
  for (const ability of abilities) {
    const start = others.find((other) => other === ability);
    const use = abilityControls[ability];
    if (use === undefined && start === undefined) continue;
    const { login, used } = await run(start ?? first!, use);
    const result = used ?? login;
    if (result.outcome !== "accepted") failedAbilities.set(ability, result.error ?? new Error("it did not end"));
    else if (login.result!.sub !== session.sub) {
      failedAbilities.set(ability, new Error(`another user was logged in: ${login.result!.sub}`));
    }
  }
  return {
    ...{ passed: true, outcome, sub: session.sub, claims: session.claims, failedAbilities, authorizations },
    abilities: new Set([...abilities, ...featuresIn(exchanges)]),
    endpoints: new Set(exchanges.map(({ endpoint }) => endpoint)),
    exchanges,
  };
}

/** Whether the client rejects a text that is not an ID token; false if it requests no ID token. */
export async function readsIdToken(
  driver: ClientDriver,
  { attempt }: TimeLimit,
  withEnvironment: WithEnvironment,
  { abilities, authorizations }: ControlResult,
): Promise<boolean> {
  if (!abilities.has("idToken")) return false;
  return await withEnvironment(async ({ as, begin }, watch) => {
    const rule = as.on("token").once(
      body.edited((members) => ({ ...members, id_token: "no ID token" }), "text as ID token"),
    );
    const { outcome } = await attempt((signal) => begin(sessionStartsOf(driver)[0]!, signal), watch);
    rule.remove();
    return outcome !== "accepted" || countLogins(as.log.unmasked.exchanges) > authorizations;
  });
}
