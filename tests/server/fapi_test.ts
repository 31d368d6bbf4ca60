/**
 * FAPI 2.0 Security Profile: what the profile `fapi2-security` accepts and rejects (groups PF and FS).
 *
 * @extensions assertion_authentication, device, dpop, par, registration, token_exchange
 */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import * as openid from "openid-client";
import { test } from "node:test";
import { type ClientMetadata, ConfigurationError, type LatchkeyOptions } from "../../src/mod.ts";
import { latchkey } from "../secret_leak_check.ts";
import { clientKey, proof, sharedKey, startSeconds, tokenDigest, tokenProof, userinfoProof } from "./client_jwts.ts";
import {
  assertion,
  authorizePushed,
  bank,
  bankKey,
  dpopKey,
  exchangeCode,
  fapiCode,
  fapiServer,
  otherKey,
  publicKeys,
  push,
  redirectUri,
  request,
} from "./fapi_client.ts";
import { openidClient } from "./fapi_openid_client.ts";
import { assertTokenResponse, basic, forEachCase, getRedirectParams, testServer } from "../kit.ts";
import type { Fields, TestServer, TokenResponseBody } from "../kit.ts";
import { postRegistration } from "./registering.ts";

/** The status of a failed authentication in the body (RFC 7662 §2.3: 401 at introspection). */
/** `400 invalid_request: description`. */
async function outcome(response: Response): Promise<string> {
  const { error, error_description } = await response.json();
  return `${response.status} ${error}: ${error_description}`;
}

async function issuesOf(options: LatchkeyOptions): Promise<string> {
  const error = await assertRejects(
    async () => (await latchkey({ profile: "fapi2-security", issuer: "https://as.test", ...options })).close(),
    ConfigurationError,
  );
  return error.message;
}

async function assertDpopTokens(response: Response) {
  const tokens = await assertTokenResponse(response) as TokenResponseBody & { readonly refresh_token: string };
  assertEquals(tokens.token_type, "DPoP");
  return tokens;
}

function reasons({ events }: TestServer): string {
  return events.map((event) =>
    event.type === "rejected" || event.type === "warning"
      ? `${event.explanation.reason} ${event.explanation.expected}`
      : ""
  ).join("\n");
}

test("[FS-01, PF-03] metadata names private_key_jwt, the algorithms of FAPI, PAR and DPoP, and nothing else", async () => {
  const b = await fapiServer();
  const metadata = await (await b.get("/.well-known/openid-configuration")).json();
  const allowed = ["PS256", "ES256", "EdDSA", "Ed25519"];
  assertEquals(metadata.token_endpoint_auth_methods_supported, ["private_key_jwt"]);
  assertEquals(metadata.revocation_endpoint_auth_methods_supported, ["private_key_jwt"]);
  assertEquals(metadata.introspection_endpoint_auth_methods_supported, ["private_key_jwt"]);
  assertEquals(metadata.code_challenge_methods_supported, ["S256"]);
  assertEquals(metadata.authorization_response_iss_parameter_supported, true);
  assertEquals(metadata.require_pushed_authorization_requests, true);
  assertEquals(metadata.pushed_authorization_request_endpoint, "https://as.test/oauth2/par");
  assertEquals(metadata.response_types_supported, ["code"]);
  const lists = Object.entries(metadata).filter(([name]) => /signing_alg_values_supported$/.test(name));
  assert(lists.length >= 6);
  for (const [name, values] of lists) {
    for (const alg of values as string[]) assert(allowed.includes(alg), `${name}: ${alg}`);
  }
  for (const name of ["id_token", "userinfo"]) {
    assertEquals(metadata[`${name}_signing_alg_values_supported`], ["ES256", "EdDSA", "Ed25519"]);
  }
  assertEquals(metadata.dpop_signing_alg_values_supported, allowed);
});

