/** Authorization codes: format, bindings, and single use (group CI). */

import { assert, assertEquals, assertGreaterOrEqual, assertMatch, assertRejects } from "@std/assert";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { ConfigurationError, type LatchkeyOptions, memoryStore } from "../../../src/mod.ts";
import {
  assertTokenResponse,
  basic,
  challenge,
  clients,
  decodeClaims,
  forEachCase,
  getOutcome,
  getRejections,
  observedStore,
  testServer,
  webRequest,
  webToken,
} from "../../kit.ts";
import type { Fields, TestServer } from "../../kit.ts";
import { storePairs } from "../store_pairs.ts";
import { latchkey } from "../../secret_leak_check.ts";

const start = Date.UTC(2026, 0, 1);
const otherVerifier = "0123456789-0123456789-0123456789-0123456789";

/** `other` is public like `spa` and shares its redirect URI, so that only the id differs. */
const severalUsers: LatchkeyOptions = {
  clients: [
    ...clients,
    { client_id: "other", redirect_uris: ["https://spa.example/cb", "https://spa.example/cb2"] },
    { client_id: "web2", client_secret: "web2-secret", redirect_uris: ["https://web.example/cb"] },
  ],
  users: [{ sub: "alice" }, { sub: "bob" }],
};

const webBasic = { headers: basic("web", "web-secret") };

/** Grant of the newest code. */
function grantOf({ events }: TestServer): string {
  const event = events.findLast((event) => event.type === "code_issued");
  return event!.grantId;
}

function revokedGrants({ events }: TestServer): string[] {
  return events.flatMap((event) => event.type === "grant_revoked" ? [event.grantId] : []);
}

function count(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of outcomes) counts[one] = (counts[one] ?? 0) + 1;
  return counts;
}

test("[CI-01] two thousand codes are URL-safe, have 160 bits and share no prefix", async () => {
  const { code } = await testServer();
  const codes: string[] = [];
  for (let i = 0; i < 2000; i++) codes.push(await code());
  for (const one of codes) assertMatch(one, /^[A-Za-z0-9_-]{27,}$/);
  assertEquals(new Set(codes.map((one) => one.slice(0, 8))).size, codes.length, "two codes begin alike");
  assertEquals(new Set(codes.map((one) => one.slice(-8))).size, codes.length, "two codes end alike");
  let bits = 0;
  for (let place = 0; place < codes[0]!.length; place++) {
    bits += Math.log2(new Set(codes.map((one) => one[place])).size);
  }
  assertGreaterOrEqual(Math.round(bits), 160);
});

test("[CI-01] a code is one read of at least 160 bits from the random source", async () => {
  const drawn: Uint8Array[] = [];
  const b = await testServer({
    randomBytes(bytes) {
      const values = crypto.getRandomValues(new Uint8Array(bytes));
      drawn.push(values);
      return values;
    },
  });
  const code = await b.code();
  const source = drawn.find((bytes) => Buffer.from(bytes).toString("base64url") === code);
  assert(source, "no random value is the code");
  assertGreaterOrEqual(source.length, 20);
});

test("[CI-02] a code is valid until the last millisecond of its lifetime and never after", async () => {
  const lifetimes: [LatchkeyOptions["lifetimes"], number][] = [[undefined, 300], [{ code: 600 }, 600], [
    { code: 1 },
    1,
  ]];
  await forEachCase(lifetimes, async ([lifetimes, seconds]) => {
    for (const [late, expected] of [[-0.001, "200"], [0, "400 invalid_grant"], [86400, "400 invalid_grant"]] as const) {
      const b = await testServer({ lifetimes });
      const code = await b.code();
      b.advance(seconds + late);
      assertEquals(await getOutcome(await b.token({ code })), expected, `${late} s after the end`);
    }
  });
});

test("[CI-02] the code lifetime must be a whole number of seconds from 1 to 600", async () => {
  await forEachCase([601, 0, -1, 1.5, NaN, Infinity], async (code) => {
    const error = await assertRejects(() => latchkey({ lifetimes: { code } }), ConfigurationError);
    assertEquals(error.issues.map((fault) => fault.path), ["lifetimes.code"]);
  });
});

