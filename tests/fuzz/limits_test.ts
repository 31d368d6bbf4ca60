/** Limits of a request, and of the server's memory under endless requests. */

import { assert, assertEquals, assertLess, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { memoryStore } from "../../src/mod.ts";
import { inspector } from "../../src/devtools/mod.ts";
import { rateLimiter } from "../../src/server/clients/rate_limiter.ts";
import { extractText, parseForms } from "../../src/client/html_form.ts";
import { openBrowser } from "../server/browser.ts";
import { publicTokens, refresh, refreshTokens, testClients } from "../server/client_endpoints.ts";
import { basic, encode, getOutcome, goodRequest, testServer } from "../kit.ts";
import { getStatuses, openRawConnection, requestHead, sendRaw } from "../platform/runtime/raw_connection.ts";
import { latchkey } from "../secret_leak_check.ts";
import { cpuTimeOf } from "../until.ts";

/** This many unknown parameters. */
const padding = (count: number) => Array.from({ length: count }, (_, i) => `p${i}=`).join("&");
const form = { "content-type": "application/x-www-form-urlencoded" };

test("[HT-20] a thousand parameters are accepted and one more is rejected, in a query and in a form", async () => {
  const b = await testServer();
  const used = Object.keys(goodRequest).length;
  const authorize = async (count: number) =>
    await b.get(`/oauth2/authorize?${encode(goodRequest)}&${padding(count - used)}`);
  assertEquals([(await authorize(1000)).status, (await authorize(1001)).status], [302, 400]);
  assertStringIncludes(extractText(await (await authorize(1001)).text()), "HT-20");
  const token = async (count: number) =>
    await b.get("/oauth2/token", { method: "POST", body: padding(count), headers: form });
  assertEquals(await getOutcome(await token(1000)), "401 invalid_client");
  assertStringIncludes((await (await token(1001)).json()).error_description, "1000 parameters");
  const fields = { method: "POST", body: `&&&&${encode(goodRequest)}${"&".repeat(2000)}`, headers: form };
  assertEquals((await b.get("/oauth2/authorize", fields)).status, 303);
});

test("[HT-20] repeating every parameter up to the limit takes constant time", async () => {
  const b = await testServer();
  const milliseconds = await cpuTimeOf(async () => {
    for (const name of ["a", "resource", "scope", "past", "code"]) {
      const body = `${name}=${"&".repeat(50_000)}`;
      for (const path of ["/oauth2/token", "/oauth2/authorize", "/authorized", "/authorized/try", "/oauth2/logout"]) {
        await b.get(path, { method: "POST", body, headers: form });
        await b.get(path, { method: "POST", body: padding(1000).replaceAll(/p\d+/g, name), headers: form });
      }
    }
  });
  assertLess(milliseconds, 30_000);
});

test("a head of 1 MB is rejected or cut off by the runtime, and the next request gets a response", async () => {
  const as = await latchkey({ alg: "ES256" });
  try {
    const port = Number(new URL((await as.listen({ port: 0, host: "127.0.0.1" })).url).port);
    const line = `X-Long: ${"a".repeat(8000)}`;
    const wire = await openRawConnection(port);
    wire.send(requestHead("GET /oauth2/jwks HTTP/1.1", "Host: any.test", ...Array<string>(130).fill(line)));
    const received = await wire.closed.catch(() => "");
    assertEquals(getStatuses(received).filter((status) => status < 400 || status > 431), []);
    const next = requestHead("GET /oauth2/jwks HTTP/1.1", "Host: any.test", "Connection: close");
    assertEquals(getStatuses(await sendRaw(port, next)), [200]);
  } finally {
    await as.close();
  }
});

test("[HT-20] key sets of clients are read up to 64 KiB, and an endless one is aborted", async () => {
  let pulled = 0;
  let cancelled = false;
  const endless = () =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(16 * 1024).fill(32 + 0 * ++pulled)),
        cancel: () => void (cancelled = true),
      }),
    );
  const b = await testServer({
    clients: [{ client_id: "far", jwks_uri: "https://far.example/jwks", redirect_uris: ["https://far.example/cb"] }],
    outbound: () => Promise.resolve(endless()),
  });
  const part = (value: unknown) => btoa(JSON.stringify(value)).replace(/=+$/, "");
  const now = Date.UTC(2026, 0, 1) / 1000;
  const claims = { iss: "far", sub: "far", aud: "https://as.test", exp: now + 60, iat: now, jti: "once" };
  const response = await b.post("/oauth2/token", {
    grant_type: "authorization_code",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: `${part({ alg: "ES256" })}.${part(claims)}.AAAA`,
  });
  assertEquals(await getOutcome(response), "401 invalid_client");
  assert(cancelled);
  assertLess(pulled, 8);
});

