/**
 * The life of signing keys: made, published, signing, retired, and what a verifier sees of it that caches (group JK).
 */

import { assert, assertEquals, assertGreater, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, type JWK, jwtVerify } from "jose";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { core } from "../../src/core/mod.ts";
import { ConfigurationError, memoryStore } from "../../src/mod.ts";
import type { KeySource, LatchkeyOptions, SigningAlgorithm, Store } from "../../src/mod.ts";
import { rotatingKeys } from "../../src/server/hosting/rotating_keys.ts";
import { sqliteStore } from "../../src/core/store/sqlite.ts";
import { builtInKeys } from "../../src/testing/built_in_keys.ts";
import { assertTokenResponse, clients, decodeClaims, encode, forEachCase, testServer } from "../kit.ts";
import type { TestServer, TokenResponseBody } from "../kit.ts";
import { openBrowser } from "./browser.ts";
import { storePairs } from "./store_pairs.ts";
import { latchkey } from "../secret_leak_check.ts";
import { until } from "../until.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-keys-"));
after(() => rmSync(folder, { recursive: true }));

let files = 0;
const newPath = () => join(folder, `${files++}.db`);

const start = Date.UTC(2026, 0, 1);
const day = 86_400;

/** Benches that share one clock, and one store or several. */
function serverKind() {
  let time = start;
  return {
    now: () => time,
    advance: (seconds: number) => void (time += seconds * 1000),
    open: (options: LatchkeyOptions) => testServer({ ...options, now: () => time }),
  };
}

async function issue(b: TestServer): Promise<TokenResponseBody> {
  return await assertTokenResponse(await b.token({ code: await b.code() }));
}

async function keysOf({ get }: TestServer): Promise<(JWK & { kid: string; alg: string })[]> {
  return (await (await get("/oauth2/jwks")).json()).keys;
}

const kidOf = (token: string) => decodeProtectedHeader(token).kid!;
const kidsOf = async (b: TestServer) => (await keysOf(b)).map(({ kid }) => kid);

/** A request that a schedule may be driven by: waits until so many keys are published. */
async function tick(b: TestServer, published = 1): Promise<void> {
  await b.get("/oauth2/jwks");
  await until(async () => (await keysOf(b)).length >= published);
}

/**
 * Waits for the key that the schedule of an hour creates, if one is due: an hour after the newest one began to sign.
 */
async function keyIfDue(now: () => number, ...servers: readonly TestServer[]): Promise<void> {
  const times = () =>
    servers.flatMap(({ events }) => events).flatMap((event) => event.type === "key_created" ? event.at : []);
  const created = times();
  // The first key signs immediately, the others after their lead.
  const [first, newest] = [Math.min(...created), Math.max(...created)];
  const signsFrom = newest === first ? first : newest + 300_000;
  if (signsFrom + 3_600_000 <= now()) await until(() => times().length > created.length);
}

/** A verifier that keeps the keys it fetched for 300 seconds, and asks no sooner, whatever it meets. */
class Verifier {
  #fetched = -Infinity;
  #keys: ReturnType<typeof createLocalJWKSet> = createLocalJWKSet({ keys: [] });
  readonly #clock: () => number;
  readonly #servers: readonly TestServer[];
  #turn = 0;

  constructor(clock: () => number, ...servers: readonly TestServer[]) {
    this.#clock = clock;
    this.#servers = servers;
  }

