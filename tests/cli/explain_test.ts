/** `latchkey explain`: what a user has in the clipboard. */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { commandNames } from "../../src/cli/commands.ts";
import { CommandLineError } from "../../src/cli/command_line_error.ts";
import { coreRules, type Rule } from "../../src/core/rules/mod.ts";
import { type ErrorCode, errorStatus } from "../../src/core/rules/rule.ts";
import { errorProblems } from "../../src/devtools/messages/oauth_errors.ts";
import { extensionRules } from "../../src/server/rules.ts";
import { serverRules } from "../../src/server/rules/mod.ts";
import { variableName } from "../../src/cli/environment.ts";
import { explain, type FetchFlow } from "../../src/cli/explain.ts";
import { flagName } from "../../src/cli/options.ts";
import { optionNames } from "../../src/cli/settings.ts";
import { formatIssue } from "../../src/core/rules/configuration_error.ts";
import { madeSentences } from "../../src/devtools/rules/find_by_sentence.ts";
import { forEachCase } from "../kit.ts";
import { sample } from "../sample.ts";

const run = (text: string, fetch?: FetchFlow) =>
  explain(text.split(" "), { terminalWidth: () => undefined }, () => readFile("tests/rules.md", "utf8"), fetch);

test("a rule is explained by its ID, and by any text with the ID", async () => {
  const expected = await run("TK-15");
  assertMatch(expected, /^TK-15 {2}MUST\n {2}rule/);
  const texts = [
    "tk-15",
    "[TK-15]",
    "redirect_uri does not match the authorization request [TK-15]",
    "09:14:07.311Z ✗ POST /oauth2/token  400 invalid_grant  spa  TK-15",
    '{"error":"invalid_grant","error_description":"redirect_uri does not match [TK-15]"}',
  ];
  await forEachCase(texts, async (text) => assertEquals(await run(text), expected));
});

test("the words of a code are enough where they are about nothing else", async () => {
  assertStringIncludes(await run("why do I get invalid client?"), "  means    invalid_client: ");
  assertStringIncludes(await run("OAuth2::Errors::InvalidGrantError"), "  means    invalid_grant: ");
});

test("a parameter lists its rules, and a group its own", async () => {
  const cases: readonly (readonly [text: string, rule: string, other: string])[] = [
    ["redirect_uri", "RU-01", "UI-04"],
    ["redirect_uri", "TK-15", "UI-04"],
    ["redirect-uri", "RU-01", "UI-04"],
    ["code_verifier", "PK-09", "UI-04"],
    ["PK", "PK-09", "TK-15"],
  ];
  await forEachCase(cases, async ([text, rule, other]) => {
    const lines = (await run(text)).split("\n");
    assert(lines.some((line) => line.startsWith(`${rule}  `)), `${rule} is not listed`);
    assert(!lines.some((line) => line.startsWith(`${other}  `)), `${other} is listed`);
  });
  assertMatch(await run("redirect_uri"), /^RU-01 {2}/);
});

/** The error codes that the rules of the server name. */
const sentCodes = new Set(
  [coreRules, serverRules, ...Object.values(extensionRules)].flatMap((table) =>
    Object.values<Rule>(table).flatMap((rule) => "code" in rule && typeof rule.code === "string" ? [rule.code] : [])
  ),
);

test("every error code is explained wherever it stands: title, causes, client, here, a line of rules", async () => {
  const codes = [...new Set([...Object.keys(errorStatus), ...sentCodes, ...Object.keys(errorProblems)])];
  const places: readonly ((code: string) => string)[] = [
    (code) => code,
    (code) => code.replaceAll("_", "-"),
    (code) => `why does my login say ${code} since today?`,
    (code) => `{"error":"${code}","error_description":"see the log"}`,
    (code) => `POST https://id.example/token 400: "{\\"error\\":\\"${code}\\"}"`,
    (code) => `http://localhost:3000/callback?error=${code}&state=x`,
    (code) => `ERROR [auth] (worker-1) the server answered (${code}) to the request`,
    (code) => `Error: oauth2: "${code}" "see the log"\n    at exchange (/app/token.js:3:1)`,
  ];
  await forEachCase(codes.filter((code) => code !== "not_found"), async (code) => {
    for (const place of sample(places, 4, codes.indexOf(code))) {
      const [found, title, cause] = (await run(place(code))).split("\n");
      assertMatch(title!, /^ {2}means {4}\S/);
      assertStringIncludes(found + title!, code, place(code));
      assertMatch(cause!, /^ {2}causes {3}1\. /);
    }
    if (sentCodes.has(code as ErrorCode)) {
      assertMatch(await run(code), /\n {2}rules {4}[A-Z]{2}-\d\d.*: latchkey explain [A-Z]{2}-/);
    }
  });
});

