/**
 * Scope values with the power of an operator, in every grant (SS-02).
 *
 * @extensions assertion_grants, ciba, device, par, registration, token_exchange
 */

import { assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import type { ClientMetadata, LatchkeyOptions } from "../../../../src/mod.ts";
import { basic, challenge, getRedirectParams, sharedStore, testServer, verifier } from "../../../kit.ts";
import { defaultScopes } from "../../../../src/core/policy/policy.ts";
import { foreignIssuer, jwtBearer } from "../../foreign_issuer.ts";
import { postRegistration } from "../../registering.ts";
import { type Json, receiverWith } from "./receiver.ts";

const deviceCode = "urn:ietf:params:oauth:grant-type:device_code";
const ciba = "urn:openid:params:grant-type:ciba";
const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const accessTokenType = "urn:ietf:params:oauth:token-type:access_token";
const clientValues = ["ssf.manage", "ssf.read"];

const everyGrant = [
  "authorization_code",
  "refresh_token",
  "client_credentials",
  deviceCode,
  ciba,
  tokenExchange,
  jwtBearer,
];
const all: ClientMetadata = {
  client_id: "all",
  client_secret: "all-secret",
  redirect_uris: ["https://all.example/cb"],
  grant_types: everyGrant,
  scope: "openid offline_access profile email read write ssf.manage ssf.read",
};
const unlimited: ClientMetadata = {
  ...all,
  client_id: "unlimited",
  client_secret: "unlimited-secret",
  scope: undefined,
};

async function operatorServer(options: LatchkeyOptions = {}) {
  const idp = await foreignIssuer();
  const server = await testServer({
    ...{ sharedSignals: true, tokenExchange: {}, trustedIssuers: [idp.entry()] },
    clients: [all, unlimited],
    users: [{ sub: "alice" }],
    ...options,
  });
  return { idp, server };
}

type Tried = Awaited<ReturnType<typeof operatorServer>> & { readonly client: string };

/** POST as the client; the body of the response. */
async function post({ server, client }: Tried, path: string, form: Record<string, string>): Promise<Json> {
  return await (await server.post(`/oauth2/${path}`, form, basic(client, `${client}-secret`))).json();
}

const requestFields = (client: string, scope: string) => ({
  ...{ response_type: "code", client_id: client, redirect_uri: "https://all.example/cb" },
  ...{ scope, code_challenge: challenge, code_challenge_method: "S256", login_hint: "alice" },
});

async function exchangeCode(tried: Tried, location: Response): Promise<Json> {
  const { code, ...others } = Object.fromEntries(getRedirectParams(location));
  if (code === undefined) return others;
  const redirect_uri = "https://all.example/cb";
  return await post(tried, "token", { grant_type: "authorization_code", code, redirect_uri, code_verifier: verifier });
}

const login = async (tried: Tried, scope: string) =>
  await exchangeCode(tried, await tried.server.authorize(requestFields(tried.client, scope)));

/** The token response for a user, or the error, of each way to ask for a scope value. */
const grantsWithUser: Record<string, (tried: Tried, scope: string) => Promise<Json>> = {
  "authorization code": login,
  "pushed request": async (tried, scope) => {
    const { request_uri, ...others } = await post(tried, "par", requestFields(tried.client, scope));
    if (request_uri === undefined) return others;
    const query = new URLSearchParams({ client_id: tried.client, request_uri });
    return await exchangeCode(tried, await tried.server.get(`/oauth2/authorize?${query}`));
  },
  "refresh token": async (tried, scope) => {
    const { refresh_token } = await login(tried, "openid read write profile email offline_access");
    return await post(tried, "token", { grant_type: "refresh_token", refresh_token, scope });
  },
  "device": async (tried, scope) => {
    const { device_code, user_code, ...others } = await post(tried, "device_authorization", { scope });
    if (device_code === undefined) return others;
    await tried.server.post("/oauth2/device", { user_code, decision: "allow" });
    return await post(tried, "token", { grant_type: deviceCode, device_code });
  },
  "CIBA": async (tried, scope) => {
    const fields = { scope: `openid ${scope}`, login_hint: "alice" };
    const { auth_req_id, ...others } = await post(tried, "backchannel_authentication", fields);
    return auth_req_id === undefined ? others : await post(tried, "token", { grant_type: ciba, auth_req_id });
  },
  "token exchange": async (tried, scope) => {
    const { access_token } = await login(tried, "openid read write profile email offline_access");
    const form = { subject_token: access_token, subject_token_type: accessTokenType, scope };
    return await post(tried, "token", { grant_type: tokenExchange, ...form });
  },
  "JWT bearer": async (tried, scope) =>
    await post(tried, "token", { grant_type: jwtBearer, assertion: await tried.idp.assertion("alice"), scope }),
};

test("[SS-02] of all scope values, those of the client itself are invalid_scope in every grant with a user", async () => {
  const { server, idp } = await operatorServer();
  const anyScope = await operatorServer({ scopes: "any" });
  const { scopes_supported } = await (await server.get("/.well-known/openid-configuration")).json();
  const tried: readonly Tried[] = [
    { server, idp, client: "all" },
    { server, idp, client: "unlimited" },
    { ...anyScope, client: "unlimited" },
  ];
  const issued: Record<string, Set<string>> = {};
  for (const attempt of tried) {
    for (const [name, request] of Object.entries(grantsWithUser)) {
      for (const value of scopes_supported as string[]) {
        const { error, access_token, scope } = await request(attempt, value);
        const granted = access_token === undefined ? [] : (scope as string).split(" ");
        const shown = `${attempt.client} ${name} ${value}: ${error}`;
        if (clientValues.includes(value)) assertEquals([error, granted], ["invalid_scope", []], shown);
        if (granted.includes(value)) (issued[name] ??= new Set()).add(value);
      }
    }
  }
  assertEquals(Object.keys(issued), Object.keys(grantsWithUser));
  assertEquals(Object.entries(issued).filter(([, values]) => !values.has("read") || !values.has("write")), []);
});

test("[SS-02] a client gets such a value on its own behalf only if its scope names it", async () => {
  const { server, idp } = await operatorServer();
  const request = (client: string, scope?: string) =>
    post({ server, idp, client }, "token", { grant_type: "client_credentials", ...scope !== undefined && { scope } });
  assertEquals((await request("all", "ssf.manage")).scope, "ssf.manage");
  assertEquals((await request("all")).scope, "read");
  assertEquals((await request("unlimited", "ssf.manage")).error, "invalid_scope");
  const { scope } = await (await postRegistration(server, { grant_types: ["client_credentials"] })).json();
  assertEquals(clientValues.filter((value) => scope.split(" ").includes(value)), []);
  for (const value of clientValues) {
    const metadata = { grant_types: ["client_credentials"], scope: `read ${value}` };
    const registered = await (await postRegistration(server, metadata)).json();
    assertEquals(registered.scope, "read");
    const { client_id, client_secret } = registered;
    const form = { grant_type: "client_credentials", scope: value };
    const response = await (await server.post("/oauth2/token", form, basic(client_id, client_secret))).json();
    assertEquals([response.error, response.access_token], ["invalid_scope", undefined]);
  }
  await assertRejects(() => operatorServer({ defaultScope: "ssf.manage" }), Error, "defaultScope");
});

test("[SS-02] a user's token with the value manages no stream, and its refresh loses the value", async () => {
  const store = sharedStore();
  // Here the value is one of the operator's own.
  const before = await operatorServer({ store, sharedSignals: false, scopes: [...defaultScopes, ...clientValues] });
  const { access_token, refresh_token, scope } = await login({ ...before, client: "all" }, "openid read ssf.manage");
  assertEquals(scope, "openid read ssf.manage");
  const after = await operatorServer({ store });
  const user = receiverWith(after.server, access_token);
  for (const [method, path] of [["POST", "/ssf/stream"], ["GET", "/ssf/stream"], ["POST", "/ssf/poll/x"]] as const) {
    const { status, body } = await user.send(method, path, method === "GET" ? undefined : {});
    assertEquals([status, body.error], [403, "insufficient_scope"], path);
  }
  const form = { grant_type: "refresh_token", refresh_token };
  assertEquals((await post({ ...after, client: "all" }, "token", form)).scope, "openid read");
});
