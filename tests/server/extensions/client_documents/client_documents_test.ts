/**
 * Client ID metadata documents: clients whose id is the URL of their metadata (group MC).
 *
 * @extensions assertion_authentication
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { type ClientMetadata, extensions, type LatchkeyOptions } from "../../../../src/mod.ts";
import type { TraceEvent } from "../../../../src/server/trace.ts";
import { openBrowser } from "../../browser.ts";
import { assertPage, basic, type Fields, forEachCase, getOutcome, getRejections, testServer } from "../../../kit.ts";
import {
  describePage,
  fillForm,
  logIn,
  logInAndAllow,
  openPage,
  requestAuthorization,
  send,
  submit,
} from "../../page_navigation.ts";
import { document, documentServer, real, url } from "./document_server.ts";

const scope = "read";

/** Asserts a redirect with a code. */
function assertCode(response: Response): void {
  const location = response.headers.get("location") ?? "none";
  assert(new URL(location, "none:").searchParams.has("code"), `${response.status}, Location: ${location}`);
}

function getWarnings(events: readonly TraceEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === "warning" ? [`${event.explanation.rule} ${event.explanation.reason}`] : []
  );
}

test("[MC-03] a login works without a registration, and metadata says so", async () => {
  const b = await documentServer();
  const code = await b.code({ client_id: url });
  const response = await b.token({ client_id: url, code });
  assertEquals(response.status, 200);
  const tokens = await response.json();
  const refreshed = { grant_type: "refresh_token", refresh_token: tokens.refresh_token, client_id: url };
  const again = await b.token({ ...refreshed, redirect_uri: undefined, code_verifier: undefined });
  assertEquals(again.status, 200);
  const { access_token, refresh_token } = await again.json();
  const userinfo = await b.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } });
  assertEquals(userinfo.status, 200);
  const introspect = () => b.post("/oauth2/introspect", { token: access_token }, basic("web", "web-secret"));
  const { active, client_id } = await (await introspect()).json();
  assertEquals([active, client_id], [true, url]);
  const revoked = await b.post("/oauth2/revoke", { token: refresh_token, client_id: url });
  assertEquals(revoked.status, 200);
  assertEquals(b.fetched, [url]);
  for (const path of ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]) {
    assertEquals((await (await b.get(path)).json()).client_id_metadata_document_supported, true);
  }
});

test("[MC-03] switched off or without the extension, the id is unknown and nothing is fetched", async () => {
  const others = extensions.filter(({ name }) => name !== "client_documents");
  await forEachCase([{ clientIdMetadataDocuments: false }, real, { extensions: others }], async (options) => {
    const b = await documentServer({
      clients: [{ client_id: "spa", redirect_uris: ["https://x.example/"] }],
      ...options,
    });
    const metadata = await (await b.get("/.well-known/openid-configuration")).json();
    assert(!("client_id_metadata_document_supported" in metadata));
    await assertPage(await b.authorize({ client_id: url }));
    assertEquals(await getOutcome(await b.token({ client_id: url, code: "x" })), "401 invalid_client");
    assertEquals(getRejections(b.events)[0]!.explanation.rule, "AZ-02");
    assertEquals(b.fetched, []);
  });
  const on = await documentServer({ ...real, clientIdMetadataDocuments: true, clients: [] });
  assertCode(await on.authorize({ client_id: url, scope }));
});

