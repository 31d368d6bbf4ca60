/** The program as a user starts it: output, configuration, and exit. */

import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import {
  assertTokenResponse,
  basic,
  challenge,
  decodeClaims,
  encode,
  forEachCase,
  getOutcome,
  verifier,
} from "../../kit.ts";
import type { Fields } from "../../kit.ts";
import { findFreePort } from "./free_port.ts";
import { binary, runProgram, startProgram } from "./run_program.ts";
import type { Program, StartOptions } from "./run_program.ts";
import { certificate, privateKey } from "./certificate.ts";
import { continuePattern, formRequestHead, openRawConnection } from "./raw_connection.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-program-"));
after(() => rmSync(folder, { recursive: true }));

const { version } = JSON.parse(readFileSync("deno.json", "utf8"));

/** Writes a file and gives its path. */
function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

/** Runs a check against the program, and ends it. */
async function against(start: StartOptions, check: (program: Program, url: string) => Promise<void>): Promise<void> {
  const program = await startProgram({ ...start, args: ["--port", "0", ...start.args ?? []] });
  try {
    await check(program, `http://localhost:${program.port}`);
  } finally {
    program.signal("SIGKILL");
    await program.exited;
  }
}

function get(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { redirect: "manual", ...init });
}

function post(url: string, fields: Fields, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    body: encode(fields),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  });
}

/** An authorization request, and the token request that follows it. */
const spaRequest: Fields = {
  response_type: "code",
  client_id: "spa",
  redirect_uri: "http://localhost:5173/cb",
  scope: "openid read",
  code_challenge: challenge,
  code_challenge_method: "S256",
};
const spaToken: Fields = {
  grant_type: "authorization_code",
  client_id: "spa",
  redirect_uri: "http://localhost:5173/cb",
  code_verifier: verifier,
};

async function codeOf(url: string, fields: Fields = {}): Promise<string> {
  const response = await get(`${url}/oauth2/authorize?${encode({ ...spaRequest, ...fields })}`);
  return new URL(response.headers.get("location")!).searchParams.get("code")!;
}

const ownClients = {
  alg: "ES256",
  clients: [
    { client_id: "spa", redirect_uris: ["http://localhost:5173/cb"] },
    { client_id: "web", client_secret: "web-secret-web-secret", redirect_uris: ["http://localhost:3000/cb"] },
  ],
  users: [{ sub: "carol", name: "Carol Clark" }, { sub: "dave" }],
};

test("the banner has ten lines at most: issuer, links, demo clients with their secret, users", async () => {
  await against({}, async ({ banner, port }, url) => {
    const lines = banner.split("\n");
    assertMatch(lines[0]!, new RegExp(`^Latchkey ${version}, ready in \\d+ ms, issuer http://localhost:${port}$`));
    const metadata = await (await get(`${url}/.well-known/openid-configuration`)).json();
    assertEquals(metadata.issuer, url);
    assert(lines.length - 1 <= 10, banner);
    assertMatch(banner, new RegExp(`^Discovery +${url}/.well-known/openid-configuration$`, "m"));
    assertMatch(
      banner,
      /^Clients +demo-public \(public\), demo-confidential \(secret demo-secret\); redirect URI of the demo: http\S+\/authorized$/m,
    );
    assertMatch(banner, /^Users +alice, bob; alice is logged in; login_hint=<sub> selects another$/m);
    assertMatch(banner, /^Scopes +openid profile email read write offline_access$/m);
    assertMatch(banner, new RegExp(`^Try it +${url}/start$`, "m"));
    assertMatch(banner, /^Ctrl-C +stops the server$/m);
    // deno-lint-ignore no-control-regex
    assert(!/INSECURE|\u001b/.test(banner));
    const links = [...readFileSync("README.md", "utf8").matchAll(/`(\w+ it)` \(`(\/\w+)`\)/g)];
    assertEquals(links.map(([, label]) => label), ["Try it", "Watch it"]);
    for (const [, label, path] of links) assertMatch(banner, new RegExp(`^${label} +${url}${path}$`, "m"));

    const started = await get(`${url}/start`);
    const authorized = await get(new URL(started.headers.get("location")!, url).href);
    const page = await get(authorized.headers.get("location")!);
    assertStringIncludes(await page.text(), "Authorization Successful!");
    const { status } = await post(`${url}/oauth2/token`, { grant_type: "authorization_code", code: "x" }, {
      ...basic("demo-confidential", "demo-secret"),
    });
    assertEquals(status, 400);
  });
});

