/** `latchkey check` and `latchkey faults`: as processes, against a small web application. */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { checkApplication } from "../../src/cli/check/check_application.ts";
import { programCommand, readCheckArguments } from "../../src/cli/check/check_flags.ts";
import { checkHelpText, faultsHelpText } from "../../src/cli/check/check_help.ts";
import { listFaults } from "../../src/cli/check/list_faults.ts";
import { showProgress } from "../../src/cli/check/show_progress.ts";
import { formatId } from "../../src/testing/check/report_text.ts";
import { attacks } from "../../src/testing/check/attacks/mod.ts";
import type { ConfigurationError } from "../../src/oauth/config/config_issue.ts";
import { validateOptions } from "../../src/server/options.ts";
import { binary, type ExitResult, runProgram, startCommand } from "../runtimes/run_program.ts";
import {
  type ApplicationMistake,
  type SmallWebApplication,
  startWebApplication,
} from "../testing/check/small_web_application.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-check-"));
after(() => rmSync(folder, { recursive: true }));

/** A free port, below those of outgoing connections, which could take it before the program listens. */
async function freePort(): Promise<number> {
  const server = createServer();
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  const isFree = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false)).listen(port, () => resolve(true));
  });
  await new Promise((resolve) => server.close(resolve));
  return isFree ? port : await freePort();
}

/** Starts the application, and checks it by a command line. Default: in a process, as a user does. */
async function check(
  args: readonly string[] | ((url: string) => readonly string[]),
  mistake?: ApplicationMistake,
  run: (args: readonly string[]) => Promise<ExitResult> = ([...args]) => runProgram({ args }),
): Promise<ExitResult> {
  const port = await freePort();
  await using application = await startWebApplication(() => ({
    issuer: `http://localhost:${port}`,
    clientId: "shop",
    mistake,
  }));
  const { url } = application;
  return await run([
    ...["check", `${url}/login`, "--port", String(port), "--client-id", "shop"],
    ...["--redirect-uri", `${url}/callback`, "--recovery", "0"],
    ...typeof args === "function" ? args(url) : args,
  ]);
}

/** {@link check} in this process. */
function checkInProcess(args: readonly string[], mistake?: ApplicationMistake): Promise<ExitResult> {
  return check(args, mistake, ([, ...args]) => checkHere(args, Date.now));
}

const never = () => {
  throw new Error("The command may not end the process.");
};

/** Checks an application in this process, with a clock of its own. */
async function checkHere(
  args: readonly string[],
  now: () => number,
  onError: (text: string) => void = () => {},
): Promise<ExitResult> {
  const { log, error } = console;
  const output = { stdout: "", stderr: "" };
  console.log = (text: string) => void (output.stdout += `${text}\n`);
  console.error = (text: string) => {
    output.stderr += `${text}\n`;
    onError(text);
  };
  try {
    const environment = {
      env: {},
      mainModule: "",
      isTerminal: false,
      now,
      readTextFile: (path: string) => readFile(path, "utf8"),
      onStop: () => {},
      exit: never,
    };
    return { code: await checkApplication(args, environment, validateOptions), ...output };
  } finally {
    Object.assign(console, { log, error });
  }
}

test("a correct application passes with exit code 0, and the page where the login ends shows it", async () => {
  const { code, stdout, stderr } = await check(["--only", "response,id-token/nonce-wrong"]);
  assertEquals(code, 0, stdout + stderr);
  assertMatch(stdout, /^http:\/\/127\.0\.0\.1:\d+: \d+ attacks \(\d+ journeys, [\d.]+ s\): \d+ passed/);
  assertMatch(stderr, /Issuer: http:\/\/localhost:\d+\nLogin: +http.*\nWatch: .*\/flows\n/);
  assertMatch(stderr, /(\d+) of \1 journeys, 0 failed/);
  assert(!stderr.includes("Waiting"), stderr);
});