test("[CI-02] a code in a store that outlives the server expires by the clock", async () => {
  const store = memoryStore();
  const before = await testServer({ store });
  const code = await before.code();
  const later = await testServer({ store, now: () => start + 300_000, lifetimes: { code: 600 } });
  assertEquals(await getOutcome(await later.token({ code })), "400 invalid_grant");
  assertEquals(getRejections(later.events)[0]!.explanation.rule, "CI-02");
});

test("[CI-03, CI-09] each binding of a code alone rejects a mismatch, without consuming the code", async () => {
  const b = await testServer(severalUsers);
  const code = await b.code();
  await forEachCase<[Fields, string?]>([
    [{ client_id: "other" }],
    [{ redirect_uri: "https://spa.example/cb2" }],
    [{ redirect_uri: "https://SPA.example/cb" }],
    [{ code_verifier: otherVerifier }],
    [{ code_verifier: challenge }],
    [{ code_verifier: undefined }],
    [{ redirect_uri: undefined }, "400 invalid_request"],
    [{ code: code.slice(0, -1) }],
    [{ code: `${code}A` }],
    [{ code: code.toLowerCase() }],
    [{ code: ` ${code}` }],
    [{ code: `${code}\0` }],
  ], async ([change, expected = "400 invalid_grant"]) => {
    assertEquals(await getOutcome(await b.token({ code, ...change })), expected);
  });
  assertEquals(revokedGrants(b), []);
  assertEquals(await getOutcome(await b.token({ code })), "200");
});

test("[CI-03] two codes of one client do not accept each other's challenge or redirect URI", async () => {
  const b = await testServer(severalUsers);
  const otherChallenge = createHash("sha256").update(otherVerifier).digest("base64url");
  const one = { client_id: "other", redirect_uri: "https://spa.example/cb" };
  const two = { client_id: "other", redirect_uri: "https://spa.example/cb2" };
  const first = await b.code(one);
  const second = await b.code({ ...two, code_challenge: otherChallenge });
  for (const [code, uris] of [[first, two], [second, one]] as const) {
    assertEquals(await getOutcome(await b.token({ ...uris, code })), "400 invalid_grant");
    assertEquals(await getOutcome(await b.token({ ...uris, code, code_verifier: otherVerifier })), "400 invalid_grant");
  }
  assertEquals(await getOutcome(await b.token({ ...two, code: second })), "400 invalid_grant");
  assertEquals(
    await getOutcome(await b.token({ ...one, code: first, code_verifier: otherVerifier })),
    "400 invalid_grant",
  );
  assertEquals(await getOutcome(await b.token({ ...one, code: first })), "200");
  assertEquals(await getOutcome(await b.token({ ...two, code: second, code_verifier: otherVerifier })), "200");
});

test("[CI-03] tokens contain what was bound at approval, whatever the token request asks for", async () => {
  const b = await testServer(severalUsers);
  const code = await b.code({ scope: "openid read", nonce: "n-one", login_hint: "bob" });
  await b.code({ scope: "openid write", nonce: "n-two", login_hint: "alice" });
  b.advance(100);
  const greed = {
    ...{ scope: "openid read write", nonce: "n-two", sub: "alice", user: "alice", login_hint: "alice" },
    ...{ auth_time: "1", aud: "evil", audience: "evil", code_challenge: challenge, username: "alice", state: "x" },
  };
  const { access_token, id_token, scope } = await assertTokenResponse(await b.token({ code, ...greed }));
  const access = decodeClaims(access_token);
  const id = decodeClaims(id_token);
  assertEquals([scope, access.scope], ["openid read", "openid read"]);
  assertEquals([access.sub, id.sub, id.nonce], ["bob", "bob", "n-one"]);
  assertEquals([access.aud, access.client_id, id.aud], ["https://as.test", "spa", "spa"]);
  assertEquals(id.auth_time, start / 1000);
});

test("[CI-03] without a nonce in the authorization request no token has a nonce", async () => {
  const b = await testServer();
  const { id_token, access_token } = await assertTokenResponse(await b.token({ code: await b.code(), nonce: "mine" }));
  assertEquals(["nonce" in decodeClaims(id_token), "nonce" in decodeClaims(access_token)], [false, false]);
});

