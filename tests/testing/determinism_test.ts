/** Servers with a seed: the same responses on every run and every runtime, byte by byte. */

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { decodeJwt } from "jose";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { seededRandom } from "../../src/testing/seeded_random.ts";
import type { TestLatchkey, TestLatchkeyOptions } from "../../src/testing/mod.ts";
import { testLatchkey } from "./test_latchkey.ts";

/** Logs in, refreshes, reads userinfo, authenticates with a key; and returns all random values and responses. */
async function play(as: TestLatchkey) {
  const client = as.client({ confidential: true });
  const machine = as.client({ token_endpoint_auth_method: "private_key_jwt" });
  const { code, verifier, state, nonce, callback, tokens } = await as.logIn(client, { scope: "openid email read" });
  as.clock.advance(90);
  const refreshed = await as.refresh(client, tokens.refresh_token!);
  const userinfo = await as.fetch("/oauth2/userinfo", {
    headers: { authorization: `Bearer ${refreshed.access_token}` },
  });
  return {
    client,
    machine,
    code,
    verifier,
    state,
    nonce,
    callback: callback.url,
    tokens,
    refreshed,
    userinfo: await userinfo.json(),
    minted: await as.mint.accessToken({ scope: "read" }),
    page: await (await as.fetch("/")).text(),
    keys: await (await as.fetch("/oauth2/jwks")).json(),
  };
}

type Transcript = Awaited<ReturnType<typeof play>>;

async function transcript(options: TestLatchkeyOptions): Promise<Transcript> {
  await using as = await testLatchkey(options);
  return await play(as);
}

/** A transcript with the claims of each JWT instead of the JWT; without `at_hash`, which depends on a signature. */
function withoutSignatures(value: Omit<Transcript, "page">): unknown {
  return JSON.parse(JSON.stringify(value), (_, member) => {
    if (typeof member !== "string" || !/^eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+$/.test(member)) return member;
    const { at_hash: _hash, ...claims } = decodeJwt(member);
    return claims;
  });
}

const digestOf = (value: unknown) => createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 32);

test("a seed gives the same transcript on Deno, Node and Bun", async () => {
  const { code, verifier, state, nonce, callback, tokens, client, machine, minted } = await transcript({
    seed: "latchkey",
    alg: "EdDSA",
  });
  assertEquals({ code, verifier, state, nonce, callback, tokens, minted }, {
    code: "dCQJBHgTAXSPmOfYqxNnA5097zYL251oxAe8xfwdj3I",
    verifier: "je8ZL7_ydSJhfaG8mN3nnm79iadvjBZbW800plYEvMw",
    state: "usvQY6iwIvbvll4GtrMHGA",
    nonce: "RgEYD1meeKlo6f4anKOQtQ",
    callback:
      "https://client.test/callback?code=dCQJBHgTAXSPmOfYqxNnA5097zYL251oxAe8xfwdj3I&state=usvQY6iwIvbvll4GtrMHGA&iss=https%3A%2F%2Flatchkey.test",
    tokens: {
      access_token:
        "eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCIsImtpZCI6ImxhdGNoa2V5LXRlc3QtZWRkc2EtMSJ9.eyJpc3MiOiJodHRwczovL2xhdGNoa2V5LnRlc3QiLCJzdWIiOiJhbGljZSIsImF1ZCI6Imh0dHBzOi8vbGF0Y2hrZXkudGVzdCIsImNsaWVudF9pZCI6ImNsaWVudC0xIiwic2NvcGUiOiJvcGVuaWQgZW1haWwgcmVhZCIsImlhdCI6MTc2NzIyNTYwMCwiZXhwIjoxNzY3MjI5MjAwLCJqdGkiOiJyc2t6MWJHWG01cHJhZXZqTjFBY3ZnLk5xUlFGQS1RN1NNLUFaTF9JbUpnNGciLCJhdXRoX3RpbWUiOjE3NjcyMjU2MDAsInNpZCI6IkpvSmJyX0lwTXJrRWJJV0V5di1HcGcifQ.Nfr22lorJVzSyBpUKNsfdenG7p4dtmVOsH_aOZqExfT2BnCIo6TwKzmNpAOnvnKi07DPZhBz8AY0njQsMBuICg",
      token_type: "Bearer",
      expires_in: 3600,
      scope: "openid email read",
      refresh_token: "AUN5pSYW5PTKFhylyUF_6MPQwH4USNO9TKPAKj_vpws",
      id_token:
        "eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCIsImtpZCI6ImxhdGNoa2V5LXRlc3QtZWRkc2EtMSJ9.eyJpc3MiOiJodHRwczovL2xhdGNoa2V5LnRlc3QiLCJzdWIiOiJhbGljZSIsImF1ZCI6ImNsaWVudC0xIiwiZXhwIjoxNzY3MjI5MjAwLCJpYXQiOjE3NjcyMjU2MDAsImF1dGhfdGltZSI6MTc2NzIyNTYwMCwibm9uY2UiOiJSZ0VZRDFtZWVLbG82ZjRhbktPUXRRIiwiYXRfaGFzaCI6IjVraXBpaTlsa1dNVWlVeVVxMXBfV082TnpQam5VZVItRUlfcHNpTS1tQ28iLCJzaWQiOiJKb0picl9JcE1ya0ViSVdFeXYtR3BnIn0.s0SOtaqD8BiYf0qSVRUTi7O5SithtzC53hKsvuT8SvoDKI64GexLaHOEEp5RyaXoNnZGuWLFpc6AyrOjqZlHCg",
    },
    minted:
      "eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCIsImtpZCI6ImxhdGNoa2V5LXRlc3QtZWRkc2EtMSJ9.eyJpc3MiOiJodHRwczovL2xhdGNoa2V5LnRlc3QiLCJzdWIiOiJhbGljZSIsImF1ZCI6Imh0dHBzOi8vbGF0Y2hrZXkudGVzdCIsImNsaWVudF9pZCI6ImNsaWVudC0xIiwic2NvcGUiOiJyZWFkIiwiaWF0IjoxNzY3MjI1NjkwLCJleHAiOjE3NjcyMjkyOTAsImp0aSI6Iko2SGtjeWVYVklNZG1SZ0NuTEhyV0EuOGFVc3ppNS11ZHJxaDdiNmwwN2N4USIsImF1dGhfdGltZSI6MTc2NzIyNTY5MCwic2lkIjoiNUdmYmVqMXVHdXZ0WW9fTFctejh6QSJ9.emUWgO16e2bEsWqgAAUxP052chfypcXqwPa7ie6JHMMClnKTqLPW2ieRLs6hXyUyyz_jHp4lCLc7Q4Tc7rFSDA",
  });
  assertEquals([client.client_secret, machine.private_jwk!.d], [
    "bHzx3GRSdeLgedZvyqzCMhFC8Ab6oP8Pj8_iwWBNFDo",
    "h62GjtF5gZESBWPwmN0CxMf32gS30m1SFn5_45nSqjc",
  ]);
});

