/** The profile next-2026.11 (group NX). */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { ConfigurationError } from "../../src/mod.ts";
import { LoginError } from "../../src/testing/mod.ts";
import { latchkey } from "../secret_leak_check.ts";
import { testLatchkey } from "./test_latchkey.ts";

const metadataOf = async (as: { fetch(path: string): Promise<Response> }) =>
  await (await as.fetch("/.well-known/openid-configuration")).json();

test("[NX-01] next-2026.11 requires a method of the challenge and the issuer as audience, and no registration", async () => {
  await using today = await testLatchkey();
  await using as = await testLatchkey({ profile: "next-2026.11" });
  const withoutMethod = { authorization: { code_challenge_method: undefined, code_challenge: "x".repeat(43) } };
  await assertRejects(() => as.logIn(as.client({ confidential: true }), withoutMethod));
  const [before, metadata] = [await metadataOf(today), await metadataOf(as)];
  assertEquals([before.registration_endpoint === undefined, metadata.registration_endpoint], [false, undefined]);
  assertEquals(metadata.client_id_metadata_document_supported, true);
  assertEquals(metadata.authorization_response_iss_parameter_supported, true);
  assert(metadata.token_endpoint_auth_methods_supported.includes("client_secret_post"));
  const { callback } = await as.logIn(as.client({ token_endpoint_auth_method: "client_secret_post" }));
  assertEquals(callback.params.get("iss"), as.issuer);
  await assertRejects(
    () => latchkey({ profile: "next-2026.11", assertionAudience: "issuer-or-token-endpoint" }),
    ConfigurationError,
    "November 2026",
  );
  await assertRejects(
    () => latchkey({ profile: "next-2026.11", metadata: { authorization_response_iss_parameter_supported: false } }),
    ConfigurationError,
    "RFC 9207",
  );
  await assertRejects(
    () => latchkey({ profile: "next-2026.11", clientAuthMethods: ["client_secret_basic", "none"] }),
    ConfigurationError,
    "client_secret_post too",
  );
  for (const mode of ["open", "token"] as const) {
    await assertRejects(
      () => latchkey({ profile: "next-2026.11", registration: { mode, initialAccessTokens: ["a-long-random-token"] } }),
      ConfigurationError,
      `registration.mode\n  Expected "off", because the profile is next-2026.11 (MCP authorization 2026-07-28, ` +
        `Dynamic Client Registration), found "${mode}".\n  Remove the setting, or the profile.`,
    );
  }
});

test("[NX-01, DR-12] a rejected registration names the profile, and advises what the profile allows", async () => {
  await using as = await testLatchkey({ profile: "next-2026.11" });
  const { message, explanation } = await assertRejects(() => as.register(), LoginError);
  assertStringIncludes(message, "registration is off, by the profile next-2026.11");
  assertMatch(explanation!.fix!, /client ID metadata document/);
  assert(!/registration\.mode|initialAccessTokens/.test(message + explanation!.fix), message);
});

test("[NX-02] under next-2026.11 the refresh token of a public client is rotated", async () => {
  await using as = await testLatchkey({ profile: "next-2026.11" });
  const client = as.client();
  const { tokens } = await as.logIn(client);
  const refreshed = await as.refresh(client, tokens.refresh_token!);
  assert(refreshed.refresh_token !== undefined && refreshed.refresh_token !== tokens.refresh_token);
  await assertRejects(() => as.refresh(client, tokens.refresh_token!));
  for (const profile of ["next-2026.11", ["keycloak", "next-2026.11"]] as const) {
    const refresh = profile === "next-2026.11" ? { reuse: "same" } as const : undefined;
    await assertRejects(() => latchkey({ profile, refresh }), ConfigurationError, "refresh.reuse");
  }
});
