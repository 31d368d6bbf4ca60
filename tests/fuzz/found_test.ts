/** What a fuzzer, or a suspicion, has found: each case with a sentence about what was wrong. */

import { assertEquals, assertMatch, assertNotMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import type { Plugin } from "../../src/mod.ts";
import type { TraceEvent } from "../../src/server/trace.ts";
import { extractText, parseForms } from "../../src/client/html_form.ts";
import { openBrowser } from "../server/browser.ts";
import { forEachCase, testServer } from "../kit.ts";
import {
  getBody,
  getHeaderValues,
  getStatuses,
  openRawConnection,
  requestHead,
  sendRaw,
} from "../platform/runtime/raw_connection.ts";
import { latchkey } from "../secret_leak_check.ts";

const asked = requestHead("GET /oauth2/jwks HTTP/1.1", "Host: any.test", "Connection: close");

/** Plugins that fail in every possible way while `broken` returns true. */
function failing(broken: () => boolean): Readonly<Record<string, Plugin>> {
  const fail = () => {
    if (broken()) throw new Error("the plugin failed");
  };
  return {
    "throws immediately": { handle: (next) => (request, peer) => (fail(), next(request, peer)) },
    "rejects": { handle: (next) => async (request, peer) => (fail(), await next(request, peer)) },
    "fails after the response": {
      handle: (next) => async (request, peer) => {
        const response = await next(request, peer);
        fail();
        return response;
      },
    },
    "fails inside": { forRequest: () => (fail(), undefined) },
  };
}

// Regression: on Node the error was unhandled, the client waited forever, and the process ended.
test("[HT-18] a failing plugin is a traced internal error and 500 over the network, and the next request gets a response", async () => {
  let broken = true;
  await forEachCase(Object.entries(failing(() => broken)), async ([_, plugin]) => {
    broken = true;
    const events: TraceEvent[] = [];
    const as = await latchkey({ alg: "ES256", plugins: [plugin], trace: (event) => events.push(event) });
    try {
      const port = Number(new URL((await as.listen({ port: 0 })).url).port);
      const received = await sendRaw(port, asked);
      assertEquals(getStatuses(received), [500]);
      assertEquals(getHeaderValues(received, "content-type"), ["application/json"]);
      assertEquals(getHeaderValues(received, "cache-control"), ["no-store"]);
      assertEquals(JSON.parse(getBody(received)).error, "server_error");
      assertNotMatch(received, /plugin failed/);
      const bugs = events.filter((event) => event.type === "internal_error");
      assertEquals([bugs.length, bugs[0]?.endpoint], [1, "/oauth2/jwks"]);
      assertMatch(String(bugs[0]?.cause), /plugin failed/);
      broken = false;
      assertEquals(getStatuses(await sendRaw(port, asked)), [200]);
    } finally {
      await as.close();
    }
  });
});

test("in process, `fetch` rejects with the error that a plugin throws", async () => {
  const { "rejects": plugin } = failing(() => true);
  const { get } = await testServer({ plugins: [plugin!] });
  await assertRejects(() => get("/oauth2/jwks"), Error, "the plugin failed");
});

// Regression: on Node the connection stayed open without a response, and the process ended.
test("an unsendable response of a plugin costs one connection or is 500", async () => {
  const spoilt: Plugin = {
    handle: (next) => async (request, peer) => {
      const response = await next(request, peer);
      if (!request.url.endsWith("/jwks")) return response;
      return { status: 200, headers: { "x-name": "\u2603" }, body: "" };
    },
  };
  const as = await latchkey({ alg: "ES256", plugins: [spoilt] });
  try {
    const port = Number(new URL((await as.listen({ port: 0 })).url).port);
    const wire = await openRawConnection(port);
    wire.send(asked);
    const received = await wire.closed.catch(() => "");
    assertEquals(getStatuses(received).filter((status) => status < 500), []);
    const next = requestHead("GET /.well-known/openid-configuration HTTP/1.1", "Host: any.test", "Connection: close");
    assertEquals(getStatuses(await sendRaw(port, next)), [200]);
  } finally {
    await as.close();
  }
});

const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

// JSON can be read deeper than it can be written, so the page of such a user, and every token about them, was 500.
test("[HT-18] claims nested as deeply as a form allows are rejected, and the users pages continue to work", async () => {
  const b = await testServer();
  const browser = openBrowser(b);
  const page = await (await browser.get("/users")).text();
  const [form] = parseForms(page, "https://as.test/users").filter(({ controls }) =>
    controls.some(({ name }) => name === "claims")
  );
  const token = form!.controls.find(({ name }) => name === "form_token")!.value;
  const add = async (claims: string) => {
    // Unencoded, as no browser would send it: three times as deep.
    const body = `form_token=${token}&sub=carol&claims=${claims}`;
    return await browser.get("/users", {
      method: "POST",
      body,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
  };
  await forEachCase([`{"name":${deep(30_000)}}`, `{"a":{"b":${deep(32)}}}`, deep(30_000)], async (claims) => {
    const rejected = await add(claims);
    assertEquals(rejected.status, 400);
    const html = await rejected.text();
    assertStringIncludes(extractText(html), claims.startsWith("[") ? "an array" : "at most 32 deep");
  });
  assertEquals((await browser.get("/users/carol")).status, 404);
  assertEquals((await add(`{"a":${deep(32)}}`)).status, 303);
  assertEquals((await browser.get("/users/carol")).status, 200);
});

test("[HT-18] the login page creates no guest user with too deeply nested claims", async () => {
  const b = await testServer({ login: "interactive" });
  const browser = openBrowser(b);
  const { headers } = await browser.authorize();
  const login = await (await browser.get(headers.get("location")!)).text();
  const form = parseForms(login, "https://as.test").find(({ buttons }) => buttons.some(({ name }) => name === "new"));
  const hidden = form!.controls.filter(({ type }) => type === "hidden").map(({ name, value }) => `${name}=${value}`);
  const response = await browser.get("/oauth2/login", {
    method: "POST",
    body: [...hidden, "new=yes", "subject=carol", `claims={"a":${deep(1000)}}`].join("&"),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  assertEquals(response.status, 400);
  assertStringIncludes(await response.text(), "The claims are nested too deeply: use fewer levels.");
});

// Regression: the server looked for a client by the secret, in case both were swapped, and so fetched its URL.
test("[CA-07, HT-15] a wrong secret that is a URL causes no outbound request, and fails like any other", async () => {
  const fetched: string[] = [];
  const server = await testServer({
    clientIdMetadataDocuments: true,
    outbound: (url) => {
      fetched.push(String(url));
      return Promise.reject(new TypeError("there is no network"));
    },
  });
  const bodies = new Set<string>();
  for (const client_secret of ["https://evil.example/poster-secret", "wrong"]) {
    const response = await server.token({ client_id: "poster", client_secret, code: "x" });
    bodies.add(`${response.status} ${await response.text()}`);
  }
  assertEquals([bodies.size, fetched], [1, []]);
});
