/** `latchkey profile`: drafts of profiles from metadata, and of configurations from realms of Keycloak. */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { draftProfile } from "../../src/cli/profile/draft_profile.ts";
import { readConfiguration } from "../../src/cli/read_config.ts";
import { validateOptions } from "../../src/server/assembly/options.ts";
import { CommandLineError } from "../../src/cli/command_line_error.ts";
import type { LatchkeyOptions, ProviderProfile } from "../../src/mod.ts";
import { forEachCase } from "../kit.ts";
import { latchkey } from "../secret_leak_check.ts";

/** The documents of a run: a URL has a response, a path has a text. */
type Documents = Readonly<Record<string, string | Response>>;

/** What a run printed and wrote. */
interface Outcome {
  readonly output: string;
  readonly notes: string;
  readonly files: Readonly<Record<string, string>>;
  readonly requests: readonly string[];
}

async function run(args: readonly string[], documents: Documents): Promise<Outcome> {
  const printed = { log: "", error: "" };
  const { log, error } = console;
  console.log = (line) => void (printed.log += line);
  console.error = (line) => void (printed.error += line);
  const files: Record<string, string> = {};
  const requests: string[] = [];
  try {
    const code = await draftProfile(args, {
      readTextFile: (path) => Promise.resolve(documents[path] as string),
    }, {
      fetch: (url) => {
        requests.push(url);
        const found = documents[url];
        return Promise.resolve(found instanceof Response ? found : new Response(found, { status: found ? 200 : 404 }));
      },
      createPrivateFile: (path, text) =>
        Promise.resolve(Object.hasOwn(documents, path) ? false : (files[path] = text) !== ""),
      randomSecret: () => "the-new-secret-of-a-hidden-client",
      validateOptions,
    });
    assertEquals(code, 0);
    return { output: printed.log, notes: printed.error, files, requests };
  } finally {
    Object.assign(console, { log, error });
  }
}

async function rejection(args: readonly string[], documents: Documents = {}): Promise<CommandLineError> {
  return await assertRejects(async () => void await run(args, documents), CommandLineError);
}

const draftOf = async (metadata: object) =>
  JSON.parse((await run(["x.json"], { "x.json": JSON.stringify(metadata) })).output) as ProviderProfile;

/** The metadata of a provider for which there is no profile, as its documentation describes it. */
const issuer = "https://login.widgets.com/tenant-7";
const metadata = {
  issuer,
  authorization_endpoint: `${issuer}/oauth/v2/authorize`,
  token_endpoint: `${issuer}/oauth/v2/token`,
  introspection_endpoint: `${issuer}/oauth/v2/introspect`,
  userinfo_endpoint: `${issuer}/oidc/v1/userinfo`,
  revocation_endpoint: `${issuer}/oauth/v2/revoke`,
  end_session_endpoint: `${issuer}/oidc/v1/end_session`,
  device_authorization_endpoint: `${issuer}/oauth/v2/device_authorization`,
  jwks_uri: `${issuer}/oauth/v2/keys`,
  scopes_supported: ["openid", "profile", "email", "phone", "address", "offline_access"],
  response_types_supported: ["code", "id_token", "id_token token"],
  response_modes_supported: ["query", "fragment", "form_post", "pigeon"],
  grant_types_supported: ["authorization_code", "refresh_token", "client_credentials"],
  id_token_signing_alg_values_supported: ["EdDSA", "ES256"],
  subject_types_supported: ["public"],
  code_challenge_methods_supported: ["S256"],
  claims_supported: ["sub", "name", "urn:widgets:roles"],
};

test("the draft of a ninth provider loads, and has every endpoint where the provider has it", async () => {
  const profile = await draftOf(metadata);
  await using as = await latchkey({ profile });
  assertEquals(as.issuer, "http://localhost:9000/tenant-7");
  const response = await as.fetch(new Request(`${as.issuer}/.well-known/openid-configuration`));
  const own = await response.json();
  for (const [name, url] of Object.entries(metadata)) {
    if (typeof url !== "string") continue;
    assertEquals(own[name], url.replace("https://login.widgets.com", "http://localhost:9000"), name);
  }
  assertEquals(own.scopes_supported, metadata.scopes_supported);
  assertEquals(own.response_modes_supported, ["query", "fragment", "form_post"]);
  assertEquals([profile.alg, own.authorization_response_iss_parameter_supported], ["ES256", undefined]);
});

