/** Revocation: a client gives a token back, and only its own (group RV). */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type LatchkeyOptions, memoryStore } from "../../../src/mod.ts";
import { sqliteStore } from "../../../src/core/store/sqlite.ts";
import {
  assertAcceptsFormsOnly,
  assertAuthenticatesClients,
  assertCors,
  assertParametersOnce,
  basicHeader,
  confidentialClient,
  fetchIntrospection,
  getRevokedGrants,
  isActive,
  publicClient,
  publicTokens,
  refresh,
  refreshTokens,
  testClients,
  userinfo,
  webTokens,
} from "../client_endpoints.ts";
import { basic, decodeClaims, forEachCase, getOutcome, getRejections, observedStore, testServer } from "../../kit.ts";
import type { Fields, TestServer } from "../../kit.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-revoke-"));
after(() => rmSync(folder, { recursive: true }));

/** The test clients; `web` and `spa` have tokens of both forms. */
function withFormat(access_token_format: "jwt" | "opaque"): LatchkeyOptions {
  const changed = [confidentialClient("web", { access_token_format }), publicClient("spa", { access_token_format })];
  const others = testClients.clients.filter(({ client_id }) =>
    !changed.some((client) => client.client_id === client_id)
  );
  return { ...testClients, clients: [...changed, ...others] };
}

/** Revokes, by default as `spa`; every response except a rejection is the same. */
async function revoke(
  b: TestServer,
  token: string,
  fields: Fields = {},
  headers: Record<string, string> = {},
): Promise<void> {
  const client_id = "authorization" in headers ? undefined : "spa";
  const response = await b.post("/oauth2/revoke", { client_id, token, ...fields }, headers);
  assertEquals([response.status, await response.text()], [200, "{}"]);
  assertEquals(response.headers.get("content-type"), "application/json");
  assertEquals(response.headers.get("cache-control"), "no-store");
  assertEquals(response.headers.get("www-authenticate"), null);
}

test("[RV-01] a missing token is 400 invalid_request for every client", async () => {
  const b = await testServer(testClients);
  await forEachCase<Fields>(
    [{}, { token: "" }, { "token ": "x", Token: "x" }, { token_type_hint: "refresh_token" }],
    async (fields) => {
      assertEquals(
        await getOutcome(await b.post("/oauth2/revoke", { client_id: "spa", ...fields })),
        "400 invalid_request",
      );
      assertEquals(
        await getOutcome(await b.post("/oauth2/revoke", fields, basicHeader("web"))),
        "400 invalid_request",
      );
    },
  );
});

test("[RV-01, CA-01, CA-16, CC-01] every client may revoke, only by its own method", async () => {
  const b = await testServer(testClients);
  await revoke(b, "x");
  await revoke(b, "x", {}, basicHeader("web"));
  await revoke(b, "x", { client_id: "web" }, basicHeader("web"));
  await revoke(b, "x", {}, basicHeader("machine"));
  await revoke(b, "x", { client_id: "poster", client_secret: "poster-secret" });
  const { refresh_token } = await webTokens(b);
  await assertAuthenticatesClients(b, { path: "/oauth2/revoke", fields: { token: refresh_token }, headers: {} });
  assert(getRejections(b.events).every(({ endpoint }) => endpoint === "/oauth2/revoke"));
  assertEquals(getRevokedGrants(b), []);
  await refreshTokens(b, refresh_token, {}, basicHeader("web"));
});

test("[RV-01, TK-02, TK-03, TK-04] revocation accepts only POST with a form, each parameter once", async () => {
  const b = await testServer(testClients);
  for (const headers of [basicHeader("web"), basicHeader("machine")]) {
    await assertAcceptsFormsOnly(b, { path: "/oauth2/revoke", fields: { token: "x" }, headers });
    await assertParametersOnce(b, { path: "/oauth2/revoke", fields: { token: "x" }, headers });
  }
});

