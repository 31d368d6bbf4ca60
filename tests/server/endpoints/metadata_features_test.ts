/**
 * What metadata promises beyond the code flow, each promise tried; and every endpoint with what it does not take (MD).
 *
 * @extensions all
 */

import { assert, assertEquals, assertMatch, assertNotEquals, assertThrows } from "@std/assert";
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { Buffer } from "node:buffer";
import { constants, createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { test } from "node:test";
import { ConfigurationError } from "../../../src/mod.ts";
import type { ClientMetadata, LatchkeyOptions, SigningAlgorithm, User } from "../../../src/mod.ts";
import {
  assertPage,
  assertTokenResponse,
  basic,
  challenge,
  decodeClaims,
  encode,
  forEachCase,
  getOutcome,
  getRedirectParams,
  getRejections,
  goodRequest,
  testServer,
  verifier,
} from "../../kit.ts";
import type { Fields, TestServer } from "../../kit.ts";
import { assertPageWithForm, type LoginTokens, openBrowser } from "../browser.ts";
import { callingServer, loggedOutClient } from "../extensions/client_logout/logout_receiver.ts";
import { extensionAttempts, extensionGrantTypes, untested } from "../extensions/metadata_attempts.ts";
import { signedRequest } from "../../../src/client/request_object.ts";
import { clientKey, proof, secretKey, sharedKey, signingContext, startSeconds } from "../client_jwts.ts";

const cb = "https://spa.example/cb";
const secret = "a-secret-of-64-characters-so-that-HS512-has-as-many-bits-as-it-likes";
const deviceCodeType = "urn:ietf:params:oauth:grant-type:device_code";
const everything = { redirect_uris: [cb], grant_types: ["authorization_code", "refresh_token"] };
const scopes = ["openid", "profile", "email", "address", "phone", "read", "write", "offline_access"];

const alice: User = {
  sub: "alice",
  ...Object.fromEntries(
    [
      ...["name", "family_name", "given_name", "middle_name", "nickname", "preferred_username", "profile", "picture"],
      ...["website", "gender", "birthdate", "zoneinfo", "locale", "email", "phone_number"],
    ].map((name) => [name, `the ${name}`]),
  ),
  updated_at: 1767225600,
  email_verified: true,
  phone_number_verified: false,
  address: { country: "NO" },
};

const options: LatchkeyOptions = {
  scopes,
  users: [alice, { sub: "bob" }],
  clients: [
    { client_id: "spa", ...everything, post_logout_redirect_uris: ["https://spa.example/bye"] },
    {
      client_id: "web",
      client_secret: secret,
      ...everything,
      grant_types: [...everything.grant_types, "client_credentials", deviceCodeType],
    },
  ],
};

type Metadata = Readonly<Record<string, unknown>>;

const form = "application/x-www-form-urlencoded";

async function metadataOf({ get }: TestServer): Promise<Metadata> {
  return await (await get("/.well-known/openid-configuration")).json();
}

async function userinfo({ get }: TestServer, token: string): Promise<Record<string, unknown>> {
  return await (await get("/oauth2/userinfo", { headers: { authorization: `Bearer ${token}` } })).json();
}

/** Key pairs by algorithm; made by OpenSSL, or what the runtime has in its place. */
const pairs = new Map<string, { readonly privateKey: KeyObject; readonly publicKey: KeyObject }>();

function pairFor(alg: string): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  const kind = /^[RP]S/.test(alg) ? "RSA" : alg;
  if (!pairs.has(kind)) {
    pairs.set(
      kind,
      kind === "RSA"
        ? generateKeyPairSync("rsa", { modulusLength: 2048 })
        : kind.startsWith("E") && kind.startsWith("ES")
        ? generateKeyPairSync("ec", { namedCurve: { ES256: "P-256", ES384: "P-384", ES512: "P-521" }[kind]! })
        : generateKeyPairSync("ed25519"),
    );
  }
  return pairs.get(kind)!;
}

let assertions = 0;

/** An assertion for the server, signed by anything but what verifies it. */
function assertionOf(id: string, alg: string, aud: string): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const now = Date.UTC(2026, 0, 1) / 1000;
  const body = {
    iss: id,
    sub: id,
    aud,
    jti: `jti-${assertions++}`,
    iat: now,
    exp: now + 60,
  };
  const input = `${part({ alg, typ: "JWT" })}.${part(body)}`;
  return `${input}.${signatureOf(alg, input)}`;
}

