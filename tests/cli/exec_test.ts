/** `latchkey exec`: a command, here a script on the runtime of the tests, beside a server of its own. */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { execute } from "../../src/cli/exec/execute.ts";
import { execHelpText } from "../../src/cli/exec/exec_help.ts";
import { selfSignedCertificate } from "../../src/platform/runtime/self_signed.ts";
import { fastKeys } from "../platform/runtime/run_program.ts";
import { runCommandHere } from "./command_runs.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-exec-"));
after(() => rmSync(folder, { recursive: true }));
const resultFile = join(folder, "result.json");

/** The script of a suite: it reads its variables, sends a request, and writes what it saw. */
const script = `
  import { writeFileSync } from "node:fs";
  const { LATCHKEY_CLIENT_ID: client_id, LATCHKEY_CLIENT_SECRET: secret, LATCHKEY_CONTROL_URL: control } = process.env;
  const metadata = await (await fetch(process.env.LATCHKEY_DISCOVERY_URL)).json();
  const [mode, code] = process.argv.slice(2);
  if (mode === "fault") {
    const headers = { "content-type": "application/json" };
    const rule = { endpoint: "jwks", fault: "status", parameters: { code: 500 } };
    const added = await fetch(control + "/faults/add", { method: "POST", headers, body: JSON.stringify(rule) });
    if (!added.ok) throw new Error(await added.text());
  }
  const client_secret = mode === "wrong" ? secret + "x" : secret;
  const body = new URLSearchParams({ grant_type: "client_credentials", client_id, client_secret });
  const { status } = await fetch(metadata.token_endpoint, { method: "POST", body });
  const redirect_uri = "http://localhost:3000/other";
  const authorization = new URLSearchParams({ client_id, redirect_uri, response_type: "code", scope: "openid", nonce: "n" });
  const authorized = await fetch(metadata.authorization_endpoint + "?" + authorization, { redirect: "manual" });
  const redirected = authorized.headers.get("location")?.startsWith(redirect_uri + "?code=") ?? false;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(LATCHKEY|AUTH)_/.test(name)));
  writeFileSync(${JSON.stringify(resultFile)}, JSON.stringify({ status, redirected, env, issuer: metadata.issuer }));
  process.exit(Number(code ?? 0));
`;
const scriptFile = join(folder, "suite.mjs");
writeFileSync(scriptFile, script);

const stubbornFile = join(folder, "stubborn.mjs");

const suite = [process.execPath, ..."Deno" in globalThis ? ["run", "-A", "--no-lock"] : [], scriptFile];

const run = (args: readonly string[], variables?: Readonly<Record<string, string>>) =>
  runCommandHere(execute, args, variables);

const readResult = () => JSON.parse(readFileSync(resultFile, "utf8"));

test("exec passes issuer, client and control on by variables, and ends with the code of the command", async () => {
  const { code, stderr } = await run(["--env", "AUTH_ID=client_id", "--", ...suite, "ok", "0"]);
  assertEquals([code, stderr], [0, ""]);
  const { status, env, issuer } = readResult();
  assertEquals(status, 200);
  assertMatch(issuer, /^http:\/\/localhost:\d+$/);
  assertEquals(env, {
    AUTH_ID: "app",
    ...fastKeys,
    LATCHKEY_ISSUER: issuer,
    LATCHKEY_CLIENT_ID: "app",
    LATCHKEY_CLIENT_SECRET: "app-secret",
    LATCHKEY_DISCOVERY_URL: `${issuer}/.well-known/openid-configuration`,
    LATCHKEY_CONTROL_URL: `${issuer}/_control`,
  });
  await assertRejects(() => fetch(issuer));
});

