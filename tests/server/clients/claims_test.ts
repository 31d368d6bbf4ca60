/**
 * Claims about a user: which scope value releases which, in userinfo, ID tokens, access tokens and introspection (CL).
 *
 * @extensions requested_claims
 */

import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { test } from "node:test";
import { ConfigurationError, type LatchkeyOptions, type User } from "../../../src/mod.ts";
import type { Explanation } from "../../../src/core/rules/errors.ts";
import { openBrowser } from "../browser.ts";
import {
  basicHeader,
  fetchIntrospection,
  publicClient,
  publicTokens,
  refreshTokens,
  testClients,
  userinfo,
} from "../client_endpoints.ts";
import {
  assertAuthorizationResponse,
  assertTokenResponse,
  decodeClaims,
  forEachCase,
  getRedirectParams,
  getRejections,
  testServer,
} from "../../kit.ts";
import type { Fields, TestServer } from "../../kit.ts";
import { getCode, logIn, submit } from "../page_navigation.ts";
import { demoUsers } from "../../../src/server/config/demo_entries.ts";

const carol: User = {
  sub: "carol",
  ...{ name: "Carol Clark", email: "carol@example.com", email_verified: true },
  ...{ groups: ["staff", "admins"], employee_no: 7, roles: ["admin"] },
};

/** `claims` maps `groups` and `employee_no`; nothing maps `roles`. */
const mapped: LatchkeyOptions = {
  ...testClients,
  clients: [...testClients.clients, publicClient("opaque", { access_token_format: "opaque" })],
  claims: { groups: ["groups"], profile: ["employee_no"] },
  users: [carol, { sub: "dave", name: "Dave Dunn" }],
};

/** What userinfo shows. */
async function shown(b: TestServer, token: string): Promise<Record<string, unknown>> {
  const response = await userinfo(b, token);
  const text = await response.text();
  assertEquals(response.status, 200, text);
  return JSON.parse(text);
}

/** What userinfo shows after a login with that scope. */
async function logged(b: TestServer, scope: string, fields: Fields = {}): Promise<Record<string, unknown>> {
  return await shown(b, (await publicTokens(b, { scope, ...fields })).access_token);
}

/** What is left of the claims of an ID token without those of the protocol. */
function aboutUser(idToken: string): Record<string, unknown> {
  const { iss: _, aud: _a, exp: _e, iat: _i, auth_time: _t, nonce: _n, at_hash: _h, sid: _s, ...rest } = decodeClaims(
    idToken,
  );
  return rest;
}

async function metadataOf(b: TestServer): Promise<Record<string, string[] & boolean>> {
  return await (await b.get("/.well-known/openid-configuration")).json();
}

test("[CL-01] a configured scope value is known and releases its claims in addition to the standard ones", async () => {
  const b = await testServer({ ...mapped, unmappedClaims: "none" });
  assertEquals(await logged(b, "openid groups"), { sub: "carol", groups: ["staff", "admins"] });
  assertEquals(await logged(b, "openid profile"), { sub: "carol", name: "Carol Clark", employee_no: 7 });
  assertEquals((await publicTokens(b, { scope: "openid groups" })).scope, "openid groups");
  const { scopes_supported } = await metadataOf(b);
  assertEquals(scopes_supported!.slice(-2), ["offline_access", "groups"]);
});

test("[CL-01] a scope value also listed in scopes is added once, and a mapped standard one becomes known", async () => {
  const options = { ...mapped, claims: { groups: ["groups"], phone: ["extension"] } };
  const b = await testServer({ ...options, scopes: ["groups", "openid"], defaultScope: "openid phone" });
  assertEquals((await metadataOf(b)).scopes_supported, ["groups", "openid", "phone"] as never);
  b.as.users.set({ ...carol, phone_number: "+49 30 1", extension: "12" });
  const { groups: _, ...phone } = await logged(b, "openid phone", { login_hint: "carol" });
  assertEquals([phone.phone_number, phone.extension], ["+49 30 1", "12"]);
});

test("[CL-01, AZ-17] a client that may not request the scope value is rejected as usual", async () => {
  const b = await testServer({ ...mapped, clients: [publicClient("spa", { scope: "openid profile" })] });
  assertEquals(getRedirectParams(await b.authorize({ scope: "openid groups" })).get("error"), "invalid_scope");
});

test("[CL-02] claims follow their scope value: not requested, denied by the approver, or narrowed by a refresh", async () => {
  const b = await testServer({ ...mapped, unmappedClaims: "none" });
  assertEquals(await logged(b, "openid"), { sub: "carol" });
  const tokens = await publicTokens(b, { scope: "openid groups" });
  const narrowed = await refreshTokens(b, tokens.refresh_token, { scope: "openid" });
  assertEquals(await shown(b, narrowed.access_token), { sub: "carol" });
  assertEquals(await shown(b, (await refreshTokens(b, narrowed.refresh_token)).access_token), {
    sub: "carol",
    groups: ["staff", "admins"],
  });
  const strict = await testServer({
    ...mapped,
    unmappedClaims: "none",
    approver: ({ scope }, { users, now }) => ({
      user: users.known().get("carol")!,
      scope: scope.filter((token) => token !== "groups"),
      authTime: now(),
    }),
  });
  const claims = '{"userinfo":{"groups":null}}';
  assertEquals(await logged(strict, "openid groups", { claims }), { sub: "carol" });
});