test("[MC-03] an id that is not such a URL is rejected by a page and by 400, and nothing is fetched", async () => {
  const b = await documentServer();
  await forEachCase(
    [
      ["http://client.example/c", /an https URL/],
      ["https://client.example", /with a path/],
      ["https://client.example?x", /with a path/],
      ["https://client.example/a/../c", /path segments/],
      ["https://client.example/./c", /path segments/],
      ["https://client.example/a/%2E%2e/c", /path segments/],
      ["https://client.example/%2e", /path segments/],
      ["https://client.example/c#f", /fragment/],
      ["https://client.example/c#", /fragment/],
      ["https://user@client.example/c", /user and password/],
      ["https://:pw@client.example/c", /user and password/],
      ["https://client.example\\c/d", /backslash/],
      ["https://client.example/a b", /spaces/],
      ["https://client.example/\u0001", /spaces/],
      ["https://client.example/é", /outside of ASCII/],
      ["https://[::1/c", /a URL$/],
      ["https:///client.example/c", /normal form, https:\/\/client\.example\/c$/],
      ["https://%63lient.example/c", /normal form/],
      ["https://client.example:/c", /normal form/],
      ["https://client.example:0443/c", /normal form/],
      ["https://client.example:443:443/c", /a URL$/],
      ["https://CLIENT.example/c", /normal form/],
      ["https://2130706433/c", /normal form/],
      [`https://client.example/${"a".repeat(256)}`, /at most 256/],
      ["HTTPS:///", /a URL$|path/],
    ] as const,
    async ([client_id, expected]) => {
      b.events.length = 0;
      await assertPage(await b.authorize({ client_id }));
      assertEquals(await getOutcome(await b.token({ client_id, code: "x" })), "401 invalid_client");
      for (const { explanation } of getRejections(b.events)) {
        assertEquals(explanation.rule, "MC-03");
        assertMatch(explanation.expected!, expected);
      }
      assertEquals(getRejections(b.events).length, 2);
    },
  );
  assertEquals(b.fetched, []);
});

test("[MC-03] a server on a loopback host accepts, with a warning, an http URL of its machine; no other server does", async () => {
  const local = [
    "http://localhost:3000/client.json",
    "http://127.0.0.1:3000/client.json",
    "http://[::1]:3000/client.json",
    "http://app.localhost:3000/client.json",
  ];
  const others = ["http://client.example/c", "http://localhost.example.com/c", "http://10.0.0.7/c"];
  const documentOf = (client_id: string) => Response.json({ ...document, client_id });
  const laptop = await documentServer({ issuer: "http://localhost:9000" });
  laptop.respond = documentOf;
  await forEachCase(local, async (client_id) => {
    laptop.events.length = 0;
    assertCode(await laptop.authorize({ client_id }));
    assertMatch(getWarnings(laptop.events).join(), /MC-03 client_id has the scheme http/);
  });
  for (const options of [{}, { ...real, clientIdMetadataDocuments: true }, { issuer: "https://as.test" }]) {
    const server = await documentServer(options);
    server.respond = documentOf;
    await forEachCase([...local, ...others], async (client_id) => {
      await assertPage(await server.authorize({ client_id }));
      assertEquals(getRejections(server.events).at(-1)?.explanation.rule, "MC-03");
    });
    assertEquals(server.fetched, []);
  }
  await forEachCase(others, async (client_id) => void await assertPage(await laptop.authorize({ client_id })));
});

