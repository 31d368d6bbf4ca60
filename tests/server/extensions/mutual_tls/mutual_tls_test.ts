/** Mutual TLS: certificates authenticate clients and bind tokens (RFC 8705, RFC 9440; group MT). */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { Buffer } from "node:buffer";
import { createHash, X509Certificate } from "node:crypto";
import { test } from "node:test";
import { ConfigurationError, extensions, type LatchkeyOptions } from "../../../../src/mod.ts";
import type { FetchInit } from "../../../../src/testing/fetch.ts";
import { testLatchkey } from "../../../testing/test_latchkey.ts";
import { basic, decodeClaims, encode, type Fields, getRejections, type TestServer, testServer } from "../../../kit.ts";
import { dpopProofs, jwksVerifier, mcpServer, type RequiredToken, requireToken } from "../../../../src/resource/mod.ts";
import type { ResourceRejection } from "../../../../src/resource/protected_resource.ts";
import { postRegistration, register } from "../../registering.ts";
import * as certificates from "./certificates.ts";
import { makeCertificate } from "./make_certificate.ts";

const { authority, issued, issuedToOther, selfSigned, expired, joinedNames } = certificates;
const base64 = (pem: string) => new X509Certificate(pem).raw.toString("base64");
const thumbprint = (pem: string) => createHash("sha256").update(new X509Certificate(pem).raw).digest("base64url");
const header = (pem: string) => ({ "client-cert": `:${base64(pem)}:` });

const grant_types = ["client_credentials"] as const;
const redirect_uris = ["https://client.test/cb"];
const byAuthority = (member: object) => ({
  client_id: "tls",
  token_endpoint_auth_method: "tls_client_auth" as const,
  grant_types,
  ...member,
});
const selfSignedClient = {
  client_id: "self",
  token_endpoint_auth_method: "self_signed_tls_client_auth",
  jwks: { keys: [{ kty: "EC", x5c: [base64(selfSigned)] }] },
  grant_types,
  tls_client_certificate_bound_access_tokens: true,
} as const;
const dnsClient = byAuthority({ tls_client_auth_san_dns: "client.test" });
const bound = {
  tls_client_certificate_bound_access_tokens: true,
  grant_types: ["authorization_code", "refresh_token"],
};
const publicClient = { client_id: "spa", redirect_uris: ["https://spa.example/cb"], ...bound } as const;
const secretClient = { client_id: "web", client_secret: "web-secret", grant_types, redirect_uris };

type Peer = NonNullable<Parameters<TestServer["as"]["fetch"]>[1]>;

function mutualTlsServer(options: LatchkeyOptions = {}): Promise<TestServer> {
  return testServer({
    now: () => Date.UTC(2027, 0, 1),
    mutualTls: { authorities: [authority] },
    clients: [dnsClient, selfSignedClient, publicClient, secretClient],
    ...options,
  });
}