test("[FS-04, FS-16] a whole flow: pushed request, code with iss, a token of type DPoP, userinfo by proof", async () => {
  const b = await fapiServer();
  const response = await authorizePushed(b);
  assertEquals(response.status, 303);
  const params = getRedirectParams(response);
  assertEquals([params.get("iss"), params.get("state")], ["https://as.test", "st4te"]);
  const tokens = await assertDpopTokens(await exchangeCode(b, { code: params.get("code")! }));
  const userinfo = await b.get("/oauth2/userinfo", { headers: await userinfoProof(dpopKey, tokens.access_token) });
  assertEquals((await userinfo.json()).sub, "alice");
  const denied = await authorizePushed(b, { scope: "openid", prompt: "none", id_token_hint: undefined, max_age: "0" });
  assertEquals(getRedirectParams(denied).get("iss"), "https://as.test");
});

test("[FS-04, FS-25, PF-05] each grant needs a proof; the rejection names the profile", async () => {
  const b = await fapiServer();
  const code = await fapiCode(b);
  assertEquals(
    await outcome(await exchangeCode(b, { code }, {})),
    "400 invalid_dpop_proof: a DPoP proof is required, by the profile fapi2-security [DO-06]",
  );
  const { refresh_token } = await assertDpopTokens(await exchangeCode(b, { code }));
  const grants: Fields[] = [
    { grant_type: "refresh_token", refresh_token, redirect_uri: undefined, code_verifier: undefined },
    { grant_type: "client_credentials", scope: "read", redirect_uri: undefined, code_verifier: undefined },
  ];
  await forEachCase(grants, async (fields) => {
    assertMatch(await outcome(await exchangeCode(b, fields, {})), /^400 invalid_dpop_proof/);
    const response = await (await exchangeCode(b, { ...fields, ...await assertion() })).json();
    assertEquals(response.token_type, "DPoP");
    if (fields.grant_type === "client_credentials") assertEquals(response.refresh_token, undefined);
  });
});

test("[FS-25] device codes and exchanged tokens need a proof too, and the tokens are bound", async () => {
  const deviceCode = "urn:ietf:params:oauth:grant-type:device_code";
  const exchange = "urn:ietf:params:oauth:grant-type:token-exchange";
  const clients = [{ ...bank, grant_types: [...bank.grant_types!, deviceCode, exchange] }];
  const b = await fapiServer({ clients, login: "interactive", tokenExchange: {} });
  const fields = { client_id: "bank", scope: "read", ...await assertion() };
  const { device_code } = await (await b.post("/oauth2/device_authorization", fields)).json();
  const poll = async (headers: HeadersInit) =>
    b.post("/oauth2/token", { grant_type: deviceCode, device_code, ...await assertion() }, headers);
  assertMatch(await outcome(await poll({})), /^400 invalid_dpop_proof/);
  assertMatch(await outcome(await poll(await tokenProof(dpopKey))), /^400 authorization_pending/);
  const auto = await fapiServer({ clients, tokenExchange: {} });
  const { access_token } = await assertDpopTokens(await exchangeCode(auto, { code: await fapiCode(auto) }));
  const request = async (headers: HeadersInit) =>
    auto.post("/oauth2/token", {
      grant_type: exchange,
      subject_token: access_token,
      subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
      scope: "read",
      ...await assertion(),
    }, headers);
  assertMatch(await outcome(await request({})), /^400 invalid_dpop_proof/);
  await assertDpopTokens(await request(await tokenProof(dpopKey)));
});

test("[FS-02, FS-11] other grants and response types do not exist", async () => {
  const b = await fapiServer();
  const password = await exchangeCode(b, { grant_type: "password", username: "alice", password: "x" });
  assertMatch(await outcome(password), /^400 unsupported_grant_type/);
  for (const response_type of ["token", "code id_token", "id_token", "code token"]) {
    assertMatch(await outcome(await push(b, { response_type })), /^400 unsupported_response_type/);
  }
});

