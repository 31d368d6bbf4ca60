/**
 * Metadata and keys: that what the server says of itself is so, and that its keys outlive what they signed (MD, JK).
 *
 * @extensions all
 */

import {
  assert,
  assertEquals,
  assertGreater,
  assertGreaterOrEqual,
  assertLessOrEqual,
  assertMatch,
  assertRejects,
} from "@std/assert";
import { decodeProtectedHeader, type JWK, jwtVerify } from "jose";
import { Buffer } from "node:buffer";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { inspect } from "node:util";
import { allowInsecureRequests, customFetch, discoveryRequest, processDiscoveryResponse } from "oauth4webapi";
import { ConfigurationError, type LatchkeyOptions, memoryStore } from "../../../src/mod.ts";
import { formattedStore } from "../../../src/core/store/format.ts";
import { sqliteStore } from "../../../src/core/store/sqlite.ts";
import {
  assertTokenResponse,
  decodeClaims,
  encode,
  fetchKeySet,
  forEachCase,
  getRedirectParams,
  goodRequest,
  testServer,
  verifier,
} from "../../kit.ts";
import type { Fields, TestServer, TokenResponseBody } from "../../kit.ts";
import { extensionEndpoints, untested } from "../extensions/metadata_attempts.ts";
import { latchkey } from "../../secret_leak_check.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-metadata-"));

after(() => rmSync(folder, { recursive: true }));

let files = 0;
const newPath = () => join(folder, `${files++}.db`);

type Metadata = Record<string, unknown> & {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly jwks_uri: string;
};

/** Any URL of the server, whatever its issuer. */
function at({ as }: TestServer, url: string, init?: RequestInit): Promise<Response> {
  return as.fetch(new Request(url, { redirect: "manual", ...init }));
}

/** Where clients look for the documents of an issuer: the well-known name before the issuer's path, and after it. */
function documentUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  return [
    ...new Set([
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}/.well-known/openid-configuration${path}`,
      `${origin}${path}/.well-known/openid-configuration`,
      `${origin}${path}/.well-known/oauth-authorization-server`,
    ]),
  ];
}

async function documents(b: TestServer): Promise<Metadata[]> {
  return await Promise.all(documentUrls(b.as.issuer).map(async (url) => (await at(b, url)).json()));
}

/** Sends an authorization request to the endpoint that metadata names. */
function authorizeBy(b: TestServer, metadata: Metadata, fields: Fields = {}): Promise<Response> {
  return at(b, `${metadata.authorization_endpoint}?${encode({ ...goodRequest, ...fields })}`);
}

/** Sends a token request to the endpoint that metadata names. */
function exchangeBy(
  b: TestServer,
  metadata: Metadata,
  fields: Fields,
  headers: Record<string, string> = {},
): Promise<Response> {
  return at(b, metadata.token_endpoint, {
    method: "POST",
    body: encode({
      grant_type: "authorization_code",
      client_id: "spa",
      redirect_uri: "https://spa.example/cb",
      code_verifier: verifier,
      ...fields,
    }),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  });
}

/** The whole flow, with changes to the authorization request. */
async function flowBy(b: TestServer, metadata: Metadata, fields: Fields = {}): Promise<TokenResponseBody> {
  const code = getRedirectParams(await authorizeBy(b, metadata, fields)).get("code") ?? undefined;
  const { client_id, redirect_uri } = fields;
  return await assertTokenResponse(
    await exchangeBy(b, metadata, { code, ...client_id && { client_id }, ...redirect_uri && { redirect_uri } }),
  );
}

const issuers = [
  ...["https://as.test", "https://as.test/", "https://as.test:8443", "https://as.test/t1", "https://as.test/t1/"],
  ...["https://as.test/a/b", "http://localhost:9000", "http://127.0.0.1:9000/x", "http://[::1]:9000"],
];

test("[MD-01] both documents are 200 in JSON, without a redirect, readable from any origin, with a short cache time", async () => {
  const b = await testServer();
  await forEachCase(documentUrls("https://as.test"), async (url) => {
    const response = await at(b, url, { headers: { origin: "https://spa.example" } });
    assertEquals([response.status, response.headers.get("location")], [200, null]);
    assertMatch(response.headers.get("content-type") ?? "", /^application\/json\b/);
    assertEquals(response.headers.get("access-control-allow-origin"), "*");
    const seconds = /(?:^|[ ,])max-age=(\d+)/.exec(response.headers.get("cache-control") ?? "")?.[1];
    assertGreater(Number(seconds), 0);
    assertLessOrEqual(Number(seconds), 3600);
    assertEquals(typeof (await response.json()).issuer, "string");
  });
});

test("[MD-02] an issuer with a path has one document at four URLs, and none at another issuer's", async () => {
  await forEachCase(["https://as.test/t1", "https://as.test/t1/", "https://as.test/a/b"], async (issuer) => {
    const b = await testServer({ issuer });
    const found = await documents(b);
    assertEquals(found.length, 4);
    for (const one of found) assertEquals(one, found[0]);
    for (const name of ["oauth-authorization-server", "openid-configuration"]) {
      for (const path of ["", "/", "/t2", "/t1/x", "/T1"]) {
        assertEquals((await at(b, `https://as.test/.well-known/${name}${path}`)).status, 404);
      }
    }
  });
});

