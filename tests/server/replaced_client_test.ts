/**
 * A client is removed, and another one with the same id is added: nothing that was issued to the first one is valid for
 * the second. What each grant type issues, and what each request of a client leaves, is in one list.
 *
 * @extensions assertion_grants, ciba, device, par, registration, token_exchange
 */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { type ClientMetadata, type LatchkeyOptions, memoryStore, type Store } from "../../src/mod.ts";
import { storeKinds } from "../platform/store/store_kinds.ts";
import { sample } from "../sample.ts";
import { openBrowser } from "./browser.ts";
import { basicHeader, confidentialClient, fetchIntrospection, isActive, userinfo } from "./client_endpoints.ts";
import { type ForeignIssuer, foreignIssuer, jwtBearer } from "./foreign_issuer.ts";
import { encode, getOutcome, getRedirectParams, getRejections, goodRequest, testServer } from "../kit.ts";
import { webRequest, webToken } from "../kit.ts";
import type { Fields, TestServer } from "../kit.ts";
import { describePage, fillForm, logIn, logInAndAllow, openPage, send } from "./page_navigation.ts";
import { manage, register } from "./registering.ts";

const deviceCodeType = "urn:ietf:params:oauth:grant-type:device_code";
const cibaType = "urn:openid:params:grant-type:ciba";
const exchangeType = "urn:ietf:params:oauth:grant-type:token-exchange";
const accessTokenType = "urn:ietf:params:oauth:token-type:access_token";
const idTokenType = "urn:ietf:params:oauth:token-type:id_token";
const idJagType = "urn:ietf:params:oauth:token-type:id-jag";
const chat = "https://chat.test";

const grant_types = [
  ...["authorization_code", "refresh_token", "client_credentials", deviceCodeType, cibaType, exchangeType, jwtBearer],
];

/** The client of the test, configured or added: `gone`, and the same with opaque tokens. */
const replaced: readonly ClientMetadata[] = [
  confidentialClient("gone", { grant_types }),
  confidentialClient("gone-opaque", { grant_types, access_token_format: "opaque" }),
];

let assertions: ForeignIssuer | undefined;

/** @param isConfigured Whether the configuration has the clients that are removed. */
async function openServer(isConfigured: boolean, store?: Store, further: LatchkeyOptions = {}): Promise<TestServer> {
  assertions ??= await foreignIssuer();
  return await testServer({
    ...{ tokenExchange: {}, deviceAuthorization: true, trustedIssuers: [assertions.entry()] },
    resourceAuthorizationServers: [{ issuer: chat, clients: { gone: "gone", "gone-opaque": "gone" } }],
    clients: [
      ...isConfigured ? replaced : [],
      confidentialClient("stays", { grant_types }),
      confidentialClient("api", { serves: ["https://as.test"] }),
    ],
    users: [{ sub: "alice" }, { sub: "bob" }],
    ...store && { store },
    ...further,
  });
}

/** Requests of the client `id` at the token endpoint. */
const requestTokens = (server: TestServer, id: string, fields: Fields) =>
  server.post("/oauth2/token", fields, basicHeader(id));

/** What one client has: access tokens and refresh tokens by their grant, and what it can exchange once. */
interface Issued {
  readonly id: string;
  readonly accessTokens: Readonly<Record<string, string>>;
  readonly refreshTokens: Readonly<Record<string, string>>;
  /** The response to the use of each, which succeeds once. */
  readonly once: Readonly<Record<string, (server: TestServer) => Promise<Response>>>;
}

