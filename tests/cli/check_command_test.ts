/** `latchkey check` and `latchkey explain faults`: as processes, against a small web application. */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { categoryOf } from "../../src/check/attack.ts";
import type { ConfigIssue } from "../../src/core/rules/configuration_error.ts";
import { checkHelpText, faultsHelpText } from "../../src/cli/check/check_help.ts";
import { listFaults } from "../../src/cli/check/list_faults.ts";
import { practices as allPractices } from "../../src/recorder/practices/mod.ts";
import { findFreePort } from "../platform/runtime/free_port.ts";
import { binary, fastKeys, runProgram, startCommand } from "../platform/runtime/run_program.ts";
import { type SmallWebApplication, startWebApplication } from "../check/small_web_application.ts";
import { until } from "../until.ts";
import { check, checkHere, checkInProcess } from "./check_runs.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-check-"));
after(() => rmSync(folder, { recursive: true }));

test("a correct application passes with exit code 0, and the page where the login ends shows it", async () => {
  const { code, stdout, stderr } = await check(["--only", "response,id-token/nonce-wrong"]);
  assertEquals(code, 0, stdout + stderr);
  assertMatch(stdout, /^http:\/\/127\.0\.0\.1:\d+: \d+ attacks \(\d+ logins, [\d.]+ s\): \d+ passed/);
  assertMatch(stderr, /Issuer: http:\/\/localhost:\d+\nClient: shop, .*\nLogin: +http.*\nWatch: .*\/flows\n/);
  assertMatch(stderr, /(\d+) of \1 logins done, 0 failed/);
  assert(!stderr.includes("Waiting"), stderr);
});

test("the check waits for an application that needs the metadata at its start", async () => {
  const [issuerPort, port] = [await findFreePort(), await findFreePort()];
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
      application = startWebApplication(
        () => ({ issuer, clientId: "shop", alg: "EdDSA", discoversAtStart: true }),
        port,
      );
    },
  );
  await (await application)?.[Symbol.asyncDispose]();
  assertEquals(code, 0, stdout + stderr);
  assertEquals(stderr.split("Waiting for").length, 2, stderr);
});

/** An application that needs the metadata at its start, as a program: it compares the state, and nothing else. */
const applicationCode = `
import { createServer } from "node:http";
const [issuer, port] = process.argv.slice(2);
const metadata = await (await fetch(issuer + "/.well-known/openid-configuration")).json();
const redirect_uri = "http://127.0.0.1:" + port + "/callback";
const [logins, sessions] = [new Set(), new Map()];
createServer(async ({ url, headers }, response) => {
  const { pathname, searchParams } = new URL(url, redirect_uri);
  const user = sessions.get(/session=(\\w+)/.exec(headers.cookie ?? "")?.[1]);
  if (pathname === "/login") {
    const state = crypto.randomUUID().replaceAll("-", "");
    logins.add(state);
    const query = new URLSearchParams({ client_id: "shop", redirect_uri, response_type: "code", scope: "openid", state });
    const endpoint = metadata.authorization_endpoint;
    return response.writeHead(302, { location: endpoint + (endpoint.includes("?") ? "&" : "?") + query }).end();
  }
  if (pathname !== "/callback") return response.writeHead(user ? 200 : 401).end(user);
  const [code, state] = [searchParams.get("code"), searchParams.get("state")];
  if (!logins.delete(state)) return response.writeHead(400).end("wrong state");
  const body = new URLSearchParams({
    grant_type: "authorization_code", code, redirect_uri, client_id: "shop", client_secret: "shop-secret",
  });
  const tokens = await (await fetch(metadata.token_endpoint, { method: "POST", body })).json();
  if (!tokens.id_token) return response.writeHead(400).end("no token");
  sessions.set(state, JSON.parse(Buffer.from(tokens.id_token.split(".")[1], "base64url")).sub);
  response.writeHead(302, { location: "/", "set-cookie": "session=" + state }).end();
}).listen(Number(port), "127.0.0.1", () => console.log("listening on " + port));
`;

