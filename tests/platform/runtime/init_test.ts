/** `latchkey init` as a process: the file that it writes starts a server, which accepts the printed settings. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { challenge, verifier } from "../../kit.ts";
import { runProgram, startProgram } from "./run_program.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-init-"));
after(() => rmSync(folder, { recursive: true }));

const file = join(folder, "latchkey.json");
const readFile = () => readFileSync(file, "utf8");

test("a wrong flag is named, and nothing is written", async () => {
  const { code, stdout, stderr } = await runProgram({
    args: ["init", "--library", "jquery"],
    cwd: folder,
    input: "\n",
  });
  assertEquals([code, stdout, readdirSync(folder)], [1, "", []]);
  assertStringIncludes(stderr, "--library\n  Expected one of openid-client, ");
});

test("init and a start in the same folder, without flags and without a terminal, use the file", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "latchkey-init-"));
  try {
    const { code } = await runProgram({
      args: ["init"],
      cwd,
      allowedSecrets: () => readFileSync(join(cwd, "latchkey.json"), "utf8"),
    });
    assertEquals(code, 0);
    const { banner, signal, exited } = await startProgram({ cwd, env: {}, args: ["--port", "0"], readsFolder: true });
    assertMatch(banner, /^Config +latchkey\.json is in this folder/m);
    assertMatch(banner, /^Clients +app /m);
    signal("SIGTERM");
    await exited;
  } finally {
    rmSync(cwd, { recursive: true });
  }
});

test("the file starts a server that accepts the printed settings; a second run does not overwrite it", async () => {
  const redirect_uri = "http://localhost:4000/cb";
  const args = ["init", "--library", "curl", "--redirect-uri", redirect_uri, "--confidential"];
  const { code, stdout, stderr } = await runProgram({ args, cwd: folder, allowedSecrets: readFile });
  assertEquals([code, stderr], [0, ""]);
  if (process.platform !== "win32") {
    assertEquals(statSync(file).mode & 0o777, 0o600);
    assertStringIncludes(stdout, "only you can read it (mode 0600)");
  }
  const [, client_id = "", client_secret = ""] = /client_id +(\S+)\n +client_secret +(\S+)\n/.exec(stdout)!;

  const written = readFile();
  const again = await runProgram({ args, cwd: folder });
  assertEquals([again.code, again.stdout, readFile()], [1, "", written]);
  assertStringIncludes(again.stderr, "this command never overwrites a file");

  const { port, signal, exited } = await startProgram({ args: ["--config", file, "--port", "0", "--log", "off"] });
  const issuer = `http://localhost:${port}`;
  const request = { response_type: "code", client_id, redirect_uri, scope: "openid profile email" };
  const pkce = { code_challenge: challenge, code_challenge_method: "S256" };
  const authorize = `${issuer}/oauth2/authorize?${new URLSearchParams({ ...request, ...pkce })}`;
  const { headers, body: page } = await fetch(authorize, { redirect: "manual" });
  await page?.cancel();
  const code_ = new URL(headers.get("location")!).searchParams.get("code")!;
  const tokens = await fetch(`${issuer}/oauth2/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` },
    body: new URLSearchParams({
      ...{ grant_type: "authorization_code", code: code_, redirect_uri, code_verifier: verifier },
    }),
  });
  assertEquals([tokens.status, (await tokens.json()).scope], [200, "openid profile email"]);
  signal("SIGTERM");
  assertEquals((await exited).code, 0);
});
