/**
 * Signed authorization responses (group JM).
 *
 * @extensions assertion_authentication, par, registration, token_exchange
 */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { decodeProtectedHeader } from "jose";
import { test } from "node:test";
import { ConfigurationError } from "../../../../src/mod.ts";
import {
  assertAuthorizationResponse,
  assertPage,
  clients,
  encode,
  forEachCase,
  getOutcome,
  getRejections,
  goodRequest,
  testServer,
} from "../../../kit.ts";
import type { Fields, TestServer } from "../../../kit.ts";
import { assertPageWithForm, openBrowser } from "../../browser.ts";
import { outcomeOf, postRegistration } from "../../registering.ts";
import { latchkey } from "../../../secret_leak_check.ts";
import { getSigned, responseModes, server, start, uri, verify } from "./signed_responses.ts";

test("[JM-01, JM-02, JM-03, JM-04, JM-10] a signed response has one parameter in each mode, with every member of the plain one", async () => {
  const b = await server();
  for (const response_mode of ["jwt", "query.jwt", "fragment.jwt", "form_post.jwt"]) {
    const response = await b.authorize({ response_mode });
    let jwt: string;
    if (response_mode === "form_post.jwt") {
      const { action, fields } = await assertPageWithForm(response);
      assertEquals([action, fields.map(([name]) => name)], [uri, ["response"]]);
      jwt = fields[0]![1];
    } else jwt = getSigned(response, response_mode === "fragment.jwt" ? "#" : "?");
    const { code, ...claims } = await verify(b, jwt);
    assertEquals(claims, { iss: "https://as.test", aud: "spa", exp: start + 120, state: "st4te" });
    assertEquals((await b.token({ code: code as string })).status, 200);
    const { alg, kid, ...header } = decodeProtectedHeader(jwt);
    assertEquals([alg, typeof kid, header], ["EdDSA", "string", {}]);
  }
});

test("[JM-03] state is returned unchanged, and only if it was sent", async () => {
  const b = await server();
  const states = ["x".repeat(1000), "a b&c=d#é😀\n", undefined];
  await forEachCase(states, async (state) => {
    const claims = await verify(b, getSigned(await b.authorize({ response_mode: "jwt", state })));
    assertEquals([claims.state, "state" in claims], [state, state !== undefined]);
  });
  // A form would change a line break outside of a JWT.
  const { fields } = await assertPageWithForm(await b.authorize({ response_mode: "form_post.jwt", state: "a\nb" }));
  assertEquals((await verify(b, fields[0]![1])).state, "a\nb");
});

test("[JM-02] the query of the redirect URI is kept", async () => {
  const own = "https://spa.example/cb?tenant=1";
  const b = await server({ clients: [{ ...clients[0], redirect_uris: [own] }] });
  const fields = { redirect_uri: own, response_mode: "jwt" };
  await verify(b, getSigned(await b.authorize(fields), "?", `${own}&`));
  await verify(b, getSigned(await b.authorize({ ...fields, response_mode: "fragment.jwt" }), "#", `${own}#`));
});

test("[JM-04] the lifetime is a setting from 10 to 600 seconds", async () => {
  for (const authorization_response of [10, 600]) {
    const b = await server({ lifetimes: { authorization_response } });
    const { exp } = await verify(b, getSigned(await b.authorize({ response_mode: "jwt" })));
    assertEquals(exp, start + authorization_response);
  }
  for (const authorization_response of [9, 601]) {
    await assertRejects(() => latchkey({ lifetimes: { authorization_response } }), ConfigurationError);
  }
});

test("[JM-05] errors are signed too, before and after the login", async () => {
  const b = await server({ login: "interactive" });
  await forEachCase<readonly [Fields, string]>(
    [
      [{ scope: "admin" }, "invalid_scope"],
      [{ response_type: "token" }, "unsupported_response_type"],
      [{ code_challenge: undefined }, "invalid_request"],
      [{ prompt: "none" }, "login_required"],
    ],
    async ([fields, error]) => {
      const claims = await verify(b, getSigned(await b.authorize({ response_mode: "jwt", ...fields })));
      assertEquals([claims.error, claims.state], [error, "st4te"]);
      assertEquals(typeof claims.error_description, "string");
    },
  );
});