test("[MD-01, MD-02] oauth4webapi discovers every issuer by both methods", async () => {
  // It keeps a trailing slash behind the inserted path, against RFC 8414 §3.1, so such an issuer is discovered by
  // OpenID's.
  await forEachCase(issuers.filter((issuer) => !issuer.endsWith("1/")), async (issuer) => {
    const b = await testServer({ issuer });
    const url = new URL(issuer);
    for (const algorithm of ["oidc", "oauth2"] as const) {
      const options = { algorithm, [customFetch]: (found: string) => at(b, found), [allowInsecureRequests]: true };
      const response = await discoveryRequest(url, options);
      assertEquals((await response.clone().json()).issuer, issuer);
      // It compares with the URL as it is normalised, where an issuer without a path has a slash.
      if (url.href === issuer) await processDiscoveryResponse(url, response);
    }
  });
});

test("[MD-03, JA-03] issuer is the configured string in every document, in iss as parameter and claim, and in the audience", async () => {
  await forEachCase(issuers, async (issuer) => {
    const b = await testServer({ issuer });
    for (const metadata of await documents(b)) {
      assertEquals(metadata.issuer, issuer);
      assertEquals(getRedirectParams(await authorizeBy(b, metadata)).get("iss"), issuer);
      assertEquals(getRedirectParams(await authorizeBy(b, metadata, { scope: "admin" })).get("iss"), issuer);
      const { access_token, id_token } = await flowBy(b, metadata);
      assertEquals([decodeClaims(access_token).iss, decodeClaims(id_token).iss], [issuer, issuer]);
      assertEquals(decodeClaims(access_token).aud, issuer);
    }
  });
});

test("[MD-03] an issuer with a query, a fragment or without https is rejected at startup", async () => {
  await forEachCase([
    ...["https://as.test?", "https://as.test?a=b", "https://as.test/t1?a", "https://as.test#", "https://as.test/#a"],
    ...["http://as.widgets.com", "http://as.test.widgets.com", "ftp://as.test", "as.test", "//as.test", "", "https://"],
    ...["https://user@as.test", "https://as.test/ ", "https://as.test/a b", "HTTPS://as.test", "https://AS.test"],
  ], async (issuer) => {
    const options = { issuer, insecure: ["auto-login", "demo-clients"] as const };
    const error = await assertRejects(() => latchkey(options), ConfigurationError);
    assertEquals(error.issues[0]!.path, "issuer");
  });
});

/** Response to a GET without parameters. */
const statusOfEndpoints: Readonly<Record<string, number>> = {
  authorization_endpoint: 400,
  token_endpoint: 405,
  jwks_uri: 200,
  userinfo_endpoint: 401,
  revocation_endpoint: 405,
  introspection_endpoint: 405,
  end_session_endpoint: 200,
  registration_endpoint: 405,
  pushed_authorization_request_endpoint: 405,
  device_authorization_endpoint: 405,
  ...extensionEndpoints,
};