test("[FS-03, FS-05, PF-06] clients authenticate by private_key_jwt alone", async () => {
  const redirect_uris = [redirectUri];
  const others: ClientMetadata[] = [
    { client_id: "public", redirect_uris },
    { client_id: "basic", client_secret: "s3cret", redirect_uris },
    {
      client_id: "jwt",
      client_secret: "a secret of thirty-two characters or more",
      token_endpoint_auth_method: "client_secret_jwt",
      redirect_uris,
    },
  ];
  for (const client of others) {
    assertMatch(await issuesOf({ clients: [client] }), /one of private_key_jwt, by the profile fapi2-security/);
    await (await latchkey({ clients: [client] })).close();
  }
  const document = { client_id: "https://app.example/c", redirect_uris: ["https://app.example/cb"] };
  const b = await fapiServer({ outbound: () => Promise.resolve(Response.json(document)) });
  const page = await b.authorize({ client_id: "https://app.example/c", redirect_uri: "https://app.example/cb" });
  assertEquals(page.status, 400);
  const register = (metadata: object) =>
    postRegistration(b, { redirect_uris: ["https://app.example/cb"], ...metadata });
  for (const token_endpoint_auth_method of ["none", "client_secret_basic", "client_secret_post", "client_secret_jwt"]) {
    const response = await register({ token_endpoint_auth_method });
    assertEquals([response.status, (await response.json()).error], [400, "invalid_client_metadata"]);
  }
  const registered = await register({ jwks: publicKeys(otherKey) });
  assertEquals((await registered.json()).token_endpoint_auth_method, "private_key_jwt");
  const code = await fapiCode(b);
  const { access_token, refresh_token } = await assertDpopTokens(await exchangeCode(b, { code }));
  const endpoints: [string, Fields][] = [
    ["par", request],
    ["token", { grant_type: "refresh_token", refresh_token }],
    ["revoke", { token: access_token }],
    ["introspect", { token: access_token }],
  ];
  await forEachCase(endpoints, async ([name, fields]) => {
    for (const credentials of [{ client_id: "bank" }, { client_id: "bank", client_secret: "x" }]) {
      assertEquals((await b.post(`/oauth2/${name}`, { ...fields, ...credentials })).status, 401);
    }
    assertEquals((await b.post(`/oauth2/${name}`, fields, basic("bank", "x"))).status, 401);
  });
});

test("[FS-06, PF-06] the aud of an assertion is the issuer as a string, at each endpoint", async () => {
  const b = await fapiServer();
  const wrong = [["https://as.test"], "https://as.test/oauth2/token", "https://as.test/oauth2/par", ["x"]];
  await forEachCase(wrong, async (aud) => {
    for (const path of ["par", "token", "revoke", "introspect"]) {
      const fields = {
        ...request,
        token: "x",
        grant_type: "client_credentials",
        ...await assertion({ claims: { aud } }),
      };
      assertEquals((await b.post(`/oauth2/${path}`, fields, await tokenProof(dpopKey))).status, 401);
    }
  });
  assertMatch(reasons(b), /aud = https:\/\/as\.test, as a string, by the profile fapi2-security/);
  const open = await testServer({ clients: [bank] });
  assertEquals((await push(open, await assertion({ claims: { aud: ["https://as.test"] } }))).status, 201);
});

test("[FS-07, PF-06] refresh tokens do not rotate; where an operator forces it, the previous one works for 30 seconds", async () => {
  const refresh = async (b: TestServer, refresh_token: string, seconds = startSeconds) =>
    await exchangeCode(b, {
      grant_type: "refresh_token",
      refresh_token,
      redirect_uri: undefined,
      code_verifier: undefined,
      ...await assertion({}, seconds),
    }, await tokenProof(dpopKey, {}, seconds));
  const b = await fapiServer();
  const { refresh_token } = await assertDpopTokens(await exchangeCode(b, { code: await fapiCode(b) }));
  const again = await assertDpopTokens(await refresh(b, refresh_token));
  assertEquals(again.refresh_token, refresh_token);
  const rotating = await fapiServer({ refresh: { rotateConfidential: true } });
  const first = await assertDpopTokens(await exchangeCode(rotating, { code: await fapiCode(rotating) }));
  const second = await assertDpopTokens(await refresh(rotating, first.refresh_token));
  assert(second.refresh_token !== first.refresh_token);
  rotating.advance(29);
  await assertDpopTokens(await refresh(rotating, first.refresh_token, startSeconds + 29));
  assertMatch(await issuesOf({ clients: [bank], refresh: { grace: 29 } }), /refresh\.grace.*30 or stricter/s);
});

