/** Mutation testing: checks that the tests detect faults in the code. See `deno task mutants --help`. */

import * as esbuild from "esbuild";
import { globSync } from "node:fs";
import { resolve } from "node:path";
import { bundleTests } from "./bundle_tests.ts";
import { exitWithError, readCommand } from "./command.ts";
import { installModules } from "./modules.ts";
import explained from "./mutants_explained.json" with { type: "json" };
import { capture, findRuntime } from "./test_run.ts";

/** A deliberate fault: one change of one line. */
interface Mutant {
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  /** The line as it is, without indentation. */
  readonly text: string;
  /** What is changed: `&& becomes ||`. */
  readonly mutation: string;
  /** The whole file with the fault in it. */
  readonly source: string;
}

/** Operators, and what each becomes. */
const swaps: Readonly<Record<string, string>> = {
  "&&": "||",
  "||": "&&",
  "??": "&&",
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
  "true": "false",
  "false": "true",
};

/** Seconds after which one test counts as hung. A fault that makes a test hang counts as detected. */
const testTimeoutSeconds = 60;

/** Seconds without output after which a test run counts as hung. */
const silenceSeconds = 600;

const { flags, words } = readCommand({
  call: "deno task mutants",
  does: "Puts one deliberate fault at a time into src/core and src/server, runs the tests on Bun, and prints each " +
    "fault that no test notices. Fails where scripts/mutants_explained.json does not say why. " +
    "Two hundred faults take about half an hour on two cores; run no other tests in this checkout meanwhile.",
  flags: {
    count: { value: "NUMBER", does: "number of faults; default: 200" },
    seed: { value: "TEXT", does: "seed of the sample; default: 1" },
    skip: { value: "NUMBER", does: "skip this many, to continue after an interruption" },
    list: { does: "print the faults without trying them" },
  },
  words: { value: "PART", does: "only in files whose path contains this" },
});
const { count = "200", seed = "1", skip = "0" } = flags;
for (const [name, text] of Object.entries({ count, skip })) {
  if (!/^\d+$/.test(text)) exitWithError(`--${name}: expected a whole number; found ${JSON.stringify(text)}.`);
}

const sources = globSync("src/{core,server/{config,extensions,hosting,login}}/**/*.ts").sort()
  .filter((path) => words.length === 0 || words.some((word) => path.includes(word)));
if (sources.length === 0) exitWithError(`No file of these folders has ${words.join(" or ")} in its path.`);
const allMutants = (await Promise.all(sources.map(createMutants))).flat();
const sampled = (await sampleMutants(allMutants, Number(count))).slice(Number(skip));
console.log(`${sampled.length} of ${allMutants.length} faults, seed ${seed}`);
if (flags.list) {
  for (const mutant of sampled) console.log(formatMutant(mutant));
  Deno.exit();
}

/** Tests of scripts and of stores on database servers run no code of these folders; that of the README needs Deno. */
const tests = globSync("tests/**/*_test.{ts,tsx}").sort().filter((path) =>
  !/^tests\/(platform\/store\/(?!memory|sqlite)|scripts\/|readme_test)/.test(path)
);
await installModules().catch(exitWithError);
const bun = await findRuntime("bun").catch(exitWithError);

