/**
 * Encrypted ID tokens and userinfo responses (group EN).
 *
 * @extensions registration
 */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { compactDecrypt, decodeProtectedHeader, exportJWK, jwtVerify } from "jose";
import { test } from "node:test";
import { ConfigurationError } from "../../../../src/mod.ts";
import {
  contentEncryptions,
  keyManagementAlgorithms,
} from "../../../../src/server/extensions/encrypted_responses/settings.ts";
import { fetchKeySet, getRejections, realHost, type TestServer, testServer } from "../../../kit.ts";
import { outcomeOf, postRegistration } from "../../registering.ts";
import { latchkey } from "../../../secret_leak_check.ts";
import {
  ec,
  encryptedFor,
  exchange,
  type Jwk,
  keyFor,
  keyPair,
  redirectUri,
  rsa,
  server,
  spa,
} from "./encrypted_clients.ts";

const decrypt = async (jwe: string, key: CryptoKey) =>
  new TextDecoder().decode((await compactDecrypt(jwe, key)).plaintext);

/** The claims of an ID token inside, verified. */
async function open(b: TestServer, jwe: string, key: CryptoKey): Promise<Record<string, unknown>> {
  const jwt = await decrypt(jwe, key);
  const { payload } = await jwtVerify(jwt, await fetchKeySet(b), {
    ...{ issuer: b.as.issuer, audience: "spa", typ: "JWT" },
    currentDate: new Date(Date.UTC(2026, 0, 1)),
  });
  return payload;
}

const userinfo = ({ get }: TestServer, token: string) =>
  get("/oauth2/userinfo", { headers: { authorization: `Bearer ${token}` } });

for (const alg of keyManagementAlgorithms) {
  test(`[EN-01] ${alg}: the ID token is a nested JWT, at each grant, by each encryption of the content`, async () => {
    for (const enc of contentEncryptions) {
      const b = await server(encryptedFor(alg, { id_token_encrypted_response_enc: enc }));
      const tokens = await exchange(b);
      const { epk, ...header } = decodeProtectedHeader(tokens.id_token!);
      assertEquals(header, { alg, enc, kid: keyFor(alg).jwk.kid as string, cty: "JWT" });
      assertEquals(epk !== undefined, alg.startsWith("ECDH"));
      const { sub, aud, at_hash } = await open(b, tokens.id_token!, keyFor(alg).privateKey);
      assertEquals([sub, aud, typeof at_hash], ["alice", "spa", "string"]);
    }
    const b = await server(encryptedFor(alg));
    const { refresh_token } = await exchange(b);
    const refreshed = await (await b.token({
      ...{ grant_type: "refresh_token", refresh_token, code: undefined, redirect_uri: undefined },
      code_verifier: undefined,
    })).json();
    assertEquals(decodeProtectedHeader(refreshed.id_token).enc, "A128CBC-HS256");
    assertEquals((await open(b, refreshed.id_token, keyFor(alg).privateKey)).sub, "alice");
  });
}

test("[EN-01] keys on P-384 and X25519 suit ECDH-ES, and a key without kid has none in the header", async () => {
  for (const crv of ["P-384", "X25519"]) {
    const pair = await keyPair("ECDH-ES", {}, crv);
    const b = await server(encryptedFor("ECDH-ES", { jwks: { keys: [pair.jwk] } }));
    const { id_token } = await exchange(b);
    assertEquals("kid" in decodeProtectedHeader(id_token!), false);
    assertEquals((await open(b, id_token!, pair.privateKey)).sub, "alice");
  }
});

test("[EN-01] without openid there is no ID token, and other tokens are not encrypted", async () => {
  const b = await server(encryptedFor("RSA-OAEP-256"));
  assertEquals("id_token" in await exchange(b, "read"), false);
  const { access_token } = await exchange(b);
  assertEquals(access_token!.split(".").length, 3);
});