test("[HT-04] scripts of every origin may revoke and read the response", async () => {
  await assertCors(await testServer(testClients), {
    path: "/oauth2/revoke",
    fields: { token: "x" },
    headers: basicHeader("web"),
  });
});

test("[RV-02] an unknown token is 200 like any other, and writes nothing", async () => {
  const writes: string[] = [];
  const store = observedStore(memoryStore(), (verb) => verb !== "get" && writes.push(verb));
  const b = await testServer({ ...testClients, store });
  const { access_token, refresh_token, id_token } = await publicTokens(b);
  const code = await b.code();
  const [header, payload, signature] = access_token.split(".") as [string, string, string];
  const none = btoa('{"alg":"none","typ":"at+jwt"}').replaceAll("=", "");
  writes.length = 0;
  await forEachCase([
    ...["x", ".", "..", "...", "a.b.c", "__proto__", "constructor", "null", "%00", "\0", "🔑", "a".repeat(60_000)],
    ...[`${header}.${payload}.`, `${header}.${payload}`, `${none}.${payload}.`, `${none}.${payload}.${signature}`],
    ...[`${header}.e30.${signature}`, `${access_token}.x`, ` ${access_token}`, `${refresh_token} `],
    ...[refresh_token.slice(1), refresh_token.toUpperCase(), id_token, code],
  ], async (token) => {
    await revoke(b, token);
    await revoke(b, token, {}, basicHeader("web"));
  });
  assertEquals([writes, getRevokedGrants(b), getRejections(b.events)], [[], [], []]);
  assert(await isActive(b, access_token));
  assertEquals(await getOutcome(await b.token({ code })), "200");
  await refreshTokens(b, refresh_token);
});

test("[RV-02] expired and already revoked tokens are 200 again", async () => {
  for (const format of ["jwt", "opaque"] as const) {
    const b = await testServer(withFormat(format));
    const { access_token, refresh_token } = await publicTokens(b);
    for (let i = 0; i < 3; i++) await revoke(b, access_token);
    for (let i = 0; i < 3; i++) await revoke(b, refresh_token);
    const late = await publicTokens(b);
    b.advance(3600);
    await revoke(b, late.access_token);
    b.advance(31 * 86_400);
    await revoke(b, late.refresh_token);
    await revoke(b, refresh_token);
    assertEquals(getRejections(b.events), []);
  }
});

test("[RV-03] a token_type_hint never matters: right, wrong, unknown, empty or absent", async () => {
  const b = await testServer(testClients);
  await forEachCase(
    [
      "access_token",
      "refresh_token",
      "bogus",
      "",
      undefined,
      "id_token",
      "ACCESS_TOKEN",
      "__proto__",
      "x".repeat(1000),
    ],
    async (token_type_hint) => {
      const one = await publicTokens(b);
      await revoke(b, one.refresh_token, { token_type_hint });
      assertEquals(await getOutcome(await refresh(b, one.refresh_token)), "400 invalid_grant");
      const two = await publicTokens(b);
      await revoke(b, two.access_token, { token_type_hint });
      assertEquals(await isActive(b, two.access_token), false);
    },
  );
});

test("[RV-04] another client's token stays valid, with the usual response", async () => {
  for (const format of ["jwt", "opaque"] as const) {
    const b = await testServer(withFormat(format));
    const [spa, web] = [await publicTokens(b), await webTokens(b)];
    const consumed = spa.refresh_token;
    const next = await refreshTokens(b, consumed);
    for (const token of [spa.access_token, consumed, next.refresh_token, next.access_token]) {
      await revoke(b, token, { client_id: "other" });
      await revoke(b, token, {}, basicHeader("web"));
      await revoke(b, token, {}, basicHeader("api"));
      await revoke(b, token, { client_id: "poster", client_secret: "poster-secret" });
    }
    for (const token of [web.access_token, web.refresh_token]) {
      await revoke(b, token);
      await revoke(b, token, {}, basicHeader("web2"));
      assertEquals(
        await getOutcome(await b.post("/oauth2/revoke", { token, client_id: "web" })),
        "401 invalid_client",
      );
      const wrong = await b.post("/oauth2/revoke", { token, client_id: "web" }, basicHeader("web2"));
      assertEquals(await getOutcome(wrong), "400 invalid_request");
    }
    assertEquals([getRevokedGrants(b), b.events.filter(({ type }) => type === "token_revoked")], [[], []]);
    for (const { access_token } of [spa, next, web]) {
      assert(await isActive(b, access_token));
      assertEquals((await userinfo(b, access_token)).status, 200);
    }
    await refreshTokens(b, next.refresh_token);
    await refreshTokens(b, web.refresh_token, {}, basicHeader("web"));
  }
});

