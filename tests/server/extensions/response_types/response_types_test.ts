/**
 * Response types with an ID token (group HY).
 *
 * @extensions par, registration, requested_claims, signed_responses
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { jwtVerify } from "jose";
import { test } from "node:test";
import { ConfigurationError, type LatchkeyOptions } from "../../../../src/mod.ts";
import {
  basic,
  challenge,
  clients,
  decodeClaims,
  fetchKeySet,
  forEachCase,
  getOutcome,
  getRejections,
  realHost,
  testServer,
} from "../../../kit.ts";
import type { Fields, TestServer } from "../../../kit.ts";
import { assertPageWithForm, openBrowser } from "../../browser.ts";
import { postRegistration } from "../../registering.ts";
import { latchkey } from "../../../secret_leak_check.ts";

const responseTypes = ["code", "id_token", "code id_token"] as const;
const uri = "https://spa.example/cb";
const spa = { ...clients[0], response_types: responseTypes };
const noPkce = { code_challenge: undefined, code_challenge_method: undefined };
const idToken: Fields = { response_type: "id_token", nonce: "n0nce", scope: "openid email", ...noPkce };
const hybrid: Fields = { response_type: "code id_token", nonce: "n0nce", scope: "openid email" };

function start(options: LatchkeyOptions = {}): Promise<TestServer> {
  return testServer({
    alg: "ES256",
    responseTypes,
    clients: [spa, { ...clients[1], response_types: responseTypes }, clients[2]],
    users: [{ sub: "alice", name: "Alice", email: "alice@app.example" }],
    ...options,
  });
}

/** The parameters of a response in the fragment; asserts that the query has none. */
function inFragment(response: Response): Record<string, string> {
  const location = response.headers.get("location") ?? "";
  assert(location.startsWith(`${uri}#`), `Location is ${location || `absent, status ${response.status}`}`);
  return Object.fromEntries(new URLSearchParams(location.slice(uri.length + 1)));
}

