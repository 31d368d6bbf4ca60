/** Options with which the core does not start, and what a listener and a policy cannot break. */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import {
  type ClientMetadata,
  ConfigurationError,
  core,
  type CoreExtension,
  type CoreOptions,
  memoryStore,
  type Server,
  type Store,
} from "../../src/core/mod.ts";
import { authorizeParameters, callback, encode, issuer, startCore } from "./kit.ts";

const client = { client_id: "spa", redirect_uris: [callback] };
const good: CoreOptions = { issuer, clients: [client], users: [{ sub: "alice" }] };
const real = { issuer: "https://auth.example.com", approver: () => Promise.reject(new Error("not asked")) };

/** An extension with a check in the place of one of the core. */
const replacing = (name: string): CoreExtension => ({
  name,
  requestChecks: [{ place: { instead: "AZ-17" }, read: () => ({ scope: [] }) }],
});

/** The path of the first issue, and the options that have it. */
const rows: readonly (readonly [path: string, options: object])[] = [
  ["issuer", { issuer: "localhost:9000" }],
  ["issuer", { issuer: "http://localhost:9000/" }],
  ["issuer", { issuer: "http://localhost:9000//evil.example" }],
  ["issuer", { issuer: "http://localhost:9000/a;Domain=x" }],
  ["issuer", { issuer: "http://localhost:9000/?a" }],
  ["issuer", { issuer: "http://LOCALHOST:9000" }],
  ["issuer", { ...real, issuer: "http://auth.example.com" }],
  ["approver", { issuer: "https://auth.example.com" }],
  ["approver", { ...real, approver: null }],
  ["policy.allows", { ...real, policy: { allows: { openLogin: true } } }],
  ["policy.frontChannelUrl", { policy: { frontChannelUrl: "http://auth.example.com" } }],
  ["policy.metadata", { policy: { metadata: { issuer: "https://evil.example" } } }],
  ["policy.typo", { policy: { typo: 1 } }],
  ["policy.grantTypes", { policy: { grantTypes: [] }, extensions: [{ name: "tickets" }] }],
  ["policy.lifetimes.code", { policy: { lifetimes: { code: 601 } } }],
  ["policy.lifetimes.session", { policy: { lifetimes: { session: NaN } } }],
  ["policy.refresh.grace", { policy: { refresh: { grace: 61 } } }],
  ["policy.pkce.insecureAllowPlain", { ...real, policy: { pkce: { insecureAllowPlain: true } } }],
  ["policy.alg", { policy: { alg: "HS256" } }],
  ["policy.responseModes[0]", { policy: { responseModes: ["query.jwt"] } }],
  ["policy.clientAuthMethods[1]", { policy: { clientAuthMethods: ["none", "private_key_jwt"] } }],
  ...["policy", "store", "now", "randomBytes", "trace", "approver", "grantTypes", "extensions"].map((name) =>
    [name, { [name]: 5 }] as const
  ),
  ["grantTypes", { grantTypes: [{ type: "refresh_token", parameters: [], authorize: () => {} }] }],
  ["store.get", { store: {} }],
  ["grantTypes[0].type", { grantTypes: [{}] }],
  ["grantTypes[0].authorise", {
    grantTypes: [{ type: "x", parameters: [], authorize: () => {}, authorise: () => {} }],
  }],
  ["extensions[0].requestCheck", { extensions: [{ name: "tickets", requestCheck: [] }] }],
  ["extensions[0].requestChecks[0].raed", { extensions: [{ name: "tickets", requestChecks: [{ raed: () => {} }] }] }],
  ["extensions[0].requestChecks[0].place", {
    extensions: [{ name: "tickets", requestChecks: [{ place: "first", read: () => {} }] }],
  }],
  ["extensions[1].requestChecks[0]", {
    extensions: [replacing("one"), replacing("two")],
  }],
  ["extensions[1].name", { extensions: [{ name: "tickets" }, { name: "tickets" }] }],
  ["grantTypes[0].parameters[0].name", { grantTypes: [{ type: "x", parameters: [{}], authorize: () => {} }] }],
  ["extensions[0].name", { extensions: [{}] }],
  ["extensions[0].extend", { extensions: [{ name: "tickets", extend: {} }] }],
  ["policy.alg", { policy: { alg: Object.create(null) } }],
  ["lifetimes", { lifetimes: { code: 60 } }],
  ["user", { user: [] }],
  ["policy.scopes", { policy: { scopes: "openid read" } }],
  ["policy.lifetimes", { policy: { lifetimes: 60 } }],
  ["policy.lifetimes.accessToken", { policy: { lifetimes: { accessToken: 60 } } }],
  ["policy.refresh.graec", { policy: { refresh: { graec: 5 } } }],
  ["policy.pkce.requireMethod", { policy: { pkce: { requireMethod: "yes" } } }],
  ["clients", { clients: undefined }],
  ["clients[0]", { clients: [null] }],
  ["clients[0].client_id", { clients: [{ client_id: "ü" }] }],
  ["clients[0].client_id", { clients: [{ redirect_uris: [callback] }] }],
  ["clients[1].client_id", { clients: [client, client] }],
  ["clients[0].require_pushed_authorization_requests", {
    clients: [{ ...client, require_pushed_authorization_requests: true }],
  }],
  ["clients[0].post_logout_redirect_uris", { clients: [{ ...client, post_logout_redirect_uris: [callback] }] }],
  ["clients[0].dpop_bound_access_tokens", { clients: [{ ...client, dpop_bound_access_tokens: true }] }],
  ["clients[0].subject_type", { clients: [{ ...client, subject_type: "pairwise" }] }],
  ["clients[0].token_endpoint_auth_method", {
    clients: [{ ...client, token_endpoint_auth_method: "private_key_jwt" }],
  }],
  ["clients[0].client_secret", {
    clients: [{ ...client, client_secret: "hunter2", token_endpoint_auth_method: "none" }],
  }],
  ["clients[0].client_secret", { clients: [{ ...client, token_endpoint_auth_method: "client_secret_basic" }] }],
  ["clients[0].client_secret", { clients: [{ ...client, client_secret: null }] }],
  ["clients[0].id_token_signed_response_alg", { clients: [{ ...client, id_token_signed_response_alg: "none" }] }],
  ["clients[0].redirect_uris", { clients: [{ client_id: "spa", redirect_uris: callback }] }],
  ["clients[0].scope", { clients: [{ ...client, scope: ["read"] }] }],
  ["clients[0].scope", { clients: [{ ...client, scope: "raed" }] }],
  ["clients[0].response_types", { clients: [{ ...client, response_types: "code" }] }],
  ["clients[0].response_types[0]", { clients: [{ ...client, response_types: ["token"] }] }],
  ["clients[0].grant_types[0]", { clients: [{ ...client, grant_types: ["urn:example:ticket"] }] }],
  ["clients[0].response_modes[0]", { clients: [{ ...client, response_modes: ["query.jwt"] }] }],
  ["clients[0].application_type", { clients: [{ ...client, application_type: "mobile" }] }],
  ["clients[0].default_max_age", { clients: [{ ...client, default_max_age: -1 }] }],
  ["users", { users: null }],
  ["users[0]", { users: [null] }],
  ["users[0].sub", { users: [{ sub: 5 }] }],
  ["users[1].sub", { users: [{ sub: "alice" }, { sub: "alice" }] }],
  ["users[0].big", { users: [{ sub: "alice", big: 1n }] }],
  ["users[0].password", { users: [{ sub: "alice", password: "hunter2" }] }],
];