for (const [name, open] of Object.entries(storePairs)) {
  test(`[CI-04, CI-06] one of 50 and of 500 concurrent exchanges on two servers succeeds (${name})`, async () => {
    const [store, again] = await open();
    const one = await testServer({ store });
    const two = await testServer({ store: again });
    for (const tries of [50, 500]) {
      one.events.length = two.events.length = 0;
      const code = await one.code();
      const responses = await Promise.all(
        Array.from({ length: tries }, (_, i) => (i % 2 === 0 ? one : two).token({ code })),
      );
      const bodies = new Set(await Promise.all(responses.filter(({ ok }) => !ok).map((one) => one.clone().text())));
      assertEquals(count(await Promise.all(responses.map(getOutcome))), { "200": 1, "400 invalid_grant": tries - 1 });
      assertEquals(bodies.size, 1);
      const issued = [...one.events, ...two.events].filter((event) => event.type === "tokens_issued");
      assertEquals(issued.length, 1);
      assert(await store.get("revocation", grantOf(one)), "the losers were all in order, and ended nothing");
    }
    await one.as.close();
    await two.as.close();
  });

  test(`[CI-04] one of 50 concurrent exchanges with a secret succeeds, among 50 that fail (${name})`, async () => {
    const [store, again] = await open();
    await again.close();
    const b = await testServer({ ...severalUsers, store });
    const code = await b.code(webRequest);
    const tries = Array.from({ length: 50 }, () => [
      b.token({ ...webToken, code }, webBasic),
      b.token({ ...webToken, code }, { headers: basic("web2", "web2-secret") }),
    ]);
    assertEquals(count(await Promise.all((await Promise.all(tries.flat())).map(getOutcome))), {
      "200": 1,
      "400 invalid_grant": 99,
    });
    await b.as.close();
  });

  test(`[CI-08] a consumed code stays known until its expiry, even after expired records are deleted (${name})`, async () => {
    const [store, again] = await open();
    await again.close();
    const b = await testServer({ store });
    const code = await b.code();
    assertEquals(await getOutcome(await b.token({ code })), "200");
    for (const seconds of [0, 1, 29, 30, 120, 119.999]) {
      b.advance(seconds);
      await store.deleteExpired(start + elapsed(b));
      assertEquals(await getOutcome(await b.token({ code })), "400 invalid_grant");
      assertEquals(
        getRejections(b.events).at(-1)!.explanation.rule,
        "CI-06",
        `after ${seconds} s more it is forgotten`,
      );
    }
    for (const seconds of [0.001, 1, 3600]) {
      b.advance(seconds);
      await store.deleteExpired(start + elapsed(b));
      assertEquals(await getOutcome(await b.token({ code })), "400 invalid_grant");
    }
    await b.as.close();
  });
}

/** Milliseconds on the server's clock since it started: what its newest event says. */
function elapsed({ events }: TestServer): number {
  return events.at(-1)!.at - start;
}

test("[CI-04] a code consumed before a signing failure stays consumed", async () => {
  await forEachCase(
    ["the keys cannot be read", "the keys cannot be stored", "the keys are broken", "the random source fails"],
    async (fault) => {
      let broken = false;
      const inner = memoryStore();
      const store = observedStore(inner, (verb, [kind]) => {
        if (!broken || kind !== "key") return;
        if (
          fault.endsWith("be read") && verb === "get" || fault.endsWith("be stored") && verb === "add"
        ) throw new Error(fault);
      });
      const b = await testServer({
        alg: "ES256",
        store,
        randomBytes(bytes) {
          if (broken && fault === "the random source fails") throw new Error(fault);
          return crypto.getRandomValues(new Uint8Array(bytes));
        },
      });
      const code = await b.code();
      broken = true;
      if (fault === "the keys are broken") {
        const jwk = { kty: "EC", crv: "P-256", x: "AA", y: "AA", d: "AA" };
        await inner.put("key", "ES256 0", { kid: "k", jwk, signsFrom: 0, longest: 3600 }, { expiresAt: Infinity });
      }
      assertEquals(await getOutcome(await b.token({ code })), "500 server_error");
      broken = false;
      assertEquals(await getOutcome(await b.token({ code })), "400 invalid_grant");
      assertEquals(b.events.filter((event) => event.type === "tokens_issued"), []);
    },
  );
});