if (!await testsPass()) exitWithError("The tests fail without a mutation: fix them first (deno task test).");
const survivors: Mutant[] = [];
for (const [i, mutant] of sampled.entries()) {
  const started = performance.now();
  const survived = await testsPass(mutant);
  if (survived) survivors.push(mutant);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${Number(skip) + i + 1}: ${survived ? "SURVIVED" : "noticed"} (${seconds} s) ${formatMutant(mutant)}`);
}
await esbuild.stop();

const reasons: readonly { path: string; line: string; fault: string; why: string }[] = explained;
const findReason = ({ path, text, mutation }: Mutant) =>
  reasons.find((reason) => reason.path === path && reason.line === text && reason.fault === mutation)?.why;
const unexplained = survivors.filter((mutant) => findReason(mutant) === undefined);
console.log(
  `\n${sampled.length} drawn, ${sampled.length - survivors.length} noticed, ${survivors.length} survived, ` +
    `${survivors.length - unexplained.length} of them explained`,
);
for (const mutant of survivors) console.log(`${formatMutant(mutant)}\n    ${findReason(mutant) ?? "not explained"}`);
Deno.exit(unexplained.length > 0 ? 1 : 0);

function formatMutant({ path, line, text, mutation }: Mutant): string {
  return `${path}:${line} ${mutation}: ${text}`;
}

/** Every fault that changes what a file does when it runs; what only changes types is left out. */
async function createMutants(path: string): Promise<Mutant[]> {
  const source = await Deno.readTextFile(path);
  const compile = async (text: string) => {
    const loader = path.endsWith("x") ? "tsx" : "ts";
    return (await esbuild.transform(text, { loader, jsx: "automatic", logLevel: "silent" })).code;
  };
  const compiles = (text: string) => compile(text).then(() => true, () => false);
  const before = await compile(source);
  const found: Mutant[] = [];
  for (const [start, end, inserted, mutation] of findMutations(source)) {
    const replaceWith = (text: string) => source.slice(0, start) + text + source.slice(end);
    // `@@` is a syntax error in code, and text in comments and literals.
    if (await compiles(replaceWith("@@"))) continue;
    const changed = replaceWith(inserted);
    // A change that does not parse is not a logic fault.
    const after = await compile(changed).catch(() => before);
    if (after === before) continue;
    const line = source.slice(0, start).split("\n").length;
    found.push({ path, line, text: source.split("\n")[line - 1]!.trim(), mutation, source: changed });
  }
  return found;
}

/** Changes of a text, some of them inside comments and literals: start, end, replacement, name. */
function* findMutations(code: string): Generator<readonly [number, number, string, string]> {
  for (const { index, 0: operator } of code.matchAll(/(?<= )(&&|\|\||\?\?|[!=]==|[<>]=?|[-+])(?=[ \n])/g)) {
    yield [index, index + operator.length, swaps[operator]!, `${operator} becomes ${swaps[operator]}`];
  }
  for (const { index, 0: word } of code.matchAll(/(?<![\w$.])(true|false)(?![\w$:])/g)) {
    yield [index, index + word.length, swaps[word]!, `${word} becomes ${swaps[word]}`];
  }
  for (const { index } of code.matchAll(/(?<![\w$.])if \(/g)) {
    const end = findClosingParenthesis(code, index + 3);
    yield [index + 4, end, "false", "check dropped"];
  }
  for (const { index, 0: text, 1: indent } of code.matchAll(/^( +)(?:await )?[\w$.]+\(.*\);$/gm)) {
    yield [index + indent!.length, index + text.length, ";", "statement dropped"];
  }
}

/** The position of the parenthesis that closes the one at this position. */
function findClosingParenthesis(code: string, open: number): number {
  let depth = 0;
  for (let i = open; i < code.length; i++) {
    if (code[i] === "(") depth++;
    if (code[i] === ")" && --depth === 0) return i;
  }
  return code.length;
}

/**
 * Samples this many, ordered by a digest of seed and line text, so that changes of other lines do not change the order.
 */
async function sampleMutants(mutants: readonly Mutant[], count: number): Promise<Mutant[]> {
  const seen = new Map<string, number>();
  const placed = await Promise.all(mutants.map(async (mutant) => {
    const name = `${seed} ${mutant.path} ${mutant.mutation} ${mutant.text}`;
    const nth = seen.get(name) ?? 0;
    seen.set(name, nth + 1);
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${name} ${nth}`));
    return { mutant, place: new DataView(digest).getUint32(0) };
  }));
  return placed.sort((a, b) => a.place - b.place).slice(0, count).map(({ mutant }) => mutant);
}

/**
 * Tests ordered by their chance to detect a fault: those of the core, in a folder of that name, named after the file,
 * sending requests, the rest.
 */
function getTestStages(path: string): string[][] {
  const [folder, file] = path.split("/").slice(-2);
  const words = file!.split(/[_.]/).filter((word) => word.length > 3);
  const orders = [
    (test: string) => test.startsWith("tests/core/") && path.startsWith("src/core/"),
    (test: string) => test.includes(`/${folder}/`),
    (test: string) => words.some((word) => test.includes(word)),
    (test: string) => /tests\/(server|platform\/http|testing)\//.test(test),
    () => true,
  ];
  const stages = Map.groupBy(tests, (test) => orders.findIndex((isEarly) => isEarly(test)));
  return orders.flatMap((_, stage) => [stages.get(stage) ?? []]).filter((files) => files.length > 0);
}

/** Whether all tests pass with that fault in the code, or without any. */
async function testsPass(mutant?: Mutant): Promise<boolean> {
  const plugins = mutant === undefined ? [] : [applyMutant(mutant)];
  for (const stage of mutant === undefined ? [tests] : getTestStages(mutant.path)) {
    const files = await bundleTests(stage, { plugins });
    const command = [bun, "test", "--parallel", "--bail", `--timeout=${testTimeoutSeconds * 1000}`, ...files];
    const { success, timedOut, output } = await capture(command, { silenceSeconds });
    if (success && !timedOut) continue;
    if (mutant === undefined) console.log(output.slice(-4000));
    return false;
  }
  return true;
}

/** Loads that file with the fault in it. */
function applyMutant({ path, source }: Mutant): esbuild.Plugin {
  return {
    name: "fault",
    setup(build) {
      build.onLoad({ filter: /\.tsx?$/ }, ({ path: loaded }) => {
        if (loaded !== resolve(path)) return undefined;
        return { contents: source, loader: path.endsWith("x") ? "tsx" : "ts" };
      });
    },
  };
}
