/**
 * Refresh tokens: issue, bindings, rotation, and revocation of the grant (group RT).
 *
 * @extensions pairwise, requested_claims
 */

import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { ConfigurationError, type LatchkeyOptions, memoryStore, type Store } from "../../../src/mod.ts";
import type { TraceEvent } from "../../../src/server/trace.ts";
import {
  assertAcceptsFormsOnly,
  assertAuthenticatesClients,
  assertParametersOnce,
  basicHeader,
  confidentialClient,
  countOutcomes,
  fetchIntrospection,
  findLastRule,
  getRevokedGrants,
  getSessionCookie,
  isActive,
  publicClient,
  publicTokens,
  refresh,
  refreshTokens,
  testClients,
  userinfo,
  webTokens,
} from "../client_endpoints.ts";
import type { Tokens } from "../client_endpoints.ts";
import {
  assertTokenResponse,
  basic,
  challenge,
  decodeClaims,
  encode,
  forEachCase,
  getOutcome,
  getRejections,
  observedStore,
  realHost,
  testServer,
} from "../../kit.ts";
import type { Fields, TestServer } from "../../kit.ts";
import { storePairs } from "../store_pairs.ts";
import { latchkey } from "../../secret_leak_check.ts";

const start = Date.UTC(2026, 0, 1);
const day = 86_400;

/** A server with the test clients and these settings. */
function open(options: LatchkeyOptions = {}): Promise<TestServer> {
  return testServer({ alg: "ES256", ...testClients, ...options });
}

/** Two servers on one store, with one clock. */
async function openTwo(
  openStore: () => Promise<readonly [Store, Store]>,
  options: LatchkeyOptions = {},
): Promise<
  { readonly one: TestServer; readonly two: TestServer; advance(seconds: number): void; close(): Promise<void> }
> {
  const [store, again] = await openStore();
  let time = start;
  const now = () => time;
  const one = await open({ ...options, store, now });
  const two = await open({ ...options, store: again, now });
  return {
    one,
    two,
    advance: (seconds) => void (time += seconds * 1000),
    async close() {
      await one.as.close();
      await two.as.close();
    },
  };
}

/** Asserts that no refresh token and no access token of a grant is valid. */
async function assertOver(b: TestServer, of: readonly Tokens[], init?: readonly [Fields, Record<string, string>]) {
  for (const { access_token, refresh_token } of of) {
    assertEquals(await getOutcome(await refresh(b, refresh_token, ...init ?? [])), "400 invalid_grant");
    assertEquals(await fetchIntrospection(b, access_token), { active: false });
    assertEquals((await userinfo(b, access_token)).status, 401);
  }
}

/** Asserts that the newest tokens of a grant are good. */
async function assertContinues(
  b: TestServer,
  { access_token, refresh_token }: Tokens,
  init?: readonly [Fields, Record<string, string>],
): Promise<Tokens> {
  assertEquals(await isActive(b, access_token), true);
  assertEquals((await userinfo(b, access_token)).status, 200);
  return await refreshTokens(b, refresh_token, ...init ?? []);
}

const asWeb = [{}, basicHeader("web")] as const;

test("[RT-01] a client gets a refresh token with every code if and only if it is registered for refresh_token", async () => {
  const b = await open();
  await forEachCase(
    ["openid", "openid read", "read", undefined, "openid offline_access", "read offline_access"],
    async (scope) => {
      assertMatch((await publicTokens(b, { scope })).refresh_token, /^[A-Za-z0-9_-]+$/);
      assertMatch((await webTokens(b, "web", { scope })).refresh_token, /^[A-Za-z0-9_-]+$/);
      const brief = await publicTokens(b, { scope, client_id: "brief" });
      assertEquals("refresh_token" in brief, false);
    },
  );
});

test("[RT-01] an unregistered client cannot refresh, with any token", async () => {
  const b = await open();
  const { refresh_token } = await publicTokens(b);
  assertEquals(await getOutcome(await refresh(b, refresh_token, { client_id: "brief" })), "400 unauthorized_client");
  assertEquals(
    await getOutcome(await refresh(b, refresh_token, {}, basicHeader("machine"))),
    "400 unauthorized_client",
  );
  b.as.clients.set(publicClient("spa", { grant_types: ["authorization_code"] }));
  assertEquals(await getOutcome(await refresh(b, refresh_token)), "400 unauthorized_client");
  b.as.clients.set(publicClient("spa"));
  assertEquals(getRevokedGrants(b), []);
  await assertContinues(b, { ...await refreshTokens(b, refresh_token) });
});

test("[RT-01] with refresh.onlyOffline a refresh token is issued if and only if offline_access was granted", async () => {
  const b = await open({ refresh: { onlyOffline: true } });
  await forEachCase(["openid offline_access", "offline_access read"], async (scope) => {
    const { refresh_token } = await publicTokens(b, { scope });
    assertEquals(
      "refresh_token" in await refreshTokens(b, refresh_token, { scope: scope.replace("offline_access", "") }),
      true,
    );
  });
  await forEachCase(["openid read", "read", undefined], async (scope) => {
    assertEquals("refresh_token" in await publicTokens(b, { scope }), false);
    assertEquals("refresh_token" in await webTokens(b, "web", { scope }), false);
  });
  const cautious: LatchkeyOptions["approver"] = ({ scope }, { users, now }) => ({
    user: [...users.known().values()][0]!,
    scope: scope.filter((value) => value !== "offline_access"),
    authTime: now(),
  });
  const strict = await open({ refresh: { onlyOffline: true }, approver: cautious });
  const tokens = await publicTokens(strict, { scope: "openid offline_access" });
  assertEquals([tokens.scope, "refresh_token" in tokens], ["openid", false]);
});

/** Logs in, and returns the tokens of the session and a logout function. */
async function login(b: TestServer, scope: string): Promise<Tokens & { logout(): Promise<void> }> {
  const sent = await b.authorize({ scope });
  const code = new URL(sent.headers.get("location")!).searchParams.get("code")!;
  const tokens = await assertTokenResponse(await b.token({ code })) as Tokens;
  const cookie = getSessionCookie(sent);
  return {
    ...tokens,
    async logout() {
      const response = await b.get(`/oauth2/logout?id_token_hint=${tokens.id_token}`, { headers: { cookie } });
      assertEquals(response.status, 200);
    },
  };
}