/** POST of a form over a connection. @returns Its status and body. */
async function post(
  { as }: TestServer,
  path: string,
  fields: Fields,
  peer: Peer = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<{ outcome: string; body: Record<string, string> }> {
  const form = { "content-type": "application/x-www-form-urlencoded", ...headers };
  const request = new Request(as.issuer + path, { method: "POST", headers: form, body: encode(fields) });
  const response = await as.fetch(request, peer);
  const body = await response.json();
  return { outcome: body.error === undefined ? `${response.status}` : `${response.status} ${body.error}`, body };
}

/** The outcome of a token request for the client itself. */
async function attempt(
  server: TestServer,
  client_id: string,
  peer?: Peer,
  headers?: Readonly<Record<string, string>>,
  fields: Fields = {},
): Promise<string> {
  const credentials = { grant_type: "client_credentials", client_id, ...fields };
  return (await post(server, "/oauth2/token", credentials, peer, headers)).outcome;
}

function userinfo({ as }: TestServer, token: string, peer: Peer): Promise<Response> {
  return as.fetch(new Request(`${as.issuer}/oauth2/userinfo`, { headers: { authorization: `Bearer ${token}` } }), peer);
}

test("[MT-01] an authority, the times, and one name of the certificate authenticate a client", async () => {
  for (
    const member of [
      { tls_client_auth_subject_dn: "CN=client,O=Example\\, Inc.,C=DE" },
      { tls_client_auth_subject_dn: "cn=client, o=Example\\, Inc., c=DE" },
      { tls_client_auth_san_dns: "client.test" },
      { tls_client_auth_san_uri: "https://client.test/a" },
      { tls_client_auth_san_ip: "192.0.2.7" },
      { tls_client_auth_san_ip: "2001:db8::1" },
      { tls_client_auth_san_email: "a@client.test" },
    ]
  ) {
    await using server = (await mutualTlsServer({ clients: [byAuthority(member)] })).as;
    const of = { as: server } as TestServer;
    const outcomes = [];
    for (const certificate of [issued, issuedToOther, selfSigned, expired, joinedNames]) {
      outcomes.push(await attempt(of, "tls", { certificate }));
    }
    assertEquals(outcomes, ["200", ...Array(4).fill("401 invalid_client")], JSON.stringify(member));
  }
  for (const name of ["CN=client", "C=DE,O=Example\\, Inc.,CN=client", "CN=Client,O=Example\\, Inc.,C=DE", "?"]) {
    const server = await mutualTlsServer({ clients: [byAuthority({ tls_client_auth_subject_dn: name })] });
    assertEquals(await attempt(server, "tls", { certificate: issued }), "401 invalid_client", name);
  }
});

test("[MT-01] a rejection names the subject, or the alternative names, of the certificate", async () => {
  const received = async (member: object) => {
    const server = await mutualTlsServer({ clients: [byAuthority(member)] });
    await attempt(server, "tls", { certificate: issuedToOther });
    const { explanation } = getRejections(server.events)[0]!;
    return [explanation.expected, explanation.received, explanation.fix];
  };
  assertEquals(await received({ tls_client_auth_subject_dn: "CN=api,O=Example,C=DE" }), [
    'tls_client_auth_subject_dn "CN=api,O=Example,C=DE"',
    '"CN=other,O=Example,C=DE"',
    "Compare tls_client_auth_subject_dn with the output of openssl x509 -noout -subject -nameopt RFC2253 -in client.pem.",
  ]);
  assertEquals((await received({ tls_client_auth_san_dns: "api.test" })).slice(0, 2), [
    'tls_client_auth_san_dns "api.test"',
    '"DNS:other.test"',
  ]);
});

test("[MT-01, MT-02] a rejection names the authorities, and the issuer or thumbprint of the certificate", async () => {
  const explain = async (client_id: string, certificate: string, options: LatchkeyOptions = {}) => {
    const server = await mutualTlsServer(options);
    await attempt(server, client_id, { certificate });
    const { explanation } = getRejections(server.events)[0]!;
    return [explanation.expected, explanation.received];
  };
  const [expected, received] = await explain("tls", selfSigned);
  assertEquals(expected, 'a certificate by one of these authorities: "CN=Test CA"');
  assertMatch(received!, /^a certificate by "CN=client,O=Example.*, Inc.,C=DE"$/);
  assertEquals(await explain("self", issued), [
    "a certificate that is the first of x5c of a key in jwks",
    `the certificate with the SHA-256 thumbprint ${thumbprint(issued)}`,
  ]);
});

test("[MT-02] a configured certificate that cannot be read, or not compared, is reported at the start", async () => {
  const wrapped = base64(selfSigned).replace(/.{64}/g, "$&\n");
  for (const x5c of [["MIIB…"], [], [selfSigned], [wrapped]]) {
    const jwks = { keys: [{ kty: "X", x5c }] };
    const { issues } = await assertRejects(
      () => mutualTlsServer({ clients: [{ ...selfSignedClient, jwks }] }),
      ConfigurationError,
    );
    assertEquals(issues.map(({ path, expected }) => [path, expected]), [
      ["clients[0].jwks.keys[0].x5c[0]", "the DER bytes of a certificate, as base64"],
    ]);
  }
});

test("[MT-01] a client has exactly one subject, and authorities are certificates of authorities", async () => {
  const issues = async (options: LatchkeyOptions) =>
    (await assertRejects(() => mutualTlsServer(options), ConfigurationError)).issues.map(({ path }) => path);
  const two = byAuthority({ tls_client_auth_san_dns: "client.test", tls_client_auth_san_ip: "192.0.2.7" });
  const path = "clients[0].tls_client_auth_";
  assertEquals(await issues({ clients: [two] }), [`${path}san_dns`]);
  assertEquals(await issues({ clients: [byAuthority({})] }), [`${path}subject_dn`]);
  assertEquals(await issues({ clients: [{ ...secretClient, tls_client_auth_san_dns: "client.test" }] }), [
    `${path}san_dns`,
  ]);
  assertEquals(await issues({ clients: [{ ...selfSignedClient, jwks: { keys: [] } }] }), ["clients[0].jwks"]);
  for (
    const [pem, received] of [
      [makeCertificate("EC", 1).cert, "one of version 1 that may not issue certificates"],
      [issued, "one of version 3 that may not issue certificates"],
      ["?", '"?"'],
    ] as const
  ) {
    const start = () => mutualTlsServer({ clients: [], mutualTls: { authorities: [pem] } });
    const [issue] = (await assertRejects(start, ConfigurationError)).issues;
    assertEquals([issue!.path, issue!.received], ["mutualTls.authorities[0]", received]);
  }
});

test("[MT-02] the registered certificate authenticates a client, as DER or PEM, until it expires", async () => {
  const server = await mutualTlsServer();
  const { raw } = new X509Certificate(selfSigned);
  assertEquals(await attempt(server, "self", { certificate: selfSigned }), "200");
  assertEquals(await attempt(server, "self", { certificate: new Uint8Array(raw) }), "200");
  assertEquals(await attempt(server, "self", { certificate: issued }), "401 invalid_client");
  assertEquals(await attempt(server, "self", { certificate: "?" }), "400 invalid_request");
  const later = await mutualTlsServer({ now: () => Date.UTC(2127, 0, 1) });
  assertEquals(await attempt(later, "self", { certificate: selfSigned }), "401 invalid_client");
});

test("[MT-02] the fetch of a mock passes the certificate of its second argument", async () => {
  const mock = await testLatchkey({ startsAt: "2027-01-01", mutualTls: {}, clients: [selfSignedClient] });
  const body = new URLSearchParams({ grant_type: "client_credentials", client_id: "self" });
  const attemptWith = async (init: FetchInit) =>
    (await mock.fetch("/oauth2/token", { method: "POST", body, ...init })).status;
  assertEquals(await attemptWith({ certificate: selfSigned }), 200);
  assertEquals(await attemptWith({ certificate: new Uint8Array(new X509Certificate(selfSigned).raw) }), 200);
  assertEquals(await attemptWith({ certificate: issued }), 401);
  assertEquals(await attemptWith({}), 401);
  await mock.close();
});

test("[MT-03] neither no certificate, nor a secret, nor the certificate of another client is enough", async () => {
  const server = await mutualTlsServer();
  for (const id of ["tls", "self"]) {
    assertEquals(await attempt(server, id), "401 invalid_client");
    assertEquals(await attempt(server, id, { certificate: issuedToOther }), "401 invalid_client");
    const peer = { certificate: id === "tls" ? issued : selfSigned };
    assertEquals(await attempt(server, id, peer, {}, { client_secret: "web-secret" }), "401 invalid_client");
    assertEquals(await attempt(server, id, peer, basic(id, "")), "401 invalid_client");
  }
  assertEquals(await attempt(server, "web", { certificate: issued }), "401 invalid_client");
  assertEquals(await attempt(server, "web", { certificate: issued }, {}, { client_secret: "web-secret" }), "200");
});

test("[MT-04] Client-Cert counts from a trusted proxy only, and only if the setting names it", async () => {
  const trustProxy = ["10.0.0.1"];
  const mutualTls = { authorities: [authority], proxyHeader: "client-cert" } as const;
  const server = await mutualTlsServer({ trustProxy, mutualTls });
  const proxy = { address: "10.0.0.1" };
  assertEquals(await attempt(server, "tls", proxy, header(issued)), "200");
  assertEquals(await attempt(server, "tls", proxy, header(issuedToOther)), "401 invalid_client");
  assertEquals(await attempt(server, "tls", proxy), "401 invalid_client");
  assertEquals(await attempt(server, "tls", { ...proxy, certificate: issued }), "401 invalid_client");
  for (const value of ["?", base64(issued), `:${base64(issued)}:, :${base64(issued)}:`, ":AAAA:"]) {
    assertEquals(await attempt(server, "tls", proxy, { "client-cert": value }), "400 invalid_request", value);
  }
  for (const other of [{}, { address: "192.0.2.1" }]) {
    assertEquals(await attempt(server, "tls", other, header(issued)), "401 invalid_client");
  }
  const unset = await mutualTlsServer({ trustProxy });
  assertEquals(await attempt(unset, "tls", proxy, header(issued)), "401 invalid_client");
  const untrusting = await mutualTlsServer({ mutualTls });
  assertEquals(await attempt(untrusting, "tls", proxy, header(issued)), "401 invalid_client");
});

test("[MT-04] a certificate with a malformed part authenticates no client, also where the runtime accepts that part", async () => {
  const server = await mutualTlsServer();
  const altered = (text: string, replacement: string) => {
    const der = Buffer.from(new X509Certificate(issued).raw);
    der.write(replacement, der.indexOf(text), "latin1");
    return der;
  };
  // The time from which it is valid, and a subject that is not UTF-8.
  for (const certificate of [altered("261124000904Z", "26XX24000904Z"), altered("Example", "Ex\xFFmple")]) {
    assertMatch(await attempt(server, "tls", { certificate }), /^400 invalid_(?:request|client)$/);
  }
});

test("[MT-05, MT-06, MT-07] tokens of a public client are bound to its certificate, also by extensions in reverse", async () => {
  for (const [accessTokenFormat, order] of [["jwt", extensions], ["opaque", extensions.toReversed()]] as const) {
    const server = await mutualTlsServer({ accessTokenFormat, extensions: order });
    const code = await server.code({ scope: "openid offline_access" });
    const fields = {
      grant_type: "authorization_code",
      client_id: "spa",
      redirect_uri: "https://spa.example/cb",
      code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
      code,
    };
    const peer = { certificate: issued };
    for (const bad of [{}, { certificate: expired }]) {
      assertEquals((await post(server, "/oauth2/token", fields, bad)).outcome, "400 invalid_request");
    }
    assertEquals((await post(server, "/oauth2/token", fields, peer, { dpop: "x" })).outcome, "400 invalid_request");
    const { body } = await post(server, "/oauth2/token", fields, peer);
    assertEquals(body.token_type, "Bearer");
    if (accessTokenFormat === "jwt") {
      assertEquals(decodeClaims(body.access_token!).cnf, { "x5t#S256": thumbprint(issued) });
    }
    assertEquals((await userinfo(server, body.access_token!, peer)).status, 200);
    for (const bad of [{}, { certificate: selfSigned }]) {
      const rejected = await userinfo(server, body.access_token!, bad);
      assertEquals([rejected.status, (await rejected.json()).error], [401, "invalid_token"]);
    }
    assertEquals(getRejections(server.events).at(-1)!.explanation.received, thumbprint(selfSigned));
    const again = { grant_type: "refresh_token", client_id: "spa", refresh_token: body.refresh_token! };
    assertEquals((await post(server, "/oauth2/token", again)).outcome, "400 invalid_request");
    assertEquals(
      (await post(server, "/oauth2/token", again, { certificate: selfSigned })).outcome,
      "400 invalid_grant",
    );
    assertEquals((await post(server, "/oauth2/token", again, peer)).outcome, "200");
  }
});

test("[MT-05] introspection shows the certificate that a token is bound to, and metadata offers it", async () => {
  const server = await mutualTlsServer();
  const peer = { certificate: selfSigned };
  const fields = { grant_type: "client_credentials", client_id: "self" };
  const { body: { access_token: token } } = await post(server, "/oauth2/token", fields, peer);
  const { body } = await post(server, "/oauth2/introspect", { client_id: "self", token }, peer);
  assertEquals([body.active, body.token_type, body.cnf] as unknown[], [true, "Bearer", {
    "x5t#S256": thumbprint(selfSigned),
  }]);
  const offered = async (options: LatchkeyOptions) => {
    const metadata = await (await (await mutualTlsServer(options)).get("/.well-known/openid-configuration")).json();
    const { token_endpoint_auth_methods_supported: methods } = metadata;
    return [
      methods.includes("tls_client_auth"),
      methods.includes("self_signed_tls_client_auth"),
      metadata.tls_client_certificate_bound_access_tokens,
    ];
  };
  assertEquals(await offered({}), [true, true, true]);
  assertEquals(await offered({ clients: [], mutualTls: {} }), [false, true, true]);
  assertEquals(await offered({ clients: [], mutualTls: undefined }), [false, false, undefined]);
  const { issues } = await assertRejects(
    () => mutualTlsServer({ clients: [publicClient], mutualTls: undefined }),
    ConfigurationError,
  );
  assertEquals(issues.map(({ path }) => path), ["clients[0].tls_client_certificate_bound_access_tokens"]);
});

/** The tokens of `self`, which are bound to its certificate. */
async function boundToken(server: TestServer, fields: Fields = {}): Promise<string> {
  const request = { grant_type: "client_credentials", client_id: "self", ...fields };
  const { outcome, body } = await post(server, "/oauth2/token", request, { certificate: selfSigned });
  assertEquals(outcome, "200");
  return body.access_token!;
}

const api = "https://api.example/files";

test("[MT-06] requireToken accepts a bound token with its certificate, as DER or PEM, and explains every other request", async () => {
  const server = await mutualTlsServer({ clients: [{ ...selfSignedClient, serves: [api] }] });
  const token = await boundToken(server, { resource: api });
  assertEquals(decodeClaims(token).cnf, { "x5t#S256": thumbprint(selfSigned) });
  const reach = {
    issuer: server.as.issuer,
    now: () => Date.UTC(2027, 0, 1),
    fetch: (input: RequestInfo | URL, init?: RequestInit) => server.as.fetch(new Request(input, init)),
  };
  const verifier = jwksVerifier(reach);
  const rejections: ResourceRejection[] = [];
  const call = async (options: Partial<RequiredToken>, scheme = "Bearer") => {
    const request = new Request(api, { headers: { authorization: `${scheme} ${token}` } });
    const onRejection = (rejection: ResourceRejection) => void rejections.push(rejection);
    const result = await requireToken(request, { resource: api, verifier, onRejection, ...options });
    return result instanceof Response ? `${result.status} ${(await result.json()).error}` : result.client_id;
  };
  const der = new X509Certificate(selfSigned).raw;
  const dpop = dpopProofs({ required: true });
  for (const certificate of [selfSigned, der]) {
    assertEquals([await call({ certificate }), await call({ certificate, dpop })], ["self", "self"]);
  }
  assertEquals(rejections, []);
  for (
    const [certificate, received] of [
      [undefined, "no certificate"],
      [issued, thumbprint(issued)],
      ["no PEM", "bytes that are no certificate"],
      [new Uint8Array(0), "bytes that are no certificate"],
    ] as const
  ) {
    assertEquals(await call({ certificate }), "401 invalid_token");
    const { rule, expected, received: shown, fix } = rejections.at(-1)!;
    assertEquals([rule, shown], ["MT-06", received]);
    assertEquals(expected, `the certificate with the SHA-256 thumbprint ${thumbprint(selfSigned)}`);
    assertEquals(fix!.includes("requireToken()"), certificate === undefined);
  }
  assertEquals(await call({ certificate: selfSigned, dpop }, "DPoP"), "401 invalid_dpop_proof");
  const unbound = await mutualTlsServer({ clients: [{ ...secretClient, grant_types }] });
  const { body } = await post(
    unbound,
    "/oauth2/token",
    { grant_type: "client_credentials", resource: api },
    {},
    basic("web", "web-secret"),
  );
  const request = new Request(api, { headers: { authorization: `Bearer ${body.access_token}` } });
  const fetch: typeof reach.fetch = (input, init) => unbound.as.fetch(new Request(input, init));
  const claims = await requireToken(request, { resource: api, verifier: jwksVerifier({ ...reach, fetch }) });
  assertEquals(claims instanceof Response, false);
});

test("[MT-06] a hosted resource accepts a bound token with its certificate alone, by keys and by introspection", async () => {
  for (const verifyBy of ["jwks", "introspection"] as const) {
    const server = await mutualTlsServer({ plugins: [mcpServer("/mcp", { scopes: [], verifyBy })] });
    const resource = `${server.as.issuer}/mcp`;
    const token = await boundToken(server, { resource });
    const call = async (peer: Peer, headers: Readonly<Record<string, string>> = {}) => {
      const request = new Request(resource, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, ...headers },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "whoami" } }),
      });
      const response = await server.as.fetch(request, peer);
      const body = await response.json();
      return response.status === 200 ? body.result.structuredContent.client_id : `${response.status} ${body.error}`;
    };
    assertEquals(await call({ certificate: selfSigned }), "self");
    assertEquals(await call({}), "401 invalid_token");
    assertEquals(await call({ certificate: issued }), "401 invalid_token");
    assertEquals(await call({}, header(selfSigned)), "401 invalid_token");
    const { explanation } = server.events.findLast(({ type }) => type === "rejected") as {
      readonly explanation: { readonly rule: string };
    };
    assertEquals(explanation.rule, "MT-06");
  }
});

