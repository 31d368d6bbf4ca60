/** The journeys of a check: the one without an attack, and one for each variant of each attack. */

import { isAboutFeature, missingAbility } from "./abilities.ts";
import { assess, describeError } from "./assess.ts";
import { type Attempt, attempt } from "./attempt.ts";
import type { Assessment, Attack, Conclusion } from "./attack.ts";
import type { CheckOptions } from "./check_options.ts";
import { runControl } from "./control.ts";
import { type CrashWatch, watchCrashes } from "./crashes.ts";
import { type ClientDriver, type ClientSession, UndecidedError } from "./driver.ts";
import type { Recording } from "../../habits/mod.ts";
import { recordOrdinaryUse } from "./habit_journeys.ts";
import type { JourneyEnvironment, Journeys } from "./journeys.ts";
import type { Observation } from "./observation.ts";
import type { CheckResult, ControlResult } from "./report.ts";
import { sessionStartsOf } from "./session_starts.ts";
import { openStage } from "./stage.ts";

/** One variant of one attack. */
export interface CheckTask {
  readonly attack: Attack;
  /** The parameters that differ from their defaults. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** The journeys of one check. */
export interface CheckRun {
  /** Performs one login, and what else the driver can do, without a fault. Must be called first. */
  control(): Promise<ControlResult>;
  /** Whether the client logs in as it did in the control. */
  logsIn(): Promise<boolean>;
  /** The result of the control; failed if the client does not log in again as it did then. */
  controlAgain(): Promise<ControlResult>;
  /** The endpoints that a login without a fault requests. */
  requestedEndpoints(): Promise<ReadonlySet<string>>;
  /** Uses the client without a fault, as often as its habits need. */
  ordinaryUse(): Promise<readonly Recording[]>;
  /** Performs the journey of a task; with `restart` the client restarts while the attack is active. */
  check(task: CheckTask, restart?: () => Promise<void>): Promise<UncertainResult>;
}

/** A result that may be about another journey. */
interface UncertainResult extends CheckResult {
  /** Whether the client crashed while other journeys ran, so that this journey must run again alone. */
  readonly isUncertain?: boolean;
}

/** How long to wait between two logins of a client that may need time to recover. */
const recoveryIntervalMs = 1000;

/** How much time passes between a login and a second one: longer than clients wait before they fetch keys again. */
const secondsBetweenLogins = 120;

/** Prepares the journeys of one check. */
export function checkRun(driver: ClientDriver, journeys: Journeys, options: CheckOptions): CheckRun {
  const { timeLimits = false, timeoutMs = 5000, recoveryMs = options.as === undefined ? 0 : 60_000 } = options;
  const { verifiesIdTokenSignature = true } = driver;
  const firstStart = sessionStartsOf(driver)[0]!;
  let controlResult: ControlResult | undefined;

  type Ended = Attempt<ClientSession | Conclusion>;
  const isExpected = ({ result }: Ended) =>
    result !== undefined && "sub" in result && result.sub === controlResult?.sub;

  /** Repeats an attempt until it succeeds, at most for the time that the client has to recover. */
  async function repeat(
    act: (signal: AbortSignal) => Promise<ClientSession | Conclusion>,
    watch: CrashWatch,
  ): Promise<Ended> {
    const deadline = performance.now() + recoveryMs;
    for (;;) {
      const ended = await attempt(act, watch, timeoutMs);
      if (isExpected(ended) || performance.now() + recoveryIntervalMs > deadline) return ended;
      await new Promise((resolve) => setTimeout(resolve, recoveryIntervalMs));
    }
  }

  async function withEnvironment<T>(
    use: (environment: JourneyEnvironment, watch: CrashWatch) => Promise<T>,
  ): Promise<T> {
    const watch = watchCrashes();
    const environment = await journeys.open(driver);
    try {
      return await use(environment, watch);
    } finally {
      await environment.close();
      watch.end();
    }
  }

  const logInAgain = () => withEnvironment(({ begin }, watch) => repeat((signal) => begin(firstStart, signal), watch));

  function skipReason({ attack, values: { endpoint } }: CheckTask): string | undefined {
    if (attack.waitsForTimeLimit && !timeLimits) return "it waits for the time limits of the client";
    if (attack.needsSignatureCheck && !verifiesIdTokenSignature) {
      return "the client skips the signature, which OpenID Connect Core §3.1.3.7 allows";
    }
    if (attack.needsHttpsIssuer && options.as?.issuer.startsWith("http:")) return "the issuer is not an https URL";
    if (attack.needsAnyOrigin && options.as !== undefined) return "it names hosts of internal networks";
    if (!controlResult?.passed) return undefined;
    const { abilities, endpoints } = controlResult;
    const only = typeof endpoint === "string" ? endpoint : attack.endpoints.length === 1 ? attack.endpoints[0]! : "";
    // Clients do without some endpoints. What the client keeps, such as metadata, it may have requested before.
    const isOptional = only === "userinfo" || isAboutFeature(attack) && endpoint !== undefined;
    return missingAbility(attack.needs, abilities) ??
      (isOptional && !endpoints.has(only) ? `the client sends no request to ${only}` : undefined);
  }

  /** Why an attack can show nothing. */
  function inconclusiveReason({ needs }: Attack): string | undefined {
    if (!controlResult?.passed) return "the login without an attack failed";
    const { failedAbilities } = controlResult;
    const ability = needs.find((needed) => failedAbilities.has(needed));
    return ability && `${ability} fails without an attack: ${describeError(failedAbilities.get(ability))}`;
  }

  /** Performs the journey of an attack. */
  async function observe(
    task: CheckTask,
    environment: JourneyEnvironment,
    watch: CrashWatch,
    restart = () => Promise.resolve(),
  ): Promise<CheckResult> {
    const { attack, values } = task;
    const { as, trap, opened, waits } = environment;
    const expectedSub = controlResult?.sub ?? "";
    const begin = (signal?: AbortSignal) => environment.begin(attack.by, signal);
    const earlier = attack.journey === "login" ? undefined : await attempt(begin, watch, timeoutMs);
    if (earlier !== undefined && earlier.result === undefined) {
      return unknownResult(task, "inconclusive", `the login before the attack failed: ${describeError(earlier.error)}`);
    }
    const session = earlier?.result;
    session?.passTime?.(secondsBetweenLogins);
    const earlierExchanges = as.log.exchanges.length;
    const stage = openStage(driver, environment, { session, expectedSub, begin });
    try {
      await attack.start(stage, values);
      const refresh = () => session!.refresh!().then(() => session!);
      const perform = attack.perform !== undefined
        ? (signal: AbortSignal) => attack.perform!({ ...stage, begin: () => begin(signal) }, values)
        : attack.journey === "refresh"
        ? refresh
        : begin;
      // Clients limit how often they fetch keys, so that new ones may take time.
      const isPatient = attack.level === "must-tolerate" && attack.id.startsWith("keys/");
      const startError = await restart().then(() => undefined, (error: unknown) => ({ error }));
      const { outcome, error, result }: Ended = startError !== undefined
        ? { outcome: "rejected", ...startError }
        : isPatient
        ? await repeat(perform, watch)
        : await attempt(perform, watch, timeoutMs);
      const exchanges = as.log.unmasked.exchanges.slice(earlierExchanges);
      const seen = { outcome, error, exchanges };
      if (error instanceof UndecidedError) return { ...unknownResult(task, "inconclusive", error.message), ...seen };
      if (stage.isUnfired() && outcome !== "hung" && outcome !== "crashed") {
        const { ifUnmet } = attack;
        return ifUnmet === undefined
          ? { ...unknownResult(task, "inconclusive", "no request of the client met the attack"), ...seen }
          : { ...unknownResult(task, "skipped", ifUnmet), ...seen };
      }
      const afterwards = async (act: (signal: AbortSignal) => Promise<ClientSession>) => {
        stage.removeRules();
        stage.restoreTime();
        if (startError !== undefined) await restart();
        return isExpected(await repeat(act, watch));
      };
      // Each session has a sub, and may have any other member; a conclusion has none.
      const conclusion = result !== undefined && !("sub" in result) ? result : undefined;
      const observation: Observation = {
        ...seen,
        outcome: conclusion?.outcome ?? outcome,
        session: result !== undefined && "sub" in result ? result : undefined,
        conclusion,
        expectedSub,
        earlier: session,
        ...{ trap, opened, waits },
        logInAgain: async () => isExpected(await attempt(begin, watch, timeoutMs)),
        recovers: () => afterwards(begin),
        refreshAgain: () => afterwards(refresh),
      };
      const assessment = await assess(attack, observation);
      // The client may crash after its last action.
      await watch.nextTask();
      if (watch.crash === undefined) return assessedResult(task, observation, assessment);
      const crashed: Observation = { ...observation, outcome: "crashed", error: watch.crash.error };
      return assessedResult(task, crashed, await assess(attack, crashed));
    } finally {
      stage.removeRules();
    }
  }

  return {
    control: async () => controlResult = await runControl(driver, timeoutMs, withEnvironment),
    logsIn: async () => isExpected(await logInAgain()),
    async controlAgain() {
      const ended = await logInAgain();
      if (isExpected(ended)) return controlResult!;
      const { outcome, error = new Error("it did not log in the same user") } = ended;
      const because = `it succeeded before the attacks, and failed after them: ${describeError(error)}`;
      return { ...controlResult!, passed: false, outcome, error: new Error(because, { cause: error }) };
    },
    ordinaryUse: () => recordOrdinaryUse(sessionStartsOf(driver), timeoutMs, withEnvironment, controlResult!),
    requestedEndpoints: () =>
      withEnvironment(async ({ as, begin }, watch) => {
        await attempt((signal) => begin(firstStart, signal), watch, timeoutMs);
        return new Set(as.log.exchanges.map(({ endpoint }) => endpoint));
      }),
    async check(task, restart) {
      const skipped = skipReason(task);
      if (skipped !== undefined) return unknownResult(task, "skipped", skipped);
      const inconclusive = inconclusiveReason(task.attack);
      if (inconclusive !== undefined) return unknownResult(task, "inconclusive", inconclusive);
      return await withEnvironment(async (environment, watch) => {
        const result = await observe(task, environment, watch, restart);
        return watch.crash?.isShared ? { ...result, isUncertain: true } : result;
      });
    },
  };
}

function assessedResult(
  task: CheckTask,
  { outcome, error, exchanges }: Observation,
  assessment: Assessment,
): CheckResult {
  const { passed, because, isInconclusive } = assessment;
  const verdict = isInconclusive
    ? "inconclusive"
    : passed
    ? "passed"
    : outcome === "crashed"
    ? "failed"
    : task.attack.level === "informational"
    ? "noted"
    : task.attack.level === "should-reject"
    ? "warning"
    : "failed";
  return { ...task, verdict, because, outcome, error, exchanges };
}

/** The result of a task without a journey. */
export function unknownResult(
  task: CheckTask,
  verdict: "skipped" | "inconclusive",
  because: string,
): CheckResult {
  return { ...task, verdict, because, exchanges: [] };
}