test("a seed gives the same transcript with every algorithm; except for the signatures of ES256, which Node and Bun randomize", async () => {
  const digests: Record<string, string> = {};
  for (const alg of ["RS256", "ES256", "EdDSA"] as const) {
    const { page: _, ...logged } = await transcript({ seed: "latchkey", alg });
    digests[alg] = digestOf(alg === "ES256" ? withoutSignatures(logged) : logged);
  }
  assertEquals(digests, {
    RS256: "e25c534850ccf20276dc6286e63cf245",
    ES256: "d0db9a4f58fb7da7e283f0f321367762",
    EdDSA: "f768b557780e5fc162ebc77e5b885a70",
  });
});

test("a seed gives the same values in every server and after a reset; another seed gives other values", async () => {
  const first = await transcript({ seed: 7 });
  assertEquals(await transcript({ seed: 7 }), first);
  assertEquals(await transcript({ seed: "7" }), first);
  await using as = await testLatchkey({ seed: 7 });
  assertEquals(await play(as), first);
  await as.reset();
  assertEquals(await play(as), first);
  const other = await transcript({ seed: 8 });
  for (const name of ["code", "verifier", "state", "nonce"] as const) assertNotEquals(other[name], first[name]);
  assertNotEquals(other.client.client_secret, first.client.client_secret);
  assertEquals(other.keys, first.keys);
});

test("registering a client does not change the codes of other clients", async () => {
  await using as = await testLatchkey({ seed: 7 });
  for (let i = 0; i < 3; i++) as.client({ client_id: `other-${i}`, confidential: true });
  assertEquals((await play(as)).code, (await transcript({ seed: 7 })).code);
});

test("with a seed the clock is frozen at the start of 2026, or at startsAt", async () => {
  await using as = await testLatchkey({ seed: 1 });
  assertEquals([as.clock.now(), as.clock.frozen], [Date.UTC(2026, 0, 1), true]);
  await using later = await testLatchkey({ seed: 1, startsAt: new Date(Date.UTC(2027, 0, 1)) });
  assertEquals([later.clock.now(), later.clock.frozen], [Date.UTC(2027, 0, 1), true]);
});

test("without a seed no value is predictable", async () => {
  const [one, two] = [await transcript({}), await transcript({})];
  for (const name of ["code", "verifier", "state", "nonce"] as const) assertNotEquals(one[name], two[name]);
  assertNotEquals(one.client.client_secret, two.client.client_secret);
  assertNotEquals(one.machine.private_jwk!.d, two.machine.private_jwk!.d);
});

test("seeded random bytes depend only on the seed, for reads of any size, and are evenly distributed", () => {
  const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  assertEquals(hex(seededRandom("a")(16)), "647a1f9344820f3127a96fba618a9fce");
  assertEquals(hex(seededRandom("é")(8)), "bb5ec4fd3e1197fa");
  assertEquals(seededRandom("a")(5).length, 5);
  const heads = new Set(Array.from({ length: 2000 }, (_, i) => hex(seededRandom(`seed ${i}`)(8))));
  assertEquals(heads.size, 2000);
  for (const seed of ["", "a", "b"]) {
    const bytes = seededRandom(seed)(1 << 18);
    const counts = new Array<number>(256).fill(0);
    for (const byte of bytes) counts[byte]!++;
    const expected = bytes.length / 256;
    const chi2 = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    // 255 degrees of freedom: one in ten million lies outside.
    assert(chi2 > 150 && chi2 < 390, `${chi2} for seed "${seed}"`);
  }
});