test("[RT-01, LO-05] without offline_access the token and its successors end with the session", async () => {
  const b = await open();
  const first = await login(b, "openid read");
  const bystander = await login(b, "openid read");
  const second = await refreshTokens(b, first.refresh_token);
  assertEquals((await fetchIntrospection(b, first.refresh_token, "web")).active, false);
  await first.logout();
  assertEquals(await getOutcome(await refresh(b, second.refresh_token)), "400 invalid_grant");
  assertEquals(findLastRule(b), "LO-05");
  for (let i = 0; i < 40; i++) {
    b.advance(day);
    assertEquals(await getOutcome(await refresh(b, second.refresh_token)), "400 invalid_grant");
    if (i === 0) await assertContinues(b, await refreshTokens(b, bystander.refresh_token));
  }
});

test("[RT-01, LO-05] with offline_access the token outlives the session, narrowed in between or not", async () => {
  const b = await open();
  const first = await login(b, "openid read offline_access");
  const second = await refreshTokens(b, first.refresh_token, { scope: "openid" });
  await first.logout();
  const third = await refreshTokens(b, second.refresh_token, { scope: "openid" });
  await assertContinues(b, third);
});

test("[RT-02] another client's token is 400 invalid_grant, revokes nothing, and still works for its owner", async () => {
  const b = await open();
  for (let tokens = await publicTokens(b), i = 0; i < 3; i++) {
    await forEachCase<[Fields, Record<string, string>]>([
      [{ client_id: "other" }, {}],
      [{}, basicHeader("web")],
      [{ client_id: "poster", client_secret: "poster-secret" }, {}],
    ], async (sender) => {
      assertEquals(await getOutcome(await refresh(b, tokens.refresh_token, ...sender)), "400 invalid_grant");
      assertEquals(findLastRule(b), "RT-02");
    });
    tokens = await assertContinues(b, tokens);
  }
  const tokens = await webTokens(b);
  for (const sender of [[{ client_id: "spa" }, {}], [{}, basicHeader("web2")]] as const) {
    assertEquals(await getOutcome(await refresh(b, tokens.refresh_token, ...sender)), "400 invalid_grant");
  }
  await assertContinues(b, tokens, asWeb);
  assertEquals(getRevokedGrants(b), []);
});

test("[RT-02] tokens have the user, scope and resources of the grant, whatever the refresh requests", async () => {
  const b = await open();
  const resource = ["https://one.example", "https://two.example"];
  const { refresh_token } = await publicTokens(b, { login_hint: "bob", resource, nonce: "n" });
  await publicTokens(b, { login_hint: "alice" });
  const greed = {
    ...{ sub: "alice", user: "alice", login_hint: "alice", username: "alice", aud: "evil", audience: "evil" },
    ...{ nonce: "mine", auth_time: "1", code: "x", redirect_uri: "https://evil.example", claims: '{"userinfo":{}}' },
  };
  const { access_token, scope } = await refreshTokens(b, refresh_token, greed);
  const claims = decodeClaims(access_token);
  assertEquals([claims.sub, claims.client_id, claims.scope, scope], ["bob", "spa", "openid read", "openid read"]);
  assertEquals(claims.aud, resource);
});

test("[RI-03, RT-02] resources may be narrowed and never widened, and the refresh token keeps all", async () => {
  const b = await open();
  const [one, two] = ["https://one.example", "https://two.example"];
  let { refresh_token } = await publicTokens(b, { resource: [one, two] });
  const { refresh_token: none } = await publicTokens(b);
  for (const [resource, aud] of [[one, one], [two, two], [[two, one], [two, one]], [undefined, [one, two]]] as const) {
    const tokens = await refreshTokens(b, refresh_token, { resource });
    assertEquals(decodeClaims(tokens.access_token).aud, aud);
    refresh_token = tokens.refresh_token;
  }
  await forEachCase(["https://three.example", "https://as.test", "one.example", `${one}#x`], async (resource) => {
    assertEquals(await getOutcome(await refresh(b, refresh_token, { resource })), "400 invalid_target");
    assertEquals(
      await getOutcome(await refresh(b, refresh_token, { resource: [one, resource] })),
      "400 invalid_target",
    );
    assertEquals(await getOutcome(await refresh(b, none, { resource })), "400 invalid_target");
  });
  assertEquals(getRevokedGrants(b), []);
  assertEquals(decodeClaims((await refreshTokens(b, refresh_token)).access_token).aud, [one, two]);
  assertEquals(decodeClaims((await refreshTokens(b, none)).access_token).aud, "https://as.test");
});

test("[RT-02] three hundred refresh tokens, first and rotated, have 160 independent bits", async () => {
  const b = await open({ alg: "EdDSA" });
  const tokens: string[] = [];
  for (let i = 0; i < 30; i++) {
    let { refresh_token } = await publicTokens(b);
    for (let j = 0; j < 10; j++) {
      tokens.push(refresh_token);
      ({ refresh_token } = await refreshTokens(b, refresh_token));
    }
  }
  assertEquals(tokens.length, 300);
  for (const one of tokens) assertMatch(one, /^[A-Za-z0-9_-]{27,}$/);
  assertEquals(new Set(tokens.map((one) => one.slice(0, 8))).size, tokens.length, "two tokens begin alike");
  assertEquals(new Set(tokens.map((one) => one.slice(-8))).size, tokens.length, "two tokens end alike");
});

test("[RT-02] store and trace never contain a refresh token, and a store reader cannot derive the next one", async () => {
  const observed: string[] = [];
  const inner = memoryStore();
  const b = await open({ store: observedStore(inner, (verb, args) => observed.push(JSON.stringify([verb, ...args]))) });
  const first = await publicTokens(b);
  const second = await refreshTokens(b, first.refresh_token);
  const third = await refreshTokens(b, second.refresh_token, { scope: "openid" });
  await refresh(b, third.refresh_token, { client_id: "other" });
  await refresh(b, first.refresh_token);
  await refresh(b, third.refresh_token);
  const stored = observed.join("\n");
  const logged = JSON.stringify(b.events);
  for (const { refresh_token } of [first, second, third]) {
    const digest = createHash("sha256").update(`${b.as.issuer} ${refresh_token}`).digest();
    assert(stored.includes(digest.toString("base64url")), "not stored under its SHA-256 digest");
    assert(!stored.includes(refresh_token), "the store received a refresh token");
    for (
      const secret of [refresh_token, refresh_token.slice(0, 20), digest.toString("base64url"), digest.toString("hex")]
    ) {
      assert(!logged.includes(secret), "the trace contains a refresh token or its digest");
    }
  }
});

