/** The program as a user starts it: what it says, and which settings it has. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { assertTokenResponse, basic, decodeClaims, encode, type Fields, forEachCase } from "../../kit.ts";
import { until } from "../../until.ts";
import { describeUnsupportedNode } from "../../../src/platform/runtime/node_version.ts";
import { runProgram, startProgram } from "./run_program.ts";
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

const { version } = JSON.parse(readFileSync("deno.json", "utf8"));

test("a version of Node that is too old is named in one sentence", () => {
  assertEquals(
    describeUnsupportedNode({ node: "20.19.5" }),
    "Latchkey needs Node 22.13 or newer, and this is 20.19.5",
  );
  const supported: Record<string, string>[] = [
    { node: "22.13.0" },
    { node: "24.0.1" },
    { node: "20.1.0", bun: "1.4.4" },
    { node: "20.1.0", deno: "2.9.0" },
  ];
  for (const versions of supported) assertEquals(describeUnsupportedNode(versions), undefined);
});

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
    assertMatch(banner, /^Users +alice \(logs in automatically\), bob; login_hint=<sub> picks another$/m);
    assertMatch(banner, /^Scopes +openid profile email read write offline_access$/m);
    assertMatch(banner, new RegExp(`^Try it +${url}/start$`, "m"));
    assertMatch(banner, /^Ctrl-C +stops the server$/m);
    // deno-lint-ignore no-control-regex
    assert(!/INSECURE|\u001b/.test(banner));
    assertMatch(banner, new RegExp(`^Watch it +${url}/flows$`, "m"));

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
    assertMatch(banner, /^Users +dave \(logs in automatically\), carol; /m);
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
    assertMatch(banner, /^Users +carol \(logs in automatically\), dave; /m);
    assertMatch(banner, /^Keys +ES256\b/m);
    assert(!/demo|alice/.test(banner));
    assertMatch(banner, new RegExp(`^Home +http://localhost:${port}/\nWatch it +http:`, "m"));
    assertEquals((await post(`${url}/oauth2/token`, { ...spaToken, code: await codeOf(url) })).status, 200);
  });
});

test("[DR-12] the banner says of a profile that registration is off, and says nothing where it is on", async () => {
  const off = ["--config", file("registration-off.json", { registration: { mode: "off" } })];
  for (
    const [args, line] of [[
      off,
      "; registration is off: set registration\\.mode to 'open', or to 'token' with registration\\.initialAccessTokens",
    ], [[], ""]] as const
  ) {
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

test("[HT-17] the banner names insecure settings, one line each", async () => {
  const settings = {
    ...ownClients,
    issuer: "http://auth.corp.com",
    insecure: ["http-issuer", "auto-login"],
  };
  await against({ args: ["--config", file("insecure.json", settings)] }, ({ banner, port }) => {
    const [title, address] = banner.split("\n");
    assert(title!.endsWith(" ms, issuer http://auth.corp.com"), title);
    assertEquals(address, `listening on http://localhost:${port}`);
    const named = banner.split("\n").filter((line) => line.startsWith("INSECURE: "));
    assertEquals(named.map((line) => line.split(" ")[1]), ["http-issuer", "auto-login"]);
    assert(named[1]!.includes("every visitor is logged in"), named[1]);
    return Promise.resolve();
  });
});

test("[HT-15] with a real host as issuer the banner shows no client secret", async () => {
  const settings = { ...ownClients, issuer: "https://auth.corp.com", insecure: ["auto-login"] };
  await against({ args: ["--config", file("real.json", settings)] }, ({ banner }) => {
    assertMatch(banner, /^Clients .*web \(secret\)/m);
    assert(
      !banner.includes("web-secret-web-secret"),
      "readers of a server's log must not know its secrets",
    );
    return Promise.resolve();
  });
});

test("errors in flags and variables end the start with exit code 1 and a fix, all together", async () => {
  await rejected({ args: ["--prot", "9001"] }, /^--prot$/m, /Did you mean --port\?/);
  await rejected({ args: ["--port", "99999"] }, /^--port$/m, /from 0 to 65535, found "99999"/, /--port 9000/);
  await rejected({ args: ["--port"] }, /found no value/);
  await rejected({ args: ["--issuer", "http://auth.corp.com"] }, /has 3 issues/, /http-issuer/);
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
    // The command waits five seconds for the server, which is not enough on a busy machine.
    await until(async () => (await explain(`→ ${flow}`)).includes("- **Client:** `unknown-app`\n"));
    assertStringIncludes(await explain(`${url}/flows/of/999`), "or no longer keeps it");
  });
  assertStringIncludes(await explain(flow), `The server of this flow is not running, or no longer keeps it: ${flow}.`);
});
