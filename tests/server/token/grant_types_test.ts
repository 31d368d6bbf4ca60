/** A grant type of the embedding program: one value, without a change of the server. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import { ConfigurationError, OAuthError } from "../../../src/mod.ts";
import { parameters, withResources } from "../../../src/server/extension.ts";
import type { GrantType } from "../../../src/server/extension.ts";
import type { Authorization } from "../../../src/core/token/grants/authenticated_request.ts";
import { randomId } from "../../../src/core/keys/secrets.ts";
import { readAccessToken } from "../../../src/core/token/tokens/read_access_token.ts";
import { recorder } from "../../../src/recorder/recorder.ts";
import { redactExchange } from "../../../src/recorder/redact.ts";
import { basicHeader, confidentialClient, fetchIntrospection, publicTokens, testClients } from "../client_endpoints.ts";
import { assertTokenResponse, decodeClaims, forEachCase, getOutcome, getRejections, testServer } from "../../kit.ts";
import type { Fields, TestServer } from "../../kit.ts";

const grantTypeName = "https://kiosk.test/grant-type/ticket";

/**
 * Exchanges a ticket, which is the access token of a login, for half an hour of access to the resources of the request.
 */
const ticketGrant: GrantType = {
  type: grantTypeName,
  parameters: parameters({ name: "ticket", secret: "ticket", linksFlow: true }, "seat"),
  metadata: { kiosks_supported: ["north", "south"] },
  async authorize(server, request): Promise<Authorization> {
    const { client, parameters } = request;
    const sub = (await readAccessToken(server, parameters.get("ticket") ?? ""))?.user;
    if (sub === undefined) {
      throw new OAuthError("invalid_grant", "ticket is not valid", { rule: "BR-02", expected: "the ticket of a user" });
    }
    return {
      client,
      scope: ["read"],
      grantId: randomId(server.randomBytes),
      subject: { sub, authTime: server.now() },
      refresh: {},
      maxLifetimeSeconds: 1800,
      addedClaims: { seat: parameters.get("seat") },
      responseMembers: { kiosk: "north" },
    };
  },
};

const withTickets = {
  ...testClients,
  grantTypes: [ticketGrant],
  clients: [
    ...testClients.clients,
    confidentialClient("kiosk", { grant_types: [grantTypeName, "refresh_token"], redirect_uris: undefined }),
  ],
};

function exchangeCode(server: TestServer, fields: Fields, client = "kiosk"): Promise<Response> {
  return server.post("/oauth2/token", { grant_type: grantTypeName, ...fields }, basicHeader(client));
}

test("a grant type of the embedding program is listed in metadata, and clients can register for it", async () => {
  const server = await testServer(withTickets);
  const metadata = await (await server.get("/.well-known/oauth-authorization-server")).json();
  assertEquals(metadata.grant_types_supported.at(-1), grantTypeName);
  assertEquals(metadata.kiosks_supported, ["north", "south"]);
  const { access_token: ticket } = await publicTokens(server);
  assertEquals(await getOutcome(await exchangeCode(server, { ticket }, "web")), "400 unauthorized_client");
  const builtIn = await testServer(testClients);
  assertEquals(await getOutcome(await exchangeCode(builtIn, { ticket }, "web")), "400 unsupported_grant_type");
  await assertRejects(() => testServer({ ...withTickets, grantTypes: [] }), ConfigurationError, grantTypeName);
});

test("a grant type decides user, scope, resources, lifetime, further claims and members of the response", async () => {
  const server = await testServer(withTickets);
  const { access_token: ticket } = await publicTokens(server);
  const response = await exchangeCode(server, { ticket, seat: "12A", resource: ["https://a.test", "https://b.test"] });
  const { access_token, ...members } = await assertTokenResponse(response);
  assertEquals<unknown>(members, { kiosk: "north", token_type: "Bearer", expires_in: 1800, scope: "read" });
  const { sub, client_id, scope, seat, aud, sid } = decodeClaims(access_token);
  assertEquals([sub, client_id, scope, seat], ["alice", "kiosk", "read", "12A"]);
  // A user who has not logged in here has no session, and so no refresh token.
  assertEquals([aud, sid], [["https://a.test", "https://b.test"], undefined]);
  const forServer = await assertTokenResponse(await exchangeCode(server, { ticket }));
  assertEquals((await fetchIntrospection(server, forServer.access_token)).sub, "alice");
  assertEquals(await getOutcome(await exchangeCode(server, { ticket: "another" })), "400 invalid_grant");
  assertEquals(
    await getOutcome(await server.post("/oauth2/token", { grant_type: grantTypeName, ticket })),
    "401 invalid_client",
  );
});