test("[RT-03] a public client gets a new token with every refresh, and the chain works", async () => {
  const b = await open();
  let tokens = await publicTokens(b);
  const seen = [tokens.refresh_token];
  for (let i = 0; i < 20; i++) {
    b.advance(60);
    tokens = await assertContinues(b, tokens);
    seen.push(tokens.refresh_token);
  }
  assertEquals(new Set(seen).size, 21);
  assertEquals(getRevokedGrants(b), []);
});

test("[RT-03] a confidential client keeps its refresh token, with every method of authentication", async () => {
  const b = await open();
  const poster = { client_id: "poster", client_secret: "poster-secret" };
  const code = await b.code({ client_id: "poster", redirect_uri: "https://poster.example/cb" });
  const posted = await assertTokenResponse(
    await b.token({ code, redirect_uri: "https://poster.example/cb", ...poster }),
  ) as Tokens;
  for (const [{ refresh_token }, ...sender] of [[await webTokens(b), ...asWeb], [posted, poster, {}]] as const) {
    const accessTokens = new Set<string>();
    for (let i = 0; i < 10; i++) {
      b.advance(60);
      const tokens = await refreshTokens(b, refresh_token, ...sender);
      assertEquals(tokens.refresh_token, refresh_token);
      accessTokens.add(tokens.access_token);
    }
    assertEquals(accessTokens.size, 10);
    for (const token of accessTokens) assert(await isActive(b, token));
  }
  assertEquals(getRevokedGrants(b), []);
});

test("[RT-03, RT-04] with refresh.rotateConfidential theirs rotate, and reuse revokes the grant too", async () => {
  const b = await open({ refresh: { rotateConfidential: true } });
  const first = await webTokens(b);
  const second = await refreshTokens(b, first.refresh_token, ...asWeb);
  assertNotEquals(second.refresh_token, first.refresh_token);
  for (const headers of [basic("web", "guess"), basicHeader("web2"), {}]) {
    assertMatch(await getOutcome(await refresh(b, first.refresh_token, { client_id: undefined }, headers)), /^40[01] /);
  }
  assertEquals(getRevokedGrants(b), []);
  const third = await assertContinues(b, second, asWeb);
  assertEquals(await getOutcome(await refresh(b, first.refresh_token, ...asWeb)), "400 invalid_grant");
  await assertOver(b, [first, second, third], asWeb);
});

test("[RT-04] every reused token revokes the grant with all its access tokens, whatever else the request asks", async () => {
  await forEachCase<[number, Fields]>([
    ...[0, 1, 2, 3].map((reused): [number, Fields] => [reused, {}]),
    [0, { scope: "openid admin" }],
    [0, { resource: "https://other.example" }],
  ], async ([reused, fields]) => {
    for (const access_token_format of ["jwt", "opaque"] as const) {
      const b = await open({
        clients: [...testClients.clients.slice(1), publicClient("spa", { access_token_format })],
      });
      const chain = [await publicTokens(b)];
      for (let i = 0; i < 4; i++) chain.push(await refreshTokens(b, chain.at(-1)!.refresh_token));
      const bystander = await publicTokens(b);
      for (const { access_token } of chain) assert(await isActive(b, access_token));
      assertEquals(await getOutcome(await refresh(b, chain[reused]!.refresh_token, fields)), "400 invalid_grant");
      assertEquals([findLastRule(b), getRevokedGrants(b).length], ["RT-04", 1]);
      await assertOver(b, chain);
      await assertOver(b, chain.toReversed());
      await assertContinues(b, bystander);
      assertEquals(new Set(getRevokedGrants(b)).size, 1);
    }
  });
});

test("[RT-04, CI-06] a replayed code revokes its refresh tokens too", async () => {
  const b = await open();
  const code = await b.code();
  const first = await assertTokenResponse(await b.token({ code })) as Tokens;
  const second = await refreshTokens(b, first.refresh_token);
  assertEquals(await getOutcome(await b.token({ code })), "400 invalid_grant");
  await assertOver(b, [second, first]);
});

test("[RT-04] a used token sent by another client revokes nothing", async () => {
  const b = await open();
  const first = await publicTokens(b);
  const second = await refreshTokens(b, first.refresh_token);
  await forEachCase<[Fields, Record<string, string>]>([
    [{ client_id: "other" }, {}],
    [{ client_id: "unknown" }, {}],
    [{ client_id: undefined }, {}],
    [{ client_id: "spa", client_secret: "guess" }, {}],
    [{ client_id: "web" }, {}],
    [{}, basicHeader("web")],
    [{ client_id: "spa" }, basicHeader("web")],
    [{}, basic("spa", "guess")],
    [{}, { authorization: "Bearer x" }],
    [{ grant_type: "authorization_code" }, {}],
    [{ grant_type: undefined }, {}],
    [{ refresh_token: [first.refresh_token, first.refresh_token] }, {}],
    [{ refresh_token: `${first.refresh_token} ` }, {}],
    [{ refresh_token: first.refresh_token.toLowerCase() }, {}],
  ], async (sender) => assertMatch(await getOutcome(await refresh(b, first.refresh_token, ...sender)), /^40[01] /));
  assertEquals(
    await getOutcome(await b.post("/oauth2/revoke", { token: first.refresh_token, client_id: "other" })),
    "200",
  );
  assertEquals((await fetchIntrospection(b, first.refresh_token)).active, false);
  assertEquals(getRevokedGrants(b), []);
  await assertContinues(b, second);
});

test("[RT-04] a used token revokes the grant at any later time while the grant lives", async () => {
  await forEachCase([0.001, 3600, 6.9 * day, 7 * day, 8 * day, 25 * day], async (pause) => {
    const b = await open();
    const first = await publicTokens(b);
    let newest = await refreshTokens(b, first.refresh_token);
    for (let left = pause; left > 0; left -= 2 * day) {
      b.advance(Math.min(left, 2 * day));
      newest = await refreshTokens(b, newest.refresh_token);
    }
    assertEquals(await getOutcome(await refresh(b, first.refresh_token)), "400 invalid_grant");
    assertEquals(getRevokedGrants(b).length, 1, "a stolen descendant of it stays good");
    await assertOver(b, [newest]);
  });
});