/** Client metadata that only the whole server has. */
const otherMetadata: Readonly<Record<string, unknown>> = {
  access_token_format: "jwt",
  client_uri: "https://spa.example",
  contacts: ["ops@spa.example"],
  initiate_login_uri: "https://spa.example/login",
  logo_uri: "https://spa.example/logo.png",
  policy_uri: "https://spa.example/policy",
  profile: "okta",
  require_auth_time: true,
  tos_uri: "https://spa.example/terms",
  userinfo_signed_response_alg: "ES256",
};

/** All client metadata that the core reads. */
const metadata: Readonly<Required<ClientMetadata>> = {
  client_id: "web",
  client_secret: "hunter2",
  client_secret_expires_at: 0,
  client_name: "Web",
  redirect_uris: [callback],
  token_endpoint_auth_method: "client_secret_post",
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  scope: "openid",
  response_modes: ["query"],
  id_token_signed_response_alg: "ES256",
  require_pkce: true,
  default_max_age: 0,
  application_type: "native",
};

test("options that are no object stop the start", async () => {
  for (const options of [undefined, null, 5]) {
    const error = await assertRejects(() => core(options as unknown as CoreOptions), ConfigurationError);
    assertEquals(error.issues.map(({ path }) => path), ["options"]);
  }
});

