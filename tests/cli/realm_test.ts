/** Realms of Keycloak, exported or written by hand: read by `--config`. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { configurationOfRealm } from "../../src/cli/realm/configuration_of_realm.ts";
import { linesOf } from "../../src/cli/realm/keep_valid.ts";
import { readRealm } from "../../src/cli/realm/read_realm.ts";
import { readConfiguration } from "../../src/cli/read_config.ts";
import { decodeClaims, forEachCase, testServer } from "../kit.ts";
import { testLatchkey } from "../testing/test_latchkey.ts";

type Json = Readonly<Record<string, unknown>>;

const secret = "a-secret-of-a-client-in-a-realm";
const uri = "http://localhost:3000/cb";

/** What the program reads of a realm. */
async function read(realm: Json) {
  const config = await readConfiguration({
    args: ["--config", "realm.json"],
    env: {},
    readTextFile: () => Promise.resolve(JSON.stringify(realm)),
  });
  assert(config.kind === "run");
  assert(config.warnings.every(({ path }) => path === "realm.json"), JSON.stringify(config.warnings));
  return { settings: config.settings, notes: config.warnings.map(({ message }) => message) };
}

/** What `latchkey init --from` writes and prints. */
async function draft(realm: Json, env = {}) {
  const { value, notes } = await readRealm(realm, () => secret, env);
  return { value, notes: linesOf(notes) };
}

/** The claims of a login of the first client and the first user. */
async function claimsOf(realm: Json, scope = "openid profile email") {
  const { settings, notes } = await read({ realm: "shop", ...realm });
  const as = await testLatchkey({ ...settings, alg: "ES256" } as Parameters<typeof testLatchkey>[0]);
  const [{ client_id, client_secret }] = settings.clients as unknown as [{ client_id: string; client_secret: string }];
  const { tokens, claims } = await as.logIn({ client_id, client_secret, redirect_uri: uri }, { scope });
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  const { userinfo_endpoint } = await (await as.fetch(new Request(`${as.issuer}/.well-known/openid-configuration`)))
    .json();
  const userinfo = await (await as.fetch(new Request(userinfo_endpoint, { headers }))).json();
  await as.close();
  return { access: decodeClaims(tokens.access_token), id: claims as Json, userinfo: userinfo as Json, notes };
}

const client = { clientId: "web", secret, redirectUris: [uri] };