test("[MD-04] every listed endpoint is an absolute URL below the issuer, and responds", async () => {
  await forEachCase(issuers, async (issuer) => {
    const b = await testServer({ issuer });
    for (const metadata of await documents(b)) {
      const urls = Object.entries(metadata).filter(([name]) => /(?:_endpoint|_uri)$/.test(name)) as [string, string][];
      assertEquals(urls.map(([name]) => name).sort(), Object.keys(statusOfEndpoints).sort(), untested);
      for (const [name, url] of urls) {
        assertEquals(new URL(url).href, url);
        assert(url.startsWith(issuer.replace(/\/$/, "") + "/"), `${name} is ${url}`);
        const { status } = await at(b, url);
        assertEquals(status, statusOfEndpoints[name], name);
      }
      await flowBy(b, metadata);
    }
  });
});

test("[MD-04] no unlisted endpoint responds", async () => {
  const b = await testServer();
  const names = [
    ...["user_info", "introspection", "revocation", "registration", "pushed", "ciba"],
    ...[
      "log_out",
      "end_session",
      "session",
      "check_session",
      "keys",
      "certs",
      "auth",
    ],
    ...[
      "token/",
      "authorize/",
      "jwks/",
      "jwks.json",
      "token/introspect",
      "token/revoke",
      "TOKEN",
      "%74oken",
      "challenge",
    ],
  ];
  const paths = names.flatMap((name) => [`/oauth2/${name}`, `/oauth/${name}`, `/connect/${name}`, `/${name}`]);
  await forEachCase([...paths, "/oauth2", "/oauth2/", "//oauth2/token", "/.well-known/jwks.json"], async (path) => {
    for (const method of ["GET", "POST"]) {
      assertEquals((await at(b, `https://as.test${path}`, { method })).status, 404, method);
    }
  });
});

/** Options under which every member of the document has something to say. */
const variety: Readonly<Record<string, LatchkeyOptions>> = {
  "as it comes": {},
  "all defaults": { issuer: undefined, clients: undefined, alg: undefined },
  "scopes of its own, without openid": { scopes: ["a", "b:c"], defaultScope: "a" },
  "one scope": { scopes: ["openid"] },
  "public clients only": { clients: [{ client_id: "spa", redirect_uris: ["https://spa.example/cb"] }] },
  "EdDSA": { alg: "EdDSA" },
  "throttled, strict about PKCE": { throttle: true, pkce: { requireForConfidential: true, requireMethod: true } },
};

test("[MD-05, MD-06, MD-08, MD-10] required members are present with every configuration", async () => {
  await forEachCase(Object.entries(variety), async ([, options]) => {
    const b = await testServer(options);
    for (const metadata of await documents(b)) {
      const required = [
        ...["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri", "response_types_supported"],
        ...["subject_types_supported", "id_token_signing_alg_values_supported", "claims_supported", "scopes_supported"],
        ...["grant_types_supported", "response_modes_supported", "token_endpoint_auth_methods_supported"],
      ];
      for (const name of required) assert(metadata[name] !== undefined, `${name} is missing`);
      assert((metadata.id_token_signing_alg_values_supported as string[]).includes("RS256"));
      assertEquals(
        (metadata.scopes_supported as string[]).includes("openid"),
        options.scopes?.includes("openid") ?? true,
      );
      assertEquals(metadata.code_challenge_methods_supported, ["S256"]);
      assertEquals(metadata.request_parameter_supported, true);
      assertEquals(metadata.request_uri_parameter_supported, false);
      assertEquals(metadata.authorization_response_iss_parameter_supported, true);
      assert(metadata.userinfo_endpoint !== undefined);
    }
  });
});

test("[MD-07] no member is null or empty, and authentication algorithms are listed only with a method that signs", async () => {
  await forEachCase(Object.entries(variety), async ([, options]) => {
    for (const metadata of await documents(await testServer(options))) {
      for (const [name, value] of Object.entries(metadata)) {
        assert(value !== null && value !== "", name);
        if (Array.isArray(value)) {
          assertGreater(value.length, 0, name);
          assertEquals(new Set(value).size, value.length, `${name} repeats a value`);
          for (const one of value) assert(typeof one === "string" && one !== "", name);
        }
      }
      const signs = (metadata.token_endpoint_auth_methods_supported as string[]).some((name) => name.endsWith("_jwt"));
      const algs = metadata.token_endpoint_auth_signing_alg_values_supported as string[] | undefined;
      assertEquals(algs !== undefined, signs);
      assertEquals(algs?.includes("none") ?? false, false);
    }
  });
});