test("client metadata of a wrong type stops the start", async () => {
  await core({ ...good, clients: [metadata] });
  for (const name of Object.keys(metadata)) {
    const options = { ...good, clients: [{ ...metadata, [name]: {} }] };
    const error = await assertRejects(() => core(options as unknown as CoreOptions), ConfigurationError);
    assertEquals(error.issues.map(({ path }) => path), [`clients[0].${name}`], error.message);
  }
});

test("client metadata that the core does not have stops the start", async () => {
  for (const [name, value] of Object.entries(otherMetadata)) {
    const options = { ...good, clients: [{ ...client, [name]: value }] };
    const error = await assertRejects(() => core(options as CoreOptions), ConfigurationError);
    assertEquals(error.issues[0]!.path, `clients[0].${name}`, error.message);
  }
});

test("options that are wrong or would loosen a server stop the start, each with its path", async () => {
  for (const [path, options] of rows) {
    const error = await assertRejects(() => core({ ...good, ...options } as CoreOptions), ConfigurationError);
    assertEquals(error.issues[0]!.path, path, error.message);
    assert(!error.message.includes("hunter2"), "no secret is shown");
  }
});

test("an issue says what was expected, what was found, and how to correct it", async () => {
  const secret = { ...client, client_secret: "hunter2", token_endpoint_auth_method: "none" };
  for (
    const [options, text] of [
      [{ clients: undefined }, "Expected an array of clients, found nothing."],
      [{ issuer: "http://LOCALHOST:9000/a" }, 'Write it as "http://localhost:9000/a".'],
      [{ issuer: "http://localhost:9000/" }, 'Write it as "http://localhost:9000".'],
      [{ lifetimes: { code: 60 } }, "Move it into policy."],
      [{ clients: [{ ...client, response_modes: "query" }] }, 'Write it like "response_modes": ["query"].'],
      [{ policy: { lifetimes: { code: 601 } } }, "Expected a whole number of seconds from 1 to 600, found 601."],
      [{ clients: [{ ...client, grant_types: ["urn:example:ticket"] }] }, "or pass the grant type in grantTypes"],
      [{ clients: [secret] }, 'Expected no secret, because token_endpoint_auth_method is "none", found a secret.'],
      [
        { extensions: [replacing("one"), replacing("two")] },
        'and a place that no other extension replaces, found { instead: "AZ-17" }, which the extension one replaces.',
      ],
      [{ users: [{ sub: "alice", big: 1n }] }, "Expected a value that JSON can represent, found a BigInt."],
    ] as const
  ) {
    await assertRejects(() => core({ ...good, ...options } as unknown as CoreOptions), ConfigurationError, text);
  }
});

test("two extensions may add checks at one place, and a check may only declare parameters", async () => {
  const extensions: CoreExtension[] = ["one", "two"].map((name) => ({
    name,
    requestChecks: [{ parameters: [{ name }] }, { place: { before: "AZ-17" }, read: () => {} }],
  }));
  await core({ ...good, extensions });
});

test("an extension that returns no server, or one that lacks members, stops the start", async () => {
  const mistakes: readonly (readonly [extend: (server: Server) => unknown, ...texts: readonly string[]])[] = [
    [() => {}, "Expected a server, found nothing (extension tickets)."],
    [() => Promise.resolve(null), "Expected a server, found null (extension tickets)."],
    [
      ({ grants: { checkCode } }) => ({ grants: { checkCode } }),
      "Expected a server with all members that it had, found one without grants.create, grants.findRemoved, ",
      "Return { ...server } with what it replaces, such as grants: { ...server.grants, create }.",
    ],
    [({ responses: { token } }) => ({ responses: { token } }), "without responses.authorization, responses.userinfo, "],
    [
      (server) => ({ ...server, now: undefined, grants: "none" }),
      "found one without grants, now (extension tickets).",
    ],
    [
      ({ keys, ...server }) => ({ ...server, keys: { ...keys, sign: "no" } }),
      "found one without keys.sign (extension tickets).",
    ],
  ];
  for (const [extend, ...texts] of mistakes) {
    const extensions = [{ name: "other" }, { name: "tickets", extend }] as unknown as CoreExtension[];
    const error = await assertRejects(() => core({ ...good, extensions }), ConfigurationError);
    assertEquals(error.issues.map(({ path }) => path), ["extensions[1].extend"], error.message);
    for (const text of texts) assertStringIncludes(error.message, text);
  }
  await core({ ...good, extensions: [{ name: "tickets", extend: (server) => ({ ...server, tickets: new Map() }) }] });
});

