/**
 * Signed authorization requests (group JR).
 *
 * @extensions assertion_authentication, par, requested_claims
 */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { CompactEncrypt, importJWK, type JWK, UnsecuredJWT } from "jose";
import { test } from "node:test";
import { type ClientMetadata, ConfigurationError, type LatchkeyOptions, memoryStore } from "../../../../src/mod.ts";
import {
  assertAuthorizationResponse,
  assertPage,
  basic,
  encode,
  forEachCase,
  getOutcome,
  getRejections,
  goodRequest,
  testServer,
  verifier,
} from "../../../kit.ts";
import type { Fields, TestServer } from "../../../kit.ts";
import { openBrowser } from "../../browser.ts";
import type { SigningKey } from "../../../../src/client/jwt.ts";
import { signedRequest } from "../../../../src/client/request_object.ts";
import { clientKey, secretKey, signingContext, signText } from "../../client_jwts.ts";
import { latchkey } from "../../../secret_leak_check.ts";
import { postRegistration } from "../../registering.ts";

const issuer = "https://as.test";
const uri = "https://signer.example/cb";
const start = Date.UTC(2026, 0, 1) / 1000;
const secret = "a secret that is long enough for HS256, and for HS512 too: 0123456789 0123456789";

const signerKey = await clientKey("ES256", "ec");
const otherKey = await clientKey("ES256", "ec");
const rsaKey = await clientKey("RS256", "rsa");
const jwks = { keys: [signerKey.jwk, rsaKey.jwk] };

/** `signer` is public and has keys, `strict` must sign, `shared` signs with its secret, `spa` cannot sign. */
const signer = { client_id: "signer", redirect_uris: [uri], jwks, token_endpoint_auth_method: "none" } as const;
const strict = { ...signer, client_id: "strict", require_signed_request_object: true };
const shared = {
  client_id: "shared",
  redirect_uris: [uri],
  client_secret: secret,
  token_endpoint_auth_method: "client_secret_jwt",
  request_object_signing_alg: "HS256",
} as const;
const neighbour = { ...signer, client_id: "neighbour", jwks: { keys: [otherKey.jwk] } };
const web = { client_id: "web", client_secret: "web-secret", redirect_uris: [uri], jwks };
const spa = { client_id: "spa", redirect_uris: ["https://spa.example/cb"] };
const clients: readonly ClientMetadata[] = [signer, strict, shared, neighbour, web, spa];

const server = (options: LatchkeyOptions = {}) => testServer({ clients, ...options });

/** The request of `signer`. */
const ownRequest = { ...goodRequest, client_id: "signer", redirect_uri: uri };

/** The claims of a good request object. */
const goodClaims = { ...ownRequest, iss: "signer", aud: issuer, nbf: start, exp: start + 60 };

interface Signing {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly key?: SigningKey;
}

/** A request object of `signer`, changed by the claims given; `undefined` leaves a claim out. */
async function sign(
  claims: Readonly<Record<string, unknown>> = {},
  { header, key = signerKey }: Signing = {},
): Promise<string> {
  return (await signedRequest(signingContext(), key, ownRequest, { header, claims })).request;
}

/** GET /oauth2/authorize with a request object; `fields` are outside of it. */
function send({ get }: TestServer, request: string, fields: Fields = {}): Promise<Response> {
  return get(`/oauth2/authorize?${encode({ client_id: "signer", request, ...fields })}`);
}

/** POST /oauth2/par with a request object; `fields` are outside of it. */
function push(b: TestServer, request: string | undefined, fields: Fields = {}, headers = {}): Promise<Response> {
  return b.post("/oauth2/par", { client_id: "signer", request, ...fields }, headers);
}

const rejection = ({ events }: TestServer) => {
  const { error, explanation: { rule } } = getRejections(events).at(-1)!;
  return `${error} ${rule}`;
};

const warnings = ({ events }: TestServer) =>
  events.flatMap((event) => event.type === "warning" && event.explanation.rule === "JR-03" ? [event.explanation] : []);