function signatureOf(alg: string, input: string): string {
  if (alg === "none") return "";
  const hash = `sha${alg.slice(2)}`;
  if (alg.startsWith("HS")) return createHmac(hash, secret).update(input).digest("base64url");
  const key = pairFor(alg).privateKey;
  const bytes = Buffer.from(input);
  if (alg.startsWith("Ed")) return sign(null, bytes, key).toString("base64url");
  const padding = alg.startsWith("PS")
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: Number(alg.slice(2)) / 8 }
    : {};
  return sign(hash, bytes, { key, dsaEncoding: "ieee-p1363", ...padding }).toString("base64url");
}

function proofBy(id: string, alg: string, issuer: string): Fields {
  return {
    client_id: id,
    client_assertion: assertionOf(id, alg, issuer),
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  };
}

/** How a client of each method proves itself at any endpoint. */
const proofs: Readonly<Record<string, (id: string, issuer: string) => readonly [Fields, Record<string, string>?]>> = {
  none: (id) => [{ client_id: id }],
  client_secret_basic: (id) => [{}, basic(id, secret)],
  client_secret_post: (id) => [{ client_id: id, client_secret: secret }],
  client_secret_jwt: (id, issuer) => [proofBy(id, "HS256", issuer)],
  private_key_jwt: (id, issuer) => [proofBy(id, "ES256", issuer)],
};

function registered(method: string, more: Partial<ClientMetadata> = {}): ClientMetadata {
  return {
    client_id: method,
    ...everything,
    token_endpoint_auth_method: method as "none",
    ...method.startsWith("client_secret") && { client_secret: secret },
    ...method === "private_key_jwt" &&
      { jwks: { keys: [{ ...pairFor("ES256").publicKey.export({ format: "jwk" }) }] } },
    ...more,
  };
}

/** The request of a client at each of its endpoints that succeeds if the client is who it says. */
const asked: Readonly<Record<string, Fields>> = {
  token_endpoint: { grant_type: "client_credentials", scope: "read" },
  revocation_endpoint: { token: "unknown" },
  introspection_endpoint: { token: "unknown" },
};

const pathOf = (metadata: Metadata, name: string) => (metadata[name] as string).slice(String(metadata.issuer).length);

async function authMethodsAt(
  b: TestServer,
  metadata: Metadata,
  endpoint: string,
  listed: readonly string[],
): Promise<void> {
  const known = Object.keys(proofs);
  assertEquals(listed.filter((one) => !known.includes(one)), [], "an untested method");
  for (const method of known) {
    b.as.clients.set(registered(method, { grant_types: ["authorization_code", "client_credentials"] }));
    for (const [other, prove] of Object.entries(proofs)) {
      const [fields, headers] = prove(method, b.as.issuer);
      const result = await getOutcome(
        await b.post(pathOf(metadata, endpoint), { ...asked[endpoint], ...fields }, headers),
      );
      const public_ = method === "none" && endpoint === "token_endpoint" ? "400 unauthorized_client" : "200";
      const expected = method === other && listed.includes(method) ? public_ : "401 invalid_client";
      assertEquals(result, expected, `${method} proved by ${other} at ${endpoint}`);
    }
  }
}

async function algorithmsAt(
  b: TestServer,
  metadata: Metadata,
  endpoint: string,
  listed: readonly string[],
): Promise<void> {
  const others = ["none", "RS1", "ES256K", "HS1", "hs256"].filter((one) => !listed.includes(one));
  await forEachCase([...listed, ...others], async (alg) => {
    const grant_types = ["client_credentials"];
    const symmetric = /^hs/i.test(alg);
    const key = symmetric || others.includes(alg) ? undefined : pairFor(alg).publicKey.export({ format: "jwk" });
    b.as.clients.set({
      client_id: "signer",
      grant_types,
      ...symmetric || alg === "none"
        ? { client_secret: secret, token_endpoint_auth_method: "client_secret_jwt" }
        : { jwks: { keys: [{ ...key ?? pairFor("ES256").publicKey.export({ format: "jwk" }) }] } },
    });
    const signed = others.includes(alg)
      ? assertionOf("signer", symmetric ? "HS256" : "none", b.as.issuer).replace(
        /^[^.]+/,
        Buffer.from(JSON.stringify({ alg })).toString("base64url"),
      )
      : assertionOf("signer", alg, b.as.issuer);
    const proof = { ...proofBy("signer", "HS256", b.as.issuer), client_assertion: signed };
    const result = await getOutcome(await b.post(pathOf(metadata, endpoint), { ...asked[endpoint], ...proof }));
    assertEquals(result, listed.includes(alg) ? "200" : "401 invalid_client", alg);
  });
}