test("[DI-06] --user selects the user of automatic login, as the banner says, also after a reset", async () => {
  const args = ["--config", file("own.json", ownClients), "--user", "dave", "--control", "on"];
  await against({ args }, async ({ banner }, url) => {
    assertMatch(banner, /^Users +dave, carol; dave is logged in; /m);
    for (let round = 0; round < 2; round++) {
      const tokens = { ...spaToken, code: await codeOf(url) };
      const { id_token } = await assertTokenResponse(await post(`${url}/oauth2/token`, tokens));
      assertEquals(decodeClaims(id_token!).sub, "dave");
      const reset = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
      assertEquals((await get(`${url}/_control/reset`, reset)).status, 204);
    }
  });
});

test("[HT-15] the banner shows the clients and users of the configuration file, without secrets", async () => {
  await against({ args: ["--config", file("own.json", ownClients)] }, async ({ banner, port }, url) => {
    assertMatch(banner, /^Clients +spa \(public\), web \(secret\)$/m);
    assert(!banner.includes("web-secret-web-secret"), "[HT-15] only the demo clients' secret is public");
    assertMatch(banner, /^Users +carol, dave; /m);
    assertMatch(banner, /^Keys +ES256\b/m);
    assert(!/demo|alice/.test(banner));
    assertMatch(banner, new RegExp(`^Home +http://localhost:${port}/\nWatch it +http:`, "m"));
    assertEquals((await post(`${url}/oauth2/token`, { ...spaToken, code: await codeOf(url) })).status, 200);
  });
});

test("[DR-12] the banner says of a profile that registration is off, and says nothing where it is on", async () => {
  const off = ["--config", file("registration-off.json", { registration: { mode: "off" } })];
  for (const [args, line] of [[off, "; registration is off"], [[], ""]] as const) {
    await against({ args: ["--profile", "mcp", ...args] }, ({ banner }) => {
      assertMatch(banner, new RegExp(`^Profile +mcp 2026-07-28${line}$`, "m"));
      return Promise.resolve();
    });
  }
});

test("[PR-13] --mcp-server hosts an MCP server that the banner, the home page and metadata show", async () => {
  await against({ args: ["--mcp-server", "/mcp"] }, async ({ banner }, url) => {
    assertMatch(banner, new RegExp(`^Resource +${url}/mcp$`, "m"));
    assertStringIncludes((await (await get(`${url}/`)).text()).replaceAll("<wbr/>", ""), `${url}/mcp`);
    const { protected_resources } = await (await get(`${url}/.well-known/oauth-authorization-server`)).json();
    assertEquals(protected_resources, [`${url}/mcp`]);
    const document = await (await get(`${url}/.well-known/oauth-protected-resource/mcp`)).json();
    assertEquals([document.resource, document.authorization_servers], [`${url}/mcp`, [url]]);
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "add_note" } });
    const call = (token: string) =>
      get(`${url}/mcp`, { method: "POST", body, headers: { authorization: `Bearer ${token}` } });
    const tokenFor = async (scope: string) => {
      const fields = { client_id: "demo-public", redirect_uri: `${url}/authorized`, resource: `${url}/mcp` };
      const code = await codeOf(url, { ...fields, scope });
      const { access_token } = await assertTokenResponse(
        await post(`${url}/oauth2/token`, { ...spaToken, ...fields, code }),
      );
      return access_token as string;
    };
    assertEquals((await call(await tokenFor("read"))).status, 403);
    const { result } = await (await call(await tokenFor("read write"))).json();
    assertEquals([result.structuredContent.sub, result.structuredContent.aud], ["alice", `${url}/mcp`]);
  });
  for (const path of ["/start", "/flows", "/healthz", "/static/x"]) {
    const { code, stderr } = await runProgram({ args: ["--port", "0", "--mcp-server", path] });
    assertEquals(code, 1);
    assertStringIncludes(stderr, "mcpServer\n  Expected a path without an endpoint, found");
  }
});

test("a configuration file in UTF-16, as PowerShell writes it, is read", async () => {
  const path = join(folder, "utf16.json");
  writeFileSync(path, "\ufeff" + JSON.stringify({ port: 70_000 }), "utf16le");
  const { code, stderr } = await runProgram({ args: ["--config", path] });
  assertEquals(code, 1);
  assertStringIncludes(stderr, "Expected a whole number from 0 to 65535, found 70000.");
});

test("[HT-17] the banner names insecure settings, one line each", async () => {
  const settings = {
    ...ownClients,
    issuer: "http://auth.corp.com",
    insecureAllowHttpIssuer: true,
    insecureAllowAutoLogin: true,
  };
  await against({ args: ["--config", file("insecure.json", settings)] }, ({ banner, port }) => {
    const [title, address] = banner.split("\n");
    assert(title!.endsWith(" ms, issuer http://auth.corp.com"), title);
    assertEquals(address, `listening on http://localhost:${port}`);
    const named = banner.split("\n").filter((line) => line.startsWith("INSECURE: "));
    assertEquals(named.map((line) => line.split(" ")[1]), ["insecureAllowHttpIssuer", "insecureAllowAutoLogin"]);
    return Promise.resolve();
  });
});

