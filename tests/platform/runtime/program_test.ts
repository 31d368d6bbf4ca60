/** The program as a user starts it: files, signals, input, output and exit. */

import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { connect as connectTls } from "node:tls";
import { assertTokenResponse, basic, challenge, encode, forEachCase, getOutcome, verifier } from "../../kit.ts";
import type { Fields } from "../../kit.ts";
import { formerCommands, startNames } from "../../../src/cli/commands.ts";
import { findFreePort } from "./free_port.ts";
import { binary, runProgram, type StartOptions, startProgram } from "./run_program.ts";
import { certificate, privateKey } from "./certificate.ts";
import {
  against,
  codeOf,
  file,
  folder,
  get,
  ownClients,
  post,
  rejected,
  spaRequest,
  spaToken,
} from "./program_requests.ts";
import { continuePattern, formRequestHead, openRawConnection } from "./raw_connection.ts";

const { version } = JSON.parse(readFileSync("deno.json", "utf8"));

test("a configuration file in UTF-16, as PowerShell writes it, is read", async () => {
  const path = join(folder, "utf16.json");
  writeFileSync(path, "\ufeff" + JSON.stringify({ port: 70_000 }), "utf16le");
  const { code, stderr } = await runProgram({ args: ["--config", path] });
  assertEquals(code, 1);
  assertStringIncludes(stderr, "Expected a whole number from 0 to 65535, found 70000.");
});

test("a port in use ends the start with exit code 1 and a fix", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  try {
    const fault =
      /^Cannot listen on 127\.0\.0\.1:\d+: the port is in use\. Stop the program that uses it, or choose another/;
    await rejected({ args: ["--port", String(port)] }, fault);
    await rejected({ args: ["--port", String(port), "--store", `sqlite:${join(folder, "unused.db")}`] }, fault);
  } finally {
    await new Promise((resolve) => other.close(resolve));
  }
  await rejected(
    { args: ["--port", "0", "--host", "192.0.2.1"] },
    /^Cannot listen on 192\.0\.2\.1:0: it is not an address/,
  );
});

test("an unusable database ends the start with exit code 1 and a fix, and is left unchanged", async () => {
  const { DatabaseSync } = await import("node:sqlite");
  const foreign = join(folder, "foreign.db");
  const database = new DatabaseSync(foreign);
  database.exec("create table mail (id integer primary key, subject text)");
  database.close();
  const before = readFileSync(foreign);
  const store = (path: string) => ({ args: ["--port", "0", "--store", `sqlite:${path}`] });
  await rejected(store(foreign), /foreign\.db/, /another program/);
  assertEquals(readFileSync(foreign).equals(before), true);
  await rejected(store(file("letter.db", "Dear database, ".repeat(100))), /not a database/, /another path/);
  await rejected(store(join(folder, "no", "such", "folder.db")), /an existing folder/, /create the folder/);
  mkdirSync(join(folder, "a.db"));
  await rejected(store(join(folder, "a.db")), /found a folder/);
});

test("a read-only database ends the start with exit code 1 and a fix", async () => {
  // Root may write everywhere, except where the kernel forbids it.
  let closed = "/sys/kernel";
  if (process.getuid?.() !== 0) {
    closed = join(folder, "closed");
    mkdirSync(closed, { mode: 0o500 });
  }
  // Deno has its own permission, which the program lacks outside of its folder.
  const isForbidden = "Deno" in globalThis && binary === undefined && closed === "/sys/kernel";
  const expected = isForbidden ? [/permission of Deno to read and write/] : [/permission to write/, /write permission/];
  await rejected({ args: ["--store", `sqlite:${join(closed, "x.db")}`] }, ...expected);
});