test("[CL-02, CL-10] claims of a scope value unchecked on the consent page are released nowhere", async () => {
  const b = await testServer({
    ...mapped,
    login: "interactive",
    unmappedClaims: "none",
    idTokenClaims: "like-userinfo",
    accessTokenClaims: ["groups"],
  });
  const browser = openBrowser(b);
  const page = await logIn(browser, "carol", {
    scope: "openid groups",
    claims: '{"id_token":{"groups":null},"userinfo":{"groups":null}}',
  });
  const code = getCode(await submit(browser, page, "decision", "allow", {}, ["groups"]));
  const { access_token, id_token } = await assertTokenResponse(await b.token({ code }));
  assertEquals(await shown(b, access_token), { sub: "carol" });
  assertEquals(aboutUser(id_token), { sub: "carol" });
  assertEquals("groups" in decodeClaims(access_token), false);
});

test("[CL-03] members without a scope value come with openid on test hosts, elsewhere only if configured", async () => {
  const all = { sub: "carol", roles: ["admin"] };
  const scope = "openid";
  assertEquals(await logged(await testServer(mapped), scope), all);
  const real = { ...mapped, issuer: "https://as.company.com", insecure: ["auto-login"] as const };
  const atReal = async (options: LatchkeyOptions) => {
    const b = await testServer({ ...real, ...options });
    return await logged(b, scope);
  };
  assertEquals(await atReal({}), { sub: "carol" });
  assertEquals(await atReal({ unmappedClaims: "openid" }), all);
  assertEquals(await logged(await testServer({ ...mapped, unmappedClaims: "none" }), scope), { sub: "carol" });
});

test("[CL-03] claims of a user added at run time are released as usual", async () => {
  const b = await testServer(testClients);
  b.as.users.set({ sub: "erin", roles: ["admin"], nested: { a: [1, { b: null }] } });
  const expected = { sub: "erin", roles: ["admin"], nested: { a: [1, { b: null }] } };
  assertEquals(await logged(b, "openid read", { login_hint: "erin" }), expected);
  assert((await metadataOf(b)).claims_supported!.includes("nested"));
});

test("[CL-04] values keep their JSON type; empty and invalid ones are left out", async () => {
  const kept = {
    ...{
      text: "x",
      zero: 0,
      float: 1.5,
      no: false,
      yes: true,
      list: [],
      object: {},
      mixed: ["a", 1, null, { b: [2] }],
    },
    at: "2026-01-01T00:00:00.000Z",
  };
  const left = {
    ...{ nothing: null, missing: undefined, empty: "", not_a_number: NaN, endless: Infinity },
    ...{ call: () => 1, mark: Symbol("x"), name: "", address: {}, nickname: ["Al"], updated_at: "yesterday" },
  };
  const b = await testServer({
    ...testClients,
    scopes: ["openid", "profile", "address"],
    users: [{ sub: "alice", ...kept, at: new Date(kept.at), ...left } as User],
    idTokenClaims: "like-userinfo",
    accessTokenClaims: [
      ...Object.keys(kept),
      "nothing",
      "empty",
      "not_a_number",
      "endless",
      "call",
      "mark",
      "nickname",
    ],
  });
  const { access_token, id_token } = await publicTokens(b, { scope: "openid profile address" });
  assertEquals(await shown(b, access_token), { sub: "alice", ...kept });
  assertEquals(aboutUser(id_token), { sub: "alice", ...kept });
  const access = decodeClaims(access_token);
  for (const [name, value] of Object.entries(kept)) assertEquals(access[name], value, name);
  for (const name of Object.keys(left)) assertEquals(name in access, false, name);
});

test("[CL-04] a user with a value that JSON cannot represent is rejected with its path, and breaks no response", async () => {
  const b = await testServer(testClients);
  for (const value of [1n, [1n], { a: { b: 1n } }]) {
    const error = assertThrows(() => b.as.users.set({ sub: "alice", big: value }), ConfigurationError);
    assertStringIncludes(error.message, "big\n  Expected a value that JSON can represent, found a BigInt.");
  }
});

/** The names of CL-05, `sub` apart. */
const reserved = [
  ...["iss", "aud", "exp", "iat", "nbf", "jti", "auth_time", "nonce", "acr", "amr", "azp", "sid", "at_hash", "c_hash"],
  ...["s_hash", "cnf", "client_id", "scope", "events", "act", "may_act", "authorization_details", "typ"],
  ...["_claim_names", "_claim_sources"],
];