const localOrigin = "http://localhost:9000";

/** Documents in the form of three further products. */
const ninthProviders = {
  zitadel: {
    issuer: "https://acme.widgets.com",
    authorization_endpoint: "https://acme.widgets.com/oauth/v2/authorize",
    token_endpoint: "https://acme.widgets.com/oauth/v2/token",
    introspection_endpoint: "https://acme.widgets.com/oauth/v2/introspect",
    userinfo_endpoint: "https://acme.widgets.com/oidc/v1/userinfo",
    revocation_endpoint: "https://acme.widgets.com/oauth/v2/revoke",
    end_session_endpoint: "https://acme.widgets.com/oidc/v1/end_session",
    device_authorization_endpoint: "https://acme.widgets.com/oauth/v2/device_authorization",
    jwks_uri: "https://acme.widgets.com/oauth/v2/keys",
    scopes_supported: ["openid", "profile", "email", "phone", "address", "offline_access"],
    response_types_supported: ["code", "id_token", "id_token token"],
    response_modes_supported: ["query", "fragment", "form_post"],
    grant_types_supported: ["authorization_code", "implicit", "refresh_token", "client_credentials"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["EdDSA", "RS256", "ES256"],
    token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"],
    code_challenge_methods_supported: ["S256"],
    claims_supported: ["sub", "aud", "exp", "iat", "iss", "auth_time", "nonce", "name", "email", "locale"],
    request_parameter_supported: true,
    request_uri_parameter_supported: false,
  },
  fusionauth: {
    issuer: "acme.com",
    authorization_endpoint: "https://login.widgets.com/oauth2/authorize",
    device_authorization_endpoint: "https://login.widgets.com/oauth2/device_authorize",
    end_session_endpoint: "https://login.widgets.com/oauth2/logout",
    jwks_uri: "https://login.widgets.com/.well-known/jwks.json",
    token_endpoint: "https://login.widgets.com/oauth2/token",
    userinfo_endpoint: "https://login.widgets.com/oauth2/userinfo",
    scopes_supported: ["openid", "offline_access"],
    response_types_supported: ["code", "id_token", "token id_token"],
    response_modes_supported: ["form_post", "fragment", "query"],
    grant_types_supported: ["authorization_code", "password", "implicit", "refresh_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256", "HS256", "RS256"],
    userinfo_signing_alg_values_supported: ["ES256", "RS256"],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
    claims_supported: ["applicationId", "aud", "email", "exp", "iss", "roles", "sub", "tid"],
    backchannel_logout_supported: true,
  },
  pingone: {
    issuer: "https://auth.widgets.com/5caa81af/as",
    authorization_endpoint: "https://auth.widgets.com/5caa81af/as/authorize",
    pushed_authorization_request_endpoint: "https://auth.widgets.com/5caa81af/as/par",
    token_endpoint: "https://auth.widgets.com/5caa81af/as/token",
    userinfo_endpoint: "https://auth.widgets.com/5caa81af/as/userinfo",
    jwks_uri: "https://auth.widgets.com/5caa81af/as/jwks",
    end_session_endpoint: "https://auth.widgets.com/5caa81af/as/signoff",
    check_session_iframe: "https://auth.widgets.com/5caa81af/as/checksession",
    introspection_endpoint: "https://auth.widgets.com/5caa81af/as/introspect",
    revocation_endpoint: "https://auth.widgets.com/5caa81af/as/revoke",
    device_authorization_endpoint: "https://auth.widgets.com/5caa81af/as/device_authorization",
    claims_parameter_supported: false,
    request_parameter_supported: true,
    request_uri_parameter_supported: false,
    scopes_supported: ["openid", "profile", "email", "address", "phone"],
    response_types_supported: ["code", "id_token", "token id_token", "code id_token", "code token"],
    response_modes_supported: ["query", "fragment", "form_post", "pi.flow"],
    grant_types_supported: ["authorization_code", "implicit", "client_credentials", "refresh_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "client_secret_jwt"],
    code_challenge_methods_supported: ["plain", "S256"],
    claims_supported: ["sub", "iss", "auth_time", "acr", "name", "preferred_username", "email"],
  },
};

test("the metadata of a draft is that of the provider, except for what notes name", async () => {
  const sorted = (value: unknown) => JSON.stringify(Array.isArray(value) ? value.toSorted() : value);
  const differences: Record<string, unknown> = {};
  for (const [name, document] of Object.entries(ninthProviders)) {
    const { output, notes } = await run(["x.json"], { "x.json": JSON.stringify(document) });
    await using as = await latchkey({ profile: JSON.parse(output) });
    const response = await as.fetch(new Request(`${as.issuer}/.well-known/openid-configuration`));
    const own: Record<string, unknown> = await response.json();
    const expected = JSON.parse(JSON.stringify(document).replace(/https:\/\/\w+\.widgets\.com/g, localOrigin));
    const members = Object.keys({ ...own, ...expected }).filter((member) => {
      const isListed = member in expected || /_endpoint$|_uri$/.test(member);
      return isListed && sorted(own[member]) !== sorted(expected[member]);
    });
    for (const member of members) assertStringIncludes(notes, member, name);
    differences[name] = members.sort();
  }
  assertEquals(differences, {
    zitadel: [],
    fusionauth: ["issuer"],
    pingone: ["check_session_iframe", "response_modes_supported"],
  });
});

test("a draft keeps the slash of an issuer, paths outside of its path, and the origins of endpoints", async () => {
  const slash = await draftOf({ issuer: "https://login.widgets.com/", token_endpoint: "https://login.widgets.com/t" });
  assertEquals([slash.issuerPath, slash.paths], ["/", { token_endpoint: "/t" }]);
  const outside = await draftOf({
    issuer: "https://login.widgets.com/a/b",
    token_endpoint: "https://login.widgets.com/token",
    jwks_uri: "https://keys.widgets.com/a/b/keys",
  });
  assertEquals(outside.paths, { token_endpoint: "/../../token", jwks_uri: "/keys" });
  assertEquals(outside.origins, { issuer: "https://login.widgets.com", jwks_uri: "https://keys.widgets.com" });
});

test("the draft is a file for --profile, and notes name what the document does not say", async () => {
  const documents = { [`${issuer}/.well-known/openid-configuration`]: JSON.stringify(metadata) };
  const { output, notes, files, requests } = await run([issuer, "--output", "my.json"], documents);
  assertEquals([output, requests.length], ["", 1]);
  assertMatch(notes, /^my\.json .*--profile my\.json/);
  for (const name of ["lifetimes", "audience", "refresh", "idTokenClaims", "urn:widgets:roles"]) {
    assertStringIncludes(notes, name);
  }
  const config = await readConfiguration({
    args: ["--profile", "my.json"],
    env: {},
    readTextFile: (path) => Promise.resolve(files[path]!),
  }, validateOptions);
  assert(config.kind === "run");
  assertEquals((config.settings.profile as ProviderProfile[])[0]!.issuerPath, "/tenant-7");
});

test("a document is found at its URL, and below an issuer at each well-known URL", async () => {
  const text = JSON.stringify(metadata);
  const oauth = "https://login.widgets.com/.well-known/oauth-authorization-server/tenant-7";
  const openid = `${issuer}/.well-known/openid-configuration`;
  assertEquals((await run([openid], { [openid]: text })).requests, [openid]);
  assertEquals((await run([`${issuer}/`], { [oauth]: text })).requests, [openid, oauth]);
  assertEquals(
    (await run(["http://localhost:1/.well-known/x"], { "http://localhost:1/.well-known/x": text })).requests,
    [
      "http://localhost:1/.well-known/x",
    ],
  );
});

test("a source that is not a document is rejected, with what was expected", async () => {
  const url = `${issuer}/.well-known/openid-configuration`;
  const response = (status: number, body = "{}", headers = {}) => ({ [url]: new Response(body, { status, headers }) });
  const cases: [args: string[], documents: Documents, expected: RegExp][] = [
    [[], {}, /one SOURCE/],
    [["a.json", "b.json"], {}, /one SOURCE/],
    [["--colour", "a.json"], {}, /one SOURCE/],
    [["a.json", "--output"], { "a.json": "{}" }, /the name of a file/],
    [["http://login.widgets.com"], {}, /https URL/],
    [["ftp://login.widgets.com"], {}, /https URL/],
    [["https://user:pw@login.widgets.com"], {}, /https URL/],
    [[url], response(500), /status 200/],
    // Not followed: it may lead into the network of this machine.
    [[url], response(302, "", { location: "http://169.254.169.254/" }), /status 200/],
    [[url], response(200, `"${"x".repeat(1024 * 1024)}"`), /at most 1048576 bytes/],
    [[url], response(200, "<html>"), /a JSON document/],
    [["a.json"], { "a.json": "[]" }, /a JSON object/],
    [["a.json"], { "a.json": "null" }, /a JSON object/],
    [["a.json"], { "a.json": " ".repeat(10 * 1024 * 1024 + 1) }, /at most 10 MiB/],
    [["a.json"], { "a.json": '{"a":1}' }, /a metadata document, or a realm/],
    [["a.json", "--output=b.json"], { "a.json": '{"issuer":"https://a.example"}', "b.json": "" }, /never overwrites/],
    [["a.json"], { "a.json": '{"realm":"x"}' }, /a file for the clients/],
  ];
  await forEachCase(cases, async ([args, documents, expected]) => {
    const { issues } = await rejection(args, documents);
    assertMatch(issues[0]!.expected, expected);
    assert(issues[0]!.hint !== "" && !issues[0]!.received.includes("pw@"), issues[0]!.received);
  });
});

test("a hostile document drafts a profile that loads, or none", async () => {
  const wrong = [7, null, true, [[]], { "__proto__": 1 }, "", "\0<script>", "https://", "x".repeat(5000), [
    7,
    "ok",
    "ok",
  ]];
  const documents: object[] = [
    ...Object.keys(metadata).flatMap((name) => wrong.map((value) => ({ ...metadata, [name]: value }))),
    JSON.parse(`{"issuer":7,"__proto__":{"issuer":"${issuer}"},"constructor":{"prototype":{"polluted":true}}}`),
    {
      ...metadata,
      token_endpoint: "https://elsewhere.example/token",
      jwks_uri: "https://login.widgets.com/other/keys",
    },
    { ...metadata, issuer: "https://login.widgets.com/a/../%2e%2e/b c/" },
  ];
  await forEachCase(documents, async (document) => {
    const profile = await draftOf(document);
    await (await latchkey({ profile })).close();
  });
  assertEquals(({} as { polluted?: unknown; issuer?: unknown }).polluted, undefined);
});

const realm = {
  realm: "shop",
  accessTokenLifespan: 600,
  ssoSessionIdleTimeout: 1200,
  ssoSessionMaxLifespan: 7200,
  defaultSignatureAlgorithm: "ES256",
  roles: {
    realm: [
      // Each contains the other.
      { name: "default-roles-shop", composites: { realm: ["offline_access"], client: { web: ["buyer"] } } },
      { name: "offline_access", composites: { realm: ["default-roles-shop"] } },
    ],
    client: { web: [{ name: "buyer" }] },
  },
  clientScopes: [{ name: "email", protocol: "openid-connect" }, { name: "role_list", protocol: "saml" }],
  clients: [
    { clientId: "account", standardFlowEnabled: true },
    {
      clientId: "web",
      secret: "the-secret-of-the-realm-itself",
      standardFlowEnabled: true,
      serviceAccountsEnabled: true,
      redirectUris: ["https://web.example/cb", "https://web.example/*"],
      defaultClientScopes: ["profile", "email"],
      attributes: { "post.logout.redirect.uris": "https://web.example/bye", "pkce.code.challenge.method": "S256" },
    },
    {
      clientId: "spa",
      publicClient: true,
      standardFlowEnabled: true,
      rootUrl: "http://localhost:3000",
      redirectUris: ["/cb"],
    },
    { clientId: "masked", secret: "**********", standardFlowEnabled: true, redirectUris: ["https://m.example/cb"] },
    { clientId: "off", enabled: false, standardFlowEnabled: true },
    { clientId: "api", bearerOnly: true },
    { clientId: "bad\0", standardFlowEnabled: true, redirectUris: ["https://b.example/cb"] },
    { clientId: "worse", standardFlowEnabled: true, redirectUris: ["javascript:alert(1)"] },
  ],
  users: [
    {
      id: "7f0c9a6e-4d56-4d84-9d8e-2f0b7a1f5c11",
      username: "alice",
      enabled: true,
      emailVerified: true,
      email: "alice@app.example",
      firstName: "Alice",
      lastName: "Adams",
      realmRoles: ["default-roles-shop"],
      credentials: [{ type: "password", secretData: '{"value":"the-digest-of-a-password"}' }],
    },
    { username: "mallory", enabled: false },
    { username: "service-account-web", serviceAccountClientId: "web" },
  ],
};

test("a realm of Keycloak becomes a configuration with its clients, users and roles", async () => {
  const { output, notes, files } = await run(["realm.json", "--output=shop.json"], {
    "realm.json": JSON.stringify(realm),
  });
  assertEquals(output, "");
  const { profile, clients, users } = JSON.parse(files["shop.json"]!) as LatchkeyOptions & {
    readonly profile: readonly [string, ProviderProfile];
    readonly clients: readonly Record<string, unknown>[];
    readonly users: readonly Record<string, unknown>[];
  };
  assertEquals([profile[0], profile[1].issuerPath, profile[1].alg], ["keycloak", "/realms/shop", "ES256"]);
  assertEquals(profile[1].lifetimes, {
    ...{ access_token: 600, id_token: 600, refresh_token: 7200, refresh_token_idle: 1200, session: 7200 },
  });
  assertEquals(clients.map(({ client_id }) => client_id), ["web", "spa", "masked"]);
  const [web, spa, masked] = clients;
  assertEquals(web, {
    client_id: "web",
    client_secret: "the-secret-of-the-realm-itself",
    redirect_uris: ["https://web.example/cb", "https://web.example/"],
    post_logout_redirect_uris: ["https://web.example/bye"],
    grant_types: ["authorization_code", "refresh_token", "client_credentials"],
    scope: "openid profile email",
    require_pkce: true,
  });
  assertEquals([spa!.redirect_uris, spa!.client_secret], [["http://localhost:3000/cb"], undefined]);
  assertEquals(masked!.client_secret, "the-new-secret-of-a-hidden-client");
  assertEquals(users, [{
    ...{ sub: realm.users[0]!.id!, preferred_username: "alice", name: "Alice Adams", given_name: "Alice" },
    ...{ family_name: "Adams", email: "alice@app.example", email_verified: true },
    realm_access: { roles: ["default-roles-shop", "offline_access"] },
    resource_access: { web: { roles: ["buyer"] } },
  }]);
  for (const name of ["off", "api", "bad", "worse", "mallory", "wildcard", "password"]) {
    assertStringIncludes(notes, name);
  }
  for (const secret of ["the-secret-of", "the-new-secret", "the-digest"]) assert(!notes.includes(secret), secret);
  assert(!files["shop.json"]!.includes("the-digest"));
  const config = await readConfiguration({
    args: ["--config", "shop.json"],
    env: {},
    readTextFile: (path) => Promise.resolve(files[path]!),
  }, validateOptions);
  assert(config.kind === "run");
  await using as = await latchkey(config.settings);
  assertEquals(as.issuer, "http://localhost:9000/realms/shop");
});

test("a hostile realm becomes a configuration that loads", async () => {
  const wrong = [7, null, "x", [null, 7, "x", {}, []], { "__proto__": [] }, [{ clientId: 7, username: {}, name: [] }]];
  const documents = [
    ...Object.keys(realm).filter((name) => name !== "realm")
      .flatMap((name) => wrong.map((value) => ({ ...realm, [name]: value }))),
    { ...realm, realm: "../../x" },
    { ...realm, users: JSON.parse('[{"username":"eve","clientRoles":{"__proto__":["admin"],"constructor":["x"]}}]') },
    { ...realm, users: [{ username: "eve" }, { username: "eve" }, { username: "\n" }, { username: "x".repeat(999) }] },
    { ...realm, clients: [realm.clients[1], realm.clients[1]] },
  ];
  await forEachCase(documents, async (document) => {
    const { files } = await run(["r.json", "--output", "o.json"], { "r.json": JSON.stringify(document) });
    await (await latchkey(JSON.parse(files["o.json"]!))).close();
  });
});

test("a draft on a terminal has escapes for what acts on it, and is the same JSON", async () => {
  const scope = "a\u009b31m\u202eb\u{e0061}";
  const { output } = await run(["x.json"], { "x.json": JSON.stringify({ issuer, scopes_supported: [scope] }) });
  assert(!/[\u0080-\u009f\u202e\udb40]/.test(output), output);
  assertEquals(JSON.parse(output).scopes, [scope]);
});