test("[EN-02] the key suits the algorithm and is not for signatures; one for encryption is preferred", async () => {
  const { use: _, ...plain } = rsa.jwk;
  const keys = [
    ...[ec.jwk, { ...plain, kid: "signing", use: "sig" }, { ...plain, kid: "other", alg: "RS256" }],
    ...[{ ...plain, kid: "plain" }, rsa.jwk],
  ];
  const b = await server(encryptedFor("RSA-OAEP-256", { jwks: { keys } }));
  assertEquals(decodeProtectedHeader((await exchange(b)).id_token!).kid, "rsa");
  const without = await server(encryptedFor("RSA-OAEP-256", { jwks: { keys: keys.slice(0, 4) } }));
  assertEquals(decodeProtectedHeader((await exchange(without)).id_token!).kid, "plain");
});

test("[EN-02] a point that is not on its curve is passed over", async () => {
  const broken = { ...ec.jwk, kid: "broken", y: ec.jwk.x };
  const b = await server(encryptedFor("ECDH-ES", { jwks: { keys: [broken, ec.jwk] } }));
  assertEquals((await open(b, (await exchange(b)).id_token!, ec.privateKey)).sub, "alice");
  // At most eight are tried, so that no list of unusable keys keeps the server busy.
  for (const keys of [[broken], [...Array(8).fill(broken), ec.jwk]]) {
    const unusable = await server(encryptedFor("ECDH-ES", { jwks: { keys } }));
    const response = await unusable.token({ code: await unusable.code() });
    assertEquals([response.status, (await response.json()).error], [400, "invalid_client_metadata"]);
  }
});

test("[EN-02] keys of any other type or curve at jwks_uri are passed over", async () => {
  const odd: unknown[] = ["constructor", "__proto__", "toString", "x", {}, { toString: 1 }, [], null, 1];
  const keys = [...odd.flatMap((value) => [{ ...ec.jwk, kty: value }, { ...ec.jwk, crv: value }]), ec.jwk];
  const client = encryptedFor("ECDH-ES", { jwks: undefined, jwks_uri: "https://spa.example/jwks" });
  const b = await server(client, { outbound: () => Promise.resolve(Response.json({ keys })) });
  assertEquals((await open(b, (await exchange(b)).id_token!, ec.privateKey)).sub, "alice");
});

test("[EN-02, EN-05] keys of jwks_uri are fetched, and again if none suits; the code stays valid", async () => {
  let keys: readonly Jwk[] | undefined;
  let fetches = 0;
  const outbound = () => {
    fetches++;
    return Promise.resolve(keys === undefined ? new Response("x", { status: 500 }) : Response.json({ keys }));
  };
  const client = encryptedFor("RSA-OAEP-256", { jwks: undefined, jwks_uri: "https://spa.example/jwks" });
  const b = await server(client, { outbound });
  const code = await b.code();
  const failed = await b.token({ code });
  assertEquals([failed.status, (await failed.json()).error], [503, "temporarily_unavailable"]);
  assertEquals(failed.headers.get("retry-after"), "30");
  assertMatch(getRejections(b.events)[0]!.explanation.received!, /status 500/);
  keys = [ec.jwk];
  b.advance(30);
  const unsuited = await b.token({ code });
  assertEquals([unsuited.status, (await unsuited.json()).error], [400, "invalid_client_metadata"]);
  assertEquals(getRejections(b.events)[1]!.explanation.rule, "EN-05");
  keys = [rsa.jwk];
  const tooSoon = await b.token({ code });
  assertEquals([tooSoon.status, fetches], [400, 2]);
  b.advance(29);
  assertEquals([(await b.token({ code })).status, fetches], [400, 2]);
  b.advance(1);
  const tokens = await (await b.token({ code })).json();
  assertEquals([fetches, typeof tokens.id_token], [3, "string"]);
  const { payload } = await jwtVerify(await decrypt(tokens.id_token, rsa.privateKey), await fetchKeySet(b), {
    currentDate: new Date(Date.UTC(2026, 0, 1)),
  });
  assertEquals(payload.sub, "alice");
});