test("[MD-07] a server without scopes is rejected, or omits scopes_supported", async () => {
  try {
    for (const metadata of await documents(await testServer({ scopes: [] }))) {
      assertEquals(metadata.scopes_supported, undefined);
    }
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
  }
});

test("[MD-09] an algorithm missing from metadata is rejected at startup, for the server and for a client", async () => {
  await forEachCase(["none", "HS256", "PS256", "ES384", "ES512", "RS512", "Ed448", "rs256", ""], async (alg) => {
    const faults = async (options: LatchkeyOptions) =>
      (await assertRejects(() => latchkey(options), ConfigurationError)).issues.map(({ path }) => path);
    assertEquals(await faults({ alg: alg as "RS256" }), ["alg"]);
    const client = {
      client_id: "spa",
      redirect_uris: ["https://spa.example/cb"],
      id_token_signed_response_alg: alg as "RS256",
    };
    assertEquals(await faults({ clients: [client] }), ["clients[0].id_token_signed_response_alg"]);
  });
});

/** A server on which each algorithm is in use by some client. */
const everyAlg: LatchkeyOptions = {
  clients: (["RS256", "ES256", "EdDSA"] as const).map((alg) => ({
    client_id: alg === "ES256" ? "spa" : alg,
    redirect_uris: ["https://spa.example/cb"],
    id_token_signed_response_alg: alg,
  })),
};

async function jwks({ get }: TestServer): Promise<(JWK & { kid: string; alg: string })[]> {
  return (await (await get("/oauth2/jwks")).json()).keys;
}

test("[JK-01] the JWKS is JSON, without a redirect, readable from any origin: an object with an array of objects", async () => {
  const { get } = await testServer(everyAlg);
  const response = await get("/oauth2/jwks", { headers: { origin: "https://spa.example" } });
  assertEquals([response.status, response.headers.get("location")], [200, null]);
  assertMatch(response.headers.get("content-type") ?? "", /^application\/(?:jwk-set\+)?json\b/);
  assertEquals(response.headers.get("access-control-allow-origin"), "*");
  const body = await response.json();
  assertEquals(Object.keys(body), ["keys"]);
  assertEquals(body.keys.length, 3);
  for (const key of body.keys) assertEquals(Object.prototype.toString.call(key), "[object Object]");
});

test("[JK-02] keys are public, in unpadded base64url and of sufficient size", async () => {
  const b = await testServer(everyAlg);
  await b.as.rotateKeys("ES256");
  const members: Readonly<Record<string, readonly string[]>> = {
    RSA: ["kty", "n", "e"],
    EC: ["kty", "crv", "x", "y"],
    OKP: ["kty", "crv", "x"],
  };
  await forEachCase(await jwks(b), (key) => {
    assertEquals(Object.keys(key).sort(), [...members[key.kty!]!, "kid", "alg", "use"].sort());
    for (const name of ["n", "e", "x", "y"] as const) assertMatch(key[name] ?? "", /^[A-Za-z0-9_-]*$/);
    const bytes = (text: unknown) => Buffer.from(String(text), "base64url");
    if (key.kty === "RSA") {
      const modulus = bytes(key.n);
      assertGreaterOrEqual(modulus.length * 8, 2048);
      assert(modulus[0]! >= 0x80, "the modulus begins with zeros, or is shorter than it looks");
      assertEquals(key.e, "AQAB");
    } else {
      assertEquals(key.crv, { ES256: "P-256", EdDSA: "Ed25519", Ed25519: "Ed25519" }[key.alg]);
      assertEquals(bytes(key.x).length, 32);
      assertEquals(key.kty === "EC" ? bytes(key.y).length : 32, 32);
    }
  });
});

