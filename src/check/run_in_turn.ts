/** Runs the attacks one after the other against one server, whose client keeps cached data from earlier attacks. */

import { journeyOf, needsOf, secondsBetweenLogins } from "./attack.ts";
import { runAttack } from "./attack_journey.ts";
import type { Attempt } from "./attempt.ts";
import { failedLogin } from "./control.ts";
import { rankOf } from "./causes.ts";
import { LoginLimitError, sessionStartsOf, UnreachableError } from "./driver.ts";
import { type CheckTask, describeError, skippedResult, unclearResult, usualEffect } from "./assess.ts";
import { effects } from "./effects.ts";
import { type AttackResult, type ControlResult, isFailure, stoppedCause, timeLimitCause } from "./report.ts";
import { defaultRecoveryMs, RestartError, type Runner } from "./runner.ts";
import { missingCapability } from "./capabilities.ts";
import { timers } from "../core/http/timers.ts";

/** The documents that clients fetch once and cache, by endpoint. */
const keptDocuments: Readonly<Record<string, string>> = { discovery: "metadata", jwks: "keys" };

/** How many attacks a client may pass without a login, if it forgets them, before it must show that it can log in. */
const maxUnproven = 8;

/** Restarts may take this multiple of the time of the rest of a check, and always this time, in milliseconds. */
const [restartShare, minRestartMs] = [2, 60_000] as const;

const isKept = (endpoint: string): boolean => Object.hasOwn(keptDocuments, endpoint);

/**
 * Runs the tasks, the most severe first. Attacks on cached documents come last. After an attack that ended without a
 * login, the client must be able to log in; otherwise it must be restarted.
 *
 * @param results Receives the results, in the order of the tasks.
 */