test("--start starts the application after the server, restarts it for attacks on metadata, and ends it", async () => {
  const [issuerPort, port] = [await findFreePort(), await findFreePort()];
  const url = `http://127.0.0.1:${port}`;
  const file = join(folder, "application.mjs");
  writeFileSync(file, applicationCode);
  const runtime = [process.execPath, ..."Deno" in globalThis ? ["run", "-A", "--no-lock"] : []].join(" ");
  const start = `${runtime} ${file} http://localhost:${issuerPort} ${port}`;
  const args = [
    ...[`${url}/login`, "--port", String(issuerPort), "--client-id", "shop", "--client-secret", "shop-secret"],
    ...["--redirect-uri", `${url}/callback`, "--recovery", "0"],
    ...["--only", "response/state-wrong,metadata/endpoint-query"],
  ];
  const { code, stdout, stderr } = await checkHere([...args, "--start", start], Date.now);
  assertEquals(code, 0, stdout + stderr);
  assertMatch(stdout, /: 2 attacks .*: 2 passed/);
  await assertRejects(() => fetch(url));
  // The command itself restarts the application.
  const wrong = await checkHere([...args, "--only", "id-token/exp-past", "--start", start], Date.now);
  assert(/\n {2}repeat: /.test(wrong.stdout) && !wrong.stdout.includes("  restart: "), wrong.stdout);
  // Its output is shown only if it does not start.
  assert(!stderr.includes("listening on"), stderr);
  const lines: string[] = [];
  const failing = [...args, "--start", "echo the port is taken; exit 3"];
  const failed = await checkHere(failing, Date.now, (text) => lines.push(text)).catch(({ issues }) => issues);
  assertEquals(failed.map(({ path, received }: ConfigIssue) => [path, received]), [
    ["--start", "the command ended with 3: echo the port is taken; exit 3"],
  ]);
  assert(lines.includes("The last lines of the application:\nthe port is taken"), lines.join("\n"));
});

test("--start: a signal while the application starts ends the application too", async () => {
  const file = join(folder, "started.pid");
  let stop = () => {};
  const start = `echo $$ > ${file}; exec sleep 60`;
  const args = [
    "http://127.0.0.1:1/login",
    "--port",
    "0",
    "--client-id",
    "shop",
    "--redirect-uri",
    "http://127.0.0.1:1/",
  ];
  const failed = checkHere([...args, "--start", start], Date.now, () => {}, (callback) => stop = callback)
    .catch(({ issues }) => issues);
  const isRunning = () => {
    try {
      return process.kill(Number(readFileSync(file, "utf8")), 0);
    } catch {
      return false;
    }
  };
  await until(isRunning);
  // A process would end there.
  assertThrows(stop, Error, "may not end");
  await failed;
  assertEquals(isRunning(), false);
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
  const { code, stdout, stderr } = await check(
    ["--only", "id-token/signed-by-stranger"],
    "accepts unknown keys",
  );
  assertEquals(code, 1, stdout + stderr);
  assertMatch(
    stdout,
    /FAILED id-token\/signed-by-stranger \(must-reject, high\), \d+ of \d+ variants\n {2}attack: .*\n {2}consequence: An attacker who can change a token response/,
  );
  assertMatch(stderr, /✗ id-token\/signed-by-stranger \{ how: "an unknown kid" \}: the client carried on/);
});