test("the check waits for an application that needs the metadata at its start", async () => {
  const [issuerPort, port] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  let application: Promise<SmallWebApplication> | undefined;
  const { code, stdout, stderr } = await checkHere(
    [
      ...[`${url}/login`, "--port", String(issuerPort), "--client-id", "shop"],
      ...["--redirect-uri", `${url}/callback`, "--only", "response/state-wrong"],
    ],
    Date.now,
    (text) => {
      if (text !== `Waiting for ${url}/login: start the application now.`) return;
      const issuer = `http://localhost:${issuerPort}`;
      application = startWebApplication(() => ({ issuer, clientId: "shop", discoversAtStart: true }), port);
    },
  );
  await (await application)?.[Symbol.asyncDispose]();
  assertEquals(code, 0, stdout + stderr);
  assertEquals(stderr.split("Waiting for").length, 2, stderr);
});

test("a port in use: the server that uses it must stop, because the application names the port", async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as AddressInfo;
  const { code, stderr } = await runProgram({ args: ["check", "http://localhost:1/login", "--port", String(port)] });
  taken.close();
  assertEquals([code, stderr], [
    1,
    `Cannot listen on 127.0.0.1:${port}: the port is in use. ` +
    "Stop the server that uses it, because the application's issuer must be this port.\n",
  ]);
});

test("a mistake is reported while it runs and at the end, with exit code 1", async () => {
  const { code, stdout, stderr } = await check(["--only", "response/state-wrong"], "does not compare state");
  assertEquals(code, 1, stdout + stderr);
  assertMatch(
    stdout,
    /FAILED response\/state-wrong \(must-reject, high\), \d+ of \d+ variants\n {2}attack: .*\n {2}consequence: An attacker logs a user in to/,
  );
  assertMatch(stderr, /✗ response\/state-wrong \{ how: "unrelated" \}: the client completed the journey/);
});

test("a login that fails is reported with its reason, and exit code 1", async () => {
  const failed = await checkInProcess(["--only", "response/state-wrong", "--logged-in-text", "Mallory"]);
  assertEquals(failed.code, 1);
  assertMatch(failed.stdout, /The login without an attack failed: .* has the text "Mallory" not after a login/);
});

test("a login that the server rejects: its rule, expected and received values and fix, also with --output", async () => {
  const wrongSecret = ["--only", "response/state-wrong", "--client-secret", "secret-of-the-shop"];
  const block = new RegExp(
    "The login without an attack failed: rejected, the login failed: status 502 .*\n\n" +
      "The server rejected POST /oauth2/token with invalid_client by CA-\\d+: .*\n" +
      " {2}expected: .*\n {2}received: .*\n {2}fix: +.*",
  );
  const text = await checkInProcess(wrongSecret);
  assertEquals(text.code, 1);
  assertMatch(text.stdout, block);
  assert(!text.stdout.includes("secret-of-the-shop"));

  const file = join(folder, "failed.json");
  const json = await checkInProcess([...wrongSecret, "--report", "json", "--output", file]);
  assertMatch(json.stdout, block);
  const { control } = JSON.parse(readFileSync(file, "utf8"));
  const [{ request, error, rule, fix }] = control.rejections;
  assertEquals([control.passed, request, error], [false, "POST /oauth2/token", "invalid_client"]);
  assert(rule.startsWith("CA-") && fix.length > 10, JSON.stringify(control));

  const junit = await checkInProcess([...wrongSecret, "--report", "junit"]);
  assertMatch(
    junit.stdout,
    /name="login without an attack">\n {4}<failure message="[^"]*">[^<]*The server rejected POST/,
  );
});

