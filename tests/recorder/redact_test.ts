/** Masking: no secret is left in anything that is shown, and what is the same looks the same. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../src/devtools/mod.ts";
import type { Exchange } from "../../src/recorder/exchange.ts";
import { rememberIssued } from "../../src/server/redaction/issued_secrets.ts";
import { recorder } from "../../src/recorder/recorder.ts";
import { redactExchange, redactExchanges, redactFields, redactFlow, shorten } from "../../src/recorder/redact.ts";
import {
  basicHeader,
  fetchIntrospection,
  publicTokens,
  refreshTokens,
  testClients,
  userinfo,
  webTokens,
} from "../server/client_endpoints.ts";
import { openBrowser } from "../server/browser.ts";
import { basic, challenge, testServer, verifier } from "../kit.ts";
import { completeLogin, form, interactiveServer, recordedServer, send, tokenBody } from "./recorded_server.ts";
import type { RecordedServer } from "./recorded_server.ts";

/** Everything that a journey through all endpoints keeps secret. */
async function everySecret({ server, recorder }: RecordedServer): Promise<Set<string>> {
  const secrets = new Set<string>([verifier]);
  const keep = <T extends Record<string, unknown>>(members: T): T => {
    for (const [name, value] of Object.entries(members)) if (/_token$|^code$/.test(name)) secrets.add(String(value));
    return members;
  };
  const code = async (fields = {}) => keep({ code: await server.code(fields) }).code;
  const browser = openBrowser(server);
  keep({ ...await browser.login() });
  for (const cookie of browser.cookies.values()) secrets.add(cookie);
  const logoutPage = await (await browser.get("/oauth2/logout")).text();
  secrets.add(/name="confirm" value="([^"]+)"/.exec(logoutPage)![1]!);
  await browser.post("/oauth2/logout", { confirm: [...secrets].at(-1)! });
  const tokens = keep({ ...await publicTokens(server) });
  const next = keep({ ...await refreshTokens(server, tokens.refresh_token) });
  keep({ ...await webTokens(server) });
  await server.authorize({ response_mode: "form_post" });
  const posted = recorder.exchanges().at(-1)!.response!.authorizationResponse!.params;
  secrets.add(new Map(posted).get("code")!);
  await userinfo(server, next.access_token);
  await server.post("/oauth2/userinfo", { access_token: next.access_token });
  await fetchIntrospection(server, next.access_token);
  await server.post("/oauth2/revoke", { token: next.refresh_token, client_id: "spa" });
  await server.get(`/oauth2/logout?id_token_hint=${tokens.id_token}&state=s`);
  await server.post("/oauth2/token", { grant_type: "client_credentials" }, basicHeader("machine"));
  await server.post(
    "/oauth2/token",
    { grant_type: "password", username: "alice", password: "correct horse battery" },
    basicHeader("web"),
  );
  await server.post("/oauth2/token", { client_id: "poster", client_secret: "a-secret-that-is-wrong" });
  secrets.add("correct horse battery").add("a-secret-that-is-wrong");
  for (const { authorization } of [basicHeader("web"), basicHeader("machine")]) {
    secrets.add(authorization!.slice("Basic ".length));
  }
  // Now everything where it does not belong.
  const lost = await code();
  const { access_token, refresh_token } = tokens;
  await server.get(`/oauth2/token?code=${lost}&client_secret=${encodeURIComponent("a secret with spaces & more")}`);
  secrets.add("a secret with spaces & more");
  await server.authorize({ client_id: lost, state: refresh_token, nonce: access_token });
  await server.authorize({ redirect_uri: `https://spa.example/cb?code=${lost}#${refresh_token}`, login_hint: lost });
  await server.authorize({ scope: refresh_token, [lost]: "a" });
  await server.get(`/oauth2/${lost}?x=${refresh_token}`, {
    headers: { referer: `https://spa.example/cb?code=${lost}&state=s` },
  });
  await server.post("/oauth2/token", { grant_type: lost, scope: `read ${refresh_token}` }, { "user-agent": lost });
  await server.post("/oauth2/token", {}, basic(refresh_token, "web"));
  await server.get("/oauth2/userinfo", { headers: { authorization: lost, dpop: access_token } });
  await server.get("/oauth2/userinfo", { headers: { authorization: `Basic ${lost}` } });
  await send(
    server,
    "/oauth2/token",
    JSON.stringify({ code: lost, deep: [{ refresh_token }], text: lost }),
    "application/json",
  );
  await send(server, "/oauth2/token", `{"code":"${lost}`, "application/json");
  await send(server, "/oauth2/token", `${tokenBody({ code: lost, code_verifier: verifier })}&x=%zz`, form);
  return secrets;
}