async function issueAll(server: TestServer, id: string): Promise<Issued> {
  const accessTokens: Record<string, string> = {};
  const refreshTokens: Record<string, string> = {};
  const getTokens = async (name: string, fields: Fields) => {
    const response = await requestTokens(server, id, fields);
    const text = await response.text();
    assertEquals(response.status, 200, `${name} ${text}`);
    const tokens = JSON.parse(text);
    accessTokens[name] = tokens.access_token;
    if (tokens.refresh_token !== undefined) refreshTokens[name] = tokens.refresh_token;
    return tokens as Record<string, string>;
  };
  const code = async (fields: Fields = {}) =>
    getRedirectParams(await server.authorize({ ...webRequest, client_id: id, ...fields })).get("code")!;
  const codeFields = (code: string) => ({ ...webToken, grant_type: "authorization_code", code });
  const byCode = await getTokens("authorization_code", codeFields(await code()));
  await getTokens("offline", codeFields(await code({ scope: "openid read offline_access" })));
  const refresh_token = refreshTokens.offline!;
  await getTokens("refresh_token", { grant_type: "refresh_token", refresh_token });
  refreshTokens.offline = refreshTokens.refresh_token ?? refresh_token;
  delete refreshTokens.refresh_token;
  await getTokens("client_credentials", { grant_type: "client_credentials", scope: "read" });
  await getTokens(jwtBearer, { grant_type: jwtBearer, assertion: await assertions!.assertion("alice"), scope: "read" });
  const subject = { subject_token_type: accessTokenType, subject_token: byCode.access_token };
  await getTokens(exchangeType, { grant_type: exchangeType, ...subject });
  const start = async (path: string, fields: Fields) => {
    const response = await server.post(path, { scope: "openid read", ...fields }, basicHeader(id));
    assertEquals(response.status, path.endsWith("/par") ? 201 : 200);
    return await response.json();
  };
  const startCiba = async () =>
    (await start("/oauth2/backchannel_authentication", { login_hint: "alice" })).auth_req_id as string;
  await getTokens(cibaType, { grant_type: cibaType, auth_req_id: await startCiba() });
  // With automatic login the decisions about both are made immediately.
  const startDevice = async () => (await start("/oauth2/device_authorization", {})).device_code as string;
  await getTokens(deviceCodeType, { grant_type: deviceCodeType, device_code: await startDevice() });
  const [unusedCode, authReqId, deviceCode] = [await code(), await startCiba(), await startDevice()];
  const pushed = { ...goodRequest, ...webRequest, client_id: id };
  const { request_uri } = await start("/oauth2/par", pushed);
  return {
    ...{ id, accessTokens, refreshTokens },
    once: {
      "unused code": (server) => requestTokens(server, id, codeFields(unusedCode)),
      "auth_req_id": (server) => requestTokens(server, id, { grant_type: cibaType, auth_req_id: authReqId }),
      "device code": (server) => requestTokens(server, id, { grant_type: deviceCodeType, device_code: deviceCode }),
      "request_uri": (server) => server.get(`/oauth2/authorize?${encode({ client_id: id, request_uri })}`),
      "ID token": (server) =>
        requestTokens(server, id, {
          ...{ grant_type: exchangeType, requested_token_type: idJagType, audience: chat },
          ...{ subject_token_type: idTokenType, subject_token: byCode.id_token },
        }),
    },
  };
}

/** Everything that still works, by its name. */
async function findValid(server: TestServer, { id, accessTokens, refreshTokens, once }: Issued): Promise<string[]> {
  const valid: string[] = [];
  const note = (name: string, isValid: boolean) => isValid && valid.push(name);
  for (const [name, token] of Object.entries(accessTokens)) {
    note(`userinfo ${name}`, (await userinfo(server, token)).status !== 401);
    note(`introspection ${name}`, await isActive(server, token));
    const exchanged = await requestTokens(server, "stays", {
      ...{ grant_type: exchangeType, subject_token_type: accessTokenType, subject_token: token },
    });
    note(`exchange ${name}`, exchanged.status === 200);
  }
  for (const [name, token] of Object.entries(refreshTokens)) {
    note(`refresh introspection ${name}`, (await fetchIntrospection(server, token, id)).active === true);
    const response = await requestTokens(server, id, { grant_type: "refresh_token", refresh_token: token });
    note(`refresh ${name}`, response.status === 200);
  }
  for (const [name, use] of Object.entries(once)) {
    const response = await use(server);
    note(name, response.status === 200 || response.headers.get("location")?.includes("code=") === true);
  }
  return valid;
}

/** The names of everything that was issued. */
function everyUse({ accessTokens, refreshTokens, once }: Issued): string[] {
  return [
    ...Object.keys(accessTokens).flatMap((name) => [`userinfo ${name}`, `introspection ${name}`, `exchange ${name}`]),
    ...Object.keys(refreshTokens).flatMap((name) => [`refresh introspection ${name}`, `refresh ${name}`]),
    ...Object.keys(once),
    // A token without a user is not exchanged.
  ].filter((name) => name !== "exchange client_credentials");
}