/** A test of each member of the document. A member without an entry is untested. */
const attempts: Readonly<Record<string, (b: TestServer, metadata: Metadata, value: never) => unknown>> = {
  ...extensionAttempts,
  issuer: ({ as }, _, value: string) => assertEquals(value, as.issuer),
  authorization_endpoint: async (b) => assert(await b.code()),
  token_endpoint: async (b) => assert((await openBrowser(b).login()).access_token),
  jwks_uri: async (b, metadata) => {
    const keys = createLocalJWKSet(await (await b.get(pathOf(metadata, "jwks_uri"))).json());
    const { access_token, id_token } = await openBrowser(b).login();
    for (const token of [access_token, id_token]) {
      await jwtVerify(token, keys, { currentDate: new Date(Date.UTC(2026, 0, 1)) });
    }
  },
  async userinfo_endpoint(b) {
    assertEquals(await userinfo(b, (await openBrowser(b).login()).access_token), { sub: "alice" });
  },
  async revocation_endpoint(b, metadata) {
    const { access_token, refresh_token } = await openBrowser(b).login();
    const result = await b.post(pathOf(metadata, "revocation_endpoint"), { token: refresh_token, client_id: "spa" });
    assertEquals(await getOutcome(result), "200");
    assertEquals((await userinfo(b, access_token)).error, "invalid_token");
  },
  async introspection_endpoint(b, metadata) {
    const { access_token: token } = await openBrowser(b).login();
    const result = await b.post(pathOf(metadata, "introspection_endpoint"), { token }, basic("web", secret));
    assertEquals((await result.json()).active, true);
  },
  async pushed_authorization_request_endpoint(b, metadata) {
    const path = pathOf(metadata, "pushed_authorization_request_endpoint");
    const { request_uri } = await (await b.post(path, goodRequest)).json();
    const response = await b.get(`/oauth2/authorize?${encode({ client_id: "spa", request_uri })}`);
    assert(getRedirectParams(response).has("code"));
  },
  async device_authorization_endpoint(b, metadata) {
    const path = pathOf(metadata, "device_authorization_endpoint");
    const { verification_uri } = await (await b.post(path, { scope: "read" }, basic("web", secret))).json();
    assertEquals((await b.as.fetch(new Request(verification_uri))).status, 200);
  },
  async end_session_endpoint(b, metadata) {
    const browser = openBrowser(b);
    const { id_token } = await browser.login();
    await browser.get(`${pathOf(metadata, "end_session_endpoint")}?${encode({ id_token_hint: id_token })}`);
    assertEquals(await browser.authorizeSilently(), "login_required");
  },
  async scopes_supported(b, _, listed: readonly string[]) {
    assertEquals(listed, scopes);
    for (const scope of listed) assertEquals((await openBrowser(b).login({ scope })).scope, scope);
    for (const scope of ["admin", "Read", "groups", "openid2", "*"]) {
      assertEquals(getRedirectParams(await b.authorize({ scope })).get("error"), "invalid_scope");
    }
  },
  async response_types_supported(b, _, listed: readonly string[]) {
    assertEquals(listed, ["code"]);
    for (const response_type of ["token", "id_token", "code id_token", "none", "CODE"]) {
      assertEquals(getRedirectParams(await b.authorize({ response_type })).get("error"), "unsupported_response_type");
    }
  },
  async response_modes_supported(b, _, listed: readonly string[]) {
    for (
      const response_mode of ["query", "form_post", "fragment", "jwt", "query.jwt", "form_post.jwt", "web_message"]
    ) {
      const response = await b.authorize({ response_mode });
      if (!listed.includes(response_mode)) {
        assertEquals(getRedirectParams(response).get("error"), "invalid_request");
      } else if (response.headers.has("location")) assert(getRedirectParams(response).get("code"));
      else assert(Object.fromEntries((await assertPageWithForm(response)).fields).code);
    }
    assertEquals(listed, ["query", "form_post"]);
  },
  async grant_types_supported(b, metadata, listed: readonly string[]) {
    const web = basic("web", secret);
    const exchangeCode = { client_id: undefined, code_verifier: undefined };
    const code = getRedirectParams(
      await b.authorize({ client_id: "web", code_challenge: undefined, code_challenge_method: undefined }),
    ).get("code")!;
    const first = await assertTokenResponse(await b.token({ ...exchangeCode, code }, { headers: web })) as LoginTokens;
    const works: Readonly<Record<string, Fields>> = {
      authorization_code: { code: await b.code({ client_id: "web" }), code_verifier: undefined },
      refresh_token: { refresh_token: first.refresh_token },
      client_credentials: { scope: "read" },
      [deviceCodeType]: {
        device_code: (await (await b.post("/oauth2/device_authorization", { scope: "read" }, web)).json()).device_code,
      },
    };
    const urn = "urn:ietf:params:oauth:grant-type:";
    const others = [
      ...["implicit", "password", "Refresh_Token", `${urn}device-code`, `${urn}token-exchange`, `${urn}jwt-bearer`],
      `${urn}saml2-bearer`,
    ];
    const ofExtensions = extensionGrantTypes.map(({ type }) => type);
    assertEquals([...listed].sort(), [...Object.keys(works), ...ofExtensions].sort());
    for (const { type, attempt } of extensionGrantTypes) assertEquals(await attempt(b, metadata), "200", type);
    for (const grant_type of ["refresh_token", "client_credentials", deviceCodeType]) {
      const result = await b.post("/oauth2/token", { grant_type, ...works[grant_type] }, web);
      assertEquals(await getOutcome(result), "200", grant_type);
    }
    for (const grant_type of others.filter((one) => !listed.includes(one))) {
      const fields = { grant_type, ...works.client_credentials, username: "alice", password: "x", device_code: "x" };
      assertEquals(await getOutcome(await b.post("/oauth2/token", fields, web)), "400 unsupported_grant_type");
    }
  },
  token_endpoint_auth_methods_supported: (b, metadata, listed: string[]) =>
    authMethodsAt(b, metadata, "token_endpoint", listed),
  revocation_endpoint_auth_methods_supported: (b, metadata, listed: string[]) =>
    authMethodsAt(b, metadata, "revocation_endpoint", listed),
  introspection_endpoint_auth_methods_supported: (b, metadata, listed: string[]) =>
    authMethodsAt(b, metadata, "introspection_endpoint", listed),
  token_endpoint_auth_signing_alg_values_supported: (b, metadata, listed: string[]) =>
    algorithmsAt(b, metadata, "token_endpoint", listed),
  revocation_endpoint_auth_signing_alg_values_supported: (b, metadata, listed: string[]) =>
    algorithmsAt(b, metadata, "revocation_endpoint", listed),
  introspection_endpoint_auth_signing_alg_values_supported: (b, metadata, listed: string[]) =>
    algorithmsAt(b, metadata, "introspection_endpoint", listed),
  async code_challenge_methods_supported(b, _, listed: readonly string[]) {
    assertEquals(listed, ["S256"]);
    for (const code_challenge_method of ["plain", "s256", "S384", "S512", "none"]) {
      for (const code_challenge of [challenge, verifier]) {
        const response = await b.authorize({ code_challenge, code_challenge_method });
        assertEquals(getRedirectParams(response).get("error"), "invalid_request");
      }
    }
  },
  async authorization_response_iss_parameter_supported(b, _, value: boolean) {
    for (const fields of [{}, { scope: "admin" }, { prompt: "none" }]) {
      assertEquals(getRedirectParams(await b.authorize(fields)).has("iss"), value);
    }
    const { fields } = await assertPageWithForm(await b.authorize({ response_mode: "form_post" }));
    assertEquals(fields.some(([name]) => name === "iss"), value);
  },
  async subject_types_supported(b, _, listed: readonly string[]) {
    assertEquals([...listed].sort(), ["pairwise", "public"]);
    const sub = async (subject_type: string) => {
      b.as.clients.set({ client_id: "typed", ...everything, subject_type: subject_type as "public" });
      return decodeClaims((await openBrowser(b).login({ client_id: "typed" })).id_token).sub;
    };
    assertEquals(await sub("public"), "alice");
    assertNotEquals(await sub("pairwise"), "alice");
  },
  async id_token_signing_alg_values_supported(b, _, listed: readonly SigningAlgorithm[]) {
    assert(listed.includes("RS256"));
    for (const alg of listed) {
      b.as.clients.set({ client_id: "signed", ...everything, id_token_signed_response_alg: alg });
      const { id_token } = await openBrowser(b).login({ client_id: "signed" });
      assertEquals(decodeProtectedHeader(id_token).alg, alg);
      const keys = createLocalJWKSet(await (await b.get("/oauth2/jwks")).json());
      await jwtVerify(id_token, keys, { currentDate: new Date(Date.UTC(2026, 0, 1)), audience: "signed" });
    }
  },
  async userinfo_signing_alg_values_supported(b, _, listed: readonly SigningAlgorithm[]) {
    for (const alg of listed) {
      b.as.clients.set({ client_id: "signed", ...everything, userinfo_signed_response_alg: alg });
      const { access_token } = await openBrowser(b).login({ client_id: "signed", scope: "openid profile" });
      const result = await b.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } });
      assertEquals(result.headers.get("content-type"), "application/jwt");
      const keys = createLocalJWKSet(await (await b.get("/oauth2/jwks")).json());
      const { payload, protectedHeader } = await jwtVerify(await result.text(), keys, {
        issuer: b.as.issuer,
        audience: "signed",
      });
      assertEquals([payload.sub, payload.name, protectedHeader.alg], ["alice", "the name", alg]);
    }
  },
  async introspection_signing_alg_values_supported(b, metadata, listed: readonly SigningAlgorithm[]) {
    const { access_token } = await openBrowser(b).login();
    for (const alg of listed) {
      b.as.clients.set({
        client_id: "api",
        client_secret: secret,
        ...everything,
        introspection_signed_response_alg: alg,
      });
      const headers = { ...basic("api", secret), accept: "application/token-introspection+jwt" };
      const jwt = await (await b.post(pathOf(metadata, "introspection_endpoint"), { token: access_token }, headers))
        .text();
      const keys = createLocalJWKSet(await (await b.get("/oauth2/jwks")).json());
      const { payload, protectedHeader } = await jwtVerify(jwt, keys, { audience: "api" });
      assertEquals([protectedHeader.alg, (payload.token_introspection as Metadata).active], [alg, true]);
    }
  },
  async claims_supported(b, _, listed: readonly string[]) {
    const { id_token, access_token } = await openBrowser(b).login({ scope: scopes.join(" "), nonce: "n" });
    const shown = [...Object.keys(decodeClaims(id_token)), ...Object.keys(await userinfo(b, access_token))];
    assertEquals([...new Set(shown)].sort(), [...listed].sort());
    assertEquals(new Set(listed).size, listed.length);
  },
  async claims_parameter_supported(b, metadata, value: boolean) {
    assertEquals(value, true);
    const wanted = (metadata.claims_supported as string[]).filter((name) => name in alice && name !== "sub");
    for (const name of wanted) {
      const claims = JSON.stringify({ userinfo: { [name]: null }, id_token: { [name]: { essential: true } } });
      const { id_token, access_token } = await openBrowser(b).login({ scope: "openid", claims });
      assertEquals(decodeClaims(id_token)[name], alice[name]);
      assertEquals(await userinfo(b, access_token), { sub: "alice", [name]: alice[name] });
    }
  },
  async registration_endpoint(b, _, url: string) {
    const body = JSON.stringify({ redirect_uris: everything.redirect_uris, token_endpoint_auth_method: "none" });
    const init = { method: "POST", body, headers: { "content-type": "application/json" } };
    const { client_id } = await (await b.as.fetch(new Request(url, init))).json();
    assertEquals(decodeClaims((await openBrowser(b).login({ client_id })).id_token).aud, client_id);
  },
  async prompt_values_supported(b, _, listed: readonly string[]) {
    assertEquals([...listed].sort(), ["consent", "login", "none", "select_account"]);
    const browser = openBrowser(b);
    const first = decodeClaims((await browser.login()).id_token);
    b.advance(2);
    for (const prompt of [...listed.filter((one) => one !== "login"), "create", "login"]) {
      const { auth_time } = decodeClaims((await browser.login({ prompt })).id_token);
      assertEquals(auth_time, first.auth_time as number + (prompt === "login" ? 2 : 0), prompt);
    }
  },
  async backchannel_logout_supported(_b, _, value: boolean) {
    const b = await callingServer();
    const browser = openBrowser(b);
    const { id_token } = await browser.login();
    await browser.get(`/oauth2/logout?${encode({ id_token_hint: id_token })}`);
    assertEquals([value, b.calls.map(({ claims }) => claims.aud)], [true, ["spa"]]);
  },
  async backchannel_logout_session_supported(_b, _, value: boolean) {
    const b = await callingServer();
    const browser = openBrowser(b);
    const { id_token } = await browser.login();
    await browser.get(`/oauth2/logout?${encode({ id_token_hint: id_token })}`);
    assertEquals([value, b.calls.map(({ claims }) => claims.sid)], [true, [decodeClaims(id_token).sid]]);
  },
  async frontchannel_logout_supported(_b, _, value: boolean) {
    const frontchannel_logout_uri = "https://spa.example/front";
    const b = await callingServer({ clients: [loggedOutClient("spa", { frontchannel_logout_uri })] });
    const browser = openBrowser(b);
    const { id_token } = await browser.login();
    const html = await (await browser.get(`/oauth2/logout?id_token_hint=${id_token}`)).text();
    assertEquals([value, html.includes(`<iframe src="${frontchannel_logout_uri}?iss=`)], [true, true]);
  },
  frontchannel_logout_session_supported: (_b, { frontchannel_logout_supported }, value: boolean) =>
    assertEquals(value, frontchannel_logout_supported as boolean),
  async client_id_metadata_document_supported(b, _, value: boolean) {
    assertEquals(value, true);
    const html = await assertPage(await b.authorize({ client_id: "https://127.0.0.1/client.json" }));
    // The page does not say why a host was not reached; the trace does.
    assertMatch(html, /MC-04/, "the document is not looked for");
    assertEquals(getRejections(b.events).at(-1)!.explanation.rule, "MC-05");
  },
  async dpop_signing_alg_values_supported(b, metadata, algorithms: string[]) {
    const url = String(metadata.token_endpoint);
    const bind = async (alg: string, signAs = alg) => {
      const key = await sharedKey(signAs);
      const dpop = await proof(key, "POST", url, startSeconds, { header: { alg } });
      return (await (await b.token({ code: await b.code() }, { headers: { dpop } })).json()).token_type;
    };
    await forEachCase(algorithms, async (alg) => assertEquals(await bind(alg), "DPoP"));
    await forEachCase(["none", "HS256", "ES256K"], async (alg) => assertEquals(await bind(alg, "ES256"), undefined));
  },
  async request_parameter_supported(b, _, value: boolean) {
    assertEquals(value, true);
    // The client has no keys.
    assertEquals(getRedirectParams(await b.authorize({ request: "e30.e30." })).get("error"), "request_not_supported");
  },
  async request_object_signing_alg_values_supported(b, _, listed: readonly string[]) {
    for (const alg of listed) {
      const symmetric = alg.startsWith("HS");
      const key = symmetric ? undefined : await clientKey(alg);
      b.as.clients.set({
        client_id: "signer",
        ...everything,
        request_object_signing_alg: alg,
        ...key === undefined
          ? { client_secret: secret, token_endpoint_auth_method: "client_secret_jwt" }
          : { jwks: { keys: [key.jwk] } },
      });
      const signer = key ?? await secretKey(secret, alg);
      const sent = await signedRequest(signingContext(undefined, b.as.issuer), signer, {
        ...goodRequest,
        client_id: "signer",
      });
      const response = await b.get(`/oauth2/authorize?${encode(sent)}`);
      assert(getRedirectParams(response).has("code"), alg);
      const unsigned = `e30.${sent.request.split(".")[1]}.`;
      const rejected = await b.post("/oauth2/par", { client_id: "signer", request: unsigned }, basic("signer", secret));
      assertMatch(await getOutcome(rejected), /^40[01] invalid_(?:client|request_object)$/);
    }
    assert(!listed.includes("none"));
  },
  async request_uri_parameter_supported(b, _, value: boolean) {
    assertEquals(value, false);
    const request_uri = "https://spa.example/request";
    assertEquals(getRedirectParams(await b.authorize({ request_uri })).get("error"), "request_uri_not_supported");
  },
};