function survivors(secrets: Iterable<string>, shown: unknown): string[] {
  const text = JSON.stringify(shown, (_, value) => value instanceof Error ? String(value) : value);
  return [...secrets].filter((secret) => text.includes(secret));
}

test("no secret survives redaction, in any parameter", async () => {
  const here = await recordedServer({ pages: true });
  const secrets = await everySecret(here);
  const exchanges = here.recorder.exchanges();
  assert(secrets.size > 20, `only ${secrets.size} secrets`);
  assertEquals(
    [...secrets].filter((one) => !survivors(secrets, exchanges).includes(one)),
    [],
    "a secret that is recorded nowhere proves nothing",
  );
  assertEquals(survivors(secrets, redactExchanges(exchanges)), []);
});

test("values entered by a user are redacted: the interaction, the CSRF token, the password", async () => {
  const asking = await interactiveServer();
  const callback = await completeLogin(asking);
  const shown = redactExchanges(asking.recorder.exchanges());
  const secrets = [
    "interaction-of-a-user-1",
    "form-token-of-interaction",
    "open sesame",
    callback.searchParams.get("code")!,
  ];
  assertEquals(survivors(secrets, shown), []);
  const [, asked, login] = shown;
  assertEquals(asked!.response!.body, undefined, "pages are left out");
  assertEquals(login!.request.form, [
    ["interaction", "inte…(23)"],
    ["form_token", "form…(37)"],
    ["sub", "…(5)"],
    ["password", "…(11)"],
  ]);
});

test("a single exchange is redacted by the names of its values, or by their format", async () => {
  const { server, recorder } = await recordedServer();
  const code = await server.code();
  await server.token({ code, scope: `x ${code}` });
  await server.get(`/oauth2/elsewhere?anything=${code}`);
  for (const exchange of recorder.exchanges()) {
    assertEquals(survivors([code, verifier], redactExchange(exchange)), []);
  }
});

test("the same value has the same mask everywhere, so that a sent code is recognisable as the issued one", async () => {
  const { server, recorder } = await recordedServer();
  const code = await server.code();
  const other = await server.code();
  await server.token({ code });
  const { exchanges } = redactFlow(recorder.flow("1")!);
  const [asked, exchanged] = exchanges as [Exchange, Exchange];
  const mask = new Map(exchanged.request.form).get("code");
  assertEquals(mask, `${code.slice(0, 4)}…(43)`);
  assertEquals(new Map(asked.response!.authorizationResponse!.params).get("code"), mask);
  assertStringIncludes(asked.response!.headers.location!, `?code=${mask}&state=st4te`);
  assertStringIncludes(exchanged.request.body!, `code=${mask}`);
  const elsewhere = redactFlow(recorder.flow("2")!).exchanges[0]!;
  assertEquals(new Map(elsewhere.response!.authorizationResponse!.params).get("code"), `${other.slice(0, 4)}…(43)`);
});

test("public values stay: clients, URIs, scope, state, challenges, rules, times, claims", async () => {
  const { server, recorder } = await recordedServer();
  const { access_token } = await publicTokens(server, { nonce: "n".repeat(43), state: "s".repeat(43) });
  await userinfo(server, access_token);
  await fetchIntrospection(server, access_token);
  const [asked, exchanged, info, introspection] = recorder.exchanges();
  const shown = redactExchanges(recorder.exchanges());
  assertEquals(shown[0]!.request.query, asked!.request.query);
  assertEquals(shown[0]!.passed, asked!.passed);
  assertEquals(shown[1]!.passed, exchanged!.passed);
  assertEquals(shown[2]!.response!.body, info!.response!.body);
  assertEquals(shown[3]!.response!.body, introspection!.response!.body);
  assertStringIncludes(JSON.stringify(shown), challenge);
  const form = new Map(shown[1]!.request.form);
  assertEquals([form.get("grant_type"), form.get("redirect_uri")], ["authorization_code", "https://spa.example/cb"]);
});

test("headers show client and scheme, but not the credentials", async () => {
  const { server, recorder } = await recordedServer();
  await server.token({ code: "c" }, { headers: basic("web", "a-long-enough-secret") });
  await userinfo(server, "x".repeat(20));
  await server.get("/oauth2/userinfo", {
    headers: { authorization: "Digest something", cookie: "a=1234567890123456; b=" },
  });
  await server.get("/oauth2/userinfo", { headers: { authorization: "Basic !!" } });
  await server.authorize();
  const shown = redactExchanges(recorder.exchanges()).map(({ request, response }) => ({
    ...request.headers,
    ...response!.headers,
  }));
  assertEquals(shown.slice(0, 4).map(({ authorization }) => authorization), [
    "Basic web:…(20)",
    "Bearer xxxx…(20)",
    "Digest …(9)",
    "Basic …(2)",
  ]);
  assertEquals(shown[2]!.cookie, "a=1234…(16); b=");
  assertMatch(shown[4]!["set-cookie"]!, /^__Host-latchkey_session=[\w-]{4}…\(\d+\); Path=\/; HttpOnly/);
});

