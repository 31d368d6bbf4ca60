/** Names of resources that are no URLs: where they are accepted, from the setting to the token (group RI). */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { decodeJwt } from "jose";
import { test } from "node:test";
import type { TestLatchkeyOptions } from "../../src/testing/mod.ts";
import { forEachCase } from "../kit.ts";
import { testLatchkey } from "../testing/test_latchkey.ts";

const urn = "urn:example:api";
const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";

/** The audience of the access tokens of a login, its refresh, a client alone, and an exchange. */
async function audiences(options: TestLatchkeyOptions, parameter: string, name: string): Promise<unknown[]> {
  await using as = await testLatchkey({
    ...{ accessTokenFormat: "jwt", tokenExchange: { targets: { job: [name] } } },
    ...options,
    claims: { read: [] },
  });
  const client = as.client({
    ...{ client_id: "job", confidential: true },
    grant_types: ["authorization_code", "refresh_token", "client_credentials", tokenExchange],
  });
  const audienceOf = ({ access_token }: { readonly access_token: string }) => decodeJwt(access_token).aud;
  const { tokens } = await as.logIn(client, {
    scope: "openid read offline_access",
    authorization: { [parameter]: name },
  });
  const machine = await as.token(client, { grant_type: "client_credentials", scope: "read", [parameter]: name });
  const refreshed = await as.token(client, { grant_type: "refresh_token", refresh_token: tokens.refresh_token! });
  const exchanged = await as.token(client, {
    ...{ grant_type: tokenExchange, subject_token: tokens.access_token, [parameter]: name },
    subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
  });
  return [tokens, machine, refreshed, exchanged].map(audienceOf).map((aud) => [aud].flat()[0]);
}

test("[RI-01] a URI without a host is a resource for every grant", async () => {
  const each = (name: string) => Array(4).fill(name);
  await forEachCase([{}, { resources: [{ uri: urn }] }, { profile: "okta" as const }], async (options) => {
    assertEquals(await audiences(options, "resource", urn), each(urn));
  });
  assertEquals(await audiences({ resources: [{ uri: urn }] }, "resource", "URN:example:api"), each(urn));
});

test("[RI-01] at the profile auth0 an audience is any text, with a list of resources and without", async () => {
  for (const resources of [undefined, [{ uri: "my-api" }]]) {
    assertEquals(await audiences({ profile: "auth0", resources }, "audience", "my-api"), Array(4).fill("my-api"));
  }
  assertEquals(await audiences({ profile: "auth0" }, "audience", "Orders API"), Array(4).fill("Orders API"));
});

test("[RI-01] without a profile of a provider a resource of the settings is an absolute URI, and the message says so", async () => {
  await using as = await testLatchkey({ profile: "okta", resources: [{ uri: "my-api" }] });
  assertMatch(as.issuer, /default$/);
  const error = await assertRejects(() => testLatchkey({ resources: [{ uri: "my-api" }] }), Error);
  assertMatch(error.message, /an absolute URI without a fragment/);
});