  async verify(token: string): Promise<void> {
    const time = this.#clock();
    if (time >= this.#fetched + 300_000) {
      const { get } = this.#servers[this.#turn++ % this.#servers.length]!;
      this.#keys = createLocalJWKSet(await (await get("/oauth2/jwks")).json() as JSONWebKeySet);
      this.#fetched = time;
    }
    await jwtVerify(token, this.#keys, { currentDate: new Date(time), issuer: "https://as.test" });
  }
}

test("[JK-04] a requested key is published immediately, signs after its lead, and the old key stays until its tokens expire", async () => {
  const b = await testServer({ lifetimes: { access_token: 900, id_token: 1800 } });
  const first = await issue(b);
  const [old] = await kidsOf(b);
  assertEquals([kidOf(first.access_token), kidOf(first.id_token)], [old, old]);
  await b.as.rotateKeys();
  const both = await kidsOf(b);
  assertEquals([both.length, both[0]], [2, old]);
  const timeline: [advance: number, signer: number, published: number][] = [
    [0, 0, 2],
    [299, 0, 2],
    [1, 1, 2],
    [1799, 1, 2],
    [1, 1, 1],
    [100_000, 1, 1],
  ];
  for (const [seconds, signer, published] of timeline) {
    b.advance(seconds);
    const { access_token, id_token } = await issue(b);
    assertEquals([kidOf(access_token), kidOf(id_token)], [both[signer], both[signer]]);
    assertEquals(await kidsOf(b), both.slice(2 - published));
  }
});

test("[JK-04] a token signed in the last second of a key verifies until it expires, for caching clients and the server", async () => {
  const { now, advance, open } = serverKind();
  const b = await open({ lifetimes: { access_token: 600, id_token: 600 } });
  await issue(b);
  await b.as.rotateKeys();
  advance(299.999);
  const last = await issue(b);
  advance(0.001);
  const next = await issue(b);
  assertNotEquals(kidOf(last.access_token), kidOf(next.access_token));
  advance(598);
  for (const token of [last, next]) {
    await new Verifier(now, b).verify(token.access_token);
    const response = await b.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${token.access_token}` } });
    assertEquals(response.status, 200);
  }
});

test("[JK-04] under the schedule every token verifies at every time", async () => {
  const { now, advance, open } = serverKind();
  const b = await open({ keys: { rotateEvery: 3600 }, lifetimes: { access_token: 900, id_token: 900 } });
  const verifiers = Array.from({ length: 4 }, () => new Verifier(now, b));
  const alive: { token: string; until: number }[] = [];
  const seen = new Set<string>();
  let most = 0;
  for (let i = 0; i < 260; i++) {
    // Maintenance is due each time.
    advance(61);
    const { access_token, id_token } = await issue(b);
    await keyIfDue(now, b);
    for (const token of [access_token, id_token]) {
      alive.push({ token, until: (decodeClaims(token).exp as number) * 1000 });
      seen.add(kidOf(token));
    }
    while (alive.length > 0 && alive[0]!.until <= now()) alive.shift();
    const verifier = verifiers[i % verifiers.length]!;
    for (const { token } of [alive[0]!, alive.at(-1)!, alive[Math.floor(alive.length / 2)]!]) {
      await verifier.verify(token);
    }
    most = Math.max(most, (await kidsOf(b)).length);
  }
  // 15,860 seconds at one key an hour, each with its lead of five minutes.
  assertEquals([seen.size, most], [5, 2]);
});

test("[JK-04] the schedule creates a key when due, not earlier, and once only after a long pause", async () => {
  const b = await testServer({ keys: { rotateEvery: day } });
  await issue(b);
  b.advance(day - 61);
  await tick(b);
  b.advance(60);
  await tick(b);
  assertEquals((await keysOf(b)).length, 1);
  b.advance(61);
  await Promise.all(Array.from({ length: 20 }, () => tick(b, 2)));
  assertEquals((await keysOf(b)).length, 2);
  for (let i = 0; i < 5; i++) {
    b.advance(61);
    await tick(b);
  }
  assertEquals(b.events.filter(({ type }) => type === "key_created").length, 2);
  b.advance(30 * day);
  await tick(b, 2);
  await tick(b, 2);
  assertEquals(b.events.filter(({ type }) => type === "key_created").length, 3);
});

test("[JK-04] without a schedule no key is created automatically", async () => {
  const b = await testServer();
  const [kid] = await kidsOf(b);
  for (let i = 0; i < 20; i++) {
    b.advance(30 * day);
    await tick(b);
  }
  assertEquals(await kidsOf(b), [kid]);
});

test("[JK-04] the schedule covers every algorithm in use, including those of clients, and no other", async () => {
  const b = await testServer({
    alg: "ES256",
    keys: { rotateEvery: day },
    clients: [...clients, {
      client_id: "ed",
      redirect_uris: ["https://e.example"],
      id_token_signed_response_alg: "EdDSA",
    }],
  });
  const count = async () => {
    const keys = await keysOf(b);
    return (["ES256", "EdDSA", "RS256"] as const).map((alg) => keys.filter((key) => key.alg === alg).length);
  };
  assertEquals(await count(), [1, 1, 0]);
  b.advance(day);
  await tick(b, 4);
  assertEquals(await count(), [2, 2, 0]);
});

test("[JK-04] a custom lead is used, and an invalid one is rejected", async () => {
  const b = await testServer({ keys: { lead: 1000 } });
  const before = kidOf((await issue(b)).access_token);
  await b.as.rotateKeys();
  b.advance(999);
  assertEquals(kidOf((await issue(b)).access_token), before);
  b.advance(1);
  assertNotEquals(kidOf((await issue(b)).access_token), before);
  await forEachCase([-1, NaN, Infinity], async (lead) => {
    await assertRejects(() => b.as.rotateKeys("ES256", lead), RangeError);
  });
  assertEquals((await keysOf(b)).length, 2);
});

test("[JK-04] key settings out of range are rejected at startup", async () => {
  await forEachCase([
    { rotateEvery: 3599 },
    { rotateEvery: 0 },
    { rotateEvery: -1 },
    { rotateEvery: NaN },
    { rotateEvery: 3600.5 },
    { lead: -1 },
    { lead: NaN },
    { lead: Infinity },
  ], async (keys) => {
    await assertRejects(() => latchkey({ issuer: "https://as.test", keys }), ConfigurationError);
  });
});

test("[JK-04] two servers that start together on one store sign with the same keys from the first token on", async () => {
  await forEachCase(Object.values(storePairs), async (open) => {
    const [s1, s2] = await open();
    const w = serverKind();
    const [one, two] = await Promise.all([w.open({ store: s1 }), w.open({ store: s2 })]);
    const tokens = await Promise.all([one, two, one, two].map(issue));
    assertEquals(new Set(tokens.flatMap(({ access_token, id_token }) => [access_token, id_token].map(kidOf))).size, 1);
    assertEquals(await kidsOf(one), await kidsOf(two));
  });
});

test("[JK-04] a server that was idle during another's rotation publishes and accepts the new key on its next request", async () => {
  await forEachCase(Object.values(storePairs), async (open) => {
    for (const asleep of [301, 3600, 5 * day]) {
      const [s1, s2] = await open();
      const w = serverKind();
      const [one, two] = await Promise.all([w.open({ store: s1 }), w.open({ store: s2 })]);
      await Promise.all([issue(one), issue(two)]);
      await one.as.rotateKeys();
      w.advance(asleep);
      const { access_token } = await issue(one);
      await new Verifier(w.now, two).verify(access_token);
      const response = await two.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } });
      assertEquals(response.status, 200);
      assertEquals(kidOf((await issue(two)).access_token), kidOf(access_token));
    }
  });
});

test("[JK-04] after an idle period any first request accepts the other server's token immediately", async () => {
  const ask: Readonly<Record<string, (b: TestServer, token: string) => Promise<boolean>>> = {
    userinfo: async (b, token) =>
      (await b.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${token}` } })).status === 200,
    jwks: async (b, token) => (await kidsOf(b)).includes(kidOf(token)),
    hint: async (b, token) => (await b.get(`/oauth2/logout?${encode({ id_token_hint: token })}`)).ok,
  };
  await forEachCase(Object.entries(ask), async ([name, accepted]) => {
    for (const open of Object.values(storePairs)) {
      const [s1, s2] = await open();
      const w = serverKind();
      const [one, two] = await Promise.all([w.open({ store: s1 }), w.open({ store: s2 })]);
      await Promise.all([issue(one), issue(two)]);
      await one.as.rotateKeys();
      w.advance(400);
      const { access_token, id_token } = await issue(one);
      assert(await accepted(two, name === "hint" ? id_token : access_token), "rejected");
    }
  });
});