for (const [name, attempt] of Object.entries(attempts)) {
  test(`[MD-09] metadata is correct in ${name}`, async () => {
    for (const issuer of ["https://as.test", "https://as.test/t1"]) {
      const b = await testServer({ ...options, issuer });
      const metadata = await metadataOf(b);
      assert(name in metadata, "it is missing");
      await attempt(b, metadata, metadata[name] as never);
    }
  });
}

test("[MD-09] every feature in metadata is tested, and none is missing", async () => {
  const metadata = await metadataOf(await testServer(options));
  assertEquals(Object.keys(metadata).filter((name) => !Object.hasOwn(attempts, name)), [], untested);
});

test("[MD-04, MD-09] endpoints missing from metadata do not exist", async () => {
  const { get } = await testServer(options);
  const paths = [
    "pushed",
    "device",
    "ciba",
    "introspection",
    "revocation",
    "end_session",
  ];
  await forEachCase(paths.map((name) => `/oauth2/${name}`), async (path) => {
    for (const method of ["GET", "POST"]) assertEquals((await get(path, { method })).status, 404);
  });
});

test("[MD-09] a client cannot be registered for features missing from metadata", async () => {
  const b = await testServer(options);
  await forEachCase([
    { token_endpoint_auth_method: "None" },
    { token_endpoint_auth_method: "" },
    { token_endpoint_auth_method: "tls_client_auth", client_secret: secret },
    { token_endpoint_auth_method: "self_signed_tls_client_auth", client_secret: secret },
    { subject_type: "private" },
    { grant_types: ["implicit"] },
    { grant_types: ["password"] },
    { grant_types: ["authorization_code", "urn:ietf:params:oauth:grant-type:device-code"] },
    { grant_types: ["urn:ietf:params:oauth:grant-type:token-exchange"] },
    { response_types: ["token"] },
    { response_types: ["code", "code id_token"] },
    { id_token_signed_response_alg: "HS256" },
    { id_token_signed_response_alg: "none" },
    { userinfo_signed_response_alg: "none" },
  ], (client) => {
    let rejected = false;
    try {
      b.as.clients.set({ client_id: "odd", redirect_uris: [cb], ...client } as unknown as ClientMetadata);
    } catch (error) {
      rejected = error instanceof ConfigurationError;
    }
    assert(rejected, "it was registered");
  });
});

