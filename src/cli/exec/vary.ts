/** `latchkey exec --profile vary:1..5`: a command beside servers that vary, and what a failure depends on. */

import type { ProcessEnvironment } from "../../platform/runtime/process_environment.ts";
import { minimizeVariations } from "../../testing/vary/minimize.ts";
import { variations } from "../../testing/vary/variations.ts";
import { programCommand } from "../about.ts";
import type { readVariedArguments } from "./exec_arguments.ts";

/** Exit codes of a command that could not be started, or that a signal ended: running it again finds nothing. */
const isEnd = (code: number) => code === 127 || code > 128;

/** How much of the output of a run is kept, in characters. */
const maxOutputChars = 1_000_000;

/** The exit code after SIGINT or SIGTERM, if the command itself ends with a code as after a failed test. */
const stoppedCode = 130;

/** Runs a command with `execute`, which receives all its output if `print` is set. */
type Run = (
  args: readonly string[],
  environment: ProcessEnvironment,
  print: (text: string) => void,
) => Promise<number>;

/**
 * Runs a command once for each seed. If it fails, it runs again until the smallest set of variations with which it
 * fails is found. Prints a line for each run, and the output of the last one that failed.
 *
 * @param execute Runs the command beside a server; its words are those of `latchkey exec`.
 * @returns The exit code: 0 if the command succeeds with each seed.
 */
export async function executeVaried(
  { seeds, profiles, others }: NonNullable<ReturnType<typeof readVariedArguments>>,
  environment: ProcessEnvironment,
  execute: Run,
): Promise<number> {
  const program = programCommand(environment, true);
  let isStopped = false;
  let stopRun = () => {};
  environment.onStop(() => {
    isStopped = true;
    stopRun();
  });
  const ofRun = { ...environment, onStop: (callback: () => void) => void (stopRun = callback) };
  for (const seed of seeds) {
    let end: number | undefined;
    let failedOutput = "";
    const report = await minimizeVariations(seed, async (only) => {
      if (isStopped) end ??= stoppedCode;
      if (end !== undefined) return undefined;
      const profile = [`vary:${seed}`, ...only === undefined ? [] : [only.map(({ id }) => id).join("+")]].join(":");
      const list = only?.length === 0 ? profiles : [...profiles, profile];
      const count = only?.length ?? variations.length;
      const label = `vary:${seed}, ${count === 1 ? "1 variation" : `${count} variations`}:`;
      let output = "";
      const print = (text: string) => {
        output += text;
        // Cutting copies the text, so it waits until there is as much again.
        if (output.length > 2 * maxOutputChars) output = output.slice(-maxOutputChars);
      };
      const flags = list.length === 0 ? [] : ["--profile", list.join(",")];
      const code = await execute([...flags, ...others], ofRun, print);
      if (code !== 0) failedOutput = output.slice(-maxOutputChars);
      if (isStopped || isEnd(code)) end = isEnd(code) ? code : stoppedCode;
      else console.error(`${label} ${code === 0 ? "passed." : `failed with exit code ${code}.`}`);
      return code === 0 ? undefined : { error: `exit code ${code}`, applied: variations };
    }, {
      withoutVariation: `Run it without them first: ${program} exec -- COMMAND`,
      repeat: (profile) => `${program} exec --profile ${[...profiles, profile].join(",")} -- COMMAND`,
    });
    if (failedOutput !== "") console.error(failedOutput.trimEnd());
    if (end !== undefined) return end;
    if (!report.passed) {
      console.error(String(report));
      return 1;
    }
  }
  return 0;
}
