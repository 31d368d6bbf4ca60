/** Enterprise-managed authorization between two mocks: an ID token, an ID-JAG, an access token. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import type { TestClient, TestLatchkey } from "../../src/testing/mod.ts";
import { testLatchkey } from "./test_latchkey.ts";
import { decodeClaims } from "../kit.ts";

const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const tokenType = "urn:ietf:params:oauth:token-type:";

/** The token response to a confidential client. */
async function postForm(as: TestLatchkey, client: TestClient, fields: Readonly<Record<string, string>>) {
  const body = new URLSearchParams({ ...fields, client_id: client.client_id, client_secret: client.client_secret! });
  return await (await as.fetch("/oauth2/token", { method: "POST", body })).json();
}

test("the ID-JAG of one mock is accepted by another, which fetches its keys, for the client that it names", async () => {
  await using idp = await testLatchkey({
    issuer: "https://idp.test",
    resourceAuthorizationServers: [{ issuer: "https://auth.test", clients: { "agent-at-idp": "agent-at-auth" } }],
  });
  const jwks_uri = `${idp.issuer}/oauth2/jwks`;
  await using auth = await testLatchkey({
    issuer: "https://auth.test",
    trustedIssuers: [{ issuer: idp.issuer, jwks_uri, users: "sub", grantProfile: "id-jag" }],
    outbound: (url, { headers }) => idp.fetch(url, { headers }),
  });
  const agentAtIdp = idp.client({
    client_id: "agent-at-idp",
    confidential: true,
    grant_types: ["authorization_code", tokenExchange],
  });
  const agentAtAuth = auth.client({
    client_id: "agent-at-auth",
    confidential: true,
    redirect_uris: [],
    grant_types: [jwtBearer],
  });

  const { tokens } = await idp.logIn(agentAtIdp, { as: "bob", scope: "openid" });
  const exchanged = await postForm(idp, agentAtIdp, {
    grant_type: tokenExchange,
    requested_token_type: `${tokenType}id-jag`,
    subject_token_type: `${tokenType}id_token`,
    subject_token: tokens.id_token!,
    audience: auth.issuer,
    scope: "read",
  });
  assertEquals(exchanged.issued_token_type, `${tokenType}id-jag`);

  const accepted = await postForm(auth, agentAtAuth, { grant_type: jwtBearer, assertion: exchanged.access_token });
  const { sub, client_id } = decodeClaims(accepted.access_token);
  assertEquals([accepted.scope, sub, client_id], ["read", "bob", "agent-at-auth"]);
});
