/**
 * Rich authorization requests with assertions, ID-JAGs and token exchange (groups RA, IJ, TX).
 *
 * @extensions assertion_authentication, assertion_grants, token_exchange
 */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { basicHeader, confidentialClient, findLastRule, publicTokens } from "../../client_endpoints.ts";
import { exchangeAssertion, foreignIssuer, jwtBearer } from "../../foreign_issuer.ts";
import {
  assertTokenResponse,
  decodeClaims,
  forEachCase,
  getOutcome,
  type ListedOptions,
  testServer,
} from "../../../kit.ts";
import type { Fields, TestServer } from "../../../kit.ts";
import { bank, details, editFiles, payment, readFiles, richOptions } from "./rich_requests.ts";

const exchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const tokenType = (name: string) => `urn:ietf:params:oauth:token-type:${name}`;
const audience = "https://rs.test";

const options: ListedOptions = {
  ...richOptions,
  clients: [
    ...richOptions.clients!,
    confidentialClient("gateway", {
      grant_types: [jwtBearer, exchange],
      redirect_uris: undefined,
      serves: ["https://as.test"],
    }),
    confidentialClient("narrow", {
      grant_types: [jwtBearer],
      redirect_uris: undefined,
      authorization_details_types: ["files"],
    }),
  ],
  trustedIssuers: [{ issuer: "https://unused.test", jwks_uri: "https://unused.test/jwks", users: "sub" }],
  tokenExchange: {},
  resourceAuthorizationServers: [
    { issuer: audience, authorizationDetailsTypes: ["files", "elsewhere"], allowPublicClients: true },
    { issuer: "https://other.test", allowPublicClients: true },
  ],
};

const membersOf = async (response: Response) => {
  const tokens = await assertTokenResponse(response) as unknown as Record<string, unknown>;
  return { details: tokens.authorization_details, claims: decodeClaims(tokens.access_token as string), tokens };
};

test("[IJ-17, IJ-18, RA-09] authorization_details of an ID-JAG bounds the details of the token, and parameters narrow them", async () => {
  const idp = await foreignIssuer();
  const server = await testServer({ ...options, trustedIssuers: [idp.entry({ grantProfile: "id-jag" })] });
  const send = async (claims: Readonly<Record<string, unknown>>, fields: Fields = {}, client = "gateway") => {
    const change = { claims: { client_id: client, ...claims }, header: { typ: "oauth-id-jag+jwt" } };
    return await exchangeAssertion(server, await idp.assertion("alice", change), fields, client);
  };
  const authorization_details = [payment, editFiles, { type: "elsewhere", any: 1 }];
  const less = { ...editFiles, actions: ["read"] };
  await forEachCase<[unknown, Fields, string, unknown, string | undefined]>([
    [authorization_details, { scope: "read" }, "gateway", [payment, editFiles], "read"],
    [authorization_details, {}, "gateway", [payment, editFiles], undefined],
    [authorization_details, details(less), "gateway", [less], undefined],
    [authorization_details, {}, "narrow", [editFiles], undefined],
    [[{ type: "elsewhere" }], {}, "gateway", undefined, "read"],
    [[], {}, "gateway", undefined, "read"],
    [undefined, {}, "gateway", undefined, "read"],
  ], async ([claim, fields, client, expected, scope]) => {
    const { details: granted, claims, tokens } = await membersOf(
      await send({ authorization_details: claim }, fields, client),
    );
    assertEquals([granted, claims.authorization_details, tokens.scope], [expected, expected, scope]);
    assertEquals("refresh_token" in tokens, false);
  });
  const withScope = await membersOf(await send({ authorization_details: [payment], scope: "read write" }));
  assertEquals([withScope.details, withScope.tokens.scope], [[payment], "read write"]);
  await forEachCase<[unknown, Fields, string, string]>([
    [[payment], details(editFiles), "400 invalid_authorization_details", "RA-09"],
    [undefined, details(payment), "400 invalid_authorization_details", "RA-09"],
    [[payment], details({ ...payment, creditor: 1 }), "400 invalid_authorization_details", "RA-03"],
    [[{ ...payment, creditor: 1 }], {}, "400 invalid_grant", "IJ-17"],
    ["payment", {}, "400 invalid_grant", "IJ-17"],
    [[1], {}, "400 invalid_grant", "IJ-17"],
    [{ ...payment }, {}, "400 invalid_grant", "IJ-17"],
  ], async ([claim, fields, outcome, rule]) => {
    assertEquals(await getOutcome(await send({ authorization_details: claim }, fields)), outcome);
    assertEquals(findLastRule(server), rule);
  });
  const off = await testServer({
    ...options,
    ...{
      authorizationDetails: undefined,
      clients: [options.clients!.find(({ client_id }) => client_id === "gateway")!],
    },
    trustedIssuers: [idp.entry({ grantProfile: "id-jag" })],
  });
  const change = { claims: { client_id: "gateway", authorization_details }, header: { typ: "oauth-id-jag+jwt" } };
  const ignored = await membersOf(await exchangeAssertion(off, await idp.assertion("alice", change)));
  assertEquals([ignored.details, ignored.claims.authorization_details], [undefined, undefined]);
});