test("a mask shows four characters of a long value, of a JWT those of its signature, of a short one or a secret none", () => {
  for (
    const [value, mask] of [
      ["abcdefghijklmnop", "abcd…(16)"],
      ["abcdefghijklmno", "…(15)"],
      ["eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.c2lnbmF0dXJl", "eyJ…c2ln…(49)"],
      ["eyJhbGciOiJub25lIn0.eyJpc3MiOiJ4In0.", "eyJ……(36)"],
    ] as const
  ) assertEquals(shorten(value, ""), mask);
  const jwt = `eyJhbGciOiJub25lIn0.${"x".repeat(20)}.${"y".repeat(20)}`;
  for (const label of ["password", "user", "client_secret", "secret", "api_key", "private_key", "credentials"]) {
    assertEquals([shorten("abcdefghijklmnop", label), shorten(jwt, label)], ["…(16)", "…(61)"], label);
  }
  assertEquals(redactFields([["code", "abcdefghijklmnop"], ["state", "abcdefghijklmnop"], ["code", ""]]), [
    ["code", "abcd…(16)"],
    ["state", "abcdefghijklmnop"],
    ["code", ""],
  ]);
});

test("JSON of any shape is redacted by its members, and what looks like JSON as a whole", async () => {
  const secret = "d".repeat(43);
  rememberIssued(secret);
  const bodies = [
    JSON.stringify({ code: secret, deep: [{ refresh_token: secret, text: `see ${secret}` }], n: [1, null, true] }),
    `{"code":"${secret}`,
    JSON.stringify([{ client_secret: secret }]),
    // A parser keeps the second one alone.
    `{"code":"${secret}","code":""}`,
    JSON.stringify("eyJhbGciOiJub25lIn0.eyJpc3MiOiJ4In0."),
  ];
  let count = 0;
  const { server, recorder } = await recordedServer({}, {
    handle: () => () =>
      Promise.resolve({ status: 200, headers: { "content-type": "application/json" }, body: bodies[count++]! }),
  });
  for (const _ of bodies) await server.get("/oauth2/jwks");
  assertEquals(redactExchanges(recorder.exchanges()).map(({ response }) => response!.body), [
    '{"code":"dddd…(43)","deep":[{"refresh_token":"dddd…(43)","text":"see dddd…(43)"}],"n":[1,null,true]}',
    "…(52)",
    '[{"client_secret":"…(43)"}]',
    '{"code":""}',
    '"eyJ……(36)"',
  ]);
});

test("JSON nested too deeply is treated as text, and no reader fails", async () => {
  const { server, recorder } = await recordedServer();
  const claims = '{"a":'.repeat(2500) + `"${"d".repeat(43)}"` + "}".repeat(2500);
  await server.authorize({ claims });
  assertEquals(survivors(["d".repeat(43)], redactExchanges(recorder.exchanges())), []);
});

test("redaction is idempotent", async () => {
  const here = await recordedServer();
  await everySecret(here);
  const once = redactExchanges(here.recorder.exchanges());
  assertEquals(redactExchanges(once), once);
});

test("a client is shown by its id, even if that is a UUID", async () => {
  const { server, recorder } = await recordedServer();
  const client_id = "0b9e3c52-7d41-4f0a-9f57-3b1d8a6c2e10";
  server.as.clients.set({ client_id, client_secret: "another-secret", redirect_uris: ["https://web.example/cb"] });
  await server.authorize({ client_id });
  await server.post("/oauth2/token", { grant_type: "x" }, basic(client_id, "a-long-enough-secret"));
  assertEquals(redactExchanges(recorder.exchanges()).map(({ client }) => client), [client_id, client_id]);
});

test("[HT-15, FL-03] a registered secret of up to three characters is hidden where a secret belongs, and in no sentence", async () => {
  const { server, recorder } = await recordedServer();
  for (const [client_secret, isHidden] of [["s", false], ["the", false], ["hush", true]] as const) {
    await server.as.clients.set({ client_id: "short", client_secret, redirect_uris: ["https://short.example/cb"] });
    await server.authorize({ client_id: "short", state: `keep the s hush` });
    await server.post("/oauth2/token", { client_id: "short", client_secret });
    const [authorization, token] = redactExchanges(recorder.exchanges()).slice(-2);
    const [, state] = authorization!.request.query.find(([name]) => name === "state")!;
    assertEquals(state, isHidden ? "keep the s …(4)" : "keep the s hush");
    assertStringIncludes(JSON.stringify(token), `["client_secret","…(${client_secret.length})"]`);
  }
});

