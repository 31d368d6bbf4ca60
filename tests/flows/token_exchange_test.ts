/** Token exchange (RFC 8693) as a grant type of the embedding program: one value, and no line of the server for it. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import { ConfigurationError, OAuthError, parameters } from "../../src/mod.ts";
import type { Authorization, GrantType } from "../../src/mod.ts";
import { narrowResources } from "../../src/oauth/authorize/resources.ts";
import { splitScope } from "../../src/oauth/authorize/scope_token.ts";
import { secondsNow } from "../../src/oauth/server.ts";
import { readAccessToken } from "../../src/oauth/tokens/access_token.ts";
import { recorder } from "../../src/recorder/recorder.ts";
import { redactExchange } from "../../src/recorder/redact.ts";
import {
  basicHeader,
  confidentialClient,
  fetchIntrospection,
  isActive,
  post,
  publicTokens,
  testClients,
} from "./client_endpoints.ts";
import { assertTokenResponse, decodeClaims, forEachCase, getOutcome, getRejections, testServer } from "./harness.ts";
import type { Fields, TestServer } from "./harness.ts";

const grantTypeName = "urn:ietf:params:oauth:grant-type:token-exchange";
const accessTokenType = "urn:ietf:params:oauth:token-type:access_token";

/** Exchanges an access token of this server for one of the requesting client, with the same scope and resources or less. */
const tokenExchange: GrantType = {
  type: grantTypeName,
  parameters: parameters(
    ...["scope", "subject_token_type", "actor_token_type", "requested_token_type"],
    { name: "subject_token", secret: "access_token", linksFlow: true },
    { name: "actor_token", secret: "access_token" },
    ...["resource", "audience"].map((name) => ({ name, repeatable: true })),
  ),
  async authorize(server, { client, parameters }): Promise<Authorization> {
    const subjectToken = parameters.get("subject_token");
    if (subjectToken === undefined) throw rejection("subject_token is missing", "subject_token", "none");
    assertAccessTokenType("subject_token_type", parameters.get("subject_token_type"));
    assertAccessTokenType("requested_token_type", parameters.get("requested_token_type") ?? accessTokenType);
    if (parameters.get("actor_token") !== undefined) throw rejection("actor_token is not supported", "none", "one");
    if (parameters.get("audience") !== undefined) {
      throw new OAuthError("invalid_target", "audience is not supported; use resource", { rule: "RI-01" });
    }
    const token = await readAccessToken(server, subjectToken);
    if (token?.user === undefined) {
      throw rejection("subject_token is not a valid access token of a user", "a valid one", "another one");
    }
    const { aud, auth_time, exp, jti, scope, sid, act } = token.claims;
    const granted = scope.split(" ").filter((value) => value !== "openid" && value !== "offline_access");
    const requested = splitScope(parameters.get("scope") ?? granted.join(" "));
    if (
      requested.length === 0 || !requested.every((value) => granted.includes(value) && client.scope.includes(value))
    ) {
      throw new OAuthError("invalid_scope", "scope is more than subject_token has", {
        rule: "RT-06",
        expected: granted.join(" "),
        received: requested.join(" "),
      });
    }
    const grantedResources = [aud].flat().filter((uri) => uri !== server.audience);
    return {
      client,
      scope: requested,
      resources: await narrowResources(server, grantedResources, parameters),
      grantId: jti.slice(0, jti.indexOf(".")),
      subject: { sub: token.user, authTime: auth_time! * 1000, sid: sid! },
      refresh: {},
      maxLifetimeSeconds: exp - secondsNow(server),
      accessTokenClaims: { act: { sub: client.id, ...act !== undefined && { act } } },
      responseMembers: { issued_token_type: accessTokenType },
    };
  },
};

function assertAccessTokenType(name: string, type: string | undefined): void {
  if (type !== accessTokenType) throw rejection(`${name} is not supported`, accessTokenType, type ?? "none");
}

function rejection(message: string, expected: string, received: string): OAuthError {
  return new OAuthError("invalid_request", message, { rule: "BR-02", expected, received });
}

const withTokenExchange = {
  ...testClients,
  grantTypes: [tokenExchange],
  clients: [
    ...testClients.clients,
    confidentialClient("gateway", { grant_types: [grantTypeName, "refresh_token"], redirect_uris: undefined }),
    confidentialClient("reader", { grant_types: [grantTypeName], redirect_uris: undefined, scope: "read" }),
  ],
};

function exchange(server: TestServer, fields: Fields, client = "gateway"): Promise<Response> {
  const request = { grant_type: grantTypeName, subject_token_type: accessTokenType, ...fields };
  return post(server, "/oauth2/token", request, basicHeader(client));
}

test("a grant type of the embedding program is listed in metadata, and clients can register for it", async () => {
  const server = await testServer(withTokenExchange);
  const metadata = await (await server.get("/.well-known/oauth-authorization-server")).json();
  assertEquals(metadata.grant_types_supported.at(-1), grantTypeName);
  const { access_token: subject_token } = await publicTokens(server);
  assertEquals(await getOutcome(await exchange(server, { subject_token }, "web")), "400 unauthorized_client");
  const builtIn = await testServer(testClients);
  assertEquals(await getOutcome(await exchange(builtIn, { subject_token }, "web")), "400 unsupported_grant_type");
  await assertRejects(() => testServer({ ...withTokenExchange, grantTypes: [] }), ConfigurationError, grantTypeName);
});