test("[JK-03] every key has a unique kid, use and alg, and each token's header matches exactly one key", async () => {
  const b = await testServer(everyAlg);
  for (const alg of ["RS256", "ES256", "EdDSA", "Ed25519"] as const) await b.as.rotateKeys(alg);
  for (const seconds of [0, 299, 1, 1000, 3000]) {
    b.advance(seconds);
    const keys = await jwks(b);
    assertEquals(new Set(keys.map(({ kid }) => kid)).size, keys.length);
    for (const key of keys) {
      assertEquals(key.use, "sig");
      assertMatch(key.alg, /^(?:RS256|ES256|EdDSA|Ed25519)$/);
      assertMatch(key.kid, /^.+$/);
    }
    for (const client_id of ["RS256", "spa", "EdDSA"]) {
      const { access_token, id_token } = await assertTokenResponse(
        await b.token({ client_id, code: await b.code({ client_id }) }),
      );
      for (const token of [access_token, id_token]) {
        const { kid, alg } = decodeProtectedHeader(token);
        const kty = { R: "RSA", E: alg === "EdDSA" ? "OKP" : "EC" }[alg![0]!];
        assertEquals(keys.filter((key) => key.kid === kid && key.alg === alg && key.kty === kty).length, 1);
      }
    }
  }
});

/** A token with the time it was issued and the kid it names; times in seconds since the start. */
interface Issued {
  readonly kid: string;
  readonly at: number;
  readonly until: number;
}

/** What scripts of other origins and caches between may have seen of the keys, and when. */
interface Sight {
  readonly at: number;
  readonly kids: readonly string[];
}

/** Moves through `seconds` in steps, issues a token on each server at each, and looks at the keys of each. */
async function watch(
  servers: readonly TestServer[],
  seconds: number,
  step: number,
  act: (at: number) => Promise<void>,
) {
  const issued: Issued[] = [];
  const sights: Sight[] = [];
  for (let at = 0; at <= seconds; at += step) {
    await act(at);
    for (const b of servers) {
      const { access_token, id_token } = await assertTokenResponse(await b.token({ code: await b.code() }));
      for (const token of [access_token, id_token]) {
        const { iat, exp } = decodeClaims(token) as { iat: number; exp: number };
        issued.push({ kid: decodeProtectedHeader(token).kid!, at, until: at + exp - iat });
      }
      sights.push({ at, kids: (await jwks(b)).map(({ kid }) => kid) });
    }
    for (const b of servers) b.advance(step);
  }
  return { issued, sights };
}

/** Every token can be verified with keys fetched less than five minutes before it was issued, and until it expires. */
function assertAlwaysPublished({ issued, sights }: Awaited<ReturnType<typeof watch>>): void {
  for (const { kid, at, until } of issued) {
    const blind = sights.find((sight) => sight.at > at - 300 && sight.at < until && !sight.kids.includes(kid));
    assertEquals(blind && { issuedAt: at, until, notPublishedAt: blind.at }, undefined);
  }
}

test("[JK-04] through rotations at any distance the kid of every token was published long enough before", async () => {
  await forEachCase([[3000], [0, 50, 100], [100, 350, 400, 2000], [0, 300, 600, 900, 1200]], async (rotations) => {
    const b = await testServer({ lifetimes: { access_token: 900, id_token: 1800 } });
    const seen = await watch([b], 6000, 50, async (at) => {
      if (rotations.includes(at)) await b.as.rotateKeys();
    });
    assertAlwaysPublished(seen);
    assertGreater(new Set(seen.issued.map(({ kid }) => kid)).size, 1);
    assertEquals(seen.sights.at(-1)!.kids.length, 1, "old keys are published for ever");
  });
});

test("[JK-04] the cache time of the keys is at most the time a new key is published before it signs", async () => {
  const { get } = await testServer();
  const seconds = /max-age=(\d+)/.exec((await get("/oauth2/jwks")).headers.get("cache-control") ?? "")?.[1];
  assertLessOrEqual(Number(seconds), 300);
});