test("[CL-05, CL-15] no member of a user overrides a reserved claim", async () => {
  const forged = Object.fromEntries(reserved.map((name) => [name, `forged ${name}`]));
  for (const access_token_format of ["jwt", "opaque"] as const) {
    const b = await testServer({
      ...testClients,
      clients: [
        publicClient("spa", { access_token_format, userinfo_signed_response_alg: "ES256" }),
        ...testClients.clients.filter(({ client_id }) => client_id === "api"),
      ],
      users: [{ sub: "alice", ...forged, password_hint: "x" }],
      idTokenClaims: "like-userinfo",
      accessTokenClaims: ["password_hint"],
    });
    const wanted = Object.fromEntries(reserved.map((name) => [name, null]));
    const claims = JSON.stringify({ userinfo: wanted, id_token: wanted });
    const { access_token, id_token } = await publicTokens(b, { scope: "openid", claims, nonce: "n-1" });
    const info = decodeClaims(await (await userinfo(b, access_token)).text());
    const about = await fetchIntrospection(b, access_token);
    for (const text of [JSON.stringify(info), JSON.stringify(decodeClaims(id_token)), JSON.stringify(about)]) {
      assert(!text.includes("forged"), text);
      assertStringIncludes(text, `"password_hint":"x"`);
    }
    assertEquals((await metadataOf(b)).claims_supported!.filter((name) => name.startsWith("_claim")), []);
  }
});

test("[CL-05] a reserved name in a mapping and a mapping that is no list of claims are configuration errors with their path", async () => {
  const problems = async (options: object): Promise<string[]> => {
    try {
      await testServer({ ...testClients, ...options });
      return [];
    } catch (error) {
      assert(error instanceof ConfigurationError);
      return error.issues.map(({ path }) => path);
    }
  };
  await forEachCase(["sub", "password", "__proto__", ...reserved], async (name) => {
    assertEquals(await problems({ claims: { profile: ["x", name] } }), ["claims.profile[1]"]);
    assertEquals(await problems({ accessTokenClaims: [name] }), ["accessTokenClaims[0]"]);
    const resources = [{ uri: "https://api.example", access_token_claims: [name] }];
    assertEquals(await problems({ resources }), ["resources[0].access_token_claims[0]"]);
  });
  // Members of an introspection response, and claims of an access token that select userinfo claims.
  await forEachCase(["active", "token_type", "userinfo_claims", "userinfo_values"], async (name) => {
    assertEquals(await problems({ accessTokenClaims: [name] }), ["accessTokenClaims[0]"]);
    assertEquals(await problems({ claims: { groups: [name] } }), []);
  });
  await forEachCase<[object, string[]]>([
    [{ claims: { groups: "groups" } }, ["claims.groups"]],
    [{ claims: { groups: ["x", 1, null] } }, ["claims.groups[1]", "claims.groups[2]"]],
    [{ claims: { groups: ["", "groups", "groups"] } }, ["claims.groups[0]", "claims.groups[2]"]],
    [{ claims: { 'a"b': ["x"] } }, [`claims["a\\"b"]`]],
    [{ claims: { "a b": ["sub"] } }, [`claims["a b"]`, `claims["a b"][0]`]],
    [{ unmappedClaims: "all" }, ["unmappedClaims"]],
    [{ idTokenClaims: "full" }, ["idTokenClaims"]],
    [{ accessTokenClaims: "roles" }, ["accessTokenClaims"]],
    [{ claims: {}, accessTokenClaims: [], unmappedClaims: "none", idTokenClaims: "minimal" }, []],
    [{ claims: { groups: [] }, scopes: [] }, ["scopes"]],
  ], async ([options, places]) => assertEquals(await problems(options), places));
});

test("[CL-06, ID-07] an ID token has the claims of its scope only if configured", async () => {
  const scope = "openid profile email groups";
  const all = { ...carol, sub: "carol" };
  const minimal = await publicTokens(await testServer(mapped), { scope });
  assertEquals(aboutUser(minimal.id_token), { sub: "carol" });
  const b = await testServer({ ...mapped, idTokenClaims: "like-userinfo" });
  const tokens = await publicTokens(b, { scope });
  assertEquals(aboutUser(tokens.id_token), all);
  assertEquals(await shown(b, tokens.access_token), all);
  const less = await publicTokens(b, { scope: "openid email" });
  const { email, email_verified, roles } = carol;
  assertEquals(aboutUser(less.id_token), { sub: "carol", email, email_verified, roles });
});