test("[RT-04] a used token stays used after its client stops rotating", async () => {
  const store = memoryStore();
  const rotating = await open({ store, refresh: { rotateConfidential: true } });
  const first = await webTokens(rotating);
  const second = await refreshTokens(rotating, first.refresh_token, ...asWeb);
  const restarted = await open({ store });
  assertEquals(await getOutcome(await refresh(restarted, first.refresh_token, ...asWeb)), "400 invalid_grant");
  await assertOver(restarted, [second], asWeb);
});

test("[RT-04] a used token of a public client stays used after the client gets a secret", async () => {
  const b = await open();
  const first = await publicTokens(b);
  await refreshTokens(b, first.refresh_token);
  b.as.clients.set(confidentialClient("spa"));
  assertEquals(await getOutcome(await refresh(b, first.refresh_token, {}, basicHeader("spa"))), "400 invalid_grant");
});

for (const [name, openStore] of Object.entries(storePairs)) {
  test(`[RT-05] of 20 and of 100 concurrent refreshes on two servers one succeeds and the grant is revoked (${name})`, async () => {
    for (const tries of [20, 100]) {
      const { one, two, close } = await openTwo(openStore);
      const first = await publicTokens(one);
      const bystander = await publicTokens(two);
      one.events.length = two.events.length = 0;
      const responses = await Promise.all(
        Array.from({ length: tries }, (_, i) => refresh(i % 2 === 0 ? one : two, first.refresh_token)),
      );
      const bodies = await Promise.all(responses.map((result) => result.clone().text()));
      assertEquals(await countOutcomes(responses), { "200": 1, "400 invalid_grant": tries - 1 });
      assertEquals(new Set(bodies.filter((_, i) => !responses[i]!.ok)).size, 1);
      assertEquals([...one.events, ...two.events].filter(({ type }) => type === "tokens_issued").length, 1);
      const second: Tokens = JSON.parse(bodies[responses.findIndex(({ ok }) => ok)]!);
      for (const b of [one, two]) await assertOver(b, [first, second]);
      // Either server may have come too late to be the one that ended it.
      assertEquals(new Set([...getRevokedGrants(one), ...getRevokedGrants(two)]).size, 1);
      await assertContinues(one, await assertContinues(two, bystander));
      await close();
    }
  });

  test(`[RT-03, RT-05] a hundred concurrent refreshes without rotation all succeed with the same token (${name})`, async () => {
    const { one, two, close } = await openTwo(openStore);
    const { refresh_token } = await webTokens(one);
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, i) => refreshTokens(i % 2 === 0 ? one : two, refresh_token, ...asWeb)),
    );
    assertEquals(new Set(responses.map((result) => result.refresh_token)), new Set([refresh_token]));
    assertEquals(new Set(responses.map((result) => result.access_token)).size, 100);
    assertEquals(getRevokedGrants(one), []);
    await assertContinues(two, responses[0]!, asWeb);
    await close();
  });

  test(`[RT-05] with refresh.grace a hundred concurrent requests, and their repetitions, get one new token (${name})`, async () => {
    const live = new Set<string>();
    const listen = (store: Store) =>
      observedStore(store, (verb, [kind, id]) => {
        if ((verb === "add" || verb === "put") && kind === "refresh_token") live.add(id as string);
      });
    const [store, again] = await openStore();
    const { one, two, close } = await openTwo(() => Promise.resolve([listen(store), listen(again)]), {
      refresh: { grace: 10 },
    });
    const first = await publicTokens(one);
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, i) => refreshTokens(i % 2 === 0 ? one : two, first.refresh_token)),
    );
    const next = new Set(responses.map((result) => result.refresh_token));
    next.add((await refreshTokens(two, first.refresh_token)).refresh_token);
    assertEquals(next.size, 1);
    const unspent = await Promise.all([...live].map(async (id) => (await store.get("refresh_token", id))?.consumedAt));
    assertEquals(
      unspent.filter((consumedAtTime) => consumedAtTime === undefined).length,
      1,
      "more than one token is alive",
    );
    assertEquals([getRevokedGrants(one), getRevokedGrants(two)], [[], []]);
    await assertContinues(two, responses[99]!);
    await close();
  });

  test(`[RT-04, RT-07] a grant revoked on one server is revoked on the other, and after a restart (${name})`, async () => {
    const { one, two, close } = await openTwo(openStore);
    const first = await publicTokens(one);
    const second = await refreshTokens(two, first.refresh_token);
    const other = await publicTokens(two);
    assertEquals(await getOutcome(await refresh(one, first.refresh_token)), "400 invalid_grant");
    await assertOver(two, [first, second]);
    assertEquals(
      await getOutcome(await two.post("/oauth2/revoke", { client_id: "spa", token: other.refresh_token })),
      "200",
    );
    await assertOver(one, [other]);
    await close();
  });
}

test("[RT-05] attempts of other clients among a hundred concurrent ones neither succeed nor revoke anything", async () => {
  const b = await open();
  const first = await publicTokens(b);
  const responses = await Promise.all(
    Array.from(
      { length: 100 },
      (_, i) =>
        i === 50
          ? refresh(b, first.refresh_token)
          : refresh(b, first.refresh_token, ...i % 2 ? [{ client_id: "other" }, {}] as const : asWeb),
    ),
  );
  assertEquals(await countOutcomes(responses), { "200": 1, "400 invalid_grant": 99 });
  assertEquals(getRevokedGrants(b), []);
  await assertContinues(b, await responses[50]!.json());
});

test("[RT-05] refresh.grace defaults to 0: the next use of a token is a replay", async () => {
  for (const refresh of [undefined, {}, { grace: 0 }, { grace: undefined }]) {
    const b = await open({ refresh });
    const first = await publicTokens(b);
    const second = await refreshTokens(b, first.refresh_token);
    await assertOver(b, [first, second]);
  }
});

test("[RT-05] refresh.grace must be whole seconds from 0 to 60", async () => {
  await forEachCase([61, -1, 0.5, NaN, Infinity, "10" as never], async (grace) => {
    const error = await assertRejects(() => latchkey({ refresh: { grace } }), ConfigurationError);
    assertEquals(error.issues.map(({ path }) => path), ["refresh.grace"]);
  });
  for (const grace of [0, 1, 60]) await (await latchkey({ issuer: "https://as.test", refresh: { grace } })).close();
});