test("[RU-08, RU-11] what is no redirect URI stops the start", async () => {
  const wrong = [
    ...[
      "javascript:alert(1)",
      "data:text/html,x",
      "//a.example/cb",
      "/cb",
      "https://a.example/#x",
      "https://a.example/*",
    ],
    ...[
      "http://a.com/cb",
      "https://u:p@a.example/",
      "https:\\\\a.example/cb",
      "https:a.example",
      "https:///a.example",
    ],
    ...[
      " https://a.example/",
      "https://a.example/cb?code=1",
      "web+foo:x",
      "com..app:/cb",
      "https://例.com/cb",
    ],
    ...["https://a.example/\r\nX: y", 'https://a.example/"><script>'],
  ];
  for (const uri of wrong) {
    const clients = [{ client_id: "spa", redirect_uris: [uri] }];
    const error = await assertRejects(() => core({ ...good, clients }), ConfigurationError, "", uri);
    assertEquals(error.issues[0]!.path, "clients[0].redirect_uris[0]", uri);
  }
  // Several apps may claim a scheme without a dot, so only a server on a test host accepts one.
  const withScheme = [{ client_id: "spa", redirect_uris: ["myapp:/cb"] }];
  await assertRejects(() => core({ ...good, ...real, clients: withScheme }), ConfigurationError, "with a dot");
  const right = [
    "myapp:/cb",
    "https://a.example/cb?x=1",
    "http://127.0.0.1/cb",
    "http://localhost:5173/cb",
    "com.example.app:/cb",
  ];
  await core({ ...good, clients: [{ client_id: "spa", redirect_uris: right }] });
});

test("a group of the policy names only what differs", async () => {
  const { code, exchange, advance } = await startCore({ policy: { alg: "EdDSA", lifetimes: { code: 60 } } });
  const late = await code();
  advance(61);
  assertEquals((await exchange(late)).status, 400);
  const { expires_in } = await (await exchange(await code())).json();
  assertEquals(expires_in, 3600);
});

test("a listener that throws or rejects breaks no request", async () => {
  const listeners = [
    () => {
      throw new Error("of the listener");
    },
    () => Promise.reject(new Error("of the listener")),
  ];
  for (const trace of listeners) {
    const server = await core({ ...good, trace });
    const send = (query: string) => server.fetch(new Request(`${issuer}/oauth2/authorize?${query}`));
    assertEquals((await send(encode(authorizeParameters))).status, 302);
    assertEquals((await send("client_id=unknown")).status, 400);
  }
});

test("a store whose signing keys were rotated or are damaged, and test keys on a real host, stop the start", async () => {
  const storeWith = async (...kids: readonly string[]) => {
    const store = memoryStore();
    for (const [i, kid] of kids.entries()) {
      await store.add("key", `EdDSA ${i}`, { kid, jwk: {}, signsFrom: 0, longest: 3600 }, { expiresAt: Infinity });
    }
    return store;
  };
  const start = (options: Partial<CoreOptions>) => core({ ...good, ...options });
  const rotated = { store: await storeWith("first", "second") };
  await assertRejects(() => start(rotated), ConfigurationError, "found rotated keys for EdDSA");
  const first = { store: await storeWith("first") };
  await assertRejects(() => start(first), ConfigurationError, "found a key without kty");
  const test = { store: await storeWith("latchkey-test-1") };
  await assertRejects(() => start({ ...real, ...test }), ConfigurationError, "whose private key is published");
});

test("without a listener, internal errors are printed, and nothing else", async () => {
  const printed: unknown[] = [];
  const { error: print } = console;
  console.error = (value: unknown) => void printed.push(value);
  try {
    const broken = new Error("of the store");
    const store: Store = { ...memoryStore(), put: () => Promise.reject(broken) };
    const server = await core({ ...good, store });
    const send = (query: string) => server.fetch(new Request(`${issuer}/oauth2/authorize?${query}`));
    assertEquals((await send("client_id=unknown")).status, 400);
    await send(encode(authorizeParameters));
    assertEquals(printed, [broken]);
  } finally {
    console.error = print;
  }
});

test("users that a program changes after the start stay as they were", async () => {
  const users = [{ sub: "alice" }];
  const { code, exchange } = await startCore({ users });
  users.unshift({ sub: "mallory" });
  assertEquals((await exchange(await code())).status, 200);
});
