/** `latchkey init --from FILE`: configurations from realms of Keycloak. */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { importRealm } from "../../src/cli/realm/import_realm.ts";
import { readConfiguration } from "../../src/cli/read_config.ts";
import { CommandLineError } from "../../src/cli/command_line_error.ts";
import type { LatchkeyOptions, ProviderProfile } from "../../src/mod.ts";
import { forEachCase } from "../kit.ts";
import { latchkey } from "../secret_leak_check.ts";

/** The texts of files, by path. */
type Files = Readonly<Record<string, string>>;

/** What a run printed and wrote. */
interface Outcome {
  readonly output: string;
  readonly notes: string;
  readonly files: Files;
}

const program = { mainModule: "latchkey", env: {} };

async function run(args: readonly string[], given: Files): Promise<Outcome> {
  const printed = { log: "", error: "" };
  const { log, error } = console;
  console.log = (line) => void (printed.log += line);
  console.error = (line) => void (printed.error += line);
  const files: Record<string, string> = {};
  try {
    const code = await importRealm(args, { ...program, readTextFile: (path) => Promise.resolve(given[path]!) }, {
      createPrivateFile: (path, text) =>
        Promise.resolve(Object.hasOwn(given, path) ? false : (files[path] = text) !== ""),
      randomSecret: () => "the-new-secret-of-a-hidden-client",
    });
    assertEquals(code, 0);
    return { output: printed.log, notes: printed.error, files };
  } finally {
    Object.assign(console, { log, error });
  }
}

