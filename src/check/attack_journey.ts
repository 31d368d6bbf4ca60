/**
 * The journey of one attack: what the client does before it, the action under attack, what is seen of the client, and
 * what the attack finds out afterwards.
 */

import { findParam } from "../recorder/record_request.ts";
import { unlessAborted } from "../platform/http/unless_aborted.ts";
import type { TestLatchkey } from "../testing/test_latchkey.ts";
import type { Action, Attempt } from "./attempt.ts";
import {
  type Conclusion,
  countLogins,
  exchangesOfOneLogin,
  isPatient,
  type Journey,
  journeyOf,
  mayBeginAgain,
  type Observation,
  secondsBetweenLogins,
} from "./attack.ts";
import {
  assertSession,
  type ClientSession,
  EndlessLoginError,
  LoginLimitError,
  maxNewLogins,
  sessionStartsOf,
  UndecidedError,
} from "./driver.ts";
import type { CrashWatch } from "./crashes.ts";
import { scan } from "./markers.ts";
import { type JourneyEnvironment, withoutServerNumber } from "./journeys.ts";
import { assess, type CheckTask, describeError, skippedResult, unclearResult } from "./assess.ts";
import { resultWithoutJourney } from "./obstacles.ts";
import type { AttackResult, ControlResult } from "./report.ts";
import type { Runner } from "./runner.ts";
import { isOfUserinfoAlone } from "./user_texts.ts";
import { openStage } from "./stage.ts";
import { loggedTokens } from "./attacks/open_logins.ts";

/**
 * Performs the journey of a task.
 *
 * @param restart Restarts the client while the attack is active. Default: it does not restart.
 * @returns The result, and whether the client crashed, perhaps in another journey at the same time or before.
 */
export async function runAttack(
  runner: Runner,
  control: ControlResult,
  task: CheckTask,
  restart?: () => Promise<void>,
): Promise<{ readonly result: AttackResult; readonly hasCrash: boolean }> {
  const known = resultWithoutJourney(runner, control, task);
  if (known !== undefined) return { result: known, hasCrash: false };
  return await runner.withinLimit(() =>
    runner.inEnvironment(async (environment, watch) => {
      const result = await perform(runner, control, task, environment, watch, restart)
        .catch((error: unknown) => limitedResult(task, error));
      return { result, hasCrash: watch.crash !== undefined };
    }), ({ result }) => result.evidence.error);
}

/** The result of a journey that met a limit of logins. @throws Any other error. */
function limitedResult(task: CheckTask, error: unknown): AttackResult {
  if (!(error instanceof LoginLimitError)) throw error;
  return unclearResult(task, error.message, { cause: error.reason, evidence: { error, exchanges: [] } });
}

/** Whether the login of a journey begins with one without pages, whose failure shows nothing. */
function triesSilently({ capabilities }: ControlResult, journey: Journey): boolean {
  return capabilities.has("silentFirst") && (journey === "login" || journey === "second issuer");
}

/** Whether an action ended with the user of the control. */
export function isExpected({ result }: Attempt<ClientSession | Conclusion>, { sub = "" }: ControlResult): boolean {
  return result !== undefined && "sub" in result && withoutServerNumber(result.sub) === withoutServerNumber(sub);
}