test("[HT-20] endless logins stay within the store's limit in memory, and the newest are kept", async () => {
  const store = memoryStore({ maxRecords: 50 });
  const b = await testServer({ ...testClients, store });
  const first = await publicTokens(b);
  let last = first;
  for (let i = 0; i < 200; i++) last = await publicTokens(b);
  assertEquals(await getOutcome(await refresh(b, first.refresh_token)), "400 invalid_grant");
  assertEquals((await refresh(b, last.refresh_token)).status, 200);
  assertLess(await store.deleteExpired(Number.MAX_VALUE), 4 * 50);
});

test("[HT-20] endless refreshing does not evict older grants", async () => {
  const store = memoryStore({ maxRecords: 50 });
  const b = await testServer({ ...testClients, store });
  const { refresh_token: waiting } = await publicTokens(b);
  b.advance(1);
  let { refresh_token } = await publicTokens(b);
  for (let i = 0; i < 200; i++) ({ refresh_token } = await refreshTokens(b, refresh_token));
  assertEquals((await refresh(b, waiting)).status, 200);
  assertEquals((await refresh(b, refresh_token)).status, 200);
  assertLess(await store.deleteExpired(Number.MAX_VALUE), 4 * 50);
});

test("[RT-04] a replay is detected in a store of any size that keeps the token and the one before", async () => {
  for (const limit of [2, 3, 4]) {
    const b = await testServer({ ...testClients, store: memoryStore({ maxRecords: limit }) });
    const { refresh_token } = await publicTokens(b);
    const { refresh_token: next } = await refreshTokens(b, refresh_token);
    assertEquals(await getOutcome(await refresh(b, refresh_token)), "400 invalid_grant");
    assertEquals(await getOutcome(await refresh(b, next)), "400 invalid_grant");
  }
});

test("[HT-20] a consumed token is never valid again, even if evicted early", async () => {
  for (let limit = 2; limit < 9; limit++) {
    const b = await testServer({ ...testClients, store: memoryStore({ maxRecords: limit }), refresh: { grace: 60 } });
    const used: string[] = [];
    // Within the grace period, where the very last one that was used may come once more.
    for (let { refresh_token } = await publicTokens(b); used.length < 6;) {
      used.push(refresh_token);
      ({ refresh_token } = await refreshTokens(b, refresh_token));
    }
    used.pop();
    for (let i = 0; i < 6; i++) {
      await publicTokens(b);
      for (const token of used) assertEquals(await getOutcome(await refresh(b, token)), "400 invalid_grant");
    }
  }
});