const title = "[CI-11] what was issued to a removed client stays invalid when its id is added again";

for (const isConfigured of [true, false]) {
  const kind = isConfigured ? "a configured client" : "an added one";

  test(`${title}: ${kind}, in memory, by every grant type of the server`, async () => {
    for (const client of replaced) {
      const server = await openServer(isConfigured);
      if (!isConfigured) server.as.clients.set(client);
      const kept = await issueAll(server, client.client_id);
      const { grant_types_supported } = await (await server.get("/.well-known/openid-configuration")).json();
      const covered = Object.keys(kept.accessTokens);
      assertEquals(
        grant_types_supported.filter((type: string) => !covered.includes(type)),
        [],
        "issue a token by each",
      );
      server.as.clients.set({ ...client, client_name: "Edited" });
      assertEquals(await findValid(server, kept), everyUse(kept), "an edited client keeps everything");
      const former = await issueAll(server, client.client_id);
      server.as.clients.delete(client.client_id);
      server.as.clients.set(client);
      // At the same time by the clock.
      const next = await issueAll(server, client.client_id);
      assertEquals(await findValid(server, former), []);
      assertEquals(
        getRejections(server.events).at(-1)!.explanation.received,
        "a code, request or token of an earlier client with this id",
      );
      assertEquals(await findValid(server, next), everyUse(next));
    }
  });

  for (const [name, skip, create] of sample(storeKinds, 4, 1)) {
    const places = isConfigured ? "" : ", at two instances and after a restart";
    test(`${title}: ${kind}, on ${name}${places}`, { skip }, async () => {
      const open = create();
      const client = replaced[0]!;
      const one = await openServer(isConfigured, await open());
      const two = await openServer(isConfigured, await open());
      await one.as.clients.set(client);
      const [former, others] = [await issueAll(one, "gone"), await issueAll(two, "gone")];
      await one.as.clients.delete("gone");
      await one.as.clients.set(client);
      assertEquals(await findValid(one, former), []);
      const next = await issueAll(one, "gone");
      if (isConfigured) {
        // OP-10: the change of a configured client applies only to its process.
        assertEquals(await findValid(two, next), []);
        assertEquals(await findValid(one, others), []);
        assertEquals(await findValid(one, next), everyUse(next));
      } else {
        assertEquals(await findValid(two, others), []);
        assertEquals(await findValid(two, next), everyUse(next));
        const last = await issueAll(two, "gone");
        await two.as.clients.set({ ...client, client_name: "Edited" });
        const three = await openServer(isConfigured, await open());
        assertEquals(await findValid(three, former), []);
        assertEquals(await findValid(three, last), everyUse(last));
        await three.as.close();
      }
      for (const { as } of [one, two]) await as.close();
    });
  }
}

test("[CI-11, OP-11] a registered and an unregistered client with one id cannot use what was issued to the other", async () => {
  const server = await openServer(false, undefined, { clients: "any" });
  const [client] = replaced;
  const others = [
    confidentialClient("api", { serves: ["https://as.test"] }),
    confidentialClient("stays", { grant_types }),
  ];
  for (const registered of [client!, ...others]) server.as.clients.set(registered);
  const former = await issueAll(server, "gone");
  server.as.clients.delete("gone");
  assertEquals(await findValid(server, former), []);

  const unregistered = await issueAsUnregistered(server);
  const { refresh_token } = unregistered.refreshTokens;
  assertEquals(await findValid(server, { ...unregistered, refreshTokens: {} }), [
    ...["userinfo code", "introspection code", "exchange code"],
    ...["unused code", "device code", "request_uri"],
  ]);
  const next = await issueAsUnregistered(server);
  server.as.clients.set(client!);
  assertEquals(await findValid(server, { ...next, refreshTokens: { ...next.refreshTokens, refresh_token } }), []);
});