test("[JR-02, JR-03] a signed request completes the login, by query, form and pushed", async () => {
  const b = await server();
  const request = await sign();
  const post = await b.post("/oauth2/authorize", { client_id: "signer", request });
  const pushed = await push(b, request);
  assertEquals(pushed.status, 201);
  const { request_uri } = await pushed.json();
  const refer = b.get(`/oauth2/authorize?${encode({ client_id: "signer", request_uri })}`);
  for (const response of [await send(b, request), post, await refer]) {
    const { code } = assertAuthorizationResponse(response, { uri });
    const token = await b.token({ code, client_id: "signer", redirect_uri: uri, code_verifier: verifier });
    assertEquals(token.status, 200);
  }
  assertEquals(warnings(b), []);
});

test("[JR-02] typ is oauth-authz-req+jwt, JWT or absent", async () => {
  const b = await server();
  for (
    const typ of ["oauth-authz-req+jwt", "OAuth-Authz-Req+JWT", "application/oauth-authz-req+jwt", "JWT", undefined]
  ) {
    assertAuthorizationResponse(await send(b, await sign({}, { header: { typ } })), { uri });
  }
  for (const typ of ["at+jwt", "client-authentication+jwt", "dpop+jwt", ""]) {
    assertEquals(await getOutcome(await push(b, await sign({}, { header: { typ } }))), "400 invalid_request_object");
    assertEquals(rejection(b), "invalid_request_object JR-02");
  }
});

test("[JR-02, JR-04] a faulty request object is invalid_request_object, in the browser and pushed", async () => {
  const b = await server();
  const faults: readonly (readonly [string, string | Promise<string>, string?])[] = [
    ["no JWT", "x.y.z"],
    ["other text", "x"],
    ["alg none", new UnsecuredJWT({ ...goodClaims }).encode()],
    ["padding", sign().then((jwt) => `${jwt}=`)],
    ["a foreign key", sign({}, { key: otherKey })],
    ["an unknown kid", sign({}, { header: { kid: "x" } })],
    ["a changed signature", sign().then((jwt) => jwt.slice(0, -4) + (jwt.endsWith("AAAA") ? "BBBB" : "AAAA"))],
    ["changed claims", sign().then((jwt) => jwt.replace(/\.[^.]+\./, `.${btoa(JSON.stringify(goodClaims))}.`))],
    [
      "the public key as a secret",
      secretKey(JSON.stringify(signerKey.jwk)).then((key) => sign({}, { key, header: { kid: "ec" } })),
    ],
    ["the key in the header", sign({}, { header: { kid: undefined, jwk: signerKey.jwk }, key: otherKey })],
    ["another client", sign({ iss: "neighbour", client_id: "neighbour" }, { key: otherKey })],
    ["no iss", sign({ iss: undefined })],
    ["another iss", sign({ iss: "neighbour" })],
    ["no aud", sign({ aud: undefined })],
    ["another aud", sign({ aud: "https://other.example" })],
    ["aud with a slash", sign({ aud: `${issuer}/` })],
    ["no number as exp", sign({ exp: "later" }), "JR-04"],
    ["no number as nbf", sign({ nbf: "1" }), "JR-04"],
    ["nbf beyond every date", sign({ nbf: 1e308 }), "JR-04"],
    ["expired", sign({ exp: start - 11 }), "JR-04"],
    ["not valid yet", sign({ nbf: start + 11 }), "JR-04"],
    ["of the future", sign({ iat: start + 11 }), "JR-04"],
    ["sub", sign({ sub: "signer" }), "JR-04"],
    ["no client_id", sign({ client_id: undefined }), "JR-03"],
    ["another client_id", sign({ client_id: "neighbour" }), "JR-03"],
    ["request", sign({ request: "x" }), "JR-03"],
    ["an empty request", sign({ request: "" }), "JR-03"],
    ["request_uri", sign({ request_uri: "https://evil.example/r" }), "JR-03"],
    ["scope of another type", sign({ scope: ["openid"] }), "JR-03"],
    ["state of another type", sign({ state: 5 }), "JR-03"],
    ["state null", sign({ state: null }), "JR-03"],
    ["max_age of another type", sign({ max_age: {} }), "JR-03"],
    ["resource of another type", sign({ resource: [1] }), "JR-03"],
    ["a long one", sign({ x: "x".repeat(24 * 1024) })],
  ];
  await forEachCase(faults, async ([, request, rule = "JR-02"]) => {
    const jwt = await request;
    assertEquals(await getOutcome(await push(b, jwt)), "400 invalid_request_object");
    assertEquals(rejection(b), `invalid_request_object ${rule}`);
    if (jwt.length > 12_000) return;
    const beside = { redirect_uri: uri, state: "outer" };
    const { error } = assertAuthorizationResponse(await send(b, jwt, beside), { uri, state: "outer" });
    assertEquals(error, "invalid_request_object");
    assertEquals(rejection(b), `invalid_request_object ${rule}`);
    await assertPage(await send(b, jwt));
    await assertPage(await send(b, jwt, { redirect_uri: "https://evil.example/cb" }));
    await assertPage(await send(b, jwt, { redirect_uri: [uri, uri] }));
  });
});

