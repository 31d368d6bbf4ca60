/** What the server saw of the problem that a library reports: each fact is provoked, and stands beside the message. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { createRemoteJWKSet, decodeJwt, jwtVerify } from "jose";
import { test } from "node:test";
import * as openid from "openid-client";
import { explain } from "../../../src/cli/explain.ts";
import { inspector } from "../../../src/devtools/mod.ts";
import { problems } from "../../../src/devtools/messages/messages.ts";
import type { TestLatchkey } from "../../../src/testing/mod.ts";
import { forEachCase, goodRequest, verifier } from "../../kit.ts";
import { getRedirectLocation, openBrowser } from "../../server/applications.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";

const redirectUri = "http://localhost:3000/callback";

/** What the page of flows says of a text, without tags. */
async function seenOf(as: TestLatchkey, text: string): Promise<readonly string[]> {
  const page = await (await fetch(`${as.issuer}/flows?q=${encodeURIComponent(text)}`)).text();
  const [, list = ""] = /<p>What the server saw:<\/p><ul>(.*?)<\/ul>/.exec(page) ?? [];
  return [...list.matchAll(/<li>(.*?)<\/li>/g)].map(([, item]) => item!.replaceAll(/<[^>]*>/g, ""));
}

/** Runs with a server that listens, and its first client. */
async function withServer(run: (as: TestLatchkey, id: string, secret: string) => Promise<void>): Promise<void> {
  await using as = await testLatchkey({ alg: "RS256", plugins: [inspector()] });
  const { client_id, client_secret } = as.client({
    client_secret: "a-secret-of-32-characters-or-more",
    redirect_uri: redirectUri,
  });
  await as.listen({ port: 0 });
  await run(as, client_id, client_secret!);
}

/** What a library says when it fails. */
async function messageOf(run: () => Promise<unknown>): Promise<string> {
  try {
    await run();
  } catch (error) {
    const { message, cause } = error as Error;
    return [message, (cause as Error | undefined)?.message ?? ""].join("\n");
  }
  throw new Error("the library did not fail");
}

const insecure = { execute: [openid.allowInsecureRequests] };
const lostState = "Unable to verify authorization request state.";

/** A request that issues a code, from a page. */
async function beginLogin(as: TestLatchkey, client_id: string, referer?: string): Promise<void> {
  const query = new URLSearchParams({ ...goodRequest as Record<string, string>, client_id, redirect_uri: redirectUri });
  const headers = referer === undefined ? undefined : { referer };
  const response = await fetch(`${as.issuer}/oauth2/authorize?${query}`, { headers, redirect: "manual" });
  assertMatch(await getRedirectLocation(response), /\?code=/);
}

/** A login with openid-client. */
async function logIn(as: TestLatchkey, id: string, secret: string, pkceCodeVerifier = verifier) {
  const config = await openid.discovery(new URL(as.issuer), id, secret, undefined, insecure);
  const url = openid.buildAuthorizationUrl(config, {
    ...{ redirect_uri: redirectUri, scope: "openid", state: "st4te", code_challenge_method: "S256" },
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
  });
  const callback = new URL(await getRedirectLocation(await openBrowser()(url)));
  return await openid.authorizationCodeGrant(config, callback, { pkceCodeVerifier, expectedState: "st4te" });
}

test("the page of the login against the callback, and the code that was not exchanged", async () => {
  await withServer(async (as, id) => {
    await beginLogin(as, id, "http://127.0.0.1:3000/start?user=secret");
    assertEquals(await seenOf(as, lostState), [
      "Flow 1: The login began on a page of http://127.0.0.1:3000, and its callback is http://localhost:3000/callback.",
      "Flow 1: http://localhost:3000/callback received a code, and no token request with it came: the code was not exchanged.",
    ]);
    const explained = await explain(
      ["--server", as.issuer, lostState],
      { terminalWidth: () => undefined },
      () => Promise.resolve(""),
      fetch,
    );
    assertMatch(
      explained,
      /^What the server saw\n {2}saw {6}flow 1: The login began on a page of http:\/\/127\.0\.0\.1:3000/,
    );
    // A newer login without a page leaves that of the older one.
    await beginLogin(as, id);
    assertEquals((await seenOf(as, lostState)).map((text) => text.slice(0, 7)), ["Flow 1:", "Flow 2:"]);
  });
});

