/**
 * Issuing ID-JAGs by token exchange, for the authorization servers of other resources (group IJ).
 *
 * @extensions client_documents, pairwise
 */

import { assert, assertArrayIncludes, assertEquals, assertRejects } from "@std/assert";
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { test } from "node:test";
import { type ClientMetadata, ConfigurationError, type LatchkeyOptions } from "../../../../src/mod.ts";
import type { ResourceAuthorizationServer } from "../../../../src/server/extensions/token_exchange/settings.ts";
import {
  basicHeader,
  confidentialClient,
  findLastRule,
  publicClient,
  publicTokens,
  refresh,
  testClients,
  webTokens,
} from "../../client_endpoints.ts";
import type { Tokens } from "../../client_endpoints.ts";
import { type Browser, openBrowser } from "../../browser.ts";
import { getCode, logInAndAllow, openPage, submit } from "../../page_navigation.ts";
import { assertTokenResponse, decodeClaims, forEachCase, getOutcome, testServer } from "../../../kit.ts";
import type { Fields, TestServer } from "../../../kit.ts";

const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const type = (name: string) => `urn:ietf:params:oauth:token-type:${name}`;
const chat = "https://auth.chat.test";
const mcp = "https://mcp.chat.test/mcp";
const startSeconds = Date.UTC(2026, 0, 1) / 1000;
const grant_types = ["authorization_code", "refresh_token", tokenExchange];

const clients: readonly ClientMetadata[] = [
  ...testClients.clients,
  confidentialClient("agent", { grant_types }),
  confidentialClient("other-agent", { grant_types }),
  publicClient("cli", { grant_types }),
  confidentialClient("pair", { grant_types, subject_type: "pairwise" }),
  confidentialClient("chat-app", { subject_type: "pairwise", redirect_uris: ["https://chat.test/cb"] }),
];

/** An identity provider that issues ID-JAGs for one authorization server, by this entry. */
function identityProvider(
  entry: Partial<ResourceAuthorizationServer> = {},
  options: LatchkeyOptions = {},
): Promise<TestServer> {
  const resourceAuthorizationServers = [{ issuer: chat, clients: { agent: "agent-at-chat" }, ...entry }];
  const users = [{ sub: "alice", email: "alice@idp.test", name: "Alice" }, { sub: "bob" }];
  return testServer({ alg: "ES256", ...testClients, clients, users, resourceAuthorizationServers, ...options });
}

/** The tokens of a login of `agent`, or of another confidential client. */
function agentTokens(server: TestServer, client = "agent", fields: Fields = {}): Promise<Tokens> {
  return webTokens(server, client, { redirect_uri: "https://web.example/cb", ...fields });
}

/** Requests an ID-JAG for the authorization server of `chat` with an ID token. */
function requestIdJag(server: TestServer, fields: Fields, client: string | null = "agent"): Promise<Response> {
  return server.post("/oauth2/token", {
    grant_type: tokenExchange,
    requested_token_type: type("id-jag"),
    subject_token_type: type("id_token"),
    audience: chat,
    ...fields,
  }, client === null ? {} : basicHeader(client));
}

test("[IJ-06, IJ-07, IJ-08] the response is an ID-JAG of token_type N_A, and the ID-JAG names user, client and audience", async () => {
  const server = await identityProvider({ claims: ["email", "phone_number"] });
  const { id_token } = await agentTokens(server);
  server.advance(60);
  const response = await requestIdJag(server, {
    subject_token: id_token,
    scope: "chat.read chat.write",
    resource: mcp,
  });
  assertEquals([response.status, response.headers.get("cache-control")], [200, "no-store"]);
  const { access_token, ...members } = await response.json();
  assertEquals(members, {
    issued_token_type: type("id-jag"),
    token_type: "N_A",
    expires_in: 300,
    scope: "chat.read chat.write",
  });
  const keys = createLocalJWKSet(await (await server.get("/oauth2/jwks")).json());
  const currentDate = new Date((startSeconds + 60) * 1000);
  const { payload, protectedHeader } = await jwtVerify(access_token, keys, { currentDate, typ: "oauth-id-jag+jwt" });
  assertEquals(protectedHeader.alg, "ES256");
  const { jti, ...claims } = payload;
  assert(typeof jti === "string" && jti.length >= 22);
  assertEquals<unknown>(claims, {
    iss: "https://as.test",
    sub: "alice",
    aud: chat,
    client_id: "agent-at-chat",
    iat: startSeconds + 60,
    exp: startSeconds + 360,
    auth_time: startSeconds,
    scope: "chat.read chat.write",
    resource: mcp,
    email: "alice@idp.test",
  });
  const again = await (await requestIdJag(server, { subject_token: id_token })).json();
  assertEquals([decodeClaims(again.access_token).jti === jti, "scope" in again], [false, false]);
  assertEquals(["scope", "resource"].filter((name) => name in decodeClaims(again.access_token)), []);
});