test("[CL-07] claims requested by name are released only where they were requested, without the scope value", async () => {
  const b = await testServer({ ...mapped, unmappedClaims: "none" });
  await forEachCase<[unknown, idToken: object, info: object]>([
    [{ id_token: { groups: null } }, { groups: carol.groups }, {}],
    [{ userinfo: { groups: null, name: null } }, {}, { groups: carol.groups, name: "Carol Clark" }],
    [{ userinfo: { groups: { essential: true }, nickname: { essential: true } } }, {}, { groups: carol.groups }],
    [{ id_token: { nickname: { essential: true } } }, {}, {}],
  ], async ([claims, idToken, info]) => {
    for (const client_id of ["spa", "opaque"]) {
      const tokens = await publicTokens(b, { client_id, scope: "openid", claims: JSON.stringify(claims) });
      assertEquals(aboutUser(tokens.id_token), { sub: "carol", ...idToken });
      assertEquals(await shown(b, tokens.access_token), { sub: "carol", ...info });
      const again = await refreshTokens(b, tokens.refresh_token, { client_id });
      assertEquals(aboutUser(again.id_token), { sub: "carol", ...idToken });
      assertEquals(await shown(b, again.access_token), { sub: "carol", ...info });
    }
  });
});

test("[CL-08] a claim without the requested value is left out, whatever the scope releases", async () => {
  const b = await testServer({ ...mapped, users: [{ ...carol, dept: "x", site: { b: [1, 2], a: "s" } }] });
  const all = { ...carol, dept: "x", site: { b: [1, 2], a: "s" } };
  const without = (...names: string[]) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !names.includes(name)));
  await forEachCase<[how: unknown, left: string[]]>([
    [{ dept: { value: "x" } }, []],
    [{ dept: { value: "y" } }, ["dept"]],
    [{ dept: { values: ["y", "x"] } }, []],
    [{ dept: { values: ["y", "z"] }, name: { value: "Carol Clark" } }, ["dept"]],
    [{ dept: { value: "x", values: ["y"] } }, ["dept"]],
    [{ dept: { value: "y", essential: true } }, ["dept"]],
    [{ name: { value: "Another name" }, email: null }, ["name"]],
    [{ employee_no: { value: "7" } }, ["employee_no"]],
    [{ employee_no: { value: 7 } }, []],
    [{ groups: { value: ["staff", "admins"] } }, []],
    [{ groups: { value: ["admins", "staff"] } }, ["groups"]],
    [{ site: { value: { a: "s", b: [1, 2] } } }, []],
    [{ site: { value: { a: "s", b: [1] } } }, ["site"]],
    [{ dept: { value: null } }, ["dept"]],
    [{ dept: { values: [] } }, []],
  ], async ([how, left]) => {
    for (const client_id of ["spa", "opaque"]) {
      const fields = { client_id, scope: "openid profile email groups", claims: JSON.stringify({ userinfo: how }) };
      const { access_token, refresh_token } = await publicTokens(b, fields);
      assertEquals(await shown(b, access_token), without(...left));
      const again = await refreshTokens(b, refresh_token, { client_id });
      assertEquals(await shown(b, again.access_token), without(...left));
    }
    const inToken = await publicTokens(b, { scope: "openid", claims: JSON.stringify({ id_token: how }) });
    const names = Object.keys(how as object).filter((name) => !left.includes(name));
    assertEquals(
      aboutUser(inToken.id_token),
      Object.fromEntries(["sub", ...names].map((name) => [name, all[name as keyof typeof all]])),
    );
  });
});

test("[CL-08] an unmatched sub rejects the request; values that are no list are malformed", async () => {
  const b = await testServer(mapped);
  const claims = '{"userinfo":{"sub":{"value":"unknown"}}}';
  assertEquals(assertAuthorizationResponse(await b.authorize({ claims })).error, "access_denied");
  assertEquals(assertAuthorizationResponse(await b.authorize({ claims, prompt: "none" })).error, "login_required");
  assertEquals(
    assertAuthorizationResponse(await b.authorize({ claims: '{"userinfo":{"dept":{"values":"x"}}}' })).error,
    "invalid_request",
  );
});

test("[CL-08] a value of at most 30 levels leaves the access token readable; a deeper one is rejected", async () => {
  const b = await testServer(mapped);
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  for (const place of ["userinfo", "id_token"]) {
    for (const demand of [(value: string) => `"value":${value}`, (value: string) => `"values":[1,${value}]`]) {
      const asks = (levels: number) => `{"${place}":{"dept":{${demand(nested(levels))}}}}`;
      const { access_token } = await publicTokens(b, { scope: "openid", claims: asks(30) });
      await shown(b, access_token);
      for (const levels of [31, 32, 100, 1000]) {
        const { error } = assertAuthorizationResponse(await b.authorize({ claims: asks(levels) }));
        assertEquals(error, "invalid_request", `${place} ${levels}`);
      }
    }
  }
});

test("[CL-08] the current value is compared", async () => {
  const b = await testServer({ ...mapped, users: [{ ...carol, dept: "x" }] });
  const claims = '{"userinfo":{"dept":{"value":"y"}}}';
  const { access_token } = await publicTokens(b, { scope: "openid", claims });
  assertEquals("dept" in await shown(b, access_token), false);
  b.as.users.set({ ...carol, dept: "y" });
  assertEquals((await shown(b, access_token)).dept, "y");
});