test("[MD-09] the error for an unsupported grant type lists the supported ones", async () => {
  const b = await testServer(options);
  const grant_types = ["authorization_code", "urn:ietf:params:oauth:grant-type:saml2-bearer"];
  const { issues: [{ expected, ...issue }] } = assertThrows(
    () => b.as.clients.set({ client_id: "odd", redirect_uris: [cb], grant_types }),
    ConfigurationError,
  );
  const ofExtensions = [...extensionGrantTypes.map(({ type }) => type), deviceCodeType];
  assertEquals(
    expected.replace("one of ", "").split(", ").sort(),
    ["authorization_code", "refresh_token", "client_credentials", ...ofExtensions].sort(),
  );
  assertEquals(issue, {
    path: "grant_types[1]",
    received: '"urn:ietf:params:oauth:grant-type:saml2-bearer"',
    hint: "Remove it: this server does not support it.",
  });
});

/** Endpoints for clients, and their responses to unreadable requests. */
const forClients = ["/oauth2/token", "/oauth2/revoke", "/oauth2/introspect"] as const;

const good: Readonly<Record<(typeof forClients)[number], Fields>> = {
  "/oauth2/token": { grant_type: "client_credentials", scope: "read" },
  "/oauth2/revoke": { token: "unknown" },
  "/oauth2/introspect": { token: "unknown" },
};

