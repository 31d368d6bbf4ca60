/** The lines of the text log: in the order of the events, with successes where they are wanted, and never lost. */

import { assertEquals, assertMatch } from "@std/assert";
import process from "node:process";
import { test } from "node:test";
import { logging } from "../../../src/cli/operating/mod.ts";
import { testServer } from "../../kit.ts";
import { type StartOptions, startProgram } from "../../platform/runtime/run_program.ts";

/** A verbose log, and what it wrote. */
function verboseLog() {
  const writes: string[] = [];
  return { writes, log: logging({ write: (text) => writes.push(text), format: "text", verbose: true }) };
}

/** The marks of the lines of events, in their order. */
function marks(text: string): string[] {
  return [...text.matchAll(/^\S+Z (\S)/gm)].map(([, mark]) => mark!);
}

test("the lines of a text log are in the order of the events", async () => {
  const { writes, log } = verboseLog();
  const { code, token } = await testServer({ plugins: [log] });
  for (let i = 0; i < 2; i++) {
    const redirect_uri = "https://spa.example/other";
    assertEquals((await token({ code: await code(), redirect_uri })).status, 400);
  }
  assertEquals(marks(writes.join("\n")), ["✓", "✗", "!", "✓", "✗"], writes.join("\n"));
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