test("absent members of a realm have the defaults of Keycloak", async () => {
  const changes: readonly (readonly [client: Json, expected: Json | undefined])[] = [
    [{}, { grant_types: ["authorization_code", "refresh_token"], client_secret: secret }],
    [{ enabled: true, standardFlowEnabled: true, publicClient: false, protocol: "openid-connect" }, {}],
    [{ standardFlowEnabled: false }, { grant_types: [], client_secret: secret }],
    [{ directGrantsOnly: true }, { grant_types: [], client_secret: secret }],
    [{ standardFlowEnabled: false, publicClient: true }, undefined],
    [{ enabled: false }, undefined],
    [{ bearerOnly: true }, { grant_types: [], client_secret: secret }],
    [{ bearerOnly: true, secret: undefined }, undefined],
    [{ protocol: "saml" }, undefined],
    [{ publicClient: true }, { token_endpoint_auth_method: "none", client_secret: undefined }],
    [{ secret: undefined }, { client_secret: "generated" }],
    [{ secret: "" }, { client_secret: "generated" }],
    [{ secret: "**********" }, { client_secret: "**********" }],
    ...[
      ["client-secret-jwt", {}, { client_secret: secret, token_endpoint_auth_method: "client_secret_jwt" }],
      [
        ...["client-jwt", { "jwks.url": "https://app.example/jwks" }],
        { jwks_uri: "https://app.example/jwks", jwks: undefined, client_secret: undefined },
      ],
      [
        ...["client-jwt", { "jwks.string": '{"keys":[]}' }],
        { jwks: { keys: [] }, token_endpoint_auth_method: "private_key_jwt" },
      ],
      ["client-jwt", { "jwks.string": "{" }],
      ["client-x509", { "x509.subjectdn": "CN=a" }],
      ["client-other", {}],
    ].map((
      [clientAuthenticatorType, attributes, expected],
    ) => [{ clientAuthenticatorType, attributes }, expected] as [Json, Json | undefined]),
    [{ serviceAccountsEnabled: true, standardFlowEnabled: false }, { grant_types: ["client_credentials"] }],
    [{ serviceAccountsEnabled: true, redirectUris: undefined }, { grant_types: ["client_credentials"] }],
    [{ redirectUris: undefined }, { grant_types: [], redirect_uris: undefined }],
    [{ standardFlowEnabled: false, directAccessGrantsEnabled: true }, { grant_types: [] }],
    [{ redirectUris: [uri, "not a uri", ""] }, { redirect_uris: [uri] }],
    [{ redirectUris: [""] }, { grant_types: [], redirect_uris: undefined }],
    [{ redirectUris: ["/cb"], rootUrl: "http://localhost:3000/" }, { redirect_uris: [uri] }],
    [{ redirectUris: ["*"] }, { redirect_uris: ["http://localhost:3000/"] }],
    [{ redirectUris: ["*"], baseUrl: "http://localhost:4200/app" }, { redirect_uris: ["http://localhost:4200/app"] }],
    [{ redirectUris: ["http://localhost:4200/*", "/*"] }, {
      redirect_uris: ["http://localhost:4200/", "http://localhost:3000/"],
    }],
    [{ redirectUris: ["http://localhost:*", "https://localhost:*"], rootUrl: "http://localhost:8080" }, {
      redirect_uris: ["http://localhost:8080"],
    }],
    [{ redirectUris: ["*"], standardFlowEnabled: false, serviceAccountsEnabled: true }, { redirect_uris: undefined }],
    [{ attributes: { "post.logout.redirect.uris": "http://localhost:3000/*" } }, {
      post_logout_redirect_uris: ["http://localhost:3000/"],
    }],
    [{ attributes: {} }, { post_logout_redirect_uris: [uri] }],
    ...[["", uri], ["+", uri], ["-"], ["http://localhost:3000/bye", "http://localhost:3000/bye"]].map((
      [uris, permitted],
    ) =>
      [{ attributes: { "post.logout.redirect.uris": uris } }, {
        post_logout_redirect_uris: permitted === undefined ? [] : [permitted],
      }] as const
    ),
    [{ attributes: { "oauth2.device.authorization.grant.enabled": "true" }, standardFlowEnabled: false }, {
      grant_types: ["urn:ietf:params:oauth:grant-type:device_code"],
    }],
    [{ attributes: { "oidc.ciba.grant.enabled": "true" }, standardFlowEnabled: false }, {
      grant_types: ["urn:openid:params:grant-type:ciba"],
    }],
    [{ attributes: { "oidc.ciba.grant.enabled": "true" }, publicClient: true }, {
      grant_types: ["authorization_code", "refresh_token"],
    }],
  ];
  await forEachCase(changes, ([change, expected]) => {
    const { value } = configurationOfRealm({ realm: "x", clients: [{ ...client, ...change }] }, () => "generated");
    const [found] = value.clients as unknown as (Json | undefined)[];
    if (expected === undefined) return assertEquals(found, undefined);
    for (const [name, member] of Object.entries(expected)) assertEquals(found![name], member, name);
    assertEquals(found!.client_id, "web");
  });
  for (const enabled of [undefined, false, true]) {
    const { value, notes } = configurationOfRealm({ realm: "x", users: [{ username: "Carol", enabled }] }, () => "");
    assertEquals(value.users.map(({ sub }) => sub), enabled ? ["carol"] : ["alice", "bob"]);
    assertEquals(notes.some(({ part }) => part === 'user "carol"'), enabled !== true);
  }
});

test("the realms of the quickstarts of Keycloak keep their clients and users", async () => {
  // The members of the files in keycloak/keycloak-quickstarts.
  const realm = {
    realm: "quickstart",
    enabled: true,
    clients: [
      {
        clientId: "servlet",
        enabled: true,
        bearerOnly: false,
        redirectUris: ["http://localhost:8080/app/*"],
        secret: "secret",
      },
      {
        clientId: "spa",
        enabled: true,
        publicClient: true,
        redirectUris: [uri],
        webOrigins: ["http://localhost:3000"],
      },
      { clientId: "service", enabled: true, bearerOnly: true },
    ],
    users: [{
      ...{ username: "alice", enabled: true, email: "alice@keycloak.org", firstName: "Alice", lastName: "Liddel" },
      credentials: [{ type: "password", value: "alice" }],
      realmRoles: ["user"],
      clientRoles: { account: ["manage-account"] },
    }],
    roles: { realm: [{ name: "user" }, { name: "admin" }] },
  };
  const { settings, notes } = await read(realm);
  assertEquals((settings.clients as unknown as Json[]).map(({ client_id }) => client_id), ["servlet", "spa"]);
  assertEquals(
    (settings.users as unknown as Json[]).map(({ sub, password, realm_access }) => [sub, password, realm_access]),
    [
      ["alice", "alice", { roles: ["user"] }],
    ],
  );
  assertMatch(notes[0]!, /latchkey init --from realm\.json\./);
  assert((await draft(realm)).notes.some((note) => note.includes('"service"')));
  assert(!notes.join().includes("NO CLIENT"));
});