test("[JK-04] even a rotation without a lead leaves every server of the store with the key", async () => {
  await forEachCase(Object.values(storePairs), async (open) => {
    const [s1, s2] = await open();
    const w = serverKind();
    const [one, two] = await Promise.all([w.open({ store: s1 }), w.open({ store: s2 })]);
    await Promise.all([issue(one), issue(two)]);
    await one.as.rotateKeys("ES256", 0);
    const { access_token } = await issue(one);
    const response = await two.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } });
    assertEquals(response.status, 200);
    assert((await kidsOf(two)).includes(kidOf(access_token)), "it is not published there");
  });
});

test("[JK-04] two servers on one schedule create one key together, and tokens verify with the keys of either", async () => {
  await forEachCase(Object.values(storePairs), async (open) => {
    const [s1, s2] = await open();
    const w = serverKind();
    const options: LatchkeyOptions = { keys: { rotateEvery: 3600 }, lifetimes: { access_token: 600, id_token: 600 } };
    const [one, two] = await Promise.all([w.open({ ...options, store: s1 }), w.open({ ...options, store: s2 })]);
    const verifier = new Verifier(w.now, one, two);
    const kids = new Set<string>();
    for (let i = 0; i < 65; i++) {
      w.advance(194);
      for (const { access_token } of await Promise.all([issue(one), issue(two)])) {
        kids.add(kidOf(access_token));
        await verifier.verify(access_token);
      }
      await keyIfDue(w.now, one, two);
    }
    // 12,610 seconds: a key an hour after the one before began to sign.
    const made = [...one.events, ...two.events].filter(({ type }) => type === "key_created");
    assertEquals([made.length, kids.size], [4, 4]);
  });
});