test("a block names the command that repeats the attack, for a shell and without the secret", async () => {
  const { stdout } = await checkInProcess(
    ["--only=response/state-wrong,id-token/nonce-wrong", "--timeout", "20", "--logged-in-text", "alice's page"],
    "does not compare state",
  );
  // The page does not have this text; the check says so, and nothing is to be repeated.
  assertMatch(stdout, /has the text "alice's page" not after a login/);
  const { repeat } = readCheckArguments([
    ...["http://a.test/login?next=1&x", "--port", "9100", "--client-id=shop", "--client-secret", "secret-of-the-shop"],
    ...["--redirect-uri", "http://a.test/cb", "--logged-in-text", "Alice's page", "--only", "keys", "--report", "json"],
    ...["--output", "a.json", "--baseline", "b.json", "--store", "redis://user:password@localhost"],
  ], "latchkey");
  assertEquals(
    repeat("response/state-wrong"),
    "latchkey check 'http://a.test/login?next=1&x' --port 9100 --client-id shop --client-secret \"$CLIENT_SECRET\" " +
      "--redirect-uri http://a.test/cb --logged-in-text 'Alice'\\''s page' --only response/state-wrong",
  );
  const failed = await checkInProcess(["--only", "response/state-missing"], "does not compare state");
  assertMatch(
    failed.stdout,
    /\n {2}repeat: +(?:latchkey|(?:npx -y )?deno task start) check http:\/\/127\.0\.0\.1:\d+\/login --port \d+ .* --only response\/state-missing\n/,
  );
});

test("a repetition is called as the program was: by its name, or in a clone by the task", () => {
  const cases: readonly (readonly [mainModule: string, env: Record<string, string>, command: string])[] = [
    ["file:///home/me/latchkey/src/main.ts", {}, "deno task start"],
    ["file:///home/me/latchkey/src/main.ts", { npm_command: "exec" }, "npx -y deno task start"],
    ["C:\\latchkey\\src\\main.ts", {}, "deno task start"],
    ["/usr/local/lib/node_modules/@latchkey/latchkey/main.js", { npm_command: "exec" }, "latchkey"],
    ["/usr/local/bin/latchkey", {}, "latchkey"],
    ["", {}, "latchkey"],
  ];
  for (const [mainModule, env, command] of cases) assertEquals(programCommand({ mainModule, env }), command);
});

test("--baseline: what an earlier report has does not fail again, and what no longer fails is named", async () => {
  const only = ["--only", "response/state-wrong,id-token/nonce-wrong"];
  const file = join(folder, "known.json");
  const first = await checkInProcess([...only, "--report", "json", "--output", file], "does not compare state");
  assertEquals(first.code, 1);

  const known = await checkInProcess([...only, "--baseline", file], "does not compare state");
  assertEquals(known.code, 0, known.stdout);
  assertMatch(
    known.stdout,
    /: 1 passed, 1 known\n\nKNOWN, failures that the baseline has:\n {2}response\/state-wrong \(\d+\)$/m,
  );
  const junit = await checkInProcess([...only, "--baseline", file, "--report", "junit"], "does not compare state");
  assertMatch(
    junit.stdout,
    /failures="0" skipped="[1-9]\d*"[^]*<skipped message="known: the client completed the journey"\/>/,
  );

  const fixed = await checkInProcess([...only, "--baseline", file]);
  assertEquals(fixed.code, 0, fixed.stdout);
  assertMatch(
    fixed.stdout,
    /OUTDATED, failures of the baseline that passed:\n {2}response\/state-wrong \{ how: "unrelated" \}\n/,
  );

  const report = JSON.parse(readFileSync(file, "utf8"));
  const results = report.results.filter(({ values }: { values: { how?: string } }) => values.how !== "extended");
  const partial = join(folder, "partial.json");
  writeFileSync(partial, JSON.stringify({ results }));
  const other = await checkInProcess([...only, "--baseline", partial], "does not compare state");
  assertEquals(other.code, 1);
  assertMatch(
    other.stdout,
    /FAILED response\/state-wrong .* 1 of \d+ variants\n(?: {2}.*\n)+ {2}\{ how: "extended" \}/,
  );

  writeFileSync(partial, "[]");
  const invalid = await runProgram({ args: ["check", "http://localhost:1/login", "--baseline", partial] });
  assertEquals(invalid.code, 1);
  assertMatch(
    invalid.stderr,
    /--baseline\n {2}Expected a JSON report .*\n {2}Write one with --report json --output FILE/,
  );
  const missing = await runProgram({ args: ["check", "http://localhost:1/login", "--baseline", join(folder, "none")] });
  assertMatch(missing.stderr, /--baseline\n {2}Expected a JSON report of an earlier check, found no file that can be/);
});