/** The base64url left half of the SHA-256 digest (OpenID Connect Core §3.3.2.11). */
async function leftHalf(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return btoa(String.fromCharCode(...digest.subarray(0, 16))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
}

test("[HY-04, HY-06, HY-07, HY-09, HY-10] id_token: one ID token with the claims of the scope, without a challenge or a code", async () => {
  const b = await start();
  const { id_token, ...others } = inFragment(await b.authorize(idToken));
  assertEquals(others, { state: "st4te", iss: "https://as.test" });
  const { payload } = await jwtVerify(id_token!, await fetchKeySet(b), { audience: "spa", currentDate: new Date(0) });
  const { sid, auth_time, exp, iat, ...claims } = payload;
  assertEquals([typeof sid, typeof auth_time, exp! - iat!], ["string", "number", 3600]);
  assertEquals(claims, {
    iss: "https://as.test",
    ...{ sub: "alice", aud: "spa", nonce: "n0nce", email: "alice@app.example" },
    s_hash: await leftHalf("st4te"),
  });
  // A challenge does no harm, and confidential clients send no secret.
  for (
    const fields of [{ code_challenge: challenge }, { client_id: "web", redirect_uri: clients[1].redirect_uris[0] }]
  ) {
    assertEquals((await b.authorize({ ...idToken, ...fields })).status, 302);
  }
});

test("[HY-06, HY-07, HY-08, HY-09, HY-10] code id_token: the two ID tokens agree, and the first has c_hash", async () => {
  const b = await start();
  // The order of the words does not matter.
  const { code, id_token, ...others } = inFragment(await b.authorize({ ...hybrid, response_type: "id_token code" }));
  assertEquals(others, { state: "st4te", iss: "https://as.test" });
  const first = decodeClaims(id_token!);
  assertEquals([first.c_hash, first.at_hash, first.email], [await leftHalf(code!), undefined, undefined]);
  b.advance(5);
  const tokens = await (await b.token({ code: code! })).json();
  const second = decodeClaims(tokens.id_token);
  assertEquals([second.at_hash, second.c_hash], [await leftHalf(tokens.access_token), undefined]);
  for (const name of ["iss", "sub", "aud", "nonce", "auth_time", "sid"]) assertEquals(second[name], first[name], name);
  assertEquals(inFragment(await b.authorize({ ...hybrid, ...noPkce })).error, "invalid_request");
  assertEquals(getRejections(b.events).at(-1)?.explanation.rule, "PK-01");
});

test("[HY-07] every ID token of an authorization response has the s_hash of a state, that of a token response none", async () => {
  const b = await start({ responseModes: ["query", "fragment", "form_post"] });
  for (const request of [idToken, hybrid]) {
    for (const state of ["st4te", "ünïcode state", undefined]) {
      for (const response_mode of ["fragment", "form_post"]) {
        const response = await b.authorize({ ...request, response_mode, state });
        const received = response_mode === "fragment"
          ? inFragment(response)
          : Object.fromEntries((await assertPageWithForm(response)).fields);
        const label = `${request.response_type} ${response_mode} ${state}`;
        assertEquals(decodeClaims(received.id_token!).s_hash, state && await leftHalf(state), label);
        if (received.code === undefined) continue;
        const { id_token } = await (await b.token({ code: received.code })).json();
        assertEquals(decodeClaims(id_token).s_hash, undefined, label);
      }
    }
  }
});

test("[HY-05] form_post works, and no ID token is in a query", async () => {
  const b = await start({ responseModes: ["query", "fragment", "form_post", "jwt", "query.jwt"] });
  const { action, fields } = await assertPageWithForm(await b.authorize({ ...hybrid, response_mode: "form_post" }));
  assertEquals([action, fields.map(([name]) => name)], [uri, ["code", "id_token", "state", "iss"]]);
  for (const response_mode of ["query", "query.jwt"]) {
    assertEquals(inFragment(await b.authorize({ ...idToken, response_mode })).error, "invalid_request");
    assertEquals(getRejections(b.events).at(-1)?.explanation.rule, "AZ-19");
  }
  assertEquals(Object.keys(inFragment(await b.authorize({ ...idToken, response_mode: "jwt" }))), ["response"]);
});

test("[HY-01, HY-02, HY-03, HY-13] what a request lacks or has too much is an error in the fragment", async () => {
  const b = await start();
  await forEachCase<readonly [Fields, string, string]>([
    [{ ...hybrid, scope: "email" }, "invalid_request", "HY-02"],
    [{ ...hybrid, nonce: undefined }, "invalid_request", "HY-03"],
    [{ ...idToken, nonce: "" }, "invalid_request", "HY-03"],
    [{ ...idToken, scope: "read" }, "invalid_request", "HY-02"],
    [{ ...idToken, resource: "https://api.example" }, "invalid_request", "HY-13"],
    [{ ...idToken, claims: '{"userinfo":{"name":null}}' }, "invalid_request", "HY-13"],
    [{ ...idToken, response_type: "id_token id_token" }, "unsupported_response_type", "AZ-09"],
    [{ ...idToken, response_type: "id_token token" }, "unsupported_response_type", "AZ-09"],
    [{ ...idToken, prompt: "none", max_age: "0" }, "login_required", "OI-03"],
  ], async ([fields, error, rule]) => {
    const params = inFragment(await b.authorize(fields));
    assertEquals([params.error, params.state, getRejections(b.events).at(-1)?.explanation.rule], [
      error,
      "st4te",
      rule,
    ]);
  });
});

test("[HY-01] a client that is registered for the code alone gets no ID token in the response", async () => {
  const b = await start({ clients });
  for (const fields of [idToken, hybrid]) {
    assertEquals(inFragment(await b.authorize(fields)).error, "unauthorized_client");
    assertEquals(getRejections(b.events).at(-1)?.explanation.rule, "AZ-11");
  }
});

test("[HY-01, HY-12] off, the types are unknown, and the fix names the setting", async () => {
  const b = await testServer();
  for (const fields of [idToken, hybrid]) {
    const { location } = Object.fromEntries((await b.authorize(fields)).headers);
    assertEquals(new URL(location!).searchParams.get("error"), "unsupported_response_type");
    assert(getRejections(b.events).at(-1)?.explanation.fix?.includes("responseTypes"));
  }
  await assertRejects(() => latchkey({ clients: [spa] }), ConfigurationError, "responseTypes");
  const metadata = await (await b.get("/.well-known/openid-configuration")).json();
  assertEquals(metadata.response_types_supported, ["code"]);
  assertEquals([metadata.response_modes_supported, metadata.grant_types_supported.includes("implicit")], [
    ["query", "form_post"],
    false,
  ]);
});

test("[HY-12] on, metadata has types, mode and grant type, and the token endpoint rejects the grant type", async () => {
  const b = await start();
  const metadata = await (await b.get("/.well-known/openid-configuration")).json();
  assertEquals(metadata.response_types_supported, responseTypes);
  assertEquals(metadata.response_modes_supported, ["query", "form_post", "fragment"]);
  assert(metadata.grant_types_supported.includes("implicit"));
  for (const client_id of ["spa", "poster"]) {
    const secret = client_id === "poster" ? { client_secret: "poster-secret" } : {};
    assertEquals(
      await getOutcome(await b.token({ grant_type: "implicit", client_id, ...secret })),
      "400 unsupported_grant_type",
    );
  }
});

test("[HY-11] registration adds the grant types; on a real host redirect URIs are https", async () => {
  const b = await start({ registration: { mode: "open" } });
  const register = async (server: TestServer, metadata: Record<string, unknown>) => {
    const response = await postRegistration(server, { redirect_uris: [uri], ...metadata });
    return [response.status, await response.json()] as const;
  };
  await forEachCase<readonly [Record<string, unknown>, string[]]>([
    [{ response_types: ["id_token"] }, ["implicit"]],
    [{ response_types: ["code id_token"] }, ["authorization_code", "implicit"]],
    [{ response_types: ["code", "id_token"], grant_types: ["authorization_code"] }, ["authorization_code", "implicit"]],
    [{ response_types: ["code"] }, ["authorization_code"]],
  ], async ([metadata, grantTypes]) => {
    const [status, { grant_types }] = await register(b, metadata);
    assertEquals([status, grant_types], [201, grantTypes]);
  });
  const conflict = { response_types: ["id_token"], grant_types: ["authorization_code"] };
  assertEquals((await register(b, conflict))[1].error, "invalid_client_metadata");
  const configure = (client: Record<string, unknown>) =>
    latchkey({ ...realHost, responseTypes, clients: [{ ...spa, ...client }] });
  await assertRejects(() => configure({ redirect_uris: ["http://127.0.0.1/cb"] }), ConfigurationError, "https");
  await assertRejects(() => configure({ grant_types: ["authorization_code"] }), ConfigurationError, "implicit");
  await configure({ redirect_uris: ["http://127.0.0.1/cb"], application_type: "native" });
});

test("[HY-11] an ID token for a redirect URI on localhost causes a warning, unless the client is native", async () => {
  const warnings = async (redirect_uri: string, more: Record<string, unknown> = {}) => {
    const b = await start({ clients: [{ ...spa, redirect_uris: [redirect_uri], ...more }] });
    const response = await b.authorize({ ...idToken, redirect_uri });
    assert(response.headers.get("location")?.startsWith(`${redirect_uri}#id_token=`));
    return b.events.flatMap((event) => event.type === "warning" ? [event.explanation.received] : []);
  };
  for (const local of ["http://localhost:3000/cb", "http://127.0.0.1/cb", "https://localhost/cb"]) {
    assertEquals(await warnings(local), [local]);
    assertEquals(await warnings(local, { application_type: "native" }), []);
  }
  assertEquals(await warnings(uri), []);
});

test("[HY-13] scope values for access tokens are ignored with a warning", async () => {
  const b = await start();
  const { id_token } = inFragment(await b.authorize({ ...idToken, scope: "openid email read offline_access" }));
  assertEquals(decodeClaims(id_token!).email, "alice@app.example");
  const warnings = b.events.filter((event) => event.type === "warning");
  assertEquals(warnings.map(({ explanation }) => explanation.rule), ["AZ-17"]);
});

test("[HY-14] prompt=none without a session and a denial are errors in the fragment", async () => {
  const b = await start({ login: "interactive" });
  assertEquals(inFragment(await b.authorize({ ...idToken, prompt: "none" })).error, "login_required");
  const denying = await start({
    approver: async (_request, { users, now }) => ({
      ...{ user: (await users.find("alice"))!, scope: ["email"], authTime: now() },
    }),
  });
  for (const fields of [idToken, hybrid]) {
    assertEquals(inFragment(await denying.authorize(fields)).error, "access_denied");
  }
});

test("[HY-14] prompt and max_age hold for each type: a session is continued, renewed or login_required", async () => {
  const b = await start();
  await forEachCase([idToken, hybrid], async (fields) => {
    const browser = openBrowser(b);
    const authorize = async (added: Fields = {}) => inFragment(await browser.authorize({ ...fields, ...added }));
    const login = async (added: Fields) => {
      const { sub, sid, auth_time } = decodeClaims((await authorize(added)).id_token!);
      return { sub, sid, auth_time: Number(auth_time) };
    };
    const first = await login({});
    b.advance(2);
    assertEquals(await login({ prompt: "none" }), first);
    assertEquals(await login({ max_age: "10000" }), first);
    assertEquals((await authorize({ prompt: "none", max_age: "1" })).error, "login_required");
    const second = await login({ max_age: "1" });
    assertEquals([second.auth_time, second.sid === first.sid], [first.auth_time + 2, false]);
    b.advance(2);
    const third = await login({ prompt: "login" });
    assertEquals([third.auth_time, third.sid === second.sid], [second.auth_time + 2, false]);
  });
});

test("[HY-15] an ID token that is too long for a URL is an error that names form_post", async () => {
  const b = await start({ users: [{ sub: "alice", email: `${"a".repeat(9000)}@app.example` }] });
  assertEquals(inFragment(await b.authorize(idToken)).error, "server_error");
  assert(getRejections(b.events).at(-1)?.explanation.rule === "HY-15");
  assertEquals((await b.authorize({ ...idToken, response_mode: "form_post" })).status, 200);
});

test("[HY-16] the profiles mcp and fapi2 forbid the types, for a server and for a client", async () => {
  for (const profile of ["mcp", "fapi2-security", "fapi2-message-signing"] as const) {
    await assertRejects(() => latchkey({ profile, responseTypes }), ConfigurationError, "responseTypes");
  }
  await assertRejects(() => start({ clients: [{ ...spa, profile: "mcp" }] }), ConfigurationError, "response_types");
});

test("[HY-01, HY-05] a pushed request keeps its response type", async () => {
  const b = await start();
  const pushed = await b.post("/oauth2/par", {
    ...idToken,
    client_id: "web",
    redirect_uri: clients[1].redirect_uris[0],
  }, basic("web", "web-secret"));
  const { request_uri } = await pushed.json();
  assert(request_uri, `status ${pushed.status}`);
  const response = await b.get(`/oauth2/authorize?client_id=web&request_uri=${encodeURIComponent(request_uri)}`);
  assert(response.headers.get("location")!.startsWith("https://web.example/cb#id_token="));
});