test("[JR-03] the rejection of a value of another type names the type that the parameter may have", async () => {
  const b = await server();
  const cases = [[{ scope: 7 }, "a string"], [{ resource: [1] }, "a string or an array of strings"]] as const;
  await forEachCase(cases, async ([claims, expected]) => {
    await push(b, await sign(claims));
    assertEquals(getRejections(b.events).at(-1)!.explanation.expected, expected);
  });
});

test("[JR-02] a deeply nested member is rejected", async () => {
  const b = await server();
  for (const depth of [50, 8000]) {
    const nested = `${"[".repeat(depth)}${"]".repeat(depth)}`;
    const payload = JSON.stringify({ ...goodClaims, claims: "nested" }).replace('"nested"', nested);
    const jwt = await signText(signerKey, '{"alg":"ES256","kid":"ec"}', payload);
    assertMatch(await getOutcome(await push(b, jwt)), /^400 invalid_request/);
  }
});

test("[JR-02] only the registered algorithm counts; HS256 is for clients with a secret that signs", async () => {
  const rsa = { ...signer, client_id: "signer", request_object_signing_alg: "RS256" };
  const b = await server({ clients: [rsa, shared] });
  const byRsa = await sign({}, { key: rsaKey });
  assertAuthorizationResponse(await send(b, byRsa), { uri });
  assertEquals(await getOutcome(await push(b, await sign())), "400 invalid_request_object");
  const ofShared = { iss: "shared", client_id: "shared" };
  const bySecret = await sign(ofShared, { key: await secretKey(secret) });
  assertAuthorizationResponse(await send(b, bySecret, { client_id: "shared" }), { uri });
  const byHs512 = await sign(ofShared, { key: await secretKey(secret, "HS512") });
  await assertPage(await send(b, byHs512, { client_id: "shared" }));
  const expired = await server({ clients: [{ ...shared, client_secret_expires_at: start }] });
  await assertPage(await send(expired, bySecret, { client_id: "shared" }));
  await forEachCase<readonly [string, Partial<ClientMetadata>]>(
    [
      ["request_object_signing_alg", { jwks, request_object_signing_alg: "HS256" }],
      ["request_object_signing_alg", { jwks, request_object_signing_alg: "none" }],
      ["jwks", { request_object_signing_alg: "ES256" }],
      ["jwks", { require_signed_request_object: true }],
    ],
    async ([path, metadata]) => {
      const error = await assertRejects(() => latchkey({ clients: [{ ...spa, ...metadata }] }), ConfigurationError);
      assertEquals(error.issues.map((issue) => issue.path), [`clients[0].${path}`]);
    },
  );
});

test("[JR-01] a client without keys cannot send a request object, and the page says how", async () => {
  const b = await server();
  const request = await sign({ iss: "spa", client_id: "spa" });
  const html = await assertPage(await send(b, request, { client_id: "spa" }));
  assertMatch(html, /jwks/);
  assertEquals(rejection(b), "request_not_supported JR-01");
  assertEquals(await getOutcome(await push(b, request, { client_id: "spa" })), "400 request_not_supported");
});