test("[JK-04] a rotation affects one algorithm, for access tokens and for ID tokens", async () => {
  const b = await testServer({ alg: "ES256", ...everyAlg });
  const kids = async () => {
    const { access_token, id_token } = await assertTokenResponse(
      await b.token({ client_id: "EdDSA", code: await b.code({ client_id: "EdDSA" }) }),
    );
    return [decodeProtectedHeader(access_token).kid, decodeProtectedHeader(id_token).kid];
  };
  const before = await kids();
  await b.as.rotateKeys("EdDSA");
  b.advance(300);
  const after = await kids();
  assertEquals([after[0] === before[0], after[1] === before[1]], [true, false]);
});

test("[JK-04] an interrupted rotation continues after a restart", async () => {
  const store = memoryStore();
  const start = Date.UTC(2026, 0, 1);
  const b = await testServer({ store });
  const { access_token: old } = await assertTokenResponse(await b.token({ code: await b.code() }));
  await b.as.rotateKeys();
  for (const [seconds, isOld] of [[1, true], [299, true], [300, false], [3599, false]] as const) {
    const again = await testServer({ store, now: () => start + seconds * 1000 });
    const { access_token } = await assertTokenResponse(await again.token({ code: await again.code() }));
    assertEquals(
      decodeProtectedHeader(access_token).kid === decodeProtectedHeader(old).kid,
      isOld,
      `after ${seconds} s`,
    );
    const options = { currentDate: new Date(start + seconds * 1000) };
    for (const token of [old, access_token]) await jwtVerify(token, await fetchKeySet(again), options);
  }
});

test("[JK-04] concurrent rotations keep the key of every token", async () => {
  const b = await testServer({ lifetimes: { access_token: 900, id_token: 900 } });
  const seen = await watch([b], 3000, 50, async (at) => {
    if (at === 100) await Promise.all([b.as.rotateKeys(), b.as.rotateKeys(), b.as.rotateKeys()]);
  });
  assertAlwaysPublished(seen);
});

test("[JK-04] two servers on one store rotate together, whichever starts", async () => {
  const store = memoryStore();
  const lifetimes = { access_token: 900, id_token: 900 };
  const [one, two] = [await testServer({ store, lifetimes }), await testServer({ store, lifetimes })];
  const seen = await watch([one, two], 4000, 50, async (at) => {
    if (at === 500) await one.as.rotateKeys();
    if (at === 1200) await two.as.rotateKeys();
    if (at === 2000) await Promise.all([one.as.rotateKeys(), two.as.rotateKeys()]);
  });
  assertAlwaysPublished(seen);
  assertEquals(new Set(seen.issued.filter(({ at }) => at > 2400).map(({ kid }) => kid)).size, 1);
});

test("[JK-04] every lead keeps the key of every token", async () => {
  await forEachCase([0, 1, -1, -3600, -10_000, NaN, Infinity, -Infinity], async (lead) => {
    const b = await testServer();
    const tokens = [(await assertTokenResponse(await b.token({ code: await b.code() }))).access_token];
    await b.as.rotateKeys("ES256", lead).catch(() => {});
    for (const seconds of [0, 1, 300, 3000]) {
      b.advance(seconds);
      tokens.push((await assertTokenResponse(await b.token({ code: await b.code() }))).access_token);
      const kids = (await jwks(b)).map(({ kid }) => kid);
      for (const token of tokens) assert(kids.includes(decodeProtectedHeader(token).kid!), `${seconds} s later`);
    }
  });
});

test("[JK-04] a rotation that the store rejects changes nothing", async () => {
  let broken = false;
  const inner = memoryStore();
  const b = await testServer({
    store: { ...inner, add: (...args) => broken ? Promise.reject(new Error("full")) : inner.add(...args) },
  });
  const before = await jwks(b);
  broken = true;
  await assertRejects(() => b.as.rotateKeys());
  broken = false;
  assertEquals(await jwks(b), before);
  b.advance(1000);
  const { access_token } = await assertTokenResponse(await b.token({ code: await b.code() }));
  assertEquals(decodeProtectedHeader(access_token).kid, before[0]!.kid);
});