test("[HT-20] the pages of clients and users add at most a thousand of each", async () => {
  const uris = ["https://spa.example/cb"];
  const b = await testServer({
    clients: Array.from({ length: 999 }, (_, i) => ({ client_id: `c${i}`, redirect_uris: uris })),
    users: Array.from({ length: 999 }, (_, i) => ({ sub: `u${i}` })),
  });
  const browser = openBrowser(b);
  const add = async (path: string, fields: Record<string, string>) => {
    // The form of clients is on the home page.
    const html = await (await browser.get(path === "/clients" ? "/" : path)).text();
    const one = parseForms(html, "https://as.test/").findLast(({ action }) => new URL(action).pathname === path);
    const form_token = one!.controls.find(({ name }) => name === "form_token")!.value;
    return await browser.post(path, { form_token, ...fields });
  };
  const spa = { redirect_uris: uris[0]!, token_endpoint_auth_method: "none" };
  assertEquals((await add("/clients", { ...spa, client_id: "a" })).status, 303);
  assertEquals((await add("/users", { sub: "a", claims: "{}" })).status, 303);
  const rejected = [await add("/clients", { ...spa, client_id: "b" }), await add("/users", { sub: "b", claims: "{}" })];
  for (const response of rejected) {
    assertEquals(response.status, 400);
    assertStringIncludes(extractText(await response.text()), "at most 1000");
  }
  assertEquals([b.as.clients.list().length, b.as.users.list().length], [1000, 1000]);
});

test("[CA-12, HT-20] attempts are tracked up to a limit, and the newest are always kept", () => {
  const guard = rateLimiter(() => 0);
  for (let i = 0; i < 100_000; i++) {
    const who = { client: "web", address: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}` };
    for (let j = 0; j < (i % 1000 === 999 ? 10 : 1); j++) guard.recordFailure(who);
    if (i % 1000 === 999) assert(guard.retryAfter(who) > 0);
  }
});

test("[CA-12] attempts count by the network that a trusted proxy names, whatever the client adds before it", async () => {
  const b = await testServer({ ...testClients, throttle: true, trustProxy: ["10.0.0.1", "fd00::/8"] });
  const guess = async (hops: string, from = "10.0.0.1") => {
    const request = new Request("https://as.test/oauth2/token", {
      method: "POST",
      body: "grant_type=client_credentials",
      headers: { ...form, ...basic("machine", "wrong-secret"), "x-forwarded-for": hops },
    });
    return (await b.as.fetch(request, { address: from })).status;
  };
  // Every attempt from another address of one network, with other invented hops.
  const spellings = [
    ...["2001:db8:1:2::1", "2001:DB8:1:2:0:0:0:2", "2001:0db8:0001:0002:ffff::", "2001:db8:1:2:3:4:5:6"],
    ...["2001:db8:1:2::", "2001:db8:1:2::ffff:1", "[2001:db8:1:2::9]:443", "2001:db8:1:2::a"],
    ...["2001:db8:1:2::b, fd00::1", "2001:db8:1:2::c, fd00::2"],
  ];
  for (const [i, address] of spellings.entries()) assertEquals(await guess(`192.0.2.${i}, ${address}`), 401, address);
  assertEquals(await guess("198.51.100.1, 2001:db8:1:2:abcd::"), 429);
  assertEquals(await guess("2001:db8:1:2::1, 2001:db8:1:3::1"), 401);
  assertEquals(await guess("::ffff:203.0.113.1"), 401);
  // Without a proxy in between, what is written there counts for nothing.
  for (let i = 0; i < 10; i++) assertEquals(await guess(`192.0.2.${i}`, "203.0.113.9"), 401);
  assertEquals(await guess("192.0.2.200", "203.0.113.9"), 429);
  for (let i = 0; i < 10; i++) assertEquals(await guess(`::ffff:203.0.113.${i}`), i === 9 ? 429 : 401);
});

test("[HT-20] the inspector keeps at most a thousand exchanges", async () => {
  const shown = inspector({ limit: 20 });
  const b = await testServer({ plugins: [shown] });
  for (let i = 0; i < 100; i++) {
    await b.authorize({ state: `${i}` });
    await b.token({ code: `guess ${i}` }, { headers: basic("web", `wrong ${i}`) });
    await b.get(`/oauth2/unknown-${i}`);
  }
  assertLess(shown.recorder.exchanges().length, 21);
  assertLess(shown.recorder.flows().length, 21);
});