test("[JK-04, JK-05] keys, leads and retirements survive a restart on SQLite", async () => {
  const path = newPath();
  const w = serverKind();
  const open = async () =>
    await w.open({ store: await sqliteStore(path), lifetimes: { access_token: 900, id_token: 900 } });
  let b = await open();
  const restart = async (seconds: number) => {
    await b.as.close();
    w.advance(seconds);
    b = await open();
  };
  const first = await issue(b);
  await restart(0);
  assertEquals(kidOf((await issue(b)).access_token), kidOf(first.access_token));
  await b.as.rotateKeys();
  const both = await kidsOf(b);
  await restart(299);
  assertEquals([kidOf((await issue(b)).access_token), await kidsOf(b)], [both[0], both]);
  await new Verifier(w.now, b).verify(first.access_token);
  await restart(1);
  assertEquals(kidOf((await issue(b)).access_token), both[1]);
  await restart(899);
  assertEquals(await kidsOf(b), both);
  await restart(1);
  assertEquals(await kidsOf(b), both.slice(1));
  await restart(10 * day);
  assertEquals(kidOf((await issue(b)).access_token), both[1]);
  await b.as.close();
});

test("[JK-04] the schedule continues after a restart, counted from the creation of the key", async () => {
  const path = newPath();
  const w = serverKind();
  const open = async () => await w.open({ store: await sqliteStore(path), keys: { rotateEvery: day } });
  let b = await open();
  await issue(b);
  for (let i = 0; i < 4; i++) {
    w.advance(day / 4 + 1);
    await b.as.close();
    b = await open();
    w.advance(61);
    await tick(b, i === 3 ? 2 : 1);
  }
  assertEquals((await keysOf(b)).length, 2);
  await b.as.close();
});

test("[JK-04] lifetimes changed at a restart remove no key with valid tokens", async () => {
  const path = newPath();
  const w = serverKind();
  const open = async (seconds: number) =>
    await w.open({ store: await sqliteStore(path), lifetimes: { access_token: seconds, id_token: seconds } });
  const one = await open(7200);
  const { access_token } = await issue(one);
  await one.as.close();
  const two = await open(60);
  await two.as.rotateKeys();
  w.advance(3600);
  await new Verifier(w.now, two).verify(access_token);
  const response = await two.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } });
  assertEquals(response.status, 200);
  await two.as.close();
});