const web = basic("web", secret);

test("[HT-01, RV-01, IN-01, SC-03] endpoints for clients accept only POST, and reject others in JSON", async () => {
  const { get } = await testServer(options);
  await forEachCase(forClients, async (path) => {
    for (const method of ["GET", "HEAD", "PUT", "PATCH", "DELETE"]) {
      const result = await get(`${path}?${encode(good[path])}`, { method, headers: web });
      assertEquals(result.status, 405, method);
      assertMatch(result.headers.get("allow") ?? "", /^POST(?:, OPTIONS)?$/);
      if (method !== "HEAD") assertEquals(await getOutcome(result), "405 invalid_request");
    }
  });
});

test("[TK-02, SC-04] endpoints for clients accept only a complete, decodable form of limited size", async () => {
  const { get } = await testServer(options);
  await forEachCase(forClients, async (path) => {
    const body = encode(good[path]);
    const send = async (content: BodyInit, type?: string, more: Record<string, string> = {}) =>
      await getOutcome(
        await get(path, {
          method: "POST",
          body: content,
          headers: { ...type && { "content-type": type }, ...web, ...more },
        }),
      );
    assertEquals(await send(body, `${form};charset=UTF-8`), "200");
    assertEquals(await send(body, form.toUpperCase()), "200");
    assertEquals(await send(new TextEncoder().encode(body)), "400 invalid_request");
    for (
      const type of [
        "application/json",
        "text/plain",
        "multipart/form-data; boundary=x",
        `${form}2`,
        "x",
        `text/${form}`,
      ]
    ) {
      assertEquals(await send(body, type), "400 invalid_request", type);
    }
    assertEquals(await send(JSON.stringify(good[path]), "application/json"), "400 invalid_request");
    assertEquals(await send(`${body}&pad=${"a".repeat(64 * 1024)}`, form), "413 invalid_request");
    assertEquals(await send(body, form, { "content-encoding": "gzip" }), "415 invalid_request");
    assertEquals(await send(`${body}&x=%`, form), "400 invalid_request");
    assertEquals(await send(`${body}&x=%C3%28`, form), "400 invalid_request");
    assertMatch(await send("", form), /^400 invalid_request$/);
  });
});

