/** The READMEs: their examples run, and what they name is there. `deno task check` checks the types of the examples. */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { spawn } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, request as httpRequest, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { dirname, join } from "node:path/posix";
import process from "node:process";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import * as openidClient from "openid-client";
import { decodeClaims, testServer } from "./kit.ts";
import { checkClient, checkPractices, fault } from "../src/check/mod.ts";
import { faults, foreignJwks, testControl } from "../src/testing/mod.ts";
import { type Configuration, readConfiguration } from "../src/cli/read_config.ts";
import { inspector } from "../src/devtools/mod.ts";
import { logging } from "../src/cli/operating/mod.ts";
import { core, OAuthError, parameters, randomId, slot, wrapIssueStep } from "../src/core/mod.ts";
import { extensions, host } from "../src/mod.ts";
import { findRuntime } from "../scripts/test_run.ts";
import { latchkey } from "./secret_leak_check.ts";
import { testLatchkey } from "./testing/test_latchkey.ts";

const manifest: { readonly tasks: Readonly<Record<string, string>> } = JSON.parse(readFileSync("deno.json", "utf8"));

/** Every README and every guide, by its path. */
const readmes = new Map(
  [
    ...["README.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md"],
    ...globSync(["{src,scripts,tests}/**/README.md", "static/docs/*.md"]),
  ].map((path) => path.replaceAll("\\", "/")).sort()
    .map((path) => [path, readFileSync(path, "utf8")]),
);

test("[CL-03] each printed user with an address has email_verified", () => {
  const printed = [
    ...readmes.values(),
    ...["static/team/latchkey.json", "src/cli/help.ts"].map((path) => readFileSync(path, "utf8")),
  ];
  const users = [...printed.join("\n").matchAll(/\{[^{}[\]]*"sub":[^{}[\]]*"email"[^{}[\]]*/g)].map(([user]) => user);
  assert(users.length > 0);
  assertEquals(users.filter((user) => !user.includes("email_verified")), []);
});

/** The code blocks of a README in that language; in `ts` also those whose types are not checked. */
function blocks(path: string, language: string): string[] {
  const text = readmes.get(path);
  if (text === undefined) throw new Error(`There is no ${path}.`);
  const found = [...text.matchAll(new RegExp("```" + language + "(?: ignore)?\n([\\s\\S]*?)```", "g"))];
  if (found.length === 0) throw new Error(`${path} has no ${language} block.`);
  return found.map(([, block]) => block!);
}

/** The examples of a README, or of several, as one program: each continues with the values of the previous ones. */
function program(paths: string | readonly string[], language = "ts"): string {
  // The type assertions and the disposal are all that keeps it from being JavaScript everywhere.
  return [paths].flat().flatMap((path) => blocks(path, language)).join("\n").replaceAll(/^import .*\n/gm, "").replace(
    /await using (?=\w+ =)/,
    "const ",
  )
    .replaceAll(/(?<=[\w)])!(?=[).;,])/g, "");
}

/** Runs a program with these names in scope; resolves with what it returns. */
function run(body: string, names: Readonly<Record<string, unknown>>) {
  return new Function(...Object.keys(names), `return (async () => { ${body} })()`)(...Object.values(names));
}

/** A console that keeps what is printed. */
function listening() {
  const printed: unknown[][] = [];
  return { printed, console: { log: (...words: unknown[]) => void printed.push(words) } };
}

test("the example of a test in the first README runs unchanged", async () => {
  const { printed, console } = listening();
  await run(`${program("README.md")}\nawait as.close();`, { testLatchkey, fault, faults, console });
  assertEquals(printed, [["alice", "invalid_grant"]]);
});

test("the example of a client library finds the server and authenticates", async () => {
  await using as = await latchkey({});
  const { url } = await as.listen({ port: 0 });
  const body = program("static/docs/stacks.md", "js").replace("http://localhost:9000", url);
  const config = await run(`${body}\nreturn config;`, { client: openidClient });
  assertEquals(config.serverMetadata().issuer, as.issuer);
  assertEquals<object>(await openidClient.tokenIntrospection(config, "no token"), { active: false });
});

