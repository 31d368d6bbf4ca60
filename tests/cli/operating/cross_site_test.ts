/** What a web page of another site gets from a server on a laptop, on every endpoint (groups HT and UI). */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import type { EndpointDescription } from "../../../src/server/endpoint.ts";
import { programControl } from "../../../src/testing/control/program_control.ts";
import { checkPages } from "../../../src/check/check_pages.ts";
import { clientCheck } from "../../../src/check/client_check.ts";
import { inspector } from "../../../src/devtools/mod.ts";
import { personas } from "../../../src/testing/personas.ts";
import { type Latchkey, type LatchkeyOptions, memoryStore, type Plugin } from "../../../src/mod.ts";
import type { TraceEvent } from "../../../src/server/trace.ts";
import { health, logging } from "../../../src/cli/operating/mod.ts";
import { mcpServer } from "../../../src/resource/mcp_server.ts";
import { faultPages } from "../../../src/testing/fault_pages/mod.ts";
import { latchkey } from "../../secret_leak_check.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { challenge, encode, forEachCase, getRedirectParams, getRejections, observedStore } from "../../kit.ts";

const site = "https://evil.example.com";
const documentUrl = `${site}/client.json`;

/** The metadata of a client of that site: what it registers, and its metadata document. */
const metadata = { redirect_uris: [`${site}/cb`], token_endpoint_auth_method: "none" };

type Headers = Readonly<Record<string, string>>;

const underOtherName = "frame under that name";

/** Requests that a page of that site can make, as browsers send them. */
const requests: Readonly<Record<string, Headers>> = {
  "script": { origin: site, "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" },
  "sandboxed script": { origin: "null", "sec-fetch-site": "cross-site", "sec-fetch-dest": "empty" },
  "frame": { referer: `${site}/`, "sec-fetch-site": "cross-site", "sec-fetch-dest": "iframe" },
  "frame without referrer": { "sec-fetch-site": "cross-site", "sec-fetch-dest": "iframe" },
  "form in a frame": { origin: site, "sec-fetch-site": "cross-site", "sec-fetch-dest": "iframe" },
  "picture": { "sec-fetch-site": "cross-site", "sec-fetch-dest": "image" },
  "navigation": { "sec-fetch-site": "cross-site", "sec-fetch-dest": "document", "sec-fetch-mode": "navigate" },
  "form": { origin: site, "sec-fetch-site": "cross-site", "sec-fetch-dest": "document" },
  "script without fetch metadata": { origin: site },
  "name of the site for this machine": { host: "me.evil.example.com:9000", origin: "http://me.evil.example.com:9000" },
  [underOtherName]: { host: "me.evil.example.com:9000" },
};

const authorization = {
  response_type: "code",
  client_id: documentUrl,
  redirect_uri: `${site}/cb`,
  scope: "openid email",
  code_challenge: challenge,
  code_challenge_method: "S256",
  login_hint: "bob",
};
const demo = { ...authorization, client_id: "demo-public", redirect_uri: "http://localhost:9000/authorized" };

/** What such a page would send to an endpoint, by its name: correct requests, which succeed without a page. */
const content: Readonly<Record<string, string | object>> = {
  authorize: encode(authorization),
  token: encode({ grant_type: "client_credentials", client_id: "demo-confidential", client_secret: "demo-secret" }),
  introspect: encode({ client_id: "demo-confidential", client_secret: "demo-secret", token: "unknown" }),
  revoke: encode({ client_id: "demo-public", token: "unknown" }),
  par: encode(demo),
  device_authorization: encode({ client_id: "demo-public", scope: "openid" }),
  register: metadata,
  clients: encode({ client_id: "mine", redirect_uris: `${site}/cb` }),
  users: encode({ sub: "mallory" }),
  logout: encode({ client_id: documentUrl }),
  start: encode({ client_id: "demo-public" }),
  "control.client": {},
  "control.clients.set": { client_id: "mine", redirect_uris: [`${site}/cb`] },
  "control.clients.delete": { client_id: "demo-public" },
  "control.users.set": { sub: "mallory" },
  "control.users.delete": { sub: "bob" },
  "control.faults.add": { fault: "drop", always: true },
  "control.clock.advance": { seconds: 1 },
  "control.reset": {},
};

