/** Runs the attacks one after the other against one server, whose client keeps what it learned from the attack before. */

import { missingAbility } from "./abilities.ts";
import type { CheckOptions } from "./check_options.ts";
import type { CheckResult, ControlResult } from "./report.ts";
import { type CheckRun, type CheckTask, unknownResult } from "./run.ts";

/** What clients fetch once and keep, by endpoint. */
const keptDocuments: Readonly<Record<string, string>> = { discovery: "metadata", jwks: "keys" };

/**
 * Runs the tasks; the results are in their order. Attacks on what a client keeps come last. After an attack that ended
 * without a login, the client must be able to log in, or else be restarted.
 */
export async function checkInTurn(
  tasks: readonly CheckTask[],
  run: CheckRun,
  { control, restart }: Pick<CheckOptions, "restart"> & { readonly control: ControlResult },
  report: (result: CheckResult) => CheckResult,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  const requested = control.passed ? await run.requestedEndpoints() : new Set<string>();
  let brokenBy: string | undefined;

  async function check(task: CheckTask): Promise<CheckResult> {
    if (brokenBy !== undefined) {
      return unknownResult(task, "inconclusive", `since ${brokenBy} the login without an attack fails`);
    }
    const isApplicable = control.passed && missingAbility(task.attack.needs, control.abilities) === undefined;
    const kept = isApplicable ? keptBy(task, requested) : undefined;
    if (kept !== undefined && restart === undefined) {
      return unknownResult(
        task,
        "skipped",
        `it needs a restart of the client (restart, --restart), which keeps the ${kept}`,
      );
    }
    const result = await run.check(task, kept === undefined ? undefined : restart);
    // What the client kept from its start during the attack is not its mistake.
    if (kept !== undefined && restart !== undefined) await restart();
    else if (result.outcome === undefined || result.outcome === "accepted") return result;
    if (await run.logsIn()) return result;
    await restart?.();
    if (restart === undefined || !await run.logsIn()) brokenBy = task.attack.id;
    return withLostLogin(result);
  }

  for (const [index, task] of [...tasks.entries()].sort(([, a], [, b]) => rank(a) - rank(b))) {
    results[index] = report(await check(task));
  }
  return results;
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

/** What the client keeps and therefore does not request at a login; `undefined` if the whole attack reaches it. */
function keptBy(task: CheckTask, requested: ReadonlySet<string>): string | undefined {
  const kept = endpointsOf(task).find((endpoint) => Object.hasOwn(keptDocuments, endpoint) && !requested.has(endpoint));
  return kept && keptDocuments[kept];
}

/** No attack may cost more than the login that it attacks. */
function withLostLogin(result: CheckResult): CheckResult {
  const because = `${result.because}; after it, a login without an attack failed`;
  return { ...result, because, verdict: result.verdict === "noted" ? "noted" : "failed" };
}