test("[IJ-01, IJ-02, IJ-11] audience, subject_token and types are required, once and of a supported kind", async () => {
  const server = await identityProvider();
  const { id_token: subject_token, access_token } = await agentTokens(server);
  await forEachCase<[Fields, string, string]>([
    [{ subject_token, audience: undefined }, "400 invalid_request", "IJ-01"],
    [{ subject_token, audience: [chat, chat] }, "400 invalid_request", "IJ-01"],
    [{ subject_token, audience: "https://other.test" }, "400 invalid_target", "IJ-01"],
    [{ subject_token, audience: `${chat}//` }, "400 invalid_target", "IJ-01"],
    [{}, "400 invalid_request", "TX-01"],
    [{ subject_token, subject_token_type: undefined }, "400 invalid_request", "TX-01"],
    [{ subject_token, requested_token_type: undefined }, "400 invalid_request", "TX-02"],
    [{ subject_token, requested_token_type: type("jwt") }, "400 invalid_request", "TX-02"],
    [{ subject_token, subject_token_type: type("saml2") }, "400 invalid_request", "IJ-02"],
    [{ subject_token: access_token, subject_token_type: type("access_token") }, "400 invalid_request", "IJ-02"],
    [
      { subject_token, actor_token: access_token, actor_token_type: type("access_token") },
      "400 invalid_request",
      "IJ-11",
    ],
  ], async ([fields, outcome, rule]) => {
    assertEquals(await getOutcome(await requestIdJag(server, fields)), outcome);
    assertEquals(findLastRule(server), rule);
  });
  // Some clients write the issuer with a slash.
  const withSlash = await (await requestIdJag(server, { subject_token, audience: `${chat}/` })).json();
  assertEquals(decodeClaims(withSlash.access_token).aud, chat);
  const warnings = server.events.filter((event) => event.type === "warning").map(({ explanation }) => explanation.rule);
  assertEquals(warnings.at(-1), "IJ-01");
  const strict = await identityProvider({}, { assertionAudience: "issuer" });
  const fields = { subject_token: (await agentTokens(strict)).id_token, audience: `${chat}/` };
  assertEquals(await getOutcome(await requestIdJag(strict, fields)), "400 invalid_target");

  const ofClient = {
    clients: [{ ...clients.find(({ client_id }) => client_id === "agent")!, profile: "mcp" as const }],
  };
  for (const options of [{ resourceParameter: "expected" as const }, ofClient]) {
    const expecting = await identityProvider({}, options);
    // The profile requires a challenge, too.
    const redirect_uri = "https://web.example/cb";
    const code = await expecting.code({ client_id: "agent", redirect_uri });
    const fields = { code, client_id: undefined, redirect_uri };
    const { id_token } = await assertTokenResponse(await expecting.token(fields, { headers: basicHeader("agent") }));
    assertEquals(await getOutcome(await requestIdJag(expecting, { subject_token: id_token })), "400 invalid_request");
    assertEquals(await getOutcome(await requestIdJag(expecting, { subject_token: id_token, resource: mcp })), "200");
  }
});

test("[IJ-03] the ID token is valid, of this client, and its user and session still exist; all failures look the same", async () => {
  const server = await identityProvider({ clients: undefined });
  const { id_token: subject_token, access_token } = await agentTokens(server);
  const foreign = (await agentTokens(server, "other-agent")).id_token;
  const bodies = new Set<string>();
  const assertRejected = async (token: string) => {
    const response = await requestIdJag(server, { subject_token: token });
    bodies.add(`${response.status} ${await response.text()}`);
    assertEquals(findLastRule(server), "IJ-03");
  };
  assertEquals(await getOutcome(await requestIdJag(server, { subject_token })), "200");
  for (const token of [foreign, access_token, `${subject_token.slice(0, -4)}AAAA`, "x", `${subject_token}.x`]) {
    await assertRejected(token);
  }
  await server.as.users.delete("alice");
  await assertRejected(subject_token);
  await server.as.users.set({ sub: "alice" });
  await assertRejected(subject_token);
  const ended = (await agentTokens(server)).id_token;
  assertEquals(await getOutcome(await requestIdJag(server, { subject_token: ended })), "200");
  const logout = await server.get(`/oauth2/logout?id_token_hint=${ended}`);
  assert(logout.status < 400);
  await assertRejected(ended);
  const later = (await agentTokens(server)).id_token;
  server.advance(3599);
  assertEquals(await getOutcome(await requestIdJag(server, { subject_token: later })), "200");
  server.advance(1);
  await assertRejected(later);
  assertEquals(bodies.size, 1, [...bodies].join("\n"));
  assert([...bodies][0]!.startsWith("400 ") && [...bodies][0]!.includes('"invalid_request"'));
});