test("[JM-05, JM-11] if the mode is what is wrong, the error is not signed; page errors stay pages", async () => {
  const b = await server({
    responseModes: ["query", "form_post", "jwt"],
    clients: [{ ...clients[0], response_modes: ["query"] }, clients[1]],
  });
  for (const response_mode of ["query.jwt", "fragment", "jwt", "JWT", "form_post"]) {
    assertEquals(assertAuthorizationResponse(await b.authorize({ response_mode })).error, "invalid_request");
    assertEquals(getRejections(b.events).at(-1)!.explanation.rule, "AZ-19");
  }
  await assertPage(await b.authorize({ response_mode: "jwt", redirect_uri: "https://evil.example/cb" }));
});

test("[JM-05] where only signed modes are allowed, errors before the mode is known are signed too, or on a page", async () => {
  const wrong: readonly Fields[] = [
    {},
    { response_mode: "query" },
    { response_mode: "form_post" },
    { response_mode: "nonsense" },
    { response_mode: ["jwt", "jwt"] },
    { request: "not a JWT" },
  ];
  const only = ["jwt", "query.jwt", "form_post.jwt", "fragment.jwt"] as const;
  for (const mode of only) {
    const ofServer = await server({ responseModes: [mode] });
    const ofClient = await server({ clients: [{ ...clients[0], response_modes: [mode] }] });
    await forEachCase([ofServer, ofClient].flatMap((b) => wrong.map((fields) => [b, fields] as const)), async (one) => {
      const [b, fields] = one;
      const response = await b.authorize(fields);
      if (mode !== "jwt" && mode !== "query.jwt") return void await assertPage(response);
      const { error } = await verify(b, getSigned(response));
      assertEquals(typeof error, "string");
    });
  }
});

test("[JM-01, JM-09] signed responses are off by default, and metadata lists what is on", async () => {
  const metadataOf = async ({ get }: TestServer) => (await (await get("/.well-known/openid-configuration")).json());
  const off = await testServer();
  const { response_modes_supported, authorization_signing_alg_values_supported: none } = await metadataOf(off);
  assertEquals([response_modes_supported, none], [["query", "form_post"], undefined]);
  assertEquals(assertAuthorizationResponse(await off.authorize({ response_mode: "jwt" })).error, "invalid_request");
  const on = await metadataOf(await server());
  assertEquals(on.response_modes_supported, [...responseModes]);
  assertEquals(on.authorization_signing_alg_values_supported, on.id_token_signing_alg_values_supported);
  assertEquals(on.authorization_response_iss_parameter_supported, true);
});

test("[JM-11] a server or a client without any response mode is a configuration issue", async () => {
  for (const options of [{ responseModes: [] }, { clients: [{ ...clients[0], response_modes: [] }] }]) {
    const error = await assertRejects(() => latchkey(options), ConfigurationError);
    assertEquals(error.issues.map(({ expected }) => expected), ["an array of response modes, at least one"]);
  }
});

test("[JM-09] without query, a request must name a mode", async () => {
  const b = await server({ responseModes: ["jwt", "form_post.jwt"] });
  assertEquals((await verify(b, getSigned(await b.authorize()))).error, "invalid_request");
  const push = (fields: Fields) => b.post("/oauth2/par", { ...goodRequest, ...fields });
  for (const response_mode of [undefined, "query"]) {
    assertEquals(await getOutcome(await push({ response_mode })), "400 invalid_request");
  }
  const { request_uri } = await (await push({ response_mode: "jwt" })).json();
  await verify(b, getSigned(await b.get(`/oauth2/authorize?${encode({ client_id: "spa", request_uri })}`)));
});

test("[JM-06] the client chooses the algorithm, and its key is published", async () => {
  for (const alg of ["RS256", "ES256", "EdDSA"] as const) {
    const b = await server({ clients: [{ ...clients[0], authorization_signed_response_alg: alg }] });
    const jwt = getSigned(await b.authorize({ response_mode: "jwt" }));
    assertEquals(decodeProtectedHeader(jwt).alg, alg);
    await verify(b, jwt);
  }
  const fresh = await server({ clients: [{ ...clients[0], authorization_signed_response_alg: "EdDSA" }] });
  const { keys } = await (await fresh.get("/oauth2/jwks")).json();
  assert(keys.some(({ alg }: { alg: string }) => alg === "EdDSA"));
});