test("[LO-02, OI-07, JK-04] an ID token stays a valid hint after its signing key is no longer published", async () => {
  const b = await testServer({ lifetimes: { access_token: 600, id_token: 600 } });
  const browser = openBrowser(b);
  const { id_token: id_token_hint } = await browser.login();
  await b.as.rotateKeys();
  b.advance(300 + 600 + 1);
  assertEquals((await kidsOf(b)).includes(kidOf(id_token_hint)), false);
  assertEquals(await browser.authorizeSilently(), "code");
  assertEquals(await browser.authorizeSilently({ id_token_hint }), "code");
  const response = await browser.get(`/oauth2/logout?${encode({ id_token_hint })}`);
  assertEquals([response.status, await browser.authorizeSilently()], [200, "login_required"]);
});

test("[LO-02, OI-07] a hint signed by a retired key expires with its login", async () => {
  const lifetimes = { access_token: 600, id_token: 600, session: 3600, refresh_token: 7200 };
  const b = await testServer({ lifetimes });
  const browser = openBrowser(b);
  const { id_token: id_token_hint } = await browser.login();
  await b.as.rotateKeys();
  b.advance(300 + 600 + 7200 - 1);
  await browser.login();
  assertEquals(await browser.authorizeSilently({ id_token_hint }), "code");
  b.advance(1);
  assertEquals(await browser.authorizeSilently({ id_token_hint }), "invalid_request");
  const response = await browser.get(`/oauth2/logout?${encode({ id_token_hint })}`);
  assertEquals([response.status, await browser.authorizeSilently()], [400, "code"]);
});

test("[JK-02, JK-03] every key publishes only public members, under its thumbprint", async () => {
  const b = await testServer({ alg: "RS256" });
  for (const alg of ["RS256", "ES256", "EdDSA", "Ed25519"] as const) await b.as.rotateKeys(alg);
  const keys = await keysOf(b);
  assertEquals(keys.length, 8);
  assertEquals(new Set(keys.map(({ kid }) => kid)).size, 8);
  const members: Readonly<Record<string, string[]>> = {
    RS256: ["alg", "e", "kid", "kty", "n", "use"],
    ES256: ["alg", "crv", "kid", "kty", "use", "x", "y"],
    EdDSA: ["alg", "crv", "kid", "kty", "use", "x"],
    Ed25519: ["alg", "crv", "kid", "kty", "use", "x"],
  };
  for (const key of keys) assertEquals(Object.keys(key).sort(), members[key.alg]);
});

test("[JK-04] a hundred rotations in a row keep the key of every token, and leave one key in the end", async () => {
  const w = serverKind();
  const b = await w.open({ lifetimes: { access_token: 600, id_token: 600 } });
  const verifier = new Verifier(w.now, b);
  const tokens: string[] = [];
  for (let i = 0; i < 100; i++) {
    await b.as.rotateKeys();
    w.advance(7);
    const { access_token } = await issue(b);
    tokens.push(access_token);
    await verifier.verify(access_token);
    await verifier.verify(tokens[Math.max(0, i - 80)]!);
  }
  assertGreater(new Set(tokens.map(kidOf)).size, 10);
  w.advance(1000);
  assertEquals((await keysOf(b)).length, 1);
});

test("[JK-04, CI-04] rotations during traffic on two servers break no flow", async () => {
  const [s1, s2] = await storePairs.SQLite();
  const w = serverKind();
  const [one, two] = await Promise.all([w.open({ store: s1 }), w.open({ store: s2 })]);
  for (let i = 0; i < 20; i++) {
    w.advance(61);
    const work: Promise<unknown>[] = [one, two, one, two].map(async (b) => {
      const { access_token } = await issue(b);
      const other = b === one ? two : one;
      const response = await other.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } });
      assertEquals(response.status, 200);
    });
    if (i % 3 === 0) work.push(one.as.rotateKeys(), two.as.rotateKeys());
    await Promise.all(work);
  }
  assertEquals([...one.events, ...two.events].filter(({ type }) => type === "internal_error"), []);
});