/** Exchanges a code as the documentation of GitHub says, logs out at the given path, and writes what it saw. */
const logoutFile = join(folder, "logout.mjs");
writeFileSync(
  logoutFile,
  `
  import { writeFileSync } from "node:fs";
  const { LATCHKEY_CLIENT_ID: client_id, LATCHKEY_CLIENT_SECRET: client_secret, LATCHKEY_ISSUER: issuer } = process.env;
  const { origin, pathname } = new URL(issuer);
  const document = origin + "/.well-known/oauth-authorization-server" + pathname.replace(/[/]$/, "");
  const metadata = await (await fetch(document)).json();
  const [path, name, uri, redirect_uri] = process.argv.slice(2);
  const query = new URLSearchParams({ client_id, response_type: "code", redirect_uri });
  const authorized = await fetch(metadata.authorization_endpoint + "?" + query, { redirect: "manual" });
  const code = new URL(authorized.headers.get("location")).searchParams.get("code") ?? "";
  const body = new URLSearchParams({ client_id, client_secret, code, redirect_uri, grant_type: "authorization_code" });
  const headers = { accept: "application/json" };
  const tokens = await (await fetch(metadata.token_endpoint, { method: "POST", headers, body })).json();
  const logout = origin + path + "?" + new URLSearchParams({ client_id, [name]: uri });
  const { status, headers: received } = await fetch(logout, { redirect: "manual" });
  writeFileSync(
    ${JSON.stringify(resultFile)},
    JSON.stringify({ names: Object.keys(tokens), to: received.get("location"), status }),
  );
`,
);

test("the client of exec is the default client of the provider, and logs out to its origin", async () => {
  const command = [...suite.slice(0, -1), logoutFile];
  const redirectUri = "http://localhost:3000/callback";
  for (const named of [[], ["--redirect-uri", redirectUri]]) {
    for (const uri of ["http://localhost:3000/", "http://localhost:3000"]) {
      for (
        const [profile, path, name] of [
          ["oidc", "/oauth2/logout", "post_logout_redirect_uri"],
          ["cognito", "/logout", "logout_uri"],
          ["auth0", "/v2/logout", "returnTo"],
          ["okta", "/oauth2/default/v1/logout", "post_logout_redirect_uri"],
        ] as const
      ) {
        if (profile === "oidc" && named.length === 0) continue;
        const { code } = await run(["--profile", profile, ...named, "--", ...command, path, name, uri, redirectUri]);
        assertEquals([profile, code, readResult().to], [profile, 0, uri]);
      }
    }
  }
  const { code } = await run(["--profile", "github", "--", ...command, "/", "none", "none", redirectUri]);
  assertEquals([code, readResult().names], [0, ["access_token", "token_type", "scope"]]);
});

/** A program that fetches the metadata over https, for each runtime and language of this machine. */
const fetchers: readonly (readonly [program: string, ...args: readonly string[]])[] = [
  ["node", "-e", "fetch(process.env.LATCHKEY_DISCOVERY_URL).then((response) => process.exit(response.ok ? 0 : 1))"],
  ["deno", "eval", "Deno.exit((await fetch(Deno.env.get('LATCHKEY_DISCOVERY_URL'))).ok ? 0 : 1)"],
  ["bun", "-e", "process.exit((await fetch(process.env.LATCHKEY_DISCOVERY_URL)).ok ? 0 : 1)"],
  ["python3", "-c", "import os, urllib.request; urllib.request.urlopen(os.environ['LATCHKEY_DISCOVERY_URL'])"],
  ["python3", "-c", "import os, requests; requests.get(os.environ['LATCHKEY_DISCOVERY_URL']).raise_for_status()"],
  ["ruby", "-e", "require 'net/http'; Net::HTTP.get(URI(ENV['LATCHKEY_DISCOVERY_URL']))"],
  ["php", "-r", "exit(file_get_contents(getenv('LATCHKEY_DISCOVERY_URL')) === false ? 1 : 0);"],
  ["sh", "-c", "curl --silent --fail --output /dev/null $LATCHKEY_DISCOVERY_URL"],
  ["sh", "-c", "curl --silent --fail --output /dev/null --cacert $LATCHKEY_CA_FILE $LATCHKEY_DISCOVERY_URL"],
];

/** Whether the program is there, and its module. */
function isInstalled([program, ...args]: readonly string[]): boolean {
  if (args.some((arg) => arg.includes("requests"))) return spawnSync("python3", ["-c", "import requests"]).status === 0;
  return spawnSync(args.some((arg) => arg.includes("curl")) ? "curl" : program!, ["--version"]).status === 0;
}

test("with --tls self-signed each program of the command trusts the certificate", async () => {
  const installed = fetchers.filter(isInstalled);
  assert(installed.length >= 3, `${installed}`);
  for (const command of installed) {
    const { code, stderr } = await run(["--tls", "self-signed", "--", ...command]);
    assertEquals([command, code, stderr], [command, 0, ""]);
  }
});