test("[CL-09] unknown members and claims are ignored, and a name with a language tag returns that member", async () => {
  const users = [{ ...carol, "name#de": "Karola", "dept#de": "Einkauf" }];
  for (const unmappedClaims of ["none", "openid"] as const) {
    const b = await testServer({ ...mapped, users, unmappedClaims });
    const rest = unmappedClaims === "none" ? {} : { roles: ["admin"], "dept#de": "Einkauf" };
    await forEachCase<[unknown, object]>([
      [{ userinfo: { "name#de": null } }, { "name#de": "Karola" }],
      [{ userinfo: { "name#fr": null } }, {}],
      [{ userinfo: { "dept#de": null } }, {}],
      [{ userinfo: { unknown: null, groups: { purpose: "x", essential: false } } }, { groups: carol.groups }],
      [{ other: { groups: null }, verified_claims: {} }, {}],
    ], async ([claims, expected]) => {
      assertEquals(await logged(b, "openid", { claims: JSON.stringify(claims) }), {
        sub: "carol",
        ...rest,
        ...expected,
      });
    });
    assertEquals("name#de" in await logged(b, "openid profile"), false);
  }
});

test("[CL-10] the consent page names every claim that no shown scope value covers", async () => {
  const b = await testServer({ ...mapped, login: "interactive" });
  const claims = '{"userinfo":{"groups":null,"roles":null,"email":null},"id_token":{"employee_no":null,"iss":null}}';
  const asked = async (scope: string) => (await logIn(openBrowser(b), "carol", { scope, claims })).text;
  assertStringIncludes(
    await asked("openid"),
    "The client requests these claims by name: groups, roles, email and employee_no.",
  );
  const all = await asked("openid groups profile");
  assertStringIncludes(all, "The client requests these claims by name: roles and email.");
  assertStringIncludes(all, "See groups");
  const browser = openBrowser(b);
  const page = await logIn(browser, "carol", { scope: "openid", claims });
  const { access_token } = await assertTokenResponse(
    await b.token({ code: getCode(await submit(browser, page, "decision", "allow")) }),
  );
  const { groups, roles, email } = carol;
  assertEquals(await shown(b, access_token), { sub: "carol", groups, roles, email });
});

test("[CL-11] a request by name releases only mapped, released and permitted claims", async () => {
  const claims = JSON.stringify({ userinfo: { password: null, roles: null, groups: null, email: null } });
  const digest = "$scrypt$ln=10,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
  const users = [{ ...carol, password: digest }];
  const open = await testServer({ ...mapped, users });
  const { groups, roles, email } = carol;
  assertEquals(await logged(open, "openid", { claims }), { sub: "carol", groups, roles, email });
  const closed = await testServer({ ...mapped, users, unmappedClaims: "none" });
  assertEquals(await logged(closed, "openid", { claims }), { sub: "carol", groups, email });
  const limited = await testServer({
    ...mapped,
    users,
    unmappedClaims: "none",
    clients: [publicClient("spa", { scope: "openid email" })],
  });
  assertEquals(await logged(limited, "openid", { claims }), { sub: "carol", email });
});

test("[CL-12] an access token has no user claims unless accessTokenClaims names them, and introspection has the same", async () => {
  const protocol = ["iss", "sub", "aud", "client_id", "scope", "iat", "exp", "jti", "auth_time", "sid"];
  const scope = "openid profile email groups";
  const claims = '{"userinfo":{"groups":null},"id_token":{"groups":null}}';
  for (const client_id of ["spa", "opaque"]) {
    const silent = await testServer(mapped);
    const about = await fetchIntrospection(
      silent,
      (await publicTokens(silent, { client_id, scope, claims })).access_token,
    );
    assertEquals(Object.keys(about), ["active", "token_type", ...protocol, "userinfo_claims"]);
    const b = await testServer({ ...mapped, accessTokenClaims: ["roles", "email", "nickname"] });
    const { access_token } = await publicTokens(b, { client_id, scope });
    const { active: _, token_type: _t, ...logged } = await fetchIntrospection(b, access_token);
    assertEquals([logged.roles, logged.email, logged.groups], [["admin"], "carol@example.com", undefined]);
    assertEquals(Object.keys(logged), [...protocol, "roles", "email"]);
    if (client_id === "spa") assertEquals(decodeClaims(access_token), logged);
  }
});

test("[CL-12, CL-02] a claim of a scope value needs that scope value in access tokens too; other claims are always included", async () => {
  const b = await testServer({ ...mapped, unmappedClaims: "none", accessTokenClaims: ["groups", "roles"] });
  const about = async (scope: string) => {
    const { groups, roles } = decodeClaims((await publicTokens(b, { scope })).access_token);
    return { groups, roles };
  };
  assertEquals(await about("read"), { groups: undefined, roles: ["admin"] });
  assertEquals(await about("read groups"), { groups: ["staff", "admins"], roles: ["admin"] });
});