export async function checkInTurn(
  runner: Runner,
  control: ControlResult,
  tasks: readonly CheckTask[],
  results: AttackResult[],
  report: (result: AttackResult) => AttackResult,
): Promise<void> {
  const { onStart, minutes, recoveryMs = defaultRecoveryMs } = runner.options;
  const startedAt = timers.elapsed();
  let restartMs = 0;
  /** A restart whose duration counts. */
  const timed = (act: (() => Promise<void>) | undefined) =>
    act && (async () => {
      const from = timers.elapsed();
      await act().finally(() => restartMs += timers.elapsed() - from);
    });
  const [restart, restartInAttack] = [timed(runner.restart), timed(runner.options.restart)];
  const mayForget = restart !== undefined || runner.driver.startsFresh === true;
  const mayRestart = () =>
    minutes !== undefined ||
    restartMs < Math.max(minRestartMs, restartShare * (timers.elapsed() - startedAt - restartMs));
  /** Whether the client has what it read at its start, during an attack. */
  let isStale = false;
  const requested = control.passed ? await requestedEndpoints(runner) : new Set<string>();
  /** Why no login works any more. */
  let broken: { readonly because: string; readonly cause?: string } | undefined;
  /** The index of the last task that had a journey. */
  let last: number | undefined;

  /** The documents that the client does not request after a restart either. */
  const unread = new Set<string>();

  /** Attacks after which no login worked: each other variant would only wait for the recovery time again. */
  const lost = new Set<string>();

  /** The attacks whose failure happened twice. */
  const confirmed = new Set<string>();

  /** The indexes of the attacks that the client passed, and after which no login has been tried. */
  let unproven: number[] = [];

  /** Logs in without an attack, if attacks wait for that; at once, because a client that rests rejects everything. */
  async function prove(): Promise<void> {
    if (unproven.length === 0 || broken !== undefined) return;
    const once: Runner = { ...runner, repeat: (act, watch) => runner.attempt(act, watch) };
    if (await failedLogin(once, control) === undefined) unproven = [];
    else await repeatAlone();
  }

  /** Repeats the attacks of which one ended all logins, each with a login after it. */
  async function repeatAlone(): Promise<void> {
    const indexes = unproven;
    unproven = [];
    const names = indexes.map((index) => tasks[index]!.attack.id);
    if (restart !== undefined) {
      await restart().catch((error: unknown) => void (broken = { because: describeError(error) }));
    } else if (await failedLogin(runner, control) !== undefined) {
      broken = { because: `since one of ${names.join(", ")} the login without an attack fails` };
    }
    for (const index of indexes) results[index] = await check(tasks[index]!);
  }

  /** A failure counts only if it happens again in a new client, while logins without an attack succeed. */
  async function check(task: CheckTask, index?: number): Promise<AttackResult> {
    if (broken === undefined && lost.has(targetOf(task))) {
      return skippedResult(task, "after another variant of the attack no login worked");
    }
    const first = await checkOnce(task, runner, index);
    const isDecided = broken !== undefined || !mustRepeat(first, confirmed);
    if (!isDecided) await prove();
    if (!isDecided && mayRestart()) await restart?.();
    const result = isDecided ? first : confirmedResult(first, await checkOnce(task, runner.renewed()), confirmed);
    if (result.cause === effects.noLogin.cause) lost.add(targetOf(task));
    return result;
  }

  /** @param index That of the task, if a login after it may prove several tasks. Default: it has a login of its own. */
  async function checkOnce(task: CheckTask, runner: Runner, index?: number): Promise<AttackResult> {
    if (broken !== undefined) return unclearResult(task, broken.because, broken);
    const isApplicable = control.passed &&
      missingCapability(needsOf(task.attack, task.values), control.capabilities) === undefined;
    const kept = isApplicable ? keptBy(task, requested) : undefined;
    if (kept !== undefined && restart === undefined) {
      const because = `the attack needs a restart of the client (restart, --restart), which keeps the ${kept}`;
      return skippedResult(task, because);
    }
    if (kept !== undefined && !mayRestart()) {
      return skippedResult(task, "restarts took twice as long as the attacks: allow more time (minutes, --minutes)");
    }
    if (kept !== undefined && unread.has(kept) && endpointsOf(task).every(isKept)) {
      return skippedResult(task, `the client requests no ${kept}, not even after a restart`);
    }
    if (kept !== undefined) await prove();
    const beginsWithRestart = kept !== undefined && journeyOf(task.attack, task.values) === "login";
    if (isStale && !beginsWithRestart) await restart!();
    isStale = kept !== undefined;
    const perform = () => runAttack(runner, control, task, isStale ? restartInAttack : undefined);
    const first = await perform();
    // A crash may belong to the attack before; that of a second run may not.
    const { result } = first.hasCrash ? await perform() : first;
    const { error, outcome, exchanges } = result.evidence;
    const isUnmet = result.isUnclear && outcome === "accepted";
    if (kept !== undefined && isUnmet && !exchanges.some(({ endpoint }) => keptDocuments[endpoint] === kept)) {
      unread.add(kept);
    }
    const wasDown = error instanceof UnreachableError && exchanges.length === 0 && kept === undefined;
    // A restart before the next attack, or at its start, clears what the client read.
    const isProof = result.evidence.hasRecovered || outcome === "accepted" && result.verdict !== "failed";
    if (isProof) unproven = [];
    if (isStale || !wasDown && (outcome === undefined || isProof)) return result;
    const isRejection = outcome === "rejected" && result.verdict === "passed" && !(error instanceof UnreachableError);
    if (isRejection && mayForget && index !== undefined && rank(task) === 0) {
      unproven.push(index);
      return result;
    }
    const noLogin = (id: string) => ({ because: `since ${id} the login without an attack fails` });
    // The attack itself has waited for the next login.
    if (unproven.length === 0 && restart !== undefined && result.cause === effects.noLogin.cause) {
      await restart().catch(() => {});
      if (await failedLogin(runner, control) !== undefined) broken = noLogin(result.attack.id);
      return result;
    }
    const failed = await failedLogin(runner, control);
    if (failed === undefined) {
      unproven = [];
      return result;
    }
    if (failed.error instanceof LoginLimitError) {
      broken = { because: failed.error.message };
      return result;
    }
    if (unproven.length > 0) {
      await repeatAlone();
      return await checkOnce(task, runner);
    }
    // The client may stop only after the response to an attack.
    const cause = wasDown && last !== undefined ? results[last]! : result;
    const { attack: { id } } = cause;
    const advice = restart === undefined ? "; add a command that restarts it (restart, --restart)" : "";
    const stopped = { because: `the application stopped during ${id}${advice}`, cause: stoppedCause };
    // Without a restart the next login fails, too.
    await restart?.().catch(() => {});
    if (restart === undefined || await failedLogin(runner, control) !== undefined) {
      const isDown = failed.error instanceof UnreachableError;
      broken = isDown ? stopped : noLogin(id);
    }
    if (cause === result) return withLostLogin(result, failed, recoveryMs);
    results[last!] = withLostLogin(cause, failed, recoveryMs);
    return unclearResult(task, stopped.because, stopped);
  }

  const endsAt = timers.elapsed() + (minutes ?? Infinity) * 60_000;
  for (const [index, task] of [...tasks.entries()].sort(([, a], [, b]) => compareTasks(a, b))) {
    onStart?.(task.attack.id);
    results[index] = report(
      timers.elapsed() < endsAt
        ? await check(task, index).catch((error: unknown) => {
          if (!(error instanceof RestartError)) throw error;
          broken = { because: error.message };
          return unclearResult(task, broken.because);
        })
        : skippedResult(task, timeLimitCause),
    );
    if (results[index].evidence.outcome !== undefined) last = index;
    if (unproven.length >= maxUnproven) await prove();
  }
  await prove();
  // The application is left as it was; the check has its results without that.
  if (isStale) await restart!().catch(() => {});
}

