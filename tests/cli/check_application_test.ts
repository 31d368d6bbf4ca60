/** What `latchkey check` prints and writes. `check_command_test.ts` runs it as a process. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { CommandLineError } from "../../src/cli/command_line_error.ts";
import { programCommand } from "../../src/cli/about.ts";
import { readCheckArguments } from "../../src/cli/check/check_flags.ts";
import { showProgress } from "../../src/cli/check/show_progress.ts";
import type { ConfigurationError } from "../../src/core/rules/configuration_error.ts";
import { attacks } from "../../src/check/attacks/mod.ts";
import { effects } from "../../src/check/effects.ts";
import { formatId } from "../../src/check/report_data.ts";
import { ClientSecretPost } from "openid-client";
import { startWebApplication } from "../check/small_web_application.ts";
import { findFreePort } from "../platform/runtime/free_port.ts";
import { check, checkHere, checkInProcess } from "./check_runs.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-check-"));
after(() => rmSync(folder, { recursive: true }));

test("a login that fails is reported with its reason, and exit code 1", async () => {
  const failed = await checkInProcess(["--only", "id-token/signed-by-stranger", "--logged-in-text", "Mallory"]);
  assertEquals(failed.code, 1);
  assertMatch(failed.stdout, /The login without an attack failed: .* has the text "Mallory" not after a login/);
});

test("before its first login the check names its client; a failed one is followed by its cause and the flag to change", async () => {
  // The application sends the redirect URI of the address that it listens on.
  const elsewhere = "http://127.0.0.1:1/elsewhere";
  const wrong = await check(["--only", "keys"], undefined, ([, ...args]) => {
    const changed = args.map((word, at) => args[at - 1] === "--redirect-uri" ? elsewhere : word);
    return checkHere(changed, Date.now);
  });
  assertMatch(wrong.stderr, /\nClient: shop, authentication none, redirect URI http:\/\/127\.0\.0\.1:1\/elsewhere\n/);
  assertMatch(
    wrong.stdout,
    /^http:\S+: no attack ran\.\n\nThe login without an attack failed\.\nThe server rejected GET \S+ with .* by RU-01: /,
  );
  assertMatch(
    wrong.stdout,
    /\n {2}fix: +Try --redirect-uri http:\/\/127\.0\.0\.1:\d+\/callback: the check has http\S+elsewhere\.\n$/,
  );
  const port = await findFreePort();
  const authentication = ClientSecretPost("secret-of-the-shop");
  await using application = await startWebApplication(() => ({
    ...{ issuer: `http://localhost:${port}`, clientId: "shop", alg: "EdDSA", authentication },
  }));
  const { url } = application;
  const without = await checkHere([
    ...[`${url}/login`, "--port", String(port), "--client-id", "shop", "--redirect-uri", `${url}/callback`],
    ...["--recovery", "0", "--only", "keys"],
  ], Date.now);
  assertMatch(without.stdout, /\n {2}fix: +Try --client-secret SECRET: the check has no secret of this client, .*\n$/);
  for (const { stdout, stderr } of [wrong, without]) assert(!/logins? tried,/.test(stderr + stdout), stderr + stdout);
});

for (
  const [about, args, fix] of [
    ["a URL that every visitor sees", (url: string) => ["--logged-in-url", `${url}/login`], "--logged-in-url"],
    ["a text that no page has", () => ["--logged-in-text", "Mallory"], "--logged-in-text TEXT"],
  ] as const
) {
  test(`the check stops after its first login if the page does not show it, and names the flag: ${about}`, async () => {
    for (const mistake of [undefined, "accepts unknown keys"] as const) {
      const { code, stdout, stderr } = await checkInProcess(args, mistake);
      assertEquals(code, 1);
      assertMatch(stdout, /^http:\S+: no attack ran\.\n\nThe login without an attack failed: /);
      assertMatch(stdout, new RegExp(`\n  fix: +Try .*${fix}`));
      assert(!/keys|Restart|skipped/.test(stdout + stderr), stdout);
      const html = await checkInProcess((url) => [...args(url), "--report", "html"], mistake);
      assertStringIncludes(html.stdout, "No attack ran.");
      assert(!/skipped/i.test(html.stdout.replace(/<style>.*?<\/style>/gs, "")), html.stdout.slice(-3000));
    }
  });
}

test("texts for the owner of an application name flags, and no member of a driver", async () => {
  const { stdout } = await checkInProcess(["--only", "refresh,logout,device,registration,resource"]);
  assertMatch(stdout, /the check cannot refresh the tokens \(add --refresh-url\) \(\d+\)/);
  assert(!/ClientDriver|ClientSession|driver/.test(stdout), stdout);
});

test("warnings about settings are printed, as a start of the server prints them", async () => {
  const file = join(folder, "warned.json");
  writeFileSync(file, '{"scopes": ["openid"]}');
  const { stderr } = await checkInProcess(["--only", "id-token/signed-by-stranger", "--config", file]);
  assertStringIncludes(stderr, 'scopes: scopes does not contain "read", so no default scope exists');
});

test("a login that the server rejects: its rule, expected and received values and fix, also with --output", async () => {
  const wrongSecret = ["--only", "id-token/signed-by-stranger", "--client-secret", "secret-of-the-shop"];
  const block = new RegExp(
    "The login without an attack failed\\.\n" +
      "The server rejected POST /oauth2/token with invalid_client by CA-\\d+: .*\n" +
      " {2}expected: .*\n {2}received: .*\n {2}fix: +Try it without --client-secret: the application sends no secret\\.\n",
  );
  const text = await checkInProcess(wrongSecret);
  assertEquals(text.code, 1);
  assertMatch(text.stdout, block);
  assert(!text.stdout.includes("secret-of-the-shop"));
  assertEquals(text.stdout.match(/The server rejected/g)?.length, 1, text.stdout);

  const file = join(folder, "failed.json");
  const json = await checkInProcess([...wrongSecret, "--report", "json", "--output", file]);
  assertMatch(json.stdout, block);
  const { control } = JSON.parse(readFileSync(file, "utf8"));
  const [{ request, error, rule, fix, sources, url }] = control.rejections;
  assertEquals([sources.length > 0, url], [true, undefined]);
  assertEquals([control.passed, request, error], [false, "POST /oauth2/token", "invalid_client"]);
  assert(rule.startsWith("CA-") && fix.length > 10, JSON.stringify(control));

  const junit = await checkInProcess([...wrongSecret, "--report", "junit"]);
  assertMatch(
    junit.stdout,
    /name="login without an attack">\n {4}<failure message="[^"]*">[^<]*The server rejected POST/,
  );
});

test("an application that does not respond: the cause, and how to fix it", async () => {
  const port = await findFreePort();
  const [url, free] = ["http://127.0.0.1:1", String(port)];
  let now = 0;
  const { stdout } = await checkHere([
    ...[`${url}/login`, "--port", free, "--client-id", "shop", "--redirect-uri", `${url}/callback`, "--recovery", "0"],
  ], () => now += 20_000);
  assertMatch(
    stdout,
    /^\S+: no attack ran\.\n\nThe login without an attack failed: .* could not be reached: .*\n {2}fix: +Start the application\. .*\n$/,
  );
});

test("a block names the command that repeats the attack, for a shell and without the secret", async () => {
  const { stdout } = await checkInProcess(
    ["--only=id-token/signed-by-stranger,id-token/nonce-wrong", "--timeout", "20", "--logged-in-text", "alice's page"],
    "accepts unknown keys",
  );
  // The page does not have this text; the check says so, and nothing is to be repeated.
  assertMatch(stdout, /has the text "alice's page" not after a login/);
  const { repeat } = readCheckArguments([
    ...["http://a.test/login?next=1&x", "--port", "9100", "--client-id=shop", "--client-secret", "secret-of-the-shop"],
    ...["--redirect-uri", "http://a.test/cb", "--logged-in-text", "Alice's page", "--only", "keys", "--report", "json"],
    ...["--output", "a.json", "--baseline", "b.json", "--user", "bob"],
  ], "latchkey");
  assertEquals(
    repeat("id-token/signed-by-stranger"),
    "latchkey check 'http://a.test/login?next=1&x' --port 9100 --client-id shop " +
      `--client-secret "\${CLIENT_SECRET:?set it to the secret of the client}" ` +
      "--redirect-uri http://a.test/cb --logged-in-text 'Alice'\\''s page' --user bob --only id-token/signed-by-stranger",
  );
  const failed = await checkInProcess(["--only", "id-token/signed-by-stranger"], "accepts unknown keys");
  assertMatch(failed.stdout, /\n {2}restart: +restart the application first: each check has new keys\n {2}repeat: /);
  const restarted = await checkInProcess(
    ["--only", "id-token/signed-by-stranger", "--restart", "true"],
    "accepts unknown keys",
  );
  assert(/\n {2}repeat: /.test(restarted.stdout) && !restarted.stdout.includes("  restart: "), restarted.stdout);
  assertMatch(
    failed.stdout,
    /\n {2}repeat: +(?:latchkey|(?:npx -y )?deno run -A src\/main\.ts) check http:\/\/127\.0\.0\.1:\d+\/login --port \d+ .* --only id-token\/signed-by-stranger\n/,
  );
});

test("a repetition is called as the program was: by its name, in a clone by a command that may start programs, elsewhere by the path", () => {
  const cases: readonly (readonly [mainModule: string, env: Record<string, string>, command: string])[] = [
    ["file:///home/me/latchkey/src/main.ts", {}, "deno run -A src/main.ts"],
    ["file:///home/me/latchkey/src/main.ts", { npm_command: "exec" }, "npx -y deno run -A src/main.ts"],
    ["file:///home/me/latchkey/src/main.ts", { PWD: "/home/me/latchkey" }, "deno run -A src/main.ts"],
    ["file:///home/me/latchkey/src/main.ts", { PWD: "/home/me/shop" }, "deno run -A /home/me/latchkey/src/main.ts"],
    ["C:\\latchkey\\src\\main.ts", {}, "deno run -A src/main.ts"],
    ["/usr/local/lib/node_modules/@latchkey/latchkey/main.js", { npm_command: "exec" }, "latchkey"],
    ["/usr/local/bin/latchkey", {}, "latchkey"],
    ["", {}, "latchkey"],
  ];
  for (const [mainModule, env, command] of cases) {
    for (const starting of ["exec", "check"]) assertEquals(programCommand({ mainModule, env }, starting), command);
    const task = command.replace("run -A src/main.ts", "task start");
    assertEquals(programCommand({ mainModule, env }, "explain"), task);
  }
});

test("--baseline: what an earlier report has does not fail again, and what no longer fails is named", async () => {
  const only = ["--only", "id-token/signed-by-stranger,id-token/nonce-wrong"];
  const file = join(folder, "known.json");
  const first = await checkInProcess([...only, "--report", "json", "--output", file], "accepts unknown keys");
  assertEquals(first.code, 1);
  assertMatch(
    first.stdout,
    /\n\nCAUSES:\n {2}does not verify the signature .*: 1 attack \(failed, high\)\nThe report is in /,
  );
  assertMatch(first.stderr, /\nNext: .* --only id-token\/signed-by-stranger\n.* --baseline FILE /);

  const known = await checkInProcess([...only, "--baseline", file], "accepts unknown keys");
  assertEquals(known.code, 0, known.stdout);
  assertMatch(
    known.stdout,
    /: 1 failed \(1 known\), 1 passed\n[^]*\n\nKNOWN, failures that the baseline has:\n {2}id-token\/signed-by-stranger \(\d+\)$/m,
  );
  const junit = await checkInProcess(
    [...only, "--baseline", file, "--report", "junit"],
    "accepts unknown keys",
  );
  assertMatch(
    junit.stdout,
    /failures="0" skipped="[1-9]\d*"[^]*<skipped message="known: the client carried on"\/>/,
  );

  const fixed = await checkInProcess([...only, "--baseline", file]);
  assertEquals(fixed.code, 0, fixed.stdout);
  assertMatch(
    fixed.stdout,
    /OUTDATED, failures of the baseline that passed:\n {2}id-token\/signed-by-stranger \{ how: "an unknown kid" \}\n/,
  );

  const report = JSON.parse(readFileSync(file, "utf8"));
  const results = report.results.filter(({ values }: { values: { how?: string } }) => values.how !== "an unknown kid");
  const partial = join(folder, "partial.json");
  writeFileSync(partial, JSON.stringify({ results }));
  const other = await checkInProcess([...only, "--baseline", partial], "accepts unknown keys");
  assertEquals(other.code, 1);
  assertMatch(
    other.stdout,
    /FAILED id-token\/signed-by-stranger .* \d+ of \d+ variants\n(?: {2}.*\n)+ {2}sent: +\{ how: "an unknown kid"/,
  );
});

test("--user: this user logs in, and a user who does not exist is an error", async () => {
  const only = ["--only", "id-token/user-similar", "--report", "json"];
  const { stdout } = await checkInProcess([...only, "--user", "bob"]);
  const { control, counts } = JSON.parse(stdout);
  assertEquals([control.sub, counts.failed], ["Bob Brown", 0], stdout);
  const error = await checkInProcess([...only, "--user", "carol"]).catch((error: ConfigurationError) => error.issues);
  assertEquals(error, [{
    path: "user",
    expected: "the sub, e-mail address or preferred_username of a user, such as alice, bob",
    received: '"carol"',
    hint: "Choose a user of the list users, or add this one to it.",
  }]);
});

test("progress moves while an attack takes long: a timer says which one runs, and for how long", () => {
  const attack = attacks.find(({ id }) => id === "id-token/nonce-wrong")!;
  const effect = effects.idToken;
  const result = { attack, effect, values: {}, verdict: "passed", because: "", evidence: { exchanges: [] } } as const;
  for (const isTerminal of [true, false]) {
    let [text, now] = ["", 0];
    const at = (seconds: number, act: () => void) => (now = seconds * 1000, act());
    const progress = showProgress(isTerminal, (written) => void (text += written), formatId, () => now);
    at(1, progress.tick);
    at(2, () => progress.start("id-token/nonce-wrong"));
    at(3, () => progress.show(result, 3));
    at(3, () => progress.start("keys/stale"));
    for (const seconds of [4, 12, 13, 24, 130]) at(seconds, progress.tick);
    at(131, () => progress.show({ ...result, verdict: "skipped" }, 3));
    progress.end();
    const lines = text.replaceAll("\r\u001b[K", "\n").trim().split("\n");
    const common = [
      "1 of 3 logins done, 0 failed, after 12 s · keys/stale for 9 s",
      "1 of 3 logins done, 0 failed, after 24 s · keys/stale for 21 s",
      "1 of 3 logins done, 0 failed, after 2 min 10 s · keys/stale for 2 min 7 s",
    ];
    for (const line of common) assert(lines.includes(line), text);
    assertEquals(lines.length, isTerminal ? 7 : 4, text);
    if (!isTerminal) assertEquals(lines.at(-1), "2 of 3 logins done, 0 failed, 1 skipped, after 2 min 11 s");
  }
});

test("progress says how long the rest takes in steps of five minutes, once enough logins have ended", () => {
  let [text, now] = ["", 0];
  const attack = attacks.find(({ id }) => id === "id-token/nonce-wrong")!;
  const effect = effects.idToken;
  const result = { attack, effect, values: {}, verdict: "passed", because: "", evidence: { exchanges: [] } } as const;
  const progress = showProgress(false, (written) => void (text += written), formatId, () => now);
  for (let done = 1; done <= 20; done++) {
    now += 10_000;
    progress.show(result, 200);
  }
  progress.end();
  const lines = text.trim().split("\n");
  assertEquals(lines.filter((line) => line.includes("left")).length, 2, text);
  assertMatch(lines.at(-1)!, /^20 of 200 .*, about 30 min left \(--minutes/);
});

test("progress names each journey with its parameters, and long values by their beginning", () => {
  let text = "";
  const attack = attacks.find(({ id }) => id === "id-token/signed-by-stranger")!;
  const progress = showProgress(false, (written) => void (text += written), formatId, () => 0);
  const effect = effects.hung;
  const result = { attack, effect, verdict: "failed", because: "it hung", evidence: { exchanges: [] } } as const;
  progress.show({ ...result, values: { kid: "k".repeat(5000) } }, 1);
  progress.end();
  assertEquals(
    text,
    `✗ id-token/signed-by-stranger { kid: "${
      "k".repeat(59)
    }… (5002 characters) }: it hung\n1 of 1 login done, 1 failed, after 0 s\n`,
  );
});

test("reports: JSON, JUnit XML, and an HTML document without scripts and other files", async () => {
  const only = ["--only", "id-token/signed-by-stranger,metadata/issuer-other"];
  const json = await checkInProcess([...only, "--report", "json"], "accepts unknown keys");
  const report = JSON.parse(json.stdout);
  assertEquals([report.passed, report.counts.failed > 0, report.results[0].id], [false, true, "metadata/issuer-other"]);

  const file = join(folder, "report.xml");
  const junit = await checkInProcess([...only, "--report", "junit", "--output", file], "accepts unknown keys");
  assertStringIncludes(junit.stdout, `The report is in ${file}.`);
  assertMatch(
    readFileSync(file, "utf8"),
    /^<\?xml .*\n<testsuite name="[^"]+" tests="\d+" failures="[1-9]\d*" skipped="[1-9]\d*"/,
  );

  const page = join(folder, "report.html");
  assertEquals(
    (await checkInProcess([...only, "--report", "html", "--output", page], "accepts unknown keys")).code,
    1,
  );
  const html = readFileSync(page, "utf8");
  assertMatch(html, /<h1>Check of http:\/\/127\.0\.0\.1:\d+<\/h1>/);
  assertStringIncludes(html, "id-token/signed-by-stranger");
  assert(!/<script|<link|src=|url\(/.test(html), "something else is loaded");
  const style = /<style>([^]*?)<\/style>/.exec(html)![1]!;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style)));
  assertStringIncludes(html, `style-src 'sha256-${btoa(String.fromCharCode(...digest))}'`);
});

test("the command line of a check: every mistake together, with the nearest flag", () => {
  const issuesOf = (...args: string[]) => {
    try {
      readCheckArguments(args, "deno task start");
      return [];
    } catch (error) {
      return (error as CommandLineError).issues.map(({ path, hint }) => `${path}: ${hint}`);
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
  const unused = ["--login", "--store", "--inspector", "--faults", "--control", "--mcp-server", "--log"];
  for (const flag of [...unused, "--max-in-flight", "--drain"]) {
    assertEquals(issuesOf("http://a.test/login", flag, "value"), [`${flag}: Remove it.`]);
  }
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
  const names = ["keys", "response/late", "id-token"];
  const lists = [
    ["--only", "keys,response/late, id-token"],
    ["--only", "keys response/late  id-token"],
    ["--only", "keys", "response/late,", "id-token"],
    ["--only=keys", "response/late", "--only", "id-token"],
  ];
  for (const list of lists) {
    for (const args of [["http://a.test/login", ...list], [...list, "http://a.test/login"]]) {
      assertEquals(readCheckArguments(args, "latchkey").flags.only, names, args.join(" "));
    }
  }
  assertEquals(issuesOf("http://a.test/login", "--except", ",", "--timeout", "5", "--timeout", "6"), [
    "--except: Write it like --except transport.",
    "--timeout: Keep one of them.",
  ]);
  assertEquals(serverArgs, ["--port", "9100", "--issuer=http://localhost:9100", "--config", "latchkey.json"]);
});