test("[CI-04] a consume that the store wrote but could not confirm issues no tokens, and the code stays consumed", async () => {
  const inner = memoryStore();
  const store = observedStore(inner, (verb, [kind, id]) => {
    if (verb !== "consume") return;
    inner.consume(kind as "code", id as string, start);
    throw new Error("the connection was lost");
  });
  const b = await testServer({ store });
  const code = await b.code();
  assertEquals(await getOutcome(await b.token({ code })), "500 server_error");
  assertEquals(await getOutcome(await b.token({ code })), "400 invalid_grant");
  assertEquals(b.events.filter((event) => event.type === "tokens_issued"), []);
});

test("[CI-05] attempts of other clients with a code do not affect its owner, before and after", async () => {
  const b = await testServer(severalUsers);
  const code = await b.code(webRequest);
  const thieves = () =>
    forEachCase<[Fields, RequestInit?]>([
      [{ client_id: "other" }],
      [{ client_id: "spa", redirect_uri: "https://web.example/cb", code_verifier: undefined }],
      [webToken, { headers: basic("web2", "web2-secret") }],
      [{ ...webToken, client_id: "web2" }, { headers: basic("web2", "web2-secret") }],
      [{ ...webToken, client_id: "poster", client_secret: "poster-secret" }],
    ], async ([fields, init]) => {
      assertEquals(await getOutcome(await b.token({ ...fields, code }, init)), "400 invalid_grant");
    });
  await thieves();
  assertEquals(await getOutcome(await b.token({ ...webToken, code }, webBasic)), "200");
  await thieves();
  assertEquals(revokedGrants(b), []);
});

test("[CI-06] a second exchange revokes the grant of the first for as long as its tokens live", async () => {
  await forEachCase(
    [{}, { access_token: 60, id_token: 7200 }, { access_token: 7200, id_token: 60 }],
    async (lifetimes) => {
      const store = memoryStore();
      const b = await testServer({ store, lifetimes });
      const code = await b.code();
      const grant = grantOf(b);
      const { access_token, id_token } = await assertTokenResponse(await b.token({ code }));
      assertEquals(await store.get("revocation", grant), undefined);
      b.advance(10);
      assertEquals(await getOutcome(await b.token({ code })), "400 invalid_grant");
      assertEquals(revokedGrants(b), [grant]);
      const { jti, exp } = decodeClaims(access_token);
      assert(String(jti).startsWith(`${grant}.`), "the access token does not name its grant");
      const end = Math.max(Number(exp), Number(decodeClaims(id_token).exp)) * 1000;
      for (const now of [start, (start + end) / 2, end - 1]) {
        await store.deleteExpired(now);
        assert(
          await store.get("revocation", grant),
          `${end - now} ms before its end the token counts as good again`,
        );
      }
    },
  );
});

test("[CI-06] a replay revokes only its own grant and may happen repeatedly", async () => {
  const b = await testServer();
  const code = await b.code();
  const grant = grantOf(b);
  const bystander = await b.code();
  await assertTokenResponse(await b.token({ code }));
  for (let i = 0; i < 3; i++) assertEquals(await getOutcome(await b.token({ code })), "400 invalid_grant");
  assertEquals([...new Set(revokedGrants(b))], [grant]);
  assertEquals(getRejections(b.events)[0]!.explanation.rule, "CI-06");
  assertEquals(await getOutcome(await b.token({ code: bystander })), "200");
});

test("[CI-07] an invalid second exchange revokes nothing", async () => {
  const store = memoryStore();
  const b = await testServer({ ...severalUsers, store });
  const code = await b.code();
  const grant = grantOf(b);
  await assertTokenResponse(await b.token({ code }));
  await forEachCase<Fields>([
    { code_verifier: otherVerifier },
    { code_verifier: undefined },
    { code_verifier: "short" },
    { redirect_uri: "https://spa.example/cb2" },
    { redirect_uri: undefined },
    { client_id: "other" },
    { client_id: "unknown" },
    { client_id: "web" },
    { client_secret: "guess" },
    { grant_type: "refresh_token" },
    { grant_type: undefined },
    { code: [code, code] },
  ], async (change) => assertMatch(await getOutcome(await b.token({ code, ...change })), /^40[01] /));
  assertEquals([revokedGrants(b), await store.get("revocation", grant)], [[], undefined]);
});

