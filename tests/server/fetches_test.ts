/**
 * What the server fetches because of clients that the operator does not know, and what its responses say of it (MC,
 * DR).
 *
 * @extensions assertion_authentication, client_documents, registration
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import type { LatchkeyOptions } from "../../src/mod.ts";
import { assertPage, encode, forEachCase, getRejections, goodRequest, realHost, testServer, verifier } from "../kit.ts";
import type { TestServer } from "../kit.ts";
import { assertionOf, clientKey, signingContext, signText } from "./client_jwts.ts";
import { sample } from "../sample.ts";

type Respond = (url: string) => Response | Promise<Response>;

/** A server whose fetches `respond` responds to, with the URLs that it fetched. */
async function fetchingServer(respond: Respond, options: LatchkeyOptions = {}) {
  const fetched: string[] = [];
  const server = await testServer({
    issuer: "http://localhost:9000",
    outbound: async (url) => {
      fetched.push(url);
      return await respond(url);
    },
    ...options,
  });
  return { ...server, fetched };
}

test("[MC-05, UI-30] no page of another site and no other machine makes the server fetch a local document", async () => {
  const ownPage = { "sec-fetch-site": "same-origin" };
  const cases = [
    ["http://localhost:9000", "127.0.0.1", ownPage, true],
    ["http://localhost:9000", "127.0.0.1", {}, true],
    ["http://localhost:9000", "192.168.1.66", {}, false],
    ["http://localhost:9000", "127.0.0.1", { "sec-fetch-site": "cross-site" }, false],
    // A page can hide itself where browsers do not state the site.
    ["http://app.localtest.me:9000", "127.0.0.1", {}, false],
    ["http://127.0.0.1.nip.io:9000", "127.0.0.1", {}, false],
    // Every address has a name there.
    ["https://app.traefik.me", "127.0.0.1", { "sec-fetch-site": "same-site" }, false],
  ] as const;
  await forEachCase(cases, async ([issuer, address, headers, isFetched]) => {
    const { as, fetched } = await fetchingServer(() => Response.json({}), { issuer });
    const query = encode({ ...goodRequest, client_id: "http://127.0.0.1:8080/admin" });
    const request = new Request(`${issuer}/oauth2/authorize?${query}`, {
      headers: { host: new URL(issuer).host, ...headers },
    });
    await (await as.fetch(request, { address })).body?.cancel();
    assertEquals(fetched.length > 0, isFetched);
  });
});

test("[HT-22, UI-20] a page below the same public name for this machine is a page of another site", async () => {
  const { as } = await testServer({ issuer: "https://app.traefik.me", registration: { mode: "open" } });
  const register = async (origin: string) =>
    (await as.fetch(
      new Request("https://app.traefik.me/oauth2/register", {
        method: "POST",
        headers: { "content-type": "application/json", "sec-fetch-site": "same-site", origin },
        body: JSON.stringify({ redirect_uris: [`${origin}/cb`] }),
      }),
    )).status;
  assertEquals(await register("https://6-6-6-6.traefik.me"), 403);
});

/** POST /oauth2/register from this address. */
async function register(
  { as }: Pick<TestServer, "as">,
  metadata: object,
  address: string | undefined,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await as.fetch(
    new Request(`${as.issuer}/oauth2/register`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ redirect_uris: ["http://localhost:3000/cb"], ...metadata }),
    }),
    { address },
  );
  return { status: response.status, text: await response.text() };
}

const keyMethod = { token_endpoint_auth_method: "private_key_jwt" };
const localMembers = [
  { jwks_uri: "http://localhost:8080/jwks", ...keyMethod },
  { jwks_uri: "http://127.0.0.1:8080/jwks", ...keyMethod },
  { jwks_uri: "http://printer/jwks", ...keyMethod },
  { backchannel_logout_uri: "http://localhost:8080/logout" },
  { frontchannel_logout_uri: "http://localhost:3000/logout" },
  { sector_identifier_uri: "https://localhost:8080/sector" },
];