test("[FS-08, PF-02, PF-06] a code lives for 60 seconds, and is exchanged once", async () => {
  const b = await fapiServer();
  const at = async (seconds: number) => {
    const server = await fapiServer();
    const code = await fapiCode(server);
    server.advance(seconds);
    const later = startSeconds + seconds;
    return (await exchangeCode(server, { code, ...await assertion({}, later) }, await tokenProof(dpopKey, {}, later)))
      .status;
  };
  assertEquals([await at(59), await at(62)], [200, 400]);
  const code = await fapiCode(b);
  const { access_token } = await assertDpopTokens(await exchangeCode(b, { code }));
  assertMatch(await outcome(await exchangeCode(b, { code })), /^400 invalid_grant/);
  assertEquals((await b.get("/oauth2/userinfo", { headers: await userinfoProof(dpopKey, access_token) })).status, 401);
  const message = await issuesOf({ clients: [bank], lifetimes: { code: 300 } });
  assertMatch(
    message,
    /lifetimes\.code.*60 or stricter.*fapi2-security \(FAPI 2\.0 Security Profile §5\.3\.2\.1\).*300/s,
  );
  await (await fapiServer({ lifetimes: { code: 30 } })).as.close();
});

test("[FS-09] dpop_jkt and a proof at PAR bind the code to the key", async () => {
  const b = await fapiServer();
  const parProof = async (key = dpopKey) => ({
    dpop: await proof(key, "POST", "https://as.test/oauth2/par", startSeconds),
  });
  const mismatch = await push(b, { dpop_jkt: otherKey.thumbprint }, await parProof());
  assertMatch(await outcome(mismatch), /^400 (?:invalid_request|invalid_dpop_proof)/);
  const bindings: [Fields, HeadersInit][] = [[{ dpop_jkt: dpopKey.thumbprint }, {}], [{}, await parProof()]];
  await forEachCase(bindings, async ([fields, headers]) => {
    const pushed = await (await push(b, { ...fields, ...await assertion() }, headers)).json();
    const response = await b.get(`/oauth2/authorize?${new URLSearchParams({ client_id: "bank", ...pushed })}`);
    const code = getRedirectParams(response).get("code")!;
    assertMatch(await outcome(await exchangeCode(b, { code }, await tokenProof(otherKey))), /^400 invalid_grant/);
    await assertDpopTokens(await exchangeCode(b, { code }));
  });
});

test("[FS-10] iat and nbf of an assertion or a proof may be 10 seconds ahead, not more than 60", async () => {
  const b = await fapiServer();
  for (const name of ["iat", "nbf"]) {
    for (const [ahead, status] of [[0, 201], [8, 201], [10, 201], [61, 401]] as const) {
      const claims = { [name]: startSeconds + ahead, exp: startSeconds + 120 };
      assertEquals((await push(b, await assertion({ claims }))).status, status, `${name} ${ahead}`);
    }
  }
  const token = async (headers: HeadersInit) =>
    (await exchangeCode(b, { grant_type: "client_credentials", scope: "read" }, headers)).status;
  const { access_token } = await assertDpopTokens(await exchangeCode(b, { code: await fapiCode(b) }));
  for (const [ahead, isAccepted] of [[-10, true], [10, true], [61, false]] as const) {
    const claims = { iat: startSeconds + ahead };
    assertEquals(await token(await tokenProof(dpopKey, { claims })), isAccepted ? 200 : 400);
    const headers = await userinfoProof(dpopKey, access_token, { claims });
    assertEquals((await b.get("/oauth2/userinfo", { headers })).status, isAccepted ? 200 : 401);
  }
});