test("[JM-06, JM-07, JM-11] registration replaces none, encryption and unknown modes, and returns the algorithm", async () => {
  const b = await server({ registration: { mode: "open" } });
  const strict = await server({ registration: { mode: "open", unsupportedValues: "reject" } });
  const metadata = { redirect_uris: [uri], token_endpoint_auth_method: "none" };
  const none = undefined;
  await forEachCase<readonly [sent: Record<string, unknown>, registered: Record<string, unknown>]>(
    [
      [{ authorization_signed_response_alg: "none" }, { authorization_signed_response_alg: "EdDSA" }],
      [{ authorization_signed_response_alg: "HS256" }, { authorization_signed_response_alg: "EdDSA" }],
      [{ authorization_encrypted_response_alg: "RSA-OAEP-256" }, { authorization_encrypted_response_alg: none }],
      [{ authorization_encrypted_response_enc: "A128GCM" }, { authorization_encrypted_response_enc: none }],
      [{ response_modes: ["fragment"] }, { response_modes: none }],
      [{ response_modes: ["jwt", "x"] }, { response_modes: ["jwt"] }],
    ],
    async ([sent, expected]) => {
      const registered = await (await postRegistration(b, { ...metadata, ...sent })).json();
      assertMatch(registered.client_id, /^registered-/);
      for (const [name, value] of Object.entries(expected)) assertEquals(registered[name], value, name);
      const response = await postRegistration(strict, { ...metadata, ...sent });
      assertEquals(await outcomeOf(response), "400 invalid_client_metadata");
    },
  );
  const registered = await (await postRegistration(b, { ...metadata, response_modes: ["jwt"] })).json();
  assertEquals([registered.response_modes, registered.authorization_signed_response_alg], [["jwt"], "EdDSA"]);
  const off = await testServer({ registration: { mode: "open" } });
  const unsigned = await (await postRegistration(off, { ...metadata, response_modes: ["jwt"] })).json();
  assertEquals([unsigned.response_modes, unsigned.authorization_signed_response_alg], [undefined, undefined]);
  const plain = await (await postRegistration(off, metadata)).json();
  assertEquals(plain.authorization_signed_response_alg, undefined);
});

test("[JM-08] a response type with an ID token is rejected", async () => {
  const b = await server();
  for (const response_type of ["id_token", "code id_token"]) {
    const claims = await verify(b, getSigned(await b.authorize({ response_type, response_mode: "query.jwt" })));
    assertMatch(claims.error as string, /^(?:unsupported_response_type|invalid_request)$/);
    assertEquals("id_token" in claims, false);
  }
});

test("[JM-12] a signed response serves for nothing else", async () => {
  const b = await server({ tokenExchange: {}, clients: [...clients] });
  const jwt = getSigned(await b.authorize({ response_mode: "jwt" }));
  const { error } = assertAuthorizationResponse(await b.authorize({ id_token_hint: jwt }));
  assertEquals(error, "invalid_request");
  await assertPage(await b.get(`/oauth2/logout?${encode({ id_token_hint: jwt })}`));
  const userinfo = await b.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${jwt}` } });
  assertEquals(userinfo.status, 401);
  const exchange = await b.token({
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    subject_token: jwt,
    subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
  });
  assertEquals(exchange.status, 400);
  const asserted = await b.token({
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: jwt,
  });
  assertEquals(asserted.status, 401);
});

test("[FP-04] under DNS rebinding a signed form is not shown either", async () => {
  const b = await server({ issuer: "http://localhost:9000" });
  const query = encode({ ...goodRequest, response_mode: "form_post.jwt" });
  const response = await b.get(`/oauth2/authorize?${query}`, { headers: { host: "rebound.example.com" } });
  assertEquals(response.status, 403);
});

test("[JM-05] the page of an error of an unknown client links to the signed response", async () => {
  const b = await server({
    issuer: "https://as.example.com",
    registration: { mode: "open" },
    insecure: ["open-registration", "auto-login"],
  });
  const { client_id } = await (await postRegistration(b, { redirect_uris: [uri], token_endpoint_auth_method: "none" }))
    .json();
  const response = await b.authorize({ client_id, scope: "admin", response_mode: "jwt" });
  const html = await response.text();
  assertEquals(response.status, 400);
  const [, jwt = ""] = /href="https:\/\/spa\.example\/cb\?response=([\w.-]+)"/.exec(html) ?? [];
  assertEquals((await verify(b, jwt, client_id)).error, "invalid_scope");
});

test("the callback page shows the parameters inside of a signed response", async () => {
  const b = await testServer({ issuer: "http://localhost:9000", clients: undefined, responseModes });
  const browser = openBrowser(b);
  const fields = { client_id: "demo-public", redirect_uri: "http://localhost:9000/authorized", response_mode: "jwt" };
  const response = await browser.authorize(fields);
  const html = await (await browser.get(response.headers.get("location")!.replace(b.as.issuer, ""))).text();
  assertMatch(html, /The response is signed \(JARM\)/);
  assertMatch(html, /st4te/);
  const forged = await (await browser.get("/authorized?response=e30.e30.e30")).text();
  assertMatch(forged, /this server has not signed/);
});
