/**
 * A user is removed, and another one with the same subject is added: nothing of the first one is valid for the second.
 *
 * @extensions device, token_exchange
 */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { type LatchkeyOptions, memoryStore, type Store } from "../../src/mod.ts";
import { storeKinds } from "../platform/store/store_kinds.ts";
import { sample } from "../sample.ts";
import { openBrowser } from "./browser.ts";
import {
  basicHeader,
  confidentialClient,
  fetchIntrospection,
  getSessionCookie,
  isActive,
  refresh,
  testClients,
  userinfo,
} from "./client_endpoints.ts";
import type { Tokens } from "./client_endpoints.ts";
import { assertTokenResponse, getOutcome, getRedirectParams, testServer, webRequest, webToken } from "../kit.ts";
import type { Fields, TestServer } from "../kit.ts";
import { describePage, logIn, logInAndAllow } from "./page_navigation.ts";

const deviceCodeType = "urn:ietf:params:oauth:grant-type:device_code";
const exchangeType = "urn:ietf:params:oauth:grant-type:token-exchange";
const accessTokenType = "urn:ietf:params:oauth:token-type:access_token";

/** A server that logs in `sub`. */
function openServer(sub: string, store?: Store, name?: string): Promise<TestServer> {
  const options: LatchkeyOptions = {
    tokenExchange: {},
    clients: [
      ...testClients.clients,
      confidentialClient("opaque", { access_token_format: "opaque" }),
      confidentialClient("gateway", { grant_types: [exchangeType], serves: ["https://as.test"] }),
      { client_id: "tv", grant_types: [deviceCodeType] },
    ],
    users: [{ sub: "alice", name }, { sub: "bob" }],
    approver: async ({ scope }, { users, session, now }) => ({
      user: (await users.find(sub))!,
      scope,
      authTime: session?.authTime ?? now(),
    }),
  };
  return testServer({ ...options, ...store && { store } });
}

/** Everything that a login leads to. */
interface Issued {
  readonly cookie: string;
  readonly code: string;
  readonly deviceCode: string;
  readonly refreshTokens: readonly string[];
  readonly accessTokens: readonly string[];
}

async function issueAll(server: TestServer): Promise<Issued> {
  const login = await server.authorize(webRequest);
  const cookie = getSessionCookie(login);
  const getCode = async (fields: Fields) => {
    const response = await server.authorize({ ...webRequest, prompt: "none", ...fields }, { headers: { cookie } });
    return getRedirectParams(response).get("code")!;
  };
  const getTokens = async (fields: Fields, client = "web") => {
    const code = await getCode({ client_id: client, ...fields });
    return await assertTokenResponse(
      await server.token({ ...webToken, code }, { headers: basicHeader(client) }),
    ) as Tokens;
  };
  const bound = await getTokens({});
  const offline = await getTokens({ scope: "openid read offline_access" });
  const opaque = await getTokens({}, "opaque");
  const exchanged = await assertTokenResponse(
    await server.post("/oauth2/token", {
      grant_type: exchangeType,
      subject_token: bound.access_token,
      subject_token_type: accessTokenType,
    }, basicHeader("gateway")),
  );
  const device = await server.post("/oauth2/device_authorization", { client_id: "tv", scope: "openid read" });
  return {
    cookie,
    code: await getCode({}),
    deviceCode: (await device.json()).device_code,
    refreshTokens: [bound.refresh_token, offline.refresh_token],
    accessTokens: [bound, offline, opaque, exchanged].map(({ access_token }) => access_token),
  };
}

/** The outcome of every use; first of those that change nothing. */
async function useAll(server: TestServer, { cookie, code, deviceCode, refreshTokens, accessTokens }: Issued) {
  const silent = await server.authorize({ ...webRequest, prompt: "none" }, { headers: { cookie } });
  const device = { grant_type: deviceCodeType, client_id: "tv", device_code: deviceCode };
  const asWeb = basicHeader("web");
  return {
    session: getRedirectParams(silent).get("error"),
    userinfo: await Promise.all(accessTokens.map(async (token) => (await userinfo(server, token)).status)),
    active: await Promise.all(accessTokens.map((token) => isActive(server, token))),
    inspected: await Promise.all(
      refreshTokens.map(async (token) => (await fetchIntrospection(server, token, "web")).active),
    ),
    exchanges: await Promise.all<string>([
      server.token({ ...webToken, code }, { headers: asWeb }).then(getOutcome),
      server.post("/oauth2/token", device).then(getOutcome),
      ...refreshTokens.map((token) => refresh(server, token, {}, asWeb).then(getOutcome)),
    ]),
  };
}