test("[TK-04, RV-01, IN-01] a repeated parameter, even with the same value, is invalid_request at every endpoint for clients", async () => {
  const b = await testServer(options);
  const more = { token_type_hint: "access_token", client_id: "web", scope: "read" };
  await forEachCase(forClients, async (path) => {
    for (const [name, value] of Object.entries({ ...more, ...good[path] })) {
      for (const pair of [[value as string, value as string], ["", value as string], [value as string, "other"]]) {
        assertEquals(
          await getOutcome(await b.post(path, { ...good[path], [name]: pair }, web)),
          "400 invalid_request",
          name,
        );
      }
    }
    assertEquals(await getOutcome(await b.post(path, { ...good[path], unheard_of: ["a", "a"] }, web)), "200");
  });
});

test("[TK-03, TK-04] query parameters of an endpoint for clients are ignored, and credentials there are rejected", async () => {
  const b = await testServer(options);
  await forEachCase(forClients, async (path) => {
    const headers = { "content-type": form, ...web };
    const inQuery = await b.get(`${path}?${encode(good[path])}`, { method: "POST", body: "", headers });
    assertEquals(await getOutcome(inQuery), "400 invalid_request");
    for (const name of ["client_secret", "client_assertion", "token", "refresh_token", "code"]) {
      const result = await b.get(`${path}?${name}=x`, { method: "POST", body: encode(good[path]), headers });
      assertEquals(await getOutcome(result), "400 invalid_request", name);
    }
    assertEquals(
      await getOutcome(await b.get(`${path}?scope=write`, { method: "POST", body: encode(good[path]), headers })),
      "200",
    );
  });
});