test("[RA-10] an assertion that is no ID-JAG gets the details that the type allows its client without a user", async () => {
  const idp = await foreignIssuer();
  const { authorizationDetails: types } = richOptions;
  const authorizationDetails = { ...types, files: { ...types!.files!, clientsWithoutUser: ["gateway"] } };
  const server = await testServer({ ...options, authorizationDetails, trustedIssuers: [idp.entry()] });
  const claims = { authorization_details: [payment] };
  const granted = await membersOf(
    await exchangeAssertion(server, await idp.assertion("alice", { claims }), details(readFiles)),
  );
  assertEquals([granted.details, granted.tokens.scope], [[readFiles], undefined]);
  const rejected = await exchangeAssertion(server, await idp.assertion("alice", { claims }), details(payment));
  assertEquals(await getOutcome(rejected), "400 invalid_authorization_details");
  assertEquals(findLastRule(server), "RA-10");
});

/** A token exchange by `client`. */
function exchangeToken(server: TestServer, fields: Fields, client: string | undefined): Promise<Response> {
  const form = { grant_type: exchange, ...fields, ...client === undefined && { client_id: "spa" } };
  return server.post("/oauth2/token", form, client === undefined ? {} : basicHeader(client));
}

test("[IJ-05] an ID-JAG has the requested details whose types its audience allows, and the response names them", async () => {
  const clients = options.clients!.map((client) =>
    client.client_id === "spa" ? { ...client, grant_types: [...client.grant_types!, exchange] } : client
  );
  const server = await testServer({ ...options, clients });
  const { id_token } = await publicTokens(server);
  const request = (fields: Fields, of = audience) =>
    exchangeToken(server, {
      requested_token_type: tokenType("id-jag"),
      subject_token: id_token,
      subject_token_type: tokenType("id_token"),
      audience: of,
      ...fields,
    }, undefined);
  const elsewhere = { type: "elsewhere", anything: { goes: [1] } };
  const granted = await membersOf(await request(details(elsewhere, payment)));
  assertEquals([granted.details, granted.claims.authorization_details], [[elsewhere], [elsewhere]]);
  for (const fields of [{}, details()]) {
    const { details: none, claims } = await membersOf(await request(fields));
    assertEquals([none, claims.authorization_details], [undefined, undefined]);
  }
  await forEachCase<[Fields, string, string]>([
    [details(payment), audience, "400 invalid_authorization_details"],
    [details({ type: 1 }), audience, "400 invalid_authorization_details"],
    [details(elsewhere), "https://other.test", "400 invalid_authorization_details"],
    [{ authorization_details: "{" }, audience, "400 invalid_request"],
  ], async ([fields, of, outcome]) => {
    assertEquals(await getOutcome(await request(fields, of)), outcome);
  });
});

test("[RA-09, TX-03] an exchanged access token has the details of the subject token, or less", async () => {
  const server = await testServer(options);
  const { access_token } = await publicTokens(server, { ...details(payment, editFiles), scope: "read" });
  const request = (fields: Fields) =>
    exchangeToken(server, {
      subject_token: access_token,
      subject_token_type: tokenType("access_token"),
      ...fields,
    }, "gateway");
  const whole = await membersOf(await request({}));
  assertEquals([whole.details, whole.claims.authorization_details], [[payment, editFiles], [payment, editFiles]]);
  assertEquals((await membersOf(await request(details(payment)))).details, [payment]);
  const more = await request(details({ ...editFiles, actions: ["delete"] }));
  assertEquals(await getOutcome(more), "400 invalid_authorization_details");
});

test("[RA-12, TX-03] an exchange gives a client no details that introspection does not show it", async () => {
  const server = await testServer(options);
  const atBank = { ...payment, locations: [bank] };
  const { access_token: subject_token } = await publicTokens(server, { ...details(payment, atBank), scope: "read" });
  const request = (fields: Fields) =>
    exchangeToken(server, { subject_token, subject_token_type: tokenType("access_token"), ...fields }, "gateway");
  assertEquals((await membersOf(await request({}))).details, [payment]);
  assertEquals(await getOutcome(await request(details(atBank))), "400 invalid_authorization_details");
});
