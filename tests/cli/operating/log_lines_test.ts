/** The lines of the text log about successes: in batches, in order, counted if they are many, and never lost. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { spawnSync } from "node:child_process";
import process from "node:process";
import { test } from "node:test";
import { logging } from "../../../src/cli/operating/mod.ts";
import { testServer } from "../../kit.ts";
import { type StartOptions, startProgram } from "../../platform/runtime/run_program.ts";
import { childArguments } from "../../platform/store/run_child.ts";

/** A verbose log, and what was written with each call. */
function verboseLog() {
  const writes: string[] = [];
  return { writes, log: logging({ write: (text) => writes.push(text), format: "text", verbose: true }) };
}

/** The marks of the lines of events, in their order. */
function marks(text: string): string[] {
  return [...text.matchAll(/^\S+Z (\S)/gm)].map(([, mark]) => mark!);
}

test("successes of a moment are one write, before a rejection that follows them", async () => {
  const { writes, log } = verboseLog();
  const { code, token } = await testServer({ plugins: [log] });
  for (let i = 0; i < 2; i++) {
    const redirect_uri = "https://spa.example/other";
    assertEquals((await token({ code: await code(), redirect_uri })).status, 400);
  }
  assertEquals(marks(writes.join("\n")), ["✓", "✗", "!", "✓", "✗"], writes.join("\n"));
  writes.length = 0;
  for (const client of ["spa", "web"]) {
    log.onEvent({ type: "code_issued", at: 0, client, sub: "alice", scope: [], grantId: "1" });
  }
  assertEquals(writes, []);
  log.flush();
  assertEquals(writes.map((text) => text.split("\n").length), [2]);
});

test("of more than 20 successes in a second the log has the number, by client, after the lines", () => {
  const { writes, log } = verboseLog();
  const events = (count: number, type: "code_issued" | "tokens_issued", client: string) => {
    for (let i = 0; i < count; i++) {
      log.onEvent({ type, at: 0, client, sub: "alice", scope: [], grantId: "1", grantType: "authorization_code" });
    }
  };
  events(20, "code_issued", "spa");
  events(214, "code_issued", "web");
  events(3, "tokens_issued", "a\u202eb");
  log.flush();
  const lines = writes.join("\n").split("\n");
  assertEquals(marks(writes.join("\n")), Array(21).fill("✓"));
  assertEquals(lines.slice(0, 20).map((line) => line.split("  ")[0]).filter((line) => !line!.endsWith("spa")), []);
  assertMatch(lines[20]!, /Z ✓ also in the last second: 214 logins of web, 3 token responses of a\S*b$/u);
  assert(!lines[20]!.includes("\u202e"));
  log.flush();
  assertEquals(writes.join("\n").split("\n").length, lines.length);
});

test("the counts name few clients, however many there are", () => {
  const { writes, log } = verboseLog();
  for (let i = 0; i < 1000; i++) {
    log.onEvent({ type: "code_issued", at: 0, client: `client-${i}`, sub: "alice", scope: [], grantId: "1" });
  }
  log.flush();
  assertMatch(writes.at(-1)!, /, 960 logins$/);
});

test("an app that closes writes the lines that wait", async () => {
  const { writes, log } = verboseLog();
  const { as, code } = await testServer({ plugins: [log] });
  await code();
  await as.close();
  assertStringIncludes(writes.at(-1)!, "✓ GET /oauth2/authorize");
});

test("a process that ends, however it does, has written its lines", () => {
  const command = childArguments("tests/cli/operating/log_child");
  const codes: Readonly<Record<string, number>> = {
    "by exit": 3,
    "by an error": 1,
    "by a rejection": 1,
    "by itself": 0,
  };
  for (const [end, code] of Object.entries(codes)) {
    const { status, stderr } = spawnSync(process.execPath, [...command, end], { encoding: "utf8" });
    assertEquals([status, stderr.match(/✓ {2}spa {2}alice|✓ spa {2}alice/g)?.length], [code, 1], `${end}: ${stderr}`);
  }
});

test("the program writes of successes in a terminal, and where the format is chosen; SIGTERM loses none", async () => {
  const chosen = { args: ["--log", "text"] };
  const cases: readonly (readonly [StartOptions, boolean])[] = [
    [{}, false],
    [chosen, true],
    [{ env: { LATCHKEY_LOG: "text" } }, true],
    ...process.platform === "linux" ? [[{ inTerminal: "exec PROGRAM", env: { CI: "1" } }, true] as const] : [],
  ];
  for (const [start, expected] of cases) {
    const program = await startProgram({ ...start, args: ["--port", "0", ...start.args ?? []] });
    const request =
      `http://localhost:${program.port}/oauth2/authorize?client_id=demo-public&response_type=code&scope=openid` +
      `&redirect_uri=http%3A%2F%2Flocalhost%3A${program.port}%2Fauthorized` +
      "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256";
    const response = await fetch(request, { redirect: "manual" });
    assertEquals(response.status, 302, await response.text());
    await fetch(`${request}&response_type=token`, { redirect: "manual" }).then((second) => second.body?.cancel());
    if (start.inTerminal === undefined) program.signal("SIGTERM");
    else program.type("\u0003");
    const { stdout, stderr } = await program.exited;
    const output = stdout + stderr;
    assertEquals(/✓\S* GET \/oauth2\/authorize {2}302/.test(output), expected, output);
    assertMatch(output, /✗\S* GET \/oauth2\/authorize/);
  }
});

test("a warning of work in the background is written, though the app closes immediately or has closed", async () => {
  const { writes, log } = verboseLog();
  const { as } = await testServer({ plugins: [log] });
  const explanation = { reason: "the work failed", fix: "Do it again." };
  for (const client of ["before", "after"]) {
    log.onEvent({ type: "warning", at: 0, client, explanation });
    if (client === "before") await as.close();
  }
  assertEquals(writes.filter((text) => text.includes("the work failed")).length, 2, writes.join("\n"));
});