test("the certificate is added to the certificates that the variables named, else to the roots of the system", async () => {
  const file = join(folder, "variables.json");
  const names = ["NODE_EXTRA_CA_CERTS", "DENO_CERT", "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"];
  const script = join(folder, "variables.mjs");
  writeFileSync(
    script,
    `import { readFileSync, writeFileSync } from "node:fs";
    const read = (name) => [process.env[name], readFileSync(process.env[name], "utf8")];
    const files = [${JSON.stringify(names)}, "LATCHKEY_CA_FILE"].flat().map((name) => [name, read(name)]);
    writeFileSync(${JSON.stringify(file)}, JSON.stringify(Object.fromEntries(files)));`,
  );
  const before = names.map((name) => [name, join(folder, `${name}.pem`)] as const);
  for (const [, path] of before) writeFileSync(path, (await selfSignedCertificate([])).cert);
  const command = ["--tls", "self-signed", "--env", "OWN=ca_file", "--", ...suite.slice(0, -1), script];
  const cases: readonly [Readonly<Record<string, string>>, (name: string) => string | undefined][] = [
    [Object.fromEntries(names.map((name) => [name, ""])), () => undefined],
    [Object.fromEntries(before), (name) => name],
    [{ ...Object.fromEntries(before), REQUESTS_CA_BUNDLE: "" }, (name) => name.replace("REQUESTS_CA", "CURL_CA")],
  ];
  for (const [variables, expected] of cases) {
    const { code, stderr } = await run(command, variables);
    assertEquals([code, stderr], [0, ""]);
    const { LATCHKEY_CA_FILE: [, own], ...files } = JSON.parse(readFileSync(file, "utf8"));
    for (const [name, [path, text]] of Object.entries<[string, string]>(files)) {
      const source = expected(name);
      assert(text.endsWith(own), name);
      if (source !== undefined) {
        assertEquals(text, `${readFileSync(join(folder, `${source}.pem`), "utf8").trim()}\n${own}`);
      } else assertEquals(text.split("BEGIN CERTIFICATE").length > 50, !/NODE|DENO/.test(name), name);
      assertEquals(existsSync(path), false, "removed at the end");
    }
  }
  const { stderr } = await run(command, { SSL_CERT_FILE: join(folder, "absent.pem") });
  assertMatch(
    stderr,
    /SSL_CERT_FILE: its file cannot be read, so the command does not trust those certificates: .*absent\.pem/,
  );
});

test("the first client of the configuration is the one of the variables; a public one has no secret", async () => {
  const clients = [{ client_id: "spa", redirect_uris: ["http://localhost:5173/callback"] }];
  const { code } = await run(["--", ...suite, "ok", "7"], { LATCHKEY_CONFIG_JSON: JSON.stringify({ clients }) });
  assertEquals(code, 7);
  const { env } = readResult();
  assertEquals([env.LATCHKEY_CLIENT_ID, env.LATCHKEY_CLIENT_SECRET], ["spa", undefined]);
});

