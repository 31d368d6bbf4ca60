/**
 * Named profiles: what each profile changes, and what it does not change (PF, MC).
 *
 * @extensions all
 */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import { mcpRevisions, profileNames } from "../../src/server/config/strictness.ts";
import type { McpRevision, ProfileName, ProfileSetting } from "../../src/server/config/strictness.ts";
import { profiles } from "../../src/server/config/profiles.ts";
import { defaultProfilePolicy } from "../../src/server/config/server_policy.ts";
import { type ClientMetadata, ConfigurationError, type LatchkeyOptions } from "../../src/mod.ts";
import {
  assertTokenResponse,
  basic,
  challenge,
  clients,
  decodeClaims,
  forEachCase,
  getRedirectParams,
  testServer,
  verifier,
} from "../kit.ts";
import type { Fields, TestServer } from "../kit.ts";
import { latchkey } from "../secret_leak_check.ts";
import { assertionOf, clientKey } from "./client_jwts.ts";
import { authority } from "./extensions/mutual_tls/certificates.ts";
import { postRegistration } from "./registering.ts";

/** Settings that select the profile of one standard. */
interface StandardSettings {
  readonly profile: ProfileName;
  readonly mcpRevision?: McpRevision;
}

const resource = "https://mcp.example/mcp";
const web: Fields = { client_id: "web", redirect_uri: "https://web.example/cb" };

/** The error and its description, of a redirect or a JSON error. */
async function rejection(response: Response): Promise<string> {
  if (response.headers.get("location") !== null) {
    const params = getRedirectParams(response);
    return `${params.get("error")}: ${params.get("error_description")}`;
  }
  const { error, error_description } = await response.json();
  return `${error}: ${error_description}`;
}

function reasons({ events }: TestServer): string[] {
  return events.flatMap((event) =>
    event.type === "rejected" || event.type === "warning" ? event.explanation.reason : []
  );
}

async function issuesOf(options: LatchkeyOptions): Promise<string> {
  const error = await assertRejects(async () => (await latchkey(options)).close(), ConfigurationError);
  return error.message;
}

test("[PF-01] an unknown profile or revision stops the start, and the message names the nearest one", async () => {
  for (const [wrong, nearest] of [["mcp2", "mcp"], ["oicd", "oidc"], ["oauth-21", "oauth2.1"]] as const) {
    const message = await issuesOf({ profile: wrong as "mcp" });
    assert(message.includes(`found "${wrong}".\n  Write it like "profile": "${nearest}"`), message);
  }
  const revision = "2025-06-19" as "2025-06-18";
  assertMatch(await issuesOf({ profile: "mcp", mcpRevision: revision }), /mcpRevision.*"2025-06-19".*"2025-06-18"/s);
  assertMatch(await issuesOf({ mcpRevision: "2025-06-18" }), /profile.*"mcp", because mcpRevision is set/s);
});

/** Each profile, `mcp` with each of its revisions. */
const everyProfile: readonly StandardSettings[] = [
  ...profileNames.filter((profile) => profile !== "mcp").map((profile) => ({ profile })),
  ...mcpRevisions.map((mcpRevision) => ({ profile: "mcp" as const, mcpRevision })),
];

/** The value of a setting in a profile; `undefined` if the profile leaves the default. */
function valueOf({ profile, mcpRevision = mcpRevisions.at(-1)! }: StandardSettings, path: ProfileSetting): unknown {
  const { values } = profiles[profile][path] ?? { values: [undefined] };
  return values[values.length === 1 ? 0 : mcpRevisions.indexOf(mcpRevision)];
}

test("[PF-01] the settings of a profile without the profile yield the same metadata", async () => {
  await forEachCase(everyProfile, async (settings) => {
    const explicit: Record<string, unknown> = {};
    for (const path of Object.keys(profiles[settings.profile]) as ProfileSetting[]) {
      if (Object.hasOwn(defaultProfilePolicy, path)) continue;
      const [name, member] = path.split(".") as [string, string?];
      const value = valueOf(settings, path);
      explicit[name] = member === undefined ? value : { ...explicit[name] as object, [member]: value };
    }
    // With mutual TLS, because the server rejects listed methods that it does not offer.
    const own = { clients: [], alg: undefined, mutualTls: { authorities: [authority] } };
    const [named, listed] = await Promise.all([
      testServer({ ...own, ...settings }),
      testServer({ ...own, ...explicit }),
    ]);
    const [one, other] = await Promise.all(
      [named, listed].map(async (b) => await (await b.get("/.well-known/oauth-authorization-server")).json()),
    );
    assertEquals(one, other);
  });
});