test("[RV-01, IN-01, AZ-05] a missing or empty token is invalid_request, after client authentication", async () => {
  const b = await testServer(options);
  for (const path of ["/oauth2/revoke", "/oauth2/introspect"]) {
    for (const token of [undefined, ""]) {
      assertEquals(await getOutcome(await b.post(path, { token, x: "y" }, web)), "400 invalid_request");
      assertEquals(
        await getOutcome(await b.post(path, { token, x: "y" }, basic("web", "wrong"))),
        "401 invalid_client",
      );
    }
  }
});

test("[HT-01, BR-01, BR-02, SC-03, SC-04] userinfo rejects other methods, malformed forms and repeated tokens", async () => {
  const b = await testServer(options);
  const { access_token } = await openBrowser(b).login();
  const bearer = { authorization: `Bearer ${access_token}` };
  const rejection = async (response: Response) => {
    const { error } = await response.json();
    assertEquals(response.headers.has("www-authenticate"), response.status === 401 || response.status === 403);
    return `${response.status} ${error}`;
  };
  for (const method of ["PUT", "PATCH", "DELETE"]) {
    const result = await b.get("/oauth2/userinfo", { method, headers: bearer });
    assertEquals([result.status, result.headers.get("allow")], [405, "GET, HEAD, POST, OPTIONS"]);
  }
  const body = encode({ access_token });
  const send = (content: string, headers: Record<string, string>) =>
    b.get("/oauth2/userinfo", { method: "POST", body: content, headers });
  assertEquals((await send(body, { "content-type": form })).status, 200);
  assertEquals((await send("{}", { "content-type": "application/json", ...bearer })).status, 200);
  assertEquals(
    await rejection(await send(JSON.stringify({ access_token }), { "content-type": "application/json" })),
    "401 invalid_token",
  );
  assertEquals(await rejection(await send(body, { "content-type": form, ...bearer })), "400 invalid_request");
  assertEquals(await rejection(await send(`${body}&${body}`, { "content-type": form })), "400 invalid_request");
  assertEquals(await rejection(await send(`access_token=&${body}`, { "content-type": form })), "400 invalid_request");
  assertEquals(await rejection(await send(`${body}&x=%`, { "content-type": form })), "400 invalid_request");
  assertEquals(
    await rejection(await send(`${body}&x=${"a".repeat(70_000)}`, { "content-type": form })),
    "413 invalid_request",
  );
  assertEquals(await rejection(await b.get(`/oauth2/userinfo?${body}`)), "401 invalid_token");
  assertEquals(
    await rejection(
      await b.get("/oauth2/userinfo", {
        headers: { authorization: `${bearer.authorization}, ${bearer.authorization}` },
      }),
    ),
    "401 invalid_token",
  );
});

test("[HT-01, HT-02] metadata and keys are read-only", async () => {
  const { get } = await testServer(options);
  await forEachCase(
    ["/oauth2/jwks", "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"],
    async (path) => {
      for (const method of ["POST", "PUT", "DELETE"]) {
        const result = await get(path, { method });
        assertEquals([await getOutcome(result), result.headers.get("allow")], [
          "405 invalid_request",
          "GET, HEAD, OPTIONS",
        ]);
      }
      assertEquals((await get(path, { method: "HEAD" })).status, 200);
      assertEquals((await get(`${path}?client_id=x&client_id=y`)).status, 200);
    },
  );
});

test("[AZ-07, HT-07] repeated new parameters of the authorization endpoint are rejected, and large forms get an error page", async () => {
  const b = await testServer(options);
  const names = [
    "prompt",
    "max_age",
    "login_hint",
    "id_token_hint",
    "claims",
    "display",
    "ui_locales",
    "claims_locales",
    "acr_values",
  ];
  await forEachCase([...names, "response_mode"], async (name) => {
    for (const pair of [["x", "x"], ["", ""], ["x", ""]]) {
      assertEquals(getRedirectParams(await b.authorize({ [name]: pair })).get("error"), "invalid_request");
    }
  });
  await assertPage(await b.post("/oauth2/authorize", { client_id: "spa", claims: "a".repeat(70_000) }), 413);
});