test("the examples of embedding run one after the other and end with tokens", async () => {
  const [first, ...others] = program("static/docs/embed.md").split(/(?=^const \{ publicKey)/m);
  const tokens = await run(`${first}\nawait as.close();\nawait server.close();\nreturn tokens;`, { latchkey, host });
  assertEquals([tokens.token_type, tokens.scope, decodeClaims(tokens.access_token).sub], ["Bearer", "read", "alice"]);
  const other = await run(`${others.join("")}\nreturn other;`, { latchkey });
  const { keys } = await (await other.fetch(new Request(`${other.issuer}/oauth2/jwks`))).json();
  assertEquals(keys.map(({ kid }: { kid: string }) => kid), ["signing-2026"]);
  await other.close();
});

test("the examples of the guides for the mock run one after the other", async () => {
  const { printed, console } = listening();
  const guides = [
    ...["test-in-javascript", "mock", "test-runners", "get-a-token", "grants", "ciba", "mutual-tls", "registration"],
    ...["sessions", "logout", "security-events", "check-a-client", "break-it"],
  ];
  const all = program(guides.map((name) => `static/docs/${name}.md`));
  const body = `${all.replace("(url: string, body: unknown)", "(url, body)")}\nreturn as;`;
  const names = {
    latchkey,
    testControl,
    testLatchkey,
    checkClient,
    checkPractices,
    fault,
    faults,
    foreignJwks,
    openid: openidClient,
    console,
  };
  const as = await run(body, names);
  assertEquals(printed[0], ["alice"]);
  assertEquals(printed[1], ["openid read", "access_denied", "invalid_request"]);
  assert(printed.some(([fetched]) => String(fetched) === "valid for 300 seconds,rejected: status 410"));
  assert(printed.some((words) => words.slice(1).join() === "invalid_redirect_uri,invalid_client_metadata"));
  assert(printed.some(([granted]) => granted === "read"));
  assertEquals(printed.map(([value]) => value).filter((value) => typeof value === "number"), [200, 401]);
  assert(printed.some(([, pending]) => pending === "authorization_pending"));
  const reports = printed.filter(([what]) => what === "check").map(([, report]) => String(report));
  assertEquals(reports.map((report) => /^(.*?):.* \d+ passed(?:, \d+ (?:warning|skipped))*$/m.exec(report)?.[1]), [
    "my client",
  ]);
  assert(
    printed.some(([what, report]) => what === "practices" && /^\d+ best practices: .* passed/.test(String(report))),
  );
  assertEquals(printed.find(([what]) => what === "auth_time"), ["auth_time", 600, "login_required"]);
  assertEquals(printed.find(([what]) => what === "ciba"), ["ciba", "authorization_pending", "string"]);
  assertEquals(printed.find(([what]) => what === "methods"), ["methods", true]);
  assertEquals(printed.length, 18);
  assertEquals(printed.find(([value]) => value === "called"), ["called", [["client-1", 204]]]);
  // The faults are there to be read: none of them has met a request.
  await assertRejects(() => as.close(), Error, "never fired");
});

test("the example of an MCP server accepts its token and rejects a request without one", async () => {
  const { printed, console } = listening();
  const body = `${program(["static/docs/mcp.md"]).replace("(request: Request)", "(request)")}\nawait as.close();`;
  await run(body, { ...await import("../src/resource/mod.ts"), testLatchkey, console });
  const document = "https://notes.example/.well-known/oauth-protected-resource/mcp";
  assertEquals(printed, [
    ["alice", 401],
    [printed[1]?.[0]],
  ]);
  const challenge = `Bearer scope="notes:read notes:write", resource_metadata="${document}"`;
  assert(String(printed[1]![0]).startsWith(challenge), String(printed[1]![0]));
});

test("the examples of FAPI bind the tokens to a key, and a resource server accepts one", async () => {
  const { printed, console } = listening();
  const body = `${program("static/docs/standards.md")}\nawait fapi.close();`;
  await run(body, { ...await import("../src/resource/mod.ts"), testLatchkey, console });
  assertEquals(printed, [["DPoP"], ["alice"]]);
});

test("the examples of step-up, rich requests and response types print what their comments say", async () => {
  const { printed, console } = listening();
  await run(`${program("static/docs/authorization-requests.md")}\nawait levels.close();`, { testLatchkey, console });
  assertEquals(printed.slice(0, 2), [
    ["urn:example:mfa", ["pwd", "otp", "mfa"]],
    [[{ type: "payment", amount: "12.00" }]],
  ]);
  assert(/^#id_token=.+&iss=/.test(String(printed[2])));
});

test("the examples of pushed, signed and encrypted requests print what their comments say", async () => {
  const { printed, console } = listening();
  const names = { ...await import("jose"), testLatchkey, console };
  await run(`${program("static/docs/signed-requests.md")}\nawait strict.close();`, names);
  assertEquals(printed, [[["client_id", "request_uri"]], [["client_id", "request_uri"], ["response"]], ["JWT", 3]]);
});

/** A port of this machine that is free now. */
async function findPort(): Promise<number> {
  const probe = createServer().listen(0, "localhost");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Whether a connection to the address succeeds. */
function accepts(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    const socket = connect({ host: address, port, timeout: 2000 }, () => end(true));
    socket.on("error", () => end(false)).on("timeout", () => end(false));
  });
}

/** Fails if another machine could connect to the port. */
async function assertListensLocally(port: number): Promise<void> {
  const others = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.flatMap(({ address, internal, scopeid }) => internal || scopeid ? [] : [address])
  );
  assertEquals(await Promise.all(["localhost", ...others].map((address) => accepts(address, port))), [
    true,
    ...others.map(() => false),
  ]);
}

