/** The journeys of a check: the one without an attack, and one for each variant of each attack. */

import { isAboutFeature, missingAbility } from "./abilities.ts";
import { assess, completeError, describeError } from "./assess.ts";
import { type Attempt, attempt, untilStopped } from "./attempt.ts";
import { type Assessment, type Conclusion, type Journey, journeyOf, needsOf } from "./attack.ts";
import { assertSession } from "./checked_driver.ts";
import type { CheckOptions } from "./check_options.ts";
import { readsIdToken, runControl } from "./control.ts";
import { type CrashWatch, watchCrashes } from "./crashes.ts";
import { type ClientDriver, type ClientSession, LoginLimitError, UndecidedError, unknownUser } from "./driver.ts";
import type { Recording } from "../recorder/habits/mod.ts";
import type { Exchange } from "../recorder/exchange.ts";
import { recordOrdinaryUse } from "./habit_journeys.ts";
import type { JourneyEnvironment, Journeys } from "./journeys.ts";
import { exchangesOfOneLogin, type Observation } from "./observation.ts";
import type { AttackResult, ControlResult } from "./report.ts";
import { isNamedIn } from "./sent_claims.ts";
import { sessionStartsOf } from "./session_starts.ts";
import { openStage } from "./stage.ts";
import { assessedResult, type CheckTask, type JourneyResult, unknownResult } from "./task.ts";
import { type Action, timeLimit } from "./time_limit.ts";

/** The journeys of one check. */
export interface CheckRun {
  /** Performs one login, and what else the driver can do, without a fault. Must be called first. */
  control(): Promise<ControlResult>;
  /**
   * The result of the control and of a login with a response that no client should accept; failed if the client stops
   * at it. An application in another process is restarted, if that is possible.
   */
  controlWithProbe(): Promise<ControlResult>;
  /** Logs in without an attack. `undefined` if the client logs in as it did in the control, else what happened. */
  failedLogin(): Promise<Attempt<unknown> | undefined>;
  /** The result of the control; failed if the client does not log in again as it did then. */
  controlAgain(): Promise<ControlResult>;
  /** The endpoints that a login without a fault requests. */
  requestedEndpoints(): Promise<ReadonlySet<string>>;
  /** Uses the client without a fault, as often as its habits need. */
  ordinaryUse(): Promise<readonly Recording[]>;
  /** Performs the journey of a task; with `restart` the client restarts while the attack is active. */
  check(task: CheckTask, restart?: () => Promise<void>): Promise<JourneyResult>;
}

/** How long to wait before the second login of a client that may need time to recover; then twice as long each time. */
const firstRecoveryIntervalMs = 250;

/** The longest wait between two of these logins. */
const maxRecoveryIntervalMs = 1000;

/** How much time passes between a login and a second one: longer than clients wait before they fetch keys again. */
const secondsBetweenLogins = 120;

/** How long to wait for an action that a crash interrupted, in milliseconds: it may never end. */
const maxUnfinishedMs = 1000;

