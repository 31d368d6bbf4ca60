/** A store that cannot be reached: every endpoint says that this will pass, and nothing of where the store is. */

import { assert, assertEquals, assertMatch, assertNotMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import { memoryStore, type Store } from "../../src/mod.ts";
import { StoreError } from "../../src/core/store/store.ts";
import { latchkey } from "../secret_leak_check.ts";
import { authorizeByPost, basic, forEachCase, getRedirectParams, testServer } from "../kit.ts";
import { replaceTimers } from "../until.ts";

const place = "postgres://10.0.0.7/db";

/** A memory store that can be made unavailable and available. */
function leavingStore(): { store: Store; leave(): void; comeBack(): void } {
  let gone = false;
  const failure = () => new StoreError({ location: place, expected: "a response", received: "none", hint: "wait" });
  const store = new Proxy(memoryStore(), {
    get: (target, verb: keyof Store) => (...args: unknown[]) =>
      gone ? Promise.reject(failure()) : (target[verb] as (...args: unknown[]) => unknown)(...args),
  });
  return { store, leave: () => void (gone = true), comeBack: () => void (gone = false) };
}

const clients = [
  { client_id: "spa", redirect_uris: ["https://spa.example/cb"], access_token_format: "opaque" as const },
  { client_id: "web", client_secret: "web-secret", redirect_uris: ["https://web.example/cb"] },
];

test("[AZ-22, TK-22] an unavailable store makes every endpoint for clients respond with 503 and Retry-After", async () => {
  const { store, leave, comeBack } = leavingStore();
  const b = await testServer({ store, clients });
  const code = await b.code();
  const { access_token } = await (await b.token({ code: await b.code() })).json();
  const post = (path: string, fields: Record<string, string>, headers?: Record<string, string>) =>
    b.post(path, fields, { ...basic("web", "web-secret"), ...headers });
  leave();
  const asks: Readonly<Record<string, () => Promise<Response>>> = {
    token: () => b.token({ code }),
    introspect: () => post("/oauth2/introspect", { token: access_token }),
    revoke: () => post("/oauth2/revoke", { token: access_token }),
    userinfo: () => b.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } }),
    jwks: () => b.get("/oauth2/jwks"),
  };
  await forEachCase(Object.keys(asks), async (name) => {
    const response = await asks[name]!();
    const text = await response.text();
    assertEquals([response.status, JSON.parse(text).error], [503, "temporarily_unavailable"]);
    assertEquals(response.headers.get("retry-after"), "1");
    assertEquals(response.headers.get("www-authenticate"), null);
    assertNotMatch(text, /postgres|10\.0\.0\.7|StoreError/);
  });
  const logged = b.events.filter((event) => event.type === "internal_error").map(({ cause }) =>
    (cause as Error).message
  );
  assert(logged.length >= 5 && logged.every((message) => message.includes(place)), "the log names the store");
  comeBack();
  assertEquals((await b.token({ code })).status, 200);
});

test("[AZ-22] an unavailable store is a redirect with temporarily_unavailable", async () => {
  const { store, leave } = leavingStore();
  const b = await testServer({ store, clients });
  leave();
  await forEachCase([() => b.authorize(), () => authorizeByPost(b)], async (send) => {
    const response = await send();
    assertEquals(getRedirectParams(response).get("error"), "temporarily_unavailable");
    assertEquals(getRedirectParams(response).get("state"), "st4te");
    assertNotMatch(decodeURIComponent(response.headers.get("location")! + await response.text()), /postgres|10\.0/);
  });
});

test("[AZ-22] a page that needs an unavailable store is 503 with Retry-After", async () => {
  const { store, leave } = leavingStore();
  const b = await testServer({ store, clients, login: "interactive" });
  const login = (await b.authorize()).headers.get("location")!;
  leave();
  const response = await b.get(login);
  assertEquals([response.status, response.headers.get("retry-after")], [503, "1"]);
  const text = await response.text();
  assertMatch(text, /<!DOCTYPE html>[^]*temporarily_unavailable/);
  assertNotMatch(text, /postgres|10\.0/);
});

test("[BR-02, AZ-22] a token is not reported as invalid if the keys cannot be read", async () => {
  const { store, leave, comeBack } = leavingStore();
  const issuing = await testServer({ store });
  const { access_token } = await (await issuing.token({ code: await issuing.code({ scope: "openid" }) })).json();
  // Another instance, which has not seen a key yet.
  const other = await testServer({ store });
  const ask = (token: string) => other.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${token}` } });
  leave();
  assertEquals((await ask(access_token)).status, 503);
  comeBack();
  assertEquals((await ask(access_token)).status, 200);
  assertEquals((await ask(`${access_token}x`)).status, 401);
});

test("known keys continue to sign while others cannot be read", async () => {
  const { store, leave, comeBack } = leavingStore();
  const machine = { client_id: "job", client_secret: "job-secret", grant_types: ["client_credentials"] };
  const b = await testServer({ store, clients: [machine] });
  const sign = async () => {
    const fields = { grant_type: "client_credentials", client_id: undefined, scope: "read" };
    const result = await b.token(fields, { headers: basic("job", "job-secret") });
    return `${result.status} ${(await result.json()).access_token?.split(".")[0]}`;
  };
  const before = await sign();
  assertMatch(before, /^200 ey/);
  leave();
  // Each of them looks for new keys, all at the same time, and finds nothing.
  const asked = await Promise.all(Array.from({ length: 10 }, () => b.get("/oauth2/jwks")));
  assertEquals(new Set(asked.map(({ status }) => status)), new Set([503]));
  assertEquals(await sign(), before);
  comeBack();
  assertEquals((await (await b.get("/oauth2/jwks")).json()).keys.length, 1);
});

test("a store that hangs while a server starts is an error after a minute and a half, not a hanging start", async () => {
  const { setTimeout } = globalThis;
  const waits: number[] = [];
  const never = new Promise<never>(() => {});
  const hanging = (hangs: (verb: keyof Store) => boolean): Store =>
    new Proxy(memoryStore(), {
      get: (target, verb: keyof Store) =>
        verb === "persistent" ? true : hangs(verb) ? () => never : (target[verb] as () => unknown).bind(target),
    });
  const real = { issuer: "https://as.real.com", insecure: ["auto-login"] as const };
  const starts: readonly Parameters<typeof latchkey>[0][] = [
    { store: never },
    { store: hanging((verb) => verb === "count") },
    { store: hanging((verb) => verb === "get"), ...real },
    { store: hanging(() => true), ...real },
  ];
  // Fires timers immediately, and notes their delays.
  const passed = (callback: () => void, milliseconds = 0) => {
    waits.push(milliseconds);
    return setTimeout(callback, 0);
  };
  const restore = replaceTimers({ setTimeout: passed });
  try {
    for (const options of starts) {
      const error = await assertRejects(() => latchkey({ clients: [], ...options }), StoreError);
      assertMatch(error.message, /^the store: expected a response within 90000 ms, found none; /);
    }
  } finally {
    restore();
  }
  assertEquals(new Set(waits), new Set([90_000]));
  await assertRejects(
    () => latchkey({ store: Promise.reject(new TypeError("no such file")) }),
    TypeError,
    "no such file",
  );
});
