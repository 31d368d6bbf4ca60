/** Rejections and warnings in the log: what they name, and what they redact. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { logging } from "../../../src/cli/operating/mod.ts";
import { forEachCase, testServer, verifier } from "../../kit.ts";
import { assertInvalidGrant, granted, s256 } from "../../server/code_exchange.ts";
import { decodeBase64url, encodeBase64url } from "../../../src/core/keys/crypto.ts";

const secret = "S3cret";

test("[HT-15, TK-02] a rejected content type is capped, escaped and redacted in the log and on the page", async () => {
  await forEachCase(["text", "json"] as const, async (format) => {
    const lines: string[] = [];
    const server = await testServer({ plugins: [logging({ write: (line) => lines.push(line), format })] });
    const type = `x=y; client_secret=${secret}; \x1b[31mred; ${"long ".repeat(200)}`;
    for (const path of ["/oauth2/token", "/oauth2/authorize"]) {
      const response = await server.get(path, { method: "POST", body: "x", headers: { "content-type": type } });
      assertEquals(response.status, 400);
      await response.text();
    }
    const rejections = lines.filter((line) => line.includes("TK-02"));
    assertEquals(rejections.length, 2);
    for (const line of rejections) {
      // deno-lint-ignore no-control-regex
      assert(!/\x1b/.test(line), line);
      assert(!line.includes(secret) && !line.includes("long ".repeat(20)), line);
      assertMatch(line, /x=y; client_secret=…\(\d+\)/);
      assertMatch(line, /\\u001b\[31mred/);
    }
  });
});

test("[PK-09] the log names the mistake that explains a challenge, and never shows a verifier", async () => {
  const mistakes: Record<string, string> = {
    "code_verifier equals code_challenge": verifier,
    "the verifier as JSON": await s256(JSON.stringify(verifier)),
    "with padding": await s256(`${verifier}=`),
    "as standard base64": await s256(verifier.replaceAll("-", "+").replaceAll("_", "/")),
    "the random bytes": encodeBase64url(
      new Uint8Array(await crypto.subtle.digest("SHA-256", decodeBase64url(verifier))),
    ),
  };
  const lines: string[] = [];
  const server = await testServer({ plugins: [logging({ write: (line) => lines.push(line), format: "json" })] });
  await forEachCase(Object.entries(mistakes), async ([mistake, code_challenge]) => {
    const code = await server.code({ code_challenge });
    lines.length = 0;
    await assertInvalidGrant(await server.token({ code }));
    assertStringIncludes(lines[0]!, mistake);
    assert(!lines.join().includes(verifier));
  });
  const encoded = "tilde~".repeat(10);
  const code = await server.code({ code_challenge: await s256(encoded.replaceAll("~", "%7E")) });
  await assertInvalidGrant(await server.token({ code, code_verifier: encoded }));
  assertStringIncludes(lines.at(-2)!, "the URL-encoded verifier");
});

test("[PK-09] the log shows both challenges, and names a verifier of another authorization request", async () => {
  const lines: string[] = [];
  const log = logging({ write: (line) => lines.push(line), format: "text" });
  const server = await testServer({ plugins: [log] });
  const [mine, theirs] = ["m".repeat(43), "t".repeat(43)];
  const code = await server.code({ code_challenge: await s256(mine) });
  await server.token({ code, code_verifier: "x".repeat(43) });
  assertStringIncludes(lines[0]!, `expected  code_challenge ${await s256(mine)}\n`);
  assertStringIncludes(
    lines[0]!,
    `received  code_challenge ${await s256("x".repeat(43))}, computed from code_verifier\n`,
  );
  await server.code({ code_challenge: await s256(theirs) });
  await server.token({ code, code_verifier: theirs });
  assertStringIncludes(lines[1]!, "code_verifier belongs to another authorization request of this client");
});

test("[AZ-17] a warning or the rejection names each unknown value, in the trace and in the log", async () => {
  const lines: string[] = [];
  const log = logging({ write: (line) => lines.push(line), format: "text" });
  const server = await testServer({ plugins: [log] });
  await granted(server, { scope: "openid admin read groups" });
  await server.authorize({ scope: "read admin" });
  await server.authorize({ scope: `openid ${"x".repeat(50)}` });
  const output = server.events.flatMap((event) =>
    "explanation" in event && event.explanation.rule === "AZ-17"
      ? [[event.type, event.explanation.rule, event.explanation.reason]]
      : []
  );
  assertEquals(output, [
    ["warning", "AZ-17", "unknown scope was dropped: admin groups"],
    ["rejected", "AZ-17", "unknown scope: admin"],
    ["warning", "AZ-17", `unknown scope was dropped: ${"x".repeat(50)}`],
  ]);
  assertMatch(
    lines[0]!,
    /! warning {2}spa {2}AZ-17\n +unknown scope was dropped: admin groups\n +expected {2}some of: openid/,
  );
  assertMatch(lines.join("\n"), /invalid_scope {2}spa {2}AZ-17\n +unknown scope: admin\n/);
  const before = lines.length;
  await granted(server, { scope: "openid read openid" });
  assert(!lines.slice(before).join().includes("AZ-17"));
});

const issuer = "http://localhost:9666";

const asProgram = { headers: { accept: "application/json" } };

test("[TK-02] the log names the media type that was received", async () => {
  const lines: string[] = [];
  const { as } = await testServer({
    issuer,
    plugins: [logging({ write: (line) => lines.push(line), format: "text" })],
  });
  const post = (init: RequestInit) => as.fetch(new Request(`${issuer}/oauth2/token`, { method: "POST", ...init }));
  await post({ body: "{}", headers: { "content-type": "application/json" } });
  assertMatch(
    lines[0]!,
    /TK-02\n[^]*expected {2}application\/x-www-form-urlencoded\n *received {2}application\/json\n/,
  );
  await post({ body: new Uint8Array([123]) });
  assertMatch(lines[1]!, /TK-02\n[^]*received {2}no Content-Type\n/);
});

test("[HT-01] the log names the path that was received and the expected URL, without secrets", async () => {
  const lines: string[] = [];
  const { code, get } = await testServer({
    issuer,
    plugins: [logging({ write: (line) => lines.push(line), format: "text" })],
  });
  await get("/oauth/token", asProgram);
  assertMatch(
    lines[0]!,
    /HT-01\n[^]*expected {2}http:\/\/localhost:9666\/oauth2\/token\n *received {2}http:\/\/localhost:9666\/oauth\/token\n/,
  );
  await get(`/${await code()}/token`, asProgram);
  assertMatch(lines.at(-1)!, /received {2}\S*\/…\(43\)\/token\n/);
});