test("[PF-02] a weaker setting stops the start and names setting, value, profile and section; a stricter one has effect", async () => {
  const weaker: LatchkeyOptions[] = [
    { pkce: { requireForConfidential: false } },
    { pkce: { requireMethod: false } },
    { assertionAudience: "issuer-or-token-endpoint" },
    { clientAuthMethods: ["client_secret_jwt", "none"] },
    { accessTokenInForm: true },
    { resourceParameter: "optional" },
    { requireClientName: false },
    { requireRedirectUri: false },
    { pkce: { acceptNonce: true } },
  ];
  await forEachCase(weaker, async (options) => {
    const [[name, value]] = Object.entries(options) as [[string, unknown]];
    const [path, received] = name === "pkce"
      ? [`pkce.${Object.keys(value as object)[0]}`, Object.values(value as object)[0]]
      : [name, value];
    const message = await issuesOf({ profile: "mcp", ...options });
    assert(message.includes(path), message);
    assert(message.includes(JSON.stringify(received)), message);
    assertMatch(message, /because the profile is mcp 2026-07-28 \((?:OAuth 2\.1 §|MCP authorization)/);
  });
  const stricter: LatchkeyOptions = {
    profile: "mcp",
    resourceParameter: "required",
    tokenRedirectUri: "required",
    clientAuthMethods: ["none"],
    clients: [{ client_id: "spa", redirect_uris: ["https://spa.example/cb"] }],
  };
  const b = await testServer(stricter);
  assertMatch(await rejection(await b.authorize()), /^invalid_target: resource is missing \[MC-02\]$/);
  const code = await b.code({ resource });
  assertMatch(
    await rejection(await b.token({ code, resource, redirect_uri: undefined })),
    /^invalid_request: .*\[TK-14\]$/,
  );
  const message = await issuesOf({
    ...stricter,
    clients: [{ client_id: "web", client_secret: "s3cret", redirect_uris: [] }],
  });
  assertMatch(message, /token_endpoint_auth_method.*one of none/s);
});

test("[PF-03, MC-01] the metadata documents are those that the revision names, and an explicit setting overrides them", async () => {
  const names = ["oauth-authorization-server", "openid-configuration"];
  const urls = names.flatMap((
    name,
  ) => [`https://as.test/.well-known/${name}/t1`, `https://as.test/t1/.well-known/${name}`]);
  const find = async (options: LatchkeyOptions) => {
    const b = await testServer({ issuer: "https://as.test/t1", ...options });
    const found = await Promise.all(urls.map(async (url) => (await b.as.fetch(new Request(url))).status === 200));
    return urls.filter((_, i) => found[i]);
  };
  assertEquals(await find({}), urls);
  assertEquals(await find({ profile: "mcp", mcpRevision: "2025-06-18" }), [urls[0]]);
  for (const mcpRevision of ["2025-11-25", "2026-07-28"] as const) {
    assertEquals(await find({ profile: "mcp", mcpRevision }), [urls[0], urls[2], urls[3]]);
  }
  assertEquals(await find({ profile: "mcp", metadataForms: ["oauth-appended"] }), [urls[1]]);
  assertEquals(await find({ metadataForms: [] }), []);
});

test("[PF-03, PF-09] a method that the server does not offer is neither listed nor accepted", async () => {
  const secret = "a secret of thirty-two characters or more";
  const jwt: ClientMetadata = {
    client_id: "jwt",
    client_secret: secret,
    token_endpoint_auth_method: "client_secret_jwt",
    grant_types: ["client_credentials"],
  };
  const signer = await clientKey();
  const key: ClientMetadata = {
    client_id: "key",
    jwks: { keys: [signer.jwk] },
    grant_types: ["client_credentials"],
  };
  assertMatch(
    await issuesOf({ profile: "mcp", clients: [jwt] }),
    /one of client_secret_basic.*by the profile mcp 2026-07-28/s,
  );
  const b = await testServer({ profile: "mcp", clients: [key] });
  const metadata = await (await b.get("/.well-known/openid-configuration")).json();
  assertEquals(metadata.token_endpoint_auth_methods_supported, [
    "client_secret_basic",
    "client_secret_post",
    "private_key_jwt",
    "none",
  ]);
  assert(!metadata.token_endpoint_auth_signing_alg_values_supported.includes("HS256"));
  const send = async (aud: string) =>
    await b.token({
      grant_type: "client_credentials",
      client_id: undefined,
      redirect_uri: undefined,
      code_verifier: undefined,
      ...await assertionOf("key", signer, { claims: { aud } }),
    });
  await assertTokenResponse(await send("https://as.test"));
  assertEquals((await send("https://as.test/oauth2/token")).status, 401);
  assert(reasons(b).includes("the assertion has another audience"));

  // A client that names no method may use Basic or post, as far as the server offers them.
  const posting = await testServer({ clientAuthMethods: ["client_secret_post"], clients: [clients[1]] });
  const body = { grant_type: "authorization_code", code: "x", code_verifier: verifier, ...web };
  const byPost = await posting.token({ ...body, client_secret: "web-secret" });
  assertMatch(await rejection(byPost), /^invalid_grant/);
  const byBasic = await posting.token({ ...body, client_id: undefined }, { headers: basic("web", "web-secret") });
  assertEquals(byBasic.status, 401);
  assertMatch(reasons(posting).join(), /this server does not offer client_secret_basic/);
});

test("[PF-05, PF-09, PK-02] a confidential client must send a challenge; the rejection names the profile only if it decides", async () => {
  const byProfile = await testServer({ profile: "mcp" });
  const request = { ...web, resource, code_challenge: undefined, code_challenge_method: undefined };
  assertMatch(await rejection(await byProfile.authorize(request)), /by the profile mcp 2026-07-28 \[PK-02\]$/);
  assertMatch(reasons(byProfile).join(), /by the profile mcp 2026-07-28/);
  const bySetting = await testServer({ profile: "mcp", pkce: { requireForConfidential: true } });
  assertMatch(await rejection(await bySetting.authorize(request)), /must send one \[PK-02\]$/);
  assertMatch((await (await testServer()).authorize(request)).headers.get("location")!, /[?&]code=/);
  assertMatch((await byProfile.authorize({ ...web, resource })).headers.get("location")!, /[?&]code=/);
});

test("[PF-05, PF-09, PK-05] a challenge without a method is rejected by the profile", async () => {
  const b = await testServer({ profile: "mcp" });
  const response = await b.authorize({ resource, code_challenge_method: undefined });
  assertMatch(await rejection(response), /^invalid_request: .*S256, by the profile mcp 2026-07-28 \[PK-05\]$/);
  assertMatch(
    (await (await testServer()).authorize({ code_challenge_method: undefined })).headers.get("location")!,
    /code=/,
  );
});

test("[PF-05, PF-09, BR-01] an access token in a form is rejected by the profile, in the header it is not", async () => {
  const b = await testServer({ profile: "mcp", resourceParameter: "required" });
  const { access_token } = await assertTokenResponse(
    await b.token({ code: await b.code({ resource: "https://as.test" }), resource: "https://as.test" }),
  );
  const form = { method: "POST", body: new URLSearchParams({ access_token }) };
  const rejected = await b.get("/oauth2/userinfo", form);
  assertEquals(rejected.status, 400);
  assertMatch(await rejection(rejected), /^invalid_request: .*by the profile mcp 2026-07-28 \[BR-01\]$/);
  const accepted = await b.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } });
  assertEquals((await accepted.json()).sub, "alice");
});