test("Ctrl-C prints what is known, and writes the report; nothing that hangs delays it", async () => {
  const port = await freePort();
  await using application = await startWebApplication(() => ({
    issuer: `http://localhost:${port}`,
    clientId: "shop",
    mistake: "hangs at a wrong nonce",
  }));
  const { url } = application;
  const file = join(folder, "stopped.json");
  const command = startCommand({
    args: [
      ...["check", `${url}/login`, "--port", String(port), "--client-id", "shop"],
      ...["--redirect-uri", `${url}/callback`, "--only", "response/extra-parameters,id-token/nonce-wrong"],
      ...["--timeout", "600", "--report", "json", "--output", file],
    ],
  });
  await Promise.race([application.hangs, command.exited]);
  command.signal("SIGINT");
  const { code, stdout, stderr } = await command.exited;
  assertEquals(code, 1, stdout + stderr);
  assertMatch(stderr, /\nCtrl-C ends the check with a report of what is known until then\.\n/);
  assertMatch(stdout, /\n\nNOT PASSED: the check was stopped after \d+ of \d+ journeys\.\nThe report is in /);
  const { passed, problem, counts } = JSON.parse(readFileSync(file, "utf8"));
  assertEquals([passed, counts.passed, counts.failed], [false, 1, 0], problem);
});

test("progress says how much time is left, and comes every thirty seconds where the output is no terminal", () => {
  const attack = attacks.find(({ id }) => id === "id-token/nonce-wrong")!;
  const result = { attack, values: {}, verdict: "passed", because: "", exchanges: [] } as const;
  for (const isTerminal of [true, false]) {
    let [text, now] = ["", 0];
    const progress = showProgress(isTerminal, (written) => void (text += written), formatId, () => now);
    for (const seconds of [5, 15, 40]) {
      now = seconds * 1000;
      progress.show(result, 10);
    }
    now = 75_000;
    progress.show({ ...result, verdict: "inconclusive" }, 10);
    assertEquals(
      text.replaceAll("\r\u001b[K", "\n").replaceAll(" · id-token/nonce-wrong", "").trim().split("\n"),
      isTerminal
        ? [
          "1 of 10 journeys, 0 failed",
          "2 of 10 journeys, 0 failed, about 60 s left",
          "3 of 10 journeys, 0 failed, about 100 s left",
          "4 of 10 journeys, 0 failed, 1 inconclusive, about 2 min left",
        ]
        : [
          "3 of 10 journeys, 0 failed, about 100 s left",
          "4 of 10 journeys, 0 failed, 1 inconclusive, about 2 min left",
        ],
    );
  }
});

test("an application that does not run is reported with its URL and the issuer", async () => {
  const [port, closed] = [await freePort(), await freePort()];
  const url = `http://localhost:${closed}`;
  let now = 0;
  const { code, stdout } = await checkHere(
    [
      ...[`${url}/login?next=1`, "--port", String(port), "--client-id", "shop"],
      ...["--redirect-uri", `${url}/callback`, "--only", "response/state-wrong"],
    ],
    // The time limit passes in a few requests.
    () => now += 10_000,
  );
  assertEquals(code, 1);
  assertStringIncludes(
    stdout,
    `${url}/login could not be reached: is the application running, and is its issuer http://localhost:${port}?`,
  );
});