test("placeholders of a realm are environment variables, with defaults; one without a value is named", async () => {
  const realm = {
    realm: "${REALM:shop}",
    clients: [
      { ...client, secret: "${WEB_SECRET}", redirectUris: ["${BASE:http://localhost:3000}/cb"], name: "${client_web}" },
      { ...client, clientId: "b", secret: "a-${env.PART}-${MISSING}", enabled: "${IS_ON:true}" },
      { ...client, clientId: "c", enabled: "${IS_OFF:true}" },
    ],
    users: [{ username: "${NAME:Alice}", email: "${NAME:Alice}@shop.example", enabled: "${IS_ON:true}" }],
  };
  const env = { WEB_SECRET: "from-the-environment", PART: "part", IS_OFF: "false" };
  const { value, notes } = await draft(realm, env);
  const { profile: [, own], clients, users } = value as unknown as {
    profile: [string, { issuerPath: string }];
    clients: Json[];
    users: Json[];
  };
  assertEquals(own.issuerPath, "/realms/shop");
  assertEquals(
    clients.map(({ client_id, client_secret, redirect_uris }) => [client_id, client_secret, redirect_uris]),
    [
      ["web", "from-the-environment", [uri]],
      ["b", "a-part-${MISSING}", [uri]],
    ],
  );
  assertEquals(users.map(({ sub, email }) => [sub, email]), [["alice", "Alice@shop.example"]]);
  assertEquals(notes.filter((note) => note.startsWith("${")).map((note) => note.split(":")[0]), ["${MISSING}"]);
  assert(!notes.join().includes("from-the-environment"));
  // The program reads them too.
  const config = await readConfiguration({
    args: ["--config", "realm.json"],
    env,
    readTextFile: () => Promise.resolve(JSON.stringify(realm)),
  });
  assert(config.kind === "run");
  assertEquals((config.settings.clients as unknown as Json[])[0]!.client_secret, "from-the-environment");
  const deep = JSON.parse(`{"realm":"x","attributes":${"[".repeat(2000)}${"]".repeat(2000)}}`);
  assertEquals(typeof (await draft(deep)).notes[0], "string");
});

test("placeholders of keycloak-config-cli are environment variables too; those in URIs that are left out are named", async () => {
  const realm = {
    realm: "shop",
    clients: [{
      ...client,
      redirectUris: ["$(env:BASE)/cb", "$(env:OTHER:-https://other.example)/cb", "$(env:GONE)/*"],
    }],
    users: [{ username: "${SOMEBODY}", enabled: true }],
  };
  const { value, notes } = await draft(realm, { BASE: "http://localhost:3000" });
  assertEquals(value.clients![0]!.redirect_uris!.slice(0, 2), [uri, "https://other.example/cb"]);
  const named = notes.filter((note) => note.includes("no environment variable")).map((note) => note.split(": ")[0]);
  assertEquals(named, ["${SOMEBODY}, $(env:GONE)"]);
});

test("a handwritten client without redirect URIs cannot log in, and its tokens can be minted, as the note says", async () => {
  const realm = {
    realm: "shop",
    clients: [{ clientId: "api", publicClient: true, directAccessGrantsEnabled: true }],
    users: [{ id: "0b51", username: "alice", email: "alice@shop.example", enabled: true }],
  };
  const { settings, notes } = await read(realm);
  assertMatch(notes[1]!, /^NO CLIENT .* add .*redirectUris .*--control on\.$/);
  await using as = await testLatchkey({ ...settings, alg: "ES256" } as Parameters<typeof testLatchkey>[0]);
  const claims = decodeClaims(await as.mint.accessToken({ client: "api", sub: "alice" }));
  assertEquals([claims.azp ?? claims.client_id, claims.sub], ["api", "0b51"]);
});

test("the own tokens of a client have the claims of its service account, as in Keycloak, and no other token has them", async () => {
  const job = { ...client, redirectUris: undefined, serviceAccountsEnabled: true };
  const mapper = (protocolMapper: string, config: Json) => (
    { name: "m", protocolMapper, config: { "access.token.claim": "true", ...config } }
  );
  const { settings } = await read({
    realm: "shop",
    clients: [
      {
        ...{ ...job, clientId: "Worker" },
        protocolMappers: [
          mapper("oidc-usermodel-realm-role-mapper", { "claim.name": "roles", multivalued: "true" }),
          mapper("oidc-usermodel-attribute-mapper", { "user.attribute": "team", "claim.name": "team" }),
        ],
      },
      { ...job, clientId: "new" },
      client,
    ],
    defaultRole: { name: "default-roles-shop" },
    roles: { realm: [{ name: "auditor", composites: { client: { api: ["read"] } } }] },
    groups: [{ name: "jobs", realmRoles: ["nightly"] }],
    users: [
      {
        ...{ username: "service-account-worker", serviceAccountClientId: "Worker", email: "worker@shop.example" },
        ...{ enabled: true, realmRoles: ["auditor"], groups: ["/jobs"], attributes: { team: ["night"] } },
      },
      user,
    ],
  });
  assertEquals((settings.users as unknown as Json[]).map(({ sub }) => sub), ["alice"]);
  await using as = await testLatchkey({ ...settings, alg: "ES256" } as Parameters<typeof testLatchkey>[0]);
  const own = async (client_id: string) => {
    const response = await as.token({ client_id, client_secret: secret }, { grant_type: "client_credentials" });
    const { aud, preferred_username, email, realm_access, resource_access, roles, team } = decodeClaims(
      response.access_token,
    );
    return { aud, preferred_username, email, realm_access, resource_access, roles, team };
  };
  const none = { aud: "account", email: undefined, resource_access: undefined, team: undefined };
  assertEquals(await own("Worker"), {
    ...{ preferred_username: "service-account-worker", email: "worker@shop.example", team: "night" },
    ...{ realm_access: { roles: ["auditor", "nightly"] }, resource_access: { api: { roles: ["read"] } } },
    ...{ roles: ["auditor", "nightly"], aud: ["api", "account"] },
  });
  const roles = ["default-roles-shop"];
  assertEquals(await own("new"), {
    ...none,
    preferred_username: "service-account-new",
    realm_access: { roles },
    roles,
  });
  const { tokens } = await as.logIn({ client_id: "web", client_secret: secret, redirect_uri: uri });
  const { preferred_username, realm_access, team } = decodeClaims(tokens.access_token);
  assertEquals([preferred_username, realm_access, team], ["alice", { roles: ["user"] }, undefined]);
});