test("[JR-03] only what is inside counts, and a warning names what is outside", async () => {
  const b = await server();
  const outside = { scope: "openid read", redirect_uri: "https://evil.example/cb", state: "outer", prompt: "login" };
  const request = await sign({ state: undefined, scope: "read" });
  const { code } = assertAuthorizationResponse(await send(b, request, outside), { uri, state: null });
  const token = await b.token({ code, client_id: "signer", redirect_uri: uri, code_verifier: verifier });
  assertEquals((await token.json()).scope, "read");
  const [warning, ...more] = warnings(b);
  assertEquals(more, []);
  assertMatch(warning!.reason, /: redirect_uri, scope, state, prompt; OpenID Connect Core §6.1 merges them/);
  // Repeated values outside count as little.
  assertAuthorizationResponse(await send(b, request, { scope: ["read", "write"] }), { uri, state: null });
});

test("[AZ-02, JR-03] client_id outside of the request object is required, known, and sent once", async () => {
  const b = await server();
  const request = await sign();
  for (const client_id of [undefined, "", "unknown", ["signer", "signer"], ["signer", "neighbour"]]) {
    await assertPage(await send(b, request, { client_id, redirect_uri: uri }));
    assertEquals(rejection(b), "invalid_request AZ-02");
  }
});

test("[JR-03] a warning names the parameters that a client of OpenID Connect Core §6.1 expects to be merged", async () => {
  const b = await server();
  const request = await sign({ response_type: undefined });
  const { error } = assertAuthorizationResponse(await send(b, request, { response_type: "code" }), { uri });
  assertEquals(error, "invalid_request");
  assertEquals(rejection(b), "invalid_request AZ-09");
  assertMatch(warnings(b)[0]!.reason, /ignored: response_type;/);
});

test("[JR-03] errors of a valid request object go to the redirect URI inside of it", async () => {
  const b = await server();
  const request = await sign({ scope: "openid admin", response_type: "token", state: "inner" });
  const response = await send(b, request, { redirect_uri: "https://evil.example/cb", state: "outer" });
  assertEquals(assertAuthorizationResponse(response, { uri, state: "inner" }).error, "unsupported_response_type");
  // The redirect URI inside is not registered: a page, although the one outside is.
  await assertPage(await send(b, await sign({ redirect_uri: "https://evil.example/cb" }), { redirect_uri: uri }));
  await assertPage(await send(b, await sign({ redirect_uri: undefined }), { redirect_uri: uri }));
});

