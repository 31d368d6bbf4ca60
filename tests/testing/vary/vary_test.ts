/** The profile `vary:SEED` (group VA). `VARY_SEEDS=200` runs so many of the mock's own client. */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import process from "node:process";
import { ConfigurationError } from "../../../src/mod.ts";
import { latchkey } from "../../secret_leak_check.ts";
import type { TestLatchkey } from "../../../src/testing/mod.ts";
import { variations } from "../../../src/testing/vary/variations.ts";
import { testLatchkey } from "../test_latchkey.ts";

/** A login, a refresh and userinfo of the mock's own client, for a public and a confidential client. */
async function logInAndRefresh(as: TestLatchkey): Promise<void> {
  for (const confidential of [false, true]) {
    const client = as.client({ confidential });
    const { tokens } = await as.logIn(client, { scope: "openid profile email offline_access" });
    await as.refresh(client, tokens.refresh_token!);
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const response = await as.fetch("/oauth2/userinfo", { headers });
    assertEquals((await response.json()).sub, "alice");
  }
}

/** The body, headers and status of every recorded response that a client received. */
async function responsesOf(profile: `vary:${string}`): Promise<readonly unknown[]> {
  await using as = await testLatchkey({ profile, seed: "one", alg: "EdDSA" });
  await logInAndRefresh(as);
  await as.fetch("/.well-known/openid-configuration");
  await as.fetch("/oauth2/jwks");
  return as.log.unmasked.exchanges.map(({ response }) => response);
}

test("[VA-01] without the profile nothing varies; a server without its plugin, or on a real host, does not start with it", async () => {
  await using as = await testLatchkey();
  await logInAndRefresh(as);
  assertEquals([as.vary.seed, as.vary.applied], [undefined, []]);
  await assertRejects(() => as.vary.minimize(() => {}), TypeError, "vary:SEED");
  await assertRejects(() => latchkey({ profile: "vary:7" }), ConfigurationError, "which a plugin brings");
  const issuer = "https://login.widgets.com";
  await assertRejects(
    () => testLatchkey({ issuer, testKeys: false, profile: "vary:7", insecure: ["auto-login"] }),
    ConfigurationError,
    "no profile for tests",
  );
  await assertRejects(() => testLatchkey({ profile: "vary:" as "vary:7" }), ConfigurationError, "vary:SEED");
  await assertRejects(() => testLatchkey({ profile: ["vary:7", "vary:8"] }), ConfigurationError, "each profile once");
  await assertRejects(
    () => testLatchkey({ profile: "vary:7:expires-in-absen" }),
    ConfigurationError,
    "expires-in-absent?",
  );
});

test("[VA-02] one seed gives the same responses, and another seed others", async () => {
  const first = await responsesOf("vary:7");
  assertEquals(await responsesOf("vary:7"), first);
  assert(JSON.stringify(await responsesOf("vary:8")) !== JSON.stringify(first));
});

test("[VA-03] the mock's own client logs in and refreshes under each variation alone, which changes a response", async () => {
  const unused: string[] = [];
  for (const { id } of variations) {
    let isApplied = false;
    for (let seed = 1; seed <= 8 && !isApplied; seed++) {
      await using as = await testLatchkey({ profile: `vary:${seed}:${id}`, alg: "EdDSA" });
      await logInAndRefresh(as);
      await as.logIn(as.client(), { scope: "openid" });
      await as.fetch("/.well-known/openid-configuration");
      await as.fetch("/oauth2/jwks");
      const client = as.client();
      await as.refresh(client, "unknown").catch(() => {});
      as.decisions.deny("alice");
      await as.logIn(client).catch(() => {});
      isApplied = as.vary.applied.some((variation) => variation.id === id);
    }
    if (!isApplied) unused.push(id);
  }
  assertEquals(unused, []);
});

test("[VA-03] the mock's own client logs in and refreshes under each seed", async () => {
  const failed: string[] = [];
  for (let seed = 1; seed <= Number(process.env.VARY_SEEDS ?? 3); seed++) {
    await using as = await testLatchkey({ profile: `vary:${seed}`, alg: "EdDSA" });
    const report = await as.vary.minimize(async () => {
      await logInAndRefresh(as);
      for (const options of [{ par: true }, { dpop: true }, { responseMode: "form_post" }] as const) {
        await as.logIn(as.client(), options);
      }
    });
    if (!report.passed) failed.push(String(report));
  }
  assertEquals(failed, []);
});

test("[VA-07] an error of the mock names the seed and the variations that responses had", async () => {
  await using as = await testLatchkey({ profile: "vary:7", alg: "EdDSA" });
  const client = as.client();
  await as.logIn(client);
  const names = as.vary.applied.map(({ id }) => id).join(", ");
  const rejected = await assertRejects(() => as.refresh(client, "unknown"));
  assertStringIncludes((rejected as Error).message, `profile vary:7, with ${names}`);
  as.decisions.deny("alice");
  const denied = await assertRejects(() => as.logIn(client));
  assertStringIncludes((denied as Error).message, "profile vary:7, with ");
  await using plain = await testLatchkey({ alg: "EdDSA" });
  const { message } = await assertRejects(() => plain.refresh(plain.client(), "unknown")) as Error;
  assertEquals(message.includes("profile"), false);
});