test("[RU-09] redirect URIs with plain http on any host work, as in Keycloak, and a line at the start names them", async () => {
  const there = "http://shop.corp.example.org:8080/cb";
  const cases: readonly (readonly [uris: readonly string[], sent: string, isNamed: boolean])[] = [
    [[there], there, true],
    [[uri, there], there, true],
    [["http://shop.corp.example.org:8080/*"], there, true],
    [["/cb"], there, true],
    [[uri], uri, false],
    [["http://app.test/cb"], "http://app.test/cb", false],
  ];
  await forEachCase(cases, async ([redirectUris, redirect_uri, isNamed]) => {
    const { settings, notes } = await read({
      realm: "shop",
      clients: [{ ...client, redirectUris, rootUrl: "http://shop.corp.example.org:8080" }],
    });
    assertEquals((settings as Json).insecure, isNamed ? ["http-redirect-uris"] : undefined);
    assertEquals(
      notes.some((note) => /shop\.corp.*plain http.*"http-redirect-uris"/.test(note)),
      isNamed,
      notes.join(),
    );
    await using as = await testLatchkey({ ...settings, alg: "ES256" } as Parameters<typeof testLatchkey>[0]);
    const { claims } = await as.logIn({ client_id: "web", client_secret: secret, redirect_uri });
    assertEquals(claims?.sub, "alice");
  });
});

test("access tokens are for the clients of the roles of the user too, and for those of audience mappers", async () => {
  const mapper = (audience: string) => ({
    ...{ name: audience, protocolMapper: "oidc-audience-mapper" },
    config: { "included.client.audience": audience, "access.token.claim": "true" },
  });
  const cases: readonly (readonly [clientRoles: Json, mappers: readonly string[], aud: unknown])[] = [
    [{}, [], "account"],
    [{ web: ["buyer"], account: ["view-profile"] }, [], "account"],
    [{ shop: ["seller"], web: ["buyer"] }, [], ["shop", "account"]],
    [{ shop: ["seller"] }, ["api"], ["shop", "account", "api"]],
    [{ shop: ["seller"] }, ["api", "shop"], ["shop", "account", "api"]],
    [{}, ["api", "other"], ["account", "api", "other"]],
  ];
  await forEachCase(cases, async ([clientRoles, audiences, aud]) => {
    const clientScopes = ["profile", ...audiences].map((name) => ({
      ...{ name, protocol: "openid-connect" },
      protocolMappers: audiences.filter((audience) => audience === name).map(mapper),
    }));
    const { access, userinfo } = await claimsOf({
      clients: [{ ...client, defaultClientScopes: ["profile", ...audiences] }],
      clientScopes,
      users: [{ ...user, clientRoles }],
    });
    assertEquals([access.aud, userinfo.sub], [aud, "alice"]);
  });
});

test("a mapper gives users another sub", async () => {
  const cases: readonly (readonly [config: Json, sub: string])[] = [
    [{ "user.attribute": "email", "claim.name": "sub" }, "a@app.example"],
    [{ "user.attribute": "department", "claim.name": "sub" }, "sales"],
    [{ "user.attribute": "unknown", "claim.name": "sub" }, "alice"],
    [{ "user.attribute": "email", "claim.name": "sub.x" }, "alice"],
    [{ "user.attribute": "sizes", "claim.name": "sub", multivalued: "true" }, "alice"],
  ];
  await forEachCase(cases, async ([config, sub]) => {
    const protocolMappers = [{
      ...{ name: "m", protocolMapper: "oidc-usermodel-attribute-mapper" },
      config: { ...config, "access.token.claim": "true", "id.token.claim": "true" },
    }];
    const { access, id, userinfo } = await claimsOf({
      clients: [{ ...client, protocolMappers }],
      groups,
      users: [user],
    });
    assertEquals([access.sub, id.sub, userinfo.sub], [sub, sub, sub]);
  });
});