test("[CL-12] a resource may have its own list, and a token for several resources has the claims of each", async () => {
  const [hr, shop, plain] = ["https://hr.example", "https://shop.example", "https://plain.example"];
  const b = await testServer({
    ...mapped,
    accessTokenClaims: ["roles"],
    resources: [
      { uri: hr!, access_token_claims: ["employee_no", "dept"] },
      { uri: shop!, access_token_claims: [] },
      { uri: plain! },
    ],
    users: [{ ...carol, dept: "x" }],
  });
  const about = async (resource?: string | string[]) => {
    const { access_token } = await publicTokens(b, { scope: "openid profile", resource });
    const { roles, employee_no, dept } = decodeClaims(access_token);
    return [roles, employee_no, dept];
  };
  assertEquals(await about(), [["admin"], undefined, undefined]);
  assertEquals(await about(hr), [undefined, 7, "x"]);
  assertEquals(await about(shop), [undefined, undefined, undefined]);
  assertEquals(await about(plain), [["admin"], undefined, undefined]);
  assertEquals(await about([hr!, shop!, plain!]), [["admin"], 7, "x"]);
});

test("[CL-12, CC-03] a client_credentials token has no user claims", async () => {
  const users = [{ sub: "machine", roles: ["admin"] }];
  const b = await testServer({ ...mapped, users, accessTokenClaims: ["roles"] });
  const response = await b.post(
    "/oauth2/token",
    { grant_type: "client_credentials", scope: "read" },
    basicHeader("machine"),
  );
  assertEquals("roles" in decodeClaims((await assertTokenResponse(response)).access_token), false);
});

test("[CL-12] groups, roles and entitlements are always lists in an access token", async () => {
  const names = ["groups", "roles", "entitlements", "dept"];
  const users = [{ sub: "alice", groups: "staff", roles: { value: "admin" }, entitlements: ["a"], dept: "x" }];
  const b = await testServer({ ...testClients, users, accessTokenClaims: names });
  const { access_token } = await publicTokens(b, { scope: "openid" });
  const { groups, roles, entitlements, dept } = decodeClaims(access_token);
  assertEquals([groups, roles, entitlements, dept], [["staff"], [{ value: "admin" }], ["a"], "x"]);
  assertEquals((await shown(b, access_token)).groups, "staff");
});

test("[CL-13] tokens have the values at issue, a refreshed ID token those of the refresh, userinfo the current ones", async () => {
  const b = await testServer({ ...mapped, idTokenClaims: "like-userinfo", accessTokenClaims: ["roles"] });
  const first = await publicTokens(b, { scope: "openid" });
  b.as.users.set({ ...carol, roles: ["guest"] });
  assertEquals((await fetchIntrospection(b, first.access_token)).roles, ["admin"]);
  assertEquals((await shown(b, first.access_token)).roles, ["guest"]);
  const second = await refreshTokens(b, first.refresh_token);
  assertEquals([decodeClaims(second.id_token).roles, decodeClaims(second.access_token).roles], [["guest"], ["guest"]]);
  assertEquals(decodeClaims(first.id_token).roles, ["admin"]);
});

