/** Instances on one store whose clocks differ: by up to half a minute, nothing that was used or revoked comes back. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { memoryStore } from "../../src/mod.ts";
import { basic, encode, getOutcome, type TestServer, testServer } from "../kit.ts";

const clients = [
  { client_id: "spa", redirect_uris: ["https://spa.example/cb"], grant_types: ["authorization_code", "refresh_token"] },
  { client_id: "web", client_secret: "web-secret", redirect_uris: ["https://web.example/cb"] },
];

/** Two instances on one store; the second one's clock is ahead by so many seconds. */
async function apart(seconds: number) {
  const store = memoryStore();
  let time = Date.UTC(2026, 0, 1);
  const slow = await testServer({ store, clients, now: () => time });
  const fast = await testServer({ store, clients, now: () => time + seconds * 1000 });
  return { slow, fast, advance: (seconds: number) => void (time += seconds * 1000) };
}

function post(b: TestServer, path: string, token: string, headers: HeadersInit = {}): Promise<Response> {
  const body = encode({ token, client_id: path.endsWith("revoke") ? "spa" : undefined });
  return b.post(path, body, headers);
}

async function isActive(b: TestServer, token: string): Promise<boolean> {
  return (await (await post(b, "/oauth2/introspect", token, basic("web", "web-secret"))).json()).active;
}

test("[IN-04] a revoked token stays revoked until it expires on every instance, even if a fast clock deletes expired records", async () => {
  const { slow, fast, advance } = await apart(30);
  const { access_token } = await (await slow.token({ code: await slow.code() })).json();
  assertEquals((await post(slow, "/oauth2/revoke", access_token)).status, 200);
  for (const seconds of [3568, 31, 0.999]) {
    advance(seconds);
    await fast.get("/");
    assertEquals(await isActive(slow, access_token), false, "it must not come back in its last half minute");
  }
});

test("[CI-06] a consumed code stays known until it expires on every instance", async () => {
  const { slow, fast, advance } = await apart(30);
  const code = await slow.code();
  const { access_token } = await (await fast.token({ code })).json();
  advance(299);
  await fast.get("/");
  assertEquals(await isActive(slow, access_token), true);
  assertEquals(await getOutcome(await slow.token({ code })), "400 invalid_grant");
  assertEquals(await isActive(slow, access_token), false, "the second use revokes the tokens of the first");
});

test("[CI-02] lifetimes shrink by the clock difference, and codes work across instances", async () => {
  const { slow, fast, advance } = await apart(30);
  const [early, late] = [await slow.code(), await slow.code()];
  advance(269);
  assertEquals((await fast.token({ code: early })).status, 200);
  advance(2);
  assertEquals(await getOutcome(await fast.token({ code: late })), "400 invalid_grant");
  const back = await fast.code();
  advance(300);
  assertEquals((await slow.token({ code: back })).status, 200, "and longer, where it is the issuer that is ahead");
});