test("[MC-03] a port and, with a warning, a bare slash and a query are accepted; other spellings are other clients", async () => {
  const b = await documentServer();
  b.respond = (client_id) => Response.json({ ...document, client_id });
  for (
    const client_id of [
      url.replace("/oauth", ":443/oauth"),
      "https://client.example:8443/c",
      "https://client.example/a..b/.c",
    ]
  ) {
    assertCode(await b.authorize({ client_id }));
  }
  assertEquals(getWarnings(b.events), []);
  assertCode(await b.authorize({ client_id: `${url}?v=1` }));
  assertMatch(getWarnings(b.events).join(), /MC-03 client_id has a query/);
  assertCode(await b.authorize({ client_id: "https://client.example/" }));
  assertMatch(getWarnings(b.events).join(), /MC-03 client_id has the path \//);
  b.respond = () => Response.json(document);
  await assertPage(await b.authorize({ client_id: "https://CLIENT.example/oauth/client.json" }));
  // The document names the URL without the port.
  b.advance(24 * 3600);
  await assertPage(await b.authorize({ client_id: url.replace("/oauth", ":443/oauth") }));
});

test("[MC-03] a registered client with that id takes precedence, and a resource is never fetched as a client", async () => {
  const b = await documentServer({ clients: [{ client_id: url, redirect_uris: ["https://mine.example/cb"] }] });
  await assertPage(await b.authorize({ client_id: url }));
  assertCode(await b.authorize({ client_id: url, redirect_uri: "https://mine.example/cb" }));
  b.as.clients.set({ client_id: "spa", redirect_uris: ["https://spa.example/cb"] });
  assertCode(await b.authorize({ resource: "https://mcp.example/mcp" }));
  assertEquals(b.fetched, []);
});

test("[MC-04] a faulty response or document is rejected with the expected and the received value, and not cached", async () => {
  const b = await documentServer();
  const json = (members: object) => () => Response.json({ ...document, ...members });
  const typed = (type: string) => () => new Response(JSON.stringify(document), { headers: { "content-type": type } });
  const keys = { keys: [{ kty: "EC", crv: "P-256", x: "x", y: "y", d: "secret" }] };
  const cases: readonly (readonly [() => Response | Promise<Response>, RegExp])[] = [
    ...[201, 301, 302, 307, 401, 404, 410, 500].map((status) =>
      [
        () => new Response(JSON.stringify(document), { status, headers: { location: url } }),
        new RegExp(`status 200 .*received status ${status}`),
      ] as const
    ),
    [() => Promise.reject(new TypeError("no route to host")), /received no response \(no route to host\)/],
    [typed("text/html"), /Content-Type.*text\/html/],
    [typed("text/plain"), /Content-Type/],
    [() => new Response(new TextEncoder().encode(JSON.stringify(document))), /Content-Type.*none/],
    [() => new Response("<html>", { headers: { "content-type": "application/json" } }), /JSON object.*not JSON/],
    [() => Response.json([document]), /JSON object.*array/],
    [() => Response.json(null), /JSON object.*null/],
    [() => Response.json("x"), /JSON object/],
    [json({ client_id: undefined }), /client_id.*nothing/],
    [json({ client_id: `${url}/` }), /client_id.*client\.json\//],
    [json({ client_id: url.toUpperCase() }), /client_id/],
    [json({ client_id: [url] }), /client_id/],
    [json({ client_secret: "hush" }), /client_secret: no secret/],
    [json({ client_secret_expires_at: 0 }), /client_secret_expires_at: no secret/],
    [json({ token_endpoint_auth_method: "client_secret_basic" }), /none or private_key_jwt.*client_secret_basic/],
    [json({ token_endpoint_auth_method: "client_secret_post" }), /none or private_key_jwt/],
    [json({ token_endpoint_auth_method: "client_secret_jwt" }), /none or private_key_jwt/],
    [json({ token_endpoint_auth_method: "tls_client_auth" }), /none or private_key_jwt/],
    [json({ token_endpoint_auth_method: 7 }), /none or private_key_jwt/],
    [json({ token_endpoint_auth_method: "private_key_jwt" }), /jwks: at least one public key/],
    [json({ jwks: keys, token_endpoint_auth_method: "private_key_jwt" }), /private member "d"/],
    [json({ jwks: keys }), /private member "d"/],
    [json({ jwks: { keys: [{ kty: "oct", k: "c2VjcmV0" }] } }), /private member "k"/],
    [json({ jwks_uri: "ftp://client.example/jwks", token_endpoint_auth_method: "private_key_jwt" }), /jwks_uri/],
    [json({ redirect_uris: undefined }), /redirect_uris: at least one/],
    [json({ redirect_uris: [] }), /redirect_uris: at least one/],
    [json({ redirect_uris: "https://spa.example/cb" }), /redirect_uris/],
    [json({ redirect_uris: [1] }), /redirect_uris/],
    [json({ redirect_uris: ["http://real-host.com/cb"] }), /redirect_uris: at least one value of/],
    [json({ grant_types: ["implicit", "password"] }), /grant_types: at least one value of authorization_code/],
    [json({ response_types: ["token"] }), /response_types: at least one value of code/],
    [json({ scope: "admin" }), /scope: at least one value of openid/],
    [json({ client_name: 7 }), /client_name/],
    [
      json({ client_name: "x".repeat(201) }),
      /client_name: at most 200 characters, received client_name: 201 characters/,
    ],
    [json({ client_name: "bank\u202Eelpmaxe" }), /client_name.*direction of text/],
    [json({ client_name: "bank\nexample" }), /client_name.*control characters/],
    [json({ contacts: ["x".repeat(2049)] }), /contacts\[0\].*at most 2048 characters/],
    [json({ id_token_signed_response_alg: "none" }), /id_token_signed_response_alg/],
    [json({ client_id: url, padding: "x".repeat(5 * 1024) }), /at most 5120 bytes/],
  ];
  await forEachCase(cases, async ([respond, expected]) => {
    b.events.length = 0;
    b.respond = respond;
    const count = b.fetched.length;
    const html = await assertPage(await b.authorize({ client_id: url }));
    assertStringIncludes(html, "MC-04");
    assertEquals(await getOutcome(await b.token({ client_id: url, code: "x" })), "401 invalid_client");
    assertEquals(b.fetched.length, count + 2);
    for (const { explanation: { rule, reason, expected: wanted, received, fix } } of getRejections(b.events)) {
      assertEquals(rule, "MC-04");
      assertMatch(`${reason}; expected ${wanted}, received ${received}`, expected);
      const [, member] = /is invalid: (.+)$/.exec(reason) ?? [];
      const fetchFix = "Make the server of this URL respond";
      assertStringIncludes(fix!, member === undefined ? fetchFix : `Correct ${member} of the metadata document`);
      assert(received!.startsWith(member ?? ""), received);
    }
    // Within the limit of fetches from one host.
    b.advance(60);
  });
  b.respond = () => Response.json(document);
  assertCode(await b.authorize({ client_id: url }));
  assertEquals(b.events.filter(({ type }) => type === "internal_error"), []);
});

test("[MC-04] missing members have defaults, and unsupported values are ignored, with warnings", async () => {
  const b = await documentServer();
  const warningsFor = async (members: object) => {
    b.advance(24 * 3600);
    b.events.length = 0;
    b.respond = () => Response.json({ ...document, ...members });
    assertCode(await b.authorize({ client_id: url }));
    return getWarnings(b.events).join();
  };
  assertEquals(await warningsFor({}), "");
  assertEquals(await warningsFor({ unknown: { a: 1 }, logo_uri: "https://client.example/logo.png" }), "");
  assertMatch(
    await warningsFor({ token_endpoint_auth_method: undefined }),
    /has no token_endpoint_auth_method, so the server uses none/,
  );
  assertMatch(
    await warningsFor({ token_endpoint_auth_method: undefined, jwks_uri: "https://client.example/jwks" }),
    /so the server uses private_key_jwt/,
  );
  assertMatch(await warningsFor({ grant_types: ["authorization_code", "urn:example:other"] }), /values of grant_types/);
  assertMatch(await warningsFor({ response_types: ["code", "code id_token"] }), /values of response_types/);
  assertMatch(await warningsFor({ scope: "openid read mcp:tools" }), /values of scope/);
  assertMatch(
    await warningsFor({ redirect_uris: ["https://spa.example/cb", "http://real-host.com/cb"] }),
    /values of redirect_uris/,
  );
  assertMatch(await warningsFor({ serves: ["https://api.example"] }), /serves of the metadata document is ignored/);
  // 5 KiB exactly.
  const text = JSON.stringify(document).padEnd(5 * 1024);
  b.respond = () => new Response(text, { headers: { "content-type": "application/client+json; charset=utf-8" } });
  b.advance(24 * 3600);
  assertCode(await b.authorize({ client_id: url }));
});

test("[MC-04] a document may arrive in any parts", async () => {
  const b = await documentServer({ login: "interactive", users: [{ sub: "alice" }] });
  const bytes = new TextEncoder().encode(JSON.stringify({ ...document, client_name: "Café" }));
  b.respond = () => {
    const body = new ReadableStream({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "application/json" } });
  };
  assertStringIncludes((await logIn(openBrowser(b), "alice", { client_id: url })).text, "Allow Café to access");
});

test("[MC-04] a document is cached as long as its headers say, within 10 seconds and a day", async () => {
  const b = await documentServer();
  await forEachCase(
    [
      [{}, 300],
      [{ "cache-control": "max-age=120" }, 120],
      [{ "cache-control": 'public, MAX-AGE="60"' }, 60],
      [{ "cache-control": "max-age=120, s-maxage=40" }, 40],
      [{ "cache-control": "max-age=120", age: "100" }, 20],
      [{ "cache-control": "max-age=1" }, 10],
      [{ "cache-control": "max-age=0, must-revalidate" }, 10],
      [{ "cache-control": "no-store" }, 10],
      [{ "cache-control": "private, no-cache" }, 10],
      [{ "cache-control": "max-age=99999999" }, 86400],
      [{ expires: "Thu, 01 Jan 2026 01:00:00 GMT", date: "Thu, 01 Jan 2026 00:00:00 GMT" }, 3600],
      [{ expires: "Thu, 01 Jan 2026 01:00:00 GMT", date: "Thu, 01 Jan 2026 00:00:00 GMT", age: "600" }, 3000],
      [{ expires: "0" }, 10],
      [{ "cache-control": "max-age=abc" }, 300],
    ] as const,
    async ([headers, seconds]) => {
      b.advance(24 * 3600);
      b.fetched.length = 0;
      b.respond = () => Response.json(document, { headers });
      for (const wait of [0, seconds - 1]) {
        b.advance(wait);
        assertCode(await b.authorize({ client_id: url }));
      }
      assertEquals(b.fetched.length, 1, "fetched again too early");
      b.advance(1);
      assertCode(await b.authorize({ client_id: url }));
      assertEquals(b.fetched.length, 2, "fetched again too late");
    },
  );
});

test("[MC-04] an expired document that cannot be fetched stops requests of the client; its access tokens stay valid", async () => {
  const b = await documentServer();
  const { access_token, refresh_token } = await (await b.token({
    client_id: url,
    code: await b.code({ client_id: url }),
  })).json();
  b.respond = () => new Response(null, { status: 503 });
  b.advance(300);
  await assertPage(await b.authorize({ client_id: url }));
  const refresh: Fields = { grant_type: "refresh_token", refresh_token, client_id: url };
  const bare = { redirect_uri: undefined, code_verifier: undefined };
  assertEquals(await getOutcome(await b.token({ ...refresh, ...bare })), "401 invalid_client");
  const userinfo = await b.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } });
  assertEquals(userinfo.status, 200);
  b.respond = () => Response.json(document);
  assertEquals(await getOutcome(await b.token({ ...refresh, ...bare })), "200");
});

