/** Builds the executable with each available tool, measures and tests it: `deno task test:binary --help`. */

import { globSync } from "node:fs";
import { join } from "node:path";
import { readCommand } from "./command.ts";
import { run } from "./run.ts";
import { formatCounts, runTests, sumCounts, type TestCounts } from "./test_run.ts";

/** Seconds without output after which tests count as hung. */
const silenceSeconds = 900;
/** Number of timed starts, after one that is not timed. */
const timedStarts = 3;

/** Tests of the program as a process. With Node they are left out: `test:runtimes` runs them there. */
const programTests = [
  "tests/platform/runtime/program_test.ts",
  "tests/platform/runtime/init_test.ts",
  "tests/cli/operating/process_test.ts",
  "tests/cli/check_command_test.ts",
  "tests/scripts/action_test.ts",
];

const fileName = Deno.build.os === "windows" ? "latchkey.exe" : "latchkey";

const tools = ["bun", "node", "deno"];
const { words } = readCommand({
  call: "deno task test:binary",
  does: "Builds the executable with each available tool, copies it into an empty folder, prints its size and start " +
    "time, and runs the tests of the program, except with Node.",
  words: { value: "TOOL", does: "only the file of this tool: bun, node or deno", oneOf: tools },
});
const selectedTools = tools.filter((tool) => words.length === 0 || words.includes(tool));

const tempFolder = await Deno.makeTempDir({ prefix: "latchkey-binary-" });
const allCounts: TestCounts[] = [];
try {
  for (const tool of selectedTools) console.log(`${tool}: ${await buildAndTest(tool)}`);
  if (words.length === 0) {
    console.log(
      `the script: ${await testExecutable(["tests/binary/compile_once.ts"], join(tempFolder, "bun", fileName))}`,
    );
  }
} finally {
  await Deno.remove(tempFolder, { recursive: true });
}
const totalCounts = sumCounts(allCounts);
console.log(formatCounts(totalCounts));
Deno.exit(totalCounts.failed > 0 ? 1 : 0);

/** Builds, measures and tests one executable, and prints the result. */
async function buildAndTest(tool: string): Promise<string> {
  let output: string;
  try {
    const flags = ["--with", tool, "--output", `dist/binary/${tool}`];
    output = (await run([Deno.execPath(), "task", "--quiet", "compile", ...flags])).trim();
  } catch (error) {
    const { message } = error as Error;
    // Deno is the only tool that needs more than npm.
    if (tool === "deno" && message.includes("dl.deno.land")) return `left out.\n${message}`;
    allCounts.push({ passed: 0, failed: 1, skipped: 0 });
    return `FAILED\n${message}`;
  }
  const source = output.split("\n").at(-1)!;
  // In an empty folder, under a neutral name.
  const home = join(tempFolder, tool);
  await Deno.mkdir(home);
  const file = join(home, fileName);
  await Deno.copyFile(source, file);
  const size = `${((await Deno.stat(file)).size / 2 ** 20).toFixed(1)} MiB`;
  const { response, login } = await measure(file);
  const files = [...globSync("tests/binary/*_binary.ts").sort(), ...tool === "node" ? [] : programTests];
  return `${size}, first response after ${response} ms, first login after ${login} ms; ${await testExecutable(
    files,
    file,
  )}`;
}

/** Milliseconds from the start of the process to its first response, and to tokens; medians. */
async function measure(file: string): Promise<{ response: string; login: string }> {
  // Generating the default RSA key takes a varying time.
  const config = join(tempFolder, "measure.json");
  await Deno.writeTextFile(config, JSON.stringify({ alg: "ES256" }));
  const rounds: { response: number; login: number }[] = [];
  for (let left = timedStarts; left >= 0; left--) rounds.push(await timeStart(file, config));
  const median = (values: number[]) => values.sort((a, b) => a - b)[timedStarts >> 1]!.toFixed(0);
  const measured = rounds.slice(1);
  return {
    response: median(measured.map(({ response }) => response)),
    login: median(measured.map(({ login }) => login)),
  };
}

/** Starts the program, logs a user in and gets the tokens. */
async function timeStart(file: string, config: string): Promise<{ response: number; login: number }> {
  const startedAt = performance.now();
  const child = new Deno.Command(file, {
    args: ["--port", "0", "--config", config],
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  try {
    let banner = "";
    let issuer: string | undefined;
    while (issuer === undefined) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`${file} ended before it printed its banner.`);
      banner += value;
      issuer = /^Try it +(\S+)\/start$/m.exec(banner)?.[1];
    }
    await (await fetch(`${issuer}/.well-known/openid-configuration`)).body?.cancel();
    const response = performance.now() - startedAt;
    const redirect_uri = `${issuer}/authorized`;
    // RFC 7636, Appendix B.
    const request = new URLSearchParams({
      response_type: "code",
      client_id: "demo-public",
      redirect_uri,
      scope: "openid",
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256",
    });
    const { headers } = await fetch(`${issuer}/oauth2/authorize?${request}`, { redirect: "manual" });
    const body = new URLSearchParams({
      grant_type: "authorization_code",
      client_id: "demo-public",
      redirect_uri,
      code: new URL(headers.get("location")!).searchParams.get("code")!,
      code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    });
    const tokens = await (await fetch(`${issuer}/oauth2/token`, { method: "POST", body })).json();
    if (typeof tokens.id_token !== "string") throw new Error(`${file} issued no tokens: ${JSON.stringify(tokens)}`);
    return { response, login: performance.now() - startedAt };
  } finally {
    child.kill("SIGKILL");
    await reader.cancel();
    await child.status;
  }
}

/** Runs test files for one executable. Prints failed and skipped tests, and returns their numbers. */
async function testExecutable(files: readonly string[], executable: string): Promise<string> {
  const startedAt = performance.now();
  const env = { LATCHKEY_TEST_BINARY: executable };
  const { counts, output } = await runTests("deno", files, { silenceSeconds, env });
  allCounts.push(counts);
  if (counts.failed > 0) console.log(output);
  else for (const line of new Set(output.match(/^.*SKIPPED.*$/gm))) console.log(line);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  return `${counts.failed > 0 ? "FAILED" : "ok"}, ${counts.passed} tests, ${seconds} s`;
}
