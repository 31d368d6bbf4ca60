/**
 * FAPI 2.0 Message Signing: signed requests and responses (FS-31 and following).
 *
 * @extensions assertion_authentication, dpop, par, registration, signed_requests, signed_responses
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { decodeJwt, decodeProtectedHeader } from "jose";
import * as openid from "openid-client";
import { test } from "node:test";
import { latchkey } from "../secret_leak_check.ts";
import { sharedKey, startSeconds } from "./client_jwts.ts";
import {
  assertion,
  authorizePushed,
  bank,
  bankKey,
  exchangeCode,
  fapiServer,
  otherKey,
  publicKeys,
  push,
  signed,
} from "./fapi_client.ts";
import { openidClient } from "./fapi_openid_client.ts";
import { assertTokenResponse, forEachCase, getRedirectParams, testServer } from "../kit.ts";
import type { Fields, TestServer } from "../kit.ts";

const server = () => fapiServer({}, "fapi2-message-signing");

async function rejected(b: TestServer, fields: Fields): Promise<string> {
  const response = await push(b, fields);
  const { error, error_description } = await response.json();
  return `${response.status} ${error}: ${error_description}`;
}

test("[FS-31, PF-05, PF-06] PAR accepts signed requests alone, and parameters outside have no effect", async () => {
  const b = await server();
  assertMatch(await rejected(b, {}), /^400 invalid_request: .*signed, by the profile fapi2-message-signing/);
  const response = await authorizePushed(b, {
    ...await signed({ state: "inside" }),
    state: "outside",
    scope: "unknown",
  });
  const claims = decodeJwt(getRedirectParams(response).get("response")!);
  assertEquals([claims.state, claims.iss, claims.aud], ["inside", "https://as.test", "bank"]);
  const silent = await authorizePushed(b, { ...await signed({ state: undefined }), state: "outside" });
  assertEquals(decodeJwt(getRedirectParams(silent).get("response")!).state, undefined);
  const security = await fapiServer();
  assertEquals((await push(security)).status, 201);
});

test("[FS-32, PF-06] a request object has the issuer as aud, nbf of at most an hour ago, and exp of at most an hour after it", async () => {
  const b = await server();
  const hour = 3600;
  const accepted = [
    { aud: ["https://as.test", "https://other.example"] },
    { nbf: startSeconds + 8 },
    { nbf: startSeconds - hour + 60, exp: startSeconds + 30 },
  ];
  await forEachCase(accepted, async (claims) => assertEquals((await push(b, await signed(claims))).status, 201));
  const invalid = [
    { aud: "https://other.example" },
    { aud: undefined },
    { nbf: undefined },
    { nbf: startSeconds - hour - 60 },
    { nbf: startSeconds + 61 },
    { exp: undefined },
    { exp: startSeconds + hour + 60 },
    { exp: startSeconds - 60 },
    { client_id: "other" },
    { client_id: undefined },
    { request_uri: "urn:x" },
  ];
  await forEachCase(invalid, async (claims) => {
    assertMatch(await rejected(b, await signed(claims)), /^400 invalid_request_object:/);
  });
  assertEquals((await push(b, await signed({}, { header: { typ: undefined } }))).status, 201);
});

test("[FS-21, FS-32] a bad signature, another client's key, RS256 and none are invalid_request_object", async () => {
  const rsa = await sharedKey("RS256");
  const clients = [{ ...bank, jwks: publicKeys(bankKey, rsa) }];
  const b = await fapiServer({ clients }, "fapi2-message-signing");
  const { request: jwt } = await signed();
  const tampered = `${(jwt as string).slice(0, -4)}AAAA`;
  const requests: Fields[] = [
    { ...await signed(), request: tampered },
    await signed({}, { key: otherKey }),
    await signed({}, { key: rsa }),
    await signed({}, { header: { alg: "none" } }),
  ];
  await forEachCase(requests, async (fields) => {
    assertMatch(await rejected(b, { ...fields, ...await assertion() }), /^400 invalid_request_object:/);
  });
  const open = await testServer({ clients });
  assertEquals((await push(open, { ...await signed({ response_mode: undefined }, { key: rsa }) })).status, 201);
});

test("[FS-33, PF-03, PF-06] responses are signed: a plain mode, or none, is invalid_request at PAR", async () => {
  const b = await server();
  for (const response_mode of ["query", "form_post", undefined]) {
    assertMatch(
      await rejected(b, await signed({ response_mode })),
      /^400 invalid_request: .*response_mode.*, by the profile fapi2-message-signing/,
    );
  }
  for (const response_mode of ["jwt", "query.jwt", "fragment.jwt", "form_post.jwt"]) {
    assertEquals((await push(b, await signed({ response_mode }))).status, 201);
  }
  const metadata = await (await b.get("/.well-known/openid-configuration")).json();
  assertEquals(metadata.response_modes_supported, ["jwt", "query.jwt", "fragment.jwt", "form_post.jwt"]);
  assertEquals(metadata.require_signed_request_object, true);
  assertEquals(metadata.authorization_signing_alg_values_supported, ["ES256", "EdDSA", "Ed25519"]);
  assertEquals(metadata.request_object_signing_alg_values_supported.includes("RS256"), false);
});

test("[FS-16, FS-31, FS-33] a whole flow: the code arrives in a signed response, and an error too", async () => {
  const b = await server();
  const { code } = decodeJwt(getRedirectParams(await authorizePushed(b, await signed())).get("response")!);
  assertEquals((await assertTokenResponse(await exchangeCode(b, { code: code as string }))).token_type, "DPoP");
  const failed = await authorizePushed(b, await signed({ prompt: "none", max_age: "0", login_hint: "alice" }));
  assert(decodeJwt(getRedirectParams(failed).get("response")!).iss !== undefined);
});

test("[FS-34] an introspection response is a JWT for a client that asks for one", async () => {
  const b = await server();
  const { code } = decodeJwt(getRedirectParams(await authorizePushed(b, await signed())).get("response")!);
  const { access_token } = await assertTokenResponse(await exchangeCode(b, { code: code as string }));
  const accept = "application/token-introspection+jwt";
  const response = await b.post("/oauth2/introspect", { token: access_token, ...await assertion() }, { accept });
  assertEquals(response.headers.get("content-type"), accept);
  const jwt = await response.text();
  assertEquals(decodeProtectedHeader(jwt).alg, "ES256");
  const { iss, aud, token_introspection } = decodeJwt(jwt);
  assertEquals([iss, aud], ["https://as.test", "bank"]);
  assertEquals((token_introspection as { active: boolean }).active, true);
});

test("[PF-04] a client with this profile needs a server that offers a signed mode", async () => {
  const clients = [{ ...bank, profile: "fapi2-message-signing" as const }];
  const responseModes = ["query", "form_post", "jwt"] as const;
  const b = await testServer({ clients, responseModes });
  assertEquals((await push(b, await signed())).status, 201);
  assertMatch(await rejected(b, await signed({ response_mode: "query" })), /^400 invalid_request: .*response_mode/);
  assertMatch(await rejected(b, await assertion()), /by the profile fapi2-message-signing of this client/);
  const error = await latchkey({ issuer: "https://as.test", clients }).then((as) => as.close(), (error) => error);
  assertMatch(error.message, /clients\[0\]\.profile.*responseModes/s);
});

test("[FS-31, FS-33] openid-client completes the flow with signed requests and responses", async () => {
  const { as, key, send, checks, authorization } = await openidClient("fapi2-message-signing");
  const config = await openid.discovery(new URL(as.issuer), "bank", {}, openid.PrivateKeyJwt(key), {
    [openid.customFetch]: send as unknown as openid.CustomFetch,
  });
  openid.useJwtResponseMode(config);
  const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair("ES256"));
  const { searchParams } = await openid.buildAuthorizationUrlWithJAR(config, authorization, key);
  const url = await openid.buildAuthorizationUrlWithPAR(config, searchParams, { DPoP });
  const response = await send(url);
  const callback = new URL(response.headers.get("location")!);
  assertEquals([...callback.searchParams.keys()], ["response"]);
  const tokens = await openid.authorizationCodeGrant(config, callback, checks, undefined, { DPoP });
  assertEquals(tokens.claims()!.sub, "alice");
  await as.close();
});