test("[MT-01, MT-02, MT-05] clients register themselves for certificates, and then use them", async () => {
  const server = await mutualTlsServer({ registration: { mode: "open", scope: "all" } });
  const { client_id: _, ...self } = { ...selfSignedClient, redirect_uris };
  const grants = ["authorization_code", "client_credentials"];
  const registered = await register(server, { ...self, grant_types: grants });
  assertEquals(registered.tls_client_certificate_bound_access_tokens, true);
  const { client_id } = registered as { readonly client_id: string };
  assertEquals(await attempt(server, client_id, { certificate: selfSigned }), "200");
  assertEquals(await attempt(server, client_id, { certificate: issued }), "401 invalid_client");
  const { client_id: dns } = await register(server, {
    ...{ token_endpoint_auth_method: "tls_client_auth", tls_client_auth_san_dns: "client.test" },
    ...{ redirect_uris, grant_types: grants },
  }) as { readonly client_id: string };
  assertEquals(await attempt(server, dns, { certificate: issued }), "200");
  for (const metadata of [{ token_endpoint_auth_method: "tls_client_auth" }, { ...self, jwks: undefined }]) {
    const rejected = await postRegistration(server, { ...metadata, redirect_uris });
    assertEquals([rejected.status, (await rejected.json()).error], [400, "invalid_client_metadata"]);
  }
});

