/** Introspection responses as JWTs (RFC 9701). */

import { assertEquals } from "@std/assert";
import { jwtVerify } from "jose";
import { test } from "node:test";
import {
  ClientSecretBasic,
  customFetch,
  introspectionRequest,
  processIntrospectionResponse,
  validateApplicationLevelSignature,
} from "oauth4webapi";
import {
  basicHeader,
  confidentialClient,
  fetchIntrospection,
  publicTokens,
  testClients,
  userinfo,
} from "../../client_endpoints.ts";
import { fetchKeySet, forEachCase, getOutcome, testServer } from "../../../kit.ts";

const jwtType = "application/token-introspection+jwt";

test("[IN-05] a caller that asks for a JWT gets the same members, signed for it alone", async () => {
  const caller = { ...confidentialClient("eddsa"), introspection_signed_response_alg: "EdDSA" } as const;
  const b = await testServer({ alg: "ES256", ...testClients, clients: [...testClients.clients, caller] });
  const { access_token } = await publicTokens(b);
  for (const [client_id, alg, token] of [["api", "ES256", access_token], ["eddsa", "EdDSA", "x"]] as const) {
    const plain = await fetchIntrospection(b, token, client_id);
    const response = await b.post("/oauth2/introspect", { token }, { ...basicHeader(client_id), accept: jwtType });
    assertEquals([response.status, response.headers.get("content-type")], [200, jwtType]);
    assertEquals(response.headers.get("cache-control"), "no-store");
    const currentDate = new Date(Date.UTC(2026, 0, 1));
    const { payload, protectedHeader } = await jwtVerify(await response.text(), await fetchKeySet(b), { currentDate });
    assertEquals([protectedHeader.typ, protectedHeader.alg], ["token-introspection+jwt", alg]);
    // No exp and no sub: it cannot be taken for an access token.
    assertEquals(payload, {
      iss: "https://as.test",
      aud: client_id,
      iat: currentDate.getTime() / 1000,
      token_introspection: plain,
    });
  }
  const metadata = await (await b.get("/.well-known/oauth-authorization-server")).json();
  assertEquals(metadata.introspection_signing_alg_values_supported, ["RS256", "ES256", "EdDSA", "Ed25519"]);
});

test("[IN-05, SC-16] the JWT needs to be asked for by name; errors stay JSON, and it is no token", async () => {
  const b = await testServer(testClients);
  const { access_token } = await publicTokens(b);
  await forEachCase<readonly [string, boolean]>(
    [
      [jwtType, true],
      [jwtType.toUpperCase(), true],
      [`application/json;q=0.5, ${jwtType} ; q=1`, true],
      ["application/json", false],
      ["*/*", false],
      ["application/*", false],
      [`${jwtType};q=0`, false],
      [`${jwtType};q=0.000`, false],
      ["application/jwt", false],
      [`${",".repeat(5000)}`, false],
    ],
    async ([accept, expected]) => {
      const headers = { ...basicHeader("api"), accept };
      const response = await b.post("/oauth2/introspect", { token: access_token }, headers);
      assertEquals(response.headers.get("content-type"), expected ? jwtType : "application/json");
    },
  );
  const headers = { ...basicHeader("api"), accept: jwtType };
  assertEquals(await getOutcome(await b.post("/oauth2/introspect", {}, headers)), "400 invalid_request");
  const jwt = await (await b.post("/oauth2/introspect", { token: access_token }, headers)).text();
  assertEquals((await userinfo(b, jwt)).status, 401);
  assertEquals(await fetchIntrospection(b, jwt), { active: false });
});

test("[IN-05] oauth4webapi verifies the JWT", async () => {
  const b = await testServer({ alg: "ES256", ...testClients });
  const { access_token } = await publicTokens(b);
  const over = { [customFetch]: (url: string, init: object) => b.as.fetch(new Request(url, init)) };
  const metadata = await (await b.get("/.well-known/oauth-authorization-server")).json();
  const client = { client_id: "api", introspection_signed_response_alg: "ES256" };
  const options = { ...over, requestJwtResponse: true };
  const result = await introspectionRequest(metadata, client, ClientSecretBasic("api-secret"), access_token, options);
  assertEquals((await processIntrospectionResponse(metadata, client, result)).active, true);
  await validateApplicationLevelSignature(metadata, result, over);
});
