/** Practices of authorization requests: PKCE, state, nonce, response type, scope, redirect URIs. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { checkPractices } from "../../../src/testing/check_practices.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import type { TestLatchkey } from "../../../src/testing/mod.ts";
import { attempt, discover, type Journey, logInTwice, postToken, testPractice } from "./practice_case.ts";

const logIn: Journey = (as) => as.logIn(as.client());
const twice: Journey = (as) => logInTwice(as);
const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

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

testPractice("pkce-s256", {
  has: logIn,
  lacks: [
    [/the method is plain/, withParameters({ code_challenge_method: "plain" })],
    [/absent, which means plain/, withParameters({ code_challenge_method: undefined })],
    [/has 20 characters/, withParameters({ code_challenge: "a".repeat(20) })],
  ],
  notSeen: withParameters({ code_challenge: undefined, code_challenge_method: undefined }),
});

testPractice("pkce-fresh", {
  has: twice,
  lacks: [[
    /same code_challenge/,
    (as) => logInTwice(as, { authorization: { code_challenge: challenge }, token: { code_verifier: verifier } }),
  ]],
  notSeen: logIn,
});

testPractice("pkce-random", {
  has: twice,
  lacks: [
    [/the verifier is the same as state/, async (as) => {
      const client = as.client();
      for (const letter of ["a", "b"]) {
        const state = letter.repeat(43);
        await attempt(as.logIn(client, { authorization: { state }, token: { code_verifier: state } }));
      }
    }],
    [/same 8 characters/, async (as) => {
      const client = as.client();
      for (const letter of ["a", "b"]) {
        await attempt(as.logIn(client, { token: { code_verifier: `my-application-${letter.repeat(30)}` } }));
      }
    }],
    [/is a time/, async (as) => {
      const client = as.client();
      for (const count of [1, 2]) {
        await attempt(as.logIn(client, { token: { code_verifier: String(as.clock.now() - 60_000 * count) } }));
      }
    }],
  ],
  notSeen: logIn,
});

testPractice("state-present", {
  has: logIn,
  lacks: [[/has no state/, withEach({}, { state: undefined })]],
  notes: [
    [/PKCE protects/, withParameters({ state: undefined })],
    [/nonce protects/, (as) => logInConfidentially(as, { ...withoutPkce, state: undefined })],
  ],
});

testPractice("state-random", {
  has: twice,
  lacks: [
    [/same state/, withEach({ state: "xyz" }, { state: "xyz" })],
    [/has 8 characters/, withEach({ state: "kJ8_ab2Q" }, { state: "Zq9-cd3R" })],
    [
      /continues from the previous/,
      withEach({ state: "login-request-number-00041" }, { state: "login-request-number-00042" }),
    ],
    [/read as JSON/, withEach({ state: btoa('{"returnTo":"/a"}') }, { state: btoa('{"returnTo":"/b"}') })],
    [/read as a URL/, withEach({ state: "https://client.test/one" }, { state: "https://client.test/two" })],
    [/read as an email/, withEach({ state: "alice@client.test" }, { state: "bob@client.test" })],
    [/read as a time/, (as) => withEach({ state: `${as.clock.now()}` }, { state: `${as.clock.now() + 1}` })(as)],
  ],
  notes: [[
    /is signed/,
    withEach(...["/a", "/b"].map((path) => ({ state: `${btoa(`{"to":"${path}"}`)}.${path.slice(1).repeat(43)}` }))),
  ]],
  notSeen: logIn,
});

testPractice("nonce-present", {
  has: logIn,
  lacks: [],
  notes: [[/no nonce/, withParameters({ nonce: undefined })]],
  notSeen: withParameters({ scope: "read", nonce: undefined }),
});

testPractice("nonce-fresh", {
  has: twice,
  lacks: [
    [/same nonce/, withEach({ nonce: "n-0S6_WzA2Mj" }, { nonce: "n-0S6_WzA2Mj" })],
    [/counter/, withEach({ nonce: "login-1001" }, { nonce: "login-1002" })],
  ],
  notSeen: logIn,
});

testPractice("code-flow-only", {
  has: logIn,
  lacks: [
    [/asks for tokens/, withParameters({ response_type: "code token" })],
    [/asks for tokens/, withParameters({ response_type: "token" })],
  ],
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

/** A login, and then two silent ones in the same browser. */
const silently = (seconds: number): Journey => async (as) => {
  const [client, browser] = [as.client(), as.browser()];
  await as.logIn(client, { browser });
  await as.logIn(client, { browser, prompt: "none" });
  as.clock.advance(seconds);
  await as.logIn(client, { browser, prompt: "none" });
};

testPractice("silent-login-bounded", {
  has: silently(61),
  lacks: [
    [/\d s ago/, silently(1)],
    [/login_required/, async (as) => {
      const client = as.client();
      await attempt(as.logIn(client, { prompt: "none" }));
      as.clock.advance(100);
      await attempt(as.logIn(client, { prompt: "none" }));
    }],
  ],
  notSeen: logIn,
});

testPractice("personal-data-not-in-urls", {
  has: logIn,
  lacks: [],
  notes: [[/the URL has login_hint/, withParameters({ login_hint: "alice" })]],
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

testPractice("redirect-uri-safe", {
  has: async (as) => {
    await logIn(as);
    await as.logIn(as.client({ redirect_uri: "http://127.0.0.1:4000/callback" }));
    await as.logIn(as.client({ redirect_uri: "com.example.app:/callback" }));
  },
  lacks: [
    [
      /uses http at client\.test/,
      (as) => attempt(as.logIn(as.client(), { authorization: { redirect_uri: "http://client.test/callback" } })),
    ],
    [/not absolute/, (as) => attempt(as.logIn(as.client(), { authorization: { redirect_uri: "/callback" } }))],
  ],
  notes: [[/localhost/, (as) => as.logIn(as.client({ redirect_uri: "http://localhost:4000/callback" }))]],
});

testPractice("par-alone", {
  has: (as) => as.logIn(as.client(), { par: true }),
  lacks: [[/repeats scope/, async (as) => {
    const client = as.client();
    const body = new URLSearchParams({
      ...{ client_id: client.client_id, redirect_uri: client.redirect_uri, response_type: "code", scope: "openid" },
      ...{ code_challenge: challenge, code_challenge_method: "S256" },
    });
    const { request_uri } = await (await as.fetch("/oauth2/par", { method: "POST", body })).json();
    await as.browser().authorize(
      { client_id: client.client_id, request_uri, scope: "openid" },
      {},
      client.redirect_uri,
    );
  }]],
  notSeen: logIn,
});