test("the issuer that was asked for, with the message of openid-client", async () => {
  await withServer(async (as, id, secret) => {
    const other = as.issuer.replace("localhost", "127.0.0.1");
    const message = await messageOf(() => openid.discovery(new URL(other), id, secret, undefined, insecure));
    assertEquals(await seenOf(as, message), [
      `The metadata was requested from ${new URL(other).host}, and its issuer is ${as.issuer}.`,
    ]);
  });
});

test("the path at which metadata was looked for in vain, with the message of openid-client", async () => {
  await withServer(async (as, id, secret) => {
    const wrong = new URL(`${as.issuer}/realms/none`);
    const message = await messageOf(() => openid.discovery(wrong, id, secret, undefined, insecure));
    const [seen, ...others] = await seenOf(as, message);
    assertEquals(others, []);
    assertMatch(
      seen!,
      /^Flow 1: GET \/realms\/none\/\.well-known\/openid-configuration found no metadata\. It is at .*\/\.well-known\/openid-configuration/,
    );
    // What is found later is no longer missed.
    await openid.discovery(new URL(as.issuer), id, secret, undefined, insecure);
    assertEquals((await seenOf(as, message)).filter((text) => text.includes("found no metadata")), []);
  });
});

test("aud, typ and iss of the tokens, with the messages of jose", async () => {
  await withServer(async (as, id, secret) => {
    const { access_token } = await logIn(as, id, secret);
    const keys = createRemoteJWKSet(new URL(`${as.issuer}/oauth2/jwks`));
    const { aud } = decodeJwt(access_token);
    const cases = [
      [{ audience: "https://api.test" }, `The access token has aud ${aud}, and the ID token has aud ${id}.`],
      [{ typ: "JWT" }, "The access token has typ at+jwt, and the ID token has typ JWT."],
      [
        { issuer: "http://127.0.0.1:9000" },
        `The access token has iss ${as.issuer}, and the ID token has iss ${as.issuer}.`,
      ],
    ] as const;
    for (const [expected, text] of cases) {
      const message = await messageOf(() => jwtVerify(access_token, keys, expected));
      assertEquals((await seenOf(as, message))[0], `Flow 1: ${text}`, message);
    }
  });
  await using as = await testLatchkey({ plugins: [inspector()] });
  const client = as.client({ access_token_format: "opaque", scope: "read" });
  await as.logIn(client, { scope: "read" });
  await as.listen({ port: 0 });
  assertEquals(await seenOf(as, "Invalid Compact JWS"), ["Flow 1: The access token is opaque."]);
});

test("why the token request was rejected, with the message of openid-client", async () => {
  await withServer(async (as, id, secret) => {
    const message = await messageOf(() => logIn(as, id, secret, "x".repeat(43)));
    const [seen, ...others] = await seenOf(as, message);
    assertEquals(others, []);
    assertMatch(seen!, /^Flow 1: The token request was rejected with invalid_grant: .* \(PK-09\)\.$/);
  });
});

test("why the authorization request was rejected, until the next one is accepted", async () => {
  await withServer(async (as, id) => {
    const query = new URLSearchParams({
      ...{ ...goodRequest as Record<string, string>, client_id: id },
      redirect_uri: "http://localhost:3001/callback",
    });
    await (await fetch(`${as.issuer}/oauth2/authorize?${query}`)).body?.cancel();
    const [seen] = await seenOf(as, "redirect_uri_mismatch");
    assertMatch(seen!, /^Flow 1: The authorization request was rejected with invalid_request: .* \(RU-01\)\.$/);
    await beginLogin(as, id);
    assertEquals(await seenOf(as, "redirect_uri_mismatch"), []);
  });
});

test("without a flow nothing was seen, and after a correct login no code is missed", async () => {
  await withServer(async (as, id, secret) => {
    const texts = problems.flatMap(({ messages: [first] }) => first === undefined ? [] : [first.text]);
    await forEachCase(texts, async (text) => assertEquals(await seenOf(as, text), []));
    await logIn(as, id, secret);
    assertEquals(await seenOf(as, lostState), []);
  });
});

test("every fact belongs to a problem", () => {
  const facts = new Set(problems.flatMap(({ seen = [] }) => seen));
  assertEquals([...facts].sort(), [
    ...["aud", "code", "iss", "issuer asked for", "login host", "metadata path", "rejection", "typ"],
  ]);
  assert(problems.some(({ seen }) => seen === undefined));
});