/** What `gone` gets if it is not registered. */
async function issueAsUnregistered(server: TestServer): Promise<Issued> {
  const id = "gone";
  const request = { ...goodRequest, ...webRequest, client_id: id };
  const code = async () => getRedirectParams(await server.authorize(request)).get("code")!;
  const codeFields = (code: string) => ({ ...webToken, grant_type: "authorization_code", code });
  const tokens = await (await requestTokens(server, id, codeFields(await code()))).json();
  const pushed = await (await server.post("/oauth2/par", request, basicHeader(id))).json();
  const device = await (await server.post("/oauth2/device_authorization", { scope: "openid" }, basicHeader(id))).json();
  const { request_uri } = pushed;
  const { device_code } = device;
  const unusedCode = await code();
  return {
    id,
    accessTokens: { code: tokens.access_token },
    refreshTokens: { refresh_token: tokens.refresh_token },
    once: {
      "unused code": (server) => requestTokens(server, id, codeFields(unusedCode)),
      "device code": (server) => requestTokens(server, id, { grant_type: deviceCodeType, device_code }),
      "request_uri": (server) => server.get(`/oauth2/authorize?${encode({ client_id: id, request_uri })}`),
    },
  };
}

test("[CI-11, OP-10] an edited configuration invalidates nothing; a second replacement in another process has other tokens", async () => {
  const store = { ...memoryStore(), persistent: true, close: () => Promise.resolve() };
  const open = (client_name: string) =>
    openServer(false, store, {
      clients: [
        { ...replaced[0]!, client_name },
        confidentialClient("api", { serves: ["https://as.test"] }),
        confidentialClient("stays", { grant_types }),
      ],
    });
  const one = await open("One");
  const kept = await issueAll(one, "gone");
  const two = await open("Two");
  assertEquals(await findValid(two, kept), everyUse(kept));
  const replace = async ({ as }: TestServer) => {
    await as.clients.delete("gone");
    await as.clients.set(replaced[0]!);
  };
  await replace(two);
  const former = await issueAll(two, "gone");
  const three = await open("Three");
  assertEquals(await findValid(three, former), []);
  await replace(three);
  assertEquals(await findValid(three, former), []);
});

test(`${title}: the token of its registration, and what waits for a decision`, async () => {
  const server = await openServer(true, undefined, { login: "interactive", registration: { mode: "open" } });
  const registered = await register(server);
  const entry = server.as.clients.find(registered.client_id) as unknown as { readonly metadata: ClientMetadata };
  server.as.clients.delete(registered.client_id);
  server.as.clients.set(entry.metadata);
  for (const method of ["GET", "PUT", "DELETE"] as const) {
    assertEquals((await manage(server, method, registered, method === "PUT" ? {} : undefined)).status, 401, method);
  }
  const start = async () => {
    const response = await server.post("/oauth2/device_authorization", { scope: "openid" }, basicHeader("gone"));
    return await response.json() as Record<"device_code" | "user_code", string>;
  };
  const former = await start();
  const browser = openBrowser(server);
  const request = { ...webRequest, client_id: "gone" };
  const login = await browser.authorize(request);
  const page = login.headers.get("location") ?? "";
  assertEquals((await browser.get(page)).status, 200);
  server.as.clients.delete("gone");
  server.as.clients.set(replaced[0]!);
  assertEquals((await browser.get(page)).status, 400);
  const poll = async (device_code: string) =>
    await getOutcome(await requestTokens(server, "gone", { grant_type: deviceCodeType, device_code }));
  assertEquals(await poll(former.device_code), "400 invalid_grant");
  assertEquals(await poll((await start()).device_code), "400 authorization_pending");
  const enter = async (user_code: string) => {
    const browser = openBrowser(server);
    const page = await openPage(browser, "/device", await browser.get("/device"));
    const { path, fields } = fillForm(page, "", undefined, { user_code });
    return (await send(browser, path, fields)).status;
  };
  assertEquals([await enter(former.user_code), await enter((await start()).user_code)], [400, 303]);
});

test("[CI-11] the user is asked again for consent to a client that was added again", async () => {
  const server = await testServer({ login: "interactive", users: [{ sub: "alice" }], store: memoryStore() });
  const client = { client_id: "spa", redirect_uris: ["https://spa.example/cb"] };
  server.as.clients.set(client);
  await logInAndAllow(openBrowser(server), "alice");
  assertEquals(describePage(await logIn(openBrowser(server), "alice")), "code");
  server.as.clients.delete("spa");
  server.as.clients.set(client);
  assertEquals(describePage(await logIn(openBrowser(server), "alice")), "consent");
});