test("[JK-05] a server with its own store shares no key and accepts no token", async () => {
  await forEachCase(["RS256", "ES256", "EdDSA"] as SigningAlgorithm[], async (alg) => {
    const [one, two] = await Promise.all([testServer({ alg }), testServer({ alg })]);
    const { access_token } = await issue(one);
    assertEquals((await kidsOf(two)).includes(kidOf(access_token)), false);
    const response = await two.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } });
    assertEquals(response.status, 401);
    assertMatch(response.headers.get("www-authenticate") ?? "", /error="invalid_token"/);
  });
});

test("[JK-02, JK-05] an external service signs with private keys, and the store has only the public keys", async () => {
  const vault = new Map<string, CryptoKey>();
  const keySource: KeySource = {
    async create(alg, number) {
      assertEquals(alg, "ES256");
      const { privateKey, publicKey } = await crypto.subtle.generateKey(
        { name: "ECDSA", namedCurve: "P-256" },
        false,
        ["sign", "verify"],
      );
      const kid = `vault-${number}`;
      vault.set(kid, privateKey);
      return { kid, jwk: { ...await crypto.subtle.exportKey("jwk", publicKey) } };
    },
    signFunction: (_alg, { kid }) => async (bytes) =>
      new Uint8Array(
        await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, vault.get(kid)!, new Uint8Array(bytes)),
      ),
  };
  const stored = memoryStore();
  const { open, advance } = serverKind();
  const b = await open({ alg: "ES256", keySource, store: stored });
  const first = await issue(b);
  assertEquals(kidOf(first.access_token), "vault-0");
  await b.as.rotateKeys();
  advance(day);
  const other = await open({ alg: "ES256", keySource, store: stored });
  const second = await issue(other);
  assertEquals(kidOf(second.access_token), "vault-1");
  await jwtVerify(second.access_token, createLocalJWKSet({ keys: await keysOf(b) }), {
    currentDate: new Date(start + day * 1000),
  });
  for (const number of [0, 1]) {
    const { jwk } = (await stored.get("key", `ES256 ${number}`))!.value;
    assertEquals(["d", "x"].map((member) => member in jwk), [false, true]);
  }
});

test("[JK-03, JK-05] mislabelled keys are rejected before a token is signed", async () => {
  const pair = () =>
    crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]) as Promise<
      CryptoKeyPair
    >;
  const [one, two] = await Promise.all([pair(), pair()]);
  const jwk = { ...await crypto.subtle.exportKey("jwk", one.privateKey) };
  const wrong: Record<string, KeySource> = {
    "another private half": {
      create: () => ({ kid: "a", jwk: { ...jwk } }),
      signFunction: () => async (bytes) =>
        new Uint8Array(
          await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, two.privateKey, new Uint8Array(bytes)),
        ),
    },
    "a signature of another form": {
      create: () => ({ kid: "a", jwk: { ...jwk } }),
      signFunction: () => () => new Uint8Array(70),
    },
  };
  for (const keySource of Object.values(wrong)) {
    const b = await testServer({ alg: "ES256", keySource });
    assertEquals((await b.token({ code: await b.code() })).status, 500);
    const bug = b.events.find(({ type }) => type === "internal_error") as { readonly cause: unknown } | undefined;
    assertMatch(String((bug?.cause as Error).message), /keySource\n {2}Expected ES256 signatures/);
  }
  const b = await testServer({ alg: "ES256", keySource: { create: () => ({ kid: "same", jwk: { ...jwk } }) } });
  await issue(b);
  await assertRejects(() => b.as.rotateKeys(), ConfigurationError, "a unique kid for each key");
  assertEquals(await kidsOf(b), ["same"]);
});

