/**
 * Runs the attacks one after the other against one server, whose client keeps cached data from earlier attacks.
 */

import { missingAbility } from "./abilities.ts";
import { needsOf } from "./attack.ts";
import { runAttack } from "./attack_journey.ts";
import type { Attempt } from "./attempt.ts";
import { failedLogin } from "./control.ts";
import { LoginLimitError, sessionStartsOf, UnreachableError } from "./driver.ts";
import { type CheckTask, describeError, unknownResult } from "./assess.ts";
import type { AttackResult, ControlResult } from "./report.ts";
import type { Runner } from "./runner.ts";

/** The documents that clients fetch once and cache, by endpoint. */
const keptDocuments: Readonly<Record<string, string>> = { discovery: "metadata", jwks: "keys" };

/**
 * Runs the tasks. Attacks on cached documents come last. After an attack that ended without a login, the client must be
 * able to log in; otherwise it must be restarted.
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
  const { restart, onStart } = runner.options;
  const requested = control.passed ? await requestedEndpoints(runner) : new Set<string>();
  /** Why no login works any more. */
  let broken: string | undefined;
  /** The index of the last task that had a journey. */
  let last: number | undefined;

  async function check(task: CheckTask): Promise<AttackResult> {
    if (broken !== undefined) return unknownResult(task, "inconclusive", broken);
    const isApplicable = control.passed &&
      missingAbility(needsOf(task.attack, task.values), control.abilities) === undefined;
    const kept = isApplicable ? keptBy(task, requested) : undefined;
    if (kept !== undefined && restart === undefined) {
      const because = `the attack needs a restart of the client (restart, --restart), which keeps the ${kept}`;
      return unknownResult(task, "skipped", because);
    }
    const perform = () => runAttack(runner, control, task, kept === undefined ? undefined : restart);
    const first = await perform();
    // A crash may belong to the attack before; that of a second run may not.
    const { result } = first.hasCrash ? await perform() : first;
    const { error, outcome, exchanges } = result.evidence;
    const wasDown = error instanceof UnreachableError && exchanges.length === 0 && kept === undefined;
    if (!wasDown) {
      // A restart clears what the client read at its start, during the attack.
      if (kept !== undefined && restart !== undefined) await restart();
      else if (outcome === undefined || outcome === "accepted") return result;
    }
    const failed = await failedLogin(runner, control);
    if (failed === undefined) return result;
    if (failed.error instanceof LoginLimitError) {
      broken = failed.error.message;
      return result;
    }
    // The client may stop only after the response to an attack.
    const cause = wasDown && last !== undefined ? results[last]! : result;
    const { attack: { id } } = cause;
    const stopped = `the application stopped during ${id}`;
    await restart?.();
    if (restart === undefined || await failedLogin(runner, control) !== undefined) {
      broken = failed.error instanceof UnreachableError ? stopped : `since ${id} the login without an attack fails`;
    }
    if (cause === result) return withLostLogin(result, failed);
    results[last!] = withLostLogin(cause, failed);
    return unknownResult(task, "inconclusive", stopped);
  }

  for (const [index, task] of [...tasks.entries()].sort(([, a], [, b]) => rank(a) - rank(b))) {
    onStart?.(task.attack.id);
    results[index] = report(await check(task));
    if (results[index].evidence.outcome !== undefined) last = index;
  }
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

/** 0: the client keeps nothing of the attack. */
function rank(task: CheckTask): number {
  const endpoints = endpointsOf(task);
  if (endpoints.includes("discovery")) return 2;
  return endpoints.includes("jwks") || task.attack.id.startsWith("keys/") ? 1 : 0;
}

/** The documents that the client caches and does not request at a login; `undefined` if the whole attack reaches it. */
function keptBy(task: CheckTask, requested: ReadonlySet<string>): string | undefined {
  const kept = endpointsOf(task).find((endpoint) => Object.hasOwn(keptDocuments, endpoint) && !requested.has(endpoint));
  return kept && keptDocuments[kept];
}

/** No attack may cost more than the login that it attacks. */
function withLostLogin(result: AttackResult, { error }: Attempt<unknown>): AttackResult {
  const details = error === undefined ? "" : `: ${describeError(error)}`;
  const isStopped = error instanceof UnreachableError;
  const effect = isStopped
    ? `the application stopped during this attack${details}`
    : `after it, a login without an attack failed${details}`;
  // The application stopped; all we know is that it is unreachable.
  const because = isStopped && result.evidence.outcome !== "accepted" ? effect : `${result.because}; ${effect}`;
  const cause = isStopped ? "stops during an attack" : "accepts no login after an attack";
  return { ...result, because, cause, verdict: result.verdict === "noted" ? "noted" : "failed" };
}