test("[RT-05] a lost response can be requested again until refresh.grace ends, to the millisecond, and never after", async () => {
  await forEachCase([1, 10, 60], async (grace) => {
    for (const [late, good] of [[0, 1], [grace - 0.001, 1], [grace, 0], [grace + 1, 0], [day, 0]] as const) {
      const b = await open({ refresh: { grace } });
      const first = await publicTokens(b);
      const lost = await refreshTokens(b, first.refresh_token);
      b.advance(late);
      if (good) {
        const again = await refreshTokens(b, first.refresh_token);
        assertEquals(again.refresh_token, lost.refresh_token);
        assertNotEquals(again.access_token, lost.access_token);
        await assertContinues(b, again);
      } else {
        assertEquals(await getOutcome(await refresh(b, first.refresh_token)), "400 invalid_grant", `after ${late} s`);
        assertEquals(getRevokedGrants(b).length, 1);
        await assertOver(b, [lost]);
      }
    }
  });
});

test("[RT-05] repeating the request does not extend refresh.grace", async () => {
  const b = await open({ refresh: { grace: 10 } });
  const first = await publicTokens(b);
  const lost = await refreshTokens(b, first.refresh_token);
  for (let i = 0; i < 3; i++) {
    b.advance(3);
    assertEquals((await refreshTokens(b, first.refresh_token)).refresh_token, lost.refresh_token);
  }
  b.advance(1);
  assertEquals(await getOutcome(await refresh(b, first.refresh_token)), "400 invalid_grant");
  await assertOver(b, [lost]);
});

test("[RT-05] after use of the new token the old one is a replay, also within refresh.grace", async () => {
  const b = await open({ refresh: { grace: 60 } });
  const first = await publicTokens(b);
  const second = await refreshTokens(b, first.refresh_token);
  const third = await refreshTokens(b, second.refresh_token);
  assertEquals(await getOutcome(await refresh(b, first.refresh_token)), "400 invalid_grant");
  assertEquals([findLastRule(b), getRevokedGrants(b).length], ["RT-04", 1]);
  await assertOver(b, [third, second, first]);
});

test("[RT-05] refresh.grace applies to no other client and no revoked grant, and applies to rotating confidential clients", async () => {
  const b = await open({ refresh: { grace: 60, rotateConfidential: true } });
  const first = await webTokens(b);
  const second = await refreshTokens(b, first.refresh_token, ...asWeb);
  for (const sender of [[{}, basicHeader("web2")], [{ client_id: "spa" }, {}], [{}, basic("web", "guess")]] as const) {
    assertMatch(await getOutcome(await refresh(b, first.refresh_token, ...sender)), /^40[01] invalid_(client|grant)$/);
  }
  assertEquals((await refreshTokens(b, first.refresh_token, ...asWeb)).refresh_token, second.refresh_token);
  const wider = await refresh(b, first.refresh_token, { scope: "openid read write" }, basicHeader("web"));
  assertEquals(await getOutcome(wider), "400 invalid_scope");
  assertEquals(getRevokedGrants(b), []);
  assertEquals(
    await getOutcome(await b.post("/oauth2/revoke", { token: second.refresh_token }, basicHeader("web"))),
    "200",
  );
  await assertOver(b, [first, second], asWeb);
});

test("[RT-05] a store failure in the middle of a rotation leaves no token unusable", async () => {
  for (const grace of [0, 10]) {
    let broken = "";
    const store = observedStore(memoryStore(), (verb, [kind]) => {
      if (broken === verb && kind === "refresh_token") throw new Error(`${verb} fails`);
    });
    const b = await open({ store, refresh: { grace } });
    for (const verb of ["get", "consume", "add"]) {
      const { refresh_token } = await publicTokens(b);
      broken = verb;
      const issued = b.events.filter(({ type }) => type === "tokens_issued").length;
      assertEquals(await getOutcome(await refresh(b, refresh_token)), "500 server_error", verb);
      assertEquals(b.events.filter(({ type }) => type === "tokens_issued").length, issued);
      broken = "";
      const expected = verb === "add" && grace === 0 ? "400 invalid_grant" : "200";
      assertEquals(
        await getOutcome(await refresh(b, refresh_token)),
        expected,
        `after ${verb}, with a grace of ${grace}`,
      );
    }
  }
});

test("[RT-06] scope narrows one access token; the next refresh has the whole scope again", async () => {
  const b = await open();
  const web = await webTokens(b, "web", { scope: "openid read write" });
  let { refresh_token } = await publicTokens(b, { scope: "openid read write" });
  for (
    const [scope, granted] of [
      ["read", "read"],
      ["write openid", "openid write"],
      ["read read  read", "read"],
      ["openid read write", "openid read write"],
      [" read ", "read"],
      ["", "openid read write"],
      [undefined, "openid read write"],
    ] as const
  ) {
    const tokens = await refreshTokens(b, refresh_token, { scope });
    const same = await refreshTokens(b, web.refresh_token, { scope }, basicHeader("web"));
    for (const result of [tokens, same]) {
      assertEquals(result.scope.split(" ").sort(), granted.split(" "));
      assertEquals(decodeClaims(result.access_token).scope, result.scope);
      assertEquals("id_token" in result, granted.includes("openid"));
      assertEquals((await userinfo(b, result.access_token)).status, granted.includes("openid") ? 200 : 403);
    }
    refresh_token = tokens.refresh_token;
  }
});

test("[RT-06] one additional scope value is 400 invalid_scope, and the token stays unused", async () => {
  const b = await open();
  const { refresh_token } = await publicTokens(b);
  await forEachCase([
    ...["write", "openid read write", "read offline_access", "profile", "admin", "openid admin", "Read", "READ openid"],
    ...["read,openid", "read\topenid", "read\u00a0openid", 'read"', "read\\", "*", "__proto__", "constructor", "\0"],
    ...["read\0", "openid read openid write"],
  ], async (scope) => assertEquals(await getOutcome(await refresh(b, refresh_token, { scope })), "400 invalid_scope"));
  assertEquals(getRevokedGrants(b), []);
  assertEquals((await refreshTokens(b, refresh_token)).scope, "openid read");
});

test("[RT-06] a scope of spaces only requests nothing, and no token is issued", async () => {
  const b = await open();
  const { refresh_token } = await publicTokens(b);
  assertEquals(await getOutcome(await refresh(b, refresh_token, { scope: " " })), "400 invalid_scope");
});