test("[RV-05] a refresh token revokes its grant with every token, and no other grant", async () => {
  for (const format of ["jwt", "opaque"] as const) {
    // The newest one, and an exchanged one: the client may revoke both.
    for (const which of [2, 0]) {
      const b = await testServer(withFormat(format));
      const chain = [await publicTokens(b)];
      for (let i = 0; i < 2; i++) chain.push(await refreshTokens(b, chain.at(-1)!.refresh_token));
      const bystander = await publicTokens(b);
      await revoke(b, chain[which]!.refresh_token);
      assertEquals(getRevokedGrants(b).length, 1);
      for (const { access_token, refresh_token } of chain) {
        assertEquals(await fetchIntrospection(b, access_token), { active: false });
        assertEquals(await fetchIntrospection(b, access_token, "web"), { active: false });
        assertEquals((await userinfo(b, access_token)).status, 401);
        assertEquals(await getOutcome(await refresh(b, refresh_token)), "400 invalid_grant");
      }
      assert(await isActive(b, bystander.access_token));
      await refreshTokens(b, bystander.refresh_token);
    }
  }
});

test("[RV-05] the same for a confidential client, whose refresh token is revoked with all access tokens", async () => {
  const b = await testServer(testClients);
  const first = await webTokens(b);
  const second = await refreshTokens(b, first.refresh_token, {}, basicHeader("web"));
  await revoke(b, first.refresh_token, {}, basicHeader("web"));
  for (const { access_token } of [first, second]) assertEquals(await isActive(b, access_token), false);
  assertEquals(await fetchIntrospection(b, first.refresh_token, "web"), { active: false });
  assertEquals(await getOutcome(await refresh(b, first.refresh_token, {}, basicHeader("web"))), "400 invalid_grant");
});

test("[RV-05] an access token alone is revoked immediately; its refresh token continues and issues new ones", async () => {
  for (const format of ["jwt", "opaque"] as const) {
    const b = await testServer(withFormat(format));
    const first = await publicTokens(b);
    const second = await refreshTokens(b, first.refresh_token);
    await revoke(b, first.access_token);
    assertEquals(await fetchIntrospection(b, first.access_token), { active: false });
    assertEquals((await userinfo(b, first.access_token)).status, 401);
    assert(await isActive(b, second.access_token));
    assertEquals((await userinfo(b, second.access_token)).status, 200);
    const third = await refreshTokens(b, second.refresh_token);
    assert(await isActive(b, third.access_token));
    const logged = b.events.filter((event) => event.type === "token_revoked");
    assertEquals(logged.map(({ client }) => client), ["spa"]);
    assertEquals(getRevokedGrants(b), []);
  }
});

test("[RV-05] a revoked token stays revoked until its expiry, even after expired records are deleted", async () => {
  for (const format of ["jwt", "opaque"] as const) {
    const b = await testServer({ ...withFormat(format), lifetimes: { access_token: 40 * 86_400, refresh_token: 100 } });
    const [one, two] = [await publicTokens(b), await publicTokens(b)];
    await revoke(b, one.access_token);
    await revoke(b, two.refresh_token);
    for (const seconds of [1, 98, 2, 100, 40 * 86_400 - 202, 0.999]) {
      b.advance(seconds);
      await b.get("/");
      for (const { access_token } of [one, two]) assertEquals(await isActive(b, access_token), false);
    }
  }
});

