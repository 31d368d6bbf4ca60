/** Practices at servers: metadata, registration, devices, resources, request objects, DPoP, several issuers, traps. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { checkPractices } from "../../../src/check/mod.ts";
import type { TestLatchkey } from "../../../src/testing/mod.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { practices, readPractices, type Recording } from "../../../src/recorder/practices/mod.ts";
import { attempt, discover, type Journey, postToken, testPractice, withRefresh } from "./practice_case.ts";
import { signingKey } from "../../../src/client/authentication.ts";
import { signedRequest } from "../../../src/client/request_object.ts";
import { signingContext } from "../../server/client_jwts.ts";

const logIn: Journey = (as) => as.logIn(as.client());

testPractice("metadata-followed", {
  has: async (as) => {
    await discover(as);
    await logIn(as);
  },
  lacks: [
    [/no URL with the path \/oauth\/token/, async (as) => {
      await discover(as);
      await as.fetch("/oauth/token", { method: "POST" });
    }],
    // The address of a client that knows no metadata.
    [/no URL with the path \/token/, async (as) => {
      await discover(as);
      await as.fetch("/token", { method: "POST" });
    }],
  ],
  notSeen: logIn,
});

/** Logins with so many fetches of metadata and keys in front. */
const fetching = (logins: number, documents: number): Journey => async (as) => {
  const client = as.client();
  for (let i = 0; i < logins; i++) {
    if (i < documents) await Promise.all([discover(as), as.fetch("/oauth2/jwks")]);
    await as.logIn(client);
  }
};

testPractice("metadata-cached", {
  has: fetching(3, 1),
  lacks: [[/fetched the metadata 3 times for 3 logins/, fetching(3, 3)]],
  notSeen: fetching(2, 2),
});

const mcp = (...paths: readonly string[]): Journey => async (as) => {
  await as.fetch(as.resource("/mcp").url, { method: "POST", body: "{}" });
  for (const path of paths) await (await as.fetch(path)).body?.cancel();
};

testPractice("discovery-in-order", {
  server: { metadataForms: ["openid-appended"] },
  has: mcp("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"),
  lacks: [[/first URL is \/\.well-known\/openid-configuration/, mcp("/.well-known/openid-configuration")]],
  notSeen: discover,
});

const registrationServer = { registration: { mode: "open" } } as const;
const metadata = { redirect_uris: ["https://client.test/callback"], token_endpoint_auth_method: "none" };
const complete = { ...metadata, application_type: "web", grant_types: ["authorization_code", "refresh_token"] };

testPractice("registration-rare", {
  server: registrationServer,
  has: (as) => as.register(complete),
  lacks: [
    [/registers again/, async (as) => {
      await as.register(complete);
      await as.register(complete);
    }],
    [/no application_type/, (as) => as.register(metadata)],
    [/did not register the grant type refresh_token/, async (as) => {
      const client = await as.register({ ...complete, grant_types: ["authorization_code"] });
      await postToken(as, { grant_type: "refresh_token", refresh_token: "unknown", client_id: client.client_id });
    }],
  ],
  notes: [[/does not use a redirect URI/, async (as) => {
    const redirect_uris = [...metadata.redirect_uris, "https://client.test/other"];
    await as.logIn(await as.register({ ...complete, redirect_uris }));
  }]],
  notSeen: logIn,
});

/** Polls after each number of seconds. */
const polling = (...waits: readonly number[]): Journey => async (as) => {
  const client = as.client();
  const response = await as.fetch("/oauth2/device_authorization", {
    method: "POST",
    body: new URLSearchParams({ client_id: client.client_id }),
  });
  const { device_code } = await response.json();
  for (const seconds of waits) {
    as.clock.advance(seconds);
    const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
    await postToken(as, { grant_type, device_code, client_id: client.client_id });
  }
};

testPractice("device-interval-kept", {
  server: { deviceAuthorization: true },
  has: polling(5, 5),
  lacks: [[/1.* s after the previous one, but the interval is 5 s/, polling(5, 1)]],
  notSeen: polling(5),
});

const resource = "https://api.test/";