test("[PF-05, MC-02] a private-use scheme is rejected by the profile, at the start and at run time", async () => {
  const client = { client_id: "app", redirect_uris: ["com.example.app:/cb"] };
  assertMatch(
    await issuesOf({ profile: "mcp", clients: [client] }),
    /redirect_uris\[0\].*by the profile mcp 2026-07-28/s,
  );
  const b = await testServer({ profile: "mcp" });
  await assertRejects(async () => await b.as.clients.set(client), ConfigurationError, "by the profile mcp");
  await b.as.clients.set({ client_id: "app", redirect_uris: ["http://127.0.0.1/cb", "https://app.example/cb"] });
  await (await testServer()).as.clients.set(client);
});

test("[TK-14, TK-15, PF-09] a code with a challenge is exchanged without redirect_uri; a wrong one is rejected", async () => {
  const b = await testServer({ profile: "mcp" });
  const token = async (redirect_uri: string | undefined) =>
    await b.token({ code: await b.code({ resource }), resource, redirect_uri });
  await assertTokenResponse(await token(undefined));
  await assertTokenResponse(await token("https://spa.example/cb"));
  assertMatch(await rejection(await token("https://spa.example/other")), /^invalid_grant: .*\[TK-15\]$/);
  const optional = await testServer({ tokenRedirectUri: "optional" });
  const headers = basic("web", "web-secret");
  const without = { ...web, code_challenge: undefined, code_challenge_method: undefined };
  const code = await optional.code(without);
  const request = { code, client_id: undefined, redirect_uri: undefined, code_verifier: undefined };
  assertMatch(await rejection(await optional.token(request, { headers })), /^invalid_request: .*\[TK-14\]$/);
  await assertTokenResponse(await optional.token({ ...request, redirect_uri: web.redirect_uri }, { headers }));
});

