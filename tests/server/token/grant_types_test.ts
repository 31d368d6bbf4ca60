/** A grant type of the embedding program: one value, without a change of the server. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import { core, type CoreExtension, type CoreOptions, type Server } from "../../../src/core/mod.ts";
import { ConfigurationError, extensions, type LatchkeyOptions, OAuthError } from "../../../src/mod.ts";
import { type GrantType, parameters, withResources } from "../../../src/server/extension.ts";
import type { Authorization } from "../../../src/core/token/grants/authenticated_request.ts";
import { randomId } from "../../../src/core/keys/secrets.ts";
import { readAccessToken } from "../../../src/core/token/tokens/read_access_token.ts";
import { recorder } from "../../../src/recorder/recorder.ts";
import { redactExchange } from "../../../src/recorder/redact.ts";
import { latchkey } from "../../secret_leak_check.ts";
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
    const { client, params } = request;
    const sub = (await readAccessToken(server, params.get("ticket") ?? ""))?.user;
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
      addedClaims: { seat: params.get("seat") },
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

/** What a grant type of a program may return by mistake: the OAuth error, and what the program is told. */
const mistakes: Readonly<Record<string, readonly [returned: object | undefined, error: string, told: RegExp]>> = {
  "a scope value of another client": [{ scope: ["read", "write"] }, "server_error", /is registered, received "write"/],
  "an unknown scope value": [{ scope: ["admin"] }, "server_error", /is registered, received "admin"/],
  "an unknown user": [{ subject: { sub: "nobody" } }, "server_error", /who may log in, received the sub "nobody"/],
  "a user who was not found": [{ subject: undefined }, "server_error", /subject in .* or left out, received nothing/],
  "a user who may not log in": [{ subject: { sub: "locked" } }, "server_error", /received the sub "locked"/],
  "a misspelt user": [{ subjet: { sub: "alice" } }, "server_error", /received "subjet". Did you mean subject\?/],
  "a user under another name": [{ user: { sub: "alice" } }, "server_error", /a known key, received "user"/],
  "a used grant": [{ consume: () => Promise.resolve(false) }, "invalid_grant", /Get a new grant.*used before/],
  "a promise of a used grant": [Promise.resolve({ consume: async () => await false }), "invalid_grant", /used before/],
  "a grant consumed without a result": [{ consume: async () => await undefined }, "server_error", /received nothing/],
  "a grant consumed with a record": [{ consume: () => ({}) }, "server_error", /consume of .*, received an object/],
  "a misspelt consume": [{ comsume: () => Promise.resolve(false) }, "server_error", /Did you mean consume\?/],
  "no function to consume it, but its name": [{ consume: undefined }, "server_error", /consume in .*received nothing/],
  "nothing": [undefined, "server_error", /an object, received nothing/],
  "no client": [{ client: undefined }, "server_error", /client in .*an object, received nothing/],
  "another client": [
    { client: { id: "web", allowsScope: () => true } },
    "server_error",
    /of the request, received "web"/,
  ],
  "a scope that is no list": [{ scope: "read" }, "server_error", /scope in .*an array of strings, received/],
  "no id of a grant": [{ grantId: undefined }, "server_error", /grantId in .*received nothing/],
  "a subject that is no object": [{ subject: "alice" }, "server_error", /subject in .*an object with a sub/],
  "no function to consume it": [{ consume: "used" }, "server_error", /consume in .*a function/],
  "a lifetime that is no number": [{ maxLifetimeSeconds: NaN }, "server_error", /maxLifetimeSeconds in .*seconds/],
  "a promise of rubbish": [
    Promise.resolve({ client: 1, scope: 2, grantId: 3, subject: 4 }),
    "server_error",
    /client in .*an object/,
  ],
};

test("no mistake of a grant type of a program leads to a token, with core() as with latchkey()", async () => {
  const grantType: GrantType = {
    type: grantTypeName,
    parameters: parameters("mistake"),
    async authorize({ randomBytes }, { client, params: sent }) {
      const mistake = mistakes[sent.get("mistake") ?? ""];
      const good = { client, scope: ["read"], grantId: randomId(randomBytes), subject: { sub: "alice" }, refresh: {} };
      if (mistake === undefined) return { ...good, consume: async () => await true };
      const returned = await mistake[0];
      return (returned && { ...good, ...returned }) as Authorization;
    },
  };
  /** Users may be known and not log in. */
  const locks = {
    name: "locks",
    extend: <S extends Server>(server: S): S => {
      const findRemoved: Server["grants"]["findRemoved"] = async (current, client, grant) => {
        const { sub } = grant.subject;
        if (sub === "locked") return { rule: "CI-11", lost: "user", id: sub };
        return await server.grants.findRemoved(current, client, grant);
      };
      return { ...server, grants: { ...server.grants, findRemoved } };
    },
  } satisfies CoreExtension;
  const events: unknown[] = [];
  const scopes = ["openid", "read", "write", "admin"];
  const options = {
    issuer: "https://as.test",
    clients: [
      { client_id: "kiosk", client_secret: "kiosk-secret", grant_types: [grantTypeName], scope: "read" },
    ],
    users: [{ sub: "alice" }, { sub: "locked" }],
    grantTypes: [grantType],
    trace: (event: unknown) => void events.push(event),
  };
  const servers = {
    core: await core({ ...options, policy: { scopes }, extensions: [locks] } as CoreOptions),
    latchkey: await latchkey({ ...options, scopes, extensions: [...extensions, locks] } as LatchkeyOptions),
  };
  for (const [name, { fetch }] of Object.entries(servers)) {
    for (const [mistake, [, error, told]] of [...Object.entries(mistakes), ["none", [undefined, "", /^$/]] as const]) {
      events.length = 0;
      const response = await fetch(
        new Request("https://as.test/oauth2/token", {
          method: "POST",
          headers: basicHeader("kiosk"),
          body: new URLSearchParams({ grant_type: grantTypeName, mistake }),
        }),
      );
      const { access_token, ...members } = await response.json();
      const text = JSON.stringify(members);
      if (error === "") {
        assert(typeof access_token === "string", `${name}: ${text}`);
        continue;
      }
      assertEquals([access_token, members.error], [undefined, error], `${name}: ${mistake}`);
      assert(!/authorize|nobody|locked|admin/.test(text), text);
      assertMatch(
        JSON.stringify(events, (_, value) => value instanceof Error ? value.message : value).replaceAll('\\"', '"'),
        told,
      );
    }
  }
});