test("[RT-06, CI-03] a refresh cannot add scope that the approver left out", async () => {
  const approver: LatchkeyOptions["approver"] = ({ scope }, { users, now }) => ({
    user: [...users.known().values()][0]!,
    scope: scope.filter((value) => value !== "write"),
    authTime: now(),
  });
  const b = await open({ approver });
  const { refresh_token } = await publicTokens(b, { scope: "openid read write" });
  assertEquals(await getOutcome(await refresh(b, refresh_token, { scope: "read write" })), "400 invalid_scope");
  assertEquals((await refreshTokens(b, refresh_token)).scope, "openid read");
});

test("[RT-07] a missing refresh_token is 400 invalid_request, whatever else is sent", async () => {
  const b = await open();
  const { access_token } = await publicTokens(b);
  await forEachCase<Fields>(
    [{}, { refresh_token: "" }, { token: access_token }, { "refresh_token ": "x" }, { code: "x" }],
    async (fields) => {
      assertEquals(await getOutcome(await refresh(b, undefined, fields)), "400 invalid_request");
      assertMatch(getRejections(b.events).at(-1)!.explanation.fix ?? "", /^Send the refresh token/);
      assertEquals(await getOutcome(await refresh(b, undefined, fields, basicHeader("web"))), "400 invalid_request");
    },
  );
});

test("[RT-07] unknown, foreign, used, expired, revoked and removed users' tokens get the same body", async () => {
  const bodies = new Set<string>();
  const say = async (b: TestServer, token: string) => {
    const response = await refresh(b, token);
    bodies.add(await response.clone().text());
    assertEquals(await getOutcome(response), "400 invalid_grant");
  };
  const b = await open(realHost);
  const code = await b.code();
  const { access_token, id_token, refresh_token: used } = await assertTokenResponse(await b.token({ code })) as Tokens;
  const digest = createHash("sha256").update(used).digest("base64url");
  for (
    const unknown of [
      ...[
        "x",
        "__proto__",
        "constructor",
        "undefined",
        "null",
        "*",
        "%",
        used.slice(1),
        `${used}A`,
        `${used}\0`,
        digest,
      ],
      ...[code, access_token, id_token, "a".repeat(60_000), "🔑", Buffer.from(used).toString("hex")],
    ]
  ) await say(b, unknown);
  await say(b, (await publicTokens(b, { client_id: "other" })).refresh_token);
  await refreshTokens(b, used);
  await say(b, used);
  const { refresh_token: revoked } = await publicTokens(b);
  await b.post("/oauth2/revoke", { client_id: "spa", token: revoked });
  await say(b, revoked);
  const { refresh_token: orphaned } = await publicTokens(b, { login_hint: "bob" });
  b.as.users.delete("bob");
  await say(b, orphaned);
  const { refresh_token: idle } = await publicTokens(b);
  b.advance(7 * day);
  await say(b, idle);
  b.advance(40 * day);
  await say(b, idle);
  assertEquals(bodies.size, 1, [...bodies].join("\n"));
});

test("[RT-07] the trace has the rule of each rejection", async () => {
  const b = await open();
  const { refresh_token } = await publicTokens(b, { login_hint: "bob" });
  b.as.users.delete("bob");
  await refresh(b, refresh_token);
  assertEquals([findLastRule(b), getRejections(b.events).at(-1)!.client], ["CI-11", "spa"]);
  b.as.users.set({ sub: "bob" });
  await refresh(b, refresh_token);
  assertEquals(findLastRule(b), "CI-11");
  const later = await publicTokens(b, { login_hint: "bob" });
  await assertContinues(b, await refreshTokens(b, later.refresh_token));
  b.as.clients.delete("spa");
  assertEquals(await getOutcome(await refresh(b, later.refresh_token)), "401 invalid_client");
});

test("[RT-07] an idle token is valid until the last millisecond of the idle lifetime", async () => {
  const settings: [LatchkeyOptions["lifetimes"], number][] = [
    [undefined, 7 * day],
    [{ refresh_token_idle: 60 }, 60],
    [{ refresh_token: 30 }, 30],
    [{ refresh_token: 30, refresh_token_idle: 60 }, 30],
  ];
  await forEachCase(settings, async ([lifetimes, seconds]) => {
    for (const [late, expected] of [[-0.001, "200"], [0, "400 invalid_grant"], [day, "400 invalid_grant"]] as const) {
      const b = await open({ lifetimes });
      const [spa, web] = [await publicTokens(b), await webTokens(b)];
      b.advance(seconds + late);
      assertEquals(await getOutcome(await refresh(b, spa.refresh_token)), expected);
      assertEquals(await getOutcome(await refresh(b, web.refresh_token, ...asWeb)), expected);
      assertEquals(getRevokedGrants(b), []);
    }
  });
});

test("[RT-07] each use of a rotating token restarts the idle lifetime", async () => {
  const b = await open();
  let tokens = await publicTokens(b);
  for (let i = 0; i < 4; i++) {
    b.advance(6.9 * day);
    tokens = await refreshTokens(b, tokens.refresh_token);
  }
  b.advance(day);
  await assertContinues(b, await refreshTokens(b, tokens.refresh_token));
});

test("[RT-07] each use of a token without rotation restarts the idle lifetime", async () => {
  const b = await open();
  const { refresh_token } = await webTokens(b);
  for (let i = 0; i < 4; i++) {
    b.advance(6.9 * day);
    assertEquals(
      await getOutcome(await refresh(b, refresh_token, ...asWeb)),
      "200",
      `${(i + 1) * 6.9} days after the login`,
    );
    assertEquals((await fetchIntrospection(b, refresh_token, "web")).active, true);
  }
  b.advance(7 * day);
  assertEquals(await getOutcome(await refresh(b, refresh_token, ...asWeb)), "400 invalid_grant");
});

test("[RT-07] a failed use does not restart the idle lifetime", async () => {
  const b = await open();
  const [spa, web] = [await publicTokens(b), await webTokens(b)];
  b.advance(6 * day);
  assertEquals(await getOutcome(await refresh(b, spa.refresh_token, { client_id: "other" })), "400 invalid_grant");
  assertEquals(
    await getOutcome(await refresh(b, web.refresh_token, { scope: "write" }, basicHeader("web"))),
    "400 invalid_scope",
  );
  assertEquals(await getOutcome(await refresh(b, web.refresh_token, {}, basicHeader("web2"))), "400 invalid_grant");
  b.advance(day);
  assertEquals(await getOutcome(await refresh(b, spa.refresh_token)), "400 invalid_grant");
  assertEquals(await getOutcome(await refresh(b, web.refresh_token, ...asWeb)), "400 invalid_grant");
});