async function perform(
  runner: Runner,
  control: ControlResult,
  task: CheckTask,
  environment: JourneyEnvironment,
  watch: CrashWatch,
  restart = () => Promise.resolve(),
): Promise<AttackResult> {
  const { attack, values } = task;
  const { as, trap, opened, waits } = environment;
  const usualOfUserinfo = control.shown.filter((text) => isOfUserinfoAlone(text, control.exchanges));
  // An application may name a user by issuer and sub, and each journey has its own issuer.
  const expectedSub = control.sub?.replace(/\bissuer-\d+\.test\b/, new URL(as.issuer).host) ?? "";
  const journey = journeyOf(attack, values);
  const start = attack.by === "any" ? sessionStartsOf(runner.driver)[0]! : attack.by;
  const begin = (signal: AbortSignal) => environment.begin(start, signal);
  const beginAs = (of = environment.journey, signal?: AbortSignal) =>
    environment.begin(start, signal, { ...of, mayBeginAgain: mayBeginAgain(attack) });
  const beginUnderAttack = (signal: AbortSignal) => beginAs(undefined, signal);
  const earlier = journey === "login" ? undefined : await runner.attempt(
    (signal) => prepare(runner, journey, environment, () => begin(signal), !control.failedCapabilities.has("logOut")),
    watch,
  );
  if (earlier !== undefined && earlier.result === undefined) return withoutEarlierLogin(task, earlier.error);
  const session = earlier?.result;
  session?.passTime?.(secondsBetweenLogins);
  const [earlierExchanges, earlierTokens] = [as.log.unmasked.exchanges.length, loggedTokens(as).length];
  const stage = openStage(runner.driver, environment, {
    session,
    expectedSub,
    capabilities: control.capabilities,
    begin: beginAs,
    skipsSilent: triesSilently(control, journey),
  });
  try {
    await attack.start(stage, values);
    const act: Action<ClientSession | Conclusion> = attack.perform === undefined
      ? actions[journey]?.bind(undefined, session!) ?? beginUnderAttack
      : (signal, restartLimit) =>
        attack.perform!({ ...stage, begin: (of) => (restartLimit(), beginAs(of, signal)) }, values);
    const startError = await unlessAborted(restart(), runner.options.signal).then(
      () => undefined,
      (error: unknown) => ({
        error,
      }),
    );
    const ended: Attempt<ClientSession | Conclusion> = startError !== undefined
      ? { outcome: "rejected", ...startError }
      // Clients limit how often they fetch keys, so that new ones may take time.
      : isPatient(attack)
      ? await runner.repeat(act, watch, (ended) => isExpected(ended, control))
      : await runner.attempt(act, watch, attack);
    const isOneLogin = act === beginUnderAttack && (start === "logIn" || attack.by === "any") && mayBeginAgain(attack);
    const all = as.log.unmasked.exchanges.slice(earlierExchanges);
    const isLasting = attack.level !== "must-tolerate" && stage.isLasting();
    const exchanges = isOneLogin && !isLasting ? exchangesOfOneLogin(all, control.authorizations) : all;
    const newLogins = isOneLogin ? countLogins(all) - control.authorizations : 0;
    // A login after the attacked one has no attack, so it shows nothing about the attack.
    const { outcome, error, result }: Attempt<ClientSession | Conclusion> =
      exchanges.length < all.length && ended.outcome === "accepted"
        ? { outcome: "rejected", error: new Error("the application began a new login") }
        : ended;
    const isEndless = error instanceof EndlessLoginError || outcome !== "accepted" && newLogins >= maxNewLogins;
    const evidence = { outcome, error, exchanges };
    if (error instanceof UndecidedError) {
      return unclearResult(task, describeError(error), { cause: error.reason, evidence });
    }
    // Each session has a sub, and may have any other member; a conclusion has none.
    const conclusion = result !== undefined && !("sub" in result) ? result : undefined;
    const reach = stage.reach();
    // A client that fails because of one fault may never meet the next one.
    const isMet = reach === "all" || reach === "some" && (conclusion?.outcome ?? outcome) === "rejected";
    if (!isMet && outcome !== "hung" && outcome !== "crashed") {
      return attack.ifUnmet === undefined
        ? unclearResult(task, "no request of the client met the attack", { evidence })
        : skippedResult(task, attack.ifUnmet, { evidence });
    }
    let hasRecovered = false;
    const afterwards = async (act: Action<ClientSession>, isOver?: () => Promise<boolean>) => {
      stage.removeRules();
      stage.restoreTime();
      if (startError !== undefined) await runner.restart?.();
      const again = await runner.repeat(act, watch, (ended) => isExpected(ended, control), isOver);
      if (again.error instanceof LoginLimitError) throw again.error;
      return hasRecovered = isExpected(again, control);
    };
    // A session that the application has ended never refreshes again.
    const isLoggedOut = async () =>
      session?.currentUser !== undefined && await session.currentUser().catch(() => "unknown") === undefined;
    const hidesRejection = journey === "refresh" && outcome === "accepted" && conclusion === undefined &&
      trap.requests.length === 0 && !control.capabilities.has("showsRefresh");
    const mayHide = hidesRejection && (attack.level === "must-reject" || attack.level === "should-reject");
    if (mayHide) stage.removeRules();
    const used = mayHide ? await tokensUsedNext(as, session!, earlierTokens, runner, watch) : "new";
    if (used === "none") {
      const because =
        "a refresh that the server rejects looks like one that succeeds, and no later request has a token";
      return unclearResult(task, `${because}: name a page that uses the access token (--api-url)`, { evidence });
    }
    const isDiscarded = used === "earlier" && { error: new Error("its next request had the earlier tokens") };
    const observation: Observation = {
      ...{ ...evidence, ...isDiscarded },
      outcome: isDiscarded ? "rejected" : conclusion?.outcome ?? outcome,
      session: result !== undefined && "sub" in result ? result : undefined,
      ...{ isEndless, conclusion, expectedSub, usualOfUserinfo, earlier: session, trap, opened, waits },
      capabilities: control.capabilities,
      scan: () => scan(environment),
      countRequests: (endpoint) => as.log.unmasked.filter(endpoint).length,
      logInAgain: async () => isExpected(await runner.attempt(begin, watch), control),
      recovers: () => afterwards(begin),
      refreshAgain: () => afterwards(() => actions.refresh!(session!), isLoggedOut),
    };
    const assessed = await assess(task, observation);
    // The client may crash after its last action.
    stage.removeRules();
    await runner.waitForEnd(environment, watch);
    const { crash } = watch;
    return crash === undefined
      ? { ...assessed, evidence: { ...assessed.evidence, hasRecovered } }
      : await assess(task, { ...observation, outcome: "crashed", error: crash.error });
  } finally {
    stage.removeRules();
  }
}