test("a source that is not a realm is rejected, with what was expected and what to do", async () => {
  const cases: [args: string[], files: Files, expected: RegExp, hint: RegExp][] = [
    [["--from"], {}, /the name of a file/, /--help/],
    [["--from", "a.json", "b.json"], {}, /--from/, /--help/],
    [["--from", "a.json", "--from", "b.json"], {}, /one file/, /Keep one/],
    [["--colour", "--from", "a.json"], {}, /--from/, /--help/],
    [["--from", "a.json", "--output"], { "a.json": "{}" }, /the name of a file/, /--help/],
    [["--from", "https://user:pw@login.widgets.com"], {}, /a realm/, /Copy the nearest profile .*docs\/providers\.md/],
    [
      ["--from", "a.json"],
      { "a.json": '{"issuer":"https://a.example","token_endpoint":"x"}' },
      /a realm/,
      /Copy the nearest/,
    ],
    [["--from", "a.json"], { "a.json": "<html>" }, /a realm/, /double quotes/],
    [["--from", "a.json"], { "a.json": "[]" }, /a realm/, /one realm/],
    [["--from", "a.json"], { "a.json": "null" }, /a realm/, /one realm/],
    [["--from", "a.json"], { "a.json": '{"a":1}' }, /a realm/, /one realm/],
    [["--from", "a.json"], { "a.json": " ".repeat(10 * 1024 * 1024 + 1) }, /at most 10 MiB/, /./],
    [
      ["--from", "a.json", "--output=b.json"],
      { "a.json": '{"realm":"x"}', "b.json": "" },
      /never overwrites/,
      /another name/,
    ],
    [["--from", "a.json"], { "a.json": '{"realm":"x"}', "latchkey.json": "" }, /never overwrites/, /another name/],
  ];
  await forEachCase(cases, async ([args, files, expected, hint]) => {
    const [issue] = (await assertRejects(() => run(args, files), CommandLineError)).issues;
    assertMatch(issue!.expected, expected);
    assertMatch(issue!.hint!, hint);
    assert(!issue!.received.includes("pw@"), issue!.received);
  });
  const invalid = { "a.json": '{\n  "realm": "x",\n<<<<<<< HEAD\n}' };
  const [place] = (await assertRejects(() => run(["--from", "a.json"], invalid), CommandLineError)).issues;
  assertStringIncludes(place!.path, "line 3");
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
  const { output, notes, files } = await run(["--from", "realm.json", "--output=shop.json"], {
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
  assertEquals(clients.map(({ client_id }) => client_id), ["web", "spa", "masked", "worse"]);
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
  assertEquals(masked!.client_secret, "**********");
  assertEquals(users, [{
    ...{ sub: realm.users[0]!.id!, preferred_username: "alice", name: "Alice Adams", given_name: "Alice" },
    ...{ family_name: "Adams", email: "alice@app.example", email_verified: true },
    realm_access: { roles: ["default-roles-shop", "offline_access"] },
    resource_access: { web: { roles: ["buyer"] } },
  }]);
  for (const name of ["off", "api", "bad", "worse", "mallory", "wildcard", "password"]) {
    assertStringIncludes(notes, name);
  }
  assertMatch(
    notes,
    /client "web" "https:\/\/web\.example\/cb", [^\n]*: registered, but browsers find its host only by DNS/,
  );
  assert(!/localhost:3000\/cb"[^\n]*by DNS/.test(notes));
  for (const secret of ["the-secret-of", "the-new-secret", "the-digest"]) assert(!notes.includes(secret), secret);
  assert(!files["shop.json"]!.includes("the-digest"));
  const config = await readConfiguration({
    args: ["--config", "shop.json"],
    env: {},
    readTextFile: (path) => Promise.resolve(files[path]!),
  });
  assert(config.kind === "run");
  await using as = await latchkey(config.settings);
  assertEquals(as.issuer, "http://localhost:9000/realms/shop");
});

test("a realm is found in the export of a server, in a resource of the operator, and around exported clients", async () => {
  const clients = [{ clientId: "web", redirectUris: ["https://web.example/cb"] }];
  const own = { realm: "shop", clients };
  const cases: readonly (readonly [document: unknown, path: string])[] = [
    [own, "/realms/shop"],
    [[own], "/realms/shop"],
    [[{ realm: "master", clients: [] }, own], "/realms/shop"],
    [[own, { realm: "master", clients: [] }], "/realms/shop"],
    [[{ realm: "master", clients }], "/realms/master"],
    [{ kind: "KeycloakRealmImport", spec: { keycloakCRName: "kc", realm: own } }, "/realms/shop"],
    [clients, "/realms/myrealm"],
    [clients[0], "/realms/myrealm"],
  ];
  await forEachCase(cases, async ([document, path]) => {
    const text = JSON.stringify(document);
    const { files } = await run(["--from", "r.json"], { "r.json": text });
    const config = await readConfiguration({
      args: ["--config", "r.json"],
      env: {},
      readTextFile: () => Promise.resolve(text),
    });
    assert(config.kind === "run");
    for (const settings of [JSON.parse(files["latchkey.json"]!), config.settings]) {
      assertEquals(settings.profile[1].issuerPath, path);
      assertEquals(settings.clients.map(({ client_id }: { client_id: string }) => client_id), ["web"]);
    }
  });
  const several = JSON.stringify([own, { ...own, realm: "other" }]);
  const { issues } = await assertRejects(() => run(["--from", "r.json"], { "r.json": several }), CommandLineError);
  assertEquals(issues.map(({ received }) => received), ["several realms of Keycloak"]);
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
    const { files } = await run(["--from", "r.json", "--output", "o.json"], { "r.json": JSON.stringify(document) });
    await (await latchkey(JSON.parse(files["o.json"]!))).close();
  });
});

test("a file escapes the characters that control a terminal, and is the same JSON", async () => {
  const client_name = "a\u009b31m\u202eb\u{e0061}";
  const clients = [{ clientId: "web", name: client_name, redirectUris: ["https://web.example/cb"] }];
  const { files } = await run(["--from", "r.json", "--output", "o.json"], {
    "r.json": JSON.stringify({ realm: "shop", clients }),
  });
  const text = files["o.json"]!;
  assert(!/[\u0080-\u009f\u202e\udb40]/.test(text), text);
  assertEquals(JSON.parse(text).clients[0].client_name, client_name);
});