test("[IJ-03, LO-05, LO-06, UI-16] an ID token ends with the password, consent, session and grant of its login, pairwise too", async () => {
  const redirect_uri = "https://web.example/cb";
  const events: Readonly<Record<string, (server: TestServer, browser: Browser, again: Fields) => Promise<unknown>>> = {
    "another password": async ({ as }) =>
      await as.users.set({ sub: "alice", password: `$scrypt$ln=10,r=8,p=1$${"A".repeat(22)}$${"A".repeat(43)}` }),
    "a revoked consent": async (_, browser) =>
      await submit(browser, await openPage(browser, "/account", await browser.get("/account")), ""),
    "a logout": async (_, browser, { id_token }) => {
      const page = await openPage(browser, "/", await browser.get(`/oauth2/logout?id_token_hint=${id_token}`));
      assert(page.status < 400, page.text);
    },
    "a used code": async (server, _, { client_id, code }) =>
      assertEquals(
        await getOutcome(
          await server.token({ code, client_id: undefined, redirect_uri }, { headers: basicHeader(String(client_id)) }),
        ),
        "400 invalid_grant",
      ),
  };
  const cases = ["agent", "pair"].flatMap((client_id) =>
    ["openid read", "openid offline_access"].flatMap((scope) =>
      Object.keys(events).map((event) => [client_id, scope, event] as const)
    )
  );
  await forEachCase(cases, async ([client_id, scope, event]) => {
    const server = await identityProvider({ clients: undefined }, { login: "interactive" });
    const browser = openBrowser(server);
    const code = getCode(await logInAndAllow(browser, "alice", { client_id, redirect_uri, scope }));
    const tokens = await assertTokenResponse(
      await server.token({ code, client_id: undefined, redirect_uri }, { headers: basicHeader(client_id) }),
    ) as Tokens;
    const others = getCode(await logInAndAllow(openBrowser(server), "bob", { client_id, redirect_uri, scope }));
    const ofBob = await assertTokenResponse(
      await server.token({ code: others, client_id: undefined, redirect_uri }, { headers: basicHeader(client_id) }),
    );
    const refreshed = await (await refresh(server, tokens.refresh_token, {}, basicHeader(client_id))).json();
    const idTokens = [tokens.id_token, refreshed.id_token];
    const ask = async (subject_token: string) =>
      await getOutcome(await requestIdJag(server, { subject_token }, client_id));
    for (const id_token of idTokens) assertEquals(await ask(id_token), "200");
    await events[event]!(server, browser, { client_id, code, id_token: tokens.id_token });
    for (const id_token of idTokens) {
      assertEquals([await ask(id_token), findLastRule(server)], ["400 invalid_request", "IJ-03"]);
    }
    assertEquals(await ask(ofBob.id_token), "200");
  });
});

test("[IJ-04] a refresh token is checked as in a refresh, and neither consumed nor rotated", async () => {
  const server = await identityProvider({ clients: undefined, allowPublicClients: true });
  const subject_token_type = type("refresh_token");
  const { refresh_token: subject_token } = await agentTokens(server, "agent", { login_hint: "bob" });
  for (let i = 0; i < 3; i++) {
    const { access_token } = await (await requestIdJag(server, { subject_token, subject_token_type })).json();
    assertEquals(decodeClaims(access_token).sub, "bob");
  }
  assertEquals((await refresh(server, subject_token, {}, basicHeader("agent"))).status, 200);
  const other = await requestIdJag(server, { subject_token, subject_token_type }, "other-agent");
  assertEquals([await getOutcome(other), findLastRule(server)], ["400 invalid_request", "IJ-04"]);

  // Tokens of a public client rotate: a used one is rejected, and its grant stays valid.
  const rotated = await publicTokens(server, { client_id: "cli" });
  const asCli = (token: string) =>
    requestIdJag(server, { subject_token: token, subject_token_type, client_id: "cli" }, null);
  assertEquals(await getOutcome(await asCli(rotated.refresh_token)), "200");
  const next = await (await refresh(server, rotated.refresh_token, { client_id: "cli" })).json();
  assertEquals(await getOutcome(await asCli(rotated.refresh_token)), "400 invalid_request");
  assertEquals(await getOutcome(await asCli(next.refresh_token)), "200");
  await server.post("/oauth2/revoke", { token: next.refresh_token, client_id: "cli" });
  assertEquals(await getOutcome(await asCli(next.refresh_token)), "400 invalid_request");
  server.advance(8 * 24 * 3600);
  assertEquals(
    await getOutcome(await requestIdJag(server, { subject_token, subject_token_type })),
    "400 invalid_request",
  );
});

