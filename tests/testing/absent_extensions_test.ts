/** Mocks without extensions. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { memoryStore } from "../../src/mod.ts";
import { requestedClaims } from "../../src/server/extensions/requested_claims/mod.ts";
import { extensions } from "../../src/server/hosting/extensions.ts";
import { latchkey } from "../secret_leak_check.ts";
import { testLatchkey } from "./test_latchkey.ts";

const client = {
  client_id: "job",
  client_secret: "a-secret-of-32-characters-or-more",
  redirect_uris: ["https://client.test/callback"],
};

const refreshGrants = ["authorization_code", "refresh_token"];

for (const extension of extensions) {
  test(`without ${extension.name}: a client of the mock logs in`, async () => {
    await using as = await testLatchkey({ extensions: extensions.filter((other) => other !== extension) });
    const { tokens } = await as.logIn(as.client());
    assert(tokens.access_token);
  });
}

test("without levels of authentication, acr_values is ignored, and a login cannot reach an essential acr", async () => {
  await using as = await testLatchkey({ extensions: [requestedClaims] });
  const mock = as.client();
  const { claims } = await as.logIn(mock, { authorization: { acr_values: "urn:example:mfa" } });
  assertEquals([claims?.acr, claims?.amr], [undefined, undefined]);
  const essential = JSON.stringify({ id_token: { acr: { essential: true, value: "urn:example:mfa" } } });
  await assertRejects(
    () => as.logIn(mock, { authorization: { claims: essential } }),
    Error,
    "unmet_authentication_requirements",
  );
  const metadata = await (await as.fetch(`${as.issuer}/.well-known/openid-configuration`)).json();
  assertEquals(metadata.claims_supported.filter((name: string) => ["acr", "amr"].includes(name)), []);
});

test("without requested claims, claims is ignored, and metadata does not announce it", async () => {
  await using as = await testLatchkey({ extensions: [] });
  const claims = JSON.stringify({ id_token: { sub: { value: "unknown" }, email: { essential: true } } });
  const { claims: issued } = await as.logIn(as.client(), { authorization: { claims } });
  assertEquals(issued?.email, undefined);
  const metadata = await (await as.fetch(`${as.issuer}/.well-known/openid-configuration`)).json();
  assertEquals(metadata.claims_parameter_supported, undefined);
});

test("[DO-07, DO-09] without proofs of keys, what an earlier server has bound to a key stays bound", async () => {
  const store = memoryStore();
  const options = { issuer: "https://as.test", store };
  const spa = { client_id: "spa", redirect_uris: client.redirect_uris, grant_types: refreshGrants };
  await using earlier = await testLatchkey({ ...options, clients: [spa] });
  const { tokens } = await earlier.logIn(spa, { dpop: true });
  assertEquals(tokens.token_type, "DPoP");
  await using as = await latchkey({ ...options, clients: [spa], extensions: [] });
  for (const scheme of ["Bearer", "DPoP"]) {
    const headers = { authorization: `${scheme} ${tokens.access_token}` };
    assertEquals((await as.fetch(new Request(`${as.issuer}/oauth2/userinfo`, { headers }))).status, 401, scheme);
  }
  const fields = { grant_type: "refresh_token", client_id: "spa", refresh_token: tokens.refresh_token! };
  const body = new URLSearchParams(fields);
  const response = await as.fetch(new Request(`${as.issuer}/oauth2/token`, { method: "POST", body }));
  assertEquals([response.status, (await response.json()).error], [400, "invalid_grant"]);
});
