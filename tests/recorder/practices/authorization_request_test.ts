/** Practices of authorization requests: PKCE, state, nonce, response type, scope, redirect URIs. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { digest } from "../../../src/core/keys/secrets.ts";
import { checkPractices } from "../../../src/testing/check_practices.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import type { TestLatchkey } from "../../../src/testing/mod.ts";
import { attempt, discover, type Journey, logInTwice, postToken, testPractice } from "./practice_case.ts";

const logIn: Journey = (as) => as.logIn(as.client());
const twice: Journey = (as) => logInTwice(as);
const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/** A login with parameters of its own, in the authorization request and in the token request. */
const withParameters = (authorization: Readonly<Record<string, string | undefined>>, token = {}): Journey => (as) =>
  attempt(as.logIn(as.client(), { authorization, token }));

const withoutPkce = { code_challenge: undefined, code_challenge_method: undefined };

/** A login of a client with a secret, which sends no verifier. */
const logInConfidentially = (as: TestLatchkey, authorization: Readonly<Record<string, string | undefined>>) =>
  attempt(as.logIn(as.client({ confidential: true }), { authorization, token: { code_verifier: undefined } }));

/** Two logins, each with parameters of its own. */
const withEach = (...all: readonly Readonly<Record<string, string | undefined>>[]): Journey => async (as) => {
  const client = as.client();
  for (const authorization of all) await attempt(as.logIn(client, { authorization }));
};

testPractice("pkce-used", {
  has: logIn,
  lacks: [
    [/no code_challenge/, withParameters(withoutPkce)],
    [/has no code_challenge$/, (as) => logInConfidentially(as, { ...withoutPkce, nonce: undefined, state: undefined })],
  ],
  notes: [[/relies on the nonce/, (as) => logInConfidentially(as, withoutPkce)]],
  notSeen: discover,
});

test("pkce-used: a client that authenticates and sends state is advised to send a code challenge", async () => {
  await using as = await testLatchkey();
  await logInConfidentially(as, { ...withoutPkce, nonce: undefined });
  const { practice, outcome } = (await checkPractices(as)).results.find(({ practice: { id } }) => id === "pkce-used")!;
  assertEquals([practice.level, outcome], ["recommended", "warning"]);
});

/** Logins with values of one kind: a constant, a counter, a time, few characters that differ. */
const notRandom: Readonly<Record<string, readonly [string, string]>> = {
  "two requests have the same": ["n".repeat(43), "n".repeat(43)],
  "only 1 of the 43 characters": [
    "a-verifier-of-the-application-number-000041",
    "a-verifier-of-the-application-number-000042",
  ],
  "only 8 of the 43 characters": [
    `${"x".repeat(20)}kJ8_ab2Q${"y".repeat(15)}`,
    `${"x".repeat(20)}Zq9-cd3R${"y".repeat(15)}`,
  ],
  "only 5 of the 43 characters": [`${"0".repeat(30)}1893456000123`, `${"0".repeat(30)}1893456061987`],
  "has 43 characters, which can be guessed": ["a".repeat(43), "b".repeat(43)],
};

testPractice("pkce-random", {
  has: twice,
  lacks: [
    ...Object.entries(notRandom).slice(1).map(([because, values]): [RegExp, Journey] => [
      new RegExp(because),
      async (as) => {
        const client = as.client();
        for (const code_verifier of values) await attempt(as.logIn(client, { token: { code_verifier } }));
      },
    ]),
    [/same code_challenge/, (as) => logInTwice(as, { authorization: { code_challenge: challenge } })],
    ...([
      [/the same as state/, (state: string) => state],
      [/computed from state/, (state: string) => `${state}-verifier`],
      [/computed from state/, digest],
    ] as const).map(([because, derive]): [RegExp, Journey] => [because, async (as) => {
      const state = "q7-VbJ0sTn3LxPz5Yk2RwM8dHfCgUeAi1oXy6ZtB9Wl";
      await attempt(as.logIn(as.client(), { authorization: { state }, token: { code_verifier: await derive(state) } }));
    }]),
  ],
  notSeen: logIn,
});

testPractice("state-random", {
  has: twice,
  lacks: [
    [/same state/, withEach({ state: "xyz" }, { state: "xyz" })],
    [/has 8 characters/, withEach({ state: "kJ8_ab2Q" }, { state: "Zq9-cd3R" })],
    [/read as JSON/, withEach({ state: btoa('{"returnTo":"/a"}') }, { state: btoa('{"returnTo":"/b"}') })],
    [/read as a URL/, withEach({ state: "https://client.test/one" }, { state: "https://client.test/two" })],
    [/read as an email/, withEach({ state: "alice@client.test" }, { state: "bob@client.test" })],
    ...Object.entries(notRandom).map(([because, [one, other]]): [RegExp, Journey] => [
      new RegExp(because),
      withEach({ state: one }, { state: other }),
    ]),
  ],
  notes: [[
    /is signed/,
    withEach(...["/a", "/b"].map((path) => ({ state: `${btoa(`{"to":"${path}"}`)}.${path.slice(1).repeat(43)}` }))),
  ]],
  notSeen: logIn,
});

testPractice("nonce-fresh", {
  has: twice,
  lacks: [
    ...Object.entries(notRandom).map(([because, [one, other]]): [RegExp, Journey] => [
      new RegExp(because),
      withEach({ nonce: one }, { nonce: other }),
    ]),
    [/only 1 of the 13 characters/, withEach({ nonce: "1893456000123" }, { nonce: "1893456000124" })],
    [/3 characters, which can be guessed/, withEach({ nonce: "abc" }, { nonce: "xyz" })],
  ],
  notSeen: logIn,
});

testPractice("scope-minimal", {
  has: async (as) => {
    await discover(as);
    await logIn(as);
  },
  lacks: [
    [/metadata does not list admin/, async (as) => {
      await discover(as);
      await withParameters({ scope: "openid admin" })(as);
    }],
    [/not registered for email/, (as) => attempt(as.logIn(as.client({ scope: "openid" }), { scope: "openid email" }))],
    [/did not require write/, async (as) => {
      const { url } = as.resource("/mcp", { scopes: ["read"] });
      await as.fetch(url, { method: "POST", body: "{}" });
      await attempt(as.logIn(as.client(), { scope: "read write", resource: url }));
    }],
  ],
  notSeen: withParameters({ scope: undefined, nonce: undefined }),
});

testPractice("redirect-uri-exact", {
  has: logIn,
  lacks: [
    [/has no redirect_uri/, withParameters({}, { redirect_uri: undefined })],
    [
      /the token request https:\/\/client\.test\/callback\//,
      withParameters({}, {
        redirect_uri: "https://client.test/callback/",
      }),
    ],
  ],
  notSeen: (as) =>
    postToken(as, { grant_type: "authorization_code", code: "unknown", redirect_uri: "https://a.test/" }),
});

testPractice("callback-not-open", {
  has: (as) => as.logIn(as.client({ redirect_uri: "https://client.test/callback?next=/account" })),
  lacks: ["https://other.test/", "//other.test/", "http://127.0.0.1:4000/"].map((target): [RegExp, Journey] => [
    /the URL of another origin in next/,
    (as) => as.logIn(as.client({ redirect_uri: `https://client.test/callback?next=${target}` })),
  ]),
});