test("[MC-05] concurrent requests share one fetch, and each host has a limit of fetches", async () => {
  const b = await documentServer();
  let release = () => {};
  const released = new Promise<void>((resolve) => release = resolve);
  b.respond = async (client_id) => {
    await released;
    return Response.json({ ...document, client_id });
  };
  const both = [
    b.authorize({ client_id: url }),
    b.authorize({ client_id: url }),
    b.token({ client_id: url, code: "x" }),
  ];
  release();
  await Promise.all(both);
  assertEquals(b.fetched, [url]);
  const one = (host: string, n: number) => b.authorize({ client_id: `https://${host}/${n}` });
  for (let n = 1; n < 60; n++) assertCode(await one("client.example", n));
  const limited = await one("client.example", 60);
  assertEquals([limited.status, limited.headers.get("retry-after")], [429, "60"]);
  const json = await b.token({ client_id: "https://client.example/60", code: "x" });
  assertEquals([json.status, (await json.json()).error], [429, "temporarily_unavailable"]);
  assertEquals(b.fetched.length, 60);
  assertCode(await one("other.example", 1));
  assertCode(await b.authorize({ client_id: url }));
  b.advance(60);
  assertCode(await one("client.example", 60));
});

test("[MC-05] all hosts together have a limit of fetches", async () => {
  const b = await documentServer();
  b.respond = (client_id) => Response.json({ ...document, client_id });
  const one = (host: number, n: number) => b.authorize({ client_id: `https://client${host}.example/${n}` });
  for (let i = 0; i < 600; i++) assertCode(await one(i % 10, i));
  assertEquals((await one(10, 0)).status, 429);
  assertMatch(
    getRejections(b.events).at(-1)!.explanation.expected!,
    /at most 600 fetches in 60 seconds from all hosts/,
  );
  b.advance(60);
  assertCode(await one(10, 0));
});

