/** The profile next-2026.11 (group NX). */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { checkReadiness } from "../../src/check/mod.ts";
import { nextRules } from "../../src/recorder/practices/next_rules.ts";
import { ConfigurationError } from "../../src/mod.ts";
import { LoginError } from "../../src/testing/mod.ts";
import { latchkey } from "../secret_leak_check.ts";
import { testLatchkey } from "./test_latchkey.ts";

const metadataOf = async (as: { fetch(path: string): Promise<Response> }) =>
  await (await as.fetch("/.well-known/openid-configuration")).json();

const jwtClient = { token_endpoint_auth_method: "private_key_jwt" } as const;

/** The rules by readiness. */
async function readinessOf(as: Parameters<typeof checkReadiness>[0]) {
  const report = await checkReadiness(as);
  const ids = (wanted: string) => report.results.filter(({ readiness }) => readiness === wanted).map(({ id }) => id);
  return { report, ready: ids("ready"), notReady: ids("not ready") };
}

test("[NX-01] next-2026.11 requires a method of the challenge and the issuer as audience, and no registration", async () => {
  await using today = await testLatchkey();
  await using as = await testLatchkey({ profile: "next-2026.11" });
  const withoutMethod = { authorization: { code_challenge_method: undefined, code_challenge: "x".repeat(43) } };
  await assertRejects(() => as.logIn(as.client({ confidential: true }), withoutMethod));
  const [before, metadata] = [await metadataOf(today), await metadataOf(as)];
  assertEquals([before.registration_endpoint === undefined, metadata.registration_endpoint], [false, undefined]);
  assertEquals(metadata.client_id_metadata_document_supported, true);
  assertEquals(metadata.authorization_response_iss_parameter_supported, true);
  assert(metadata.token_endpoint_auth_methods_supported.includes("client_secret_post"));
  const { callback } = await as.logIn(as.client({ token_endpoint_auth_method: "client_secret_post" }));
  assertEquals(callback.params.get("iss"), as.issuer);
  await assertRejects(
    () => latchkey({ profile: "next-2026.11", assertionAudience: "issuer-or-token-endpoint" }),
    ConfigurationError,
    "November 2026",
  );
  await assertRejects(
    () => latchkey({ profile: "next-2026.11", metadata: { authorization_response_iss_parameter_supported: false } }),
    ConfigurationError,
    "RFC 9207",
  );
  await assertRejects(
    () => latchkey({ profile: "next-2026.11", clientAuthMethods: ["client_secret_basic", "none"] }),
    ConfigurationError,
    "client_secret_post too",
  );
  for (const mode of ["open", "token"] as const) {
    await assertRejects(
      () => latchkey({ profile: "next-2026.11", registration: { mode, initialAccessTokens: ["a-long-random-token"] } }),
      ConfigurationError,
      `registration.mode\n  Expected "off", because the profile is next-2026.11 (MCP authorization 2026-07-28, ` +
        `Dynamic Client Registration), found "${mode}".\n  Remove the setting, or the profile.`,
    );
  }
});

test("[NX-01, DR-12] a rejected registration names the profile, and advises what the profile allows", async () => {
  await using as = await testLatchkey({ profile: "next-2026.11" });
  const { message, explanation } = await assertRejects(() => as.register(), LoginError);
  assertStringIncludes(message, "registration is off, by the profile next-2026.11");
  assertMatch(explanation!.fix!, /client ID metadata document/);
  assert(!/registration\.mode|initialAccessTokens/.test(message + explanation!.fix), message);
});

test("[NX-02] under next-2026.11 the refresh token of a public client is rotated", async () => {
  await using as = await testLatchkey({ profile: "next-2026.11" });
  const client = as.client();
  const { tokens } = await as.logIn(client);
  const refreshed = await as.refresh(client, tokens.refresh_token!);
  assert(refreshed.refresh_token !== undefined && refreshed.refresh_token !== tokens.refresh_token);
  await assertRejects(() => as.refresh(client, tokens.refresh_token!));
  for (const profile of ["next-2026.11", ["keycloak", "next-2026.11"]] as const) {
    const refresh = profile === "next-2026.11" ? { reuse: "same" } as const : undefined;
    await assertRejects(() => latchkey({ profile, refresh }), ConfigurationError, "refresh.reuse");
  }
});

test("[NX-03] next-2026.11:warn lets everything pass, and reports what is ready by rule", async () => {
  await using as = await testLatchkey({ profile: "next-2026.11:warn" });
  assertEquals(await metadataOf(as), await metadataOf(await testLatchkey()));
  const client = as.client({ confidential: true });
  const { tokens } = await as.logIn(client);
  await as.refresh(client, tokens.refresh_token!);
  const good = await readinessOf(as);
  assertEquals([good.report.ready, good.notReady], [true, []], String(good.report));
  for (const id of ["pkce-used", "pkce-s256", "secret-in-body", "no-dynamic-registration"]) {
    assert(good.ready.includes(id), id);
  }
  await as.register({ redirect_uris: ["https://client.test/callback"] });
  const bad = await readinessOf(as);
  assertEquals(bad.notReady, ["no-dynamic-registration"]);
  for (const part of ["not ready", "MCP authorization 2026-07-28, 2026-07", "registers itself"]) {
    assertStringIncludes(String(bad.report), part);
  }
  const without = { code_challenge: undefined, code_challenge_method: undefined };
  await as.logIn(client, { authorization: { ...without, nonce: undefined } }).catch(() => {});
  const { report } = await readinessOf(as);
  assertStringIncludes(String(report), "a code challenge, or a nonce if the client authenticates");
});

