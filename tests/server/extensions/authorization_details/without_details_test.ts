/**
 * Servers without the extension: what was granted before, and other extensions that handle authorization details.
 *
 * @extensions assertion_authentication
 */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { extensions, memoryStore } from "../../../../src/mod.ts";
import {
  basicHeader,
  confidentialClient,
  fetchIntrospection,
  publicClient,
  publicTokens,
  refresh,
  testClients,
} from "../../client_endpoints.ts";
import { exchangeAssertion, foreignIssuer, jwtBearer } from "../../foreign_issuer.ts";
import { assertTokenResponse, decodeClaims, getOutcome, type ListedOptions, testServer } from "../../../kit.ts";
import { details, payment, readFiles, richOptions } from "./rich_requests.ts";

const exchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const accessTokenType = "urn:ietf:params:oauth:token-type:access_token";
const withoutDetails = extensions.filter(({ name }) => name !== "authorization_details");

test("[CI-11] a grant of details is invalid without the extension, also one with scope", async () => {
  const store = memoryStore();
  const before = await testServer({ ...richOptions, store });
  const mixed = await publicTokens(before, details(payment));
  const alone = await publicTokens(before, { ...details(payment), scope: undefined });
  const later = await testServer({ ...testClients, store, extensions: withoutDetails });
  for (const { refresh_token } of [mixed, alone]) {
    assertEquals(await getOutcome(await refresh(later, refresh_token)), "400 invalid_grant");
  }
});

test("[RA-12] introspection does not show the details of an older token without the extension", async () => {
  const store = memoryStore();
  const before = await testServer({ ...richOptions, store });
  const { access_token } = await publicTokens(before, { ...details(payment), scope: "read" });
  assertEquals("authorization_details" in await fetchIntrospection(before, access_token), true);
  const later = await testServer({ ...testClients, store, extensions: withoutDetails });
  const { active, scope, ...others } = await fetchIntrospection(later, access_token);
  assertEquals([active, scope, "authorization_details" in others], [true, "read", false]);
});

test("[JB-11, TX-03, CC-03] other extensions and grant types ignore the parameter and the claim", async () => {
  const idp = await foreignIssuer();
  const options: ListedOptions = {
    ...testClients,
    clients: [
      publicClient("spa"),
      confidentialClient("gateway", {
        grant_types: [jwtBearer, exchange, "client_credentials"],
        redirect_uris: undefined,
        serves: ["https://as.test"],
      }),
    ],
    extensions: withoutDetails,
    trustedIssuers: [idp.entry({ grantProfile: "id-jag" })],
    tokenExchange: {},
  };
  const server = await testServer(options);
  const change = {
    claims: { client_id: "gateway", authorization_details: [payment] },
    header: { typ: "oauth-id-jag+jwt" },
  };
  const { access_token: subject_token } = await publicTokens(server, { ...details(payment), scope: "read" });
  const send = (fields: Readonly<Record<string, string>>) =>
    server.post("/oauth2/token", { ...details(readFiles), ...fields }, basicHeader("gateway"));
  for (
    const response of [
      await exchangeAssertion(server, await idp.assertion("alice", change), details(payment)),
      await send({ grant_type: exchange, subject_token, subject_token_type: accessTokenType }),
      await send({ grant_type: "client_credentials", scope: "read" }),
    ]
  ) {
    const tokens = await assertTokenResponse(response);
    const members = [...Object.keys(tokens), ...Object.keys(decodeClaims(tokens.access_token))];
    assertEquals(members.includes("authorization_details"), false);
    assertEquals(tokens.scope, "read");
  }
});
