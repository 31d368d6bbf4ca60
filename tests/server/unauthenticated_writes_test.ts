/**
 * What requests without credentials leave in the store, and how often they read it, over all endpoints. The list is
 * read from the server: an endpoint that is added later fails here until a request is given that it accepts.
 */

import { assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { type LatchkeyOptions, memoryStore, OAuthError, type Plugin } from "../../src/mod.ts";
import type { App, Server } from "../../src/server/extension.ts";
import { inspector } from "../../src/devtools/mod.ts";
import { rejectBeyondBound } from "../../src/server/stored/bounded_records.ts";
import type { Store } from "../../src/core/store/store.ts";
import { sample } from "../sample.ts";
import { storeKinds } from "../platform/store/store_kinds.ts";
import { openBrowser } from "./browser.ts";
import { signProof } from "../../src/client/proof.ts";
import { assertionOf, clientKey, proof, sharedKey, signingContext, startSeconds } from "./client_jwts.ts";
import { mcpServer } from "../../src/resource/mcp_server.ts";
import { basic, encode, getOutcome, getRejections, goodRequest, type ListedOptions, testServer } from "../kit.ts";
import type { Fields, TestServer } from "../kit.ts";
import { fillForm, openPage, requestAuthorization, send } from "./page_navigation.ts";
import { postRegistration, publicClient } from "./registering.ts";
import { closedExtensionEndpoints } from "./extensions/metadata_attempts.ts";

const deviceCodeType = "urn:ietf:params:oauth:grant-type:device_code";

const options: ListedOptions = {
  login: "interactive",
  registration: { mode: "open" },
  deviceAuthorization: true,
  authorizationDetails: { payment: { schema: {} } },
  clients: [{
    client_id: "spa",
    redirect_uris: ["https://spa.example/cb"],
    grant_types: ["authorization_code", "refresh_token", deviceCodeType],
  }],
  users: [{
    sub: "alice",
    // Of a password that no test knows.
    password: "$scrypt$ln=10,r=8,p=1$4fXXG0spB92WPB1NitT8/Q$dAf4FAXv5aPZ5rXGwYtVjPyLZkUJzYV6c9xJFXG1bBo",
  }],
};

/** What one sender may leave of one kind: records, characters of ids and values. */
const otherLimits: Readonly<Record<string, readonly [records: number, characters: number]>> = {
  client: [16_384, 8 * 1024 * 1024],
  registration: [16_384, 8 * 1024 * 1024],
};

/**
 * How often a request is repeated as long as it leaves records: in memory more often than small records fit into
 * the limit, elsewhere more often than large ones do. There, requests that leave small records end after the first
 * {@link roundSize}.
 */
const repetitions = { memory: 2100, other: 300 } as const;

/** Requests at a time. */
const roundSize = 50;

/** Of records of one sender and one kind, unless {@link otherLimits} has another limit. */
const maxRecords = 2000, maxCharacters = 1024 * 1024;

/** How often a journey reads the store at most. It has up to three requests. */
const maxReads = 60;

/** A store that knows the records in it, and counts what reads it. */
function weighedStore(store: Store) {
  const sizes = new Map<string, Map<string, number>>();
  const reads = { count: 0 };
  const ofKind = (kind: string) => {
    if (!sizes.has(kind)) sizes.set(kind, new Map());
    return sizes.get(kind)!;
  };
  const weigh = (kind: string, id: string, value: unknown) =>
    void ofKind(kind).set(id, id.length + JSON.stringify(value).length);
  const weighed: Store = {
    ...store,
    get(kind, id) {
      reads.count++;
      return store.get(kind, id);
    },
    list(kind, options) {
      reads.count++;
      return store.list(kind, options);
    },
    count(kind, prefix) {
      reads.count++;
      return store.count(kind, prefix);
    },
    async put(kind, id, value, metadata) {
      await store.put(kind, id, value, metadata);
      weigh(kind, id, value);
    },
    async add(kind, id, value, metadata) {
      const isNew = await store.add(kind, id, value, metadata);
      if (isNew) weigh(kind, id, value);
      return isNew;
    },
    async revoke(grantId, until) {
      await store.revoke(grantId, until);
      weigh("revocation", grantId, {});
    },
    async replace(kind, id, former, value, metadata) {
      const isReplaced = await store.replace(kind, id, former, value, metadata);
      if (isReplaced) weigh(kind, id, value);
      return isReplaced;
    },
    async delete(kind, id, former) {
      const isDeleted = await store.delete(kind, id, former);
      if (isDeleted) ofKind(kind).delete(id);
      return isDeleted;
    },
  };
  return {
    store: weighed,
    reads,
    /** Number of records of all kinds. */
    records: () => [...sizes.values()].reduce((sum, ids) => sum + ids.size, 0),
    characters: () => [...sizes.values()].flatMap((ids) => [...ids.values()]).reduce((sum, size) => sum + size, 0),
    /** The kinds beyond their limits. */
    findExcess: () =>
      [...sizes].flatMap(([kind, ids]) => {
        const characters = [...ids.values()].reduce((sum, size) => sum + size, 0);
        const [mostRecords, mostCharacters] = otherLimits[kind] ?? [maxRecords, maxCharacters];
        return ids.size > mostRecords || characters > mostCharacters
          ? [[kind, `${ids.size} records ${kind}, ${characters} characters`] as const]
          : [];
      }),
    async clear(kind: string) {
      for (const id of ofKind(kind).keys()) await store.delete(kind, id);
      sizes.delete(kind);
    },
  };
}

const address = "203.0.113.7";

/** A server whose requests come from one address, and its endpoints. */
async function openServer(store: Store, changes: LatchkeyOptions = {}) {
  let app: App | undefined;
  let core: Server | undefined;
  const observer: Plugin = {
    setup: (assembled) => void (app = assembled),
    extend: (server) => core = server,
  };
  const server = await testServer({
    ...options,
    ...changes,
    store,
    plugins: [observer, inspector(), ...changes.plugins ?? []],
  });
  const get: TestServer["get"] = (path, init) =>
    server.as.fetch(new Request(server.as.issuer + path, { redirect: "manual", ...init }), { address });
  return {
    endpoints: app!.endpoints,
    server,
    sender: { ...server, get },
    /** Uses up the space that one site has for marks of used proofs and assertions, without thousands of signatures. */
    takeMarks() {
      const client = { confidential: false, standing: "configured" } as const;
      const record = { kind: "used_identifier", value: {}, expiresAt: (startSeconds + 300) * 1000, address } as const;
      const takeAll = () => {
        for (let i = 0; i < 100_000; i++) rejectBeyondBound(core!, client, { ...record, id: String(i) });
      };
      assertThrows(takeAll, OAuthError, "too many requests");
    },
    close: () => server.as.close(),
  };
}

/** Sends one request, or those that lead to it; each with another number. */
type Attempt = (i: number) => Promise<Response>;

/** The endpoints that accept no request without credentials. */
const closed: Readonly<Record<string, string>> = {
  token: "needs a code, a token, a secret or a device code that was decided on",
  introspect: "needs a secret, or a key of a client that may introspect",
  userinfo: "needs an access token",
  consent: "needs a session",
  ...closedExtensionEndpoints,
  start: "needs the demo client, which this server does not have",
};

/** A demand for one of so many users. */
function demand(count: number): string {
  return JSON.stringify({ id_token: { sub: { values: Array.from({ length: count }, (_, i) => `user-${i}`) } } });
}

/** Valid requests without credentials, by the name of the endpoint, besides those that every endpoint gets. */
async function attemptsOf(server: TestServer): Promise<Readonly<Record<string, readonly Attempt[]>>> {
  const { get } = server;
  const register = (metadata: unknown) => postRegistration(server, metadata);
  const signer = await clientKey("ES256", "one");
  const keyed = await (await register({
    ...publicClient,
    token_endpoint_auth_method: "private_key_jwt",
    grant_types: [...publicClient.grant_types, deviceCodeType],
    jwks: { keys: [{ ...signer.jwk, alg: "ES256" }] },
  })).json();
  /** Credentials that every sender can have: those of a client that registered itself. */
  const assertion = async () => ({ client_id: keyed.client_id, ...await assertionOf(keyed.client_id, signer) });
  const key = await sharedKey("ES256");
  const proven = async (path: string) => ({ dpop: await proof(key, "POST", `https://as.test${path}`, startSeconds) });
  const request = (i: number, fields: Fields = {}) => ({ ...goodRequest, state: `state ${i}`, ...fields });
  const large = { ui_locales: "x".repeat(15_000) };
  const details = { authorization_details: JSON.stringify([{ type: "payment", note: "x".repeat(3000) }]) };
  const authorize = (fields: Fields) => get(`/oauth2/authorize?${encode(fields)}`);
  const authorizePushed = async (i: number, fields: Fields) => {
    const { request_uri } = await (await server.post("/oauth2/par", request(i, fields))).json();
    return await authorize({ client_id: "spa", request_uri });
  };
  const openLogin = async (i: number) => {
    const browser = openBrowser(server);
    return { browser, page: await requestAuthorization(browser, { state: `state ${i}` }) };
  };
  const devices = "/oauth2/device_authorization";
  const { device_code } = await (await server.post(devices, { client_id: "spa" })).json();
  const registered = await (await register(publicClient)).json();
  const largeMetadata = {
    ...publicClient,
    redirect_uris: ["a", "b", "c", "d"].map((path) => `https://app.example/${path}`.padEnd(1900, "x")),
  };
  return {
    authorize: [
      (i) => authorize(request(i)),
      (i) => server.post("/oauth2/authorize", request(i)),
      (i) => authorize(request(i, { prompt: "none" })),
      (i) => authorize(request(i, { login_hint: `user ${i}`, claims: demand(16) })),
      (i) => authorize(request(i, { claims: demand(300) })),
      (i) => authorizePushed(i, large),
      (i) => authorizePushed(i, details),
      (i) => authorizePushed(i, { prompt: "none" }),
    ],
    par: [
      (i) => server.post("/oauth2/par", request(i)),
      (i) => server.post("/oauth2/par", request(i, large)),
      async (i) => server.post("/oauth2/par", request(i), await proven("/oauth2/par")),
      async (i) =>
        server.post("/oauth2/par", { ...request(i), ...await assertion(), redirect_uri: publicClient.redirect_uris }),
    ],
    device_authorization: [
      () => server.post(devices, { client_id: "spa", scope: "openid" }),
      () => server.post(devices, { client_id: "spa", claims: `{"id_token":{"${"x".repeat(4000)}":null}}` }),
      async () => server.post(devices, { client_id: "spa" }, await proven(devices)),
      async () => server.post(devices, await assertion()),
    ],
    token: [
      (i) => server.post("/oauth2/token", { grant_type: "authorization_code", client_id: "spa", code: `code ${i}` }),
      async (i) =>
        server.post(
          "/oauth2/token",
          { grant_type: "refresh_token", client_id: "spa", refresh_token: `token ${i}` },
          await proven("/oauth2/token"),
        ),
      async () =>
        server.post("/oauth2/token", { grant_type: "refresh_token", refresh_token: "x", ...await assertion() }),
      () => server.post("/oauth2/token", { grant_type: deviceCodeType, client_id: "spa", device_code }),
    ],
    introspect: [async () => server.post("/oauth2/introspect", { token: "x", ...await assertion() })],
    revoke: [
      (i) => server.post("/oauth2/revoke", { token: `token ${i}`, client_id: "spa" }),
      async () => server.post("/oauth2/revoke", { token: "x", ...await assertion() }),
    ],
    userinfo: [
      (i) => get("/oauth2/userinfo", { headers: { authorization: `Bearer token${i}` } }),
      async (i) =>
        get("/oauth2/userinfo", { headers: { authorization: `DPoP token${i}`, ...await proven("/oauth2/userinfo") } }),
    ],
    logout: [
      (i) => get(`/oauth2/logout?${encode({ client_id: "spa", state: `state ${i}` })}`),
      (i) => server.post("/oauth2/logout", { client_id: "spa", state: `state ${i}` }),
    ],
    register: [
      () => register(publicClient),
      () => register({ ...publicClient, token_endpoint_auth_method: "client_secret_basic" }),
      () => register(largeMetadata),
    ],
    client_configuration: [
      async () => {
        const response = await get(registered.registration_client_uri.slice("https://as.test".length), {
          method: "PUT",
          body: JSON.stringify({ ...largeMetadata, client_id: registered.client_id }),
          headers: {
            "content-type": "application/json",
            authorization: `Bearer ${registered.registration_access_token}`,
          },
        });
        if (response.status === 200) Object.assign(registered, await response.clone().json());
        return response;
      },
    ],
    login: [
      async (i) => (await openLogin(i)).page.response,
      async (i) => {
        const { browser, page } = await openLogin(i);
        const { path, fields } = fillForm(page, "", undefined, { username: "alice", password: `guess ${i}` });
        return await send(browser, path, fields);
      },
      async (i) => {
        const { browser, page } = await openLogin(i);
        const { path, fields } = fillForm(page, "cancel", "yes");
        return await send(browser, path, fields);
      },
    ],
    device: [
      async () => {
        const browser = openBrowser(server);
        const page = await openPage(browser, "/device", await browser.get("/device"));
        const { path, fields } = fillForm(page, "", undefined, { user_code: "BCDF-GHJK" });
        return await send(browser, path, fields);
      },
    ],
    backchannel: [() => get("/backchannel"), () => get(`/backchannel?request_id=${"x".repeat(43)}`)],
    client: [() => get("/clients/spa")],
    user: [() => get("/users/alice")],
    static: [() => get("/static/style.css")],
    static_devtools: [() => get("/static/devtools/flow.css")],
    flow: [() => get("/flows/1")],
    flow_step: [() => get("/flows/of/1")],
  };
}

for (const [kind, skip, create] of sample(storeKinds, 2, 0)) {
  test(`[HT-23] ${kind}: what requests without credentials leave in the store is bounded, at every endpoint`, {
    skip,
  }, async () => {
    const weighed = weighedStore(await create()());
    const { endpoints, sender, takeMarks, close } = await openServer(weighed.store);
    const attempts = await attemptsOf(sender);
    const unknown: string[] = [];
    const failures: string[] = [];
    const writing: (readonly [name: string, attempt: Attempt])[] = [];
    for (const { name, path, methods } of endpoints) {
      const generic = methods.map((method): Attempt => (i) =>
        method === "GET" || method === "HEAD"
          ? sender.get(`${path}?x=${i}`, { method })
          : sender.get(path, { method, body: encode({ client_id: "spa", token: `x${i}` }) })
      );
      let isOpen = false;
      for (const attempt of [...generic, ...attempts[name] ?? []]) {
        const before = weighed.records();
        for (let i = 0; i < 3; i++) {
          weighed.reads.count = 0;
          isOpen = (await attempt(i)).status < 400 || isOpen;
          if (weighed.reads.count > maxReads) failures.push(`${name}: ${weighed.reads.count} reads by ${attempt}`);
        }
        if (weighed.records() > before) writing.push([name, attempt]);
      }
      if (!isOpen && closed[name] === undefined) unknown.push(name);
    }
    assertEquals(unknown, [], "Give a request without credentials that they accept, or say why there is none.");
    takeMarks();
    for (const [name, attempt] of sample(writing, 4, 0)) {
      const end = repetitions[kind === "memory" ? "memory" : "other"];
      for (let i = 100; i < end; i += roundSize) {
        const [records, characters] = [weighed.records(), weighed.characters()];
        await Promise.all(Array.from({ length: roundSize }, (_, j) => attempt(i + j)));
        if (weighed.records() <= records) break;
        const possible = (weighed.characters() - characters) * end / roundSize;
        if (kind !== "memory" && possible < maxCharacters) break;
      }
      for (const [excess, text] of weighed.findExcess()) {
        failures.push(`${name}: ${text}, by ${attempt}`);
        await weighed.clear(excess);
      }
    }
    assertEquals(failures, []);
    await close();
  });
}

test("[HT-23] marks beyond the space of a site are 429; other sites, and clients with a secret, are not affected", async () => {
  const grant_types = ["authorization_code", "refresh_token"];
  const web = { client_id: "web", client_secret: "web-secret", redirect_uris: ["https://web.example/cb"], grant_types };
  const clients = [...options.clients!, web];
  const { server, sender, takeMarks, close } = await openServer(memoryStore(), { clients });
  const key = await sharedKey("ES256");
  const dpop = async () => ({ dpop: await proof(key, "POST", "https://as.test/oauth2/token", startSeconds) });
  const request = { grant_type: "refresh_token", client_id: "spa", refresh_token: "x" };
  await sender.get("/oauth2/jwks");
  takeMarks();
  const rejected = await sender.post("/oauth2/token", request, await dpop());
  assertEquals(rejected.headers.get("retry-after"), "30");
  assertEquals(await getOutcome(rejected), "429 temporarily_unavailable");
  assertEquals(getRejections(server.events).at(-1)!.explanation.rule, "HT-23");
  const other = server.post("/oauth2/token", request, await dpop());
  assertEquals(await getOutcome(await other), "400 invalid_grant");
  const authenticated = { ...request, client_id: undefined };
  const ofWeb = await sender.post("/oauth2/token", authenticated, { ...await dpop(), ...basic("web", "web-secret") });
  assertEquals(await getOutcome(ofWeb), "400 invalid_grant");
  // Once the marks have expired, there is space again.
  server.advance(300);
  const later = await proof(key, "POST", "https://as.test/oauth2/token", startSeconds + 300);
  assertEquals(await getOutcome(await sender.post("/oauth2/token", request, { dpop: later })), "400 invalid_grant");
  await close();
});

test("[HT-23, DO-04] marks of proofs at userinfo and at a hosted resource count for the client of the token", async () => {
  const secret = { grant_types: ["authorization_code"], redirect_uris: ["https://web.example/cb"] };
  const web = { client_id: "web", client_secret: "web-secret", ...secret };
  const clients = [...options.clients!, web];
  const { server, sender, takeMarks, close } = await openServer(memoryStore(), {
    ...{ clients, users: [{ sub: "alice" }], login: "auto", plugins: [mcpServer("/mcp", { scopes: ["mcp:tools"] })] },
  });
  const key = await sharedKey("ES256");
  const unknown = await (await postRegistration(sender, {
    redirect_uris: secret.redirect_uris,
    token_endpoint_auth_method: "client_secret_basic",
  })).json();
  const senders = [["spa", undefined, 429], ["web", "web-secret", 200], [
    unknown.client_id,
    unknown.client_secret,
    429,
  ]] as const;
  const resource = { GET: "/oauth2/userinfo", POST: "/mcp" } as const;
  const tokens = await Promise.all(senders.map(async ([client_id, secret, expected]) => {
    const redirect_uri = client_id === "spa" ? "https://spa.example/cb" : secret && web.redirect_uris[0];
    const issue = async (of: Fields) => {
      const code = await server.code({ client_id, redirect_uri, ...of });
      const fields = { ...secret === undefined ? { client_id } : { client_id: undefined }, code, redirect_uri, ...of };
      const dpop = await proof(key, "POST", "https://as.test/oauth2/token", startSeconds);
      const headers = { dpop, ...secret !== undefined && basic(client_id, secret) };
      return (await (await server.token({ ...fields, scope: undefined }, { headers })).json()).access_token as string;
    };
    const mcp = { scope: "mcp:tools", resource: "https://as.test/mcp" };
    return [expected, { GET: await issue({ scope: "openid" }), POST: await issue(mcp) }] as const;
  }));
  takeMarks();
  for (const [expected, byMethod] of tokens) {
    for (const method of ["GET", "POST"] as const) {
      const url = `https://as.test${resource[method]}`;
      const dpop = await signProof(signingContext(), key, { method, url, accessToken: byMethod[method] });
      const headers = { authorization: `DPoP ${byMethod[method]}`, dpop, accept: "application/json" };
      const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
      const init = method === "GET" ? {} : { method, body: JSON.stringify(ping) };
      const type = { "content-type": "application/json", accept: "application/json, text/event-stream" };
      const response = await sender.get(resource[method], { ...init, headers: { ...headers, ...type } });
      assertEquals(response.status, expected, `${method} ${await response.text()}`);
    }
  }
  await close();
});
