/** Input that arrives before the program reads it: nothing of it is lost. */

import { assertEquals, assertMatch } from "@std/assert";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { binary, startCommand } from "./run_program.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-early-"));
after(() => rmSync(folder, { recursive: true }));

/** The command of an agent, in a folder whose file it reads before it responds. */
const agent = { args: ["mcp"], cwd: folder, readsFolder: true };
writeFileSync(join(folder, "latchkey.json"), JSON.stringify({ port: 0 }), { mode: 0o600 });

const initialize = {
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "an agent", version: "1" } },
};

for (
  const { sent, messages, keepsInput } of [
    { sent: "three messages", messages: [initialize, { method: "ping" }, { method: "tools/list" }], keepsInput: true },
    { sent: "three and the end", messages: [initialize, { method: "ping" }, { method: "ping" }], keepsInput: false },
  ]
) {
  test(`mcp responds to what arrives while it starts: ${sent}`, async () => {
    const input = messages.map((message, at) => JSON.stringify({ jsonrpc: "2.0", id: at + 1, ...message }) + "\n").join(
      "",
    );
    for (let start = 1; start <= 2; start++) {
      const command = startCommand({ ...agent, input, keepsInput });
      if (keepsInput) {
        await Promise.race([command.waitForOutput(new RegExp(`"id":${messages.length},`)), command.exited]);
        command.signal("SIGKILL");
      }
      const { stdout, stderr } = await command.exited;
      const ids = stdout.trim().split("\n").map((line) => line && JSON.parse(line).id);
      assertEquals(ids, messages.map((_, at) => at + 1), `start ${start}: ${stderr}`);
    }
  });
}

/** `script` of BSD has other options. */
const hasScript = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;
const skip = !hasScript || binary !== undefined;

test("init reads lines that are typed together, before the first question or after it", { skip }, async () => {
  for (const first of [undefined, /: $/]) {
    const cwd = mkdtempSync(join(folder, "typed-"));
    const command = startCommand({ args: ["init"], cwd, inTerminal: "exec PROGRAM" });
    if (first !== undefined) await command.waitForOutput(first);
    command.type("oauth4webapi\nhttp://localhost:4000/cb\npublic\n");
    const { code, stdout } = await command.exited;
    assertEquals(code, 0, stdout);
    assertMatch(stdout, /redirect_uri +http:\/\/localhost:4000\/cb$/m);
  }
});

test("hash-password reads what is piped at once, and what is typed together, before the first question or after it", async () => {
  const digest = /^\$scrypt\$\S+$/m;
  for (const keepsInput of [true, false]) {
    for (let start = 1; start <= 2; start++) {
      const command = startCommand({ args: ["hash-password"], input: "correct horse\n", keepsInput });
      await Promise.race([command.waitForOutput(digest), command.exited]);
      command.signal("SIGKILL");
      const { stdout, stderr } = await command.exited;
      assertMatch(stdout, digest, `start ${start}: ${stderr}`);
    }
  }
  for (const first of skip ? [] : [undefined, /: $/]) {
    const command = startCommand({ args: ["hash-password"], inTerminal: "exec PROGRAM" });
    if (first !== undefined) await command.waitForOutput(first);
    command.type("correct horse\ncorrect horse\n");
    const { code, stdout } = await command.exited;
    assertEquals(code, 0, stdout);
    assertMatch(stdout, digest);
  }
});