test("[EN-05] while the keys cannot be fetched, a refresh consumes nothing, and no token without openid needs them", async () => {
  let isDown = false;
  const outbound = () =>
    Promise.resolve(isDown ? new Response("x", { status: 500 }) : Response.json({ keys: [rsa.jwk] }));
  const client = encryptedFor("RSA-OAEP-256", { jwks: undefined, jwks_uri: "https://spa.example/jwks" });
  const b = await server(client, { outbound });
  const refresh = (refresh_token: string) =>
    b.token({
      ...{ grant_type: "refresh_token", refresh_token, code: undefined, redirect_uri: undefined },
      code_verifier: undefined,
    });
  const [{ refresh_token: withOpenid }, { refresh_token: without }] = [
    await exchange(b),
    await exchange(b, "read offline_access"),
  ];
  isDown = true;
  b.advance(601);
  assertEquals((await refresh(withOpenid!)).status, 503);
  assertEquals((await refresh(without!)).status, 200);
  isDown = false;
  b.advance(30);
  assertEquals((await refresh(withOpenid!)).status, 200);
});

test("[EN-05] an unknown client does not learn what its URL led to", async () => {
  const outbound = () => Promise.resolve(new Response("x", { status: 418 }));
  const b = await testServer({ registration: { mode: "open" }, outbound });
  const { client_id } = await (await postRegistration(b, {
    ...{ redirect_uris: [redirectUri], token_endpoint_auth_method: "none" },
    ...{ id_token_encrypted_response_alg: "RSA-OAEP-256", jwks_uri: "https://spa.example/jwks" },
  })).json();
  const response = await b.token({ client_id, code: await b.code({ client_id }) });
  const text = (await response.text()).replaceAll(client_id, "the client");
  assertEquals([response.status, text.includes("418")], [503, false]);
  assertMatch(getRejections(b.events)[0]!.explanation.received!, /418/);
});

test("[EN-03] registration accepts the members with a key, rejects what lacks one, and replaces other algorithms", async () => {
  const b = await testServer({
    ...realHost,
    registration: { mode: "open" },
    insecure: ["auto-login", "open-registration"],
  });
  const metadata = { redirect_uris: [redirectUri], token_endpoint_auth_method: "none", jwks: { keys: [rsa.jwk] } };
  const members = {
    ...{ id_token_encrypted_response_alg: "RSA-OAEP-256", id_token_encrypted_response_enc: "A256GCM" },
    userinfo_encrypted_response_alg: "RSA-OAEP-256",
  };
  const registered = await postRegistration(b, { ...metadata, ...members });
  const body = await registered.json();
  assertEquals(registered.status, 201);
  for (const [name, value] of Object.entries(members)) assertEquals(body[name], value, name);
  for (const alg of ["RSA1_5", "RSA-OAEP", "dir", "A128KW", "none", "PBES2-HS256+A128KW"]) {
    b.advance(60);
    const unsupported = { id_token_encrypted_response_alg: alg, id_token_encrypted_response_enc: "A128GCM" };
    const replaced = await (await postRegistration(b, { ...metadata, ...unsupported })).json();
    assertMatch(replaced.client_id, /^registered-/);
    assertEquals([replaced.id_token_encrypted_response_alg, replaced.id_token_encrypted_response_enc], [
      undefined,
      undefined,
    ]);
  }
  const enc = { id_token_encrypted_response_alg: "RSA-OAEP-256", id_token_encrypted_response_enc: "A192GCM" };
  const kept = await (await postRegistration(b, { ...metadata, ...enc })).json();
  assertEquals([kept.id_token_encrypted_response_alg, kept.id_token_encrypted_response_enc], [
    "RSA-OAEP-256",
    undefined,
  ]);
  for (
    const wrong of [
      { id_token_encrypted_response_alg: "ECDH-ES" },
      { id_token_encrypted_response_enc: "A128GCM" },
      { id_token_encrypted_response_alg: "RSA-OAEP-256", jwks: { keys: [{ ...rsa.jwk, use: "sig" }] } },
      { userinfo_encrypted_response_alg: "RSA-OAEP-256", jwks: undefined },
      { userinfo_encrypted_response_enc: "A128GCM" },
    ]
  ) {
    b.advance(60);
    const response = await postRegistration(b, { ...metadata, ...wrong });
    assertEquals(await outcomeOf(response), "400 invalid_client_metadata", JSON.stringify(wrong));
  }
  const error = await assertRejects(
    () => latchkey({ clients: [encryptedFor("ECDH-ES", { jwks: { keys: [rsa.jwk] } })] }),
    ConfigurationError,
  );
  assertEquals(error.issues.map(({ path }) => path), ["clients[0].jwks"]);
  assertMatch(error.issues[0]!.expected, /^a public key for ECDH-ES: an EC key on P-256/);
});