test("[HT-15] with a real host as issuer the banner shows no client secret", async () => {
  const settings = { ...ownClients, issuer: "https://auth.corp.com", insecureAllowAutoLogin: true };
  await against({ args: ["--config", file("real.json", settings)] }, ({ banner }) => {
    assertMatch(banner, /^Clients .*web \(secret\)/m);
    assert(
      !banner.includes("web-secret-web-secret"),
      "readers of a server's log must not know its secrets",
    );
    return Promise.resolve();
  });
});

test("flags override the environment, which overrides the file, which overrides the default", async () => {
  // Port 1 cannot be listened on, and port 0 shows the chosen port.
  const config = file("order.json", { ...ownClients, issuer: "http://file.test", port: 0 });
  const starts: [StartOptions, issuer: RegExp][] = [
    [{ env: { LATCHKEY_PORT: "0" } }, /^http:\/\/localhost:\d+$/],
    [{ args: ["--config", config] }, /^http:\/\/file\.test$/],
    [{ env: { LATCHKEY_CONFIG: config, LATCHKEY_ISSUER: "http://environment.test" } }, /^http:\/\/environment\.test$/],
    [
      {
        args: ["--issuer=http://flag.test", "--port=0", "--config", config],
        env: { LATCHKEY_ISSUER: "http://environment.test", LATCHKEY_PORT: "1", LATCHKEY_CONFIG: "nowhere.json" },
      },
      /^http:\/\/flag\.test$/,
    ],
    [{ args: ["--port", "0"], env: { LATCHKEY_PORT: "", LATCHKEY_ISSUER: "" } }, /^http:\/\/localhost:\d+$/],
  ];
  await forEachCase(starts, async ([start, issuer]) => {
    const program = await startProgram(start);
    try {
      const metadata = await (await get(`http://localhost:${program.port}/.well-known/openid-configuration`)).json();
      assertMatch(metadata.issuer, issuer);
      assertNotEquals(program.port, 9000);
    } finally {
      program.signal("SIGKILL");
      await program.exited;
    }
  });
});

/** Asserts that a start is rejected with exit code 1, complete sentences, and no internals. */
async function rejected(start: StartOptions, ...expected: readonly RegExp[]): Promise<void> {
  const { code, stdout, stderr } = await runProgram(start);
  assertEquals([code, stdout], [1, ""], stderr);
  assert(!/^\s+at |Error\b|file:\/\/|\.[mt]s:\d+|node:|ext:|Uncaught/m.test(stderr), stderr);
  for (const pattern of expected) assertMatch(stderr, pattern);
  assertMatch(stderr, /[.?]\n$/);
}

test("errors in flags and variables end the start with exit code 1 and a fix, all together", async () => {
  await rejected({ args: ["--prot", "9001"] }, /^--prot$/m, /Did you mean --port\?/);
  await rejected({ args: ["--port", "99999"] }, /^--port$/m, /from 0 to 65535, found "99999"/, /--port 9000/);
  await rejected({ args: ["--port"] }, /found no value/);
  await rejected({ args: ["--issuer", "http://auth.corp.com"] }, /has 3 issues/, /insecureAllowHttpIssuer/);
  await rejected(
    { args: ["--colour", "--port=x", "serve"], env: { LATCHKEY_PROT: "1", LATCHKEY_STORE: "redis:" } },
    /has 4 issues/,
    /^--colour$/m,
    /^--port$/m,
    /^command line$/m,
    /Did you mean LATCHKEY_PORT\?/,
    /^LATCHKEY_STORE$/m,
  );
});

test("[OP-07] a misspelt variable is reported on stderr with any log setting, and the server starts", async () => {
  const env = { LATCHKEY_STROE: "hunter2", LATCHKEY_PORT: "tcp://10.0.0.7:9000", LATCHKEY_SERVICE_HOST: "10.0.0.7" };
  const config = file("scopes.json", { scopes: ["orders"] });
  for (const log of ["text", "json", "off"]) {
    const program = await startProgram({ args: ["--port", "0", "--log", log, "--config", config], env });
    program.signal("SIGTERM");
    const { code, stderr } = await program.exited;
    assertEquals(code, 0, stderr);
    assertMatch(stderr, /LATCHKEY_STROE[^]*Did you mean LATCHKEY_STORE\?/);
    assertMatch(stderr, /LATCHKEY_PORT, LATCHKEY_SERVICE_HOST[^]*enableServiceLinks: false/);
    assertMatch(stderr, /scopes[^]*defaultScope/);
    assert(!stderr.includes("hunter2"), stderr);
  }
});

