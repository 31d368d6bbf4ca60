/** The issues of options, and the defaults. */

import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { test } from "node:test";
import { ConfigurationError, host, type LatchkeyOptions } from "../../src/mod.ts";
import { latchkey } from "../secret_leak_check.ts";

test("configuration errors of issuer and clients are reported together; those of demo clients follow the issuer", async () => {
  const places = async (options: LatchkeyOptions) =>
    (await assertRejects(() => latchkey(options), ConfigurationError)).issues.map(({ path }) => path);
  const issuer = "https://real.example.org/?x";
  const clients = [{ client_id: "spa", redirect_uris: ["https://spa.example/#x"] }];
  assertEquals(await places({ issuer, login: "interactive", users: [], clients }), [
    "issuer",
    "clients[0].redirect_uris[0]",
  ]);
  assertEquals(await places({ issuer, login: "interactive", users: [], insecure: ["demo-clients"] }), ["issuer"]);
});

test("an option of the wrong type is a configuration error with its path, for JavaScript callers", async () => {
  const uri = "https://spa.example/cb";
  const spa = { client_id: "spa", redirect_uris: [uri] };
  const cases: readonly (readonly [options: unknown, path: string, received: string, hint: string])[] = [
    [{ webOrigins: [] }, "webOrigins", '"webOrigins"', 'Write "allowedOrigins":'],
    [{ scopes: "openid read" }, "scopes", `"openid read"`, `Write it like "scopes": ["openid","profile","read"].`],
    [{ defaultScope: ["read"] }, "defaultScope", "an array", `Write it like "defaultScope": "read".`],
    [{ defaultScope: "raed" }, "defaultScope", `"raed"`, "Did you mean read?"],
    [{ defaultScope: "blue" }, "defaultScope", `"blue"`, `Add "blue" to scopes, or remove it from defaultScope.`],
    [{ clients: [{ ...spa, scope: "read wirte" }] }, "clients[0].scope", `"wirte"`, "Did you mean write?"],
    [{ alg: "RS256", signatureAlgorithms: ["ES256"] }, "alg", `"RS256"`, "Set alg to one of them, or add it to"],
    [{ users: { sub: "alice" } }, "users", "an object", `Write it like "users": [{"sub":"alice",`],
    [{ clients: spa }, "clients", "an object", `Write it like "clients": [{"client_id":"spa",`],
    [
      { resources: uri },
      "resources",
      "a string (hidden)",
      `Write it like "resources": [{"uri":"https://api.example"}].`,
    ],
    [
      { issuer: new URL("http://localhost") },
      "issuer",
      "an object",
      `Write it like "issuer": "http://localhost:9000".`,
    ],
    [{ trustProxy: "10.0.0.7" }, "trustProxy", `"10.0.0.7"`, `Write it like "trustProxy": ["127.0.0.1","10.0.0.0/8"].`],
    [
      { clients: [{ ...spa, redirect_uris: uri }] },
      "clients[0].redirect_uris",
      `"${uri}"`,
      `Write it like "redirect_uris": [`,
    ],
    [{ clients: [{ ...spa, grant_types: "refresh_token" }] }, "clients[0].grant_types", `"refresh_token"`, `["auth`],
    [{ clients: [{ ...spa, response_types: "code" }] }, "clients[0].response_types", `"code"`, `["code"].`],
    [
      { clients: [{ ...spa, scope: ["read"] }] },
      "clients[0].scope",
      "an array",
      `Write it like "scope": "openid read".`,
    ],
  ];
  for (const [options, path, received, hint] of cases) {
    const error = await assertRejects(() => latchkey(options as LatchkeyOptions), Error, undefined, path);
    assert(error instanceof ConfigurationError, `${path}: ${error}`);
    assertEquals(error.issues.map((fault) => [fault.path, fault.received]), [[path, received]]);
    assertStringIncludes(error.issues[0]!.hint, hint);
  }
  await using as = await latchkey();
  const set = () => as.clients.set({ ...spa, redirect_uris: uri } as unknown as typeof spa);
  assertEquals(assertThrows(set, ConfigurationError).issues.map(({ path }) => path), ["redirect_uris"]);
});