test("[RV-05] concurrent revocation and refresh leave no valid token", async () => {
  for (let round = 0; round < 10; round++) {
    const b = await testServer(testClients);
    const { refresh_token } = await publicTokens(b);
    const [result] = await Promise.all([refresh(b, refresh_token), revoke(b, refresh_token)]);
    if (result.status !== 200) continue;
    const late = await result.json();
    assertEquals(await isActive(b, late.access_token), false);
    assertEquals(await getOutcome(await refresh(b, late.refresh_token)), "400 invalid_grant");
  }
});

test("[RV-05] a code whose grant was revoked through its tokens stays invalid", async () => {
  const b = await testServer(testClients);
  const code = await b.code();
  const { refresh_token } = await (await b.token({ code })).json();
  await revoke(b, refresh_token);
  assertEquals(await getOutcome(await b.token({ code })), "400 invalid_grant");
});

test("[RV-05] a token revoked on one server is revoked on the other with the same store", async () => {
  for (const format of ["jwt", "opaque"] as const) {
    const path = join(folder, `${format}.db`);
    const one = await testServer({ ...withFormat(format), store: await sqliteStore(path) });
    const two = await testServer({ ...withFormat(format), store: await sqliteStore(path) });
    const [first, second] = [await publicTokens(one), await publicTokens(one)];
    assert(await isActive(two, first.access_token));
    await revoke(two, first.access_token);
    await revoke(two, second.refresh_token);
    for (const { access_token } of [first, second]) {
      for (const b of [one, two]) {
        assertEquals(await isActive(b, access_token), false);
        assertEquals((await userinfo(b, access_token)).status, 401);
      }
    }
    assertEquals(await getOutcome(await refresh(one, second.refresh_token)), "400 invalid_grant");
    await refreshTokens(one, first.refresh_token);
    await one.as.close();
    await two.as.close();
  }
});

test("[RV-01, HT-18] a store failure is a JSON error, and the token is not reported as revoked", async () => {
  let broken = "";
  const store = observedStore(memoryStore(), (verb) => {
    if (verb === broken) throw new Error(`${verb} fails`);
  });
  const b = await testServer({ ...testClients, store });
  const { access_token, refresh_token } = await publicTokens(b);
  for (const verb of ["get", "revoke"]) {
    for (const token of [access_token, refresh_token]) {
      broken = verb;
      const response = await b.post("/oauth2/revoke", { client_id: "spa", token });
      assertEquals(await getOutcome(response), "500 server_error");
      broken = "";
      assert(await isActive(b, access_token));
    }
  }
  assertEquals(b.events.filter(({ type }) => type === "token_revoked" || type === "grant_revoked"), []);
});

test("[RV-05, HT-15] the trace reports what was revoked and never contains the token", async () => {
  const b = await testServer(testClients);
  const { access_token, refresh_token } = await publicTokens(b);
  await revoke(b, access_token, { client_id: "other" });
  await revoke(b, access_token);
  await revoke(b, refresh_token);
  await b.post("/oauth2/revoke", { token: refresh_token }, basic("web", "guess"));
  await b.post(`/oauth2/revoke?token=${refresh_token}`, {}, basicHeader("web"));
  const logged = JSON.stringify(b.events);
  for (const secret of [access_token, access_token.split(".")[2]!, refresh_token, "guess"]) {
    assert(!logged.includes(secret), "the trace holds a secret");
  }
  const grant = String(decodeClaims(access_token).jti).split(".")[0]!;
  assertEquals(getRevokedGrants(b), [grant]);
  assertMatch(logged, new RegExp(`"token_revoked"[^}]*"grantId":"${grant}"`));
});
