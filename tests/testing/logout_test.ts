/** Logout of clients in the mock: a client under test receives logout tokens, real ones and minted ones. */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { createRemoteJWKSet, customFetch, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import { test } from "node:test";
import type { MintedLogoutToken } from "../../src/testing/mint_logout_token.ts";
import type { TestLatchkey } from "../../src/testing/mod.ts";
import { testLatchkey } from "./test_latchkey.ts";

const logoutUri = "https://app.test/logged-out";
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";

/** A client as its libraries are: it verifies a logout token (Back-Channel Logout §2.6), and ends the session. */
function clientApp(as: TestLatchkey, client_id: string) {
  const keys = createRemoteJWKSet(new URL(`${as.issuer}/oauth2/jwks`), {
    [customFetch]: (url, init) => as.fetch(url, init as RequestInit),
    cacheMaxAge: 0,
  });
  const sessions = new Map<string, string>();
  const usedIds = new Set<string>();

  async function verify(token: string): Promise<string> {
    const { payload } = await jwtVerify(token, keys, {
      typ: "logout+jwt",
      issuer: as.issuer,
      audience: client_id,
      currentDate: new Date(as.clock.now()),
      requiredClaims: ["iat", "exp", "jti", "events"],
      maxTokenAge: 300,
    });
    const { events, nonce, sid, jti } = payload as Record<string, unknown>;
    if (nonce !== undefined) throw new Error("a logout token has no nonce");
    if (!Object.hasOwn(events as object, logoutEvent)) throw new Error("no logout event");
    if (typeof sid !== "string") throw new Error("no sid");
    if (usedIds.has(jti as string)) throw new Error("used before");
    usedIds.add(jti as string);
    return sid;
  }

  return {
    sessions,
    logIn({ id_token }: { readonly id_token?: string }) {
      const { sid, sub } = decodeJwt(id_token!);
      sessions.set(sid as string, sub!);
    },
    async handle(request: Request): Promise<Response> {
      try {
        sessions.delete(await verify((await request.formData()).get("logout_token") as string));
        return new Response(null, { status: 204 });
      } catch (error) {
        return Response.json({ error: "invalid_request", error_description: String(error) }, { status: 400 });
      }
    },
    async post(logout_token: string): Promise<number> {
      const body = new URLSearchParams({ logout_token });
      return (await this.handle(new Request(logoutUri, { method: "POST", body }))).status;
    },
  };
}

async function start(subject_type: "public" | "pairwise" = "public") {
  const as = await testLatchkey({ seed: "logout" });
  const client = as.client({ backchannel_logout_uri: logoutUri, subject_type });
  const app = clientApp(as, client.client_id);
  as.serve(logoutUri, (request) => app.handle(request));
  return { as, client, app, [Symbol.asyncDispose]: () => as.close() };
}

test("[BL-04, BL-06, BL-07] as.endSession ends the session of an ID token, and the client under test is called", async () => {
  for (const subjectType of ["public", "pairwise"] as const) {
    await using mock = await start(subjectType);
    const { as, client, app } = mock;
    const [alice, bob] = [await as.logIn(client), await as.logIn(client, { as: "bob" })];
    app.logIn(alice.tokens);
    app.logIn(bob.tokens);
    await as.endSession(alice.tokens.id_token!);
    assertEquals([...app.sessions.values()], [decodeJwt(bob.tokens.id_token!).sub]);
    assertEquals(as.log.logoutCalls.map(({ client, attempt, status }) => [client, attempt, status]), [
      [client.client_id, 1, 204],
    ]);
    await as.endSession(alice.tokens.id_token!);
    assertEquals(as.log.logoutCalls.length, 1);
    await assertRejects(() => as.endSession(alice.tokens.access_token), TypeError, "endSession: expected an ID token");
    as.log.clear();
    assertEquals(as.log.logoutCalls, []);
  }
});

test("[BL-04] endSession with a user ends the sessions of that user alone, by program and over HTTP", async () => {
  for (const subjectType of ["public", "pairwise"] as const) {
    await using mock = await start(subjectType);
    const { as, client, app } = mock;
    const logIn = async (user: string) => app.logIn((await as.logIn(client, { as: user })).tokens);
    await logIn("alice");
    await logIn("bob");
    await as.endSession({ sub: "alice" });
    assertEquals([app.sessions.size, as.log.logoutCalls.length], [1, 1]);
    await assertRejects(() => as.endSession({ sub: "nobody" }), TypeError, "no user");
  }
  await using as = await testLatchkey({ control: true });
  let calls = 0;
  const client = as.client({ backchannel_logout_uri: "https://client.test/back" });
  as.serve("https://client.test/back", () => (calls++, new Response()));
  await as.logIn(client);
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"sub":"alice"}' };
  const { status } = await as.fetch("/_control/endSession", init);
  assertEquals([status, calls], [204, 1]);
});

