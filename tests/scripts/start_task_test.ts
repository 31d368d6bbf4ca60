/** The program from the source, as `deno task start` runs it in a clone. */

import { assertMatch } from "@std/assert";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";

const folder = mkdtempSync(join(tmpdir(), "latchkey-start-"));
after(() => rmSync(folder, { recursive: true }));

test("without the packages of its pages it says at the start that the pages do not work, and how to load them", async () => {
  const cache = join(folder, "cache");
  const { npmCache } = JSON.parse(execFileSync(process.execPath, ["info", "--json"], { encoding: "utf8" }));
  const jose = join("registry.npmjs.org", "jose");
  cpSync(join(npmCache, jose), join(cache, "npm", jose), { recursive: true });
  const args = ["run", "-A", "--lock=dev.lock", "--cached-only", "src/main.ts", "--port", "0"];
  const env = { DENO_DIR: cache, NO_COLOR: "1", LATCHKEY_CONFIG: "none" };
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env } });
  const printed = new Promise<string>((resolve) => {
    let text = "";
    child.stderr.on("data", (bytes) => /once with a network/.test(text += bytes) && resolve(text));
    child.once("exit", () => resolve(text));
  });
  assertMatch(await printed, /warning {2}pages[^]*The pages do not work[^]*Start once with a network/);
  child.kill("SIGKILL");
  await once(child, "exit");
});