test("[FS-12, PF-05] a request that was not pushed is rejected, by redirect if its redirect URI is registered, without a login page", async () => {
  const b = await fapiServer({ login: "interactive" });
  const plain = await b.authorize({ ...request, client_id: "bank" });
  const params = getRedirectParams(plain);
  assertEquals(params.get("error"), "invalid_request");
  assertMatch(params.get("error_description")!, /must be pushed, by the profile fapi2-security \[PA-07\]/);
  assertEquals((await b.authorize({ ...request, redirect_uri: "https://evil.example/" })).status, 400);
  assertMatch((await authorizePushed(b)).headers.get("location")!, /\/oauth2\/login/);
});

test("[FS-13] a pushed request without client authentication is rejected", async () => {
  const b = await fapiServer();
  const { status } = await b.post("/oauth2/par", request);
  assertEquals(status, 401);
});

test("[FS-14, FS-15, PF-06] PKCE with a method and a registered redirect_uri are required at PAR", async () => {
  const b = await fapiServer();
  const rejected: Fields[] = [
    { code_challenge: undefined, code_challenge_method: undefined },
    { code_challenge_method: undefined },
    { code_challenge_method: "plain" },
    { redirect_uri: undefined },
    { redirect_uri: undefined, scope: "read" },
    { redirect_uri: "https://bank.example/other" },
  ];
  await forEachCase(rejected, async (fields) => {
    assertMatch(await outcome(await push(b, { ...fields, ...await assertion() })), /^400 invalid_request:/);
  });
  const open = await testServer({ clients: [bank] });
  const alike = rejected.filter((_, i) => i === 0 || i === 1 || i === 4);
  await forEachCase(alike, async (fields) => {
    assertEquals((await push(open, { ...fields, ...await assertion() })).status, 201);
  });
  const code = await fapiCode(b);
  assertMatch(await outcome(await exchangeCode(b, { code, code_verifier: undefined })), /^400 invalid_grant: .*PK-10/);
  const wrong = "a".repeat(43);
  assertMatch(
    await outcome(await exchangeCode(b, { code, code_verifier: wrong, ...await assertion() })),
    /^400 .*PK-09/,
  );
});

test("[FS-17, PF-06] no http redirect URI but loopback ones of native clients, on test hosts too", async () => {
  const client = (uri: string, others: Partial<ClientMetadata> = {}) => ({
    clients: [{ ...bank, redirect_uris: [uri], ...others }],
  });
  const by = /by the profile fapi2-security/;
  for (const uri of ["http://bank.test/cb", "http://127.0.0.1/cb", "com.example.app:/cb", "http://bank/cb"]) {
    assertMatch(await issuesOf(client(uri)), by);
    await (await latchkey({ issuer: "https://as.test", ...client(uri) })).close();
  }
  assertMatch(await issuesOf(client("http://bank.test/cb", { application_type: "native" })), by);
  await (await fapiServer(client("http://127.0.0.1/cb", { application_type: "native" }))).as.close();
});

test("[FS-18, PF-06] each redirect of the browser has the status 303", async () => {
  const statuses = async (options: LatchkeyOptions) => {
    const b = await testServer({ clients: [bank], ...options });
    const responses = [await authorizePushed(b, { prompt: "none" }), await b.authorize({ ...request })];
    const pages = await testServer({ clients: [bank], login: "interactive", ...options });
    responses.push(await authorizePushed(pages));
    return responses.map(({ status }) => status);
  };
  assertEquals(await statuses({ profile: "fapi2-security", alg: undefined }), [303, 303, 303]);
  assertEquals(await statuses({}), [302, 302, 302]);
});

test("[FS-19] a request_uri expires within 600 seconds, and loading the page uses nothing up", async () => {
  const b = await fapiServer({ login: "interactive" });
  const { request_uri, expires_in } = await (await push(b)).json();
  assert(expires_in < 600);
  const url = `/oauth2/authorize?${new URLSearchParams({ client_id: "bank", request_uri })}`;
  for (let i = 0; i < 2; i++) assertMatch((await b.get(url)).headers.get("location")!, /\/oauth2\/login/);
  b.advance(expires_in + 1);
  const expired = await b.get(url);
  assertEquals(expired.status, 400);
  assertMatch(await expired.text(), /invalid_request_uri/);
});