test("[MT-05, TX-04] a token exchange needs the certificate of the exchanged token, and binds the new one to it", async () => {
  const type = "urn:ietf:params:oauth:grant-type:token-exchange";
  const jwks = { keys: [selfSigned, issued].map((pem) => ({ kty: "EC", x5c: [base64(pem)] })) };
  const server = await mutualTlsServer({
    tokenExchange: {},
    clients: [{ ...selfSignedClient, redirect_uris, grant_types: ["authorization_code", type], jwks }],
  });
  const [redirect_uri] = redirect_uris;
  const code = await server.code({ client_id: "self", redirect_uri, scope: "read" });
  const code_verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
  const request = { grant_type: "authorization_code", client_id: "self", redirect_uri, code_verifier, code };
  const { body: { access_token: own } } = await post(server, "/oauth2/token", request, { certificate: selfSigned });
  const exchange = (subject_token: string, peer: Peer) => {
    const subject_token_type = "urn:ietf:params:oauth:token-type:access_token";
    const fields = { grant_type: type, client_id: "self", subject_token, subject_token_type };
    return post(server, "/oauth2/token", fields, peer);
  };
  assertEquals((await exchange(own!, {})).outcome, "401 invalid_client");
  const { outcome, body } = await exchange(own!, { certificate: selfSigned });
  assertEquals([outcome, body.token_type], ["200", "Bearer"]);
  assertEquals(decodeClaims(body.access_token!).cnf, { "x5t#S256": thumbprint(selfSigned) });
  assertEquals((await exchange(own!, { certificate: issued })).outcome, "400 invalid_request");
  const { explanation } = server.events.findLast(({ type }) => type === "rejected") as {
    readonly explanation: { readonly rule: string; readonly expected: string };
  };
  assertEquals([explanation.rule, explanation.expected.includes(thumbprint(selfSigned))], ["TX-04", true]);
});