test("[CI-07] a second exchange of a confidential client without the correct secret revokes nothing", async () => {
  const store = memoryStore();
  const b = await testServer({ ...severalUsers, store });
  const code = await b.code(webRequest);
  const grant = grantOf(b);
  await assertTokenResponse(await b.token({ ...webToken, code }, webBasic));
  for (const init of [{ headers: basic("web", "guess") }, { headers: basic("web2", "web2-secret") }, {}]) {
    assertMatch(await getOutcome(await b.token({ ...webToken, code }, init)), /^40[01] invalid_(?:client|grant)$/);
    assertMatch(await getOutcome(await b.token({ ...webToken, client_id: "web", code }, init)), /^40[01] /);
  }
  assertMatch(await getOutcome(await b.token({ ...webToken, code, code_verifier: otherVerifier }, webBasic)), /^400 /);
  assertEquals([revokedGrants(b), await store.get("revocation", grant)], [[], undefined]);
});

test("[CI-09] a code survives every kind of failed attempt", async () => {
  const b = await testServer(severalUsers);
  await forEachCase<[Fields, RequestInit?]>([
    [{ redirect_uri: "https://web.example/cb/" }, webBasic],
    [{ redirect_uri: undefined }, webBasic],
    [{ code_verifier: otherVerifier }, webBasic],
    [{ grant_type: "password" }, webBasic],
    [{ client_id: "spa" }, webBasic],
    [{}, { headers: basic("web", "guess") }],
    [{ client_id: "web" }],
  ], async ([change, init]) => {
    const code = await b.code(webRequest);
    assertMatch(await getOutcome(await b.token({ ...webToken, code, ...change }, init)), /^40[01] /);
    assertEquals(await getOutcome(await b.token({ ...webToken, code }, webBasic)), "200");
  });
});

test("[CI-10] the store receives a digest of the code, the trace neither code nor digest", async () => {
  const received: unknown[] = [];
  const inner = memoryStore();
  const b = await testServer({
    ...severalUsers,
    store: observedStore(inner, (verb, args) => received.push([verb, ...args])),
  });
  const code = await b.code();
  await b.token({ code, code_verifier: otherVerifier });
  await b.token({ code, client_id: "other" });
  await b.token({ code });
  await b.token({ code });
  b.advance(300);
  await b.token({ code });
  const digest = createHash("sha256").update(`${b.as.issuer} ${code}`).digest();
  const forms = (["base64url", "base64", "hex"] as const).map((form) => digest.toString(form));
  const stored = JSON.stringify(received);
  assert(!stored.includes(code), "the store received the code");
  assert(
    forms.some((form) => stored.includes(form)),
    "the code is not stored under its SHA-256 digest",
  );
  const logged = JSON.stringify(b.events);
  for (const secret of [code, ...forms, ...forms.map((form) => form.slice(0, 16))]) {
    assert(!logged.includes(secret), "the trace contains the code or its digest");
  }
});

test("[CI-11] a removed client is invalid_client, and a new client with its id cannot use its code", async () => {
  const b = await testServer(severalUsers);
  const [code, webCode] = [await b.code(), await b.code(webRequest)];
  b.as.clients.delete("spa");
  b.as.clients.delete("web");
  assertEquals(await getOutcome(await b.token({ code })), "401 invalid_client");
  assertEquals(await getOutcome(await b.token({ ...webToken, code: webCode }, webBasic)), "401 invalid_client");
  assertEquals(await getOutcome(await b.token({ code, client_id: "other" })), "400 invalid_grant");
});

test("[CI-11] the code of a removed user is 400 invalid_grant", async () => {
  const b = await testServer(severalUsers);
  const [alice, bob] = [await b.code(), await b.code({ login_hint: "bob" })];
  b.as.users.delete("alice");
  assertEquals(await getOutcome(await b.token({ code: alice })), "400 invalid_grant");
  assertEquals(await getOutcome(await b.token({ code: bob })), "200");
});

test("[CI-11] the code of a revoked grant is 400 invalid_grant", async () => {
  const store = memoryStore();
  const b = await testServer({ store });
  const code = await b.code();
  await store.revoke(grantOf(b), start + 3_600_000);
  const bystander = await b.code();
  assertEquals(await getOutcome(await b.token({ code })), "400 invalid_grant");
  assertEquals(b.events.filter((event) => event.type === "tokens_issued"), []);
  assertEquals(await getOutcome(await b.token({ code: bystander })), "200");
});