test("progress names each journey with its parameters, and long values by their beginning", () => {
  let text = "";
  const attack = attacks.find(({ id }) => id === "id-token/kid-unknown")!;
  const progress = showProgress(false, (written) => void (text += written), formatId, () => 0);
  const result = { attack, verdict: "failed", because: "it hung", exchanges: [] } as const;
  progress.show({ ...result, values: { kid: "k".repeat(5000) } }, 1);
  assertEquals(
    text,
    `✗ id-token/kid-unknown { kid: "${"k".repeat(59)}… (5002 characters) }: it hung\n1 of 1 journey, 1 failed\n`,
  );
});

test("reports: JSON, JUnit XML, and an HTML document without scripts and other files", async () => {
  const only = ["--only", "response/state-wrong,metadata/issuer-other"];
  const json = await checkInProcess([...only, "--report", "json"], "does not compare state");
  const report = JSON.parse(json.stdout);
  assertEquals([report.passed, report.counts.failed > 0, report.results[0].id], [false, true, "metadata/issuer-other"]);

  const file = join(folder, "report.xml");
  const junit = await checkInProcess([...only, "--report", "junit", "--output", file], "does not compare state");
  assertStringIncludes(junit.stdout, `The report is in ${file}.`);
  assertMatch(
    readFileSync(file, "utf8"),
    /^<\?xml .*\n<testsuite name="[^"]+" tests="\d+" failures="[1-9]\d*" skipped="[1-9]\d*"/,
  );

  const page = join(folder, "report.html");
  assertEquals(
    (await checkInProcess([...only, "--report", "html", "--output", page], "does not compare state")).code,
    1,
  );
  const html = readFileSync(page, "utf8");
  assertMatch(html, /<h1>Check of http:\/\/127\.0\.0\.1:\d+<\/h1>/);
  assertStringIncludes(html, "response/state-wrong");
  assert(!/<script|<link|src=|url\(/.test(html), "something else is loaded");
  const style = /<style>([^]*?)<\/style>/.exec(html)![1]!;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style)));
  assertStringIncludes(html, `style-src 'sha256-${btoa(String.fromCharCode(...digest))}'`);
});

test("--restart runs a command before each attack on what the application keeps; Deno must allow it", async () => {
  const { code, stdout, stderr } = await check((url) => {
    const script = `fetch("${url}/restart").then(({ ok }) => process.exit(ok ? 0 : 1))`;
    const evaluate = "Deno" in globalThis ? "eval" : "-e";
    return ["--only", "metadata/issuer-other", "--restart", `"${process.execPath}" ${evaluate} '${script}'`];
  });
  if ("Deno" in globalThis && binary === undefined) {
    assertEquals(code, 1);
    assertMatch(stderr, /--restart\n {2}Expected a command that restarts.*\n.*--allow-run/);
    return;
  }
  assertEquals(code, 0, stdout + stderr);
  assertMatch(stdout, /: 1 passed$/m);
});

test("--restart waits no longer than the time limit for an application that never responds", async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket.on("error", () => {})));
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const { code, stdout, stderr } = await runProgram({
    args: [
      ...["check", `${url}/login`, "--port", String(await freePort()), "--client-id", "shop"],
      ...["--redirect-uri", `${url}/callback`, "--recovery", "0", "--timeout", "1"],
      ...["--only", "id-token/nonce-wrong", "--restart", `"${process.execPath}" --version`],
    ],
  });
  for (const socket of sockets) socket.destroy();
  silent.close();
  assertEquals(code, 1, stdout + stderr);
  // Deno may not run the command.
  if (!("Deno" in globalThis && binary === undefined)) assertMatch(stdout, /The login without an attack failed: hung/);
});

test("a client of the flags may refresh its tokens", async () => {
  const { code, stdout } = await check((url) => ["--only", "refresh/token-omitted", "--refresh-url", `${url}/refresh`]);
  assertEquals(code, 0, stdout);
  assertMatch(stdout, /: 1 passed/);
});