interface Laptop extends AsyncDisposable {
  readonly as: Latchkey;
  readonly endpoints: readonly EndpointDescription[];
  readonly events: TraceEvent[];
  /** Calls of the store that change something, and the URLs that the server fetched. */
  readonly effects: string[];
  send(endpoint: EndpointDescription, method: string, headers: Headers, body?: string | object): Promise<Response>;
}

/** A server as the command starts it on a laptop, with everything on. */
async function laptop(options: LatchkeyOptions = {}, further: readonly Plugin[] = []): Promise<Laptop> {
  const events: TraceEvent[] = [];
  const effects: string[] = [];
  let endpoints: readonly EndpointDescription[] = [];
  const flows = inspector({ readRules: () => Promise.resolve("") });
  const control = programControl({ recorder: flows.recorder });
  const check = clientCheck();
  const as = await latchkey({
    issuer: "http://localhost:9000",
    alg: "ES256",
    plugins: [
      ...further,
      ...[check.plugin, health(), mcpServer("/mcp"), flows, personas()],
      ...[...control.plugins, checkPages(check)],
      faultPages({ control: control.control }),
      { setup: (app) => void (endpoints = app.endpoints) },
    ],
    store: observedStore(memoryStore(), (verb, [kind]) => {
      if (["put", "add", "replace", "consume", "delete", "revoke"].includes(verb)) effects.push(`${verb} ${kind}`);
    }),
    outbound: (url) => {
      effects.push(`fetch ${url}`);
      return Promise.resolve(Response.json({ ...metadata, client_id: url, redirect_uris: [new URL("/cb", url).href] }));
    },
    trace: (event) => events.push(event),
    ...options,
  });
  // The keys and the secret of cookies exist from the first requests on.
  for (const path of ["/oauth2/jwks", "/start"]) await as.fetch(new Request(as.issuer + path));
  effects.length = events.length = 0;
  return {
    ...{ as, endpoints, events, effects },
    send(endpoint, method, headers, body = content[endpoint.name] ?? "a=b") {
      const isJson = typeof body !== "string";
      const path = endpoint.path.replace(/\*+/, "any");
      const query = method === "GET" && !isJson ? `?${body}` : "";
      const type = { "content-type": isJson ? "application/json" : "application/x-www-form-urlencoded" };
      return as.fetch(
        new Request(`${as.issuer}${path}${query}`, {
          method,
          redirect: "manual",
          headers: { host: "localhost:9000", ...method === "GET" ? {} : type, ...headers },
          ...method === "GET" || method === "HEAD" ? {} : { body: isJson ? JSON.stringify(body) : body },
        }),
      );
    },
    [Symbol.asyncDispose]: () => as.close(),
  };
}

/** What must never arrive at such a page. */
const secret = /alice|bob|"(?:access_token|id_token|code|client_id|device_code|user_code|request_uri|active)"/i;

/** Events without an effect. The metadata document is public, and its site has it anyway. */
const eventsWithoutEffect: readonly string[] = [
  ...["rejected", "page_missing", "warning", "challenged", "metadata_document_fetched"],
];

test("[HT-22, UI-30, DI-04] on no endpoint a page of another site reads, changes or fetches anything", async () => {
  const { endpoints } = await laptop();
  assert(endpoints.length > 30, "the walk has too few endpoints");
  await forEachCase(Object.keys(requests), async (kind) => {
    await using server = await laptop();
    const headers = requests[kind]!;
    await forEachCase(server.endpoints.map(({ name }) => name), async (name) => {
      const endpoint = server.endpoints.find((one) => one.name === name)!;
      // A browser names the origin of each request with a body.
      for (const method of endpoint.methods.filter((method) => "origin" in headers || method === "GET")) {
        server.events.length = server.effects.length = 0;
        const response = await server.send(endpoint, method, headers);
        const { status } = response;
        const isDocument = endpoint.role === "document" && endpoint.caller !== "browser";
        if (endpoint.caller !== "browser" && !isDocument && kind !== underOtherName) {
          assertEquals(status, 403, `${method} is not rejected`);
        }
        const types = new Set(server.events.map(({ type }) => type));
        assertEquals([...types].filter((type) => !eventsWithoutEffect.includes(type)), [], `${method} ${status}`);
        // `/readyz` probes the store, for whatever calls it.
        const effects = server.effects.filter((effect) => effect !== `fetch ${documentUrl}` && name !== "readyz");
        assertEquals(effects, [], `${method} ${status}`);
        const location = response.headers.get("location") ?? "";
        assert(!(location.startsWith(site) && location.includes("code=")), `${method} sends a code to the page`);
        const isReadable = response.headers.has("access-control-allow-origin") || "host" in headers;
        if (isReadable && !isDocument) assert(!secret.test(await response.text()), `${method} ${status} can be read`);
      }
    });
    const { as } = server;
    assertEquals([...as.users.known().values()].map(({ sub }) => sub), ["alice", "bob"]);
    assertEquals([...as.clients.known().values()].map(({ id }) => id), ["demo-public", "demo-confidential"]);
  });
});