test("each example that listens names localhost", () => {
  const calls = [...readmes].flatMap(([path, text]) =>
    [...text.matchAll(/\.listen\(\d[^)]*\)|\b(?:Bun|Deno)\.serve\([^)]*\)|\bdeno serve\b[^`\n]*/g)].map((
      [call],
    ) => [path, call])
  );
  // The name of the command alone is no example.
  const examples = calls.filter(([, call]) => call !== "deno serve");
  assertEquals(examples.filter(([path]) => path === "static/docs/minimal-server.md").length, 3);
  assertEquals(examples.filter(([, call]) => !call!.includes("localhost")), []);
});

/** The lines of the minimal server that listen, each as a program and its arguments, with the text of its file. */
const listeningLines = {
  "for Deno": (text: string) => {
    const [, flags] = /`deno serve ([^`]*)`/.exec(text)!;
    const file = "export default { fetch: () => new Response() };";
    return { command: [process.execPath, "serve", ...flags!.split(" ")], file };
  },
  "for Bun": async (text: string) => {
    const [call] = /Bun\.serve\([^)]*\)/.exec(text)!;
    const bun = await findRuntime("bun");
    return { command: [bun], file: `const server = { fetch: () => new Response() };\n${call};` };
  },
};

for (const [name, read] of Object.entries(listeningLines)) {
  test(`the line of the core ${name} listens on this machine alone`, async () => {
    const port = await findPort();
    const { command: [program, ...flags], file } = await read(
      readmes.get("static/docs/minimal-server.md")!.replaceAll("9000", String(port)),
    );
    const folder = await mkdtemp(join(tmpdir(), "latchkey-readme-"));
    await writeFile(join(folder, "server.mjs"), file);
    const child = spawn(program!, [...flags, join(folder, "server.mjs")], { stdio: "ignore" });
    try {
      while (!await accepts("localhost", port) && child.exitCode === null) await delay(20);
      await assertListensLocally(port);
    } finally {
      child.kill();
      await new Promise((resolve) => child.once("close", resolve));
      await rm(folder, { recursive: true });
    }
  });
}

test("the example of the core for Node listens on this machine alone, and passes requests on", async () => {
  const port = await findPort();
  const server = await core({ issuer: `http://localhost:${port}`, clients: [], users: [] });
  const body = program("static/docs/minimal-server.md", "js").replaceAll("9000", String(port)).replace(
    "createServer",
    "return createServer",
  );
  const listener: Server = await run(body, { server, createServer });
  if (!listener.listening) await new Promise((resolve) => listener.once("listening", resolve));
  await assertListensLocally(port);
  const metadata = await (await fetch(`${server.server.issuer}/.well-known/openid-configuration`)).json();
  assertEquals(metadata.issuer, server.server.issuer);
  const traced = await new Promise((resolve) => {
    httpRequest({ port, method: "TRACE" }, ({ statusCode }) => resolve(statusCode)).end();
  });
  // Only Bun's Request has this method.
  assertEquals(traced, "Bun" in globalThis ? 405 : 400);
  const form = new URLSearchParams({ grant_type: "authorization_code", client_id: "unknown" });
  const response = await fetch(metadata.token_endpoint, { method: "POST", body: form });
  assertEquals([response.status, (await response.json()).error], [401, "invalid_client"]);
  listener.closeAllConnections();
  await new Promise((resolve) => listener.close(resolve));
});

test("the examples of the core print the issuer, exchange a ticket, put a parameter into the access token, and check one", async () => {
  const { printed, console } = listening();
  const body = program("static/docs/minimal-server.md").replace(/: (?:Approver|CoreExtension|GrantType)/g, "").replace(
    "<string>",
    "",
  );
  const names = { core, OAuthError, parameters, randomId, slot, console };
  const { kiosk, tickets, shop, bank } = await run(`${body}\nreturn { kiosk, tickets, shop, bank };`, names);
  assertEquals(printed, [["http://localhost:9000"], ["acme"]]);
  const client = { client_id: "kiosk", client_secret: "kiosk secret" };
  const extended = await core({
    issuer: "http://localhost:9000",
    clients: [{ ...client, grant_types: [tickets.type] }],
    users: [],
    extensions: [{
      name: "tickets",
      grantTypes: [{ ...tickets, load: () => Promise.resolve(tickets) }],
    }],
  });
  for (const { fetch } of [kiosk, extended]) {
    const exchange = async (ticket: string) => {
      const body = new URLSearchParams({ grant_type: tickets.type, ...client, ticket });
      return await (await fetch(new Request("http://localhost:9000/oauth2/token", { method: "POST", body }))).json();
    };
    assertEquals((await exchange("today")).scope, "read");
    assertEquals((await exchange("yesterday")).error, "invalid_grant");
  }
  const request = {
    client_id: "shop",
    redirect_uri: "http://localhost:5173/callback",
    code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
  };
  const authorize = new URLSearchParams({
    ...request,
    response_type: "code",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
    tenant: "acme",
  });
  const redirect = await shop.fetch(new Request(`http://localhost:9000/oauth2/authorize?${authorize}`));
  authorize.set("client_id", "bank");
  for (const [terms, error] of [["accepted", null], ["unread", "access_denied"]] as const) {
    authorize.set("terms", terms);
    const { headers } = await bank.fetch(new Request(`http://localhost:9000/oauth2/authorize?${authorize}`));
    assertEquals(new URL(headers.get("location")!).searchParams.get("error"), error);
  }
  const code = new URL(redirect.headers.get("location")!).searchParams.get("code")!;
  const exchange = new URLSearchParams({ ...request, grant_type: "authorization_code", code });
  const response = await shop.fetch(
    new Request("http://localhost:9000/oauth2/token", { method: "POST", body: exchange }),
  );
  assertEquals(decodeClaims((await response.json()).access_token).tenant, "acme");
});

test("the examples of extensions leave one out, and add one of the program", async () => {
  const body = program("static/docs/extensions.md").replaceAll(/: Extension(?:<[^>]*>)?|<string>|: typeof [\w.]+/g, "")
    .replaceAll("await using", "const");
  const options = {
    clients: [{
      client_id: "spa",
      redirect_uris: ["http://localhost:5173/cb"],
      grant_types: ["authorization_code", "refresh_token"],
    }],
    users: [{ sub: "a" }],
  };
  const start = (given: object) => latchkey({ ...options, ...given });
  const made = `${body}\nreturn { op_policy_uri, servers: [as, extended, labelled, prefixed, limited] };`;
  const { op_policy_uri, servers } = await run(
    made,
    { extensions, latchkey: start, slot, wrapIssueStep },
  );
  assertEquals(op_policy_uri, "https://as.example/policy");
  const found = await Promise.all(servers.map(async (server: Awaited<ReturnType<typeof start>>) => {
    const request = { client_id: "spa", redirect_uri: "http://localhost:5173/cb" };
    const query = new URLSearchParams({
      ...{ ...request, response_type: "code", scope: "openid", tenant: "acme" },
      ...{ code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256" },
    });
    const login = await server.fetch(new Request(`${server.issuer}/oauth2/authorize?${query}`));
    const body = new URLSearchParams({
      ...{ ...request, grant_type: "authorization_code" },
      code: new URL(login.headers.get("location")!).searchParams.get("code")!,
      code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    });
    const response = await server.fetch(new Request(`${server.issuer}/oauth2/token`, { method: "POST", body }));
    const { access_token, id_token, refresh_token } = await response.json();
    const headers = { authorization: `Bearer ${access_token}` };
    const { status } = await server.fetch(new Request(`${server.issuer}/oauth2/userinfo`, { headers }));
    const jwt = access_token.replace(/^at\./, "");
    const tenants = [jwt, id_token].map((token) => decodeClaims(token).tenant);
    await server.close();
    return [...tenants, jwt === access_token, status, refresh_token !== undefined];
  }));
  const usual = [undefined, undefined, true, 200, true];
  assertEquals(found, [
    ...[usual, usual, ["acme", "acme", true, 200, true], [undefined, undefined, false, 200, true]],
    [undefined, undefined, true, 200, false],
  ]);
});

test("the examples of a resource server reject a request without a token", async () => {
  const { printed, console } = listening();
  const body = program("static/docs/resource-servers.md").replace(": ProtectedResource", "")
    .replace("(request: Request): Promise<Response>", "(request)").replace(": IncomingMessage", "")
    .replace(" as Record<string, string>", "");
  const names = { ...await import("../src/resource/mod.ts"), createServer, testLatchkey };
  const server: Server = await run(`${body}\nreturn server;`, {
    ...names,
    console: { ...console, error: console.log },
  });
  assertEquals(printed.map(([first]) => first), [
    "PR-08",
    'Bearer scope="files:read", resource_metadata="https://files.example/.well-known/oauth-protected-resource/api"',
  ]);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api`);
  assertEquals([response.status, response.headers.get("www-authenticate")], [401, printed[1]![0]]);
  await response.body?.cancel();
  await new Promise((resolve) => server.close(resolve));
});

test("the errors in the README of the mock are those that it throws", async () => {
  const as = await testLatchkey({ seed: 1 });
  const wrongUri = { token: { redirect_uri: "https://client.test/other" } };
  const loginError = await assertRejects(() => as.logIn(as.client(), wrongUri), Error);
  const spa = as.client({ client_id: "spa" });
  const { tokens } = await as.logIn(spa);
  as.log.clear();
  await as.refresh(spa, tokens.refresh_token!);
  const logError = assertThrows(() => as.log.expect("token").rejected("invalid_grant", "RT-04"), Error);
  await as.close();
  const withoutSecrets = (text: string) => text.trim().replace(/refresh_token=\S+…/, "refresh_token=…");
  const thrown = [loginError, logError].map(({ name, message }) => withoutSecrets(`${name}: ${message}`));
  assertEquals(blocks("static/docs/test-in-javascript.md", "text").map(withoutSecrets), thrown);
});

test("READMEs and hints start the program by one command in a clone, and by one in the folder of a project", () => {
  const program = /(?:npx -y )?deno (?:task (?:-\S+ )*start\b|run (?:-\S+ )*\S*src\/main\.ts)/g;
  const expected = [
    ...["npx -y deno task start", "npx -y deno run -A ../latchkey/src/main.ts"],
    // In the alias for a shell, and for PowerShell.
    ...["npx -y deno run -A $PWD/src/main.ts", "npx -y deno run -A C:\\path\\to\\latchkey\\src\\main.ts"],
  ];
  // npx passes no signals on: a script that sends them starts Deno itself.
  const withSignals: Readonly<Record<string, string>> = {
    "static/docs/start.md": "deno run -A src/main.ts",
    "static/docs/control.md": "deno run -A FOLDER/src/main.ts",
  };
  const hints = globSync("src/**/*.{ts,tsx}").map((path) => path.replaceAll("\\", "/"))
    // It omits npx where Deno was started without, and names the path of the clone elsewhere.
    .filter((path) => path !== "src/cli/about.ts")
    .map((path) => [path, readFileSync(path, "utf8")] as const);
  for (const [path, text] of [...readmes, ...hints]) {
    for (const [command] of text.matchAll(program)) {
      assert([...expected, withSignals[path]].includes(command), `${path}: ${command}`);
    }
  }
});

test("the first example of a configuration file has no errors", async () => {
  for (const path of ["README.md", "static/docs/configure.md"]) {
    const [text] = blocks(path, "json");
    assertEquals((await read(["--config", "x.json"], text)).kind, "run", path);
  }
});

test("the guide for the start shows a rejection as the terminal does", async () => {
  const logged: string[] = [];
  const log = logging({ write: (text) => logged.push(text), format: "text" });
  const { token, code } = await testServer({ issuer: "http://localhost:9666", plugins: [log, inspector()] });
  await token({ code: await code(), redirect_uri: "https://spa.example/cb/" });
  const shown = blocks("static/docs/start.md", "text").find((text) => text.includes("invalid_grant"))!;
  const wording = (text: string) =>
    text.replace(/^\S+ /, "").replace(/\d{4}-\S+Z/, "TIME").replace(/[a-z]+:\/\/\S+/g, "URL").trim();
  assertEquals(wording(shown), wording(logged[0]!));
});

for (const [path, text] of readmes) {
  const prose = text.replaceAll(/```[\s\S]*?```/g, "");

  test(`every relative link in ${path} leads to an existing file and heading`, () => {
    for (const [, link] of prose.matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
      const [file, anchor] = link!.split("#");
      const target = file === "" ? path : join(dirname(path), file!);
      assert(existsSync(target), `${path}: ${link}`);
      if (anchor !== undefined) assert(anchors(target).includes(anchor), `${path}: ${link}`);
    }
  });

  test(`every file, every folder and every rule that ${path} names exists`, () => {
    const here = dirname(path);
    const ends = /`([\w.-]+(?:\/[\w.-]+)+|[\w-]+\.(?:ts|tsx|md|json))`/g;
    // x is a placeholder, dist/ is generated, and $schema and discovery are wire names.
    const ours = [...prose.matchAll(ends)].map(([, name]) => name!).filter((name) =>
      (/^(?:src|tests|scripts|static)\//.test(name) || /\/.*\.tsx?$/.test(name)) &&
      !/\bx(?:_test)?\.ts$/.test(name)
    );
    const folders = [...prose.matchAll(/`((?!dist\/)[\w-]+(?:\/[\w-]+)+\/)`/g)].map(([, name]) => name!);
    for (const name of [...ours, ...folders]) {
      assert([".", here, "src", "tests"].some((folder) => existsSync(join(folder, name))), `${path}: ${name}`);
    }
    const rules = readFileSync("tests/rules.md", "utf8");
    for (const [id] of prose.matchAll(/\b[A-Z]{2}-\d\d\b/g)) assert(rules.includes(`\n- **${id}** `), `${path}: ${id}`);
  });

  test(`every task that ${path} names exists, and so do its flags`, async () => {
    for (const [, task, rest] of text.matchAll(/\bdeno task (?:--quiet )?([a-z:]+)((?: --?[\w-]+(?: [\w.,/-]+)?)*)/g)) {
      const command = manifest.tasks[task!];
      assert(command !== undefined, `${path}: deno task ${task}`);
      if (task === "start") {
        assertEquals((await read(rest!.split(" ").slice(1))).kind, "run", `${path}: deno task start${rest}`);
        continue;
      }
      const script = command.split(" ").find((word) => word.startsWith("scripts/"));
      // Other tasks are commands of Deno, which knows their flags.
      if (script === undefined) continue;
      for (const [, flag] of rest!.matchAll(/ --([\w-]+)/g)) {
        assert(takes(script, flag!), `deno task ${task} --${flag}`);
      }
    }
  });

  test(`every program flag and variable that ${path} names exists`, async () => {
    const [{ helpText }, { execHelpText }] = await Promise.all([
      import("../src/cli/help.ts"),
      import("../src/cli/exec/exec_help.ts"),
    ]);
    const known = helpText + execHelpText.replaceAll("\n", " \n");
    for (const [name] of text.matchAll(/\bLATCHKEY_(?!TEST_)[A-Z_]*[A-Z]\b(?!_)/g)) {
      const names = [name, name.replace(/_FILE$/, "")];
      assert(names.some((one) => known.includes(` ${one} `)), `${path}: ${name}`);
    }
    for (const [, args] of text.matchAll(/^(?:\.\/dist\/latchkey|npx @latchkey\/latchkey)((?: --\S+ \S+)*)$/gm)) {
      assertEquals((await read(args!.split(" ").slice(1))).kind, "run", `${path}:${args}`);
    }
  });
}

test("the table of extensions has a row for each, in the order of the list", () => {
  const rows = [...readmes.get("src/server/extensions/README.md")!.matchAll(/^\| `(\w+)` /gm)].map(([, name]) => name);
  assertEquals(rows, extensions.map(({ name }) => name));
});

/** What the program makes of these arguments, and of that text in the file that they name. */
function read(args: readonly string[], text = "{}"): Promise<Configuration> {
  return readConfiguration({ args: [...args], env: {}, readTextFile: () => Promise.resolve(text) });
}

/** Whether a script, or what is beside it in a folder of its own, takes that flag. */
function takes(script: string, flag: string): boolean {
  const files = script.endsWith("/mod.ts") ? globSync(`${dirname(script)}/*.ts`) : [script];
  return flag === "help" ||
    files.some((file) => new RegExp(`["']?\\b${flag}\\b["']?`).test(readFileSync(file, "utf8")));
}

/** The names of a file's headings, as links spell them. */
function anchors(path: string): string[] {
  return [...readFileSync(path, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")
  );
}
