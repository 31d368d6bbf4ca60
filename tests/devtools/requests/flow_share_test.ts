/** What leaves the page of a flow: a step as curl, the flow as Markdown. */

import { assert, assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { promisify } from "node:util";
import { inspector } from "../../../src/devtools/mod.ts";
import { mcpServer } from "../../../src/resource/mod.ts";
import { latchkey } from "../../secret_leak_check.ts";
import { challenge, encode, testServer, verifier } from "../../kit.ts";

const run = promisify(execFile);
const skip = ["curl", "bash"].some((program) => spawnSync(program, ["--version"]).status !== 0);

const redirect_uri = "http://localhost:5555/cb";

/** What a terminal, bash or curl could take for something else. */
const hostile = [
  `'; touch pwned; '`,
  "$(touch pwned)`touch pwned`$HOME",
  `"quoted" \\ back\\slash !history`,
  "line\nbreak\ttab",
  "\x1b[201~touch pwned\r\u202e",
  "@/etc/passwd",
  "{{CLIENT_SECRET}} {{CODE}} {{NOTHING}}",
  "ä ö 😀 [1-3] {a,b} & = # %41 +",
  "",
];

test("[FL-02] each step as curl repeats the request in bash, whatever the client sent", { skip }, async () => {
  const inspected = inspector();
  const client = { client_id: "web app", client_secret: "s3cret/of a client", redirect_uris: [redirect_uri] };
  await using as = await latchkey({ clients: [client], plugins: [inspected, mcpServer("/mcp")] });
  const { url } = await as.listen({ port: 0 });
  const credentials = `Basic ${btoa(`${encodeURIComponent(client.client_id)}:${client.client_secret}`)}`;
  const token = (fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>>) =>
    fetch(`${url}/oauth2/token`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      body: encode({ grant_type: "authorization_code", redirect_uri, ...fields }),
    });
  const request = { response_type: "code", client_id: client.client_id, redirect_uri, scope: "openid" };
  const proof = { code_challenge: challenge, code_challenge_method: "S256" };
  const authorize = `${url}/oauth2/authorize?${encode({ ...request, ...proof })}`;
  const redirected = await fetch(authorize, { redirect: "manual" });
  await redirected.body?.cancel();
  const code = new URL(redirected.headers.get("location")!).searchParams.get("code")!;
  const response = await token({ code, code_verifier: verifier }, { authorization: credentials });
  assertEquals(response.status, 200);
  const { access_token } = await response.json();
  const bearer = { authorization: `Bearer ${access_token}` };
  // The second address could be taken for one of another host.
  for (const path of ["/oauth2/userinfo", "//evil.example/oauth2/userinfo"]) {
    await (await fetch(`${url}${path}`, { headers: bearer })).text();
  }
  for (const text of hostile) {
    // The name of a secret parameter would redact its value.
    const name = /secret|passwd/i.test(text) ? "name" : `name ${text}`;
    const names = { [name]: text, client_id: client.client_id, client_secret: client.client_secret };
    await (await token({ ...names, code: `${text}${code}` }, {})).text();
    await (await fetch(`${url}/oauth2/authorize?${encode({ ...request, state: text, [name]: "x" })}`, {
      redirect: "manual",
    })).text();
    await (await fetch(`${url}/mcp?${encode({ "a=b": text, code })}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text, client_secret: client.client_secret }),
    })).text();
  }
  const missing = await fetch(`${url}/flows/1.sh?step=99`);
  assertEquals(missing.status, 404);
  assertMatch(await missing.text(), /The flow has no such step/);
  const { recorder } = inspected;
  const recorded = recorder.exchanges().filter(({ flow }) => flow !== undefined);
  assert(recorded.length >= 4 + 3 * hostile.length, `${recorded.length}`);
  const folder = mkdtempSync(join(tmpdir(), "flow-"));
  for (const exchange of recorded) {
    const steps = recorder.flow(exchange.flow!)!.exchanges;
    const step = steps.findIndex(({ number }) => number === exchange.number) + 1;
    const page = await (await fetch(`${url}/flows/${exchange.flow}?step=${step}`)).text();
    assertStringIncludes(page, `href="/flows/${exchange.flow}.sh?step=${step}"`);
    const command = (await (await fetch(`${url}/flows/${exchange.flow}.sh?step=${step}`)).text()).trimEnd();
    assertStringIncludes(command, "curl -i ");
    // A terminal interprets nothing in it, and no secret is in it.
    assertNotMatch(command, /[^\P{Cc}\n]|\p{Cf}/u);
    for (const secret of [code, verifier, access_token, client.client_secret]) {
      assert(!command.includes(secret), command);
    }
    const [, names = ""] = /^# Set first: (.*)\n/.exec(command) ?? [];
    // What the variables stand for, as a user of the page would look it up.
    const { request: { form, query, headers } } = exchange;
    const values: Record<string, string> = {
      CODE: [...form, ...query].find(([name]) => name === "code")?.[1] ?? code,
      CODE_VERIFIER: verifier,
      CLIENT_SECRET: client.client_secret,
      ACCESS_TOKEN: access_token,
    };
    // The values of parameters that no endpoint declares; in a URL they are encoded.
    const undeclared = [
      ...form.filter(([name]) => name.startsWith("name")).map(([, value]) => value),
      ...query.filter(([name]) => /^name|^a=b$/.test(name)).map(([, value]) => encodeURIComponent(value)),
    ].filter((value) => value !== "");
    for (const [i, value] of undeclared.entries()) values[i === 0 ? "VALUE" : `VALUE_${i + 1}`] = value;
    const before = recorder.exchanges().length;
    const set = names === "" ? [] : names.split(" ").map((name) => name.replace("=…", ""));
    for (const name of set) assert(Object.hasOwn(values, name), `${name} in ${command}`);
    await run("bash", ["-c", command], {
      cwd: folder,
      env: { PATH: process.env.PATH, LC_ALL: "C.UTF-8", ...Object.fromEntries(set.map((n) => [n, values[n]!])) },
    });
    const repeated = recorder.exchanges()[before]!.request;
    assertEquals([repeated.form, repeated.query, repeated.path], [form, query, exchange.request.path], command);
    if (form.length === 0) assertEquals(repeated.body, exchange.request.body, command);
    assertEquals(repeated.headers["content-type"], headers["content-type"], command);
    assertEquals(repeated.headers.authorization, headers.authorization, command);
  }
  assertEquals(readdirSync(folder), []);
  rmSync(folder, { recursive: true });
});

test("[FL-02] a step whose body was not recorded whole has no curl command", async () => {
  const inspected = inspector();
  await using as = await latchkey({ plugins: [inspected, mcpServer("/mcp")] });
  const { url } = await as.listen({ port: 0 });
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const json = { "content-type": "application/json" };
  const flow = { authorization: "Bearer unknown" };
  const requests: readonly (readonly [path: string, headers: Record<string, string>, body: BodyInit])[] = [
    ["/oauth2/token", json, "{}"],
    ["/oauth2/token", { "content-type": "text/plain" }, "grant_type=authorization_code"],
    ["/oauth2/token", { ...form, origin: "https://evil.example", "sec-fetch-site": "cross-site" }, "grant_type=x"],
    ["/unknown", { ...form, ...flow }, "grant_type=authorization_code"],
    ["/oauth2/token", json, new Blob(["{}"]).stream()],
    // The recorded part has fewer characters than bytes.
    ["/mcp", json, new Blob(["ä".repeat(40_000)]).stream()],
    ["/mcp", json, new Uint8Array([0x22, 0xff, 0x22])],
  ];
  for (const [path, headers, body] of requests) {
    const before = inspected.recorder.exchanges().length;
    const init: RequestInit & { duplex: "half" } = { method: "POST", headers, body, duplex: "half" };
    await (await fetch(`${url}${path}`, init)).text();
    const { flow: id } = inspected.recorder.exchanges()[before]!;
    assert(id !== undefined, path);
    const page = await (await fetch(`${url}/flows/${id}`)).text();
    assertStringIncludes(page, `POST ${path}`);
    assert(!page.includes(".sh?step="), `${path} ${JSON.stringify(headers)}`);
    const command = await fetch(`${url}/flows/${id}.sh?step=1`);
    const text = await command.text();
    assertEquals(command.status, 404, text);
    assertMatch(text, /This step has no curl command/);
  }
});

test("[FL-03] a flow for an issue begins with the reason, and no text of a client leaves its code", async () => {
  const inspected = inspector();
  const made = await testServer({ plugins: [inspected] });
  const read = async (id: string) => {
    const response = await made.get(`/flows/${id}.md`);
    assertEquals([response.status, response.headers.get("content-type")], [200, "text/plain; charset=utf-8"]);
    return await response.text();
  };
  const code = await made.code();
  await (await made.token({ code, redirect_uri: "https://spa.example/cb/" })).text();
  const counts = /(\d+) of (\d+) checks passed, 1 failed, (\d+) not checked/.exec(
    await (await made.get("/flows/1")).text(),
  );
  const [passed, all, unchecked] = counts!.slice(1).map(Number);
  assertEquals(passed! + 1 + unchecked!, all);
  const text = await read("1");
  assertMatch(
    text,
    new RegExp(
      "^### redirect_uri does not match the authorization request\n\n- \\*\\*Step:\\*\\* 2 of 2\n" +
        "- \\*\\*Client:\\*\\* `spa`\n- \\*\\*Request:\\*\\* `POST /oauth2/token`\n" +
        "- \\*\\*Response:\\*\\* `400 invalid_grant`\n- \\*\\*Expected:\\*\\* `https://spa.example/cb`\n" +
        "- \\*\\*Received:\\*\\* `https://spa.example/cb/`\n- \\*\\*Earlier:\\*\\* [^\n]*\n" +
        "- \\*\\*How to fix it:\\*\\* Send the [^\n]*\n- \\*\\*Rule:\\*\\* `TK-15`, OAuth 2.1 §10.2, RFC 6749 §4.1.3\n",
    ),
  );
  assertMatch(text, /\*\*2\. Code exchange\*\* \(rejected, invalid_grant\)\n\n```text\nPOST \/oauth2\/token\n/);
  assertMatch(text, /<details>\n<summary>The other steps<\/summary>\n\n\*\*1\. Authorization request\*\*/);
  for (const secret of [code, verifier]) assert(!text.includes(secret));

  const mention = "@octocat #1 <img src=x> [x](https://evil.example) www.evil.example";
  const fence = "\n```\n````\n`</details>`\n# heading";
  for (const hostileText of [mention, fence]) {
    await (await made.authorize({ scope: `openid ${hostileText}`, state: hostileText, client_id: hostileText })).text();
    await (await made.authorize({ response_type: hostileText })).text();
  }
  for (const { id } of inspected.recorder.flows()) {
    // GitHub renders code as text.
    const outside = (await read(id)).replace(/^(`{3,})text\n[^]*?\n\1$/gm, "").replace(
      /(`+)(?!`)[^\n]*?[^`]\1(?!`)/g,
      "",
    );
    assertNotMatch(outside, /octocat|evil|heading|<(?!\/?(?:details|summary)>)/, outside);
    assertEquals(outside.match(/<\/?details>/g) ?? ["<details>", "</details>"], ["<details>", "</details>"]);
  }
});