test("[RT-07] no number of uses extends a grant past its end", async () => {
  await forEachCase([["spa", {}], ["web", basicHeader("web")]] as const, async ([client, headers]) => {
    const b = await open({ lifetimes: { refresh_token: 100, refresh_token_idle: 40 } });
    let tokens = client === "spa" ? await publicTokens(b) : await webTokens(b);
    for (const seconds of [30, 30, 30, 9.999]) {
      b.advance(seconds);
      tokens = await refreshTokens(b, tokens.refresh_token, {}, headers);
    }
    b.advance(0.001);
    assertEquals(await getOutcome(await refresh(b, tokens.refresh_token, {}, headers)), "400 invalid_grant");
    assertEquals((await fetchIntrospection(b, tokens.refresh_token, "web")).active, false);
  });
});

test("[RT-07] the lifetime of a grant starts with the approval, not with the exchange of its code", async () => {
  const b = await open({ lifetimes: { refresh_token: 1000, code: 600 } });
  const code = await b.code();
  b.advance(599);
  const { refresh_token } = await assertTokenResponse(await b.token({ code })) as Tokens;
  b.advance(401);
  assertEquals(await getOutcome(await refresh(b, refresh_token)), "400 invalid_grant");
});

test("[RT-07] lifetimes of refresh tokens must be whole seconds above 0", async () => {
  await forEachCase([0, -1, 0.5, NaN, Infinity], async (seconds) => {
    for (const name of ["refresh_token", "refresh_token_idle"]) {
      const error = await assertRejects(() => latchkey({ lifetimes: { [name]: seconds } }), ConfigurationError);
      assertEquals(error.issues.map(({ path }) => path), [`lifetimes.${name}`]);
    }
  });
});

/** Two servers on one store: the configuration at approval, and the later one. */
async function beforeAndAfter(
  before: LatchkeyOptions,
  after: LatchkeyOptions,
): Promise<{ readonly before: TestServer; readonly after: TestServer }> {
  const store = memoryStore();
  return { before: await open({ ...before, store }), after: await open({ ...after, store }) };
}

const everything = ["openid", "read", "write", "admin", "offline_access"];
const spa = publicClient("spa");

/** What an operator takes away: from the client, or from the server, whose clients may have all that it has. */
const less: Readonly<Record<string, LatchkeyOptions>> = {
  client: { clients: [{ ...spa, scope: "openid read" }], scopes: everything },
  server: { clients: [spa], scopes: ["openid", "read"] },
};

test("[RT-09] a refresh returns the granted scope that is still registered, and all of it when registered again", async () => {
  await forEachCase(Object.keys(less), async (who) => {
    const { before, after } = await beforeAndAfter({ clients: [spa], scopes: everything }, less[who]!);
    const granted = await publicTokens(before, { scope: "openid read write admin" });
    const narrowed = await refreshTokens(after, granted.refresh_token);
    assertEquals([narrowed.scope, decodeClaims(narrowed.access_token).scope], ["openid read", "openid read"]);
    const warning = after.events.find(({ type }) => type === "warning") as Extract<TraceEvent, { type: "warning" }>;
    assertEquals(
      [warning.explanation.rule, warning.client, warning.explanation.expected, warning.explanation.received],
      [
        "RT-09",
        "spa",
        "openid read",
        "openid read write admin",
      ],
    );
    const wide = await refresh(after, narrowed.refresh_token, { scope: "read write" });
    assertEquals(await getOutcome(wide), "400 invalid_scope");
    assertEquals((await refreshTokens(before, narrowed.refresh_token)).scope, "openid read write admin");
  });
});

test("[RT-09] a code yields the granted scope that is still registered, and so do its refresh tokens", async () => {
  await forEachCase(Object.keys(less), async (who) => {
    const { before, after } = await beforeAndAfter({ clients: [spa], scopes: everything }, less[who]!);
    const code = await before.code({ scope: "openid read write" });
    const tokens = await assertTokenResponse(await after.token({ code })) as Tokens;
    assertEquals([tokens.scope, decodeClaims(tokens.access_token).scope], ["openid read", "openid read"]);
    assertEquals((await refreshTokens(before, tokens.refresh_token)).scope, "openid read");
  });
});

test("[RT-09] if no scope value is left, code and refresh token are rejected and not consumed", async () => {
  await forEachCase(Object.keys(less), async (who) => {
    const { before, after } = await beforeAndAfter({ clients: [spa], scopes: everything }, less[who]!);
    const { refresh_token } = await publicTokens(before, { scope: "write" });
    const code = await before.code({ scope: "admin" });
    for (const result of [await refresh(after, refresh_token), await after.token({ code })]) {
      assertEquals(await getOutcome(result), "400 invalid_grant");
      assertEquals(findLastRule(after), "RT-09");
    }
    assertEquals((await refreshTokens(before, refresh_token)).scope, "write");
    assertEquals((await assertTokenResponse(await before.token({ code }))).scope, "admin");
  });
});

test("[RT-09, LO-05] a client that loses offline_access has refresh tokens that end with the session", async () => {
  await forEachCase(Object.keys(less), async (who) => {
    const { before, after } = await beforeAndAfter({ clients: [spa], scopes: everything }, less[who]!);
    const authorized = await before.authorize({ scope: "openid offline_access" });
    const code = new URL(authorized.headers.get("location")!).searchParams.get("code")!;
    const { id_token: id_token_hint, refresh_token } = await assertTokenResponse(
      await before.token({ code }),
    ) as Tokens;
    const ended = await after.get(`/oauth2/logout?${encode({ id_token_hint })}`, {
      headers: { cookie: getSessionCookie(authorized) },
    });
    assertEquals(ended.status, 200);
    assertEquals(await getOutcome(await refresh(after, refresh_token)), "400 invalid_grant");
    assertEquals(findLastRule(after), "LO-05");
    assertEquals((await refresh(before, refresh_token)).status, 200);
  });
});

test("[RT-09] introspection shows the current scope of a refresh token; access tokens stay as issued", async () => {
  const web = confidentialClient("web");
  const api = testClients.clients.find(({ client_id }) => client_id === "api")!;
  const { before, after } = await beforeAndAfter(
    { clients: [web, api], scopes: everything },
    { clients: [{ ...web, scope: "openid read" }, api], scopes: everything },
  );
  const { access_token, refresh_token } = await webTokens(before, "web", { scope: "read write" });
  assertEquals((await fetchIntrospection(after, refresh_token, "web")).scope, "read");
  assertEquals((await fetchIntrospection(after, access_token)).scope, "read write");
  const nothing = await webTokens(before, "web", { scope: "write" });
  assertEquals(await fetchIntrospection(after, nothing.refresh_token, "web"), { active: false });
});