test("[IJ-05] scope and resource are reduced to what the audience's entry allows", async () => {
  const server = await identityProvider({ scopes: ["chat.read", "openid"], resources: [mcp, "https://b.test"] });
  const open = await identityProvider();
  const tokens = new Map([[server, (await agentTokens(server)).id_token], [open, (await agentTokens(open)).id_token]]);
  await forEachCase<[TestServer, Fields, unknown]>([
    [server, { scope: "chat.read chat.write" }, ["chat.read", undefined]],
    [server, { scope: "openid" }, ["openid", undefined]],
    [server, { scope: "chat.write" }, "400 invalid_scope"],
    [server, { resource: [mcp, "https://other.test"] }, [undefined, mcp]],
    [server, { resource: [mcp, "https://b.test/", mcp] }, [undefined, [mcp, "https://b.test/"]]],
    [server, { resource: "https://other.test" }, "400 invalid_target"],
    [open, { scope: "any value", resource: "https://any.test" }, ["any value", "https://any.test"]],
    [open, { scope: 'quo"te' }, "400 invalid_scope"],
    [open, { resource: "not a URI" }, "400 invalid_target"],
    [open, { resource: "https://any.test#x" }, "400 invalid_target"],
    [open, { resource: `https://any.test/${"x".repeat(600)}` }, "400 invalid_target"],
    [open, { resource: Array.from({ length: 17 }, (_, i) => `https://any.test/${i}`) }, "400 invalid_target"],
  ], async ([idp, fields, expected]) => {
    const response = await requestIdJag(idp, { subject_token: tokens.get(idp), ...fields });
    if (response.status !== 200) return assertEquals<unknown>(await getOutcome(response), expected);
    const { access_token, scope, id_token } = await response.json();
    const claims = decodeClaims(access_token);
    assertEquals<unknown>([claims.scope, claims.resource], expected);
    assertEquals([scope, id_token], [claims.scope, undefined]);
  });
});

test("[IJ-08] client_id is the client's id at the audience, and sub that of the audience's own client", async () => {
  const subjectOf = async (server: TestServer, client: string) => {
    const { id_token } = await agentTokens(server, client);
    const { access_token } = await (await requestIdJag(server, { subject_token: id_token }, client)).json();
    const { client_id, sub } = decodeClaims(access_token);
    return [client_id, sub, decodeClaims(id_token).sub];
  };
  const mapped = await identityProvider({ clients: { agent: "https://agent.test/client.json", __proto__: "x" } });
  assertEquals(await subjectOf(mapped, "agent"), ["https://agent.test/client.json", "alice", "alice"]);
  const { id_token } = await agentTokens(mapped, "other-agent");
  const unmapped = await requestIdJag(mapped, { subject_token: id_token }, "other-agent");
  assertEquals([await getOutcome(unmapped), findLastRule(mapped)], ["400 invalid_target", "IJ-08"]);

  const same = await identityProvider({ clients: undefined });
  assertEquals(await subjectOf(same, "other-agent"), ["other-agent", "alice", "alice"]);
  const [, subOfPair, inIdToken] = await subjectOf(same, "pair");
  assertEquals([subOfPair, inIdToken === "alice"], ["alice", false]);

  const known = await identityProvider({ clients: undefined, client: "chat-app" });
  const code = await known.code({
    ...{ client_id: "chat-app", redirect_uri: "https://chat.test/cb" },
    ...{ code_challenge: undefined, code_challenge_method: undefined },
  });
  const fields = { grant_type: "authorization_code", code, redirect_uri: "https://chat.test/cb" };
  const atChat = await (await known.post("/oauth2/token", fields, basicHeader("chat-app"))).json();
  const [, sub] = await subjectOf(known, "agent");
  assertEquals(sub, decodeClaims(atChat.id_token).sub);
  assert(sub !== "alice");
  await known.as.clients.delete("chat-app");
  const gone = await requestIdJag(known, { subject_token: (await agentTokens(known)).id_token });
  assertEquals(await getOutcome(gone), "400 invalid_target");
});