/**
 * Whether a result counts only if it happens again: one failure of each attack, and whatever was not accepted that must
 * be, which a slow machine can cause.
 */
export function mustRepeat({ verdict, attack: { id, level } }: AttackResult, confirmed: ReadonlySet<string>): boolean {
  return level === "must-tolerate" ? isFailure(verdict) : verdict === "failed" && !confirmed.has(id);
}

/** The result of a failure that was repeated: it counts only if it happened again. */
export function confirmedResult(first: AttackResult, again: AttackResult, confirmed: Set<string>): AttackResult {
  if (isFailure(again.verdict)) {
    confirmed.add(again.attack.id);
    return again;
  }
  const cause = "it failed once, and not when it was repeated alone";
  const { evidence } = first;
  return unclearResult(first, `${cause}: ${first.because}`, { cause, evidence });
}

/** The endpoints that a login without a fault requests. */
async function requestedEndpoints({ driver, attempt, inEnvironment }: Runner): Promise<ReadonlySet<string>> {
  return await inEnvironment(async ({ as, begin }, watch) => {
    await attempt((signal) => begin(sessionStartsOf(driver)[0]!, signal), watch);
    return new Set(as.log.unmasked.exchanges.map(({ endpoint }) => endpoint));
  });
}

/** The endpoints that a task changes: all of the attack, or the one that its parameter names. */
function endpointsOf({ attack: { endpoints }, values: { endpoint } }: CheckTask): readonly string[] {
  return typeof endpoint === "string" ? [endpoint] : endpoints;
}

/** What the variants of an attack on the same endpoints have in common. */
const targetOf = (task: CheckTask): string => [task.attack.id, ...endpointsOf(task)].join(" ");

/** 0: the client keeps nothing of the attack. */
function rank(task: CheckTask): number {
  const endpoints = endpointsOf(task);
  if (endpoints.includes("discovery")) return 2;
  return endpoints.includes("jwks") || task.attack.id.startsWith("keys/") ? 1 : 0;
}

/**
 * The order of the tasks: one variant of each attack before the others, the most severe first, and last what the client
 * may keep.
 */
function compareTasks(one: CheckTask, other: CheckTask): number {
  const isFurther = ({ attack, values }: CheckTask) => Number(attack.variants[0] !== values);
  return rank(one) - rank(other) || isFurther(one) - isFurther(other) ||
    rankOf(usualEffect(one.attack)) - rankOf(usualEffect(other.attack));
}

/** The documents that the client caches and does not request at a login; `undefined` if the whole attack reaches it. */
function keptBy(task: CheckTask, requested: ReadonlySet<string>): string | undefined {
  const kept = endpointsOf(task).find((endpoint) => isKept(endpoint) && !requested.has(endpoint));
  return kept && keptDocuments[kept];
}

/**
 * No attack may cost more than the login that it attacks. A client that fetches keys or metadata at most once in some
 * minutes may only be waiting.
 */
function withLostLogin(result: AttackResult, { error }: Attempt<unknown>, recoveryMs: number): AttackResult {
  const details = error === undefined ? "" : `: ${describeError(error)}`;
  const isStopped = error instanceof UnreachableError;
  const mayRest = !isStopped && rank(result) === 1 && recoveryMs < secondsBetweenLogins * 1000;
  const effect = isStopped
    ? `the application stopped during this attack${details}`
    : `after it, a login without an attack failed${mayRest ? ` for ${recoveryMs / 1000} s` : ""}${details}`;
  const hint = mayRest
    ? `; some clients wait for minutes before they fetch keys or metadata again (recoveryMs, --recovery)`
    : "";
  // The application stopped; all we know is that it is unreachable.
  const because = isStopped && result.evidence.outcome !== "accepted" ? effect : `${result.because}; ${effect}${hint}`;
  const lost = effects[isStopped ? "stopped" : "noLogin"];
  const verdict = mayRest && result.verdict !== "failed" ? "warning" : "failed";
  return { ...result, effect: lost, because, cause: lost.cause, verdict, isUnclear: undefined };
}
