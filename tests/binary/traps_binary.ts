/** Of the folder that it starts in, the program reads `latchkey.json` and what is requested, and writes nothing. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { binary, type Program, type StartOptions, startProgram } from "../platform/runtime/run_program.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-traps-"));
after(() => {
  chmodSync(home, 0o700);
  rmSync(folder, { recursive: true });
});

/** A folder with detectable files: invalid settings, and code that leaves a mark when executed. */
const cwd = join(folder, "here");
const home = join(folder, "home");
const sprung = join(cwd, "sprung");
const settings = "LATCHKEY_PORT=wrong\nLATCHKEY_ISSUER=wrong\n";
const code = `require("node:fs").writeFileSync(${JSON.stringify(sprung)}, "");\n`;
const traps: Readonly<Record<string, string>> = {
  ".env": settings,
  ".env.local": settings,
  ".env.production": settings,
  ".npmrc": "node-options=--require ./trap.cjs\n",
  ".node-version": "0.10\n",
  "bunfig.toml": `preload = ["./trap.cjs"]\n`,
  "deno.json": "{ broken",
  "deno.lock": "{ broken",
  "package.json": "{ broken",
  "tsconfig.json": "{ broken",
  "node.config.json": `{ "nodeOptions": { "require": "./trap.cjs" } }`,
  "trap.cjs": code,
  "node_modules/jose/package.json": `{ "name": "jose", "main": "index.js" }`,
  "node_modules/jose/index.js": code,
  "node_modules/preact/package.json": `{ "name": "preact", "main": "index.js" }`,
  "node_modules/preact/index.js": code,
  "static/style.css": "trap",
};
for (const [name, content] of Object.entries(traps)) {
  mkdirSync(join(cwd, name, ".."), { recursive: true });
  writeFileSync(join(cwd, name), content);
}
mkdirSync(home, { mode: 0o500 });

/** Requests pages and a token, stops the program, and returns its output. */
async function use(start: StartOptions): Promise<string> {
  const program = await startProgram({ ...start, args: ["--port", "0", ...start.args ?? []] });
  await walk(program);
  program.signal("SIGTERM");
  const { code, stdout, stderr } = await program.exited;
  assertEquals(code, 0, stderr);
  // Without what differs from run to run.
  return (stdout + stderr).replaceAll(`:${program.port}`, ":PORT").replaceAll(
    /^\S+Z |request \w+|ready in \d+ ms/gm,
    "",
  );
}

async function walk({ port }: Program): Promise<void> {
  const url = `http://localhost:${port}`;
  for (const path of ["/", "/start", "/flows", "/clients", "/static/style.css", "/nowhere"]) {
    const text = await (await fetch(url + path)).text();
    assert(!text.includes("trap"), path);
  }
  const headers = { authorization: `Basic ${btoa("demo-confidential:demo-secret")}` };
  const body = new URLSearchParams({ grant_type: "authorization_code", code: "x", redirect_uri: "x" });
  assertEquals((await fetch(`${url}/oauth2/token`, { method: "POST", headers, body })).status, 400);
}

/** Everything in the folder, to see that it is as it was. */
const present = () => readdirSync(cwd, { recursive: true }).map(String).sort();

test("in a folder with other programs' files it behaves as in an empty one, and leaves them unchanged", async () => {
  const before = present();
  const empty = mkdtempSync(join(folder, "empty-"));
  const env = { HOME: home };
  assertEquals(await use({ cwd, env }), await use({ cwd: empty, env }));
  assertEquals([present(), readdirSync(empty), readdirSync(home)], [before, [], []]);
});

test("variables of other programs have no effect", async () => {
  const env = {
    HOME: "/nowhere",
    TMPDIR: "/nowhere",
    NODE_OPTIONS: "--require ./trap.cjs",
    NODE_PATH: join(cwd, "node_modules"),
    NODE_ENV: "development",
    PORT: "wrong",
    DENO_DIR: "/nowhere",
    BUN_INSPECT_PRELOAD: "./trap.cjs",
    npm_config_node_options: "--require ./trap.cjs",
  };
  assertEquals(await use({ cwd, env }), await use({ cwd }));
  assert(!existsSync(sprung), "a file of the folder was executed");
});

const strace = "/usr/bin/strace";
const skip = !existsSync(strace);
if (skip) console.error(`\n*** SKIPPED: what it opens cannot be watched without ${strace} (Debian: strace). ***\n`);

/**
 * Whether a path is one that the loader, the C library or the runtime asks about the machine; or the program itself.
 */
function isOfTheSystem(path: string): boolean {
  return path === "" || path === binary || /^\/(etc|lib|lib64|usr|proc|sys|dev)(\/|$)/.test(path);
}

test(
  "it opens no file in the working, home or temporary folder but latchkey.json, and writes none",
  { skip },
  async () => {
    const log = join(folder, "log");
    const traced = ["-f", "-q", "-o", log, "-e", "trace=file", "-e", "signal=none", binary!];
    const program = new Deno.Command(strace, {
      args: [...traced, "--port", "0"],
      cwd,
      env: { HOME: home },
      clearEnv: true,
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const reader = program.stdout.pipeThrough(new TextDecoderStream()).getReader();
    let banner = "";
    while (!/^Ctrl-C/m.test(banner)) {
      const { value, done } = await reader.read();
      assert(!done, `it ended before it greeted: ${banner}`);
      banner += value;
    }
    const port = Number(/:(\d+)$/m.exec(banner)![1]);
    await walk({ port } as Program);
    // The tracer intercepts signals, so the traced process is signalled directly.
    const [child] = readFileSync(`/proc/${program.pid}/task/${program.pid}/children`, "utf8").split(" ");
    Deno.kill(Number(child), "SIGTERM");
    await reader.cancel();
    await program.stderr.cancel();
    assertEquals((await program.status).code, 0);

    const calls = readFileSync(log, "utf8").split("\n").filter((line) => line.includes('"'));
    assert(calls.length > 10);
    const others = calls.filter((line) =>
      !line.includes("getcwd") && !/statx\([^,]*, "latchkey.json"|, "latchkey.json", O_RDONLY/.test(line)
    );
    const foreign = others.filter((line) => !isOfTheSystem(/"([^"]*)"/.exec(line)![1]!));
    assertEquals(foreign, []);
    assertEquals(calls.filter((line) => /O_WRONLY|O_RDWR|O_CREAT|mkdir|unlink|rename|symlink/.test(line)), []);
    assertMatch(calls[0]!, /execve/);
  },
);