test("[OP-11, RU-01] a wildcard of a client that logs users in makes the server accept any redirect URI", async () => {
  const wild = "http://localhost:4200/app/*";
  const accepts = async (change: Json) => {
    const { settings, notes } = await read({ realm: "x", clients: [{ ...client, ...change }] });
    assert(!notes.join().includes("*"), notes.join("\n"));
    return (settings as Json).redirectUris;
  };
  for (const uris of [["*"], [wild], [uri, wild], ["/*"], ["http://localhost:*"]]) {
    assertEquals(await accepts({ redirectUris: uris }), "any", uris.join());
    for (const off of [{ enabled: false }, { bearerOnly: true }, { standardFlowEnabled: false }]) {
      assertEquals(await accepts({ redirectUris: uris, serviceAccountsEnabled: true, ...off }), undefined, uris.join());
    }
  }
  assertEquals(await accepts({ attributes: { "post.logout.redirect.uris": wild } }), "any");
  const ofKeycloak = { clientId: "account-console", redirectUris: ["/realms/x/account/*"] };
  assertEquals(((await read({ realm: "x", clients: [client, ofKeycloak] })).settings as Json).redirectUris, undefined);
  const { settings } = await read({ realm: "x", clients: [{ ...client, redirectUris: [wild] }] });
  await using as = await testLatchkey({ ...settings, alg: "ES256" } as Parameters<typeof testLatchkey>[0]);
  const web = { client_id: "web", client_secret: secret, redirect_uri: "http://localhost:4200/app/callback" };
  assertEquals((await as.logIn(web)).claims?.sub, "alice");
  const { notes } = await draft({ realm: "x", clients: [{ ...client, redirectUris: [wild] }] });
  assert(notes.some((note) => note.startsWith(`client "web" "${wild}": with a wildcard`)), notes.join("\n"));
});

test("a realm without users has alice and bob, one without clients the demo clients, and says so in one line each", async () => {
  const user = { username: "carol", enabled: true };
  const demo = ["alice", "bob"];
  const cases: readonly (readonly [realm: Json, clients: string[] | undefined, users: string[]])[] = [
    [{}, undefined, demo],
    [{ clients: [client] }, ["web"], demo],
    [{ clients: [client], users: [{ ...user, enabled: false }] }, ["web"], demo],
    [{ clients: [client], users: [{ ...user, serviceAccountClientId: "web" }] }, ["web"], demo],
    [{ clients: [{ ...client, enabled: false }], users: [user] }, undefined, ["carol"]],
    [{ clients: [client], users: [user] }, ["web"], ["carol"]],
  ];
  await forEachCase(cases, async ([realm, clients, users]) => {
    const { settings, notes } = await read({ realm: "x", ...realm });
    assertEquals((settings.clients as unknown as Json[] | undefined)?.map(({ client_id }) => client_id), clients);
    assertEquals((settings.users as unknown as Json[] | undefined)?.map(({ sub }) => sub), users);
    const has = (start: string) => notes.filter((note) => note.startsWith(start)).length;
    assertEquals([has("NO CLIENT"), has("NO USER")], [clients === undefined ? 1 : 0, users === demo ? 1 : 0]);
  });
  // As a user whom Keycloak creates in the realm.
  const { access } = await claimsOf({
    clients: [client],
    defaultRole: { name: "default-roles-shop" },
    roles: { realm: [{ name: "default-roles-shop", composites: { realm: ["offline_access"] } }] },
    groups: [{ name: "staff", realmRoles: ["seller"] }],
    defaultGroups: ["/staff"],
  });
  assertEquals([access.preferred_username, access.given_name, access.email], ["alice", "Alice", "alice@example.com"]);
  assertEquals(access.realm_access, { roles: ["default-roles-shop", "offline_access", "seller"] });
});

test("of a member that a realm has twice, the last value counts, as for Keycloak", async () => {
  const text = JSON.stringify({ realm: "x", clients: [client], users: [] })
    .replace(/}$/, ',"users":[{"username":"dave","enabled":true}]}');
  const args = ["--config", "realm.json"];
  const config = await readConfiguration({ args, env: {}, readTextFile: () => Promise.resolve(text) });
  assert(config.kind === "run");
  assertEquals((config.settings.users as unknown as Json[]).map(({ sub }) => sub), ["dave"]);
});

test("what a realm lacks to authenticate a client, or hides, is said at the start, with the fix", async () => {
  const cases: readonly (readonly [change: Json, note: RegExp])[] = [
    [{ secret: "**********" }, /has the secret \*+, because the export hides its own: write .* as "secret"$/],
    [{ secret: undefined }, /has a new secret, because the realm has none: write .* as "secret"$/],
    [
      { clientAuthenticatorType: "client-x509" },
      /left out.*"client-x509": register its certificate as .*mutual-tls\.md/,
    ],
    [{ clientAuthenticatorType: "client-jwt" }, /left out.*"client-jwt": add the attribute "jwks\.url", or set/],
  ];
  await forEachCase(cases, async ([change, note]) => {
    const { notes } = await read({ realm: "x", clients: [client, { ...client, clientId: "other", ...change }] });
    assertMatch(notes.find((line) => line.includes('"other"'))!, note);
  });
});