test("--help and --version exit with code 0, with any other arguments", async () => {
  const help = await runProgram({ args: ["--port", "wrong", "--help"], env: { LATCHKEY_CONFIG: "nowhere.json" } });
  assertEquals([help.code, help.stderr], [0, ""]);
  for (
    const word of ["--port", "--host", "--issuer", "--store", "--config", "LATCHKEY_PORT", "sqlite:PATH", "Exit code 0"]
  ) {
    assertStringIncludes(help.stdout, word);
  }
  for (const line of help.stdout.split("\n")) assert(line.length <= 80, line);
  const logged = await runProgram({ args: ["--version"] });
  assertEquals([logged.code, logged.stderr], [0, ""]);
  // In one file, with the commit that it was made of.
  assertEquals(logged.stdout.replace(/ \(.+\)$/m, binary === undefined ? "$&" : ""), `latchkey ${version}\n`);
});

test("--schema prints the JSON Schema of the configuration file, byte for byte", async () => {
  const open = readFileSync("static/config.schema.json", "utf8");
  const env = { LATCHKEY_CONFIG: "nowhere.json" };
  assertEquals(await runProgram({ args: ["--schema"], env, allowedSecrets: () => open }), {
    code: 0,
    stdout: open,
    stderr: "",
  });
});

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`[HT-09] ${signal} lets a request in flight finish and ends with exit code 0`, async () => {
    const program = await startProgram({ args: ["--port", "0", "--store", `sqlite:${join(folder, signal)}.db`] });
    const wire = await openRawConnection(program.port);
    wire.send(formRequestHead("/oauth2/token", "Content-Length: 13", "Expect: 100-continue"));
    await wire.until(continuePattern);
    program.signal(signal);
    await program.waitForOutput(/^Stopping/m);
    wire.send("client_id=bob");
    assertMatch(
      await wire.until(/"\}$/),
      /"error":"invalid_(client|request)","error_description":"[^"]{9,}","error_uri":"[^"]+"\}$/,
    );
    const { code, stderr } = await program.exited;
    assertEquals(code, 0, stderr);
    assert(!/internal error|^\s+at /m.test(stderr), stderr);
  });
}

test("[JK-05, CI-03] with a database, acknowledged writes survive kill -9: the code exchanges once, with the same key", async () => {
  const start: StartOptions = {
    args: [
      "--config",
      file("kept.json", { ...ownClients, issuer: "http://kept.test" }),
      "--store",
      `sqlite:${join(folder, "kept.db")}`,
    ],
  };
  let code = "";
  let keys: unknown;
  await against(start, async (_program, url) => {
    keys = await (await get(`${url}/oauth2/jwks`)).json();
    code = await codeOf(url);
  });
  await against(start, async (_program, url) => {
    assertEquals(await (await get(`${url}/oauth2/jwks`)).json(), keys);
    const { access_token } = await assertTokenResponse(await post(`${url}/oauth2/token`, { ...spaToken, code }));
    const { kid } = JSON.parse(atob(access_token.split(".")[0]!));
    assertEquals((keys as { keys: { kid: string }[] }).keys.map((key) => key.kid), [kid]);
  });
  await against(start, async (_program, url) => {
    assertEquals(await getOutcome(await post(`${url}/oauth2/token`, { ...spaToken, code })), "400 invalid_grant");
  });
});