test("an exchanged token has the user, no more than the scope and lifetime of subject_token, and the actor", async () => {
  const server = await testServer(withTokenExchange);
  const { access_token: subject_token } = await publicTokens(server, { scope: "openid read write offline_access" });
  server.advance(600);
  const response = await assertTokenResponse(await exchange(server, { subject_token, scope: "read" }));
  const { access_token, ...members } = response;
  assertEquals<unknown>(members, {
    issued_token_type: accessTokenType,
    token_type: "Bearer",
    expires_in: 3000,
    scope: "read",
  });
  const { sub, client_id, scope, act, exp } = decodeClaims(access_token);
  assertEquals([sub, client_id, scope, act], ["alice", "gateway", "read", { sub: "gateway" }]);
  assertEquals(exp, decodeClaims(subject_token).exp);
  assertEquals((await fetchIntrospection(server, access_token)).act, { sub: "gateway" });
  const again = await assertTokenResponse(await exchange(server, { subject_token: access_token }, "reader"));
  assertEquals(decodeClaims(again.access_token).act, { sub: "reader", act: { sub: "gateway" } });
  assertEquals((await assertTokenResponse(await exchange(server, { subject_token }))).scope, "read write");
});

test("an exchanged token is revoked with the grant of subject_token", async () => {
  const server = await testServer(withTokenExchange);
  const { access_token: subject_token, refresh_token: token } = await publicTokens(server, { scope: "read" });
  const { access_token } = await assertTokenResponse(await exchange(server, { subject_token }));
  assertEquals(await isActive(server, access_token), true);
  await post(server, "/oauth2/revoke", { token, client_id: "spa" });
  assertEquals(await isActive(server, access_token), false);
  assertEquals(await getOutcome(await exchange(server, { subject_token })), "400 invalid_request");
});

test("an exchange is rejected for another token type, an invalid token, more scope, or a target not granted", async () => {
  const server = await testServer(withTokenExchange);
  const { access_token: subject_token, refresh_token } = await publicTokens(server, { scope: "read" });
  await forEachCase<[Fields, string]>([
    [{}, "400 invalid_request"],
    [{ subject_token, subject_token_type: undefined }, "400 invalid_request"],
    [{ subject_token, subject_token_type: "urn:ietf:params:oauth:token-type:saml2" }, "400 invalid_request"],
    [{ subject_token, requested_token_type: "urn:ietf:params:oauth:token-type:jwt" }, "400 invalid_request"],
    [{ subject_token, actor_token: subject_token, actor_token_type: accessTokenType }, "400 invalid_request"],
    [{ subject_token: `${subject_token}x` }, "400 invalid_request"],
    [{ subject_token: refresh_token }, "400 invalid_request"],
    [{ subject_token, scope: "read write" }, "400 invalid_scope"],
    [{ subject_token, resource: "https://api.example" }, "400 invalid_target"],
    [{ subject_token, audience: "api" }, "400 invalid_target"],
  ], async ([fields, expected]) => assertEquals(await getOutcome(await exchange(server, fields)), expected));
  const anonymous = await post(server, "/oauth2/token", { grant_type: grantTypeName, subject_token });
  assertEquals(await getOutcome(anonymous), "401 invalid_client");
});

test("its parameters must not repeat, must not be in the URL, and are redacted wherever they are recorded or traced", async () => {
  const record = recorder();
  const server = await testServer({ ...withTokenExchange, plugins: [record] });
  const { access_token: subject_token } = await publicTokens(server, { scope: "read" });
  await forEachCase<Fields>([
    { subject_token: [subject_token, subject_token] },
    { subject_token, requested_token_type: [accessTokenType, accessTokenType] },
  ], async (fields) => {
    assertEquals(await getOutcome(await exchange(server, fields)), "400 invalid_request");
    assertEquals(getRejections(server.events).at(-1)?.explanation.rule, "TK-04");
  });
  const resources = { subject_token, audience: ["a", "b"] };
  assertEquals(await getOutcome(await exchange(server, resources)), "400 invalid_target");
  const inUrl = `/oauth2/token?subject_token=${subject_token}`;
  assertEquals(await getOutcome(await post(server, inUrl, {}, basicHeader("gateway"))), "400 invalid_request");
  assertEquals(getRejections(server.events).at(-1)?.explanation.rule, "TK-03");

  const opaque = "an-opaque-token-of-another-server";
  await exchange(server, { subject_token: opaque, scope: `subject_token=${opaque}` });
  await exchange(server, { subject_token });
  const [rejected, exchanged] = record.exchanges().slice(-2).map((one) => redactExchange(one));
  assert(!JSON.stringify([rejected, exchanged]).includes(opaque));
  assertMatch(exchanged!.request.form.find(([name]) => name === "subject_token")![1], /…\(\d+\)$/);
  // `linksFlow`: the exchange belongs to the login of its subject_token.
  const [login] = record.exchanges();
  const flow = record.flows().find(({ exchanges }) => exchanges.some(({ number }) => number === login!.number));
  assertEquals(flow!.exchanges.at(-1)!.number, exchanged!.number);
});