test("the id of an attack, a fault or a practice, a category and faults are explained too", async () => {
  for (
    const [text, line] of [
      ["id-token/aud-wrong", /^1 fault\. /],
      ["idToken", /^\d+ faults\. Those with[^]*\nid-token\/exp-past /],
      ["id-token/", /^\d+ faults\. /],
      ["pkce-used", /^1 best practice of a client/],
      ["faults", /^\d{3,} faults\. latchkey check/],
      ["faults id-token", /^\d+ faults\. /],
      ["faults --json", /^\{\n/],
      ["faults --help", /^Usage: latchkey explain faults \[NAME\]/],
      ["state", /^[A-Z]{2}-\d\d /],
    ] as const
  ) assertMatch(await run(text), line);
});

test("a mistyped error code gets the code that it resembles", async () => {
  for (const text of ["invalid_gant", "invalid-grantt"]) {
    const { issues } = await assertRejects(() => run(text), CommandLineError);
    assertEquals(issues[0]!.hint, "Did you mean invalid_grant?");
  }
});

test("the URL of a flow shows the flow of a running server, and else says where it is", async () => {
  const url = "http://localhost:9000/flows/of/7";
  const asked: string[] = [];
  const server = (location: string | undefined, text = "# Flow 7\n"): FetchFlow => (address, { redirect }) => {
    asked.push(address);
    assertEquals(redirect, "manual");
    if (address.endsWith(".md")) return Promise.resolve(new Response(text));
    return Promise.resolve(location === undefined ? new Response() : Response.redirect(new URL(location, url), 303));
  };
  const asking = async (text: string, fetch: FetchFlow) => {
    asked.length = 0;
    return await run(text, fetch);
  };
  assertEquals(await asking(`→ ${url}`, server("/flows/x?step=7#7")), "# Flow 7");
  assertEquals(asked, [url, "http://localhost:9000/flows/x.md"]);
  assertEquals(await asking(`--server http://localhost:9000 ${url}`, server("/flows/x?step=7#7")), "# Flow 7");
  assertEquals(await asking("http://localhost:9000/flows/x", server(undefined)), "# Flow 7");
  const ofStep = "http://localhost:9000/flows/x?step=3#step-3";
  assertEquals(await asking(ofStep, server(undefined)), "The link is to step 3 of a recorded login.\n\n# Flow 7");
  assertMatch(await run(`  page:     ${ofStep}`), /^The link is to step 3 .* is not running/);
  assertEquals(
    await asking(url, server("/flows/x", "a\n\u001b]52;c;x\u0007\u202e\n")),
    "a\n\\u001b]52;c;x\\u0007\\u202e",
  );
  // No other program is asked to do something: the text may come from anywhere.
  for (
    const action of ["http://router/reboot?x=/flows/1", "http://localhost:2375/a?x=/flows/of/1", `${url} and more`]
  ) {
    await asking(action, server(undefined)).catch(() => undefined);
    assertEquals(asked, []);
  }
  await asking(url, server("/admin/delete"));
  assertEquals(asked, [url]);
  // No other origin is asked.
  for (const other of ["http://localhost:9001/flows/x", "https://localhost:9000/", "//evil.widgets.com/x"]) {
    assertStringIncludes(await asking(url, server(other)), "is not running");
    assertEquals(asked, [url]);
  }
  assertStringIncludes(await run(url, () => Promise.reject(new TypeError())), "is not running");
  assertStringIncludes(await run(url), url);
  await assertRejects(() => asking("https://login.widgets.com/flows/7", server(undefined)), CommandLineError);
  assertEquals(asked, []);
});

test("an unknown text is rejected with what is known", async () => {
  for (const text of ["bogus_name", "PK-99x", "../../x"]) {
    const { issues } = await assertRejects(() => run(text), CommandLineError);
    assertMatch(issues[0]!.expected, /rule.*error code.*parameter.*flow/);
    assertMatch(issues[0]!.hint, /latchkey explain|nearest|rules of the group|\/flows/);
  }
});

test("an unknown sentence is reported as unknown, without a near rule", async () => {
  const texts = [
    "two words of nothing",
    "the parameter nonce is odd",
    "Client crashed",
    "TypeError: cannot read properties of undefined (reading 'state')\n    at callback (/app/auth.js:12:3)",
    "Invalid audience for this branch of the shop",
  ];
  await forEachCase(texts, async (text) => {
    const { issues } = await assertRejects(() => run(text), CommandLineError);
    assertMatch(issues[0]!.hint, /^Latchkey does not know this message.* PK-09.* invalid_grant.* \/flows/);
  });
});

test("a sentence of the server has its rule, or its rules, also without the ID", async () => {
  const sentences = {
    "redirect_uri is not registered for this client": "RU-01",
    "a public client must send a code_challenge": "PK-01",
    "client_id is not registered": "AZ-02",
    "error_description=client_id is not registered. Did you mean web?": "AZ-02",
    '{"error":"invalid_request","error_description":"redirect_uri does not match the authorization request"}': "TK-15",
    "OAuthError: scope is more than was granted": "RT-06",
    "state was sent more than once": "AZ-06",
    "the secret of client web is wrong; this request used client_secret_basic": "CA-07",
  };
  await forEachCase(Object.entries(sentences), async ([sentence, id]) => {
    assertEquals(await run(sentence), await run(id));
  });
  assertMatch(
    await run("code_challenge is missing, and this client must send one"),
    /^PK-01 {2}.*\n(?: .*\n)*PK-02 {2}/,
  );
  assertMatch(await run("state mismatch"), /^state mismatch/);
});

test("each sentence that a function makes stands in the sources of the rules", () => {
  const folders = ["src/core", "src/server"];
  const sources = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
      .map((file) => readFileSync(join(folder, file), "utf8"))
  ).join("\n");
  const parts = Object.values(madeSentences).flat().flatMap((sentence) => sentence.split("*"));
  assertEquals(parts.filter((part) => !sources.includes(part)), []);
});