test("[MC-02] resource sets the audience; a request without it causes a warning, from 2025-06-18 on", async () => {
  await forEachCase(mcpRevisions, async (mcpRevision) => {
    const b = await testServer({ profile: "mcp", mcpRevision });
    const bound = await assertTokenResponse(await b.token({ code: await b.code({ resource }), resource }));
    assertEquals(decodeClaims(bound.access_token).aud, resource);
    assertEquals(reasons(b), []);
    const unbound = await assertTokenResponse(await b.token({ code: await b.code() }));
    assertEquals(decodeClaims(unbound.access_token).aud, "https://as.test");
    const warnings = reasons(b).filter((reason) => reason.includes("resource is missing"));
    assertEquals(warnings.length, mcpRevision === "2025-03-26" ? 0 : 2);
    for (const warning of warnings) assert(warning.includes(`by the profile mcp ${mcpRevision}`));
  });
});

test("[MC-01, PF-09] iss is in every response and in metadata, and offline_access is listed if a client gets a refresh token by it", async () => {
  await forEachCase(mcpRevisions, async (mcpRevision) => {
    const b = await testServer({ profile: "mcp", mcpRevision });
    for (const fields of [{ resource }, { scope: "unknown" }]) {
      assertEquals(getRedirectParams(await b.authorize(fields)).get("iss"), "https://as.test");
    }
    const metadata = await (await b.get("/.well-known/oauth-authorization-server")).json();
    assertEquals(metadata.authorization_response_iss_parameter_supported, true);
    assertEquals(metadata.code_challenge_methods_supported, ["S256"]);
    assert(metadata.scopes_supported.includes("offline_access"));
  });
  const grant_types = ["authorization_code", "refresh_token"];
  const clients = [{ client_id: "spa", redirect_uris: ["https://spa.example/cb"], grant_types }];
  const b = await testServer({ profile: "mcp", refresh: { onlyOffline: true }, clients });
  const ask = async (scope: string) =>
    await (await b.token({ code: await b.code({ resource, scope }), resource })).json();
  assertEquals((await ask("read")).refresh_token, undefined);
  const { refresh_token } = await ask("openid offline_access");
  const refreshed = await b.token({
    grant_type: "refresh_token",
    refresh_token,
    resource,
    redirect_uri: undefined,
    code_verifier: undefined,
  });
  assertEquals(refreshed.status, 200);
  assert((await refreshed.json()).refresh_token !== refresh_token);
});