/** Prepares the journeys of one check. */
export function checkRun(driver: ClientDriver, journeys: Journeys, options: CheckOptions): CheckRun {
  const { timeLimits = false, timeoutMs = 5000, pauseMs = 0, recoveryMs = options.as === undefined ? 0 : 60_000 } =
    options;
  const { signal: stop, inProcess = true } = options;
  const limit = timeLimit({ ...options, timeoutMs });
  const { verifiesIdTokenSignature = true } = driver;
  const firstStart = sessionStartsOf(driver)[0]!;
  let controlResult: ControlResult | undefined;

  type Ended = Attempt<ClientSession | Conclusion>;
  const isExpected = ({ result }: Ended) =>
    result !== undefined && "sub" in result && result.sub === controlResult?.sub;

  /**
   * Repeats an attempt until it succeeds, at most for the time that the client has to recover, but at least once if it
   * has any.
   *
   * @param isOver Whether no later attempt can succeed. Default: one can.
   */
  async function repeat(
    act: Action<ClientSession | Conclusion>,
    watch: CrashWatch,
    isOver: () => Promise<boolean> = () => Promise.resolve(false),
  ): Promise<Ended> {
    const deadline = performance.now() + recoveryMs;
    for (let retries = 0;; retries++) {
      const ended = await limit.attempt(act, watch);
      const isFinal = isExpected(ended) || ended.error instanceof LoginLimitError || await isOver();
      const intervalMs = Math.min(firstRecoveryIntervalMs * 2 ** retries, maxRecoveryIntervalMs, recoveryMs);
      const isLate = retries > 0 && performance.now() + intervalMs > deadline;
      if (isFinal || isLate || recoveryMs === 0) return ended;
      await new Promise((resolve) => setTimeout(resolve, intervalMs));
    }
  }

  async function withEnvironment<T>(
    use: (environment: JourneyEnvironment, watch: CrashWatch) => Promise<T>,
  ): Promise<T> {
    if (pauseMs > 0) await untilStopped(new Promise((resolve) => setTimeout(resolve, pauseMs)), stop);
    const watch = watchCrashes(inProcess);
    const environment = await journeys.open(driver);
    try {
      return await use(environment, watch);
    } finally {
      await environment.close();
      try {
        // An error that the client does not catch then belongs to no other journey.
        await attempt(environment.requestsEnd, undefined, timeoutMs, stop);
        await attempt(watch.unfinishedEnd, undefined, Math.min(timeoutMs, maxUnfinishedMs), stop);
        await watch.nextTask();
      } finally {
        watch.end();
      }
    }
  }

  const logInAgain = () =>
    withEnvironment(async ({ as, begin }, watch) => {
      const ended = await repeat((signal) => begin(firstStart, signal), watch);
      return { ...ended, exchanges: as.log.unmasked.exchanges };
    });

  function skipReason({ attack, values }: CheckTask): string | undefined {
    const { endpoint } = values;
    if (attack.waitsForTimeLimit && !timeLimits) return "the attack waits for the time limits of the client";
    if (attack.needsSignatureCheck && !verifiesIdTokenSignature) {
      return "the client skips the signature, which OpenID Connect Core §3.1.3.7 allows";
    }
    if (attack.needsHttpsIssuer && options.as?.issuer.startsWith("http:")) return "the issuer is not an https URL";
    if (attack.needsAnyOrigin && options.as !== undefined) return "the attack names hosts of internal networks";
    const isConfigured = attack.needsOwnServer || journeyOf(attack, values) === "second issuer";
    if (isConfigured && options.as !== undefined) return "the client is configured with one issuer";
    if (!controlResult?.passed) return undefined;
    const { abilities, endpoints } = controlResult;
    const only = typeof endpoint === "string" ? endpoint : attack.endpoints.length === 1 ? attack.endpoints[0]! : "";
    // Clients do not use every endpoint. A client may also have cached a document, such as the metadata, before.
    const isOptional = only === "userinfo" || isAboutFeature(attack) && endpoint !== undefined;
    return missingAbility(needsOf(attack, values), abilities, inProcess) ??
      (isOptional && !endpoints.has(only) ? `the client sends no request to ${only}` : undefined);
  }

  /** Why an attack can show nothing. */
  function inconclusiveReason({ attack, values }: CheckTask): string | undefined {
    if (!controlResult?.passed) return "the login without an attack failed";
    const { sub, exchanges, failedAbilities } = controlResult;
    if (attack.needsUser && (sub === unknownUser || !isNamedIn(sub!, exchanges))) {
      const seen = sub === unknownUser ? "" : `${JSON.stringify(sub)} is in no claim of the user, so `;
      return `${seen}the application does not show who is logged in: ` +
        "name a text of this user (loggedInText, --logged-in-text)";
    }
    const ability = needsOf(attack, values).find((needed) => failedAbilities.has(needed));
    return ability && `${ability} fails without an attack: ${describeError(failedAbilities.get(ability))}`;
  }

  /** The result of a task that needs no journey. */
  function unknownBefore(task: CheckTask): AttackResult | undefined {
    const skipped = skipReason(task);
    if (skipped !== undefined) return unknownResult(task, "skipped", skipped);
    const inconclusive = inconclusiveReason(task);
    return inconclusive === undefined ? undefined : unknownResult(task, "inconclusive", inconclusive);
  }

  /** What the client does before the attack. @returns The session that it begins. */
  async function prepare(
    journey: Journey,
    { journey: first, openOtherIssuer }: JourneyEnvironment,
    begin: () => Promise<ClientSession>,
  ): Promise<ClientSession> {
    if (journey === "second issuer") return await driver.logIn!({ ...first, issuer: (await openOtherIssuer()).issuer });
    const session = await begin();
    if (journey === "login after logout") await session.logOut!();
    return session;
  }

  /** Performs the journey of an attack. */
  async function observe(
    task: CheckTask,
    environment: JourneyEnvironment,
    watch: CrashWatch,
    restart = () => Promise.resolve(),
  ): Promise<AttackResult> {
    const { attack, values } = task;
    const { as, trap, opened, waits } = environment;
    const expectedSub = controlResult?.sub ?? "";
    const begin = (signal?: AbortSignal) => environment.begin(attack.by, signal);
    const journey = journeyOf(attack, values);
    const earlier = journey === "login"
      ? undefined
      : await limit.attempt((signal) => prepare(journey, environment, () => begin(signal)), watch);
    if (earlier !== undefined && earlier.result === undefined) {
      const { error } = earlier;
      if (error instanceof LoginLimitError) {
        return unknownResult(task, "inconclusive", describeError(error), { cause: error.reason });
      }
      const cause = "the login before the attack failed";
      const evidence = { error, exchanges: [] };
      return unknownResult(task, "inconclusive", `${cause}: ${describeError(error)}`, { cause, evidence });
    }
    const session = earlier?.result;
    session?.passTime?.(secondsBetweenLogins);
    const earlierExchanges = as.log.unmasked.exchanges.length;
    const stage = openStage(driver, environment, { session, expectedSub, begin });
    try {
      await attack.start(stage, values);
      const refresh = () => session!.refresh!().then(() => session!);
      const acts: Partial<Record<Journey, () => Promise<ClientSession>>> = {
        refresh,
        logout: () => session!.logOut!().then(() => session!),
        "silent login": async () => assertSession(await session!.logInSilently!(), "logInSilently"),
      };
      const perform = attack.perform !== undefined
        ? (signal: AbortSignal) => attack.perform!({ ...stage, begin: () => begin(signal) }, values)
        : acts[journey] ?? begin;
      // Clients limit how often they fetch keys, so that new ones may take time.
      const isPatient = attack.level === "must-tolerate" && attack.id.startsWith("keys/");
      const startError = await untilStopped(restart(), stop).then(() => undefined, (error: unknown) => ({ error }));
      const ended: Ended = startError !== undefined
        ? { outcome: "rejected", ...startError }
        : isPatient
        ? await repeat(perform, watch)
        : await limit.attempt(perform, watch, attack);
      const isOneLogin = perform === begin && attack.by === "logIn" && !attack.allowsNewLogin && !isPatient;
      const all = as.log.unmasked.exchanges.slice(earlierExchanges);
      const exchanges = isOneLogin ? exchangesOfOneLogin(all, controlResult!.authorizations) : all;
      // A login after the attacked one has no attack, so it shows nothing about the attack.
      const { outcome, error, result }: Ended = exchanges.length < all.length && ended.outcome === "accepted"
        ? { outcome: "rejected", error: new Error("the application began a new login") }
        : ended;
      const evidence = { outcome, error, exchanges };
      if (error instanceof UndecidedError) {
        return unknownResult(task, "inconclusive", describeError(error), { cause: error.reason, evidence });
      }
      // Each session has a sub, and may have any other member; a conclusion has none.
      const conclusion = result !== undefined && !("sub" in result) ? result : undefined;
      const reach = stage.reach();
      // A client that fails because of one fault may never meet the next one.
      const isMet = reach === "all" || reach === "some" && (conclusion?.outcome ?? outcome) === "rejected";
      if (!isMet && outcome !== "hung" && outcome !== "crashed") {
        const { ifUnmet } = attack;
        return ifUnmet === undefined
          ? unknownResult(task, "inconclusive", "no request of the client met the attack", { evidence })
          : unknownResult(task, "skipped", ifUnmet, { evidence });
      }
      const afterwards = async (act: Action<ClientSession>, isOver?: () => Promise<boolean>) => {
        stage.removeRules();
        stage.restoreTime();
        if (startError !== undefined) await restart();
        const again = await repeat(act, watch, isOver);
        if (again.error instanceof LoginLimitError) throw again.error;
        return isExpected(again);
      };
      // A session that the application has ended never refreshes again.
      const isLoggedOut = async () =>
        session?.currentUser !== undefined && await session.currentUser().catch(() => "unknown") === undefined;
      const observation: Observation = {
        ...evidence,
        outcome: conclusion?.outcome ?? outcome,
        session: result !== undefined && "sub" in result ? result : undefined,
        conclusion,
        expectedSub,
        usualClaims: controlResult?.claims,
        earlier: session,
        ...{ trap, opened, waits },
        logInAgain: async () => isExpected(await limit.attempt(begin, watch)),
        recovers: () => afterwards(begin),
        refreshAgain: () => afterwards(refresh, isLoggedOut),
      };
      const assessment = await assess(attack, observation).catch((thrown): Assessment => {
        if (!(thrown instanceof LoginLimitError)) throw thrown;
        return { passed: false, isInconclusive: true, because: thrown.message };
      });
      // The client may crash after its last action.
      stage.removeRules();
      await attempt(environment.requestsEnd, watch, timeoutMs, stop);
      await watch.nextTask();
      if (watch.crash === undefined) return assessedResult(task, observation, assessment);
      const crashed: Observation = { ...observation, outcome: "crashed", error: watch.crash.error };
      return assessedResult(task, crashed, await assess(attack, crashed));
    } finally {
      stage.removeRules();
    }
  }

  /** Logs in without an attack. `undefined` if the client logs in as it did in the control, else what happened. */
  async function failedLogin(): Promise<Ended & { readonly exchanges: readonly Exchange[] } | undefined> {
    const first = await logInAgain();
    // A crash may belong to the attack before.
    const ended = first.outcome === "crashed" ? await logInAgain() : first;
    return isExpected(ended) ? undefined : ended;
  }

  return {
    control: async () => controlResult = await runControl(driver, limit, withEnvironment),
    async controlWithProbe() {
      const { abilities, ...control } = controlResult!;
      const reads = await readsIdToken(driver, limit, withEnvironment, controlResult!);
      controlResult = { ...control, abilities: new Set([...abilities, ...reads ? ["readsIdToken" as const] : []]) };
      if (!reads || options.as === undefined) return controlResult;
      let failed = await failedLogin();
      if (failed !== undefined && options.restart !== undefined) {
        await options.restart();
        failed = await failedLogin();
      }
      if (failed === undefined || failed.error instanceof LoginLimitError) return controlResult;
      const because = `it failed after a token response whose ID token is a text: ${completeError(failed.error)}`;
      const { outcome, exchanges } = failed;
      return controlResult = { ...controlResult, passed: false, outcome, error: new Error(because), exchanges };
    },
    failedLogin,
    async controlAgain() {
      const ended = await failedLogin();
      if (ended === undefined) return controlResult!;
      const { outcome, error = new Error("it did not log in the same user"), exchanges } = ended;
      const because = `it succeeded before the attacks, and failed after them: ${completeError(error)}`;
      return { ...controlResult!, passed: false, outcome, error: new Error(because, { cause: error }), exchanges };
    },
    ordinaryUse: () => recordOrdinaryUse(sessionStartsOf(driver), limit, withEnvironment, controlResult!),
    requestedEndpoints: () =>
      withEnvironment(async ({ as, begin }, watch) => {
        await limit.attempt((signal) => begin(firstStart, signal), watch);
        return new Set(as.log.unmasked.exchanges.map(({ endpoint }) => endpoint));
      }),
    async check(task, restart) {
      const unknown = unknownBefore(task);
      if (unknown !== undefined) return { result: unknown, hasCrash: false };
      return await withEnvironment(async (environment, watch) => {
        const result = await observe(task, environment, watch, restart);
        return { result, hasCrash: watch.crash !== undefined };
      });
    },
  };
}