test("[BL-04] a client under test that logs out by the browser is called before the redirect", async () => {
  await using mock = await start();
  const { as, client, app } = mock;
  const browser = as.browser();
  const { tokens } = await as.logIn(client, { browser });
  app.logIn(tokens);
  const response = await browser.open(`/oauth2/logout?id_token_hint=${tokens.id_token}`);
  assertEquals([response.status, app.sessions.size], [200, 0]);
});

test("[BL-09, BL-11] the test scripts the response, and a failed call is repeated by the clock", async () => {
  await using mock = await start();
  const { as, client } = mock;
  let calls = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  as.serve(logoutUri, () => {
    if (++calls === 2) resolve();
    return new Response(null, { status: calls === 1 ? 503 : 200 });
  });
  await as.endSession((await as.logIn(client)).tokens.id_token!);
  const [{ retryAt } = {}] = as.log.logoutCalls;
  assertEquals(retryAt, as.clock.now() + 60_000);
  as.clock.advance(61);
  await as.fetch("/oauth2/jwks");
  await promise;
  assertEquals(calls, 2);
});

test("a reset clears sessions without calling clients, and forgets the served URLs", async () => {
  let calls = 0;
  await using as = await testLatchkey({ outbound: () => (calls++, Promise.resolve(new Response())) });
  const client = as.client({ backchannel_logout_uri: logoutUri });
  as.serve(logoutUri, () => (calls += 10, new Response()));
  await as.logIn(client);
  await as.reset();
  assertEquals(calls, 0);
  const again = as.client({ backchannel_logout_uri: logoutUri });
  await as.endSession((await as.logIn(again)).tokens.id_token!);
  assertEquals(calls, 1);
});

test("[FC-02, FC-04] the browser of a test loads the frames of the logout page, and continues", async () => {
  await using as = await testLatchkey();
  const client = as.client({ frontchannel_logout_uri: "https://client.test/front?tenant=7", client_name: "A & B" });
  const requests: string[] = [];
  as.serve("https://client.test/front", ({ url }) => (requests.push(url), new Response("bye")));
  for (const postLogoutRedirectUri of ["https://client.test/logged-out", undefined]) {
    const browser = as.browser();
    const { tokens: { id_token: idToken } } = await as.logIn(client, { browser });
    const callback = await browser.logOut({ idToken, postLogoutRedirectUri, state: postLogoutRedirectUri && "s&t" });
    assertEquals([callback?.url.split("?")[0], callback?.state], [
      postLogoutRedirectUri,
      postLogoutRedirectUri && "s&t",
    ]);
    const query = new URLSearchParams({ iss: as.issuer, sid: decodeJwt(idToken!).sid as string });
    assertEquals(requests.pop(), `https://client.test/front?tenant=7&${query}`);
  }
  assertEquals(requests, []);
});