testPractice("resource-stated", {
  has: (as) => as.logIn(as.client(), { resource, token: { resource } }),
  lacks: [
    [/the token request has no resource/, (as) => attempt(as.logIn(as.client(), { resource }))],
    [
      /the token request https:\/\/other\.test/,
      (as) => attempt(as.logIn(as.client(), { resource, token: { resource: "https://other.test/" } })),
    ],
    [/the request has no resource/, async (as) => {
      await as.fetch(as.resource("/mcp").url, { method: "POST", body: "{}" });
      await logIn(as);
    }],
  ],
  notSeen: logIn,
});

/** An authorization request with a request object of our own. */
const signing = (claims: Readonly<Record<string, unknown>>): Journey => async (as) => {
  const client = as.client({ token_endpoint_auth_method: "private_key_jwt" });
  const context = signingContext(as.clock.now() / 1000, as.issuer);
  const sent = await signedRequest(context, await signingKey(client), { client_id: client.client_id }, { claims });
  await as.fetch(`/oauth2/authorize?${new URLSearchParams(sent)}`, { redirect: "manual" });
};

testPractice("request-object-narrow", {
  has: (as) => as.logIn(as.client({ token_endpoint_auth_method: "private_key_jwt" }), { signedRequest: true }),
  lacks: [
    [/not the issuer/, signing({ aud: "https://other.test" })],
    [/no exp/, signing({ exp: undefined })],
    [/is the client_id/, signing({ sub: "client-1" })],
    [/contains request_uri/, signing({ request_uri: "https://client.test/request" })],
  ],
  notSeen: logIn,
});

/** A userinfo request with a proof of our own. */
const proving =
  (options: Parameters<Awaited<ReturnType<TestLatchkey["dpopKey"]>>["proof"]>[2], scheme = "DPoP") =>
  async (as: TestLatchkey) => {
    const dpop = await as.dpopKey();
    const { tokens: { access_token } } = await as.logIn(as.client(), { dpop });
    const url = `${as.issuer}/oauth2/userinfo`;
    const proof = await dpop.proof("GET", url, { accessToken: access_token, ...options });
    await as.fetch(url, { headers: { authorization: `${scheme} ${access_token}`, dpop: proof } });
  };

testPractice("dpop-proofs-sound", {
  has: proving({}),
  lacks: [
    [/typ of the proof/, proving({ header: { typ: "JWT" } })],
    [/htm is POST/, proving({ claims: { htm: "POST" } })],
    [/htu is not the URL/, proving({ claims: { htu: "https://other.test/" } })],
    [/no jti/, proving({ claims: { jti: undefined } })],
    [/iat of the proof is \d+ s/, proving({ claims: { iat: 1 } })],
    [/ath is not the hash/, proving({ claims: { ath: "wrong" } })],
    [/scheme Bearer/, proving({}, "Bearer")],
    [/same jti/, async (as) => {
      const dpop = await as.dpopKey();
      const { tokens: { access_token } } = await as.logIn(as.client(), { dpop });
      const url = `${as.issuer}/oauth2/userinfo`;
      const headers = await dpop.headers("GET", url, access_token);
      for (let i = 0; i < 2; i++) await as.fetch(url, { headers });
    }],
    [/two keys/, async (as) => {
      const { tokens: { access_token } } = await as.logIn(as.client(), { dpop: true });
      const url = `${as.issuer}/oauth2/userinfo`;
      await as.fetch(url, { headers: await (await as.dpopKey()).headers("GET", url, access_token) });
    }],
  ],
  notSeen: logIn,
});

/** The outcome of a practice at two servers. */
async function atTwoServers(
  id: string,
  journey: (first: TestLatchkey, second: TestLatchkey) => Promise<unknown>,
): Promise<string> {
  await using first = await testLatchkey({ issuer: "https://one.test" });
  await using second = await testLatchkey({ issuer: "https://two.test" });
  await journey(first, second);
  return (await checkPractices([first, second])).results.find(({ practice }) => practice.id === id)!.outcome;
}