test("a bearer-only client with a secret introspects tokens", async () => {
  const clients = [client, { clientId: "api", bearerOnly: true, secret }];
  const { settings } = await read({ realm: "x", clients });
  await using as = await testLatchkey({ ...settings, alg: "ES256" } as Parameters<typeof testLatchkey>[0]);
  const token = await as.mint.accessToken({ client: "web", sub: "alice" });
  const { introspection_endpoint } =
    await (await as.fetch(new Request(`${as.issuer}/.well-known/openid-configuration`)))
      .json();
  const body = new URLSearchParams({ token, client_id: "api", client_secret: secret });
  const response = await as.fetch(new Request(introspection_endpoint, { method: "POST", body }));
  assertEquals([response.status, (await response.json()).active], [200, true]);
});

test("a realm starts without warnings about claims that no client may ask for, and tokens lack them", async () => {
  const ofScope = (name: string) => ({
    name,
    protocol: "openid-connect",
    protocolMappers: [{
      ...{ name: "m", protocolMapper: "oidc-usermodel-attribute-mapper" },
      config: { ...inIdToken, "access.token.claim": "true", "user.attribute": "department", "claim.name": "dept" },
    }],
  });
  const cases = [
    [{ clientScopes: [{ name: "own", protocol: "openid-connect" }] }, {}, undefined],
    [{ clientScopes: [ofScope("unused"), ofScope("profile")] }, { defaultClientScopes: ["profile"] }, "sales"],
    [{ clientScopes: [ofScope("unused")] }, { defaultClientScopes: ["email"] }, undefined],
  ] as const;
  await forEachCase(cases, async ([realm, ofClient, dept]) => {
    for (const users of [[user], []]) {
      const { settings } = await read({ realm: "x", ...realm, users, clients: [{ ...client, ...ofClient }] });
      const { events } = await testServer(settings);
      assertEquals(events.filter(({ type }) => type === "configuration_warning"), []);
      const [first] = settings.users as unknown as Json[];
      assertEquals([first!.preferred_username, first!.dept], ["alice", users.length > 0 ? dept : undefined]);
    }
  });
});

test("a mapper that adds nothing in Keycloak is not named", async () => {
  const mapper = (protocolMapper: string, config: Json) => ({ name: "m", protocolMapper, config });
  const { notes } = await read({
    realm: "x",
    users: [user],
    clients: [{
      ...client,
      protocolMappers: [
        mapper("oidc-audience-mapper", { "access.token.claim": "true" }),
        mapper("oidc-script-based-protocol-mapper", { "access.token.claim": "false" }),
        mapper("oidc-organization-membership-mapper", { "claim.name": "organization", "id.token.claim": "true" }),
      ],
    }],
  });
  assertEquals(notes.slice(1), []);
});

test("that no client is left is the first line", async () => {
  const without: Json[] = [{}, { clients: [] }, { clients: [{ ...client, enabled: false }] }, {
    clients: [{ ...client, clientId: "bad\0" }],
  }];
  for (const realm of without) {
    assertMatch((await draft({ realm: "x", ...realm })).notes[0]!, /^NO CLIENT/);
    assertMatch((await read({ realm: "x", ...realm })).notes[1]!, /^NO CLIENT/);
  }
});

test("a user has the roles of its groups, of the groups above them, and of the roles inside", async () => {
  const { value: { users } } = await draft({
    realm: "x",
    roles: { realm: [{ name: "lead", composites: { realm: ["member"], client: { web: ["buyer"] } } }] },
    groups: [{
      ...{ name: "a/b", realmRoles: ["top"], attributes: { site: ["north"] } },
      subGroups: [{ name: "leads", realmRoles: ["lead"], clientRoles: { web: ["seller"] } }],
    }],
    users: [{ username: "alice", enabled: true, realmRoles: ["own"], groups: ["/a~/b/leads", "/unknown"] }, {
      ...{ username: "bob", enabled: true, realmRoles: ["own"], groups: ["a~/b/leads"] },
    }],
  });
  assertEquals(
    users,
    ["alice", "bob"].map((sub) => ({
      ...{ sub, preferred_username: sub },
      realm_access: { roles: ["lead", "member", "own", "top"] },
      resource_access: { web: { roles: ["buyer", "seller"] } },
    })),
  );
});

/** A mapper adds its claim to ID tokens. */
const inIdToken = { "id.token.claim": "true" };

const groups = [{ name: "staff", subGroups: [{ name: "leads", attributes: { site: ["north"] } }] }];
const user = {
  ...{ username: "alice", enabled: true, firstName: "Alice", lastName: "Adams", email: "a@app.example" },
  attributes: { department: ["sales"], sizes: ["1", "2"] },
  groups: ["/staff/leads"],
  ...{ realmRoles: ["user"], clientRoles: { web: ["buyer"], shop: ["seller"] } },
};