test("[CL-14] metadata lists every releasable claim once and follows user changes", async () => {
  const b = await testServer({ ...mapped, scopes: ["openid", "email"] });
  const { claims_supported, claims_parameter_supported, claim_types_supported } = await metadataOf(b);
  assertEquals([claims_parameter_supported, claim_types_supported], [true, undefined] as never[]);
  const own = ["iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "at_hash", "sid"];
  assertEquals(claims_supported!.slice(0, own.length), own as never);
  const rest = claims_supported!.slice(own.length);
  // The mapping makes groups and profile known.
  for (const name of ["email", "email_verified", "groups", "name", "employee_no", "roles"]) assert(rest.includes(name));
  assertEquals(new Set(claims_supported).size, claims_supported!.length);
  assertEquals(rest.includes("address"), false);
  b.as.users.set({ sub: "dave", badge: 7, password_hint: "x" });
  assert((await metadataOf(b)).claims_supported!.includes("badge"));
  const closed = await testServer({ ...mapped, unmappedClaims: "none" });
  assertEquals((await metadataOf(closed)).claims_supported!.includes("roles"), false);
});

test("[CL-16, US-04] a signed userinfo response holds the same claims, with iss and aud", async () => {
  const b = await testServer({
    ...mapped,
    clients: [publicClient("spa"), publicClient("signed", { userinfo_signed_response_alg: "ES256" })],
  });
  const fields = { scope: "openid groups", claims: '{"userinfo":{"name":null,"roles":{"value":"x"}}}' };
  const plain = await logged(b, fields.scope, fields);
  const { access_token } = await publicTokens(b, { ...fields, client_id: "signed" });
  const signed = decodeClaims(await (await userinfo(b, access_token)).text());
  assertEquals(signed, { ...plain, iss: "https://as.test", aud: "signed" });
  assertEquals(plain, { sub: "carol", groups: carol.groups, name: "Carol Clark" });
});

/** What the server wrote about the length of tokens. */
const lengthWarnings = ({ events }: TestServer) =>
  events.flatMap((event) => event.type === "warning" && event.explanation.rule === "CL-17" ? [event.explanation] : []);

/** A user with groups of 45 bytes of JSON each. */
const memberOf = (groups: number): User => ({
  sub: "alice",
  ...{ name: "Alice Adams", badge: 7 },
  groups: Array.from({ length: groups }, (_, i) => `${i}`.padStart(42, "group ")),
});

/** Per number of groups: whether the tokens have them, and whether they are warned about as too long for cookies. */
const memberships = [[1, true, false], [50, true, false], [90, true, true], [300, true, true], [1000, true, true], [
  3000,
  false,
  false,
]] as const;

const inTokens: Record<string, readonly [LatchkeyOptions, Fields, readonly ("access_token" | "id_token")[]]> = {
  "a claim of access tokens": [{ accessTokenClaims: ["groups", "name"] }, {}, ["access_token"]],
  "ID tokens like userinfo": [{ idTokenClaims: "like-userinfo" }, {}, ["id_token"]],
  "a claim requested by name": [{}, { claims: '{"id_token":{"groups":null,"name":null}}' }, ["id_token"]],
  "both": [{ accessTokenClaims: ["groups", "name"], idTokenClaims: "like-userinfo" }, {}, ["access_token", "id_token"]],
};

for (const [way, [options, fields, kinds]] of Object.entries(inTokens)) {
  test(`[CL-17] what the server issues it accepts, however many groups a user has: ${way}`, async () => {
    await forEachCase(memberships, async ([groups, hasGroups, isLong]) => {
      const b = await testServer({ ...testClients, users: [memberOf(groups)], ...options });
      const issue = () => publicTokens(b, { scope: "openid profile offline_access", ...fields });
      const tokens = await issue();
      for (const kind of kinds) {
        const claims = decodeClaims(tokens[kind]!);
        assertEquals([claims.name, Array.isArray(claims.groups)], ["Alice Adams", hasGroups], kind);
        assertEquals(tokens[kind]!.length > 4096, isLong, kind);
      }
      await issue();
      await refreshTokens(b, tokens.refresh_token!);
      const warnings = lengthWarnings(b);
      const perToken = hasGroups ? Number(isLong) : 3;
      assertEquals(warnings.length, perToken * kinds.length);
      assert(warnings.every(({ received }) => /characters, of which groups has \d+ bytes$/.test(received!)));
      const info = await (await userinfo(b, tokens.access_token)).json();
      assertEquals([info.sub, info.groups.length], ["alice", groups]);
      assertEquals((await fetchIntrospection(b, tokens.access_token)).active, true);
      const inForm = await b.post("/oauth2/userinfo", { access_token: tokens.access_token });
      assertEquals(inForm.status, 200);
      const leaving = await b.post("/oauth2/logout", { id_token_hint: tokens.id_token! });
      assertEquals(leaving.status, 200);
    });
  });
}

test("[CL-17] a token loses the largest claims, and as few as needed, however many there are", async () => {
  const many = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`c${i}`, "x".repeat(i < 2 ? 9000 - i : 20)]));
  const b = await testServer({ ...testClients, users: [{ sub: "alice", ...many }], idTokenClaims: "like-userinfo" });
  const claims = decodeClaims((await publicTokens(b, { scope: "openid" })).id_token!);
  const names = Object.keys(claims).filter((name) => /^c\d/.test(name));
  assert(names.length > 900 && !names.includes("c0") && !names.includes("c1"), `${names.length}`);
  const [{ reason, received }] = lengthWarnings(b) as [Explanation];
  assertEquals(reason, `the ID token would be too long, so it lacks c0 and ${3000 - names.length - 1} more`);
  assertMatch(received!, /, of which c0 has 9002 bytes$/);
});

test("[CL-17] a token that another server made longer than any of this one is no token", async () => {
  const b = await testServer(testClients);
  assertEquals((await userinfo(b, "a".repeat(62 * 1024 + 1))).status, 401);
  assertEquals(getRejections(b.events).at(-1)!.explanation.received, "a token of 63489 characters");
});

/** The warnings at start, as `path: message`. */
async function warned(options: LatchkeyOptions): Promise<string[]> {
  const { events } = await testServer({ defaultScope: "", ...testClients, ...options });
  return events.flatMap((event) => event.type === "configuration_warning" ? [`${event.path}: ${event.message}`] : []);
}

