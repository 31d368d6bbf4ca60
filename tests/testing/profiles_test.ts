/** Clients of the mock with profiles (groups PF and FS). */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { testLatchkey } from "./test_latchkey.ts";
import type { Fields } from "../kit.ts";

const noChallenge: Fields = { code_challenge: undefined, code_challenge_method: undefined };

test("[PF-04] the mock registers a client with a profile in one call, and logs it in", async () => {
  await using as = await testLatchkey();
  const client = as.client({ confidential: true, profile: "mcp" });
  assertEquals((await as.logIn(client)).claims?.sub, "alice");
  await assertRejects(() => as.logIn(client, { authorization: noChallenge }), Error, "of this client");
});

test("[FS-03, FS-04] the mock registers a client with a key, and logs it in with PAR, PKCE and DPoP", async () => {
  await using as = await testLatchkey({ profile: "fapi2-security" });
  const client = as.client();
  assertEquals(client.token_endpoint_auth_method, "private_key_jwt");
  const { tokens, dpop, request } = await as.logIn(client);
  assertEquals(tokens.token_type, "DPoP");
  assertEquals(dpop?.publicJwk.crv, "P-256");
  assert(request.searchParams.has("request_uri"));
  const refreshed = await as.refresh(client, tokens.refresh_token!);
  assertEquals(refreshed.token_type, "DPoP");
  assertEquals((await as.token(client, { grant_type: "client_credentials", scope: "read" })).token_type, "DPoP");
  await using other = await testLatchkey();
  const strict = other.client({ profile: "fapi2-security" });
  assertEquals((await other.logIn(strict)).tokens.token_type, "DPoP");
  assertEquals((await other.logIn(other.client())).tokens.token_type, "Bearer");
  assertEquals((await other.logIn(other.client())).dpop, undefined);
});

test("[FS-31, FS-33] the mock signs the request and verifies the response by itself", async () => {
  await using as = await testLatchkey({ profile: "fapi2-message-signing" });
  const { tokens, callback } = await as.logIn(as.client());
  assertEquals(tokens.token_type, "DPoP");
  assert(callback.code !== undefined);
});