test("[FS-20] nonce and state of any usual length, or none, come back unchanged", async () => {
  const b = await fapiServer();
  const values: Fields[] = [
    { nonce: "n".repeat(64), state: "s".repeat(1000) },
    { nonce: "n".repeat(384), state: undefined },
    { nonce: undefined, state: undefined },
  ];
  await forEachCase(values, async (fields) => {
    const params = getRedirectParams(await authorizePushed(b, { ...fields, ...await assertion() }));
    assertEquals(params.get("state") ?? undefined, fields.state);
    const { id_token } = await assertDpopTokens(await exchangeCode(b, { code: params.get("code")! }));
    assertEquals(JSON.parse(atob(id_token.split(".")[1].replace(/-/g, "+").replace(/_/g, "/"))).nonce, fields.nonce);
  });
});

test("[FS-21, PF-05, PF-06] signatures are PS256, ES256 or Ed25519, in assertions and proofs; others are rejected", async () => {
  const accepted = await Promise.all(["PS256", "ES256", "EdDSA", "Ed25519"].map(sharedKey));
  const rejected = await Promise.all(["RS256", "PS384", "ES384"].map(sharedKey));
  const clients = (keys: typeof accepted) => [{ ...bank, jwks: publicKeys(...keys) }];
  const b = await fapiServer({ clients: clients([...accepted, ...rejected]) });
  const open = await testServer({ clients: clients([...accepted, ...rejected]) });
  const grant = { grant_type: "client_credentials", scope: "read", redirect_uri: undefined, code_verifier: undefined };
  for (const key of accepted) {
    assertEquals(
      (await exchangeCode(b, { ...grant, ...await assertion({ key }) }, await tokenProof(key))).status,
      200,
      key.alg,
    );
  }
  for (const key of rejected) {
    assertEquals((await exchangeCode(b, { ...grant, ...await assertion({ key }) })).status, 401, key.alg);
    const byProof = await exchangeCode(
      b,
      { ...grant, ...await assertion({ key: accepted[1] }) },
      await tokenProof(key),
    );
    assertMatch(await outcome(byProof), /^400 invalid_dpop_proof: .*, by the profile fapi2-security/);
    assertEquals(
      (await exchangeCode(open, { ...grant, ...await assertion({ key }) }, await tokenProof(key))).status,
      200,
      key.alg,
    );
  }
  assertMatch(reasons(b), /alg = PS256 or ES256 or Ed25519 or EdDSA, by the profile fapi2-security/);
  for (const alg of ["RS256"] as const) {
    assertMatch(await issuesOf({ clients: [bank], alg }), /alg.*"ES256" or stricter/s);
    const id_token = { ...bank, id_token_signed_response_alg: alg };
    assertMatch(await issuesOf({ clients: [id_token] }), /id_token_signed_response_alg.*by the profile/s);
  }
  const none = await exchangeCode(b, { ...grant, ...await assertion({ header: { alg: "none" } }) });
  assertEquals(none.status, 401);
});

test("[FS-21] access tokens and ID tokens are signed with ES256 or EdDSA, and each published key has its own kid", async () => {
  for (const alg of [undefined, "EdDSA"] as const) {
    const b = await fapiServer({ alg });
    const tokens = await assertDpopTokens(await exchangeCode(b, { code: await fapiCode(b) }));
    for (const jwt of [tokens.access_token, tokens.id_token]) {
      assertEquals(JSON.parse(atob(jwt.split(".")[0])).alg, alg ?? "ES256");
    }
    const { keys } = await (await b.get("/oauth2/jwks")).json();
    const ids = keys.map(({ kid }: { kid: string }) => kid);
    assertEquals(new Set(ids).size, ids.length);
  }
});