test("if the command fails, the rejections are printed, and the report has their flows without secrets", async () => {
  const report = join(folder, "report", "html");
  const { code, stderr } = await run([`--report=${report}`, "--", ...suite, "wrong", "3"]);
  assertEquals(code, 3);
  assertMatch(stderr, /^1 flow with a rejection:\n {2}flow 1: POST \/oauth2\/token\n/m);
  assertStringIncludes(stderr, "failed  CA-07");
  assertMatch(stderr, /fix +Copy client_secret from the registration/);
  assert(!stderr.includes("app-secret"), stderr);
  assertMatch(stderr, /^ {10}explain: latchkey explain CA-07$/m);
  assertEquals(readdirSync(report).sort(), ["flow-1.html", "flow-2.html", "summary.md"]);
  const summary = readFileSync(join(report, "summary.md"), "utf8");
  assertMatch(
    summary,
    /^## Latchkey: 1 flow with a rejection\n\n```\n {2}flow 1: POST \/oauth2\/token\n[^]*CA-07[^]*\n```\n/,
  );
  assert(!/app-secret|\/flows\/|\/rules\/|error_uri/.test(stderr + summary), summary);
  const html = readFileSync(join(report, "flow-1.html"), "utf8");
  assertMatch(html, /default-src 'none'; style-src 'sha256-[\w+/]{43}='/);
  assertStringIncludes(html, "CA-07");
  assert(!/app-secret|<script|<form|<link|src=|url\(/.test(html), html);
});

/** A suite whose test sends a wrong secret and loses a code; then it does with the control what its argument says. */
const fixtureFile = join(folder, "fixture.mjs");
writeFileSync(
  fixtureFile,
  `
  const control = process.env.LATCHKEY_CONTROL_URL;
  const call = async (url, verb, input = {}) => {
    const response = await fetch(url + "/" + verb, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(input) });
    if (!response.ok) throw new Error(await response.text());
    return await response.text();
  };
  const cleanup = process.argv[2];
  const clients = [{ client_id: "app", client_secret: "app-secret", redirect_uris: ["http://localhost:3000/cb"] }];
  const tenant = cleanup.startsWith("tenants") && JSON.parse(await call(control, "tenants/create", { clients }));
  const issuer = tenant ? tenant.issuer : process.env.LATCHKEY_ISSUER;
  for (let i = 0; i < 2; i++) {
    if (cleanup !== "tenants/quiet") {
      const body = new URLSearchParams({ grant_type: "client_credentials", client_id: "app", client_secret: "wrong" });
      await fetch(issuer + "/oauth2/token", { method: "POST", body });
      const query = new URLSearchParams({ client_id: "app", response_type: "code", redirect_uri: "http://localhost:3000/cb", scope: "openid", nonce: "n" });
      await fetch(issuer + "/oauth2/authorize?" + query, { redirect: "manual" });
    }
    if (!tenant) await call(control, cleanup);
    else if (cleanup === "tenants/reset") await call(tenant.control, "reset");
  }
  if (cleanup === "tenants/remove") await call(control, "tenants/remove", { id: tenant.id });
  process.exit(3);
`,
);

test("what a suite cleared after each test, and what its tenants received, is printed and in the report", async () => {
  for (const cleanup of ["reset", "log/clear", "tenants/none", "tenants/reset", "tenants/remove"]) {
    const report = join(folder, "cleared", cleanup.replace("/", " "));
    const { code, stderr } = await run(["--report", report, "--", ...suite.slice(0, -1), fixtureFile, cleanup]);
    const prefix = cleanup.startsWith("tenants") ? "2-" : "";
    assertEquals(code, 3, stderr);
    assert(!stderr.includes("No request"), `${cleanup}: ${stderr}`);
    assertStringIncludes(stderr, "2 flows with a rejection:\n", cleanup);
    assertStringIncludes(stderr, `  flow ${prefix}3: POST `, cleanup);
    assertEquals(stderr.match(/failed +CA-07/g)?.length, 2, cleanup);
    assertStringIncludes(
      stderr,
      `1 flow whose code was not exchanged, the last of each client:\n  flow ${prefix}4: GET `,
    );
    const flows = [1, 3, 4].map((number) => `flow-${prefix}${number}.html`);
    assertEquals(readdirSync(report).sort(), [...flows, "summary.md"], cleanup);
  }
  const { stderr } = await run(["--", ...suite.slice(0, -1), fixtureFile, "tenants/quiet"]);
  assertStringIncludes(stderr, "No application sent a request to");
});

test("if the command fails and no request arrived, exec says where it would have, and in which variables", async () => {
  const file = join(folder, "elsewhere.mjs");
  writeFileSync(file, `await fetch("http://localhost:1").catch(() => process.exit(Number(process.argv[2])));`);
  const command = ["--env", "AUTH_ISSUER=issuer", "--", ...suite.slice(0, -1), file];
  const { stderr } = await run([...command, "3"]);
  assertMatch(
    stderr,
    /^No application sent a request to http:\/\/localhost:\d+\. .*LATCHKEY_ISSUER.*AUTH_ISSUER\. AUTH_ISSUER had this address: check that the application reads it\.$/m,
  );
  const unnamed = await run(["--env", "AUTH_ID=client_id", ...command.slice(2), "3"]);
  assertMatch(
    unnamed.stderr,
    /AUTH_ID\. Let the application read the issuer from one of them, .* --env NAME=issuer\.$/m,
  );
  assertEquals((await run([...command, "0"])).stderr, "");
});

test("if the command fails and no request was rejected, exec says that the application may have rejected a response", async () => {
  const file = join(folder, "own_failure.mjs");
  writeFileSync(
    file,
    `await fetch(process.env.LATCHKEY_ISSUER + "/oauth2/jwks");
    process.exit(Number(process.argv[2]));`,
  );
  const command = ["--", ...suite.slice(0, -1), file];
  assertMatch((await run([...command, "3"])).stderr, /^The server rejected no request\. .* explain "THE MESSAGE"$/m);
  assertEquals((await run([...command, "0"])).stderr, "");
});

test("[CI-12] if the command fails, the last code of each client that was not exchanged is printed, and in the report", async () => {
  const file = join(folder, "lost_state.mjs");
  writeFileSync(
    file,
    `const query = new URLSearchParams({
      client_id: process.env.LATCHKEY_CLIENT_ID, response_type: "code", scope: "openid", nonce: "n",
      redirect_uri: "http://localhost:3000/cb",
    });
    const headers = { referer: "http://127.0.0.1:3000/" };
    for (let i = 0; i < 3; i++) {
      await fetch(process.env.LATCHKEY_ISSUER + "/oauth2/authorize?" + query, { headers, redirect: "manual" });
    }
    process.exit(Number(process.argv[2]));`,
  );
  const report = join(folder, "report", "lost");
  const command = [`--report=${report}`, "--", ...suite.slice(0, -1), file];
  const { stderr } = await run([...command, "3"]);
  assertMatch(
    stderr,
    /^1 flow whose code was not exchanged, the last of each client:\n {2}flow 3: GET \/oauth2\/authorize$/m,
  );
  assertMatch(stderr, /warning +RU-16 +the login began on 127\.0\.0\.1, but its callback is on localhost/);
  assertMatch(stderr, /^ +fix +See what the application did with the callback\. Usually its state or session cookie/m);
  assertEquals(readdirSync(report).sort(), ["flow-3.html", "summary.md"]);
  assertMatch(
    readFileSync(join(report, "summary.md"), "utf8"),
    /^## Latchkey: 1 flow whose code was not exchanged\n\n```\n {2}flow 3: GET/,
  );
  assertEquals((await run([...command, "0"])).stderr, "");
});

test("a value of the client stays as it is, also if it looks like a link of the server", async () => {
  const file = join(folder, "own_value.mjs");
  writeFileSync(
    file,
    `const redirect_uri = process.env.LATCHKEY_ISSUER + "/flows/1";
    const query = new URLSearchParams({ client_id: process.env.LATCHKEY_CLIENT_ID, redirect_uri });
    await fetch(process.env.LATCHKEY_ISSUER + "/oauth2/authorize?" + query);
    process.exit(3);`,
  );
  const { stderr } = await run(["--", ...suite.slice(0, -1), file]);
  assertMatch(stderr, /redirect_uri +http:\/\/localhost:\d+\/flows\/1\n/);
  assertMatch(stderr, /received +http:\/\/localhost:\d+\/flows\/1\n/);
});

test("if Deno may not start the command, exec says how to run it", () => {
  // The other runtimes have no permissions.
  if (!("Deno" in globalThis)) return;
  const flags = ["--allow-net", "--allow-env", "--allow-read", "--allow-write", "--allow-sys"];
  const args = ["run", "--no-lock", ...flags, "src/main.ts", "exec", "--", "node"];
  const { status, stderr } = spawnSync(process.execPath, args, {
    env: { ...process.env, npm_command: "exec", LATCHKEY_CONFIG: "none" },
  });
  assertEquals(status, 127);
  assertStringIncludes(String(stderr), "Run npx -y deno run -A src/main.ts exec with the same arguments instead.");
});

test("a command that succeeds prints no rejections, because a test may want them", async () => {
  const { code, stderr } = await run(["--", ...suite, "wrong"]);
  assertEquals([code, stderr, readResult().status], [0, "", 401]);
});

test("a fault that did not fire fails a command that succeeded", async () => {
  const report = join(folder, "report of a fault");
  const { code, stderr } = await run(["--report", report, "--", ...suite, "fault"]);
  assertEquals(code, 1, stderr);
  assertEquals(readdirSync(report), ["summary.md"]);
  assertMatch(readFileSync(join(report, "summary.md"), "utf8"), /1 fault fired less often than expected/);
  assertMatch(stderr, /^1 fault fired less often than expected:\n {2}on\("jwks"\)\.once\(/);
});

test("a registered redirect URI is exact; without one any is accepted", async () => {
  const redirected = async (...uris: readonly string[]) => {
    await run([...uris.flatMap((uri) => ["--redirect-uri", uri]), "--", ...suite]);
    return readResult().redirected;
  };
  const [registered, other] = ["http://localhost:3000/callback", "http://localhost:3000/other"] as const;
  assertEquals(
    [await redirected(), await redirected(registered), await redirected(registered, other)],
    [true, false, true],
  );
});

test("a report replaces its own files and links, and writes through no link", async () => {
  const report = join(folder, "report with links");
  mkdirSync(report);
  const linked = ["flow-1.html", "summary.md"];
  const victims = linked.map((name) => {
    const victim = join(folder, `victim of ${name}`);
    // One link leads to a file, the other one to a name that does not exist yet.
    if (name === "summary.md") writeFileSync(victim, "kept");
    symlinkSync(victim, join(report, name));
    return victim;
  });
  for (const _ of ["first", "second"]) {
    await run(["--report", report, "--", ...suite, "wrong", "3"]);
    // The second flow has the code that the suite does not exchange.
    assertEquals(readdirSync(report).sort(), ["flow-1.html", "flow-2.html", "summary.md"]);
    for (const name of linked) {
      assertEquals(lstatSync(join(report, name)).isSymbolicLink(), false, name);
      assertStringIncludes(readFileSync(join(report, name), "utf8"), "CA-07");
    }
  }
  assertEquals([existsSync(victims[0]!), readFileSync(victims[1]!, "utf8")], [false, "kept"]);
});

test("a report that cannot be written is a failure", async () => {
  const { code, stderr } = await run(["--report", scriptFile, "--", ...suite, "wrong"]);
  assertEquals(code, 1);
  assertMatch(stderr, /^The report cannot be written to .*suite\.mjs: /m);
});

test("a second signal kills a command that ignores the first", async () => {
  let stop = () => {};
  const server = createServer((_, response) => {
    response.end();
    stop();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(
    stubbornFile,
    `process.on("SIGTERM", () => fetch("${url}")); setInterval(() => {}, 1000); fetch("${url}");`,
  );
  const command = [...suite.slice(0, -1), stubbornFile];
  const { code } = await runCommandHere(execute, ["--", ...command], {}, (callback) => void (stop = callback));
  server.close();
  assertEquals(code, 137);
});

test("a command that cannot be started ends with 127; a server that other machines reach warns of it", async () => {
  const { code, stderr } = await run(["--", join(folder, "absent")]);
  assertEquals(code, 127);
  assertMatch(stderr, /^\S*absent cannot be started: /);
  const open = await run(["--host", "0.0.0.0", "--", join(folder, "absent")]);
  assertMatch(
    open.stderr,
    /^Warning: any machine that can reach 0\.0\.0\.0 .* can control the server by \/_control\.$/m,
  );
});

test("a warning about the configuration is printed once", async () => {
  const { stderr } = await run(["--", join(folder, "absent")], { LATCHKEY_PROT: "1" });
  assertEquals(stderr.match(/LATCHKEY_PROT/g)?.length, 1, stderr);
});

test("each mistake on the command line has its fix", async () => {
  const cases: readonly [args: readonly string[], path: string][] = [
    [["--port", "0"], "command line"],
    [["--"], "command line"],
    [["--env", "AUTH_ID=id", "--", "true"], "--env"],
    [["--env", "--", "true"], "--env"],
    [["--report", "a", "--report", "b", "--", "true"], "--report"],
    [["--prot", "1", "--", "true"], "--prot"],
    [["--redirect-uri", "javascript:alert(1)", "--", "true"], "clients[0].redirect_uris[0]"],
    [["--profile", "oidc", "--", "true"], "--redirect-uri"],
  ];
  for (const [args, path] of cases) {
    const { message } = await assertRejects(() => run(args), Error);
    assertMatch(
      message.replace("The configuration has 1 issue.\n\n", ""),
      new RegExp(`^${path.replaceAll(/[.[\]]/g, "\\$&")}\n  Expected `),
    );
  }
  const variables = {
    LATCHKEY_CONFIG_JSON: `{"clients":[{"client_id":"spa","redirect_uris":["http://a.localhost/"]}]}`,
  };
  const both = await assertRejects(
    () => run(["--redirect-uri", "http://b.localhost/", "--", "true"], variables),
    Error,
  );
  assertMatch(both.message, /^--redirect-uri\n/);
});

test("--help is the text of the help, in 80 columns", async () => {
  const { code, stdout } = await run(["--help"]);
  assertEquals([code, stdout], [0, execHelpText]);
  for (const line of stdout.split("\n")) assert(line.length <= 80, line);
});