test("[MC-05] the limits of fetches hold for all ports of a host and however many hosts are named", async () => {
  const b = await documentServer();
  b.respond = (client_id) => Response.json({ ...document, client_id });
  assertCode(await b.authorize({ client_id: url }));
  for (let port = 1; port < 100; port++) await b.authorize({ client_id: `https://client.example:${port + 8000}/c` });
  assertEquals(b.fetched.length, 60);
  for (let host = 0; host < 1000; host++) await b.token({ client_id: `https://client${host}.example/c`, code: "x" });
  assertEquals(b.fetched.length, 600);
  assertEquals((await b.authorize({ client_id: "https://client.example:9000/c" })).status, 429);
  assertEquals(b.fetched.length, 600);
});

test("[MC-05] a fetch follows no redirect, has a limit of time, and sends no credentials", async () => {
  const inits: RequestInit[] = [];
  const b = await documentServer({
    outbound: (_, init) => {
      inits.push(init);
      return Promise.resolve(Response.json(document));
    },
  });
  assertCode(await b.authorize({ client_id: url }, { headers: { cookie: "a=b", authorization: "Bearer x" } }));
  const [{ redirect, signal, headers, method = "GET", body }] = inits as [RequestInit];
  assert(signal instanceof AbortSignal);
  assertEquals([redirect, method, body], ["manual", "GET", undefined]);
  assertEquals(Object.keys(headers as Record<string, string>), ["accept"]);
});

