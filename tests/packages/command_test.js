/** The command that the package brings: it starts, and tells what is wrong with a file that is no JSON. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";

/** Runs it with the Node that runs this. */
function latchkey(...args) {
  return spawnSync(process.execPath, ["node_modules/@latchkey/latchkey/main.js", ...args], { encoding: "utf-8" });
}

test("the command tells its version", () => {
  const { status, stdout } = latchkey("--version");
  assert.equal(status, 0);
  assert.match(stdout, /^latchkey \d+\.\d+\.\d+/);
});

test("the command shows the schema of its configuration file, the one that lies in the package", () => {
  const { status, stdout } = latchkey("--schema");
  assert.equal(status, 0);
  const file = readFileSync("node_modules/@latchkey/latchkey/static/config.schema.json", "utf8");
  assert.deepEqual(JSON.parse(stdout), JSON.parse(file));
});

test("the command says where a broken configuration is broken", () => {
  writeFileSync("broken.json", '{ "issuer": ');
  const { status, stderr } = latchkey("--config", "broken.json");
  assert.equal(status, 1);
  assert.match(stderr, /broken\.json: line 1, column \d+\n(?: .*\n)* {2}Expected a value, found the end of the text\./);
});

test("the command checks applications: its help and its attacks are in the package", () => {
  const help = latchkey("check", "--help");
  assert.equal(help.status, 0);
  assert.match(help.stdout, /^Usage: latchkey check LOGIN_URL/);
  assert.match(latchkey("explain", "faults", "id-token").stdout, /^\d+ faults\b.*\n?.*latchkey check LOGIN_URL/);
});
