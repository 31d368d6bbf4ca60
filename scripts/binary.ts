/**
 * Makes the one file in each way that works here, copies it into an empty folder, says how large it is and how soon it
 * answers, and runs the tests of the program against it: `deno task test:binary [deno|bun|node …]`.
 */

import { globSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

/** Seconds after which tests are taken to hang. */
const patience = 240;
/** How many starts are timed, after one that is not. */
const starts = 9;

/** Tests of the program as a process, which hold for it as one file too. */
const programTests = ["tests/runtimes/program_test.ts", "tests/operating/process_test.ts"];

const known = ["bun", "node", "deno"];
const stranger = Deno.args.find((name) => !known.includes(name));
if (stranger !== undefined) {
  console.error(`Expected ${known.join(", ")}; found ${JSON.stringify(stranger)}.`);
  Deno.exit(1);
}
const wanted = known.filter((name) => Deno.args.length === 0 || Deno.args.includes(name));

const away = await Deno.makeTempDir({ prefix: "latchkey-binary-" });
const tally = { passed: 0, failed: 0, skipped: 0 };
try {
  if (Deno.args.length === 0) console.log(`the script: ${await runTests(["tests/binary/compile_once.ts"])}`);
  for (const tool of wanted) console.log(`${tool}: ${await tryOut(tool)}`);
} finally {
  await Deno.remove(away, { recursive: true });
}
console.log(`${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped`);
Deno.exit(tally.failed > 0 ? 1 : 0);

/** Makes, measures and tests one, and says how that went. */
async function tryOut(tool: string): Promise<string> {
  const made = await run(
    Deno.execPath(),
    "task",
    "--quiet",
    "compile",
    "--with",
    tool,
    "--output",
    `dist/binary/${tool}`,
  );
  if (!made.success) {
    // The one way that needs more than npm.
    if (tool === "deno" && made.text.includes("dl.deno.land")) return `left out. ${made.text}`;
    tally.failed++;
    return `FAILED\n${made.text}`;
  }
  const source = made.text.split("\n").at(-1)!;
  // Without what made it beside it, and without a name that says what it is made of.
  const home = join(away, tool);
  await Deno.mkdir(home);
  const file = join(home, source.endsWith(".exe") ? "latchkey.exe" : "latchkey");
  await Deno.copyFile(source, file);
  const size = `${((await Deno.stat(file)).size / 2 ** 20).toFixed(1)} MiB`;
  const { answer, login } = await measure(file);
  const files = [...globSync("tests/binary/*_binary.ts").sort(), ...programTests];
  return `${size}, first answer after ${answer} ms, first login after ${login} ms; ${await runTests(files, file)}`;
}

/** Milliseconds from the start of the process to its first answer, and to tokens for somebody; medians. */
async function measure(file: string): Promise<{ answer: string; login: string }> {
  // The key of the default takes its time to be made, which differs from start to start.
  const config = join(away, "measure.json");
  await Deno.writeTextFile(config, JSON.stringify({ alg: "ES256" }));
  const rounds: { answer: number; login: number }[] = [];
  for (let left = starts; left >= 0; left--) rounds.push(await timeStart(file, config));
  const median = (values: number[]) => values.sort((a, b) => a - b)[starts >> 1]!.toFixed(0);
  const timed = rounds.slice(1);
  return { answer: median(timed.map(({ answer }) => answer)), login: median(timed.map(({ login }) => login)) };
}

/** Starts it, logs somebody in and takes the tokens. */
async function timeStart(file: string, config: string): Promise<{ answer: number; login: number }> {
  const begun = performance.now();
  const child = new Deno.Command(file, {
    args: ["--port", "0", "--config", config],
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  try {
    let greeting = "";
    let issuer: string | undefined;
    while (issuer === undefined) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`${file} ended before it greeted.`);
      greeting += value;
      issuer = /^Start the demo flow: (\S+)\/start$/m.exec(greeting)?.[1];
    }
    await (await fetch(`${issuer}/.well-known/openid-configuration`)).body?.cancel();
    const answer = performance.now() - begun;
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
    if (typeof tokens.id_token !== "string") throw new Error(`${file} gave no tokens: ${JSON.stringify(tokens)}`);
    return { answer, login: performance.now() - begun };
  } finally {
    child.kill("SIGKILL");
    await reader.cancel();
    await child.status;
  }
}

/** Runs test files, about one executable where it is given; prints what failed or was left out, and gives back how many. */
async function runTests(files: readonly string[], executable?: string): Promise<string> {
  const begun = performance.now();
  const env = { NO_COLOR: "1", ...executable === undefined ? {} : { LATCHKEY_TEST_BINARY: executable } };
  // Without the lock: it is for what users need, and a browser driver is not.
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--no-lock", "--no-check", ...files],
    env,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached: true, // a process group of its own, so that one signal reaches everything that the tests have started
  }).spawn();
  const end = (): void => {
    try {
      Deno.kill(-child.pid, "SIGKILL");
    } catch {
      // The whole group has ended by itself.
    }
  };
  const timer = setTimeout(end, patience * 1000);
  const interrupted = (): void => {
    end();
    Deno.exit(130);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, interrupted);
  const { success, stdout, stderr } = await child.output();
  for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.removeSignalListener(signal, interrupted);
  clearTimeout(timer);
  end();
  const text = textOf(stdout, stderr);
  if (!success) console.log(text);
  else for (const line of new Set(text.match(/^.*SKIPPED.*$/gm))) console.log(line);
  const count = (word: string) => Number(new RegExp(`^(?:ok|FAILED) \\|.*?(\\d+) ${word}`, "m").exec(text)?.[1] ?? 0);
  const [passed, failed, skipped] = [count("passed"), count("failed"), count("ignored")];
  tally.passed += passed;
  tally.failed += success ? 0 : Math.max(1, failed);
  tally.skipped += skipped;
  return `${success ? "ok" : "FAILED"}, ${passed} tests, ${((performance.now() - begun) / 1000).toFixed(1)} s`;
}

/** Runs a command to its end. */
async function run(command: string, ...args: string[]): Promise<{ success: boolean; text: string }> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args, env: { NO_COLOR: "1" } }).output();
  return { success, text: textOf(stdout, stderr).trim() };
}

function textOf(...streams: Uint8Array[]): string {
  return stripVTControlCharacters(streams.map((bytes) => new TextDecoder().decode(bytes)).join(""));
}