test("[CL-03] startup warns of each claim that no client can receive, with a fix", async () => {
  const users = [{ sub: "alice", name: "A" }, { sub: "bob", roles: ["a"] }, { sub: "carol", roles: ["b"], dept: "x" }];
  assertEquals(await warned({ users }), []);
  const closed = { users, unmappedClaims: "none" } as const;
  const [roles, dept, ...none] = await warned(closed);
  assertEquals(
    roles,
    'users[1].roles and 1 other: No scope value releases "roles", so no client receives it. Map it in claims, for example ' +
      '{"profile": ["roles"]}, name it in accessTokenClaims, or set unmappedClaims to "openid".',
  );
  assertStringIncludes(dept!, 'users[2].dept: No scope value releases "dept"');
  assertEquals(none, []);
  assertEquals(await warned({ ...closed, claims: { openid: ["roles"] }, accessTokenClaims: ["dept"] }), []);
  const resources = [{ uri: "https://api.example", access_token_claims: ["dept", "roles"] }];
  assertEquals(await warned({ ...closed, resources }), []);
  const phone = await warned({ users: [{ sub: "alice", phone_number: "1", address: {}, gender: "" }] });
  assertEquals(phone, [
    'users[0].phone_number: "phone_number" is released by the scope value "phone", which no client may ask for, so no ' +
    "client receives it. Add it to scopes, and to the scope of a client.",
  ]);
  assertEquals(await warned({ users: [{ sub: "alice", phone_number: "1" }], claims: { phone: [] } }), []);
});

test("[CL-03] an address without email_verified is a warning if a client can receive it, but not of demo users", async () => {
  const email = "a@example.com";
  const users = [{ sub: "a", email }, { sub: "b", email }, { sub: "c", email, email_verified: false }, { sub: "d" }];
  assertEquals(await warned({ users }), [
    "users[0].email and 1 other: Clients such as oauth2-proxy and dex reject an address that is not verified. " +
    'Add "email_verified": true to the user, or false to test that.',
  ]);
  assertEquals(await warned({ users: [{ sub: "a", email: "" }] }), []);
  assertEquals(await warned({ users: users.slice(0, 2), scopes: ["openid", "read"] }), []);
  assertEquals(await warned({ users: demoUsers }), []);
  assert(demoUsers.every(({ email_verified }) => email_verified === true));
});

test("[CL-03] a mapping whose scope value no client may request is a warning, and so is one without openid", async () => {
  const clients = [publicClient("spa", { scope: "openid profile" }), publicClient("other", { scope: "openid read" })];
  const claims = { groups: ["groups"], profile: ["dept"] };
  assertEquals(
    await warned({ clients, claims, users: [{ sub: "a", dept: "x" }], accessTokenClaims: ["groups", "dept"] }),
    [
      'claims.groups: No client may ask for "groups", so nothing releases these claims. Add it to the scope of a client.',
      'accessTokenClaims[0]: "groups" needs the scope value "groups", which no client may ask for, so no access token ' +
      "holds it. Add it to scopes, and to the scope of a client.",
    ],
  );
  assertEquals(await warned({ clients: [], claims }), []);
  const [first, ...others] = await warned({ scopes: ["read"], claims, users: [{ sub: "a", groups: ["x"] }] });
  assertStringIncludes(
    first!,
    'scopes: No client may ask for "openid", so userinfo and ID tokens contain no claims of users',
  );
  assertEquals(others, []);
  assertEquals((await warned({ scopes: ["read"], users: [{ sub: "a", groups: ["x"] }] })).length, 1);
  assertEquals(await warned({ scopes: ["read"], users: [{ sub: "a", name: "A", email: "a@example.com" }] }), []);
});

test("[CL-04, CL-05] a reserved name and a standard claim of a wrong type in a user are warnings without the value", async () => {
  const users = [{ sub: "alice", aud: "s3cret", _claim_names: {}, updated_at: "s3cret", address: ["s3cret"], name: 7 }];
  const warnings = await warned({ users: users as unknown as User[] });
  assertEquals(warnings.map((text) => text.split(":")[0]), [
    ...["users[0].aud", "users[0]._claim_names", "users[0].updated_at", "users[0].address", "users[0].name"],
  ]);
  assertStringIncludes(warnings[0]!, '"aud" is a reserved claim name, so this member of the user is ignored.');
  assertStringIncludes(
    warnings[2]!,
    "its value is a string, and OpenID Connect Core §5.1 requires another type. Correct the value.",
  );
  assertStringIncludes(warnings[3]!, "its value is a list, and");
  assert(!warnings.join().includes("s3cret"));
});

test("[CL-03, CL-05] a user added at run time causes the warning then, with the user's name", async () => {
  const b = await testServer({ ...testClients, unmappedClaims: "none" });
  const paths = () => b.events.flatMap((event) => event.type === "configuration_warning" ? [event.path] : []);
  b.as.users.set({ sub: "erin", name: "Erin" });
  assertEquals(paths(), []);
  b.as.users.set({ sub: "erin", roles: ["a"], aud: "x", email_verified: "yes" });
  assertEquals(paths(), ['users["erin"].roles', 'users["erin"].aud', 'users["erin"].email_verified']);
});