test("[MC-05] documents on this machine and in private networks are not fetched, and a real server does not say why", async () => {
  const b = await testServer({ ...real, clientIdMetadataDocuments: true, clients: [] });
  await forEachCase([
    "https://127.0.0.1/c",
    "https://[::ffff:7f00:1]/c",
    "https://[fd20:ce::254]/c",
    "https://169.254.169.254/latest/",
    "https://metadata.google.internal/c",
    "https://localhost/c",
  ], async (client_id) => {
    b.events.length = 0;
    const html = await assertPage(await b.authorize({ client_id }));
    assert(!/MC-05|loopback|local network|public address/.test(html));
    assertEquals(getRejections(b.events)[0]!.explanation.rule, "MC-05");
    const fetch = b.events.find((event) => event.type === "metadata_document_fetched");
    assertMatch(fetch!.outcome, /rejected: no response \(expected a host with a public address/);
  });
});

test("[MC-06] redirect URIs are matched as registered ones are, ports of loopback URIs included", async () => {
  const b = await documentServer();
  b.respond = () =>
    Response.json({
      ...document,
      redirect_uris: ["http://127.0.0.1/cb", "http://localhost:3000/cb", "com.example.app:/cb"],
    });
  for (
    const redirect_uri of ["http://127.0.0.1:4711/cb", "http://localhost:5000/cb", "com.example.app:/cb"]
  ) assertCode(await b.authorize({ client_id: url, redirect_uri }));
  assertMatch(getWarnings(b.events)[0]!, /MC-06 every redirect URI of the client leads to the user's own device/);
  for (const redirect_uri of ["http://127.0.0.1:4711/cb/", "https://spa.example/cb", "http://[::1]/cb"]) {
    await assertPage(await b.authorize({ client_id: url, redirect_uri }));
  }
  assertEquals(getRejections(b.events).map(({ explanation }) => explanation.rule), ["RU-01", "RU-01", "RU-01"]);
});

test("[MC-06] the consent page names the hosts of client_id and redirect URI, and warns about a client on the device", async () => {
  const b = await documentServer({ login: "interactive", users: [{ sub: "alice" }] });
  const { text } = await logIn(openBrowser(b), "alice", { client_id: url });
  for (
    const words of [
      "Example client",
      url,
      "Not registered by the operator",
      "client.example chose the name",
      "spa.example",
    ]
  ) assertStringIncludes(text.replaceAll(/\s+/g, " "), words);
  assert(!text.includes("pretend to be this client"));
  b.respond = () => Response.json({ ...document, client_name: undefined, redirect_uris: ["http://localhost:3000/cb"] });
  b.advance(300);
  const browser = openBrowser(b);
  const local: Fields = { client_id: url, redirect_uri: "http://localhost:3000/cb" };
  const onDevice = await logInAndAllow(browser, "alice", local);
  assertEquals(describePage(onDevice), "code");
  const again = await requestAuthorization(browser, local);
  assertEquals(describePage(again), "consent");
  for (
    const words of [
      "Allow client.example to",
      "pretend to be this client",
      "a program on this device, at localhost:3000",
    ]
  ) {
    assertStringIncludes(again.text.replaceAll(/\s+/g, " "), words);
  }
});

test("[MC-06] the account page lists clients of documents beside registered ones", async () => {
  const b = await documentServer({ login: "interactive", users: [{ sub: "alice" }] });
  b.respond = (client_id) => Response.json({ ...document, client_id, client_name: `Client at ${client_id}` });
  const browser = openBrowser(b);
  const other = "https://other.example/c";
  const account = async () => {
    const { text } = await openPage(browser, "/account", await browser.get("/account"));
    return [`Client at ${url}`, `Client at ${other}`, "spa"].filter((name) => text.includes(name));
  };
  await logInAndAllow(browser, "alice", { client_id: url });
  assertEquals(await account(), [`Client at ${url}`]);
  for (const client_id of [other, "spa"]) {
    const consent = await requestAuthorization(browser, { client_id });
    assertEquals(describePage(await submit(browser, consent, "decision", "allow")), "code");
  }
  assertEquals(await account(), [`Client at ${url}`, `Client at ${other}`, "spa"]);
});

test("[MC-04, MC-05] the account page fetches no document, and revokes the consent to a client without one", async () => {
  const b = await documentServer({ login: "interactive", users: [{ sub: "alice" }] });
  b.respond = () => Response.json(document, { headers: { "cache-control": "max-age=10" } });
  const browser = openBrowser(b);
  await logInAndAllow(browser, "alice", { client_id: url });
  const { length } = b.fetched;
  b.advance(11);
  b.respond = () => new Response(null, { status: 404 });
  const account = async () => await openPage(browser, "/account", await browser.get("/account"));
  const page = await account();
  assertStringIncludes(page.text, url);
  const { path, fields } = fillForm(page, "");
  assertEquals((await send(browser, path, fields)).status, 303);
  assertEquals((await account()).text.includes(url), false);
  assertEquals(b.fetched.length, length);
});

test("[MC-09] a remembered consent does not count for other redirect URIs or keys", async () => {
  const b = await documentServer({ login: "interactive", users: [{ sub: "alice" }] });
  const browser = openBrowser(b);
  await logInAndAllow(browser, "alice", { client_id: url });
  const pageAfter = async (members: Partial<ClientMetadata>) => {
    b.advance(300);
    b.respond = () => Response.json({ ...document, ...members });
    return await requestAuthorization(browser, { client_id: url });
  };
  assertEquals(describePage(await pageAfter({ client_name: "Another name" })), "code");
  const jwks_uri = "https://client.example/jwks";
  for (
    const members of [
      { redirect_uris: ["https://spa.example/cb", "https://evil.example/cb"] },
      { jwks_uri },
      { jwks_uri, token_endpoint_auth_method: "private_key_jwt" },
    ] as const
  ) {
    const page = await pageAfter(members);
    assertEquals(describePage(page), "consent");
    assert(!page.text.includes("allowed before"));
  }
  assertEquals(describePage(await pageAfter({})), "code");
});

test("[MC-03, MC-04, PF-09] the profile mcp accepts documents since 2025-11-25, on real hosts too, with a name", async () => {
  const supports = async (options: LatchkeyOptions) => {
    const b = await documentServer({ clients: [], profile: "mcp", ...options });
    const path = "/.well-known/oauth-authorization-server";
    return (await (await b.get(path)).json()).client_id_metadata_document_supported === true;
  };
  const revisions = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;
  const found = await Promise.all(revisions.map((mcpRevision) => supports({ mcpRevision })));
  assertEquals(found, [false, false, true, true]);
  assertEquals(
    [await supports(real), await supports({ ...real, clientIdMetadataDocuments: false })],
    [true, false],
  );
  const b = await documentServer({ clients: [], profile: "mcp" });
  assertCode(await b.authorize({ client_id: url }));
  const expectations = {
    client_name: /^client_name: a name .*, by the profile mcp 2026-07-28$/,
    redirect_uris: /^redirect_uris: at least one redirect URI/,
  };
  for (const [name, expectation] of Object.entries(expectations)) {
    b.respond = (client_id) => Response.json({ ...document, client_id, [name]: undefined });
    await assertPage(await b.authorize({ client_id: `https://client.example/${name}` }));
    assertMatch(getRejections(b.events).at(-1)!.explanation.expected!, expectation);
  }
  b.respond = (client_id) => Response.json({ ...document, client_id, redirect_uris: ["com.example.app:/cb"] });
  await assertPage(await b.authorize({ client_id: "https://client.example/private-use" }));
  const { expected, fix } = getRejections(b.events).at(-1)!.explanation;
  assertEquals(expected, "redirect_uris: at least one value of an https or loopback URI");
  assertEquals(fix, "Correct redirect_uris of the metadata document: at least one value of an https or loopback URI.");
});