test("[HT-22] a page may use endpoints if it is on a test host, of a configured client, or allowed by the setting", async () => {
  await using server = await laptop({
    clients: [{ client_id: "shop", redirect_uris: ["https://shop.example.com/cb"] }],
    allowedOrigins: ["https://app.example.com:8443"],
  });
  const register = server.endpoints.find(({ name }) => name === "register")!;
  const post = (headers: Headers) => server.send(register, "POST", headers);
  const allowed = [
    ...["http://127.0.0.1:5173", "http://localhost:9000", "http://[::1]:3000", "http://app.localhost:3000"],
    ...["https://app.test", "http://web:8080", "http://host.docker.internal:3000", "capacitor://localhost"],
    ...["https://shop.example.com", "https://app.example.com:8443"],
  ];
  await forEachCase(allowed, async (origin) => assertEquals((await post({ origin })).status, 201));
  assertEquals((await post({})).status, 201);
  const headers = { origin: "https://intranet.corp.com", "sec-fetch-site": "same-site" };
  assertEquals((await post(headers)).status, 201);
  const foreign = [
    ...["http://evil.example", "https://evil.invalid", site, "null", "https://shop.example.com:8443", "x"],
    ...["http://shop.example.com", "https://app.example.com", "https://localhost.example.com", "http://192.168.1.7"],
  ];
  await forEachCase(foreign, async (origin) => {
    server.events.length = 0;
    const response = await post({ origin });
    assertEquals([response.status, response.headers.get("access-control-allow-origin")], [403, "*"]);
    const { error, error_description: description } = await response.json();
    assertEquals([error, description], [
      "invalid_request",
      "A page of another site may not use this endpoint [HT-22]",
    ]);
    const [{ explanation } = {}] = getRejections(server.events);
    assertEquals(explanation?.rule, "HT-22");
    assertMatch(explanation?.expected ?? "", /allowedOrigins/);
    assertMatch(explanation?.received ?? "", /^a page (?:of http|without an origin)/);
  });
  const invalid = ["https://app.example.com/", "app.example.com", "https://App.example.com", "*"];
  await forEachCase(invalid, async (origin) => {
    const fault = await latchkey({ allowedOrigins: [origin] }).catch((error) => error);
    assertStringIncludes(String(fault), "allowedOrigins[0]");
  });
});

test("[HT-22] on a real host scripts of every origin may register where any client may", async () => {
  await using as = await latchkey({
    ...{ issuer: "https://auth.corp.com", insecure: ["auto-login"], audience: "https://api.corp.com" },
    ...{
      users: [{ sub: "alice" }],
      clients: [],
      registration: { mode: "open" },
      insecure: ["auto-login", "open-registration"],
    },
  });
  const response = await as.fetch(
    new Request(`${as.issuer}/oauth2/register`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: site, "sec-fetch-site": "cross-site" },
      body: JSON.stringify(metadata),
    }),
  );
  assertEquals(response.status, 201);
});

/** How an authorization request with these headers ends: `code`, or the error and its rule. */
async function authorize(server: Laptop, headers: Headers, fields: Readonly<Record<string, string>>): Promise<string> {
  const endpoint = server.endpoints.find(({ name }) => name === "authorize")!;
  const response = await server.send(endpoint, "GET", headers, encode(fields));
  const params = response.headers.has("location") ? getRedirectParams(response) : undefined;
  return params?.has("code") ? "code" : params?.get("error_description") ?? String(response.status);
}