test("[IJ-09] a public client gets an ID-JAG only where the entry allows it", async () => {
  for (const [allowPublicClients, expected] of [[true, "200"], [false, "400 unauthorized_client"]] as const) {
    const server = await identityProvider({ clients: undefined, allowPublicClients });
    const { id_token } = await publicTokens(server, { client_id: "cli" });
    const response = await requestIdJag(server, { subject_token: id_token, client_id: "cli" }, null);
    assertEquals(await getOutcome(response), expected);
    const anonymous = await requestIdJag(server, { subject_token: id_token }, null);
    assertEquals(await getOutcome(anonymous), "401 invalid_client");
  }
});

test("[IJ-12] metadata lists the type of token exactly if there is a resource authorization server", async () => {
  const path = "/.well-known/oauth-authorization-server";
  const member = "identity_chaining_requested_token_types_supported";
  const metadata = await (await (await identityProvider()).get(path)).json();
  assertEquals(metadata[member], [type("id-jag")]);
  assertArrayIncludes(metadata.grant_types_supported, [tokenExchange]);
  const off = await testServer({ ...testClients, tokenExchange: {}, resourceAuthorizationServers: [] });
  assertEquals((await (await off.get(path)).json())[member], undefined);
});

test("[IJ-16, TX-02] an ID-JAG is no access token, ID token or hint at the server that issued it", async () => {
  const server = await identityProvider({ clients: undefined }, { tokenExchange: {} });
  const { id_token } = await agentTokens(server);
  const { access_token: idJag } = await (await requestIdJag(server, { subject_token: id_token })).json();
  assertEquals(decodeProtectedHeader(idJag).typ, "oauth-id-jag+jwt");
  assertEquals((await server.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${idJag}` } })).status, 401);
  const introspected = await server.post("/oauth2/introspect", { token: idJag }, basicHeader("agent"));
  assertEquals(await introspected.json(), { active: false });
  assertEquals(await getOutcome(await requestIdJag(server, { subject_token: idJag })), "400 invalid_request");
  const subject_token_type = type("access_token");
  const exchanged = await requestIdJag(server, {
    subject_token: idJag,
    subject_token_type,
    requested_token_type: undefined,
  });
  assertEquals(await getOutcome(exchanged), "400 invalid_request");
});

test("[IJ-01] an entry that cannot work is rejected at the start", async () => {
  await forEachCase<[readonly Partial<ResourceAuthorizationServer>[], string]>([
    [[{}], "resourceAuthorizationServers[0].issuer"],
    [[{ issuer: "chat" }], "resourceAuthorizationServers[0].issuer"],
    [[{ issuer: "https://as.test" }], "resourceAuthorizationServers[0].issuer"],
    [[{ issuer: chat }, { issuer: chat }], "resourceAuthorizationServers[1].issuer"],
    [[{ issuer: chat, resources: ["mcp"] }], "resourceAuthorizationServers[0].resources[0]"],
    [[{ issuer: chat, lifetime: 7200 }], "resourceAuthorizationServers[0].lifetime"],
  ], async ([entries, path]) => {
    const resourceAuthorizationServers = entries as readonly ResourceAuthorizationServer[];
    const error = await assertRejects(() => testServer({ resourceAuthorizationServers }), ConfigurationError);
    assertEquals(error.issues.map((issue) => issue.path), [path]);
  });
});

test("[IJ-10] the entry names the tenant of the audience, and the accounts of users there", async () => {
  const audienceClaims = async (entry: Partial<ResourceAuthorizationServer>) => {
    const server = await identityProvider(entry);
    const { id_token } = await agentTokens(server);
    const { access_token } = await (await requestIdJag(server, { subject_token: id_token, resource: mcp })).json();
    const { aud_tenant, aud_sub } = decodeClaims(access_token);
    return [aud_tenant, aud_sub];
  };
  assertEquals(await audienceClaims({}), [undefined, undefined]);
  assertEquals(await audienceClaims({ tenant: "acme", subjects: { alice: "u-4711" } }), ["acme", "u-4711"]);
  assertEquals(await audienceClaims({ subjects: { bob: "u-4712" } }), [undefined, undefined]);
});