test("[VA-04] minimize names the one variation that a client does not accept, and the sentence that allows it", async () => {
  await using as = await testLatchkey({ profile: "vary:3", alg: "EdDSA" });
  const report = await as.vary.minimize(async () => {
    for (let i = 0; i < 4; i++) {
      const { tokens } = await as.logIn(as.client());
      if (tokens.expires_in === undefined) throw new Error("expires_in: expected a number");
    }
  });
  assertEquals([report.passed, report.variations.map(({ id }) => id)], [false, ["expires-in-absent"]]);
  assertEquals(report.profile, "vary:3:expires-in-absent");
  for (const part of ["vary:3", "needs expires_in", "RFC 6749 §5.1", "expected a number", report.profile!]) {
    assertStringIncludes(String(report), part);
  }
  assertStringIncludes(JSON.stringify(report), '"error":"expires_in: expected a number"');
  const passing = await as.vary.minimize(() => logInAndRefresh(as));
  assertEquals("error" in JSON.parse(JSON.stringify(passing)), false);
  assertEquals([passing.passed, passing.runs], [true, 1], String(passing));
  const broken = await as.vary.minimize(() => Promise.reject(new Error("always")));
  assertEquals([broken.passed, broken.variations], [false, []]);
  for (const part of ["without any variation too", "Each run resets the server"]) {
    assertStringIncludes(String(broken), part);
  }
});

test("[VA-04] minimize finds two variations that a client accepts one at a time", async () => {
  await using as = await testLatchkey({ profile: "vary:5", alg: "EdDSA" });
  const report = await as.vary.minimize(async () => {
    for (let i = 0; i < 8; i++) {
      const response = await as.fetch("/.well-known/openid-configuration");
      const isPlain = response.headers.get("content-type") === "application/json";
      const text = await response.text();
      if (!isPlain && text.includes("example_unknown")) throw new Error("both");
    }
  });
  const ids = report.variations.map(({ id }) => id);
  assert(ids.includes("charset") && ids.length === 2, String(report));
});

test("[VA-05] each variation has a name of its own, what a client relies on, and a sentence with its section", () => {
  assertEquals(new Set(variations.map(({ id }) => id)).size, variations.length);
  for (const { id, needs, allowed, source, fault, server } of variations) {
    assert(/^[a-z]+(-[a-z]+)*$/.test(id), id);
    assert(/^[a-z].*[^.]$/i.test(needs) && /^[A-Za-z].*\.$/.test(allowed), id);
    assert(source.split("; ").every((one) => /^(RFC \d+|OpenID Connect (Core|Discovery)) .*\d/.test(one)), source);
    assert((fault === undefined) !== (server === undefined), id);
  }
});

test("[VA-06] ID tokens have auth_time after max_age, and each its own jti", async () => {
  const seen: unknown[] = [];
  for (let seed = 1; seed <= 4; seed++) {
    const profile = `vary:${seed}:auth-time-absent+id-token-unknown-claims` as const;
    await using as = await testLatchkey({ profile, alg: "EdDSA" });
    const client = as.client();
    const before = (await as.logIn(client, { scope: "openid" })).claims!;
    const { claims } = await as.logIn(client, { scope: "openid", authorization: { max_age: "100" } });
    assertEquals(typeof claims!.auth_time, "number");
    const isVaried = as.vary.applied.some(({ id }) => id === "auth-time-absent");
    assertEquals(typeof before.auth_time, isVaried ? "undefined" : "number");
    seen.push(isVaried);
    if (before.jti !== undefined) assert(before.jti !== claims!.jti);
  }
  assertEquals(new Set(seen).size, 2);
});

test("[VA-06] under each seed the callback has state, and iss if and only if metadata says so; codes work once", async () => {
  const seen = new Set<unknown>();
  for (let seed = 1; seed <= 12; seed++) {
    await using as = await testLatchkey({ profile: `vary:${seed}`, alg: "EdDSA" });
    const metadata = await (await as.fetch("/.well-known/openid-configuration")).json();
    const client = as.client();
    const { callback, code, verifier, state } = await as.logIn(client);
    assertEquals(callback.params.get("state"), state);
    const announced = metadata.authorization_response_iss_parameter_supported === true;
    assertEquals(callback.params.get("iss"), announced ? as.issuer : null);
    seen.add(announced);
    assert(code.length >= 43);
    const { redirect_uri } = client;
    const again = { grant_type: "authorization_code", code, redirect_uri, code_verifier: verifier };
    await assertRejects(() => as.token(client, again));
  }
  assertEquals(seen.size, 2);
  await using strict = await testLatchkey({ profile: ["fapi2-security", "vary:2"], alg: "ES256" });
  const { callback } = await strict.logIn(strict.client());
  assertEquals(callback.params.get("iss"), strict.issuer);
});