test("[UI-13, HT-22] no error that a page of another site can read leads to a flow; one of a known page does", async () => {
  await using server = await laptop();
  const programs = server.endpoints.filter(({ caller, methods }) => caller !== "browser" && methods.includes("POST"));
  const unknown = { ...programs[0]!, path: "/oauth2/tokne" };
  const linksOf = async (endpoint: EndpointDescription, headers: Headers) => {
    const response = await server.send(endpoint, "POST", { accept: "application/json", ...headers });
    return [response.headers.get("link") ?? "", await response.text()].filter((text) => text.includes("/flows/"))
      .length;
  };
  await forEachCase([...programs, unknown], async (endpoint) => {
    const otherSites: readonly Headers[] = [{ origin: site }, { origin: "null", "sec-fetch-site": "cross-site" }];
    for (const headers of otherSites) {
      assertEquals(await linksOf(endpoint, headers), 0, `${endpoint.path} ${JSON.stringify(headers)}`);
    }
  });
  assertEquals(await linksOf(unknown, { host: "rebound.widgets.com:9000" }), 0);
  assertEquals(await linksOf(unknown, {}), 2);
  assertEquals(await linksOf(unknown, { origin: "http://localhost:5173" }), 2);
});

test("[UI-30] a frame across sites gets no code by automatic login, unless its page is on a test host", async () => {
  await using server = await laptop();
  const across = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
  const frame = { ...across, "sec-fetch-dest": "iframe" };
  const rejected = "automatic login is not allowed for a page of another site [UI-30]";
  const underForeignHost = "This page is served only under localhost:9000 or a loopback host; " +
    "the request was for 'rebound.example.com:9000' [UI-20]";
  const cases: readonly [Headers, string][] = [
    // A silent renewal from http://127.0.0.1:5173.
    [{ ...frame, referer: "http://127.0.0.1:5173/" }, "code"],
    [{ ...frame, referer: "https://app.test/page" }, "code"],
    [{ ...frame, "sec-fetch-site": "same-site" }, "code"],
    [{ ...frame, "sec-fetch-site": "same-origin" }, "code"],
    [{ ...frame, "sec-fetch-site": "none" }, "code"],
    [frame, rejected],
    [{ ...frame, referer: `${site}/` }, rejected],
    [{ ...frame, referer: "http://evil.example/" }, rejected],
    [{ ...across, "sec-fetch-dest": "empty" }, rejected],
    [{ ...across, "sec-fetch-dest": "image", referer: `${site}/` }, rejected],
    [{ ...across, "sec-fetch-dest": "document", referer: `${site}/` }, "code"],
    [{ host: "rebound.example.com:9000" }, underForeignHost],
    [{}, "code"],
  ];
  await forEachCase(cases, async ([headers, expected]) => {
    server.events.length = 0;
    assertEquals(await authorize(server, headers, demo), expected);
    if (expected !== rejected) return;
    const [{ error, explanation } = {}] = getRejections(server.events);
    assertEquals([error, explanation?.rule], ["interaction_required", "UI-30"]);
    assertStringIncludes(explanation?.expected ?? "", "allowedOrigins");
    assertStringIncludes(explanation?.received ?? "", `in a request for ${headers["sec-fetch-dest"]}`);
    const page = headers.referer === undefined ? "names no page" : new URL(headers.referer).origin;
    assertStringIncludes(explanation?.received ?? "", page);
  });
});

test("[UI-30] a page of another site gets no code by a navigation for a client of unknown standing", async () => {
  await using server = await laptop({ allowedOrigins: ["https://remote.example.com"] });
  const top = { "sec-fetch-site": "cross-site", "sec-fetch-dest": "document" };
  const rejected = "automatic login is not allowed for a page of another site [UI-30]";
  const remote = "https://remote.example.com/client.json";
  const fields = (id: string) => ({ ...authorization, client_id: id, redirect_uri: new URL("/cb", id).href });
  await forEachCase([
    [top, documentUrl, rejected],
    [{ ...top, referer: `${site}/` }, documentUrl, rejected],
    [{ ...top, "sec-fetch-site": "none" }, documentUrl, "code"],
    [{ ...top, referer: "http://127.0.0.1:5173/" }, documentUrl, "code"],
    [{ ...top, referer: "https://remote.example.com/" }, remote, "code"],
    [top, remote, "code"],
    [{}, documentUrl, "code"],
  ], async ([headers, id, expected]) => {
    assertEquals(await authorize(server, headers as Headers, fields(id as string)), expected as string);
  });
  // Over plain http, and not to a loopback host, browsers do not state the site.
  await using plain = await laptop({ issuer: "http://as.test:9000" });
  const host = "as.test:9000";
  assertEquals(await authorize(plain, { host }, fields(documentUrl)), rejected);
  assertEquals(await authorize(plain, { host, referer: "http://app.test/" }, fields(documentUrl)), "code");
  const own = { ...demo, redirect_uri: "http://as.test:9000/authorized" };
  assertEquals(await authorize(plain, { host }, own), "code");
});