test("[DR-08, MC-05] a client names local URLs only if a program on this machine registers it, or the operator knows it", async () => {
  const token = "an-initial-access-token";
  const server = await fetchingServer(() => Response.json(["http://localhost:3000/cb"]), {
    registration: { mode: "open", initialAccessTokens: [token] },
  });
  await forEachCase(localMembers, async (metadata) => {
    const [member] = Object.keys(metadata);
    const senders: readonly [string | undefined, Record<string, string>, number][] = [
      ["127.0.0.1", {}, 201],
      ["::1", {}, 201],
      ["::ffff:127.0.0.1", {}, 201],
      [undefined, {}, 201],
      ["192.168.1.7", {}, 400],
      ["203.0.113.7", {}, 400],
      // A page, if only of this machine, may be under the influence of another site.
      ["127.0.0.1", { origin: "http://localhost:3000" }, 400],
      ["192.168.1.7", { authorization: `Bearer ${token}` }, 201],
    ];
    for (const [address, headers, expected] of senders) {
      server.fetched.length = 0;
      const { status, text } = await register(server, metadata, address, headers);
      assertEquals(status, expected, `${address} ${JSON.stringify(headers)} ${text}`);
      if (status !== 400) continue;
      assertStringIncludes(text, member!);
      assertEquals(server.fetched, []);
    }
  });
  // A public URL is open to all.
  const metadata = { jwks_uri: "https://keys.widgets.com/jwks", ...keyMethod };
  assertEquals((await register(server, metadata, "203.0.113.7")).status, 201);
});

test("[DR-08, MC-05] an update names local URLs only from this machine, and privateHosts are for clients that the operator knows", async () => {
  const server = await fetchingServer(() => Response.json([]));
  const { client_id, registration_access_token: token } = JSON.parse((await register(server, {}, "127.0.0.1")).text);
  const update = (address: string) =>
    server.as.fetch(
      new Request(`${server.as.issuer}/oauth2/register/${client_id}`, {
        method: "PUT",
        headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
        body: JSON.stringify({ client_id, redirect_uris: ["http://localhost:3000/cb"], ...localMembers[3] }),
      }),
      { address },
    );
  assertEquals((await update("192.168.1.7")).status, 400);
  assertEquals((await update("127.0.0.1")).status, 200);

  const real = await fetchingServer(() => Response.json([]), {
    ...realHost,
    ...{ users: [{ sub: "alice" }], clients: [], audience: "https://api.widgets.com", throttle: false },
    ...{ registration: { mode: "open", initialAccessTokens: ["an-initial-access-token"] } },
    ...{ insecure: ["auto-login", "open-registration"], privateHosts: ["keys.corp.internal"] },
  });
  const metadata = { redirect_uris: ["https://app.widgets.com/cb"], jwks_uri: "https://keys.corp.internal/jwks" };
  for (const address of ["127.0.0.1", "203.0.113.7"]) {
    assertEquals((await register(real, { ...metadata, ...keyMethod }, address)).status, 400);
  }
  const approved = { authorization: "Bearer an-initial-access-token" };
  assertEquals((await register(real, { ...metadata, ...keyMethod }, "203.0.113.7", approved)).status, 201);
});

test("[MC-04, MC-05] a metadata document names local URLs only if it is itself at one", async () => {
  const documents = {
    "https://client.widgets.com/c": "https://localhost:8080/jwks",
    "https://localhost:3000/c": "https://localhost:8080/jwks",
    "https://client.widgets.com/d": "https://keys.widgets.com/jwks",
  };
  const server = await fetchingServer((url) =>
    Response.json({
      client_id: url,
      redirect_uris: ["http://localhost:3000/cb"],
      jwks_uri: documents[url as keyof typeof documents],
      ...keyMethod,
    })
  );
  const send = async (client_id: string) => {
    const fields = { ...goodRequest, client_id, redirect_uri: "http://localhost:3000/cb" };
    const response = await server.get(`/oauth2/authorize?${encode(fields)}`);
    return [response.status, getRejections(server.events).at(-1)?.explanation.expected];
  };
  const [status, expected] = await send("https://client.widgets.com/c");
  assertEquals(status, 400);
  assertStringIncludes(String(expected), "jwks_uri: a URL of a public host");
  assertEquals((await send("https://localhost:3000/c"))[0], 302);
  assertEquals((await send("https://client.widgets.com/d"))[0], 302);
});