test("[PF-03] each revision offers registration as without a profile: on test hosts, else with a token", async () => {
  const offers = async (options: LatchkeyOptions) => {
    const b = await testServer(options);
    const metadata = await (await b.get("/.well-known/oauth-authorization-server")).json();
    const { status } = await postRegistration(b, {});
    assertEquals(status === 404, metadata.registration_endpoint === undefined);
    return metadata.registration_endpoint !== undefined;
  };
  const revisions = await Promise.all(mcpRevisions.map((mcpRevision) => offers({ profile: "mcp", mcpRevision })));
  assertEquals(revisions, [true, true, true, true]);
  assert(!await offers({ profile: "mcp", registration: { mode: "off" } }));
  const realHost = { profile: "mcp", issuer: "https://as.company.com", insecure: ["auto-login"] } as const;
  assert(!await offers(realHost));
  const initialAccessTokens = ["a-long-random-token"];
  assert(await offers({ ...realHost, registration: { initialAccessTokens } }));
});

test("[PF-03, PF-05, MC-04] metadata documents are resolved from 2025-11-25 on, if they have a client_name", async () => {
  const url = "https://app.example/client.json";
  const fields = { client_id: url, redirect_uri: "https://app.example/cb", resource };
  const document = { client_id: url, redirect_uris: ["https://app.example/cb"], token_endpoint_auth_method: "none" };
  const authorize = async (body: object, options: LatchkeyOptions) => {
    const b = await testServer({ ...options, outbound: () => Promise.resolve(Response.json(body)) });
    const { client_id_metadata_document_supported } = await (await b.get("/.well-known/oauth-authorization-server"))
      .json();
    const { status } = await b.authorize(fields);
    return [
      client_id_metadata_document_supported,
      status,
      reasons(b).filter((one) => one.includes("client_name")).length,
    ];
  };
  const named = { ...document, client_name: "App" };
  await forEachCase(mcpRevisions, async (mcpRevision) => {
    const isKnown = mcpRevision >= "2025-11-25";
    assertEquals(await authorize(named, { profile: "mcp", mcpRevision }), [
      isKnown || undefined,
      isKnown ? 302 : 400,
      0,
    ]);
    const [, status, mentions] = await authorize(document, { profile: "mcp", mcpRevision });
    assertEquals([status, mentions], [400, isKnown ? 1 : 0]);
    const explicit = await authorize(named, { profile: "mcp", mcpRevision, clientIdMetadataDocuments: !isKnown });
    assertEquals(explicit.slice(0, 2), isKnown ? [undefined, 400] : [true, 302]);
  });
  assertEquals((await authorize(document, {}))[1], 302);
  // A document has no secret.
  const clients: ClientMetadata[] = [];
  const [supported] = await authorize(named, { profile: "mcp", clients, clientAuthMethods: ["client_secret_basic"] });
  assertEquals(supported, undefined);
});

test("[PF-03, DR-04] a client that registers is registered for all scope values, or for those that it requested", async () => {
  const metadata = { redirect_uris: ["https://app.example/cb"], scope: "read" };
  const scopeOf = async (options: LatchkeyOptions) => {
    const b = await testServer(options);
    return (await (await postRegistration(b, metadata)).json()).scope;
  };
  assertEquals(await scopeOf({}), "read");
  assertEquals(
    await scopeOf({ profile: "mcp", mcpRevision: "2025-11-25" }),
    "openid profile email read write offline_access",
  );
  assertEquals(await scopeOf({ profile: "mcp", registration: { scope: "requested" } }), "read");
});

test("[PF-03, DR-04] a client that registers without a method gets one that the server offers", async () => {
  const register = async (options: LatchkeyOptions) => {
    const b = await testServer({ clients: [], ...options });
    return await (await postRegistration(b, { redirect_uris: ["https://app.example/cb"] })).json();
  };
  assertEquals((await register({})).token_endpoint_auth_method, "client_secret_basic");
  for (const method of ["client_secret_post", "none"] as const) {
    const registered = await register({ clientAuthMethods: [method] });
    assertEquals(registered.token_endpoint_auth_method, method);
    assertEquals(registered.client_secret === undefined, method === "none");
  }
  assertEquals((await register({ clientAuthMethods: ["private_key_jwt"] })).error, "invalid_client_metadata");
});