test("[UI-30] the user that a test decides on is not logged in for a page of another site", async () => {
  await using as = await testLatchkey();
  const { client_id, redirect_uris: [redirect_uri] } = as.client();
  as.decisions.loginAs("bob");
  const frame = { "sec-fetch-site": "cross-site", "sec-fetch-dest": "iframe" };
  const send = async (headers: Headers) => {
    const url = `${as.issuer}/oauth2/authorize?${encode({ ...authorization, client_id, redirect_uri })}`;
    return getRedirectParams(await as.fetch(url, { redirect: "manual", headers }));
  };
  assertEquals((await send(frame)).get("error"), "interaction_required");
  assert((await send({ ...frame, referer: "http://localhost:5173/" })).has("code"));
});

/** Requests that a change of the clients would make acceptable. */
const fixable: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "unknown client": { ...demo, client_id: "mine", redirect_uri: `${site}/cb` },
  "similar client": { ...demo, client_id: "demo-publik", redirect_uri: `${site}/cb` },
  "unregistered redirect URI": { ...demo, redirect_uri: `${site}/cb` },
  "scope": { ...demo, scope: "openid other" },
};

/** A link that fills in a change of the clients, or repeats the request after it. */
const changeLink = /\/(?:clients|(?=\?))[^"\s]*[?&;](?:client_id|redirect_uris|scope|grant_types|retry)=/;

test("[DI-09, HT-22] no page and no log line leads to a change that a page of another site causes; the page names the site", async () => {
  const lines: string[] = [];
  const scopes = ["openid", "email", "other"];
  /** Sends a request, and returns every text that leads on from it: pages, log, error. */
  const textsAfter = async (headers: Headers, fields: Readonly<Record<string, string>>, host = "localhost:9000") => {
    lines.length = 0;
    const issuer = `http://${host}`;
    const clients = [{ client_id: "demo-public", redirect_uris: [`${issuer}/authorized`], scope: "openid" }];
    const log = logging({ write: (line) => lines.push(line), format: "json" });
    await using server = await laptop({ scopes, clients, issuer }, [log]);
    const find = (name: string) => server.endpoints.find((one) => one.name === name)!;
    const rejected = await server.send(find("authorize"), "GET", headers, encode(fields));
    const page = await rejected.text();
    const own = { "sec-fetch-site": "same-origin", accept: "text/html", host };
    const pages = server.endpoints.filter(({ methods, caller }) => methods.includes("GET") && caller === "browser");
    const texts = await Promise.all(pages.flatMap((endpoint) =>
      ["1", "2"].map(async (id) => {
        const path = endpoint.path.replace(/\*+/, id);
        const response = await server.as.fetch(new Request(server.as.issuer + path, { headers: own }));
        return response.headers.get("content-type")?.startsWith("text/event-stream") ? "" : await response.text();
      })
    ));
    return { page, texts: [page, ...texts, ...lines, rejected.headers.get("location") ?? ""] };
  };
  const top = { "sec-fetch-site": "cross-site", "sec-fetch-dest": "document", accept: "text/html" };
  await forEachCase(Object.keys(fixable), async (name) => {
    const fields = fixable[name]!;
    const own = await textsAfter({ "sec-fetch-site": "none", accept: "text/html" }, fields);
    assert(own.texts.filter((text) => changeLink.test(text)).length > 1, "without another site the pages have links");
    for (const headers of [top, { ...top, referer: `${site}/` }, { ...top, origin: site }]) {
      const { page, texts } = await textsAfter(headers, fields);
      assertEquals(texts.filter((text) => changeLink.test(text)), []);
      if (name === "scope") continue;
      assertStringIncludes(page, "referer" in headers || "origin" in headers ? site : "a page of another site");
    }
    const plain = await textsAfter({ accept: "text/html", host: "as.test:9000" }, fields, "as.test:9000");
    assertEquals(plain.texts.filter((text) => changeLink.test(text)), []);
  });
});
