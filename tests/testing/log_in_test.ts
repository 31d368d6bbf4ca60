/** A login in one call, by a correct client. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import { rememberIssued } from "../../src/server/redaction/issued_secrets.ts";
import { memoryStore, type Plugin, type Store } from "../../src/mod.ts";
import { StoreError } from "../../src/core/store/store.ts";
import { wrapStore } from "../../src/testing/wrap_store.ts";
import { forEachCase } from "../kit.ts";
import { faults, LoginError } from "../../src/testing/mod.ts";
import { testLatchkey } from "./test_latchkey.ts";
import type { ClientAuthMethod } from "../../src/server/config/client_metadata.ts";

const methods: readonly ClientAuthMethod[] = [
  "none",
  "client_secret_basic",
  "client_secret_post",
  "client_secret_jwt",
  "private_key_jwt",
];

/** What a login is thrown with. */
async function thrown(login: Promise<unknown>): Promise<LoginError> {
  const error = await assertRejects(() => login, LoginError);
  assert(error instanceof LoginError);
  return error;
}

test("a login is one call, with every client authentication method", async () => {
  await using as = await testLatchkey();
  await forEachCase(methods, async (token_endpoint_auth_method) => {
    const client = as.client({ token_endpoint_auth_method });
    const { tokens, claims, callback, code, state, nonce, request } = await as.logIn(client);
    assertEquals([tokens.token_type, tokens.scope], ["Bearer", "openid profile email"]);
    assertEquals([claims!.sub, claims!.aud, claims!.nonce], ["alice", client.client_id, nonce]);
    assertEquals([callback.code, callback.state, callback.iss, callback.method], [code, state, as.issuer, "GET"]);
    assertEquals(request.searchParams.get("code_challenge_method"), "S256");
    const again = await as.refresh(client, tokens.refresh_token!);
    assertEquals(again.scope, tokens.scope);
  });
});

test("a login sends the parameters of its options", async () => {
  await using as = await testLatchkey();
  const client = as.client();
  const { tokens, claims, nonce, request } = await as.logIn(client, {
    scope: "openid read write",
    resource: "https://api.example/",
    prompt: "login",
    as: "bob",
    denyScopes: ["write"],
    authorization: { max_age: "60", nonce: "n0nce", state: undefined },
  });
  assertEquals([tokens.scope, claims!.sub, claims!.nonce, nonce], ["openid read", "bob", "n0nce", "n0nce"]);
  const { searchParams } = request;
  assertEquals([searchParams.get("prompt"), searchParams.get("max_age"), searchParams.has("state")], [
    "login",
    "60",
    false,
  ]);
  assertEquals(as.clients.find(client.client_id)!.redirectUris[0], searchParams.get("redirect_uri"));
});

test("without a code challenge in the request there is no verifier with the code", async () => {
  await using as = await testLatchkey();
  const plain = { code_challenge: undefined, code_challenge_method: undefined };
  await as.logIn(as.client({ confidential: true }), { authorization: plain });
  const error = await thrown(as.logIn(as.client(), { authorization: plain }));
  assertEquals([error.error, error.explanation?.rule], ["invalid_request", "PK-01"]);
});

test("verifier, state and nonce come from the random source of the server", async () => {
  const drawn = async () => {
    let byte = 0;
    await using as = await testLatchkey({
      randomBytes: (bytes) => Uint8Array.from({ length: bytes }, () => byte++ % 256),
    });
    const { verifier, state, nonce, code, tokens } = await as.logIn(as.client({ client_id: "spa" }));
    return [verifier, state, nonce, code, tokens.refresh_token];
  };
  const first = await drawn();
  assertEquals(new Set(first).size, 5);
  assertEquals(await drawn(), first);
});