test("the rules have their pages during a check; Ctrl-C prints what is known, and writes the report", async () => {
  const port = await findFreePort();
  await using application = await startWebApplication(() => ({
    issuer: `http://localhost:${port}`,
    clientId: "shop",
    alg: "EdDSA",
    mistake: "hangs at a wrong nonce",
  }));
  const { url } = application;
  const file = join(folder, "stopped.json");
  const command = startCommand({
    args: [
      ...["check", `${url}/login`, "--port", String(port), "--client-id", "shop"],
      ...["--redirect-uri", `${url}/callback`, "--only", "id-token/iss-wrong,id-token/nonce-wrong"],
      ...["--timeout", "600", "--report", "json", "--output", file],
    ],
    env: fastKeys,
  });
  await Promise.race([application.hangs, command.exited]);
  const rule = await fetch(`http://localhost:${port}/docs/rules/PK-09`).catch(String);
  const rulePage = typeof rule === "string" ? rule : await rule.text();
  // The application still hangs, and does not delay the end.
  command.signal("SIGINT");
  const { code, stdout, stderr } = await command.exited;
  assertEquals(code, 1, stdout + stderr);
  assertMatch(stderr, /\nCtrl-C ends the check with a report of the results so far\.\n/);
  assertMatch(stdout, /\n\nNOT PASSED: the check was stopped after \d+ of \d+ logins\.\nThe report is in /);
  const { passed, problem, counts } = JSON.parse(readFileSync(file, "utf8"));
  assertEquals([passed, counts.passed, counts.failed], [false, 1, 0], problem);
  // The tests that are bundled for Node have no texts beside them, as the package and the executables have.
  if (import.meta.url.endsWith(".ts")) assertMatch(rulePage, /<h1[^>]*>[^<]*PK-09/);
});

test("an application that does not run is reported with its URL and the issuer", async () => {
  const [port, closed] = [await findFreePort(), await findFreePort()];
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

test("a report that cannot be written goes to standard output, and the error says what to do", async () => {
  const output = "/no/such/folder/report.json";
  const { code, stdout, stderr } = await check(["--only", "id-token/signed-by-stranger", "--output", output]);
  assertEquals(code, 1);
  assertMatch(stdout, /: 1 passed$/m);
  assertMatch(
    stderr,
    /\/no\/such\/folder\/report\.json\n {2}Expected a (?:folder in which this command may create a|process that may write this) file, .*\n {2}Run \S/,
  );
});

test("--restart runs a command before each attack on what the application keeps; Deno must allow it", async () => {
  const { code, stdout, stderr } = await check((url) => {
    const script = `fetch("${url}/restart").then(({ ok }) => process.exit(ok ? 0 : 1))`;
    const evaluate = "Deno" in globalThis ? "eval" : "-e";
    return ["--only", "metadata/issuer-other", "--restart", `"${process.execPath}" ${evaluate} '${script}'`];
  });
  if ("Deno" in globalThis && binary === undefined) {
    assertEquals(code, 1);
    assertMatch(
      stderr,
      /--restart\n {2}Expected a process that may start programs, found one that may not\.\n {2}Run .*deno run -A \S+ check with the same arguments/,
    );
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
      ...["check", `${url}/login`, "--port", String(await findFreePort()), "--client-id", "shop"],
      ...["--redirect-uri", `${url}/callback`, "--recovery", "0", "--timeout", "1"],
      ...["--only", "id-token/nonce-wrong", "--restart", `"${process.execPath}" --version`],
    ],
    env: fastKeys,
  });
  for (const socket of sockets) socket.destroy();
  silent.close();
  assertEquals(code, 1, stdout + stderr);
  // Deno may not run the command.
  if (!("Deno" in globalThis && binary === undefined)) assertMatch(stdout, /The login without an attack failed: hung/);
});

test("a client of the flags may refresh its tokens", async () => {
  const { code, stdout } = await checkInProcess((url) => [
    ...["--only", "refresh/token-omitted", "--refresh-url", `${url}/refresh`],
  ]);
  assertEquals(code, 0, stdout);
  assertMatch(stdout, /: 1 passed/);
});