test("an issue and a warning of a start are explained by their setting, flag or command", async () => {
  const schema = JSON.parse(await readFile("static/config.schema.json", "utf8"));
  const issue = (path: string) => formatIssue({ path, expected: "one of these", received: '"x"', hint: "Change it." });
  const paths = [
    ...Object.keys(schema.properties).map((name) => [name, name]),
    ...optionNames.filter((name) => name !== "config").flatMap((name) => [
      [`--${flagName(name)}`, name],
      [variableName(name), name],
    ]),
    ...commandNames.map((name) => [`latchkey ${name}`, `latchkey ${name}`]),
    ["clients[0].redirect_uris[1]", "clients.redirect_uris"],
    ["/app/latchkey.json: lifetimes.access_token", "lifetimes.access_token"],
  ] as const;
  await forEachCase(paths, async ([path, title]) => {
    const lines = (await run(`The configuration has 1 issue.\n\n${issue(path!)}`)).split("\n");
    assertEquals(
      lines.map((line) => line.slice(0, 10).trim()).filter((label) => label !== title?.slice(0, 10).trim()),
      [
        "means",
        "example",
        "guide",
      ],
    );
    assertEquals(lines[0], title);
  });
  for (const text of ["clients[0].scope (warning)\n  It has no effect.", "09:14 ! warning  clients[0].scope: it has"]) {
    assertMatch(await run(text), /^clients\.scope\n/);
  }
  assertMatch(await run(issue("usres").replace("Change it.", "Did you mean users?")), /^users\n/);
  assertMatch(await run("exec: start latchkey with --redirect-uris any"), /^redirectUris\n/);
  for (const text of ["expect(status)\n  Expected 200, found 401.", "vite --port 80 is in use"]) {
    await assertRejects(() => run(text), CommandLineError);
  }
});