test("errors in the configuration file are reported with their path, line and column", async () => {
  const broken = file("broken.json", `{\n  "issuer": "http://localhost:9000",\n  "port": 9000,\n}\n`);
  await rejected({ args: ["--config", broken] }, /broken\.json: line 4, column 1$/m, /Remove the comma before it/);
  await rejected(
    { args: ["--config", join(folder, "nowhere.json")] },
    /nowhere\.json$/m,
    /Correct the path that --config names/,
  );
  await rejected({ args: ["--config", folder] }, /found a directory/);
  await rejected({ args: ["--config", file("list.json", [])] }, /Expected a JSON object, found an array/);
  const wrong = file("wrong.json", {
    clients: [{ client_id: "web", client_secret: 7, redirect_uri: ["x"] }],
    alg: "HS256",
  });
  await rejected(
    { env: { LATCHKEY_CONFIG: wrong } },
    /wrong\.json: clients\[0\]\.client_secret$/m,
    /found a number \(hidden\)/,
    /Did you mean redirect_uris\?/,
    /wrong\.json: alg$/m,
  );
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
  await rejected({ args: ["--store", `sqlite:${join(closed, "x.db")}`] }, /permission to write/, /write permission/);
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

test("[UI-29] the command on the page that is off turns the page on", async () => {
  const read = async (url: string) => {
    const response = await get(url, { headers: { accept: "text/html" } });
    return { status: response.status, text: (await response.text()).replaceAll("<wbr/>", "") };
  };
  const commands: string[][] = [];
  const paths = ["/faults", "/account", "/flows"];
  await against({ args: ["--inspector", "off", "--faults", "off"] }, async (_, url) => {
    for (const path of paths) {
      const { status, text } = await read(url + path);
      assertEquals(status, 404);
      commands.push(/npx -y deno task start (--\w+ \w+)/.exec(text)![1]!.split(" "));
    }
  });
  await forEachCase(paths, async (path) => {
    await against({ args: commands[paths.indexOf(path)]! }, async (_, url) => {
      const { status, text } = await read(url + path);
      assertEquals([status === 404, / (?:is|are) off/.test(text)], [false, false]);
    });
  });
});

test("[FL-07] the program shows each login on /flows, unless disabled", async () => {
  await against({}, async ({ banner }, url) => {
    assertMatch(banner, new RegExp(`Watch it +${url}/flows\n`));
    assertEquals((await get(`${url}/flows`)).status, 200);
  });
  await against({ args: ["--inspector", "off"] }, async ({ banner }, url) => {
    assert(!banner.includes("/flows"));
    assertEquals((await get(`${url}/flows`)).status, 404);
  });
});

test("a log whose format is chosen has successful logins too", async () => {
  await against({ args: ["--log", "text", "--config", file("log.json", ownClients)] }, async (program, url) => {
    await assertTokenResponse(await post(`${url}/oauth2/token`, { ...spaToken, code: await codeOf(url) }));
    await program.waitForOutput(/✓ GET \/oauth2\/authorize {2}302 {2}spa[^]*✓ POST \/oauth2\/token {2}200 {2}spa/);
  });
});

test("the header latchkey-persona chooses the user, and the terminal says which users a wrong login_hint could name", async () => {
  const started = { args: ["--config", file("persona.json", ownClients)] };
  await against(started, async (program, url) => {
    const subOf = async (fields: Fields, headers: Record<string, string> = {}) => {
      const response = await get(`${url}/oauth2/authorize?${encode({ ...spaRequest, ...fields })}`, { headers });
      const code = new URL(response.headers.get("location")!).searchParams.get("code")!;
      const { id_token } = await (await post(`${url}/oauth2/token`, { ...spaToken, code })).json();
      return JSON.parse(atob(id_token.split(".")[1])).sub;
    };
    assertEquals(await subOf({}, { "latchkey-persona": "as=dave" }), "dave");
    assertEquals(await subOf({ login_hint: "dav" }), "carol");
    await program.waitForOutput(/login_hint names no user.*\n +expected +carol or dave\n +received +dav\n/);
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

test("explain gets a flow from the running server, and says so if it has none", async () => {
  let flow = "";
  const explain = async (url: string) => {
    const { code, stdout, stderr } = await runProgram({ args: ["explain", url] });
    assertEquals([code, stderr], [0, ""]);
    return stdout;
  };
  await against({}, async ({ output, waitForOutput }, url) => {
    await (await get(`${url}/oauth2/authorize?client_id=unknown-app&response_type=code`)).body?.cancel();
    await waitForOutput(/\/flows\/of\/\d+/);
    [flow = ""] = output().match(/http\S+\/flows\/of\/\d+/) ?? [];
    const shown = await explain(`→ ${flow}`);
    assertStringIncludes(shown, "- **Client:** `unknown-app`\n");
    assertStringIncludes(await explain(`${url}/flows/of/999`), "has forgotten it");
  });
  assertStringIncludes(await explain(flow), `${flow} is a flow of a server that does not run`);
});