test("a baseline that is no report, or cannot be read, ends the command before it starts", async () => {
  const file = join(folder, "no-report.json");
  writeFileSync(file, "[]");
  const invalid = await runProgram({ args: ["check", "http://localhost:1/login", "--baseline", file] });
  assertEquals(invalid.code, 1);
  assertMatch(
    invalid.stderr,
    /--baseline\n {2}Expected a JSON report .*\n {2}Write one with --report json --output FILE/,
  );
  const missing = await runProgram({ args: ["check", "http://localhost:1/login", "--baseline", join(folder, "none")] });
  assertMatch(missing.stderr, /--baseline\n {2}Expected a JSON report of an earlier check, found no file that can be/);
});

test("an unknown attack and a real issuer end the command before it starts", async () => {
  const unknown = await runProgram({ args: ["check", "http://localhost:1/login", "--only", "id-tokens"] });
  assertEquals([unknown.code, unknown.stdout], [1, ""]);
  assertMatch(
    unknown.stderr,
    /--only\n {2}Expected attacks or categories, separated by commas or spaces, found "id-tokens"\.\n {2}Did you mean/,
  );
  const real = await runProgram({
    args: ["check", "http://localhost:1/login", "--issuer", "https://login.example.com"],
  });
  assertEquals(real.code, 1);
  assertMatch(real.stderr, /issuer\n {2}Expected a test host/);
});

test("faults lists the catalogue and the practices, also as JSON; help fits in 80 columns", async () => {
  const { code, stdout } = await runProgram({ args: ["explain", "faults", "all"] });
  assertEquals(code, 0);
  const short = listFaults([]);
  assert(short.split("\n").length <= 50 && short.split("\n").every((line) => line.length <= 80), short);
  assertMatch(stdout, /^\d{3,} faults\. /);
  assertMatch(
    stdout,
    /\nid-token\/aud-wrong \(must-reject\)\n {2}The ID token has a wrong aud: .*\n {2}A correct client: .*\n {2}value: /,
  );
  assertMatch(stdout, /\ndelay \(any\)\n/);
  assertMatch(stdout, /\npkce-used \(required\)\n/);
  const { faults } = JSON.parse((await runProgram({ args: ["explain", "faults", "--json"] })).stdout);
  assert(faults.length >= 150);
  for (const { id } of faults) assertStringIncludes(short, `\n  ${categoryOf(id)} (`);
  assertEquals(Object.keys(faults[0]).includes("level"), true);
  const listed = (...words: readonly string[]) => {
    const { faults, practices } = JSON.parse(listFaults([...words, "--json"]));
    return [...faults, ...practices].map(({ id }: { id: string }) => id);
  };
  assertEquals(listed("id-token/aud-wrong"), ["id-token/aud-wrong"]);
  assertEquals(listed("delay"), ["delay"]);
  assertEquals(listed("idToken.wrongAudience"), ["id-token/aud-wrong"]);
  assertEquals(listed("aud-wrong"), ["id-token/aud-wrong"]);
  const both = 'found "sub-missing".\n  Did you mean id-token/sub-missing or userinfo/sub-missing?';
  assertThrows(() => listed("sub-missing"), Error, both);
  assertEquals(listed("pkce-used"), ["pkce-used"]);
  assertEquals((listed("practices")).length, allPractices.length);
  const category = listed("id-token");
  assert(category.length > 10 && category.every((id) => /^(?:id-token\/|idToken\.)/.test(id)));
  for (const name of ["idToken", "id-token/"]) assertEquals(listed(name), category);
  assertThrows(() => listed("id-tokn"), Error, 'found "id-tokn".\n  Did you mean id-token?');
  assertThrows(() => listed("nosuch"), Error, "latchkey explain faults lists all.");
  assertThrows(() => listed("delay", "drop"), Error, 'found "drop".\n  Remove it.');
  assertThrows(() => listed("--jsn"), Error, 'found "--jsn".\n  Remove it.');
  for (const text of [checkHelpText, faultsHelpText]) {
    for (const line of text.split("\n")) assert(line.length <= 80, line);
  }
});