/** A mapper, and the claim that it adds. */
const mappers: readonly (readonly [type: string, config: Json, claim: string, value: unknown])[] = [
  ["oidc-hardcoded-claim-mapper", { "claim.name": "tier", "claim.value": "gold" }, "tier", "gold"],
  [
    "oidc-hardcoded-claim-mapper",
    { "claim.name": "a.b", "claim.value": "7", "jsonType.label": "int" },
    ...["a", { b: 7 }] as const,
  ],
  [
    "oidc-usermodel-attribute-mapper",
    { "user.attribute": "department", "claim.name": "dept", "jsonType.label": "String" },
    ...["dept", "sales"] as const,
  ],
  [
    "oidc-usermodel-attribute-mapper",
    { "user.attribute": "sizes", "claim.name": "sizes", "jsonType.label": "int", multivalued: "true" },
    ...["sizes", [1, 2]] as const,
  ],
  ["oidc-usermodel-attribute-mapper", { "user.attribute": "site", "claim.name": "site" }, "site", "north"],
  ["oidc-usermodel-property-mapper", { "user.attribute": "username", "claim.name": "login" }, "login", "alice"],
  ["oidc-group-membership-mapper", { "claim.name": "groups" }, "groups", ["/staff/leads"]],
  ["oidc-group-membership-mapper", { "claim.name": "groups", "full.path": "false" }, "groups", ["leads"]],
  ["oidc-usermodel-realm-role-mapper", { "claim.name": "roles", multivalued: "true" }, "roles", ["user"]],
  [
    "oidc-usermodel-client-role-mapper",
    { "claim.name": "web_roles", "usermodel.clientRoleMapping.clientId": "web" },
    ...["web_roles", ["buyer"]] as const,
  ],
  ["oidc-usermodel-client-role-mapper", { "claim.name": "access.${client_id}" }, "access", {
    ...{ shop: ["seller"], web: ["buyer"] },
  }],
  ["oidc-full-name-mapper", {}, "name", "Alice Adams"],
  ["oidc-audience-mapper", { "included.custom.audience": "https://api.example" }, "aud", [
    ...["shop", "account", "https://api.example"],
  ]],
  ["oidc-audience-mapper", { "included.client.audience": "web" }, "aud", ["shop", "account", "web"]],
];

test("each common mapper of a client or a client scope adds its claim where Keycloak adds it", async () => {
  const all = { "access.token.claim": "true", "id.token.claim": "true", "userinfo.token.claim": "true" };
  for (const place of ["client", "client scope"]) {
    await forEachCase(mappers, async ([protocolMapper, config, claim, value]) => {
      const protocolMappers = [
        { name: "the mapper", protocol: "openid-connect", protocolMapper, config: { ...config, ...all } },
      ];
      const scopes = [
        { name: "extra", protocol: "openid-connect", protocolMappers },
        ..."profile email".split(" ").map(
          (name) => ({ name, protocol: "openid-connect" }),
        ),
      ];
      const { access, id, userinfo, notes } = await claimsOf({
        ...{ users: [user], groups },
        ...place === "client" ? { clients: [{ ...client, protocolMappers }] } : {
          clientScopes: scopes,
          clients: [{ ...client, defaultClientScopes: ["profile", "email", "extra"] }],
        },
      });
      assertEquals(access[claim], value);
      if (claim !== "aud") assertEquals([id[claim], userinfo[claim]], [value, value]);
      assert(!notes.some((note) => note.includes("the mapper")), notes.join("\n"));
    });
  }
});

test("a mapper for access tokens alone adds to them alone, and a claim for ID tokens alone is named", async () => {
  const mapper = (name: string, config: Json) => ({
    ...{ name, protocolMapper: "oidc-usermodel-attribute-mapper" },
    config: { "user.attribute": "department", "claim.name": name, ...config },
  });
  const realm = {
    clients: [{
      ...client,
      protocolMappers: [
        mapper("for_apis", { "access.token.claim": "true", "userinfo.token.claim": "false" }),
        mapper("for_logins", { "id.token.claim": "true", "userinfo.token.claim": "false" }),
      ],
    }],
    ...{ users: [user], groups },
  };
  const { access, id, userinfo } = await claimsOf(realm);
  assertEquals([access.for_apis, id.for_apis, userinfo.for_apis], ["sales", undefined, undefined]);
  assertEquals([access.for_logins, id.for_logins], [undefined, "sales"]);
  const { notes } = await draft({ realm: "shop", ...realm });
  assert(notes.some((note) => note.includes('"for_logins"') && note.includes("userinfo")));
});

test("a start has few lines about a realm: one for each kind of difference, and none where Keycloak has none", async () => {
  const many = <T>(item: (i: number) => T) => Array.from({ length: 30 }, (_, i) => item(i));
  const { notes } = await read({
    realm: "x",
    clients: [
      { clientId: "account", rootUrl: "${authBaseUrl}", baseUrl: "/realms/x/account/", name: "${client_account}" },
      ...many((i) => ({
        ...{
          clientId: `c${i}`,
          name: "${client_c}",
          redirectUris: [`http://localhost:${3000 + i}/*`, ""],
          secret: "**",
        },
        ...{ directAccessGrantsEnabled: true, implicitFlowEnabled: true, serviceAccountsEnabled: true },
        attributes: { "access.token.lifespan": i % 2 === 0 ? "-1" : "", "standard.token.exchange.enabled": "true" },
        protocolMappers: [{ name: "m", protocolMapper: "oidc-script-based-protocol-mapper", config: inIdToken }],
      })),
      ...many((i) => ({ clientId: `api${i}`, bearerOnly: true })),
    ],
    users: many((i) => ({ username: `u${i}`, enabled: true, attributes: { shoe: ["4"] } })),
    components: { profile: [{ config: { "kc.user.profile.config": ['{"displayName":"${username}"}'] } }] },
  });
  assertEquals(notes.slice(1).map((line) => line.split(": ").slice(1).join(": ").slice(0, 20)), [
    "has the secret **, b",
    "left out, so tokens ",
  ]);
  assert(notes.length <= 5 && notes.every((line) => !line.includes("\n")));
});