test("[MC-01] 2025-03-26 serves the default endpoints at the root, with pages too; later revisions do not", async () => {
  const b = await testServer({ profile: "mcp", mcpRevision: "2025-03-26" });
  const query = new URLSearchParams({
    response_type: "code",
    client_id: "spa",
    redirect_uri: "https://spa.example/cb",
    scope: "read",
    code_challenge: challenge,
    code_challenge_method: "S256",
  });
  const code = getRedirectParams(await b.get(`/authorize?${query}`)).get("code")!;
  const exchangeCode = (server: TestServer, body: Record<string, string>) =>
    server.get("/token", { method: "POST", body: new URLSearchParams({ client_id: "spa", ...body }) });
  const grant_type = "authorization_code";
  await assertTokenResponse(await exchangeCode(b, { grant_type, code, code_verifier: verifier }));
  const metadata = JSON.stringify({ redirect_uris: ["https://app.example/cb"] });
  const registration = { method: "POST", body: metadata, headers: { "content-type": "application/json" } };
  assertEquals((await b.get("/register", registration)).status, 201);
  // The same checks as at the other path: repeated parameters, and credentials in the query.
  const repeated = await b.get(`/authorize?${query}&state=a&state=b`);
  assertMatch(await rejection(repeated), /^invalid_request: .*\[AZ-07\]$/);
  assertEquals((await b.get("/token?client_secret=x", { method: "POST" })).status, 400);

  const interactive = await testServer({ profile: "mcp", mcpRevision: "2025-03-26", login: "interactive" });
  const login = await interactive.get(`/authorize?${query}`);
  assertMatch(login.headers.get("location") ?? "", /\/oauth2\/login\?/);
  for (const mcpRevision of mcpRevisions.slice(1)) {
    const later = await testServer({ profile: "mcp", mcpRevision });
    assertEquals((await later.get(`/authorize?${query}`)).status, 404);
    assertEquals((await exchangeCode(later, { grant_type })).status, 404);
    assertEquals((await later.get("/register", registration)).status, 404);
  }
  // With a path they would belong to another issuer.
  const tenant = await latchkey({ issuer: "https://as.test/t1", profile: "mcp", mcpRevision: "2025-03-26" });
  assertEquals((await tenant.fetch(new Request("https://as.test/token", { method: "POST" }))).status, 404);
});

const noChallenge: Fields = { code_challenge: undefined, code_challenge_method: undefined };

test("[PF-06, PF-07] oauth2.1 requires a challenge of a confidential client, unless the request has openid and a nonce", async () => {
  const b = await testServer({ profile: "oauth2.1" });
  const ask = async (fields: Fields) => {
    const params = getRedirectParams(await b.authorize({ ...web, ...noChallenge, ...fields }));
    return params.get("error_description") ?? params.get("error") ?? "code";
  };
  assertMatch(await ask({}), /by the profile oauth2\.1 \[PK-02\]$/);
  assertMatch(await ask({ nonce: "n", scope: "read" }), /by the profile oauth2\.1 \[PK-02\]$/);
  assertEquals(await ask({ nonce: "n" }), "code");
  assertEquals(await ask({ code_challenge: challenge, code_challenge_method: "S256" }), "code");
  assertMatch(await ask({ code_challenge: challenge }), /by the profile oauth2\.1 \[PK-05\]$/);
  assertMatch(await rejection(await b.authorize({ ...noChallenge, nonce: "n" })), /\[PK-01\]$/);
  const strict = await testServer({ profile: "oauth2.1", pkce: { acceptNonce: false } });
  const rejected = await strict.authorize({ ...web, ...noChallenge, nonce: "n" });
  assertMatch(await rejection(rejected), /by the profile oauth2\.1 \[PK-02\]$/);
  const demanding = { ...clients[1], require_pkce: true };
  const own = await testServer({ profile: "oauth2.1", clients: [demanding] });
  assertMatch(await rejection(await own.authorize({ ...web, ...noChallenge, nonce: "n" })), /must send one \[PK-02\]$/);
});