test("[RT-09, US-02] userinfo returns the claims of scope values that are still registered for the client", async () => {
  const scopes = ["openid", "profile", "email"];
  const { before, after } = await beforeAndAfter(
    { clients: [spa], scopes, users: [{ sub: "alice", name: "Alice Adams", email: "alice@example.com" }] },
    { clients: [{ ...spa, scope: "openid profile" }], scopes, users: [{ sub: "alice", name: "A", email: "a@b.c" }] },
  );
  const claims = '{"userinfo":{"email":null},"id_token":{"email":null}}';
  const granted = await publicTokens(before, { scope: "openid profile email", claims });
  assertEquals(decodeClaims(granted.id_token).email, "alice@example.com");
  const again = await refreshTokens(after, granted.refresh_token);
  assertEquals(decodeClaims(again.id_token).email, undefined);
  for (const { access_token } of [granted, again]) {
    assertEquals(await (await userinfo(after, access_token)).json(), { sub: "alice", name: "A" });
  }
});

test("[RT-08] the ID token of a refresh has the same iss, sub, aud, auth_time and sid, and no nonce", async () => {
  const b = await open({ clients: [...testClients.clients, publicClient("pair", { subject_type: "pairwise" })] });
  await forEachCase(["spa", "pair"], async (client_id) => {
    let tokens = await publicTokens(b, { client_id, nonce: "n-first" });
    const first = decodeClaims(tokens.id_token);
    for (let i = 0; i < 3; i++) {
      b.advance(1000);
      const before = Number(decodeClaims(tokens.id_token).iat);
      tokens = await refreshTokens(b, tokens.refresh_token, { client_id, nonce: "n-mine" });
      const { iss, sub, aud, auth_time, sid, iat, exp, nonce, at_hash, ...more } = decodeClaims(tokens.id_token);
      assertEquals([iss, sub, aud, auth_time, sid], [first.iss, first.sub, first.aud, first.auth_time, first.sid]);
      assertEquals([iat, exp], [before + 1000, before + 4600]);
      assert(nonce === undefined || nonce === "n-first");
      const half = createHash("sha256").update(tokens.access_token).digest().subarray(0, 16).toString("base64url");
      assertEquals([at_hash, more], [half, {}]);
    }
    assertEquals(first.sub === "alice", client_id === "spa");
  });
});

test("[RT-08, ID-01] without openid a refresh returns no ID token and no user claims", async () => {
  const b = await open();
  const { refresh_token } = await publicTokens(b, { scope: "read" });
  assertEquals(Object.keys(await refreshTokens(b, refresh_token)).sort(), [
    ...["access_token", "expires_in", "refresh_token", "scope", "token_type"],
  ]);
});

test("[RT-08, OI-08] claims requested by name stay requested", async () => {
  const b = await open();
  const claims = '{"userinfo":{"name":null},"id_token":{"name":{"essential":true}}}';
  const first = await publicTokens(b, { scope: "openid", claims });
  const second = await refreshTokens(b, first.refresh_token);
  assertEquals(decodeClaims(second.id_token).name, "Alice Adams");
  assertEquals(await (await userinfo(b, second.access_token)).json(), { sub: "alice", name: "Alice Adams" });
});

test("[TK-02, TK-03, TK-04, RT-07] a refresh is a form without repeated parameters, and identifies its client", async () => {
  const b = await open();
  const { refresh_token } = await webTokens(b);
  const good = {
    path: "/oauth2/token",
    fields: { grant_type: "refresh_token", refresh_token },
    headers: basicHeader("web"),
  };
  await assertAcceptsFormsOnly(b, good);
  await assertParametersOnce(b, good);
  await assertAuthenticatesClients(b, good);
  assertEquals(getRevokedGrants(b), []);
  await refreshTokens(b, refresh_token, ...asWeb);
});

test("[RT-02, PK-09] a code_verifier in a refresh has no effect", async () => {
  const b = await open();
  const { refresh_token } = await publicTokens(b);
  await refreshTokens(b, refresh_token, { code_verifier: challenge, redirect_uri: "https://evil.example/" });
});

test("[RT-10] refresh.lifetimeMembers lists what a response says about the lifetime of its refresh token", async () => {
  const names = ["refresh_token_expires_in", "refresh_token_timeout", "authorization_expires_in"] as const;
  const lifetimes = { refresh_token: 1000, refresh_token_idle: 400 };
  const valuesOf = (tokens: object) => names.map((name) => (tokens as Record<string, unknown>)[name]);
  const silent = await open({ lifetimes });
  assertEquals(valuesOf(await publicTokens(silent)), [undefined, undefined, undefined]);
  const b = await open({ lifetimes, refresh: { lifetimeMembers: names, grace: 10 } });
  const first = await publicTokens(b);
  assertEquals(valuesOf(first), [400, 400, 1000]);
  b.advance(390);
  const second = await refreshTokens(b, first.refresh_token);
  assertEquals(valuesOf(second), [400, 400, 610]);
  b.advance(9);
  assertEquals(valuesOf(await refreshTokens(b, first.refresh_token)), [391, 391, 601]);
  b.advance(300);
  assertEquals(valuesOf(await refreshTokens(b, second.refresh_token)), [301, 301, 301]);
  const one = await open({ lifetimes, refresh: { lifetimeMembers: ["refresh_token_expires_in"] } });
  const { refresh_token } = await webTokens(one, "web");
  one.advance(100);
  assertEquals(valuesOf(await fetchIntrospection(one, refresh_token, "web")), [300, undefined, undefined]);
  // A confidential client keeps its token, which this use extends.
  const again = await refreshTokens(one, refresh_token, {}, basicHeader("web"));
  assertEquals(valuesOf(again), [400, undefined, undefined]);
  const metadata = await Promise.all(
    [silent, b, one].map(async ({ get }) =>
      (await (await get("/.well-known/oauth-authorization-server")).json()).refresh_token_expiration_types_supported
    ),
  );
  assertEquals(metadata, [undefined, ["token_timeout", "authorization"], undefined]);
});