test("a minted logout token is valid, and each scripted defect is one that a correct client rejects", async () => {
  await using mock = await start();
  const { as, client, app } = mock;
  const { tokens } = await as.logIn(client);
  const { sid, sub } = decodeJwt(tokens.id_token!);
  const valid = await as.mint.logoutToken({ client, sub: "alice", sid: sid as string });
  assertEquals(decodeProtectedHeader(valid).typ, "logout+jwt");
  assertEquals([decodeJwt(valid).sid, decodeJwt(valid).sub, decodeJwt(valid).aud], [sid, sub, client.client_id]);
  app.logIn(tokens);
  assertEquals([await app.post(valid), app.sessions.size], [204, 0]);
  const defects: MintedLogoutToken[] = [
    { expired: true },
    { notYetValid: true },
    { signedBy: "wrong key" },
    { signedBy: "unknown key" },
    { alg: "none" },
    { issuer: "https://other.test" },
    { typ: "JWT" },
    { claims: { iss: "https://other.test" } },
    { claims: { aud: "another" } },
    { claims: { nonce: "n" } },
    { claims: { events: {} } },
    ...["iat", "exp", "jti", "events", "sid"].map((name) => ({ claims: { [name]: undefined } })),
  ];
  for (const defect of defects) {
    app.logIn(tokens);
    const status = await app.post(await as.mint.logoutToken({ client, sid: sid as string, ...defect }));
    assertEquals([status, app.sessions.size], [400, 1], JSON.stringify(defect));
  }
  const other = await as.mint.logoutToken({ client, sub: "bob", expiresIn: 30 });
  const { exp, iat } = decodeJwt(other);
  assertEquals([exp! - iat!, decodeJwt(other).sub], [30, "bob"]);
  await assertRejects(() => as.mint.logoutToken({ nonce: "n" } as MintedLogoutToken), TypeError, "nonce");
});

test("without sid a minted logout token has that of the only session at the client, otherwise none", async () => {
  await using mock = await start();
  const { as, client } = mock;
  const sidOf = async (options: MintedLogoutToken) => decodeJwt(await as.mint.logoutToken(options));
  const none = await sidOf({ client, sub: "alice" });
  assertEquals([none.sub, "sid" in none], ["alice", false]);
  const browser = as.browser();
  const { tokens } = await as.logIn(client, { browser });
  const { sid } = decodeJwt(tokens.id_token!);
  assertEquals((await sidOf({ client, sub: "alice" })).sid, sid);
  assertEquals("sid" in await sidOf({ client, sub: "bob" }), false, "the session of another user");
  const other = as.client({ backchannel_logout_uri: "https://other.test/logout" });
  assertEquals("sid" in await sidOf({ client: other, sub: "alice" }), false, "a session at another client");
  assertEquals((await sidOf({ client, sub: "alice", sid: "given" })).sid, "given");
  await as.logIn(client);
  assertEquals("sid" in await sidOf({ client, sub: "alice" }), false, "two sessions");
});

test("as.issue changes the logout tokens that the server posts", async () => {
  await using mock = await start();
  const { as, client } = mock;
  const audiences: unknown[] = [];
  as.serve(logoutUri, async (request) => {
    const { aud, extra } = decodeJwt((await request.formData()).get("logout_token") as string);
    audiences.push([aud, extra]);
    return Response.json({ error: "invalid_request", error_description: "wrong aud" }, { status: 400 });
  });
  as.issue.everyLogoutToken({ extra: 1 });
  as.issue.nextLogoutToken({ aud: "another" });
  for (let i = 0; i < 2; i++) {
    const browser = as.browser();
    const { tokens } = await as.logIn(client, { browser });
    await browser.open(`/oauth2/logout?id_token_hint=${tokens.id_token}`);
  }
  assertEquals(audiences, [["another", 1], [client.client_id, 1]]);
  const { warnings } = as.log.last("logout");
  assertMatch(warnings[0]!.received!, /^status 400 \(invalid_request: wrong aud\)$/);
  assertEquals(warnings[0]!.rule, "BL-09");
});