test("[RI-01, RI-03] a grant type need not know resource; one that lists it, or names resources, decides itself", async () => {
  const named: GrantType = {
    ...ticketGrant,
    authorize: async (...request) => withResources(await ticketGrant.authorize(...request), ["https://seats.test"]),
  };
  const own: GrantType = {
    ...ticketGrant,
    parameters: [...ticketGrant.parameters, { name: "resource", repeatable: true }],
  };
  await forEachCase<[GrantType, Fields, unknown]>([
    [ticketGrant, { resource: "https://a.test" }, "https://a.test"],
    [ticketGrant, { resource: "no-uri" }, "400 invalid_target"],
    [ticketGrant, {}, "https://as.test"],
    [named, { resource: "https://a.test" }, "https://seats.test"],
    [own, { resource: "https://a.test" }, "https://as.test"],
  ], async ([grantType, fields, expected]) => {
    const server = await testServer({ ...withTickets, grantTypes: [grantType] });
    const { access_token: ticket } = await publicTokens(server);
    const response = await exchangeCode(server, { ticket, ...fields });
    const outcome = response.status === 200
      ? decodeClaims((await response.json()).access_token).aud
      : await getOutcome(response);
    assertEquals(outcome, expected);
  });
});

test("a grant type without scope may set its own in the token and the response", async () => {
  const grantType: GrantType = {
    ...ticketGrant,
    async authorize(server, request) {
      const own = { scope: "seat" };
      const authorization = await ticketGrant.authorize(server, request);
      return { ...authorization, scope: [], addedClaims: own, responseMembers: own };
    },
  };
  const server = await testServer({ ...withTickets, grantTypes: [grantType] });
  const { access_token: ticket } = await publicTokens(server);
  const { access_token, scope } = await assertTokenResponse(await exchangeCode(server, { ticket }));
  assertEquals([decodeClaims(access_token).scope, scope], ["seat", "seat"]);
});

test("its parameters must not repeat, must not be in the URL, and are redacted wherever they are recorded or traced", async () => {
  const record = recorder();
  const server = await testServer({ ...withTickets, plugins: [record] });
  const { access_token: ticket } = await publicTokens(server, { scope: "read" });
  await forEachCase<Fields>([{ ticket: [ticket, ticket] }, { ticket, seat: ["1", "2"] }], async (fields) => {
    assertEquals(await getOutcome(await exchangeCode(server, fields)), "400 invalid_request");
    assertEquals(getRejections(server.events).at(-1)?.explanation.rule, "TK-04");
  });
  const inUrl = `/oauth2/token?ticket=${ticket}`;
  assertEquals(await getOutcome(await server.post(inUrl, {}, basicHeader("kiosk"))), "400 invalid_request");
  assertEquals(getRejections(server.events).at(-1)?.explanation.rule, "TK-03");

  const opaque = "an-opaque-ticket-of-another-kiosk";
  await exchangeCode(server, { ticket: opaque, seat: `ticket=${opaque}` });
  await exchangeCode(server, { ticket });
  const [rejected, exchanged] = record.exchanges().slice(-2).map((one) => redactExchange(one));
  assert(!JSON.stringify([rejected, exchanged]).includes(opaque));
  assertMatch(exchanged!.request.form.find(([name]) => name === "ticket")![1], /…\(\d+\)$/);
  // `linksFlow`: the exchange belongs to the login of its ticket.
  const [login] = record.exchanges();
  const flow = record.flows().find(({ exchanges }) => exchanges.some(({ number }) => number === login!.number));
  assertEquals(flow!.exchanges.at(-1)!.number, exchanged!.number);
});