test("[PF-06, PF-07] oauth2.1 exchanges a code with a challenge without redirect_uri, and only such a code; Basic and post authenticate", async () => {
  const b = await testServer({ profile: "oauth2.1" });
  const headers = basic("web", "web-secret");
  const exchangeCode = async (fields: Fields, init?: RequestInit) =>
    await b.token({
      code: await b.code(web),
      client_id: undefined,
      redirect_uri: undefined,
      ...fields,
    }, init);
  await assertTokenResponse(await exchangeCode({}, { headers }));
  await assertTokenResponse(await exchangeCode({ redirect_uri: web.redirect_uri }, { headers }));
  await assertTokenResponse(await exchangeCode({ client_id: "web", client_secret: "web-secret" }));
  const wrong = await exchangeCode({ redirect_uri: "https://web.example/other" }, { headers });
  assertMatch(await rejection(wrong), /^invalid_grant: .*\[TK-15\]$/);
  const byNonce = await b.code({ ...web, ...noChallenge, nonce: "n" });
  const withoutUri = await exchangeCode({ code: byNonce, code_verifier: undefined }, { headers });
  assertMatch(await rejection(withoutUri), /^invalid_request: .*\[TK-14\]$/);
  await assertTokenResponse(
    await exchangeCode({ code: byNonce, code_verifier: undefined, redirect_uri: web.redirect_uri }, { headers }),
  );
});

test("[PF-06, PF-08] oidc requires redirect_uri in the authorization request, and in the token request", async () => {
  const clients = [{ client_id: "spa", redirect_uris: ["https://spa.example/cb"] }];
  const oidc = await testServer({ profile: "oidc", clients });
  const without = { redirect_uri: undefined, scope: "read" };
  assertEquals((await oidc.authorize(without)).status, 400);
  assertMatch(reasons(oidc).join(), /requireRedirectUri demands redirect_uri, by the profile oidc/);
  assertMatch((await (await testServer({ clients })).authorize(without)).headers.get("location")!, /[?&]code=/);
  const bySetting = await testServer({ requireRedirectUri: true, clients });
  assertEquals((await bySetting.authorize(without)).status, 400);
  assertEquals(reasons(bySetting), ["the setting requireRedirectUri demands redirect_uri"]);
  const code = await oidc.code({ scope: "read" });
  assertMatch(await rejection(await oidc.token({ code, redirect_uri: undefined })), /\[TK-14\]$/);
  await assertTokenResponse(await oidc.token({ code }));
});

test("[PF-05, PF-06] oidc accepts a private-use scheme of a native client only, at the start and at run time", async () => {
  const app = { client_id: "app", redirect_uris: ["com.example.app:/cb"] };
  const native = { ...app, application_type: "native" } as const;
  const message = await issuesOf({ profile: "oidc", clients: [app] });
  assertMatch(message, /clients\[0\]\.redirect_uris\[0\].*application_type is not "native", by the profile oidc/s);
  const b = await testServer({ profile: "oidc", clients: [native] });
  await assertRejects(async () => await b.as.clients.set(app), ConfigurationError, "by the profile oidc");
  await b.as.clients.set({ ...app, redirect_uris: ["https://app.example/cb", "http://127.0.0.1/cb"] });
  await (await testServer({ clients: [app] })).as.close();
});

test("[PF-08] oidc lists RS256 and explicit flags, and no parameter of OpenID Connect is rejected for being there", async () => {
  const b = await testServer({ profile: "oidc" });
  const metadata = await (await b.get("/.well-known/openid-configuration")).json();
  assert(metadata.id_token_signing_alg_values_supported.includes("RS256"));
  assertEquals(
    ["claims_parameter_supported", "request_parameter_supported", "request_uri_parameter_supported"]
      .map((name) => typeof metadata[name]),
    ["boolean", "boolean", "boolean"],
  );
  const tokens = await assertTokenResponse(await b.token({ code: await b.code() }));
  const parameters: Fields = {
    prompt: "login",
    max_age: "10000",
    acr_values: "urn:unknown",
    display: "popup",
    ui_locales: "de fr",
    login_hint: "alice",
    id_token_hint: tokens.id_token,
  };
  await forEachCase(Object.entries(parameters), async ([name, value]) => {
    const { access_token } = await assertTokenResponse(await b.token({ code: await b.code({ [name]: value }) }));
    const authorization = { authorization: `Bearer ${access_token}` };
    for (
      const init of [
        { headers: authorization },
        { method: "POST", headers: authorization },
        { method: "POST", body: new URLSearchParams({ access_token }) },
      ]
    ) assertEquals((await (await b.get("/oauth2/userinfo", init)).json()).sub, "alice");
  });
});