/**
 * Whether the client uses the tokens of an attacked response, or those that it had before: its next requests show it.
 *
 * @param before The number of the tokens before the attack.
 */
async function tokensUsedNext(
  as: TestLatchkey,
  session: ClientSession,
  before: number,
  runner: Runner,
  watch: CrashWatch,
): Promise<"new" | "earlier" | "none"> {
  const { length } = as.log.unmasked.exchanges;
  const tokens = loggedTokens(as).map(([, token]) => token);
  for (const name of ["request", "refresh"] as const) {
    if (session[name] !== undefined) await runner.attempt(() => session[name]!(), watch);
  }
  const sent = as.log.unmasked.exchanges.slice(length).flatMap(({ request }) =>
    findParam(request, "refresh_token") ?? request.headers.authorization?.split(" ")[1] ?? []
  );
  const earlier = tokens.slice(0, before);
  if (sent.some((token) => tokens.includes(token) && !earlier.includes(token))) return "new";
  return sent.some((token) => earlier.includes(token)) ? "earlier" : "none";
}

/** What the client does before the attack. @returns The session that it begins. */
async function prepare(
  { driver }: Runner,
  journey: Journey,
  { journey: first, openOtherIssuer }: JourneyEnvironment,
  begin: () => Promise<ClientSession>,
  canLogOut: boolean,
): Promise<ClientSession> {
  if (journey === "second issuer") return await driver.logIn!({ ...first, issuer: (await openOtherIssuer()).issuer });
  const session = await begin();
  if (journey === "second login" && canLogOut) await session.logOut?.();
  return session;
}

function withoutEarlierLogin(task: CheckTask, error: unknown): AttackResult {
  if (error instanceof LoginLimitError) return limitedResult(task, error);
  const because = describeError(error);
  const cause = "the login before the attack failed";
  return unclearResult(task, `${cause}: ${because}`, { cause, evidence: { error, exchanges: [] } });
}

/** What the client does while the attack is active, in a session; in other journeys it begins one. */
const actions: Partial<Readonly<Record<Journey, (session: ClientSession) => Promise<ClientSession>>>> = {
  async refresh(session) {
    await session.refresh!();
    return session;
  },
  async logout(session) {
    await session.logOut!();
    return session;
  },
  "silent login": async (session) => assertSession(await session.logInSilently!(), "logInSilently"),
};
