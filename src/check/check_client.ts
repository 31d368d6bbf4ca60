/**
 * Checks a client.
 *
 * 1. The control (`control.ts`): a login without a fault, each ability of the driver, ordinary use for the practices.
 * 2. Each variant of each attack in a journey of its own (`attack_journey.ts`), observed and assessed (`assess.ts`).
 * 3. A login without an attack again, and the report (`create_report.ts`).
 */

import { assertSupportedNode } from "../platform/runtime/node_version.ts";
import type { Recording } from "../recorder/practices/mod.ts";
import type { Attack } from "./attack.ts";
import { runAttack } from "./attack_journey.ts";
import { attacks } from "./attacks/mod.ts";
import { assertCheckOptions, type CheckOptions, completeName, isNamed } from "./check_options.ts";
import { checkedDriver, type ClientDriver, sessionStartsOf } from "./driver.ts";
import { controlAgain, failedLogin, noControl, probeClient, runControl } from "./control.ts";
import { checkReport, redactResult } from "./create_report.ts";
import { checkJourneyPractices, recordOrdinaryUse } from "./practice_journeys.ts";
import { journeysAt, separateJourneys } from "./journeys.ts";
import { assessSightings, type CheckTask, describeError, skippedResult, unclearResult } from "./assess.ts";
import { resultWithoutJourney } from "./obstacles.ts";
import type { AttackResult, CheckReport, ControlResult } from "./report.ts";
import { checkInTurn, confirmedResult, mustRepeat } from "./run_in_turn.ts";
import { openRunner, type Runner } from "./runner.ts";
import { timers } from "../core/http/timers.ts";

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
  const { server = {}, as, inProcess = true, onResult, baseline, failOn, signal, rulesUrl, suggestFlag } = options;
  const [only, except = []] = [options.only, options.except].map((names) => names?.map(completeName));
  const { repeat = (id) => `checkClient(driver, { only: [${JSON.stringify(id)}] })` } = options;
  const ownStarts = sessionStartsOf(driver);
  const kind: CheckReport["kind"] = ownStarts.every((start) => start === "acceptToken") ? "resource server" : "client";
  // A resource server requests no tokens.
  const starts: readonly Attack["by"][] = kind === "resource server" ? ownStarts : ["any", ...ownStarts];
  // A running application has no further members, and attacks on other kinds of clients say nothing about it.
  const isOfKind = ({ by }: Attack) => inProcess || starts.includes(by);
  const selected = attacks.filter((attack) =>
    (only === undefined ? isOfKind(attack) : isNamed(attack, only)) && !isNamed(attack, except)
  );
  const withPractices = kind === "client" && (only === undefined || only.includes("practices")) &&
    !except.includes("practices");
  const all = selected.flatMap((attack) => attack.variants.map((values): CheckTask => ({ attack, values })));
  const [tasks, scans] = [all.filter(({ attack }) => !attack.exposes), all.filter(({ attack }) => attack.exposes)];
  const startedAt = timers.elapsed();
  const journeys = as === undefined ? separateJourneys(server) : await journeysAt(as);
  try {
    const runner = openRunner(checkedDriver(driver), journeys, options);
    let control = noControl;
    let recordings: readonly Recording[] = [];
    const found: AttackResult[] = [];
    await unlessStopped(signal, async () => {
      control = await runControl(runner);
      // Before the attacks, because the client may not survive them.
      if (control.passed && withPractices) {
        recordings = await recordOrdinaryUse(runner, control);
      }
      if (control.passed) control = await probeClient(runner, control);
      const { passed } = control;
      const report = (result: AttackResult): AttackResult => {
        if (passed) onResult?.(redactResult(result), all.length);
        return result;
      };
      await (as === undefined ? checkConcurrently : checkInTurn)(runner, control, tasks, found, report);
      // With one server, the logins after its attacks have shown it.
      if (as === undefined && passed) control = await controlAgain(runner, control);
      const result = (task: CheckTask) =>
        resultWithoutJourney(runner, control, task) ?? assessSightings(task, control, runner.sightings);
      for (const [index, task] of scans.entries()) found[tasks.length + index] = report(result(task));
    });
    const results = [...tasks, ...scans].map((task, index) =>
      found[index] ?? skippedResult(task, "the check was stopped before it")
    );
    const notRun = results.filter((_, index) => found[index] === undefined).length;
    const practices = recordings.length === 0 ? [] : await checkJourneyPractices(recordings, results);
    const seconds = (timers.elapsed() - startedAt) / 1000;
    const facts = { client: driver.name, kind, control, results, practices, seconds, baseline, failOn, notRun };
    return checkReport({ ...facts, repeat, rulesUrl, suggestFlag });
  } finally {
    await journeys.close();
  }
}

/** Acts until the check is stopped. */
async function unlessStopped(signal: AbortSignal | undefined, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}

/** Runs several journeys at the same time. @param results Receives the results, in the order of the tasks. */
async function checkConcurrently(
  runner: Runner,
  control: ControlResult,
  tasks: readonly CheckTask[],
  results: AttackResult[],
  report: (result: AttackResult) => AttackResult,
): Promise<void> {
  const { concurrency = 8, signal, onStart } = runner.options;
  /** Crashes may belong to any journey at the same time or before; failures count only if they happen again. */
  const repeated: { readonly index: number; readonly first: AttackResult; readonly hasCrash: boolean }[] = [];
  const confirmed = new Set<string>();
  let next = 0;
  const work = async () => {
    while (next < tasks.length) {
      const index = next++;
      onStart?.(tasks[index]!.attack.id);
      const { result: first, hasCrash } = await runAttack(runner, control, tasks[index]!);
      if (hasCrash || mustRepeat(first, confirmed)) repeated.push({ index, first, hasCrash });
      else results[index] = report(first);
    }
  };
  const workers = Array.from({ length: Math.min(concurrency, tasks.length) }, () => unlessStopped(signal, work));
  await Promise.all(workers);
  for (const { index, first } of repeated) {
    const cause = "the check was stopped before it repeated the failure";
    results[index] = unclearResult(first, `${cause}: ${first.because}`, { cause });
  }
  for (const { index, first, hasCrash } of repeated.sort((one, other) => one.index - other.index)) {
    const task = tasks[index]!;
    if (hasCrash) {
      // The second of two runs alone follows only itself.
      await runAttack(runner, control, task);
      results[index] = report((await runAttack(runner, control, task)).result);
    } else if (!mustRepeat(first, confirmed)) results[index] = report(first);
    else {
      const renewed = runner.renewed();
      const [{ result }, failed] = await Promise.all([
        runAttack(renewed, control, task),
        failedLogin(renewed, control),
      ]);
      const cause = "a login without an attack at the same time failed too";
      results[index] = report(
        failed === undefined
          ? confirmedResult(first, result, confirmed)
          : unclearResult(task, `${cause}: ${describeError(failed.error)}`, { cause }),
      );
    }
  }
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