const allValid = {
  session: null,
  // A valid token without openid is 403.
  userinfo: [200, 200, 200, 403],
  active: [true, true, true, true],
  inspected: [true, true],
  exchanges: ["200", "200", "200", "200"],
};
const allInvalid = {
  session: "login_required",
  userinfo: [401, 401, 401, 401],
  active: [false, false, false, false],
  inspected: [false, false],
  exchanges: ["400 invalid_grant", "400 invalid_grant", "400 invalid_grant", "400 invalid_grant"],
};

const title = "[CI-11] what was issued for a removed user stays invalid when the subject is added again";

for (const sub of ["alice", "carol"]) {
  test(`${title}: ${sub}, in memory`, async () => {
    const server = await openServer(sub);
    // A configured user, and one of the run.
    server.as.users.set({ sub });
    const kept = await issueAll(server);
    server.as.users.set({ sub, name: "Another name" });
    assertEquals(await useAll(server, kept), allValid, "an edited user keeps everything");
    const former = await issueAll(server);
    server.as.users.delete(sub);
    server.as.users.set({ sub });
    // At the same time by the clock.
    const next = await issueAll(server);
    assertEquals(await useAll(server, former), allInvalid);
    assertEquals(await useAll(server, next), allValid);
  });

  const isConfigured = sub === "alice";
  for (const [name, skip, create] of sample(storeKinds, 4, 1)) {
    const places = isConfigured ? "" : ", at two instances and after a restart";
    test(`${title}: ${sub}, on ${name}${places}`, { skip }, async () => {
      const open = create();
      const one = await openServer(sub, await open());
      const two = await openServer(sub, await open());
      await one.as.users.set({ sub });
      const former = await issueAll(one);
      const others = await issueAll(two);
      await one.as.users.delete(sub);
      await one.as.users.set({ sub });
      assertEquals(await useAll(one, former), allInvalid);
      const next = await issueAll(one);
      if (isConfigured) {
        // OP-10: the change of a configured user applies only to its process.
        assertEquals(await useAll(two, next), allInvalid);
        assertEquals(await useAll(one, others), allInvalid);
        assertEquals(await useAll(one, next), allValid);
      } else {
        assertEquals(await useAll(two, others), allInvalid);
        assertEquals(await useAll(two, next), allValid);
        const last = await issueAll(two);
        await two.as.users.set({ sub, name: "Another name" });
        const three = await openServer(sub, await open());
        assertEquals(await useAll(three, former), allInvalid);
        assertEquals(await useAll(three, last), allValid);
        await three.as.close();
      }
      for (const { as } of [one, two]) await as.close();
    });
  }
}

test("[CI-11, OP-10] an edited configuration invalidates nothing; a second replacement in another process has other tokens", async () => {
  const store = { ...memoryStore(), persistent: true, close: () => Promise.resolve() };
  const one = await openServer("alice", store, "One");
  const kept = await issueAll(one);
  const two = await openServer("alice", store, "Two");
  assertEquals(await useAll(two, kept), allValid);
  const replace = async ({ as }: TestServer) => {
    await as.users.delete("alice");
    await as.users.set({ sub: "alice" });
  };
  await replace(two);
  const former = await issueAll(two);
  const three = await openServer("alice", store, "Three");
  assertEquals(await useAll(three, former), allInvalid);
  await replace(three);
  assertEquals(await useAll(three, former), allInvalid);
});

test("[CI-11] a user who was added again is asked for consent again", async () => {
  const server = await testServer({ ...testClients, login: "interactive", store: memoryStore() });
  await logInAndAllow(openBrowser(server), "alice");
  assertEquals(describePage(await logIn(openBrowser(server), "alice")), "code");
  server.as.users.delete("alice");
  server.as.users.set({ sub: "alice" });
  assertEquals(describePage(await logIn(openBrowser(server), "alice")), "consent");
});