test("[JK-05] keys survive a restart: earlier tokens verify, and the next one has the same kid", async () => {
  const path = newPath();
  const first = await testServer({ ...everyAlg, store: await sqliteStore(path) });
  const tokens: string[] = [];
  for (const client_id of ["RS256", "spa", "EdDSA"]) {
    const result = await assertTokenResponse(await first.token({ client_id, code: await first.code({ client_id }) }));
    tokens.push(result.access_token, result.id_token);
  }
  const before = await jwks(first);
  await first.as.close();
  const second = await testServer({ ...everyAlg, store: await sqliteStore(path) });
  const keys = await fetchKeySet(second);
  for (const token of tokens) await jwtVerify(token, keys, { currentDate: new Date(Date.UTC(2026, 0, 1)) });
  const { access_token } = await assertTokenResponse(await second.token({ code: await second.code() }));
  assertEquals(decodeProtectedHeader(access_token).kid, decodeProtectedHeader(tokens[0]!).kid);
  assertEquals(await jwks(second), before);
  await second.as.close();
});

test("[JK-05] an earlier token verifies after a restart, even if the server now signs with another algorithm", async () => {
  const path = newPath();
  const first = await testServer({ store: await sqliteStore(path), alg: "EdDSA" });
  const { access_token } = await assertTokenResponse(await first.token({ code: await first.code() }));
  await first.as.close();
  const second = await testServer({ store: await sqliteStore(path), alg: "ES256" });
  const kids = (await jwks(second)).map(({ kid }) => kid);
  await second.as.close();
  assert(kids.includes(decodeProtectedHeader(access_token).kid!), "the key of the token is no longer published");
});

test("[JK-05] two servers that start together on one new file sign with one key", async () => {
  const path = newPath();
  const servers = await Promise.all([0, 1].map(async () => await testServer({ store: await sqliteStore(path) })));
  const kids = await Promise.all(servers.map(async (b) => {
    const { access_token, id_token } = await assertTokenResponse(await b.token({ code: await b.code() }));
    return [decodeProtectedHeader(access_token).kid, decodeProtectedHeader(id_token).kid];
  }));
  assertEquals(new Set(kids.flat()).size, 1);
  assertEquals(await jwks(servers[0]!), await jwks(servers[1]!));
  for (const b of servers) await b.as.close();
});

test("[JK-05] only the server reads private keys, and no response and no event contains them", async () => {
  const path = newPath();
  const store = await sqliteStore(path);
  const b = await testServer({ alg: "ES256", ...everyAlg, store });
  const stated = [
    await (await b.get("/oauth2/jwks")).text(),
    await (await b.get("/.well-known/openid-configuration")).text(),
    await (await b.get("/")).text(),
    await (await b.token({ code: await b.code() })).text(),
  ];
  await b.as.rotateKeys();
  stated.push(await (await b.get("/oauth2/jwks")).text(), inspect(b.events, { depth: Infinity }));
  for (const alg of ["RS256", "ES256", "EdDSA"]) {
    for (let number = 0; number < (alg === "ES256" ? 2 : 1); number++) {
      const { jwk } = (await formattedStore(store).get("key", `${alg} ${number}`))!.value;
      for (const member of ["d", "p", "q", "dp", "dq", "qi"]) {
        if (jwk[member] === undefined) continue;
        for (const text of stated) assert(!text.includes(String(jwk[member])), `${alg}: ${member} was leaked`);
      }
    }
  }
  if (process.platform !== "win32") {
    for (const file of readdirSync(folder).filter((name) => join(folder, name).startsWith(path))) {
      assertEquals(statSync(join(folder, file)).mode & 0o077, 0, `${file} is readable by others`);
    }
  }
  await b.as.close();
});

test("[JK-05] a server without a file has new keys at each start", async () => {
  const kids = new Set<string>();
  for (let i = 0; i < 3; i++) for (const { kid } of await jwks(await testServer())) kids.add(kid);
  assertEquals(kids.size, 3);
});

test("[JK-03] jose selects the key of every token by its header", async () => {
  const b = await testServer(everyAlg);
  for (const alg of ["RS256", "ES256", "EdDSA"] as const) await b.as.rotateKeys(alg);
  const keys = await fetchKeySet(b);
  for (const client_id of ["RS256", "spa", "EdDSA"]) {
    const { id_token } = await assertTokenResponse(await b.token({ client_id, code: await b.code({ client_id }) }));
    await jwtVerify(id_token, keys, { currentDate: new Date(Date.UTC(2026, 0, 1)) });
  }
});