test("[JK-03, JK-05] the log says at the start what is wrong with a key source, and no key of it is stored", async () => {
  const [ec, otherEc] = builtInKeys.ES256;
  const [rsa] = builtInKeys.RS256;
  const create = (jwk: unknown, kid: unknown = "a") => ({ create: () => ({ kid, jwk }) as never });
  const fails = () => {
    throw new Error("of the vault");
  };
  const wrong: readonly (readonly [KeySource, received: string])[] = [
    [{ create: fails }, "of the vault"],
    [{ create: () => Promise.reject("away") }, '"away"'],
    [{ create: () => undefined as never }, "undefined"],
    [{ create: () => ec!.jwk as never }, "undefined"],
    [create(rsa!.jwk), ""],
    [create({ ...ec!.jwk, d: undefined }), ""],
    [create({ ...ec!.jwk, d: otherEc!.jwk.d }), "the error"],
    [{ ...create(ec!.jwk), signFunction: fails }, "of the vault"],
    [{ ...create(ec!.jwk), signFunction: () => ({}) as never }, "is not a function"],
    [{ ...create(ec!.jwk), signFunction: () => fails }, "of the vault"],
    [{ ...create(ec!.jwk), signFunction: () => () => undefined as never }, 'an invalid signature of the key "a"'],
    [{ ...create({ ...ec!.jwk, x: "" }), signFunction: () => () => new Uint8Array(64) }, ""],
    [{ ...create(rsa!.jwk), signFunction: () => () => new Uint8Array(64) }, 'kty \\"RSA\\"'],
    [{ ...create({ ...ec!.jwk, use: "enc" }), signFunction: () => () => new Uint8Array(64) }, "with use"],
  ];
  await forEachCase(wrong, async ([keySource, received]) => {
    const store = memoryStore();
    const b = await testServer({ alg: "ES256", keySource, store });
    await b.as.listen({ port: 0 });
    const causes = () => b.events.flatMap((event) => event.type === "internal_error" ? event : []);
    await until(() => causes().length > 0);
    assertEquals((await b.token({ code: await b.code() })).status, 500);
    for (const { cause } of causes()) {
      const [issue] = (cause as ConfigurationError).issues;
      assertEquals(issue!.path, "keySource");
      assert(issue!.received.includes(received), JSON.stringify(issue));
    }
    assertEquals(causes()[0]!.endpoint, "start");
    assertEquals(await store.get("key", "ES256 0"), undefined);
    await b.as.close();
  });
});

test("[JK-04] a refresh that fails late does not affect one that succeeded meanwhile", async () => {
  const inner = memoryStore();
  let fails: PromiseWithResolvers<never> | undefined;
  const store: Store = {
    ...inner,
    get: (kind, id) => {
      if (kind !== "key" || fails === undefined) return inner.get(kind, id);
      const { promise } = fails;
      fails = undefined;
      return promise;
    },
  };
  const lifetimes = { access_token: 0, id_token: 0, authorization_response: 0 };
  const keysOf = (store: Store) =>
    rotatingKeys({ store, now: () => 0, trace: () => {}, lifetimes, testKeys: "rejected" });
  const [ours, theirs] = [keysOf(store), keysOf(inner)];
  const first = (await ours.signer("ES256")).kid;
  await theirs.rotate("ES256", 0);

  const failing = fails = Promise.withResolvers<never>();
  const failed = assertRejects(() => ours.refresh());
  await ours.refresh();
  const second = (await ours.signer("ES256")).kid;
  assertNotEquals(second, first);
  failing.reject(new Error("the store is away"));
  await failed;
  await Promise.resolve();
  assertEquals((await ours.signer("ES256")).kid, second);
});

test("[JK-04] core() starts on the store of a server, until this one has rotated its keys", async () => {
  const store = memoryStore();
  const b = await testServer({ store });
  const { access_token } = await issue(b);
  const open = () => core({ issuer: "https://as.test", clients: [], users: [], store });
  const { fetch } = await open();
  const { keys } = await (await fetch(new Request("https://as.test/oauth2/jwks"))).json();
  assert(keys.some(({ kid }: JWK) => kid === kidOf(access_token)));
  await b.as.rotateKeys();
  await assertRejects(open, ConfigurationError, "found rotated keys for ");
});
