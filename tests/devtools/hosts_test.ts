/** The steps after `/authorized` under several host names (groups DI and UI). */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import type { RequestHandler } from "../../src/core/http/router.ts";
import { assertPage, encode, forEachCase, testServer } from "../kit.ts";
import { latchkey } from "../secret_leak_check.ts";
import { open, send } from "../server/from_host.ts";

test("[DI-04] under a rebound name there are no pages of the demo flow", async () => {
  const { get } = await testServer({ clients: undefined });
  const headers = { host: "rebound.example.com", origin: "http://rebound.example.com" };
  for (const path of ["/authorized", "/authorized?code=x", "/authorized/try"]) {
    for (const method of ["GET", "POST"]) {
      assertStringIncludes(await assertPage(await get(path, { method, headers }), 403), "DI-04");
      const trusted = await get(path, { method: "GET", headers: { host: "localhost" } });
      assertEquals(trusted.status, path === "/authorized/try" ? 302 : 200);
    }
  }
});

test("[UI-20] a request that a step sends has the host of the request that causes it", async () => {
  const hosts: (string | null)[][] = [];
  const recordHosts = {
    handle: (next: RequestHandler): RequestHandler => (request, peer) => {
      hosts.push([request.method, new URL(request.url).pathname, request.headers.get("host")]);
      return next(request, peer);
    },
  };
  await using as = await latchkey({ issuer: "http://localhost:9000", alg: "ES256", plugins: [recordHosts] });
  const headers = { host: "127.0.0.1:9000", origin: "http://127.0.0.1:9000" };
  const open = (path: string, cookie = "") =>
    as.fetch(new Request(as.issuer + path, { redirect: "manual", headers: { ...headers, cookie } }));
  const started = await open("/start");
  const cookie = started.headers.getSetCookie()[0]!.split(";", 1)[0]!;
  const decided = await open(started.headers.get("location")!, cookie);
  const { pathname, search, searchParams } = new URL(decided.headers.get("location")!);
  const page = await open(pathname + search, cookie);
  const form_token = /name="form_token" value="([^"]+)"/.exec(await page.text())![1]!;
  hosts.length = 0;
  const result = await as.fetch(
    new Request(`${as.issuer}/authorized/try`, {
      method: "POST",
      headers: { ...headers, cookie, "content-type": "application/x-www-form-urlencoded" },
      body: encode({ form_token, step: "replay", client_id: "demo-public", code: searchParams.get("code")! }),
    }),
  );
  assertEquals(result.status, 200);
  assertEquals(hosts, [
    ["POST", "/authorized/try", headers.host],
    ["POST", "/oauth2/token", headers.host],
  ]);
});

test("[DM-19] the home page warns if it was requested from another host or port than that of the issuer", async () => {
  await using as = await latchkey({ issuer: "http://localhost:9000" });
  const warning = async (host: string) => {
    const response = await as.fetch(new Request(`${as.issuer}/`, { headers: { host } }));
    // With the way to the page at the issuer.
    return /(?=[^]*open <a href="http:\/\/localhost:9000">)You opened this page at <code[^>]*>(.*?)<\/code>/.exec(
      await response.text(),
    )?.[1];
  };
  await forEachCase<[string, string | undefined]>([
    ["localhost:9000", undefined],
    ["LOCALHOST:9000", undefined],
    ["localhost:9001", "localhost:9001"],
    ["127.0.0.1:9000", "127.0.0.1:9000"],
    ["localhost", "localhost"],
    // HT-16: not the name of a page that DNS rebinding brings here.
    ["rebound.example:9000", undefined],
  ], async ([host, expected]) => assertEquals((await warning(host))?.replaceAll("<wbr/>", ""), expected));
  await using named = await latchkey({ issuer: "https://as.test", frontChannelUrl: "http://localhost:8000" });
  for (const host of ["as.test", "as.test:443", "localhost:8000"]) {
    const response = await named.fetch(new Request(`${named.issuer}/`, { headers: { host } }));
    assertEquals((await response.text()).includes("You opened this page at"), false, host);
  }
  await using any = await open();
  assertEquals((await (await send(any, "http://localhost:1", "/")).text()).includes("This page was requested"), false);
});