test("[EN-04] userinfo is encrypted: the claims, or the signed JWT; errors are not", async () => {
  for (const alg of [undefined, "ES256"] as const) {
    const b = await server(spa({
      ...{ userinfo_encrypted_response_alg: "ECDH-ES+A128KW", userinfo_signed_response_alg: alg },
      jwks: { keys: [ec.jwk] },
    }));
    const { access_token, id_token } = await exchange(b);
    assertEquals(id_token!.split(".").length, 3);
    const response = await userinfo(b, access_token!);
    assertEquals(response.headers.get("content-type"), "application/jwt");
    const jwe = await response.text();
    assertEquals(decodeProtectedHeader(jwe).cty, alg && "JWT");
    const text = await decrypt(jwe, ec.privateKey);
    if (alg === undefined) assertEquals(JSON.parse(text), { sub: "alice" });
    else {
      const { payload } = await jwtVerify(text, await fetchKeySet(b), { issuer: b.as.issuer, audience: "spa" });
      assertEquals(payload.sub, "alice");
    }
    const rejection = await userinfo(b, "x");
    assertEquals([rejection.status, rejection.headers.get("content-type")], [401, "application/json"]);
  }
});

test("[EN-05] userinfo for a client without a key that suits is an error, and not in plain text", async () => {
  let keys = [rsa.jwk];
  const b = await server(
    spa({ userinfo_encrypted_response_alg: "RSA-OAEP-256", jwks_uri: "https://spa.example/jwks" }),
    { outbound: () => Promise.resolve(Response.json({ keys })) },
  );
  const { access_token } = await exchange(b);
  keys = [];
  b.advance(0);
  const response = await userinfo(b, access_token!);
  assertEquals([response.status, (await response.text()).includes("alice")], [400, false]);
});

test("[EN-06] metadata lists the algorithms", async () => {
  const b = await testServer();
  const metadata = await (await b.get("/.well-known/openid-configuration")).json();
  for (const response of ["id_token", "userinfo"]) {
    assertEquals(metadata[`${response}_encryption_alg_values_supported`], keyManagementAlgorithms);
    assertEquals(metadata[`${response}_encryption_enc_values_supported`], contentEncryptions);
  }
});

test("[EN-07] the decrypted ID token is accepted as id_token_hint, the encrypted one is not", async () => {
  const b = await server(encryptedFor("RSA-OAEP-256"));
  const { id_token } = await exchange(b);
  const hint = async (id_token_hint: string) =>
    new URL((await b.authorize({ id_token_hint })).headers.get("location")!).searchParams;
  assert((await hint(await decrypt(id_token!, rsa.privateKey))).has("code"));
  assertEquals((await hint(id_token!)).get("error"), "invalid_request");
});

test("[EN-02, EN-05] a key set with a private key is rejected from jwks_uri as it is from jwks, for each private member", async () => {
  const secret = await exportJWK(rsa.privateKey);
  const privateMembers = Object.keys(secret).filter((name) => !(name in rsa.jwk));
  assertEquals(privateMembers.sort(), ["d", "dp", "dq", "p", "q", "qi"]);
  for (
    const [name, value] of [...privateMembers.map((name) => [name, secret[name as "d"]] as const), ["k", "c2VjcmV0"]]
  ) {
    const keys = [ec.jwk, { ...rsa.jwk, [name!]: value }];
    const registered = spa({ id_token_encrypted_response_alg: "RSA-OAEP-256", jwks: { keys } });
    await assertRejects(() => server(registered), ConfigurationError, `the private member "${name}"`);
    const client = encryptedFor("RSA-OAEP-256", { jwks: undefined, jwks_uri: "https://spa.example/jwks" });
    const b = await server(client, { outbound: () => Promise.resolve(Response.json({ keys })) });
    const response = await b.token({ code: await b.code() });
    assertEquals([response.status, (await response.json()).error], [503, "temporarily_unavailable"]);
    const { expected, received } = getRejections(b.events).at(-1)!.explanation;
    assertEquals([expected, received], [
      "public keys from https://spa.example/jwks",
      `a key with the private member ${name}`,
    ]);
  }
});