test("a client that exchanges tokens in its realm exchanges them here", async () => {
  const { settings } = await read({
    realm: "x",
    clients: [{ ...client, attributes: { "standard.token.exchange.enabled": "true" } }],
  });
  const [{ grant_types }] = settings.clients as unknown as [{ grant_types: readonly string[] }];
  assert(grant_types.includes("urn:ietf:params:oauth:grant-type:token-exchange"));
  assertEquals((settings as Json).tokenExchange, {});
});

test("each part of a realm that has no equivalent is named in a line of its own", async () => {
  const mapper = (name: string, protocolMapper: string, config: Json = {}) => (
    { name, protocolMapper, config: { ...inIdToken, ...config } }
  );
  const { notes } = await draft({
    realm: "x",
    clients: [
      {
        ...client,
        ...{ implicitFlowEnabled: true, directAccessGrantsEnabled: true, fullScopeAllowed: false },
        consentRequired: true,
        attributes: { "access.token.lifespan": "60" },
        protocolMappers: [
          mapper("script", "oidc-script-based-protocol-mapper"),
          mapper("note", "oidc-usersessionmodel-note-mapper", { "user.session.note": "other", "claim.name": "x" }),
          mapper("reserved", "oidc-hardcoded-claim-mapper", { "claim.name": "sub", "claim.value": "x" }),
          mapper("proto", "oidc-hardcoded-claim-mapper", { "claim.name": "__proto__.x", "claim.value": "x" }),
          mapper("shared", "oidc-hardcoded-claim-mapper", {
            ...{ "claim.name": "tier", "claim.value": "gold", "access.token.claim": "true" },
          }),
          mapper("built in", "oidc-acr-mapper"),
        ],
      },
      { ...client, clientId: "certificate", clientAuthenticatorType: "client-x509" },
      { ...client, clientId: "wild", redirectUris: ["https://*.app.example/*", "http://localhost:3000/*"] },
    ],
    groups,
    users: [
      user,
      { username: "bob" },
      { username: "carol", enabled: true, requiredActions: ["UPDATE_PASSWORD"] },
      { username: "dave", enabled: true, credentials: [{ type: "password", value: "dave", temporary: true }] },
    ],
    identityProviders: [{ alias: "google" }, { alias: "github", enabled: false }],
    components: { "org.keycloak.storage.UserStorageProvider": [{ name: "ldap" }] },
  });
  const named = [
    ...["implicitFlowEnabled", "directAccessGrantsEnabled", "fullScopeAllowed"],
    ...['"script"', '"note"', '"reserved"', '"proto"', '"shared"'],
    ...['"certificate"', '"https://*.app.example/*"', '"http://localhost:3000/*"'],
    ...["60 seconds", '"bob"', "consentRequired", '"google"', '"ldap"', "users: 2 with required actions"],
  ];
  for (const name of named) {
    assert(notes.some((note) => note.includes(name)), `${name} is not named:\n${notes.join("\n")}`);
  }
  assert(!notes.some((note) => note.includes("built in") || note.includes("github")));
  assertStringIncludes(notes.find((note) => note.includes('"shared"'))!, "every client");
});

test("a realm has a bound for what it may cost, whatever its parts refer to", () => {
  const count = 4000;
  const roles = Array.from({ length: count }, (_, i) => ({
    name: `r${i}`,
    composites: { realm: [`r${(i + 1) % count}`, `r${(i * 7) % count}`] },
  }));
  const users = Array.from({ length: 20_000 }, (_, i) => ({
    ...{ username: `u${i}`, enabled: true, groups: ["/g"], realmRoles: [`r${i % count}`] },
  }));
  const realmRoles = roles.map(({ name }) => name);
  let looks = 0;
  // Counts how often the conversion reads the roles inside of roles and groups.
  const counted = <T extends object>(value: T): T =>
    new Proxy(value, { get: (target, name) => (looks++, Reflect.get(target, name)) });
  const { value, notes } = configurationOfRealm({
    realm: "x",
    roles: { realm: roles.map((role) => ({ ...role, composites: { realm: counted(role.composites.realm) } })) },
    groups: [{ name: "g", realmRoles: counted(realmRoles) }],
    users,
  }, () => secret);
  assertEquals(value.users.length, 10_000);
  assert(looks < 100_000, `${looks} looks`);
  for (const name of ["users: only the first 10000", "roles: "]) {
    assert(linesOf(notes).some((line) => line.startsWith(name)), name);
  }
});