test("[MC-05] a page of another site lets the server fetch no document of a local host", async () => {
  const server = await fetchingServer((url) =>
    Response.json({ client_id: url, redirect_uris: ["http://localhost:3000/cb"], token_endpoint_auth_method: "none" })
  );
  const foreign: Record<string, string> = { "sec-fetch-site": "cross-site", "sec-fetch-dest": "document" };
  const own = { ...foreign, referer: "http://localhost:5173/" };
  const fields = { ...goodRequest, redirect_uri: "http://localhost:3000/cb" };
  const paths = [
    (id: string) => `/oauth2/authorize?${encode({ ...fields, client_id: id })}`,
    (id: string) => `/oauth2/authorize?${encode({ ...fields, client_id: id, request: "e30.e30.x" })}`,
    (id: string) => `/oauth2/logout?${encode({ client_id: id })}`,
  ];
  await forEachCase(paths.keys(), async (number) => {
    const path = paths[number]!;
    for (const host of ["localhost:8443", "127.0.0.1:8443", "printer", "app.test"]) {
      const id = `https://${host}/${number}`;
      server.fetched.length = 0;
      await server.get(path(id), { headers: foreign });
      await server.get(path(id), { headers: { ...foreign, "sec-fetch-dest": "image" } });
      await server.get(path(id), { headers: { host: "rebound.example.com:9000" } });
      assertEquals(server.fetched, []);
      await server.get(path(id), { headers: own });
      assertEquals(server.fetched, [id]);
    }
    const id = `https://client.widgets.com/${number}`;
    await server.get(path(id), { headers: foreign });
    assert(server.fetched.includes(id), "a public document is fetched");
  });
});

/** The values of `Sec-Fetch-Dest` (Fetch §2.2.7), without that of a visit. */
const destinations = (
  "audio audioworklet embed empty fencedframe font frame iframe image json manifest object paintworklet report script " +
  "serviceworker sharedworker speculationrules style text track video webidentity worker xslt"
).split(" ");

test("[MC-05] a page of another site lets the server fetch for an unknown client only by a visit of the user", async () => {
  const client = (url: string) =>
    Response.json({ client_id: url, redirect_uris: ["http://localhost:3000/cb"], token_endpoint_auth_method: "none" });
  const test = await fetchingServer(client);
  const real = await fetchingServer(client, {
    ...{ ...realHost, users: [{ sub: "alice" }], clients: [], audience: "https://api.widgets.com", throttle: false },
    clientIdMetadataDocuments: true,
  });
  const foreign = { "sec-fetch-site": "cross-site", referer: "https://page.widgets.org/" };
  const visit = { ...foreign, "sec-fetch-dest": "document", "sec-fetch-mode": "navigate" };
  const byScript = { ...foreign, "sec-fetch-dest": "empty", "sec-fetch-mode": "cors" };
  const embedded: Readonly<Record<string, string>>[] = [
    ...destinations.map((to) => ({ ...foreign, "sec-fetch-dest": to, "sec-fetch-mode": "no-cors" })),
    ...["iframe", "frame", "embed", "object"].map((to) => ({ ...visit, "sec-fetch-dest": to })),
    { ...visit, "sec-purpose": "prefetch" },
    { ...visit, "sec-purpose": "prefetch;prerender" },
  ];
  let count = 0;
  await forEachCase([["test", test], ["real", real]] as const, async ([kind, server]) => {
    const metadata = await (await server.get("/.well-known/openid-configuration")).json();
    const endpoints = Object.entries<string>(metadata).filter(([name]) => name.endsWith("_endpoint"));
    /** The number of fetches that a request causes, with the client in each place. */
    const countFetches = async (url: string, method: string, headers: Record<string, string>) => {
      server.fetched.length = 0;
      server.advance(60);
      const client_id = `https://app.widgets.com/client${count++}`;
      const fields = {
        ...goodRequest,
        ...{
          client_id,
          redirect_uri: "http://localhost:3000/cb",
          token: "x",
          grant_type: "authorization_code",
          code: "x",
        },
      };
      const { pathname } = new URL(url);
      if (method === "GET") await server.get(`${pathname}?${encode(fields)}`, { headers });
      else await server.post(pathname, encode(fields), headers);
      return server.fetched.length;
    };
    const fetching = [];
    for (const [name, url] of endpoints) {
      for (const method of ["GET", "POST"]) {
        if (await countFetches(url, method, {}) === 0) continue;
        fetching.push(`${method} ${name}`);
        for (const headers of embedded) {
          assertEquals(await countFetches(url, method, headers), 0, `${method} ${name} ${JSON.stringify(headers)}`);
        }
        const isForBrowsers = /^(?:authorization|end_session)_/.test(name);
        const expected = isForBrowsers ? [1, 0] : [kind === "test" ? 0 : 1, kind === "test" ? 0 : 1];
        const allowed = [await countFetches(url, method, visit), await countFetches(url, method, byScript)];
        assertEquals(allowed, expected, `${method} ${name}`);
        // The page of an application that the operator knows.
        const own = { ...byScript, origin: "http://localhost:3000" };
        if (kind === "test") assertEquals(await countFetches(url, method, own), 1);
      }
    }
    for (const needed of ["GET authorization_endpoint", "POST token_endpoint"]) {
      assert(fetching.includes(needed), fetching.join());
    }
  });
});