test("credentials-stay-with-issuer: two logins pass, a token at the other issuer fails, one issuer shows nothing", async () => {
  const id = "credentials-stay-with-issuer";
  assertEquals(await atTwoServers(id, (one, two) => Promise.all([logIn(one), logIn(two)])), "passed");
  assertEquals(await atTwoServers(id, logIn), "skipped");
  const outcome = await atTwoServers(id, async (one, two) => {
    const { tokens } = await one.logIn(one.client(), withRefresh);
    await postToken(two, { grant_type: "refresh_token", refresh_token: tokens.refresh_token!, client_id: "client-1" });
  });
  assertEquals(outcome, "failed");
});

test("callback-tells-issuers-apart: a redirect URI for each issuer passes, a common one needs the check of iss", async () => {
  const id = "callback-tells-issuers-apart";
  const at = (as: TestLatchkey, path: string) => as.logIn(as.client({ redirect_uri: `https://client.test${path}` }));
  assertEquals(await atTwoServers(id, (one, two) => Promise.all([at(one, "/one"), at(two, "/two")])), "passed");
  assertEquals(await atTwoServers(id, (one, two) => Promise.all([at(one, "/cb"), at(two, "/cb")])), "passed");
  assertEquals(await atTwoServers(id, logIn), "skipped");
  await using one = await testLatchkey({ issuer: "https://one.test" });
  await using two = await testLatchkey({ issuer: "https://two.test" });
  await Promise.all([at(one, "/cb"), at(two, "/cb")]);
  const recordings = [one, two].map(({ issuer, log }) => ({ issuer, exchanges: log.unmasked.exchanges }));
  const outcomeIf = async (rejectsWrongIssuer: boolean) =>
    (await readPractices(recordings, { rejectsWrongIssuer, of: practices.filter((practice) => practice.id === id) }))[
      0
    ]!.outcome;
  assertEquals([await outcomeIf(true), await outcomeIf(false)], ["passed", "failed"]);
});

/** The outcome of a practice in a recording with facts that a log does not have. */
async function withFacts(id: string, facts: Partial<Recording>, journey: Journey): Promise<string> {
  await using as = await testLatchkey();
  await journey(as);
  const recording = { issuer: as.issuer, exchanges: as.log.unmasked.exchanges, ...facts };
  return (await readPractices([recording], { of: practices.filter((practice) => practice.id === id) }))[0]!.outcome;
}

const trap = (...urls: readonly string[]) => ({
  trap: { origin: "https://trap.test", requests: urls.map((url) => ({ url, body: "" })) },
});

test("tokens-stay-home: tokens at other endpoints and origins are found, and without another origin nothing is seen", async () => {
  const id = "tokens-stay-home";
  assertEquals(await withFacts(id, trap(), logIn), "passed");
  assertEquals(await withFacts(id, {}, logIn), "skipped");
  const misplaced: Journey = async (as) => {
    const { tokens } = await as.logIn(as.client(), withRefresh);
    await as.fetch("/oauth2/userinfo", { headers: { authorization: `Bearer ${tokens.refresh_token}` } });
  };
  assertEquals(await withFacts(id, {}, misplaced), "failed");
  await using as = await testLatchkey();
  const { tokens } = await as.logIn(as.client());
  const recording = { issuer: as.issuer, exchanges: as.log.unmasked.exchanges };
  const [result] = await readPractices([{ ...recording, ...trap(`https://trap.test/?t=${tokens.access_token}`) }], {
    of: practices.filter((practice) => practice.id === id),
  });
  assertEquals([result!.outcome, result!.because], ["failed", "the access token was sent to https://trap.test"]);
  assert(!result!.because.includes(tokens.access_token));
});

test("callback-not-open: a browser that arrives at the URL of a parameter is found", async () => {
  const id = "callback-not-open";
  const redirect_uri = "https://client.test/callback?returnTo=https://trap.test/";
  const returning: Journey = (as) => as.logIn(as.client({ redirect_uri }));
  assertEquals(await withFacts(id, trap(), returning), "passed");
  assertEquals(await withFacts(id, trap("https://trap.test/"), returning), "failed");
  assertEquals(await withFacts(id, trap("https://trap.test/"), logIn), "skipped");
});