test("the error of a rejected login has the reason: expected, received, rule", async () => {
  await using as = await testLatchkey();
  const client = as.client();
  const page = await thrown(as.logIn({ ...client, redirect_uri: "https://elsewhere.test/" }));
  assertEquals([page.status, page.explanation?.rule, page.callback], [400, "RU-01", undefined]);
  assertMatch(page.message, /\/oauth2\/authorize showed a page .* 400\n +redirect_uri is not registered/);
  assertMatch(
    page.message,
    /\n +expected: https:\/\/client\.test\/callback\n +received: https:\/\/elsewhere\.test\/\n/,
  );

  const sent = await thrown(as.logIn(client, { scope: "openid admin2", authorization: { code_challenge: "short" } }));
  assertEquals([sent.error, sent.callback?.error, sent.status], ["invalid_request", "invalid_request", undefined]);
  assertMatch(sent.message, /rejected client client-1: invalid_request, code_challenge .*\n +expected: /s);

  const responded = await thrown(as.logIn(client, { token: { redirect_uri: "https://client.test/other" } }));
  assertEquals([responded.status, responded.error, responded.explanation?.rule], [400, "invalid_grant", "TK-15"]);
  assertMatch(responded.message, /rejected client client-1: 400 invalid_grant, .*\[TK-15\]\n/);
  assertMatch(
    responded.message,
    /\n +expected: https:\/\/client\.test\/callback\n +received: https:\/\/client\.test\/other\n/,
  );

  const attacker = await thrown(as.logIn({ ...as.client({ confidential: true }), client_secret: "wrong" }));
  assertEquals([attacker.status, attacker.error], [401, "invalid_client"]);
});

test("errors contain no secret", async () => {
  await using as = await testLatchkey();
  const client = as.client();
  const { code, verifier } = await as.logIn(client);
  const { message } = await thrown(as.logIn(client, { token: { redirect_uri: `https://client.test/?code=${code}` } }));
  assert(!message.includes(code));
  const replay = { grant_type: "authorization_code", code, redirect_uri: client.redirect_uri, code_verifier: verifier };
  const replayed = await thrown(as.token(client, replay));
  assertEquals(replayed.explanation?.rule, "CI-06");
  assert(!replayed.message.includes(code) && !replayed.message.includes(verifier));
});

test("[AZ-22] the error of a login with a broken store names endpoint and error, which the client does not receive", async () => {
  const secret = `${"s3cret-".repeat(6)}x`;
  rememberIssued(secret);
  const broken = new TypeError(`no such row: ${secret}`);
  const away = new StoreError({ location: "test-store", expected: "a response", received: "none", hint: "wait" });
  const fail = () => Promise.reject(broken);
  const store = memoryStore();
  const put: Store["put"] = (kind, ...rest) => kind === "browser" ? fail() : store.put(kind, ...rest);
  await forEachCase<[string, Partial<Store>, "auto" | "interactive"]>([
    ["internal error at /oauth2/authorize: TypeError: no such row: …(43)", { put: fail }, "auto"],
    ["internal error at /oauth2/token: TypeError: no such row: …(43)", { consume: fail }, "auto"],
    ["internal error at /oauth2/login: TypeError: no such row: …(43)", { put }, "interactive"],
    ["internal error at /oauth2/authorize: TypeError: no such row: …(43)", { add: fail }, "interactive"],
    [
      "internal error at /oauth2/token: StoreError: test-store: expected a",
      { consume: () => Promise.reject(away) },
      "auto",
    ],
  ], async ([met, verbs, login]) => {
    await using as = await testLatchkey({ store: wrapStore(verbs.put === put ? store : memoryStore(), verbs), login });
    const error = await thrown(as.logIn(as.client()));
    const [first, ...others] = error.message.split("\n");
    assert(others.some((line) => line.startsWith(`  ${met}`)), error.message);
    assert(!/such row|test-store/.test(first!), first);
    assertEquals(error.cause, met.includes("StoreError") ? away : broken);
    assertEquals(error.explanation?.rule, "AZ-22");
    assert(error.callback === undefined || error.callback.internalError?.cause === broken);
  });
});

test("[AZ-22] a store may throw any value, and the error of the login still names the endpoint", async () => {
  for (const odd of [undefined, null, 0, Object.create(null), Symbol("odd")]) {
    await using as = await testLatchkey({ store: wrapStore(memoryStore(), { put: () => Promise.reject(odd) }) });
    const error = await thrown(as.logIn(as.client()));
    assert(error.message.includes("\n  internal error at /oauth2/authorize: "), error.message);
    assert("cause" in error && error.cause === odd);
  }
});

