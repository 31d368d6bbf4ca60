/** Redaction of requests that are made to hide a secret from it, or to keep it busy. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { redactText } from "../../src/server/redaction/redact.ts";
import {
  commonLabel,
  decodeFormValue,
  hideInText,
  lastWord,
  maskLength,
} from "../../src/server/redaction/hide_secrets.ts";
import { randomBytes } from "../../src/core/keys/crypto.ts";
import { randomToken } from "../../src/core/keys/secrets.ts";
import { rememberingRandom } from "../../src/server/redaction/issued_secrets.ts";
import type { Exchange } from "../../src/recorder/exchange.ts";
import { redactExchanges, redactFlow } from "../../src/recorder/redact.ts";
import { parseRequest } from "../../src/recorder/record_request.ts";
import { cpuTimeOf } from "../until.ts";
import { form, recordedServer, send, tokenBody } from "./recorded_server.ts";

function exchange(body: string, type: string, headers: Readonly<Record<string, string>> = {}): Exchange {
  const head = { method: "POST", path: "/oauth2/token", query: "", headers: { ...headers, "content-type": type } };
  return {
    ...{ number: 1, at: 0, endpoint: "token", title: "Token request", caller: "client", outcome: "rejected" },
    request: parseRequest(head, { text: body, complete: true }),
    ...{ passed: [], warnings: [], events: [], faults: [] },
  };
}

function redacted(body: string, type: string, headers?: Readonly<Record<string, string>>): string {
  return JSON.stringify(redactExchanges([exchange(body, type, headers)]));
}

test("[FL-03] JSON sent as a form, cut JSON and JSON with other quotes are redacted by their members", () => {
  const secret = "hunter2";
  const bodies = [
    JSON.stringify({ redirect_uri: "https://web.example/cb?a=b&c=d", client_secret: secret }),
    JSON.stringify({ redirect_uri: "https://web.example/cb?a=b&c=d", client_secret: [secret] }),
    `{"client_secret":["${secret}"`,
    `{"client_secret":"${secret}\\`,
    `{'client_secret': '${secret}'}`,
    `{client_secret: "${secret}"}`,
    JSON.stringify({ client_secret: { value: secret } }),
    JSON.stringify({ note: JSON.stringify({ client_secret: secret }) }),
    `state=${encodeURIComponent(JSON.stringify({ client_secret: secret }))}`,
    `x=${encodeURIComponent(JSON.stringify([{ client_secret: secret }]))}`,
  ];
  for (const body of bodies) {
    for (const type of [form, "application/json"]) assert(!redacted(body, type).includes(secret), `${type} ${body}`);
  }
});

test("[FL-03] a secret in JSON is hidden behind a name with escaped characters, at any depth", () => {
  const member = String.raw`{"client\u005fsecret":"hunter2"}`;
  for (const text of [member, "[".repeat(9000) + member + "]".repeat(9000)]) {
    assert(!redacted(text, "application/json").includes("hunter2"), text.slice(0, 80));
    assert(!redactText(text).includes("hunter2"), text.slice(0, 80));
  }
});

test("[FL-03] strings and names of JSON members are searched for pairs; long public names stay", () => {
  const secret = "hunter2";
  const uri = `https://web.example/cb?client_secret=${secret}`;
  const bodies = [{ redirect_uris: [uri] }, { a: `u=${encodeURIComponent(uri)}` }, { [`client_secret=${secret}`]: 1 }];
  for (const body of bodies) assert(!redacted(JSON.stringify(body), "application/json").includes(secret));
  const name = "authorization_response_iss_parameter_supported";
  assertStringIncludes(redacted(JSON.stringify({ [name]: true }), "application/json"), name);
});

test("[FL-03] a declared name is secret in any spelling; of an unknown parameter the first 80 characters are shown", () => {
  const value = "0b9e3c52-7d41-4f0a-9f57-3b1d8a6c2e10";
  for (const name of ["accessToken", "Refresh-Token", "client[secret]", "CODE", "code verifier", "client%5Fsecret"]) {
    assert(!redacted(`${encodeURIComponent(name)}=${value}`, form).includes(value), name);
    assert(!redactText(`/oauth2/token?a=b ${name.replace(" ", "_")}=${value}`).includes(value), `${name} in a log`);
  }
  for (const name of ["token_type", "token_type_hint", "subject_token_type", "user_code", "note"]) {
    assertStringIncludes(redacted(`${name}=bearer`, form), `${name}=bearer`);
    assertStringIncludes(redacted(`${name}=${"ab ".repeat(40)}`, form), `${"ab ".repeat(26)}ab…(120)`);
  }
});

test("[FL-03] a cookie without a name is redacted; an empty one stays empty", () => {
  const shown = redacted("a=b", form, { cookie: "hunter2; b=" });
  assertStringIncludes(shown, '"cookie":"…(7); b="');
});

test("[FL-03] a secret instead of a scheme or of the name of a cookie is redacted; a scheme with a wrong sign stays", () => {
  const secret = randomToken(rememberingRandom(randomBytes));
  for (const [name, value] of [["authorization", `${secret} x`], ["cookie", `${secret}=x; a=b`]] as const) {
    assert(!redacted("a=b", form, { [name]: value }).includes(secret), name);
  }
  assert(!redacted("a=b", form, { authorization: "hunter2 x" }).includes("hunter2"));
  assertStringIncludes(redacted("a=b", form, { authorization: "Bearer: hunter2" }), '"authorization":"Bearer: …(7)"');
});

test("[FL-03] a part of a multipart form with a declared name is redacted", () => {
  const part = (name: string, value: string) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const type = "multipart/form-data; boundary=x";
  assert(!redacted(`${part("code_verifier", "hunter2")}--x--`, type).includes("hunter2"));
  assertStringIncludes(redacted(`${part("note", "hello")}--x--`, type), "hello");
});

test("[FL-03] the last word of a cut text is found in linear time", async () => {
  const text = "a".repeat(100_000) + " ";
  assert(await cpuTimeOf(() => text.replace(lastWord, "…")) < 500);
  assertEquals(["a b".replace(lastWord, "…"), "a ".replace(lastWord, "…"), "ab".replace(lastWord, "…")], [
    "a …",
    "a …",
    "…",
  ]);
});

test("malformed values are recognized without decoding, except the characters that UTF-8 cannot encode", () => {
  for (
    const text of ["%", "a%", "%4", "%zz", "%ff", "%80", "%c3", "%c3a", "%e2%82", "%c3%a4%80", "%ed%a0%80", "%c0%80"]
  ) {
    assertEquals(decodeFormValue(text), text);
  }
  assertEquals(decodeFormValue("a+%C3%A4%e2%82%ac%F0%9F%98%80%2B"), "a ä€😀+");
});

test("[FL-03] of a long text no more than 4,096 characters are searched and shown, and no part of a word", async () => {
  const { server, recorder } = await recordedServer();
  const redirect_uris = ["https://web.example/cb"];
  await server.as.clients.set({ client_id: "new", client_secret: "hunter2-hunter2", redirect_uris });
  await server.as.clients.set({ client_id: "words", client_secret: "correct horse; hunter battery", redirect_uris });
  const [start, secret] = ["word ".repeat(818), "hunter2-hunter2"];
  const texts = [
    start + secret,
    `${start}correct horse; hunter battery`,
    `${"word ".repeat(812)}client_secret="hunter of words" ${start}`,
    `${"word ".repeat(816)}client_secret="hunter of words" ${start}`,
    `${start}${secret} ${"%41".repeat(18_000)}`,
    "%2541%2520".repeat(6000),
    `{"a":"${start}"}`,
  ];
  for (const text of texts) {
    for (const name of ["state", "unknown"]) await send(server, "/oauth2/token", `${name}=${text}`, form);
    await send(server, "/oauth2/token", text, "text/plain");
    await server.get(`/nope/${text.slice(0, 8000)}`);
  }
  const shown = redactExchanges(recorder.exchanges()).map(({ request }) => request);
  assertEquals(shown.length, 4 * texts.length);
  for (const { path, form, body = "" } of shown) {
    for (const text of [path, body, ...form.flat()]) assert(text.length <= 4200 && !text.includes("hunter"), text);
  }
});

test("[FL-03] an exchange with more words than are searched for registered secrets is cut, in short time", async () => {
  const { server, recorder } = await recordedServer();
  const redirect_uris = ["https://web.example/cb"];
  await server.as.clients.set({ client_id: "new", client_secret: "hunter2", redirect_uris });
  const word = (i: number) => `${i}%2525252541%3d`;
  for (let request = 0; request < 10; request++) {
    const words = Array.from({ length: 3000 }, (_, i) => word(request * 3000 + i)).join("");
    await send(server, "/oauth2/token", `x=${words}+hunter2&y=hunter2`, form);
  }
  let shown = "";
  // Searching every word in each of its encodings took three seconds.
  assert(await cpuTimeOf(() => shown = JSON.stringify(redactExchanges(recorder.exchanges()))) < 1500);
  assert(!shown.includes("hunter2"));
});

test("a flow is redacted once, however often a page shows it, until it or a client changes", async () => {
  const { server, recorder } = await recordedServer();
  await server.authorize({ login_hint: "hunter2" });
  const [flow] = recorder.flows();
  const { exchanges } = redactFlow(flow!);
  assert(recorder.flow(flow!.id) !== flow && redactFlow(recorder.flow(flow!.id)!).exchanges[0] === exchanges[0]);
  const code = new Map(flow!.exchanges[0]!.response!.authorizationResponse!.params).get("code")!;
  await send(server, "/oauth2/token", tokenBody({ code }), form);
  assertEquals(redactFlow(recorder.flow(flow!.id)!).exchanges.length, 2);
  assertStringIncludes(JSON.stringify(redactFlow(recorder.flow(flow!.id)!)), "hunter2");
  const redirect_uris = ["https://web.example/cb"];
  await server.as.clients.set({ client_id: "new", client_secret: "hunter2", redirect_uris });
  assert(!JSON.stringify(redactFlow(recorder.flow(flow!.id)!)).includes("hunter2"));
});

test("a host with a port is shown, also if its first label is a declared name", () => {
  const redaction = { label: commonLabel, mask: maskLength, known: (text: string) => text };
  for (const host of ["code", "token", "secret"]) {
    const uri = `https://${host}.example.com:8443/cb`;
    assertEquals(hideInText(uri, redaction), uri);
  }
  assertEquals(hideInText("oauth.client_secret: hunter2", redaction), "oauth.client_secret: …(7)");
});

test("a word before a colon that ends like a declared name hides nothing, and a declared name with a value does", () => {
  const redaction = { label: commonLabel, mask: maskLength, known: (text: string) => text };
  const shown = [
    "AssertionError [ERR_ASSERTION]: the store is closed",
    "invalid_token: the token has expired",
    "http://csrf-token:3000/calback",
    "com.example.onepassword:/oauth/callback",
    '{"id_token":{"acr":{"essential":true,"values":["urn:mace:incommon:iap:silver"]}}}',
  ];
  for (const text of shown) assertEquals(hideInText(text, redaction), text);
  assertEquals(hideInText("a=b&refresh_token=hunter2", redaction), "a=b&refresh_token=…(7)");
  assertEquals(hideInText('log: "refresh_token": "hunter2", x', redaction), 'log: "refresh_token": "…(11)');
});
