/** The built-in test keys: shared, used in order of rotation, and rejected by production issuers. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ConfigurationError, memoryStore } from "../../src/mod.ts";
import type { Latchkey, LatchkeyOptions, SigningAlgorithm, Store } from "../../src/mod.ts";
import type { TraceEvent } from "../../src/server/trace.ts";
import { sqliteStore } from "../../src/core/store/sqlite.ts";
import { builtInKeys } from "../../src/testing/built_in_keys.ts";
import { p256KeyFrom } from "../../src/platform/runtime/p256_key.ts";
import { testKeys } from "../../src/testing/keys.ts";
import { latchkey } from "../secret_leak_check.ts";
import { testLatchkey } from "./test_latchkey.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-test-keys-"));
after(() => rmSync(folder, { recursive: true }));

const algorithms = ["RS256", "ES256", "EdDSA"] as const;

/** What a server needs in order to start on a real host. */
const real: LatchkeyOptions = {
  issuer: "https://login.acme.com",
  insecure: ["auto-login"],
  clients: [{ client_id: "spa", redirect_uris: ["https://app.acme.com/cb"] }],
};

async function publishedBy(as: Pick<Latchkey, "issuer">, ask: (url: string) => Promise<Response>) {
  return await (await ask(`${as.issuer}/oauth2/jwks`)).json();
}

/** A store that a test with that algorithm has left behind. */
async function leftBehind(store: Store, alg: SigningAlgorithm): Promise<void> {
  const as = await testLatchkey({ store: { ...store, close: () => Promise.resolve() }, alg });
  await as.mint.idToken();
  await as.close();
}

test("each built-in key has a test kid, is a complete key of its algorithm, and is unique", async () => {
  const values = new Set<unknown>();
  for (const alg of algorithms) {
    assertEquals(builtInKeys[alg].length, 4);
    for (const [i, { kid, jwk }] of builtInKeys[alg].entries()) {
      assertEquals(kid, `latchkey-test-${alg.toLowerCase()}-${i + 1}`);
      values.add(jwk.d);
    }
    await using as = await testLatchkey({ alg });
    for (const { kid } of builtInKeys[alg]) {
      const token = await as.mint.idToken();
      assertEquals(decodeProtectedHeader(token).kid, kid);
      await jwtVerify(token, createLocalJWKSet(await publishedBy(as, as.fetch)));
      if (kid !== builtInKeys[alg].at(-1)!.kid) await as.rotateKeys(alg, 0);
    }
  }
  assertEquals(values.size, 12);
});

test("after the last built-in key, rotation generates keys; with a seed it is an error", async () => {
  await using as = await testLatchkey({ alg: "ES256" });
  for (let i = 0; i < 4; i++) await as.rotateKeys("ES256", 0);
  assertMatch(decodeProtectedHeader(await as.mint.idToken()).kid!, /^[\w-]{43}$/);
  await using seeded = await testLatchkey({ alg: "ES256", seed: 1 });
  for (let i = 0; i < 3; i++) await seeded.rotateKeys("ES256", 0);
  await assertRejects(() => seeded.rotateKeys("ES256", 0), Error, "has 4 keys for ES256");
  assertEquals(decodeProtectedHeader(await seeded.mint.idToken()).kid, "latchkey-test-es256-4");
});