/** A plugin that changes the redirect of the authorization endpoint. */
function diverting(change: (url: URL) => void): Plugin {
  return {
    handle: (next) => async (request, peer) => {
      const response = await next(request, peer);
      if (response instanceof Response || response.headers.location === undefined) return response;
      const url = new URL(response.headers.location);
      change(url);
      return { ...response, headers: { ...response.headers, location: url.href } };
    },
  };
}

test("a correct client rejects a response with a wrong state or issuer", async () => {
  await forEachCase<[string, (url: URL) => void]>([
    ["state", ({ searchParams }) => searchParams.set("state", "another")],
    ["state", ({ searchParams }) => searchParams.delete("state")],
    ["iss", ({ searchParams }) => searchParams.set("iss", "https://other.test")],
    ["iss", ({ searchParams }) => searchParams.delete("iss")],
  ], async ([name, change]) => {
    await using as = await testLatchkey({ plugins: [diverting(change)] });
    const { message, callback } = await thrown(as.logIn(as.client()));
    assertMatch(message, new RegExp(`${name} is wrong\n +expected: .+\n +received: `));
    assert(callback?.code !== undefined);
  });
});

test("a response without a code, or without JSON, is a clear error", async () => {
  await using empty = await testLatchkey({ plugins: [diverting(({ searchParams }) => searchParams.delete("code"))] });
  assertMatch((await thrown(empty.logIn(empty.client()))).message, /neither a code nor an error/);
  const secret = "a-secret-that-should-stay-one".repeat(2);
  for (const [body, shown] of [["<html>Bad", "<html>Bad"], ["null", "null"], [`{"token":"${secret}`, "…"]]) {
    const broken: Plugin = {
      handle: (next) => async (request, peer) =>
        request.url.endsWith("/token") ? new Response(body, { status: 502 }) : await next(request, peer),
    };
    await using as = await testLatchkey({ plugins: [broken] });
    const { message, status } = await thrown(as.logIn(as.client()));
    assert(message.includes(`responded 502 with a body that is not a JSON object: ${shown}`), message);
    assertEquals([status, message.includes(secret)], [502, false]);
  }
});

test("no response of a server breaks the client of the mock: a malformed redirect or form, an ID token that is no text", async () => {
  await using as = await testLatchkey();
  const client = as.client();
  as.on("authorize").once(faults.status(302, { headers: { location: "//" } }));
  const redirected = await assertRejects(() => as.logIn(client), LoginError);
  assertMatch(redirected.message, /redirects to a malformed URL: \/\//);
  const form = '<form method="post" action="http://["><input type="hidden" name="code" value="x"></form>';
  as.on("authorize").once(faults.status(200, { body: form, headers: { "content-type": "text/html" } }));
  await assertRejects(() => as.logIn(client), LoginError, "showed a page instead of redirecting");
  for (const id_token of ["5", "{}", "[]", "null"]) {
    const headers = { "content-type": "application/json" };
    as.on("token").once(faults.status(200, { body: `{"access_token":"a","id_token":${id_token}}`, headers }));
    assertEquals((await as.logIn(client)).claims, undefined, id_token);
  }
});

test("a client gets tokens for itself, and missing credentials are a clear error", async () => {
  await using as = await testLatchkey();
  const client = as.client({ confidential: true });
  const { scope, access_token } = await as.token(client, { grant_type: "client_credentials", scope: "read" });
  assertEquals([scope, access_token.split(".").length], ["read", 3]);
  const { client_secret: _, ...bare } = client;
  await assertRejects(() => as.token(bare, {}), TypeError, "client_secret of client client-1");
  const { private_jwk: __, ...keyless } = as.client({ token_endpoint_auth_method: "private_key_jwt" });
  await assertRejects(() => as.token(keyless, {}), TypeError, "private_jwk of client client-2");
});