test("[FS-22, PF-06] userinfo takes a bound token in the header alone, with its proof", async () => {
  const b = await fapiServer();
  const { access_token } = await assertDpopTokens(await exchangeCode(b, { code: await fapiCode(b) }));
  const status = async (path: string, init: RequestInit) => (await b.get(`/oauth2/userinfo${path}`, init)).status;
  const good = async () => await userinfoProof(dpopKey, access_token);
  assertEquals(await status("", { headers: await good() }), 200);
  assertEquals(await status(`?access_token=${access_token}`, { headers: { dpop: (await good()).dpop! } }), 401);
  const form = { method: "POST", body: new URLSearchParams({ access_token }) };
  assert(await status("", form) >= 400);
  assertEquals(await status("", { headers: { authorization: `Bearer ${access_token}` } }), 401);
  assertEquals(await status("", { headers: { authorization: `DPoP ${access_token}` } }), 401);
  assertEquals(await status("", { headers: await userinfoProof(otherKey, access_token) }), 401);
  const claims = { ath: await tokenDigest("another") };
  assertEquals(await status("", { headers: await userinfoProof(dpopKey, access_token, { claims }) }), 401);
});

test("[FS-22, FS-24] over a socket, responses carry Date", async () => {
  const as = await latchkey({ profile: "fapi2-security", clients: [bank] });
  const { url } = await as.listen({ port: 0 });
  const response = await fetch(`${url}/oauth2/userinfo`);
  await response.body?.cancel();
  assert(!Number.isNaN(Date.parse(response.headers.get("date")!)));
  await as.close();
});

test("[FS-23] a pushed error goes to no unregistered URI, and the authorization endpoint has no CORS", async () => {
  const b = await fapiServer();
  const response = await b.get("/oauth2/authorize?client_id=bank&redirect_uri=https://evil.example/", {
    headers: { origin: "https://evil.example" },
  });
  assertEquals(response.status, 400);
  assertEquals(response.headers.get("location"), null);
  assertEquals(response.headers.get("access-control-allow-origin"), null);
});

test("[FS-24, PF-02] outside test hosts http, login without passwords and demo clients stop the start, whatever is allowed", async () => {
  const insecure: [LatchkeyOptions, RegExp][] = [
    [{ issuer: "http://as.company.com", insecure: ["http-issuer"] }, /http-issuer/],
    [{ issuer: "https://as.company.com", insecure: ["auto-login"] }, /auto-login/],
    [
      { issuer: "https://as.company.com", login: "interactive", insecure: ["open-login"] },
      /open-login/,
    ],
    [
      { issuer: "https://as.company.com", clients: undefined, insecure: ["demo-clients"] },
      /demo-clients/,
    ],
    [{ insecure: ["http-redirect-uris"] }, /http-redirect-uris/],
  ];
  await forEachCase(insecure, async ([options, expected]) => {
    assertMatch(await issuesOf({ clients: [bank], ...options }), expected);
  });
  assertMatch(await issuesOf({ issuer: "http://as.company.com", clients: [bank] }), /issuer\n.*https/s);
});

test("[FS-24] on a test host one warning says that this is not FAPI; on a real host none", async () => {
  const warnings = async (options: LatchkeyOptions) => {
    const b = await testServer({ alg: undefined, clients: [bank], ...options });
    await b.as.close();
    return b.events.flatMap((event) =>
      event.type === "configuration_warning" && /FAPI/.test(event.message) ? event.message : []
    );
  };
  const [only, ...others] = await warnings({ profile: "fapi2-security" });
  assertMatch(only!, /test host.*not FAPI/);
  assertEquals(others, []);
  assertEquals(await warnings({}), []);
  const password = "$scrypt$ln=15,r=8,p=3$4fXXG0spB92WPB1NitT8/Q$dAf4FAXv5aPZ5rXGwYtVjPyLZkUJzYV6c9xJFXG1bBo";
  const real: LatchkeyOptions = {
    profile: "fapi2-security",
    issuer: "https://as.company.com",
    login: "interactive",
    users: [{ sub: "alice", password }],
  };
  assertEquals(await warnings(real), []);
});