test("[NX-03] an access token in a form is ready, which the draft and the profile allow; one in the query is not ready", async () => {
  for (const profile of ["next-2026.11", "next-2026.11:warn"] as const) {
    await using as = await testLatchkey({ profile });
    const { tokens: { access_token } } = await as.logIn(as.client());
    const body = new URLSearchParams({ access_token });
    assertEquals((await as.fetch("/oauth2/userinfo", { method: "POST", body })).status, 200);
    const { report, ready } = await readinessOf(as);
    assert(ready.includes("token-in-header"), String(report));
    assertMatch(String(report), / ready +token-in-header .*: the request has the token in the body \(request \d+\)$/);
    await as.fetch(`/oauth2/userinfo?${body}`, { method: "POST", body });
    assertEquals((await readinessOf(as)).notReady, ["token-in-header"]);
  }
});

test("[NX-03] a token request without redirect_uri is ready, and one with another is not", async () => {
  await using as = await testLatchkey({ profile: "next-2026.11:warn", tokenRedirectUri: "optional" });
  await as.logIn(as.client(), { token: { redirect_uri: undefined } });
  assert((await readinessOf(as)).ready.includes("redirect-uri-exact"));
  await as.logIn(as.client(), { token: { redirect_uri: "https://client.test/other" } }).catch(() => {});
  assertEquals((await readinessOf(as)).notReady, ["redirect-uri-exact"]);
});

test("[NX-03] each line of the report says what was seen in which request, or the fix, or what would show it", async () => {
  await using as = await testLatchkey({ profile: "next-2026.11:warn" });
  const client = as.client({ token_endpoint_auth_method: "client_secret_basic" });
  await as.logIn(client);
  await as.register({ redirect_uris: ["https://client.test/callback"] });
  const { report } = await readinessOf(as);
  const lines = String(report).split("\n").map((line) => line.trim().replace(/ +/g, " "));
  const after = (start: string) => lines.slice(lines.findIndex((line) => line.startsWith(start)) + 1);
  const line = (start: string) => lines.find((one) => one.startsWith(start));
  assertEquals(
    line("ready secret-in-body"),
    "ready secret-in-body (draft-ietf-oauth-v2-1-16, 2026-09): " +
      "the client sends its secret by HTTP Basic, which a server may leave out (request 2)",
  );
  assertEquals(line("ready pkce-s256"), "ready pkce-s256 (draft-ietf-oauth-v2-1-16, 2026-09): seen in 1 request");
  assertEquals(
    line("not tested assertion-typed"),
    "not tested assertion-typed (RFC 10070, 2026-11): a client assertion would show it",
  );
  const [, received, fix] = after("not ready no-dynamic-registration");
  assertMatch(received!, /^received: the client registers itself \(request 3\)\.$/);
  assertMatch(fix!, /^fix: Publish a client ID metadata document/);
  const result = report.results.find(({ id }) => id === "no-dynamic-registration")!;
  assertEquals([`fix: ${result.fix}`, result.request], [fix, 3]);
});

test("[NX-03] an assertion for the token endpoint, and one without a type, is not ready", async () => {
  await using as = await testLatchkey({ profile: "next-2026.11:warn" });
  const client = as.client(jwtClient);
  await as.logIn(client);
  const { report, ready, notReady } = await readinessOf(as);
  assert([...ready, ...notReady].includes("assertion-for-issuer"), String(report));
  const { token_endpoint } = await metadataOf(as);
  const { client_id } = client;
  const parts = [{ alg: "ES256" }, { iss: client_id, sub: client_id, aud: token_endpoint }];
  const assertion = [...parts.map((part) => btoa(JSON.stringify(part)).replaceAll("=", "")), "c2ln"].join(".");
  await as.fetch("/oauth2/token", {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: assertion,
    }),
  });
  assert((await readinessOf(as)).notReady.includes("assertion-for-issuer"));
});

test("each rule of next-2026.11 has a document with its month", () => {
  for (const { id, draft, date, sources } of nextRules) {
    assert(/^(draft-ietf-oauth-[a-z0-9-]+-\d\d|RFC \d{5}|MCP authorization \d{4}-\d\d-\d\d)$/.test(draft), id);
    assert(/^20\d\d-\d\d$/.test(date) && sources[0]!.startsWith(draft), id);
  }
});