test("[MC-05] an image of another site does not let the server fetch the keys of an unknown client", async () => {
  const key = await clientKey();
  const server = await fetchingServer((url) =>
    Response.json(
      url.endsWith("/jwks") ? { keys: [key.jwk] } : {
        ...{ client_id: url, redirect_uris: ["http://localhost:3000/cb"], ...keyMethod },
        jwks_uri: "https://app.widgets.com/jwks",
      },
    )
  );
  const request = await signText(key, '{"alg":"ES256"}', "{}");
  const path = `/oauth2/authorize?${encode({ client_id: "https://app.widgets.com/client", request })}`;
  const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" };
  await server.get(`/oauth2/authorize?${encode({ ...goodRequest, client_id: "https://app.widgets.com/client" })}`);
  server.fetched.length = 0;
  await server.get(path, { headers });
  assertEquals(server.fetched, []);
  await server.get(path);
  assertEquals(server.fetched, ["https://app.widgets.com/jwks"]);
});

/** Responses of a local program, and failures to reach it. */
const failures: Readonly<Record<string, Respond>> = {
  "text": () => new Response("token=hunter2 secret=1"),
  "json text": () => Response.json("token=hunter2"),
  "json object": () => Response.json({ token: "hunter2" }),
  "status 404": () => new Response("hunter2", { status: 404 }),
  "status 500": () => new Response("hunter2", { status: 500 }),
  "redirect": () => new Response(null, { status: 302, headers: { location: "https://hunter2.example" } }),
  "no connection": () => Promise.reject(new TypeError("connect ECONNREFUSED 127.0.0.1:8443 hunter2")),
  "too large": () => new Response("hunter2".repeat(100_000)),
};