test("[JR-03] members have the types of JSON: claims, max_age, resource", async () => {
  const b = await server();
  const claims = { id_token: { email: { essential: true } } };
  const resource = ["https://a.example", "https://b.example"];
  const request = await sign({ claims, max_age: 3600, resource });
  const { code } = assertAuthorizationResponse(await send(b, request), { uri });
  const token = await b.token({ code, client_id: "signer", redirect_uri: uri, code_verifier: verifier });
  const { access_token, id_token } = await token.json();
  const decode = (jwt: string) => JSON.parse(atob(jwt.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/")));
  assertEquals(decode(access_token).aud, resource);
  assertEquals(typeof decode(id_token).email, "string");
  for (const max_age of [-1, 1.5]) {
    assertEquals(await getOutcome(await push(b, await sign({ max_age }))), "400 invalid_request");
  }
});

test("[JR-04] requestObjectTimes demands nbf and exp, at most an hour apart", async () => {
  const b = await server({ requestObjectTimes: "required" });
  const accepted: readonly Readonly<Record<string, unknown>>[] = [
    {},
    { aud: ["https://other.example", issuer] },
    { nbf: start + 8 },
    { nbf: start - 3599, exp: start + 1 },
    { exp: start + 3600 },
  ];
  await forEachCase(accepted, async (claims) => assertEquals((await push(b, await sign(claims))).status, 201));
  const incomplete = { "no nbf": { nbf: undefined }, "no exp": { exp: undefined } };
  await forEachCase(
    Object.entries({ ...incomplete, neither: { nbf: undefined, exp: undefined } }),
    async ([received, claims]) => {
      assertEquals(await getOutcome(await push(b, await sign(claims))), "400 invalid_request_object");
      assertEquals(getRejections(b.events).at(-1)!.explanation.received, received);
    },
  );
  const rejected: readonly Readonly<Record<string, unknown>>[] = [
    { nbf: start - 3601, exp: start + 1 },
    { exp: start + 3601 },
    { nbf: start + 70 },
  ];
  await forEachCase(rejected, async (claims) => {
    assertEquals(await getOutcome(await push(b, await sign(claims))), "400 invalid_request_object");
  });
  const lenient = await server();
  assertEquals((await push(lenient, await sign({ nbf: undefined, exp: undefined }))).status, 201);
});

test("[JR-05] the setting or the client demands signed requests: no way around it", async () => {
  const all = await server({ requireSignedRequestObject: true });
  const one = await server();
  const unsigned = { ...goodRequest, redirect_uri: uri };
  for (const [b, client_id] of [[all, "signer"], [one, "strict"]] as const) {
    const fields = { ...unsigned, client_id };
    const { error } = assertAuthorizationResponse(await b.authorize(fields), { uri });
    assertEquals([error, rejection(b)], ["invalid_request", "invalid_request JR-05"]);
    assertEquals(await getOutcome(await push(b, undefined, fields)), "400 invalid_request");
    assertEquals(rejection(b), "invalid_request JR-05");
    assertEquals(await getOutcome(await push(b, "", fields)), "400 invalid_request");
    const request = await sign({ iss: client_id, client_id });
    assertAuthorizationResponse(await send(b, request, { client_id }), { uri });
    const pushed = await push(b, request, { client_id });
    const { request_uri } = await pushed.json();
    assertAuthorizationResponse(await b.get(`/oauth2/authorize?${encode({ client_id, request_uri })}`), { uri });
  }
  const metadataOf = async ({ get }: TestServer) => (await (await get("/.well-known/openid-configuration")).json());
  assertEquals((await metadataOf(all)).require_signed_request_object, true);
  assertEquals((await metadataOf(one)).require_signed_request_object, undefined);
  assertEquals((await metadataOf(one)).request_parameter_supported, true);
});

test("[JR-05] a request that was pushed unsigned is rejected once the client must sign", async () => {
  const b = await server();
  const { request_uri } = await (await push(b, undefined, { ...goodRequest, client_id: "signer", redirect_uri: uri }))
    .json();
  b.as.clients.set({ ...signer, require_signed_request_object: true });
  const response = await b.get(`/oauth2/authorize?${encode({ client_id: "signer", request_uri })}`);
  assertEquals(assertAuthorizationResponse(response, { uri }).error, "invalid_request");
  assertEquals(rejection(b), "invalid_request JR-05");
});

test("[JR-05] the login pages carry the signed parameters: none can be changed on the way", async () => {
  const b = await server({ login: "interactive", requireSignedRequestObject: true });
  const browser = openBrowser(b);
  const response = await browser.get(`/oauth2/authorize?${encode({ client_id: "signer", request: await sign() })}`);
  const location = response.headers.get("location")!;
  assertMatch(location, /^\/oauth2\/login\?interaction=/);
  // The pages read nothing but the interaction, whose MAC covers the request.
  assertEquals((await browser.get(`${location}&${encode({ scope: "openid admin", redirect_uri: "x" })}`)).status, 200);
  const [name, content, mac] = new URLSearchParams(location.split("?")[1]).get("interaction")!.split(".");
  const decoded = atob(content!.replaceAll("-", "+").replaceAll("_", "/"));
  assert(decoded.includes(`"signed_requests":true`));
  const changed = btoa(decoded.replace("openid", "write ")).replaceAll("=", "").replaceAll("+", "-").replaceAll(
    "/",
    "_",
  );
  await assertPage(await browser.get(`/oauth2/login?interaction=${name}.${changed}.${mac}`));
});

test("[JR-03] beside a pushed request object only client authentication counts; its client is the authenticated one", async () => {
  const b = await server();
  const ofWeb = await sign({ iss: "web", client_id: "web" });
  const header = basic("web", "web-secret");
  // RFC 9126 §3: no client_id is needed beside it.
  const pushed = await push(b, ofWeb, { client_id: undefined, scope: "openid admin", state: "outer" }, header);
  assertEquals(pushed.status, 201);
  const { request_uri } = await pushed.json();
  const response = await b.get(`/oauth2/authorize?${encode({ client_id: "web", request_uri })}`);
  assertAuthorizationResponse(response, { uri });
  assertEquals(await getOutcome(await push(b, ofWeb, { client_id: undefined })), "400 invalid_request");
  assertEquals(await getOutcome(await push(b, ofWeb, { client_id: "web" })), "401 invalid_client");
  assertEquals(await getOutcome(await push(b, ofWeb)), "400 invalid_request_object");
  assertEquals(
    await getOutcome(await push(b, await sign(), { client_id: undefined }, header)),
    "400 invalid_request_object",
  );
  for (const name of ["client_id", "request"]) {
    assertEquals(await getOutcome(await push(b, ofWeb, { [name]: ["web", "web"] }, header)), "400 invalid_request");
  }
  assertEquals(
    await getOutcome(await push(b, ofWeb, { client_id: undefined, request_uri: "https://x.example/" }, header)),
    "400 invalid_request",
  );
});

test("[JR-02] a request object serves for nothing else, and nothing else serves as one", async () => {
  const assertionClient = {
    ...web,
    client_secret: undefined,
    token_endpoint_auth_method: "private_key_jwt",
    grant_types: ["authorization_code", "client_credentials"],
  } as const;
  const b = await server({ clients: [assertionClient] });
  const authenticate = async (jwt: string) =>
    await getOutcome(
      await b.post("/oauth2/token", {
        grant_type: "client_credentials",
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        client_assertion: jwt,
      }),
    );
  const both = { iss: "web", client_id: "web", sub: "web", jti: "1" };
  assertEquals(await authenticate(await sign(both)), "401 invalid_client");
  const untyped = { header: { typ: undefined } };
  const assertion = await sign(both, untyped);
  assertEquals(await authenticate(assertion), "200");
  await assertPage(await send(b, assertion, { client_id: "web" }));
  assertEquals(rejection(b), "invalid_request_object JR-04");
  const requestObject = await sign({ ...both, sub: undefined }, untyped);
  assertAuthorizationResponse(await send(b, requestObject, { client_id: "web" }), { uri });
  assertEquals(await authenticate(requestObject), "401 invalid_client");
});

test("[JR-02] keys come from jwks_uri, and a failure to fetch them is reported", async () => {
  let isDown = true;
  const outbound = () => isDown ? Promise.reject(new Error("down")) : Promise.resolve(Response.json(jwks));
  const { jwks: _, ...others } = signer;
  const b = await server({
    clients: [{ ...others, jwks_uri: "https://signer.example/jwks.json" }],
    outbound,
  });
  await assertPage(await send(b, await sign()));
  assertMatch(getRejections(b.events).at(-1)!.explanation.reason, /cannot be used/);
  isDown = false;
  b.advance(31);
  assertAuthorizationResponse(await send(b, await sign()), { uri });
});

test("[JR-02] only the trace shows the keys at a URL that a registered client chose", async () => {
  const outbound = () => Promise.resolve(Response.json({ keys: [{ ...signerKey.jwk, kid: "internal", use: "enc" }] }));
  const b = await server({ registration: { mode: "open" }, outbound });
  const jwks_uri = "https://signer.example/jwks.json";
  const metadata = { redirect_uris: [uri], token_endpoint_auth_method: "none", jwks_uri };
  const { client_id } = await (await postRegistration(b, metadata)).json();
  const object = await sign({ iss: client_id, client_id });
  for (const response of [await send(b, object, { client_id }), await push(b, object, { client_id })]) {
    assertEquals([response.status, (await response.text()).includes("internal")], [400, false]);
    const { received, fix } = getRejections(b.events).at(-1)!.explanation;
    assertMatch(`${received}; ${fix}`, /"internal" \(a key with use "enc"\).*wait 30 seconds/);
  }
});

const encryptionAlgorithms = ["RSA-OAEP-256", "ECDH-ES", "ECDH-ES+A128KW", "ECDH-ES+A256KW"] as const;
const encryptingServer = (options: LatchkeyOptions = {}) =>
  server({ requestObjectEncryption: encryptionAlgorithms.slice(1), ...options });

/** The public encryption key of an algorithm. */
async function encryptionKey({ get }: TestServer, alg: string): Promise<JWK> {
  const { keys } = await (await get("/oauth2/jwks")).json();
  return keys.find((key: JWK) => key.use === "enc" && key.alg === alg);
}

/** Encrypts a text to the key of the server, with a changed header. */
async function encrypt(
  b: TestServer,
  text: string,
  header: Readonly<Record<string, unknown>> = {},
  key?: JWK,
): Promise<string> {
  const { alg = "ECDH-ES", enc = "A128GCM", ...others } = header as { readonly alg?: string; readonly enc?: string };
  const jwk = key ?? await encryptionKey(b, alg);
  const protectedHeader = { alg, enc, kid: jwk.kid, ...others };
  return await new CompactEncrypt(new TextEncoder().encode(text)).setProtectedHeader(protectedHeader)
    .encrypt(await importJWK(jwk, alg));
}

for (const alg of encryptionAlgorithms) {
  test(`[JR-06] a signed request object encrypted by ${alg} works at the authorization endpoint and PAR`, async () => {
    const b = await encryptingServer({ requestObjectEncryption: [alg] });
    for (const enc of ["A128CBC-HS256", "A256CBC-HS512", "A128GCM", "A256GCM"]) {
      const state = `state-${enc}`;
      const request = await encrypt(b, await sign({ state }), { alg, enc, cty: "oauth-authz-req+jwt" });
      assertAuthorizationResponse(await send(b, request), { uri, state });
    }
    assertEquals((await push(b, await encrypt(b, await sign(), { alg }))).status, 201);
  });
}

test("[JR-06] the JWKS has one public key for each algorithm of the setting, and metadata names them", async () => {
  const b = await encryptingServer({ requestObjectEncryption: ["RSA-OAEP-256", "ECDH-ES"] });
  const { keys } = await (await b.get("/oauth2/jwks")).json();
  const own = keys.filter(({ use }: JWK) => use === "enc");
  assertEquals(own.map((key: JWK) => Object.keys(key).sort().join(" ")), [
    "alg e kid kty n use",
    "alg crv kid kty use x y",
  ]);
  const metadata = await (await b.get("/.well-known/openid-configuration")).json();
  assertEquals(metadata.request_object_encryption_alg_values_supported, ["RSA-OAEP-256", "ECDH-ES"]);
  assertEquals(metadata.request_object_encryption_enc_values_supported.length, 4);
  const plain = await server();
  const { keys: usual } = await (await plain.get("/oauth2/jwks")).json();
  assertEquals(usual.some(({ use }: JWK) => use === "enc"), false);
  const without = await (await plain.get("/.well-known/openid-configuration")).json();
  assertEquals("request_object_encryption_alg_values_supported" in without, false);
});

test("[JR-06] a JWE of another algorithm or key, compressed, or at a server without the setting is rejected", async () => {
  const b = await encryptingServer({ requestObjectEncryption: ["ECDH-ES"] });
  const signed = await sign();
  const own = await encryptionKey(b, "ECDH-ES");
  const { n, e } = rsaKey.jwk as { readonly n: string; readonly e: string };
  const rsa = { kty: "RSA", n, e, kid: "foreign" };
  const replaceHeader = (jwe: string, changes: object) => {
    const [header, ...parts] = jwe.split(".");
    const changed = { ...JSON.parse(atob(header!.replaceAll("-", "+").replaceAll("_", "/"))), ...changes };
    return [btoa(JSON.stringify(changed)).replace(/=+$/, ""), ...parts].join(".");
  };
  const good = await encrypt(b, signed);
  await forEachCase<readonly [string, string]>([
    [await encrypt(b, signed, { alg: "RSA-OAEP-256" }, rsa), "alg"],
    [replaceHeader(good, { alg: "RSA1_5" }), "alg"],
    [replaceHeader(good, { alg: "dir" }), "alg"],
    [replaceHeader(good, { alg: "__proto__" }), "alg"],
    [replaceHeader(good, { enc: "none" }), "enc"],
    [replaceHeader(good, { zip: "DEF" }), "compressed"],
    [await encrypt(b, signed, { zip: "DEF" }), "compressed"],
    [await encrypt(b, signed, { kid: "unknown" }), "kid"],
    ["a.b.c.d.e", "alg"],
    ["....", "alg"],
  ], async ([request, part]) => {
    assertEquals((await push(b, request)).status, 400);
    assertEquals(rejection(b), "invalid_request_object JR-06");
    assertStringIncludes(getRejections(b.events).at(-1)!.explanation.reason!, part);
  });
  const plain = await server();
  assertEquals((await push(plain, await encrypt(b, signed, {}, own))).status, 400);
  assertStringIncludes(getRejections(plain.events).at(-1)!.explanation.reason!, "does not offer");
});

test("[JR-06] whatever part of a JWE is wrong, the response and the explanation are the same", async () => {
  const b = await encryptingServer({ requestObjectEncryption: encryptionAlgorithms });
  const seen = new Set<string>();
  for (const alg of encryptionAlgorithms) {
    for (const enc of ["A128CBC-HS256", "A256GCM"]) {
      const parts = (await encrypt(b, await sign(), { alg, enc })).split(".");
      for (const part of [1, 2, 3, 4]) {
        const changed = [...parts];
        const text = changed[part]!;
        const other = text[0] === "A" ? "B" : "A";
        for (const value of [other + text.slice(1), "", "AAAA", "!"]) {
          if (value === text) continue; // ECDH-ES has no encrypted key.
          changed[part] = value;
          const response = await push(b, changed.join("."));
          const { reason, received } = getRejections(b.events).at(-1)!.explanation;
          seen.add(JSON.stringify([response.status, await response.text(), rejection(b), reason, received]));
        }
      }
    }
  }
  assertEquals(seen.size, 1, [...seen].join("\n"));
});

test("[JR-06] what is inside is checked as if it were sent: its signature, its form, and its client", async () => {
  const b = await encryptingServer();
  await forEachCase<readonly [string, string]>([
    [JSON.stringify(goodClaims), "invalid_request_object JR-02"],
    [new UnsecuredJWT({ ...goodClaims }).encode(), "invalid_request_object JR-02"],
    [await sign({}, { key: otherKey }), "invalid_request_object JR-02"],
    [await encrypt(b, await sign()), "invalid_request_object JR-02"],
    [await sign({ client_id: "spa" }), "invalid_request_object JR-03"],
    [await sign({ exp: start - 60 }), "invalid_request_object JR-04"],
  ], async ([inner, expected]) => {
    assertEquals((await push(b, await encrypt(b, inner))).status, 400);
    assertEquals(rejection(b), expected);
  });
  const long = await encrypt(b, await sign({ state: "x".repeat(20_000) }));
  assertEquals((await push(b, long)).status, 400);
  assertEquals(rejection(b), "invalid_request_object JR-02");
  const withoutKeys = await encrypt(b, await sign());
  assertEquals((await push(b, withoutKeys, { client_id: "spa" })).status, 400);
  assertEquals(rejection(b), "request_not_supported JR-01");
});

test("[JR-06] all instances on a store have the same encryption key, also after a restart", async () => {
  const store = memoryStore();
  const servers = await Promise.all([encryptingServer({ store }), encryptingServer({ store })]);
  const keys = await Promise.all(servers.map((b) => encryptionKey(b, "ECDH-ES")));
  assertEquals(keys[0], keys[1]);
  const later = await encryptingServer({ store });
  assertEquals((await push(later, await encrypt(servers[0]!, await sign()))).status, 201);
});