test("a line of the report of a check is explained by the attack that it names or describes", async () => {
  for (
    const text of ["FAILED  id-token/aud-wrong (critical): the client logged in", "12 attacks: id-token/aud-wrong, x"]
  ) assertMatch(await run(text), /\n\nid-token\/aud-wrong \(must-reject\)\n/);
});

test("a sentence of a rule with more words behind it is another message", async () => {
  const texts = [
    'Token is missing the "aud" claim',
    "Token is missing the 'exp' claim",
    "client_id is missing from the map",
    "client authentication failed (e.g., unknown client, no client authentication included, or unsupported method)",
  ];
  await forEachCase(texts, async (text) => {
    const explained = await run(text).catch((error: Error) => error.message);
    assert(!/^[A-Z]{2}-\d\d /.test(explained), explained);
  });
  for (
    const text of ["token is missing", '{"error_description":"token is missing"}', "400: token is missing (RV-01)"]
  ) {
    assertMatch(await run(text), /^(?:RV|IN)-\d\d /);
  }
});

test("a server is asked only on this machine", async () => {
  for (const address of ["https://id.widgets.com", "nothing"]) {
    const { issues } = await assertRejects(
      () => run(`--server ${address} jwt expired`, () => Promise.reject(new Error("asked"))),
      CommandLineError,
    );
    assertEquals(issues[0]!.path, "explain --server");
  }
});

test("a server is asked below the path of its issuer, and one that has no flows there is named", async () => {
  const asked: string[] = [];
  const server = (status: number): FetchFlow => (address) => {
    asked.push(address);
    return Promise.resolve(Response.json({}, { status }));
  };
  const issuer = "http://localhost:8080/realms/shop";
  for (const address of [issuer, `${issuer}/`]) {
    assertMatch(await run(`--server ${address} jwt expired`, server(200)), /^jwt expired/);
    assert((await run(`--server ${address} jwt expired`, server(404))).startsWith(`${issuer} has no list of flows`));
  }
  assertEquals(new Set(asked), new Set([`${issuer}/flows.json?q=jwt+expired`]));
});

test("without a text, explain says that one is missing", async () => {
  const { issues } = await assertRejects(() => run(""), CommandLineError);
  assertEquals([issues[0]!.received, /PK-09/.test(issues[0]!.hint)], ["no text", true]);
});

test("a message of a client library is explained: meaning, causes in order, client, server and guide", async () => {
  const lines = (await run("Error: Correlation failed.")).split("\n");
  assertEquals(lines[0], "Correlation failed.  (ASP.NET Core OpenIdConnect)");
  assertEquals(lines.slice(1).map((line) => line.slice(2, 10).trim()).filter(Boolean), [
    "means",
    "causes",
    "client",
    "here",
    "guide",
  ]);
  assertStringIncludes(lines[2]!, "1. ");
});

test("a rule in a stack trace is more than the message around it", async () => {
  const trace = `ResponseBodyError: server responded with an error in the response body
    at processResponse (file:///app/node_modules/oauth4webapi/build/index.js:931:19) {
  cause: { error: 'invalid_grant', error_description: 'code_verifier does not match [PK-09]' }`;
  assertMatch(await run(trace), /^PK-09/);
  assertMatch(await run(trace.replace("[PK-09]", "")), /\n {2}means {4}PKCE verification failed/);
  const ofRequest = (line: string) => `flow 2: GET /authorize\n        ${line}\njwt expired`;
  assertMatch(await run(ofRequest("passed  UI-14  the form is of this server")), /^jwt expired/);
  assertMatch(await run(ofRequest("failed  UI-14  the form is of another server")), /^UI-14/);
});

test("a stack trace with causes explains each, the innermost first, and not the error that hides them", async () => {
  const trace = `[auth][error] CallbackRouteError: Read more at https://errors.authjs.dev#callbackrouteerror
[auth][cause]: OperationProcessingError: unexpected ID Token "nonce" claim value
    at validateNonce (oauth4webapi.js:1432:15)
Caused by: Error: Failed to obtain access token
    at connect ECONNREFUSED 127.0.0.1:9000`;
  const titles = (await run(trace)).split("\n").filter((line) => /^\S/.test(line));
  assertEquals(titles.map((title) => title.split("  (")[0]), [
    "ECONNREFUSED",
    'unexpected ID Token "nonce" claim value',
  ]);
});