test("[FS-26] codes, tokens and request_uri have at least 128 random bits", async () => {
  const b = await fapiServer();
  const { request_uri } = await (await push(b)).json();
  const code = await fapiCode(b, await assertion());
  const { refresh_token } = await assertDpopTokens(await exchangeCode(b, { code }));
  for (const value of [request_uri.split(":").at(-1), code, refresh_token]) assert(value.length >= 22);
});

test("[FS-27] a client cannot be taken for a user", async () => {
  const b = await fapiServer();
  const grant = { grant_type: "client_credentials", redirect_uri: undefined, code_verifier: undefined };
  for (const scope of ["openid", "profile"]) {
    assertMatch(await outcome(await exchangeCode(b, { ...grant, scope, ...await assertion() })), /^400 invalid_scope/);
  }
  const { access_token } = await (await exchangeCode(b, { ...grant, scope: "read", ...await assertion() })).json();
  assert((await b.get("/oauth2/userinfo", { headers: await userinfoProof(dpopKey, access_token) })).status >= 400);
});

test("[PF-04] a client with the profile fapi2-security on a server without it; its neighbour is served as before", async () => {
  const clients = [{ ...bank, profile: "fapi2-security" as const }, {
    client_id: "spa",
    redirect_uris: ["https://spa.example/cb"],
  }];
  const b = await testServer({ clients, alg: "RS256" });
  const plain = getRedirectParams(await b.authorize({ ...request }));
  assertMatch(plain.get("error_description")!, /must be pushed, by the profile fapi2-security of this client/);
  assertMatch((await b.authorize()).headers.get("location")!, /[?&]code=/);
  const code = await fapiCode(b);
  assertMatch(
    await outcome(await exchangeCode(b, { code }, {})),
    /required, by the profile fapi2-security of this client/,
  );
  const tokens = await assertDpopTokens(await exchangeCode(b, { code }));
  for (const jwt of [tokens.access_token, tokens.id_token]) {
    assertEquals(JSON.parse(atob(jwt.split(".")[0])).alg, "ES256");
  }
  const { keys } = await (await b.get("/oauth2/jwks")).json();
  assertEquals(keys.map(({ alg }: { alg: string }) => alg).sort(), ["ES256", "RS256"]);
  const bearer = await assertTokenResponse(await b.token({ code: await b.code() }));
  assertEquals(JSON.parse(atob(bearer.access_token.split(".")[0])).alg, "RS256");
  const wrong = await push(b, await assertion({ claims: { aud: ["https://as.test"] } }));
  assertEquals(wrong.status, 401);
  const rsa = await sharedKey("RS256");
  const byRsa = await exchangeCode(b, { grant_type: "client_credentials", scope: "read" }, await tokenProof(rsa));
  assertMatch(await outcome(byRsa), /^400 invalid_dpop_proof: .*by the profile fapi2-security of this client/);
  assertEquals((await clientKey()).alg, bankKey.alg);
});

test("[FS-01, FS-04] openid-client completes the flow with private_key_jwt, PAR, PKCE and DPoP, from the metadata alone", async () => {
  const { as, key, send, checks, authorization } = await openidClient("fapi2-security");
  const config = await openid.discovery(
    new URL(as.issuer),
    "bank",
    { use_mtls_endpoint_aliases: false },
    openid.PrivateKeyJwt(key),
    { [openid.customFetch]: send as unknown as openid.CustomFetch },
  );
  const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair("ES256"));
  const url = await openid.buildAuthorizationUrlWithPAR(config, authorization, { DPoP });
  const response = await send(url);
  assertEquals(response.status, 303);
  const callback = new URL(response.headers.get("location")!);
  const tokens = await openid.authorizationCodeGrant(config, callback, checks, undefined, { DPoP });
  assertEquals(tokens.token_type, "dpop");
  const user = await openid.fetchUserInfo(config, tokens.access_token, tokens.claims()!.sub, { DPoP });
  assertEquals(user.sub, "alice");
  const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token!, undefined, { DPoP });
  assertEquals(refreshed.token_type, "dpop");
  await as.close();
});