test("[MC-05] one sentence for every failed fetch, in each response that one can cause; the trace has the reason", async () => {
  const server = await fetchingServer((url) => respond(url));
  let respond: Respond = () => new Response();
  const registered = JSON.parse(
    (await register(server, { jwks_uri: "https://keys.widgets.com/jwks", ...keyMethod }, "203.0.113.7")).text,
  );
  const post = (path: string, body: string, accept = "*/*") => server.post(path, body, { accept });
  const encodePart = (part: object) =>
    btoa(JSON.stringify(part)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  const { client_id: id } = registered;
  const claims = { iss: id, sub: id, aud: server.as.issuer, jti: "1", exp: Date.UTC(2026, 0, 1) / 1000 + 60 };
  const jwt = `${encodePart({ alg: "ES256", kid: "k" })}.${encodePart(claims)}.${"A".repeat(86)}`;
  const requests: Readonly<Record<string, (accept: string) => Promise<Response>>> = {
    "client assertion": () =>
      post(
        "/oauth2/token",
        encode({
          ...{ grant_type: "authorization_code", code: "x", client_id: id, client_assertion: jwt },
          client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        }),
      ),
    "request object": (accept) =>
      server.get(
        `/oauth2/authorize?${encode({ client_id: id, request: jwt })}`,
        { headers: { accept } },
      ),
    "metadata document": (accept) =>
      server.get(`/oauth2/authorize?${encode({ ...goodRequest, client_id: "https://client.widgets.com/c" })}`, {
        headers: { accept },
      }),
    "metadata document at the token endpoint": () =>
      post(
        "/oauth2/token",
        encode({ grant_type: "authorization_code", code: "x", client_id: "https://c.widgets.com/c" }),
      ),
    "sector": async () => {
      const metadata = { subject_type: "pairwise", sector_identifier_uri: "https://sector.widgets.com/s" };
      const { status, text } = await register(server, metadata, "203.0.113.7");
      return new Response(text, { status });
    },
  };
  await forEachCase(Object.entries(requests), async ([name, send]) => {
    const isDocument = name.startsWith("metadata");
    for (const accept of ["text/html", "application/json"]) {
      const seen = new Set<string>();
      for (const [failure, response] of Object.entries(failures)) {
        // A metadata document that arrives is described by its members.
        if (isDocument && /text|json/.test(failure)) continue;
        respond = response;
        // A failed fetch of keys counts for 30 seconds.
        server.advance(60);
        server.events.length = 0;
        const one = await send(accept);
        const text = (await one.text()).replaceAll(/flows\/of\/\d+/g, "").replaceAll(id, "the client");
        assert(!/hunter2|ECONN|404|500|token=/.test(text), `${failure}: ${text}`);
        seen.add(`${one.status} ${one.headers.get("www-authenticate")} ${text}`);
        const [{ explanation } = {}] = getRejections(server.events);
        assert(explanation?.received !== undefined, `the trace has no reason: ${failure} ${text}`);
      }
      assertEquals(seen.size, 1, [...seen].join("\n"));
    }
  });
  assertStringIncludes(await assertPage(await requests["metadata document"]!("text/html")), "cannot be fetched");
});

/** A server with metadata documents below any URL, and requests from an address. */
async function documentServer(options: LatchkeyOptions = {}) {
  const withdrawn = new Set<string>();
  const server = await fetchingServer((url) => {
    if (url.includes("/missing")) return new Response(null, { status: 404 });
    const redirect_uris = [`${new URL(url).origin}/${withdrawn.has(url) ? "new" : "cb"}`];
    return Response.json({ client_id: url, redirect_uris, token_endpoint_auth_method: "none" });
  }, options);
  const authorize = async (client_id: string, address: string, fields: Readonly<Record<string, string>> = {}) => {
    const redirect_uri = `${new URL(client_id).origin}/cb`;
    const query = encode({ ...goodRequest, client_id, redirect_uri, ...fields });
    const request = new Request(`${server.as.issuer}/oauth2/authorize?${query}`, { redirect: "manual" });
    const response = await server.as.fetch(request, { address });
    await response.body?.cancel();
    return response.status;
  };
  return { ...server, withdrawn, authorize };
}

const inUse = "https://app.widgets.com/client.json";
/** A request that ends with an error at the client, so that nothing is issued. */
const withoutCode = { scope: "unknown" };

test("[MC-05] fetches are limited for each network, and a flood from one stops no client of another", async () => {
  const { authorize, events, advance } = await documentServer();
  for (let n = 0; n < 100; n++) {
    assertEquals(await authorize(`https://c${n}.widgets.com/missing`, "203.0.113.7"), n < 30 ? 400 : 429);
  }
  assertEquals(
    getRejections(events).at(-1)!.explanation.expected,
    "at most 30 fetches in 60 seconds from clients that are not in use, because of one network",
  );
  // One site of IPv6 has many networks.
  for (let n = 0; n < 31; n++) {
    assertEquals(await authorize(`https://d${n}.widgets.com/missing`, `2001:db8:0:${n}::1`), n < 30 ? 400 : 429);
  }
  assertEquals(await authorize("https://first.widgets.com/c", "198.51.100.7"), 302);
  advance(60);
  assertEquals(await authorize("https://second.widgets.com/c", "203.0.113.7"), 302);
});

test("[MC-05] fetches that never end are few for each network and in all, and clients in use do not wait for them", async () => {
  const kept: (() => void)[] = [];
  const key = await clientKey();
  const server = await fetchingServer(async (url) => {
    if (url.includes("kept")) await new Promise<void>((resolve) => kept.push(resolve));
    if (url.endsWith("/jwks")) return Response.json({ keys: [key.jwk] });
    if (url.endsWith("/sector")) return Response.json([]);
    return Response.json({ client_id: url, redirect_uris: ["https://app.widgets.com/cb"] });
  });
  const authorize = async (client_id: string, address: string, fields = {}) => {
    const query = encode({ ...goodRequest, client_id, redirect_uri: "https://app.widgets.com/cb", ...fields });
    const request = new Request(`${server.as.issuer}/oauth2/authorize?${query}`, { redirect: "manual" });
    return await server.as.fetch(request, { address });
  };
  // The requests that cause a fetch of a URL.
  const assertion = async (url: string, address: string) => {
    const { text } = await register(server, { jwks_uri: url, ...keyMethod }, address);
    const fields = await assertionOf(JSON.parse(text).client_id, key, {}, signingContext(undefined, server.as.issuer));
    const body = encode({ grant_type: "authorization_code", code: "x", ...fields });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    return await server.as.fetch(new Request(`${server.as.issuer}/oauth2/token`, { method: "POST", headers, body }), {
      address,
    });
  };
  const sector = async (url: string, address: string) => {
    const metadata = { subject_type: "pairwise", sector_identifier_uri: url };
    const { status } = await register(server, metadata, address);
    return new Response(null, { status });
  };
  const requests = { document: authorize, assertion, sector };
  assertEquals((await authorize(inUse, "198.51.100.7")).status, 302);
  await forEachCase(Object.entries(requests), async ([name, send]) => {
    const rejection = name === "document" ? 429 : name === "assertion" ? 401 : 400;
    const pending: Promise<Response>[] = [];
    /** Sends requests until one is rejected. */
    const sendUntilRejected = async (networkOf: (n: number) => string) => {
      const before = kept.length;
      for (let n = 0; n < 100; n++) {
        const keptBefore = kept.length;
        const url = `https://${name}-${pending.length}.widgets.com/kept/${name === "assertion" ? "jwks" : name}`;
        let rejected: Response | undefined;
        pending.push(send(url, networkOf(n)).then((response) => rejected = response));
        for (let wait = 0; kept.length === keptBefore && rejected === undefined && wait < 1000; wait++) {
          await new Promise((resolve) => setTimeout(resolve));
        }
        assert(kept.length > keptBefore || rejected !== undefined, "neither a fetch nor a response");
        if (rejected === undefined) continue;
        assertEquals(rejected.status, rejection);
        if (name === "document") assertEquals(rejected.headers.get("retry-after"), "1");
        return kept.length - before;
      }
    };
    assertEquals(await sendUntilRejected(() => "203.0.113.7"), 8);
    assertEquals(await sendUntilRejected((n) => `203.0.${n}.1`), 32);
    // The document of the client in use has expired.
    server.advance(3601);
    assertEquals((await authorize(inUse, "203.0.113.7")).status, 302);
    for (const end of kept.splice(0)) end();
    await Promise.all(pending);
    assertEquals((await authorize(`https://${name}.widgets.com/c`, "203.0.113.7")).status, 302);
  });
});

test("[MC-05] a client in use has places of its own: no flood stops or evicts it, and what it withdraws is rejected", async () => {
  const { authorize, fetched, advance, withdrawn } = await documentServer();
  assertEquals(await authorize(inUse, "198.51.100.7"), 302);
  assertEquals(await authorize(`${inUse}?unused`, "198.51.100.7", withoutCode), 302);
  const flood = async (path: string) => {
    // The host of the client, then all hosts, from as many networks as it takes.
    for (let n = 0; n < 75; n++) await authorize(`https://app.widgets.com/${path}${n}`, `203.0.113.${n}`, withoutCode);
    for (let n = 0; n < 560; n++) {
      await authorize(`https://e${n}.widgets.com/${path}${n}`, `203.0.${n % 200}.1`, withoutCode);
    }
  };
  // Documents that exist: more than the cache keeps.
  for (let minute = 0; minute < 2; minute++) {
    await flood(`c${minute}-`);
    advance(60);
  }
  await flood("missing");
  fetched.length = 0;
  assertEquals(await authorize(inUse, "198.51.100.7"), 302);
  assertEquals(fetched, [], "the document was evicted");
  // Expired, and changed.
  withdrawn.add(inUse);
  advance(181);
  await flood("missing");
  fetched.length = 0;
  assertEquals(await authorize(inUse, "198.51.100.7"), 400);
  assertEquals(fetched, [inUse]);
});

test("[MC-05] one user with 110 clients in use, on one domain or on 110, stops no other client in use", async () => {
  const layouts = {
    "one domain": (n: number) => `https://c${n}.attacker.com/client`,
    "one second-level domain": (n: number) => `https://c${n}.attacker.co.uk/client`,
    "one address": (n: number) => `https://198.51.100.200:${4000 + n}/client`,
    "110 domains": (n: number) => `https://attacker-${n}.com/client`,
  };
  await forEachCase(sample(Object.entries(layouts), 2, 1), async ([name, urlOf]) => {
    const { as, advance, fetched } = await fetchingServer((url) => {
      const document = {
        client_id: url,
        redirect_uris: [new URL("/cb", url).href],
        token_endpoint_auth_method: "none",
      };
      return Response.json(document, { headers: { "cache-control": "no-store" } });
    });
    const authorize = async (client_id: string, address: string) => {
      const query = encode({ ...goodRequest, client_id, redirect_uri: new URL("/cb", client_id).href });
      const response = await as.fetch(new Request(`${as.issuer}/oauth2/authorize?${query}`, { redirect: "manual" }), {
        address,
      });
      await response.body?.cancel();
      return response.status;
    };
    assertEquals(await authorize(inUse, "203.0.113.1"), 302);
    const urls = Array.from({ length: 110 }, (_, n) => urlOf(n));
    // Something is issued to each of them, within the limit of a network for clients that are not in use.
    for (const [n, url] of urls.entries()) {
      if (n % 30 === 0) advance(61);
      await authorize(url, "198.51.100.7");
    }
    advance(400);
    fetched.length = 0;
    for (let i = 0; i < 6; i++) {
      for (const url of urls) await authorize(url, "198.51.100.7");
      // Every document expires after the minimum of ten seconds.
      advance(i < 5 ? 10 : 1);
    }
    assert(fetched.length < 600, `${fetched.length} fetches for ${name}`);
    fetched.length = 0;
    assertEquals(await authorize(inUse, "203.0.113.1"), 302);
    assertEquals(fetched, [inUse]);
  });
});

test("[MC-05] while a limit is reached, a document of a client that is not in use counts for five minutes after its end", async () => {
  const { authorize, fetched, advance } = await documentServer();
  const flood = async () => {
    for (let n = 0; n < 60; n++) await authorize(`https://app.widgets.com/missing${n}`, `203.0.113.${n}`);
  };
  assertEquals(await authorize(inUse, "198.51.100.7", withoutCode), 302);
  for (const [seconds, expected] of [[301, 302], [298, 302], [2, 429]] as const) {
    advance(seconds);
    await flood();
    fetched.length = 0;
    assertEquals(await authorize(inUse, "198.51.100.7", withoutCode), expected);
    assertEquals(fetched, []);
  }
});

test("[MC-05] keys of a client in use have places of their own: floods of other keys neither stop nor evict them", async () => {
  const key = await clientKey("EdDSA", "k");
  const server = await fetchingServer((url) =>
    url.endsWith("/jwks") ? Response.json({ keys: [key.jwk] }) : new Response(null, { status: 404 })
  );
  const registered = async (jwks_uri: string, address: string) =>
    JSON.parse((await register(server, { jwks_uri, ...keyMethod }, address)).text).client_id as string;
  let seconds = Date.UTC(2026, 0, 1) / 1000;
  const advance = (by: number) => {
    server.advance(by);
    seconds += by;
  };
  const exchange = async (id: string, code: string, address: string) => {
    const redirect_uri = "http://localhost:3000/cb";
    const fields = {
      ...{ grant_type: "authorization_code", code, redirect_uri, code_verifier: verifier, client_id: id },
      ...await assertionOf(id, key, {}, signingContext(seconds, server.as.issuer)),
    };
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const body = encode(fields);
    const request = new Request(`${server.as.issuer}/oauth2/token`, { method: "POST", headers, body });
    return (await server.as.fetch(request, { address })).status;
  };
  const logIn = async (id: string) => {
    const code = await server.code({ client_id: id, redirect_uri: "http://localhost:3000/cb" });
    return await exchange(id, code, "198.51.100.7");
  };
  const good = await registered("https://app.widgets.com/jwks", "198.51.100.7");
  assertEquals(await logIn(good), 200);
  const others: string[] = [];
  for (let n = 0; n < 620; n++) others.push(await registered(`https://e${n}.widgets.com/keys`, "203.0.113.7"));
  const flood = async () => {
    server.fetched.length = 0;
    for (const [n, id] of others.entries()) {
      await exchange(id, "x", `203.0.${n % 50}.1`);
    }
    assertEquals(server.fetched.length, 600);
  };
  await flood();
  server.fetched.length = 0;
  assertEquals(await logIn(good), 200);
  assertEquals(server.fetched, []);
  advance(601);
  await flood();
  server.fetched.length = 0;
  assertEquals(await logIn(good), 200);
  assertEquals(server.fetched, ["https://app.widgets.com/jwks"]);
  // Another client has to wait.
  const late = await registered("https://late.widgets.com/jwks", "198.51.100.7");
  assertEquals(await exchange(late, "x", "198.51.100.7"), 401);
});
