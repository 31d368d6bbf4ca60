/** `latchkey vary`: runs a command beside servers with the profile `vary:SEED`, and names what a failure depends on. */

import type { ReadRules } from "../../devtools/rules/rules_file.ts";
import type { ProcessEnvironment } from "../../platform/runtime/process_environment.ts";
import { quote } from "../../server/config/config_issue.ts";
import { minimizeVariations } from "../../testing/vary/minimize.ts";
import { variations } from "../../testing/vary/variations.ts";
import { programCommand } from "../about.ts";
import { CommandLineError } from "../command_line_error.ts";
import { splitWords } from "../split_words.ts";
import { printText } from "../terminal_text.ts";
import { execute } from "./execute.ts";

const helpText = `Runs a command once for each seed, beside a server that draws each response from
what the specifications allow. If the command fails, it runs again until the
smallest set of variations with which it fails is found. Prints a line for each
run, and the output of the last one that failed.

Usage: latchkey vary [FLAG VALUE]... -- COMMAND...

       latchkey vary -- npm test
       latchkey vary --seed 7 --report reports -- go test ./...

  --seeds NUMBER        runs the seeds from 1 to this number. Default: 5
  --seed TEXT           runs this seed alone
  --profile NAMES       applies these profiles too, such as okta
  --verbose             prints the output of every run
  --list                shows each variation, and where it is allowed

All other flags are those of latchkey exec.
The command gets LATCHKEY_ISSUER, LATCHKEY_CLIENT_ID and so on, as there.

Exit codes
  0    the command succeeds with each seed
  1    it does not, and the report says why; or the server could not start
  127  the command could not be started
  more than 128  a signal ended the command, or this one
`;

/** Exit codes of a command that could not be started, or that a signal ended: running it again finds nothing. */
const isEnd = (code: number) => code === 127 || code > 128;

/** How much of the output of a run is kept, in characters. */
const maxOutputChars = 1_000_000;

/** The exit code after SIGINT or SIGTERM, if the command itself ends with a code as after a failed test. */
const stoppedCode = 130;

/**
 * Runs the command.
 *
 * @param args The words after `vary`.
 * @returns The exit code.
 * @throws {CommandLineError} If the words of the command are wrong.
 * @throws {ConfigurationError} If the configuration is invalid.
 * @throws {ListenError} If the server cannot listen.
 */
export async function vary(
  args: readonly string[],
  environment: ProcessEnvironment,
  readRules: ReadRules,
): Promise<number> {
  const program = programCommand(environment, true);
  if (args[0] === "--help" || args[0] === "-h") {
    printText(helpText, environment);
    return 0;
  }
  if (args[0] === "--list") {
    for (const { id, allowed, source } of variations) console.log(`${id}\n  ${allowed} (${source})`);
    return 0;
  }
  const { seeds, profiles, others, verbose } = readVaryArguments(args, program);
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
      if (verbose) console.error(label);
      let output = "";
      const print = verbose ? undefined : (text: string) => {
        output += text;
        // Cutting copies the text, so it waits until there is as much again.
        if (output.length > 2 * maxOutputChars) output = output.slice(-maxOutputChars);
      };
      const flags = list.length === 0 ? [] : ["--profile", list.join(",")];
      const code = await execute([...flags, ...others], ofRun, readRules, { print });
      if (code !== 0) failedOutput = output.slice(-maxOutputChars);
      if (isStopped || isEnd(code)) end = isEnd(code) ? code : stoppedCode;
      else if (!verbose) console.error(`${label} ${code === 0 ? "passed." : `failed with exit code ${code}.`}`);
      return code === 0 ? undefined : { error: `exit code ${code}`, applied: variations };
    }, {
      withoutVariation: `Run it without them first: ${program} exec -- COMMAND`,
      repeat: (profile) => `${program} exec --profile ${[...profiles, profile].join(",")} -- COMMAND`,
    });
    if (failedOutput !== "") console.error(failedOutput.trimEnd());
    if (end !== undefined) return end;
    if (verbose || !report.passed) console.error(String(report));
    if (!report.passed) return 1;
  }
  return 0;
}

/** The seeds and the profiles of the command line, and the words for `exec`. */
function readVaryArguments(args: readonly string[], program: string) {
  const end = args.indexOf("--");
  const words = splitWords(end < 0 ? args : args.slice(0, end));
  const valuesOf = (name: string) => words.flatMap(({ flag, value }) => flag === name ? [value ?? ""] : []);
  const [count] = valuesOf("--seeds");
  const named = valuesOf("--seed");
  const profiles = valuesOf("--profile").flatMap((text) => text.split(","));
  if (count !== undefined && !/^[1-9]\d{0,4}$/.test(count)) {
    throw new CommandLineError([{
      path: "--seeds",
      expected: "a whole number from 1 to 99999",
      received: quote(count),
      hint: "Write it like --seeds 20.",
    }]);
  }
  const withNames = named.find((seed) => /[:,]/.test(seed));
  if (withNames !== undefined) {
    throw new CommandLineError([{
      path: "--seed",
      expected: "a seed without colon and comma",
      received: quote(withNames),
      hint: `To run some variations alone, write ${program} exec --profile vary:${withNames} -- COMMAND.`,
    }]);
  }
  const varied = profiles.find((profile) => profile.startsWith("vary:"));
  if (varied !== undefined) {
    throw new CommandLineError([{
      path: "--profile",
      expected: "profiles besides vary, which this command adds",
      received: quote(varied),
      hint: `Write --seed and the seed, or ${program} exec --profile ${varied} -- COMMAND.`,
    }]);
  }
  if (end < 0) {
    throw new CommandLineError([{
      path: "command line",
      expected: "-- and the command to run",
      received: "no --",
      hint: `Write it like ${program} vary -- npm test.`,
    }]);
  }
  const seeds = named.length > 0 ? named : Array.from({ length: Number(count ?? 5) }, (_, i) => String(i + 1));
  const others = words.filter(({ flag = "" }) => !["--seeds", "--seed", "--profile", "--verbose"].includes(flag))
    .flatMap(({ written }) => written);
  const verbose = words.some(({ flag }) => flag === "--verbose");
  return { seeds, profiles, verbose, others: [...others, ...args.slice(end)] };
}