test("[JK-06] a mock server with a production issuer is rejected, unless it generates keys", async () => {
  const issuer = "https://login.acme.com";
  const error = await assertRejects(() => testLatchkey({ ...real, issuer }), ConfigurationError);
  assertMatch(
    error.message,
    /issuer\n {2}Expected a test host \(.* are public, found "https:\/\/login\.acme/,
  );
  assertMatch(error.message, /testKeys: false/);
  await assertRejects(() => testLatchkey({ ...real, issuer, seed: 1, testKeys: false }), ConfigurationError, "seed");
  await using as = await testLatchkey({ ...real, alg: "ES256", testKeys: false });
  const token = await as.mint.idToken();
  assertMatch(decodeProtectedHeader(token).kid!, /^[\w-]{43}$/);
  await jwtVerify(token, createLocalJWKSet(await publishedBy(as, as.fetch)), { issuer });
});

test("[JK-06] a production issuer neither signs with test keys nor stores them", async () => {
  for (const alg of algorithms) {
    const events: TraceEvent[] = [];
    const store = memoryStore();
    await using as = await latchkey({
      ...real,
      store,
      alg,
      keySource: testKeys(false),
      trace: (event) => void events.push(event),
    });
    const response = await as.fetch(new Request(`${as.issuer}/oauth2/jwks`));
    assertEquals(response.status, 500);
    assert(!(await response.text()).includes("latchkey-test"));
    const bugs = events.filter((event) => event.type === "internal_error");
    assertMatch(
      String(bugs[0]?.cause),
      /Expected secret signing keys, because the issuer is not a test host[^]*\(a loopback address, /,
    );
    await assertRejects(() => as.rotateKeys(), ConfigurationError, `"latchkey-test-${alg.toLowerCase()}-1"`);
    assertEquals(await store.get("key", `${alg} 0`), undefined);
  }
});

test("[JK-06] a production issuer rejects a store with test keys at start", async () => {
  for (const alg of algorithms) {
    const memory = memoryStore();
    await leftBehind(memory, alg);
    await assertRejects(() => latchkey({ ...real, store: memory }), ConfigurationError, "latchkey-test-");
    const path = join(folder, `${alg}.db`);
    await leftBehind(await sqliteStore(path), alg);
    await assertRejects(() => latchkey({ ...real, store: sqliteStore(path) }), ConfigurationError, "latchkey-test-");
    await using local = await latchkey({ store: sqliteStore(path), alg });
    const { keys } = await publishedBy(local, (url) => local.fetch(new Request(url)));
    assertMatch(keys[0].kid, /^latchkey-test-/);
  }
});

test("[JK-06] a production issuer whose store gets a test key later does not publish it and stops signing", async () => {
  const store = memoryStore();
  await using as = await latchkey({ ...real, store, alg: "ES256" });
  const ask = () => as.fetch(new Request(`${as.issuer}/oauth2/jwks`));
  assertEquals((await ask()).status, 200);
  await store.add("key", "ES256 1", { ...builtInKeys.ES256[1]!, signsFrom: 0, longest: 1 }, { expiresAt: Infinity });
  const response = await ask();
  assertEquals(response.status, 500);
  assert(!(await response.text()).includes("latchkey-test"));
});

test("a stored key with the kid of a test key is used as the key that it is", async () => {
  const { kid } = builtInKeys.ES256[0]!;
  const attacker = p256KeyFrom(new Uint8Array(32).fill(7));
  const store = memoryStore();
  await store.add("key", "ES256 0", { kid, jwk: { ...attacker }, signsFrom: 0, longest: 1 }, { expiresAt: Infinity });
  await using usual = await testLatchkey({ alg: "ES256" });
  await usual.mint.idToken();
  await using as = await testLatchkey({ alg: "ES256", store });
  const { keys } = await publishedBy(as, as.fetch);
  assertEquals([keys[0].kid, keys[0].x], [kid, attacker.x]);
  await jwtVerify(await as.mint.idToken(), createLocalJWKSet({ keys }));
});

test("servers of one process import a built-in key once", async () => {
  const { subtle } = crypto;
  const { importKey } = subtle;
  let imports = 0;
  const make = async () => {
    await using as = await testLatchkey({ alg: "EdDSA" });
    await as.mint.idToken();
  };
  await make();
  subtle.importKey = ((...args: Parameters<typeof importKey>) => {
    if ((args[0] as string) === "jwk") imports++;
    return importKey.apply(subtle, args);
  }) as typeof importKey;
  try {
    await make();
  } finally {
    delete (subtle as { importKey?: unknown }).importKey;
  }
  assertEquals(imports, 0);
});
