/** Checks a client: one login without a fault, then every attack of the catalogue in a journey of its own. */

import { assertSupportedNode } from "../platform/runtime/node_version.ts";
import { attacks } from "./attacks/mod.ts";
import { unlessStopped } from "./attempt.ts";
import { assertCheckOptions, type CheckOptions, isNamed } from "./check_options.ts";
import { checkedDriver } from "./checked_driver.ts";
import type { ClientDriver } from "./driver.ts";
import { checkJourneyHabits } from "./habit_journeys.ts";
import { checkReport, redactResult } from "./create_report.ts";
import { journeysAt, separateJourneys } from "./journeys.ts";
import type { AttackResult, CheckReport, ControlResult } from "./report.ts";
import { type CheckRun, checkRun } from "./run.ts";
import { checkInTurn } from "./run_in_turn.ts";
import { sessionStartsOf } from "./session_starts.ts";
import { type CheckTask, countStopped, stoppedResult } from "./task.ts";

/**
 * Checks how a client responds to the attacks of the catalogue. Each runs against a server of its own, or with `as` one
 * after the other against one server. It needs Node 22.13 or newer, Deno or Bun.
 *
 * @throws {TypeError} If an option is invalid, or names an unknown attack.
 * @throws {Error} On Node before 22.13: it names the version of Node, the version that it needs, and how to get it.
 *
 * @example
 * ```ts ignore
 * const report = await checkClient(openidClientDriver(openidClient));
 * console.log(String(report));
 * assert(report.passed);
 * ```
 */
export async function checkClient(driver: ClientDriver, options: CheckOptions = {}): Promise<CheckReport> {
  assertSupportedNode();
  assertDriver(driver);
  assertCheckOptions(options);
  const { only, except = [], server = {}, as, restart, onStart = () => {}, onResult = () => {} } = options;
  const { baseline, signal, rulesUrl, repeat = (id) => `checkClient(driver, { only: [${JSON.stringify(id)}] })` } =
    options;
  const selected = attacks.filter((attack) =>
    (only === undefined || isNamed(attack, only)) && !isNamed(attack, except)
  );
  const tasks = selected.flatMap((attack) => attack.variants.map((values) => ({ attack, values })));
  const startedAt = performance.now();
  const journeys = as === undefined ? separateJourneys(server) : await journeysAt(as);
  try {
    const run = checkRun(checkedDriver(driver), journeys, options);
    const controlBefore = await unlessStopped(signal, stoppedControl, run.control);
    // Before the attacks, because the client may not survive them.
    const withHabits = (only === undefined || only.includes("habits")) && !except.includes("habits");
    const recordings = controlBefore.passed && withHabits
      ? await unlessStopped(signal, undefined, run.ordinaryUse)
      : undefined;
    const firstControl = controlBefore.passed
      ? await unlessStopped(signal, controlBefore, run.controlWithProbe)
      : controlBefore;
    const report = (result: AttackResult): AttackResult => {
      if (firstControl.passed) onResult(redactResult(result), tasks.length);
      return result;
    };
    const results = as === undefined
      ? await checkConcurrently(tasks, run, options, report)
      : await checkInTurn(tasks, run, { control: firstControl, restart, signal, onStart }, report);
    const notRun = countStopped(results);
    // With one server, the logins after its attacks have shown it.
    const isShown = as !== undefined || !firstControl.passed || notRun > 0;
    const control = isShown ? firstControl : await unlessStopped(signal, firstControl, run.controlAgain);
    const habits = recordings === undefined ? [] : await checkJourneyHabits(recordings, results);
    const seconds = (performance.now() - startedAt) / 1000;
    return checkReport({ client: driver.name, control, results, habits, seconds, baseline, notRun, repeat, rulesUrl });
  } finally {
    await journeys.close();
  }
}

/** The journey without an attack of a check that was stopped during it. */
const stoppedControl: ControlResult = {
  passed: false,
  outcome: "hung",
  error: new Error("the check was stopped before it ended"),
  authorizations: 0,
  exchanges: [],
  endpoints: new Set(),
  abilities: new Set(),
  failedAbilities: new Map(),
};

/** Runs several journeys at the same time; the results are in the order of the tasks. */
async function checkConcurrently(
  tasks: readonly CheckTask[],
  run: CheckRun,
  { concurrency = 8, signal, onStart = () => {} }: Pick<CheckOptions, "concurrency" | "signal" | "onStart">,
  report: (result: AttackResult) => AttackResult,
): Promise<AttackResult[]> {
  const results: AttackResult[] = [];
  const crashed: number[] = [];
  const check = (task: CheckTask) =>
    unlessStopped(signal, { result: stoppedResult(task), hasCrash: false }, () => run.check(task));
  let next = 0;
  const work = async () => {
    while (next < tasks.length) {
      const index = next++;
      onStart(tasks[index]!.attack.id);
      const { result, hasCrash } = await check(tasks[index]!);
      if (hasCrash) crashed.push(index);
      else results[index] = report(result);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, tasks.length) }, work));
  // A crash may belong to any journey at the same time or before. The second of two runs alone follows only itself.
  for (const index of crashed) {
    await check(tasks[index]!);
    const { result } = await check(tasks[index]!);
    results[index] = report(result);
  }
  return results;
}

/** @throws {TypeError} If the driver lacks a member, for calls from JavaScript without types. */
function assertDriver(driver: ClientDriver): void {
  const { name, logIn } = Object(driver) as Partial<ClientDriver>;
  if (typeof name === "string" && sessionStartsOf(Object(driver)).length > 0) return;
  const received = [`name: ${typeof name}`, `logIn: ${typeof logIn}`].join(", ");
  throw new TypeError(
    `checkClient, driver: expected an object with name, a string, and logIn, a function, received ${received}. ` +
      "Pass webApplication(loginUrl), or an object whose logIn(journey) performs one login.",
  );
}
