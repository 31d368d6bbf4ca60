/** Logins that begin on another name of the machine than their callback, whose cookies do not reach it. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../../src/devtools/mod.ts";
import { encode, forEachCase, goodRequest, realHost, testServer } from "../../kit.ts";
import type { LatchkeyOptions } from "../../../src/mod.ts";

/** What a browser sends. */
interface Visit {
  readonly page?: string;
  readonly callback: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly options?: LatchkeyOptions;
}

/** The warnings of an authorization request that a page leads to. */
async function warningsOf({ page, callback, headers = {}, options }: Visit, by = "referer") {
  const server = await testServer({
    issuer: "http://localhost:9000",
    // RU-03 lets any port pass.
    clients: [{ client_id: "spa", redirect_uris: [callback], application_type: "native" }],
    ...options,
  });
  await server.authorize({ redirect_uri: callback }, {
    headers: { ...page !== undefined && { [by]: page }, ...headers },
  });
  assertEquals(server.events.filter(({ type }) => type === "code_issued").length, 1);
  return server.events.flatMap((event) => event.type === "warning" ? [event.explanation] : [])
    .filter(({ rule }) => rule === "RU-16");
}

const names = ["localhost", "127.0.0.1", "[::1]"];

test("[RU-16] a page on another name of the machine, at the port of the callback, is a warning", async () => {
  const pairs = [...names, "0.0.0.0", "127.0.0.2"].flatMap((page) => names.map((callback) => [page, callback] as const))
    .filter(([page, callback]) => page !== callback);
  await forEachCase(pairs, async ([page, callback]) => {
    for (const by of ["referer", "origin"]) {
      const visit = {
        page: `http://${page}:3000${by === "origin" ? "" : "/start?x=1"}`,
        callback: `http://${callback}:3000/cb`,
      };
      const [warning, ...others] = await warningsOf(visit, by);
      assertEquals(others, []);
      const { expected, received, reason } = warning!;
      assertEquals([expected, received], [`http://${callback}:3000`, `http://${page}:3000`]);
      assertMatch(reason, /^the login began on \S+, but its callback is on \S+, which does not get the cookies of /);
    }
  });
});

test("[RU-16] the page of the flow and its Markdown have the warning with the fix", async () => {
  const server = await testServer({
    issuer: "http://localhost:9000",
    clients: [{ client_id: "spa", redirect_uris: ["http://localhost:3000/cb"] }],
    plugins: [inspector()],
  });
  const headers = { referer: "http://127.0.0.1:3000/" };
  await server.authorize({ redirect_uri: "http://localhost:3000/cb" }, { headers });
  for (const path of ["/flows/1", "/flows/1.md"]) {
    const text = await (await server.get(path)).text();
    assertStringIncludes(text, "he login began on 127.0.0.1, but its callback is on localhost", path);
    assertStringIncludes(text, "Open the application at the host of its redirect URI", path);
  }
});

test("[RU-16] no correct login is a warning", async () => {
  const callback = "http://localhost:3000/cb";
  const other = "http://127.0.0.1:3000/";
  const ownPage = "http://localhost:9000/authorized";
  await forEachCase<Visit>([
    { callback },
    { callback, page: "http://localhost:3000/" },
    // Another program may begin the login at the host of the callback.
    { callback, page: "http://127.0.0.1:5173/" },
    { callback, page: "https://127.0.0.1:3000/" },
    // One login page for several applications.
    { callback: "https://app.example/cb", page: "https://login.example/" },
    { callback: "https://app.example/cb", page: "https://www.app.example/" },
    { callback, page: "http://shop.localhost:3000/" },
    { callback, page: "about:client" },
    { callback, page: "com.example.app:/start" },
    // A page of the server.
    { callback: ownPage, page: "http://127.0.0.1:9000/" },
    { callback: "com.example.app:/cb", page: other },
    // The page is on the host of the server, and the request came by another one: that of the callback.
    {
      callback: "http://127.0.0.1:3000/cb",
      page: "http://localhost:3000/",
      headers: { host: "localhost:9000", "sec-fetch-site": "cross-site" },
    },
    { callback: "https://spa.example/cb", page: other, options: realHost },
  ], async (visit) => {
    assertEquals(await warningsOf(visit), []);
  });
});

test("[RU-16] a redirect within the site of the server changes nothing", async () => {
  const headers = { host: "localhost:9000", "sec-fetch-site": "same-site" };
  const visit = { callback: "http://127.0.0.1:3000/cb", page: "http://localhost:3000/", headers };
  assertEquals((await warningsOf(visit)).length, 1);
});

test("[RU-16] a request by POST, and a pushed one, name the page too", async () => {
  const callback = "http://localhost:3000/cb";
  const server = await testServer({
    issuer: "http://localhost:9000",
    clients: [{ client_id: "spa", redirect_uris: [callback] }],
  });
  const page = { origin: "http://127.0.0.1:3000" };
  const ended = () =>
    server.events.filter((event) => event.type === "warning" && event.explanation.rule === "RU-16").length;
  await server.post("/oauth2/authorize", { ...goodRequest, redirect_uri: callback }, page);
  assertEquals(ended(), 1);
  // The client pushes the request from where it runs, which need not be the page.
  const pushed = await server.post("/oauth2/par", { ...goodRequest, redirect_uri: callback });
  const { request_uri } = await pushed.json();
  assertEquals(ended(), 1);
  await server.get(`/oauth2/authorize?${encode({ client_id: "spa", request_uri })}`, {
    headers: { referer: page.origin },
  });
  assertEquals(ended(), 2);
});