test("[HT-15] the output contains no code, verifier, token, secret or cookie, and no control character of a client", async () => {
  await against({ args: ["--config", file("quiet.json", ownClients)] }, async (program, url) => {
    const endpoint = `${url}/oauth2/token`;
    const web: Fields = { client_id: "web", redirect_uri: "http://localhost:3000/cb" };
    const wrongVerifier = "wrong-verifier-wrong-verifier-wrong-verifier-0";
    const [pair = ""] = (await get(`${url}/`)).headers.get("set-cookie")!.split(";");
    const cookie = pair.slice(pair.indexOf("=") + 1);

    const first = await codeOf(url);
    const tokens = await assertTokenResponse(await post(endpoint, { ...spaToken, code: first }));
    const second = await codeOf(url, { code_challenge_method: undefined, login_hint: "unknown" });
    const third = await codeOf(url, web);
    const webToken = { ...spaToken, ...web, client_id: undefined, code: third };
    const rejections = [
      await post(endpoint, { ...spaToken, code: first }),
      await post(endpoint, { ...spaToken, code: "a-code-never-issued" }),
      await post(endpoint, { ...spaToken, code: second, code_verifier: wrongVerifier }),
      await post(endpoint, { ...spaToken, code: second, code_verifier: challenge }),
      await post(endpoint, { ...spaToken, code: second, redirect_uri: "http://localhost:5173/other" }),
      await post(endpoint, { ...spaToken, code: second, client_secret: "a-guessed-secret", password: "a-password" }),
      await post(endpoint, { ...spaToken, code: [second, first] }),
      await post(endpoint, webToken, basic("web", "another-guess")),
      await post(endpoint, webToken, { authorization: "Bearer a-bearer-token" }),
      await post(`${endpoint}?code=${second}&client_secret=a-guessed-secret`, { ...spaToken, code: second }),
      await get(`${url}/oauth2/authorize?client_id=unknown&code=${second}&client_secret=a-guessed-secret`),
      await get(`${url}/nowhere?code=${second}&access_token=${tokens.access_token}`),
      await get(`${url}/authorized?code=${second}`, {
        method: "DELETE",
        headers: { cookie: pair },
      }),
    ];
    for (const { status } of rejections) assert(status >= 400 && status < 500, `${status}`);
    const more = await assertTokenResponse(await post(endpoint, webToken, basic("web", "web-secret-web-secret")));

    const hostile = [
      "\x1b[2J\x1b]0;x\x07",
      "a\nb",
      "a\r\n00:00:00.000 rejected",
      "\0",
      "\x7f",
      "\x9b31m",
      "\u202e",
      "\u2028",
    ];
    for (const text of hostile) {
      await get(`${url}/oauth2/authorize?${encode({ ...spaRequest, client_id: text })}`);
      await get(`${url}/oauth2/authorize?${encode({ ...spaRequest, redirect_uri: text })}`);
      for (const name of ["scope", "response_type", "response_mode", "code_challenge_method", "login_hint", "state"]) {
        await get(`${url}/oauth2/authorize?${encode({ ...spaRequest, [name]: text })}`);
      }
      await post(endpoint, { ...spaToken, code: "x", grant_type: text });
      await post(endpoint, { ...spaToken, code: "x", client_id: text });
      await post(endpoint, { ...spaToken, code: second, redirect_uri: text });
      await get(`${url}/${encodeURIComponent(text)}`);
    }

    program.signal("SIGTERM");
    await program.exited;
    const stated = program.output();
    const lines = stated.split("\n").filter((line) => line !== "" && !line.startsWith("Stopping"));
    assert(lines.length > rejections.length + 40, stated);
    for (const line of lines) {
      assertMatch(line, /^(?:\d\d:\d\d:\d\d\.\d{3}Z (?:✓|✗|!|i|revoked) | {14})[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u);
    }
    await forEachCase(
      [
        ...[first, second, third, cookie, verifier, wrongVerifier, "web-secret-web-secret", btoa("web:another-guess")],
        ...["a-code-never-issued", "a-guessed-secret", "another-guess", "a-password", "a-bearer-token"],
        ...[tokens.access_token, tokens.id_token, more.access_token, more.id_token],
      ],
      (secret) => assert(!stated.includes(secret), "it was printed"),
    );
  });
});

test("a log whose format is chosen has successful logins too", async () => {
  await against({ args: ["--log", "text", "--config", file("log.json", ownClients)] }, async (program, url) => {
    await assertTokenResponse(await post(`${url}/oauth2/token`, { ...spaToken, code: await codeOf(url) }));
    await program.waitForOutput(/✓ GET \/oauth2\/authorize {2}302 {2}spa[^]*✓ POST \/oauth2\/token {2}200 {2}spa/);
  });
});

test("health exits with 0 where the server of the same flags is ready, with http and with https, below a path too", async () => {
  const tls = ["--tls-cert", file("health.crt", certificate), "--tls-key", file("health.key", privateKey)];
  await forEachCase([[], tls], async (args) => {
    const scheme = args.length === 0 ? "http" : "https";
    const flags = (port: number) => [...args, "--port", `${port}`, "--issuer", `${scheme}://localhost:${port}/auth`];
    const port = await findFreePort();
    const program = await startProgram({ args: flags(port) });
    try {
      const { code, stdout } = await runProgram({ args: ["health", ...flags(port)] });
      assertEquals([code, stdout], [0, "ready\n"]);
    } finally {
      program.signal("SIGKILL");
      await program.exited;
    }
    const { code, stderr } = await runProgram({ args: ["health", ...flags(port)] });
    assertEquals(code, 1);
    assertMatch(stderr, new RegExp(`^Not ready: ${scheme}://localhost:${port}/auth/readyz does not respond`));
  });
});

test("a command that has another name now ends with it, and start and serve are no commands", async () => {
  for (const [name, instead] of Object.entries(formerCommands)) {
    const { code, stdout, stderr } = await runProgram({ args: [name, "x"] });
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(stderr, instead.slice("latchkey ".length));
  }
  for (const name of startNames) {
    const { banner, signal, exited } = await startProgram({ args: [name, "--port", "0"] });
    assertMatch(banner, /^Latchkey /);
    signal("SIGTERM");
    assertEquals((await exited).code, 0);
  }
});

test("hash-password repeats none of its arguments", async () => {
  for (const words of [["hunter2"], ["--hunter2", "x"]]) {
    const { code, stdout, stderr } = await runProgram({ args: ["hash-password", ...words], input: "x" });
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(stderr, "(hidden)");
    assert(!stderr.includes("hunter2"));
  }
});

test("hash-password turns its input into a digest that logs that user in, and does not print the password", async () => {
  const secret = "correct horse battery staple";
  const { code, stdout, stderr } = await runProgram({ args: ["hash-password"], input: `${secret}\n` });
  assertEquals([code, stderr], [0, ""]);
  assertMatch(stdout, /^\$scrypt\$ln=15,r=8,p=3\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}\n$/);
  const again = await runProgram({ args: ["hash-password"], input: secret });
  assertNotEquals(again.stdout, stdout);
  const config = file("users.json", { users: [{ sub: "carol", password: stdout.trim() }] });
  await against({ args: ["--config", config, "--login", "interactive"] }, async ({ output }, url) => {
    const asked = await get(
      `${url}/oauth2/authorize?${
        encode({ ...spaRequest, client_id: "demo-public", redirect_uri: `${url}/authorized` })
      }`,
    );
    const cookie = asked.headers.getSetCookie()[0]!.split(";")[0]!;
    const page = await (await get(url + asked.headers.get("location"), { headers: { cookie } })).text();
    const fields = Object.fromEntries(
      [...page.matchAll(/name="(interaction|form_token)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!]),
    );
    const result = (password: string) =>
      get(`${url}/oauth2/login`, {
        method: "POST",
        body: encode({ ...fields, sub: "carol", password }),
        headers: { "content-type": "application/x-www-form-urlencoded", cookie },
      });
    assertEquals((await result("wrong")).status, 403);
    const { status, headers } = await result(secret);
    assertEquals([status, headers.get("location")?.startsWith("/oauth2/consent?")], [303, true]);
    assert(!output().includes(secret) && !output().includes("$scrypt"));
  });
  for (const input of [undefined, "", "\n", "x".repeat(1025)]) {
    const rejected = await runProgram({ args: ["hash-password"], input });
    assertEquals([rejected.code, rejected.stdout], [1, ""]);
    assertMatch(rejected.stderr, /password/);
  }
});

// The listener of Bun does not report what it could not parse.
const canReportBytes = !("Bun" in globalThis) && binary === undefined;
if (canReportBytes) {
  test("TLS spoken to the http port leaves one line, and the program continues", async () => {
    await against({}, async (program, url) => {
      for (let n = 0; n < 3; n++) {
        const socket = connectTls({ host: "127.0.0.1", port: program.port, rejectUnauthorized: false });
        await new Promise<void>((resolve) => socket.on("error", () => resolve()));
        socket.destroy();
      }
      await program.waitForOutput(/A TLS client spoke to the http port\. Use a URL with http:\/\//);
      assertEquals((await get(`${url}/.well-known/oauth-authorization-server`)).status, 200);
      assertEquals(program.output().split("TLS client").length, 2);
    });
  });
}