test("[FL-03] registered secrets are redacted in any parameter, and so are values with secret names", async () => {
  const { server, recorder } = await recordedServer();
  await server.as.clients.set({
    client_id: "short",
    client_secret: "s3c+%/==",
    redirect_uris: ["https://short.example/cb"],
  });
  const secret = "s3c+%/==";
  const other = "hunter2";
  await server.authorize({ client_id: secret });
  await server.authorize({
    max_age: secret,
    login_hint: `me ${secret}`,
    scope: `openid ${secret}`,
    state: `${secret} x`,
  });
  await server.get(`/oauth2/token?x=${encodeURIComponent(secret)}`);
  await server.post("/oauth2/token", { secret: other, "client[secret]": other, Password: other, clientSecret: other });
  await server.post("/oauth2/token", { client_id: secret }, { referer: `https://user:${other}@app.example/` });
  await server.post("/oauth2/token", {}, { referer: `https://${other}@app.example/?api_key=${other}` });
  await server.post("/oauth2/token", {}, basic(secret, "short"));
  await server.post("/oauth2/token", {}, basic(other, "x"));
  await server.post("/oauth2/token", {}, { authorization: `Basic ${other}:short` });
  await send(server, "/oauth2/token", `client_secret%3D${other}%26grant_type%3Dx`, form);
  await send(server, "/oauth2/token", `client_secret%3D${other}`, "text/plain");
  await send(server, "/oauth2/token", `grant_type=authorization_code\nclient_secret=${other}\ncode=x`, form);
  await send(server, "/oauth2/token", `grant_type: x\r\nclient_secret=${other}`, "text/plain");
  await send(server, "/oauth2/token", JSON.stringify({ note: `use ${secret}`, secret: other }), "application/json");
  await send(server, "/oauth2/token", `client%5fsecret=${other}&x=%zz`, form);
  await send(server, "/oauth2/token", `x=client%5Fsecret%3D${other}&client%5Fsecret=${other}`, form);
  const exchanges = recorder.exchanges();
  const secrets = [secret, other];
  assertEquals(survivors(secrets, exchanges), secrets, "a secret that is recorded nowhere proves nothing");
  for (const shown of [redactExchanges(exchanges), ...exchanges.map((one) => redactExchange(one))]) {
    assertEquals(survivors(secrets, shown), []);
  }
  assertEquals(redactExchanges(exchanges).map(({ request }) => request.headers.authorization).filter(Boolean), [
    "Basic …(8):…(5)",
    "Basic …(7):…(1)",
    "Basic …(7):…(5)",
  ]);
  assertEquals(redactExchange(exchanges[1]!).request.query.filter(([name]) => name === "state"), [["state", "…(8) x"]]);
});

test("[FL-03] deeply nested pairs in a value are masked as a whole, and every page and export shows them", async () => {
  const record = recorder();
  const server = await testServer({ ...testClients, plugins: [record, inspector({ recorder: record })] });
  const nested = "a%3D".repeat(16_000);
  await send(server, "/oauth2/token", `x=${nested}`, form);
  await send(server, "/oauth2/token", `${nested}=x`, form);
  await send(server, "/oauth2/token", `x=${("a".repeat(200) + "%3d").repeat(300)}`, form);
  await send(server, "/oauth2/token", `x=${"?a%3D{".repeat(8000)}`, form);
  await send(server, "/oauth2/token", "a=".repeat(16_000), "text/plain");
  await server.get(`/nope?x=${nested}&code=abc${encodeURIComponent("😀")}${"a".repeat(20)}`);
  await server.get(`/nope?x=code%3Dabc${encodeURIComponent("😀")}${"a".repeat(20)}`);
  await server.get(`/nope?x=a%3Db%3Fc%3Dd%26client_secret%3Dhunter2`);
  const paths = record.flows().flatMap(({ id }) => ["", ".md"].map((end) => `/flows/${id}${end}`));
  assertEquals(paths.length, 2 * 8);
  for (const path of ["/flows", ...paths]) {
    const response = await server.get(path);
    assertEquals(response.status, 200, path);
    assert((await response.text()).length < 500_000, path);
  }
  const [deep, ...others] = redactExchanges(record.exchanges());
  assertEquals(deep!.request.form, [["x", "…(32000)"]]);
  assertEquals(survivors(["hunter2"], others), []);
});

test("an exchange that cannot be redacted is shown without anything that the client sent", async () => {
  const { server, recorder } = await recordedServer();
  await server.post("/oauth2/token", { client_id: "spa", code: "a-code-of-the-client", note: "hunter2" });
  const redactSecret = () => {
    throw new RangeError("too deep");
  };
  const shown = redactExchange(recorder.exchanges()[0]!, { redactSecret });
  assertEquals(survivors(["a-code-of-the-client", "hunter2"], shown), []);
  assertEquals(shown.response!.status, 400);
});