test("the command line of a check: every mistake together, with the nearest flag", () => {
  const issuesOf = (...args: string[]) => {
    try {
      readCheckArguments(args, "deno task start");
      return [];
    } catch (error) {
      return (error as ConfigurationError).issues.map(({ path, hint }) => `${path}: ${hint}`);
    }
  };
  assertEquals(issuesOf(), ["command line: Write it like deno task start check http://localhost:3000/login."]);
  assertEquals(issuesOf("http://a.test/login", "--ony", "keys", "--timeout", "0", "--report"), [
    "--ony: Did you mean --only?",
    "--timeout: Write it like --timeout 10.",
    "--report: Write it like --report text.",
  ]);
  assertEquals(issuesOf("http://a.test/login", "--client-id", "shop"), [
    "--client-id: Add it, or describe the client in the file of --config.",
  ]);
  assertEquals(issuesOf("ftp://a.test/", "http://b.test/").length, 1);
  const { loginUrl, flags, serverArgs } = readCheckArguments([
    ...["--port", "9100", "http://a.test/login", "--issuer=http://localhost:9100", "--only", "keys, response"],
    ...["--time-limits", "on", "--config", "latchkey.json"],
  ], "latchkey");
  assertEquals([loginUrl, flags.only, flags.timeLimits, flags.report], [
    "http://a.test/login",
    ["keys", "response"],
    true,
    "text",
  ]);
  assertEquals(serverArgs, ["--port", "9100", "--issuer=http://localhost:9100", "--config", "latchkey.json"]);
});

test("an unknown attack and a real issuer end the command before it starts", async () => {
  const unknown = await runProgram({ args: ["check", "http://localhost:1/login", "--only", "id-tokens"] });
  assertEquals([unknown.code, unknown.stdout], [1, ""]);
  assertMatch(unknown.stderr, /--only\n {2}Expected attacks or categories, found "id-tokens"\.\n {2}Did you mean/);
  const real = await runProgram({
    args: ["check", "http://localhost:1/login", "--issuer", "https://login.example.com"],
  });
  assertEquals(real.code, 1);
  assertMatch(real.stderr, /issuer\n {2}Expected a test host/);
});

test("faults lists attacks and faults, also as JSON; help fits in 80 columns", async () => {
  const { code, stdout } = await runProgram({ args: ["faults"] });
  assertEquals(code, 0);
  assertMatch(stdout, /^\d{3,} attacks: /);
  assertMatch(stdout, /\nid-token\/aud-wrong \(must-reject\)\n {2}The ID token is for another client\.\n {2}aud: /);
  assertMatch(stdout, /\ndelay \(any\)\n/);
  const { attacks, faults } = JSON.parse((await runProgram({ args: ["faults", "--json"] })).stdout);
  assert(attacks.length >= 110 && faults.length >= 42);
  assertEquals(Object.keys(attacks[0]).includes("level"), true);
  const listed = async (...words: readonly string[]) => {
    const { attacks, faults } = JSON.parse(await listFaults([...words, "--json"]));
    return [...attacks, ...faults].map(({ id }: { id: string }) => id);
  };
  assertEquals(await listed("id-token/aud-wrong"), ["id-token/aud-wrong"]);
  assertEquals(await listed("delay"), ["delay"]);
  const category = await listed("id-token");
  assert(category.length > 10 && category.every((id) => id.startsWith("id-token/")));
  assert((await listed("idToken")).every((id) => id.startsWith("idToken.")));
  await assertRejects(() => listed("id-tokn"), Error, 'found "id-tokn".\n  Did you mean id-token?');
  await assertRejects(() => listed("nosuch"), Error, "latchkey faults lists all.");
  await assertRejects(() => listed("delay", "drop"), Error, 'found "drop".\n  Remove it.');
  await assertRejects(() => listed("--jsn"), Error, 'found "--jsn".\n  Remove it.');
  for (const text of [checkHelpText, faultsHelpText]) {
    for (const line of text.split("\n")) assert(line.length <= 80, line);
  }
});