test("unknown options and options of the wrong type are one error, with the nearest known name", async () => {
  const options = {
    clinets: [],
    now: 5,
    approver: {},
    plugins: [{}],
    store: "memory",
    throttle: "yes",
    lifetimes: { acces_token: 60 },
    clients: [{ client_id: "spa", redirect_uri: "https://spa.example/cb", secret: "s" }],
  };
  const { issues } = await assertRejects(() => latchkey(options as unknown as LatchkeyOptions), ConfigurationError);
  assertEquals(issues.map(({ path, received, hint }) => [path, received, hint]), [
    ["clinets", '"clinets"', "Did you mean clients?"],
    ["clients[0].redirect_uri", '"redirect_uri"', "Did you mean redirect_uris?"],
    ["clients[0].secret", '"secret"', "Did you mean client_secret?"],
    ["lifetimes.acces_token", '"acces_token"', "Did you mean access_token?"],
    ["throttle", '"yes"', 'Write it like "throttle": true.'],
    ["store", '"memory"', "Pass an object, or remove the option."],
    ["now", "5", "Pass a function, or remove the option."],
    ["approver", "an object", "Pass a function, or remove the option."],
  ]);
});

test("what a program implements is compared with its interface before the start", async () => {
  const rows: readonly (readonly [path: string, options: unknown, start?: (options: never) => Promise<unknown>])[] = [
    ["options", null, host],
    ["path", { path: Symbol("a") }],
    ["store.get", { store: {} }],
    ["store.get", { store: Promise.resolve({}) }],
    ["store.get", { store: {} }, host],
    ["grantTypes[0].type", { grantTypes: [{}] }],
    ["extensions[0].name", { extensions: [{}] }],
    ["extensions[0].settings.resolve", { extensions: [{ name: "tickets", settings: { resolve: 5 } }] }],
    // Two plugins of the tests are before it.
    ["plugins[2].setup", { plugins: [{ setup: 5 }] }],
    ["keySource.create", { keySource: {} }],
    ["signatureAlgorithms[0]", { signatureAlgorithms: [Object.create(null)] }],
  ];
  for (const [path, options, start = latchkey] of rows) {
    const error = await assertRejects(() => start(options as never), ConfigurationError, undefined, path);
    assertEquals(error.issues[0]?.path, path);
  }
  // Members may be inherited from a class, which may have others.
  class Own {
    #events = 0;
    readonly name = "own";
    onEvent() {
      this.#events++;
    }
  }
  await using _ = await latchkey({ plugins: [new Own()] });
});

test("a grant type that OAuth 2.1 removed gets another error than an unsupported one", async () => {
  const fix = async (type: string) => {
    const clients = [{ client_id: "spa", redirect_uris: ["https://spa.example/"], grant_types: [type] }];
    const { issues } = await assertRejects(() => latchkey({ clients } as LatchkeyOptions), ConfigurationError);
    return issues.find(({ path }) => path === "clients[0].grant_types[0]")?.hint;
  };
  const none = "OAuth 2.1 has no such grant type: use authorization_code.";
  assertEquals([await fix("password"), await fix("implicit")], [none, none]);
  assertEquals(await fix("device_code"), "Remove it: this server does not support it.");
});

test("the demo users have verified email addresses", async () => {
  await using as = await latchkey();
  assertEquals(as.users.list().map(({ sub, email_verified }) => [sub, email_verified]), [["alice", true], [
    "bob",
    true,
  ]]);
});

test("on a real host with automatic login the error says whether the setting is missing or wrong", async () => {
  const found = async (options: LatchkeyOptions) => {
    const issuer = "https://real.example.org";
    const { issues } = await assertRejects(() => latchkey({ ...options, issuer }), ConfigurationError);
    return issues.find(({ path }) => path === "login")?.received;
  };
  assertEquals([await found({}), await found({ login: "auto" })], ['nothing (default: "auto")', '"auto"']);
});

test("each key setting out of range gets its own hint", async () => {
  const advice = async (keys: LatchkeyOptions["keys"]) =>
    (await assertRejects(() => latchkey({ keys }), ConfigurationError)).issues.map(({ hint }) => hint);
  assertEquals(await advice({ lead: -1 }), ["300 is as long as most clients cache keys."]);
  assertEquals(await advice({ rotateEvery: -1 }), ["A day is 86400."]);
});
