/**
 * Options that JavaScript without types can get wrong: each error says what was expected, what was received, and a
 * hint.
 */

import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { test } from "node:test";
import { ConfigurationError } from "../../src/mod.ts";
import { type Fault, testControl } from "../../src/testing/mod.ts";
import type { ClientCredentials } from "../../src/client/authentication.ts";
import { testLatchkey } from "./test_latchkey.ts";

/** The functions of the mock without their types. */
interface UntypedMock {
  logIn(client: ClientCredentials | string, options?: unknown): Promise<unknown>;
  token(client: string): Promise<unknown>;
  refresh(client: string, token: string): Promise<unknown>;
  issue: { nextIdToken(change: string): void };
  decisions: { limitScope(sub: string, scope: readonly string[]): void };
  client(options: unknown): unknown;
  browser(persona: unknown): { authorize(request: object, persona: unknown): Promise<unknown> };
  mint: Readonly<Record<string, (options: unknown) => Promise<string>>>;
  on(endpoint: string, match: unknown): { once(fault: Fault): void };
  log: {
    filter(endpoint: string, match: unknown): unknown;
    next(endpoint: string, match: unknown, wait: unknown): Promise<unknown>;
  };
}

test("a misspelt option, or a value of the wrong type, is rejected, with what was probably meant", async () => {
  await using as = await testLatchkey();
  const client = as.client();
  const untyped = as as unknown as UntypedMock;
  const cases: readonly (readonly [() => unknown, string])[] = [
    [
      () => untyped.logIn(client, { scop: "openid" }),
      'logIn, scop: expected a known key, received "scop". Did you mean scope?',
    ],
    [
      () => untyped.logIn(client, { scope: ["openid"] }),
      'logIn, scope: expected a string, received an array. Write it like "scope": "openid profile".',
    ],
    [() => untyped.logIn(client, "bob"), 'logIn: expected an object, received "bob". Write it like {}.'],
    ...[() => untyped.logIn("spa"), () => untyped.token("spa"), () => untyped.refresh("spa", "x")].map((call) =>
      [call, 'client: expected an object with client_id, received "spa". Pass what as.client() returns.'] as const
    ),
    [
      () => untyped.client("spa"),
      'client: expected an object, received "spa". Write it like {}.',
    ],
    [
      () => untyped.issue.nextIdToken("x"),
      'issue.nextIdToken: expected an object or a function, received "x". Write the members to replace, like { sub: "bob" }.',
    ],
    [
      () => untyped.decisions.limitScope("alice", ["read"]),
      'limitScope, scope: expected a string, received an array. Write the values in one string: "openid read".',
    ],
    [
      () => untyped.browser({ denyScope: ["write"] }),
      'browser, denyScope: expected a known key, received "denyScope". Did you mean denyScopes?',
    ],
    [
      () => untyped.browser({}).authorize({}, { users: "bob" }),
      'browser.authorize, users: expected a known key, received "users". Remove it; known keys here are as, password, claims, deny, denyScopes, denyDetails, acr.',
    ],
    [
      () => untyped.mint.accessToken!({ expire: true }),
      'mint.accessToken, expire: expected a known key, received "expire". Did you mean expired?',
    ],
    [
      () => untyped.mint.accessToken!({ signedBy: "wrong-key" }),
      'signedBy: expected "wrong key", "unknown key" or a private JWK, received "wrong-key"',
    ],
    [
      () => untyped.on("token", { grantType: "refresh_token" }),
      'on("token"), grantType: expected a known key, received "grantType". Did you mean grant_type?',
    ],
    [
      () => untyped.log.filter("token", { clients: "spa" }),
      'log, clients: expected a known key, received "clients". Did you mean client?',
    ],
    [
      () => untyped.log.next("token", undefined, { timeout: 5 }),
      'log.next, timeout: expected a known key, received "timeout". Did you mean timeoutMs?',
    ],
  ];
  for (const [call, message] of cases) {
    const error = await assertRejects(async () => await call(), TypeError);
    assertEquals(error.message, message);
  }
});

test("an unknown option of the server or of a client is a configuration error with the name that was probably meant", async () => {
  const hintOf = async (options: object) =>
    (await assertRejects(() => testLatchkey(options), ConfigurationError)).issues.map(({ path, hint }) => [path, hint]);
  assertEquals(await hintOf({ sed: 1 }), [["sed", "Did you mean seed?"]]);
  assertEquals(await hintOf({ testkeys: false }), [["testkeys", "Did you mean testKeys?"]]);
  assertEquals(await hintOf({ lifetimes: 300 }), [[
    "lifetimes",
    'Write it like "lifetimes": {"code":300,"access_token":3600}.',
  ]]);
  const { message } = assertThrows(() => testControl({ starts: 0 } as object), TypeError);
  assertStringIncludes(message, "Did you mean startsAt?");
  await using as = await testLatchkey();
  const untyped = as as unknown as UntypedMock;
  const clientHint = (options: object) =>
    assertThrows(() => untyped.client(options), ConfigurationError).issues.map(({ path, hint }) => [path, hint]);
  assertEquals(clientHint({ redirect_urls: [] }), [["redirect_urls", "Did you mean redirect_uris?"]]);
  assertEquals(clientHint({ confidental: true }), [["confidental", "Did you mean confidential?"]]);
});
