/**
 * Step-up authentication at the authorization server (group ST).
 *
 * @extensions par, registration, requested_claims, signed_requests
 */

import { assert, assertEquals, assertMatch, assertNotMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { type Approver, autoApprover, ConfigurationError, type LatchkeyOptions } from "../../../../src/mod.ts";
import type { LoginMethod } from "../../../../src/core/policy/policy.ts";
import type { AcrValue } from "../../../../src/server/extensions/step_up/settings.ts";
import { storeKinds } from "../../../platform/store/store_kinds.ts";
import { formatPasswordDigest } from "../../../../src/server/config/password_digest.ts";
import { scryptDigest } from "../../../../src/platform/runtime/scrypt.ts";
import { type Browser, openBrowser } from "../../browser.ts";
import {
  assertAuthorizationResponse,
  assertTokenResponse,
  basic,
  clients,
  decodeClaims,
  encode,
  forEachCase,
  getRejections,
  goodRequest,
  testServer,
} from "../../../kit.ts";
import type { Fields, TestServer } from "../../../kit.ts";
import { describePage, getCode, logInAndAllow, requestAuthorization, submit } from "../../page_navigation.ts";
import { signedRequest } from "../../../../src/client/request_object.ts";
import { clientKey, signingContext } from "../../client_jwts.ts";
import { postRegistration } from "../../registering.ts";

const pwd = "urn:x:pwd";
const mfa = "urn:x:mfa";
const key = "urn:x:key";

/** Automatic logins reach all three levels. */
const acrValues: readonly AcrValue[] = [
  { value: pwd, methods: ["auto"], amr: ["pwd"] },
  { value: mfa, methods: ["auto"], amr: ["pwd", "otp", "mfa"] },
  { value: key, methods: ["auto"] },
];

const refreshing = clients.map((client) =>
  client.client_id === "spa" ? { ...client, grant_types: ["authorization_code", "refresh_token"] } : client
);

const levels: LatchkeyOptions = { acrValues, clients: refreshing };

/** The login behind tokens: level, methods and time, as the access token names them. */
function loginOf({ access_token }: { readonly access_token: string }) {
  const { acr, amr, auth_time } = decodeClaims(access_token);
  return { acr, amr, auth_time };
}

/** The error of an authorization request; `code` without one. */
async function outcomeOf(browser: Browser, fields: Fields): Promise<string> {
  const { error = "code" } = assertAuthorizationResponse(await browser.authorize(fields));
  return error;
}

const start = Date.UTC(2026, 0, 1) / 1000;

test("[ST-06, ST-09] acr_values reaches the first attainable value; tokens and introspection have acr, amr and auth_time", async () => {
  const b = await testServer(levels);
  const browser = openBrowser(b);
  assertEquals(loginOf(await browser.login()), { acr: pwd, amr: ["pwd"], auth_time: start });
  b.advance(10);
  const stepped = await browser.login({ acr_values: `urn:x:unknown ${mfa} ${key}` });
  assertEquals(loginOf(stepped), { acr: mfa, amr: ["pwd", "otp", "mfa"], auth_time: start + 10 });
  const body = encode({ token: stepped.access_token });
  const headers = { ...basic("web", "web-secret"), "content-type": "application/x-www-form-urlencoded" };
  const { acr, auth_time } = await (await b.get("/oauth2/introspect", { method: "POST", body, headers })).json();
  assertEquals([acr, auth_time], [mfa, start + 10]);
});

test("[ST-06] a session that has one of the values continues, whatever its place in the list", async () => {
  const b = await testServer(levels);
  const browser = openBrowser(b);
  await browser.login({ acr_values: mfa });
  b.advance(10);
  for (const acr_values of [`${key} ${mfa}`, `${mfa} ${key}`, "urn:x:unknown"]) {
    assertEquals(loginOf(await browser.login({ acr_values })).auth_time, start, acr_values);
  }
  assertEquals(await browser.authorizeSilently({ acr_values: `${key} ${mfa}` }), "code");
  const { acr, amr, auth_time } = loginOf(await browser.login({ acr_values: key }));
  assertEquals([acr, amr, auth_time], [key, undefined, start + 10]);
});

test("[ST-07] prompt=none is login_required if a login could reach the level", async () => {
  const browser = openBrowser(await testServer(levels));
  await browser.login();
  assertEquals(await browser.authorizeSilently({ acr_values: mfa }), "login_required");
  assertEquals(await browser.authorizeSilently(), "code");
});

test("[ST-05, ST-07] acr_values and max_age count without openid, by POST and in pushed requests", async () => {
  const b = await testServer(levels);
  const browser = openBrowser(b);
  const withoutOpenId = { scope: "read" };
  assertEquals(loginOf(await browser.login({ ...withoutOpenId, acr_values: mfa })).acr, mfa);
  b.advance(10);
  assertEquals(loginOf(await browser.login({ ...withoutOpenId, max_age: "20" })).auth_time, start);
  assertEquals(loginOf(await browser.login({ ...withoutOpenId, max_age: "5" })).auth_time, start + 10);
  const posted = assertAuthorizationResponse(
    await browser.post("/oauth2/authorize", { ...goodRequest, ...withoutOpenId, acr_values: key }),
  );
  assertEquals(loginOf(await assertTokenResponse(await b.token({ code: posted.code }))).acr, key);
  for (const acr_values of ["urn:x:unknown", "urn:x:unknown urn:x:other"]) {
    assertEquals(await outcomeOf(browser, { ...withoutOpenId, acr_values }), "unmet_authentication_requirements");
    assertEquals(await push(b, { ...withoutOpenId, acr_values }), "unmet_authentication_requirements");
  }
  const request_uri = await push(b, { ...withoutOpenId, acr_values: mfa });
  const response = await browser.get(`/oauth2/authorize?${encode({ client_id: "spa", request_uri })}`);
  const { code } = assertAuthorizationResponse(response);
  assertEquals(loginOf(await assertTokenResponse(await b.token({ code }))).acr, mfa);
});

test("[ST-05] acr_values and max_age count in a signed request, with and without openid", async () => {
  const signer = await clientKey("ES256", "ec");
  const jwks = { keys: [signer.jwk] };
  const b = await testServer({ acrValues, clients: [{ ...clients[0], jwks, token_endpoint_auth_method: "none" }] });
  const browser = openBrowser(b);
  const logIn = async (claims: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const sent = await signedRequest(signingContext(), signer, { ...goodRequest, client_id: "spa" }, { claims });
    const response = await browser.get(`/oauth2/authorize?${encode({ ...sent, acr_values: key })}`);
    const { code, error } = assertAuthorizationResponse(response);
    return error ?? loginOf(await assertTokenResponse(await b.token({ code })));
  };
  const level = { acr: mfa, amr: ["pwd", "otp", "mfa"] };
  assertEquals(await logIn({ acr_values: mfa, scope: "read" }), { ...level, auth_time: start });
  b.advance(10);
  assertEquals(await logIn({ acr_values: mfa, max_age: 20 }), { ...level, auth_time: start });
  assertEquals(await logIn({ acr_values: mfa, max_age: 5 }), { ...level, auth_time: start + 10 });
  assertEquals(await logIn({ acr_values: "urn:x:unknown", scope: "read" }), "unmet_authentication_requirements");
});

/** Pushes a request; returns its `request_uri`, or the error code. */
async function push(b: TestServer, fields: Fields): Promise<string> {
  const response = await b.post("/oauth2/par", { ...goodRequest, ...fields });
  const { error, request_uri } = await response.json();
  return error ?? request_uri;
}

test("[ST-07, ST-10, OI-06] with openid, values that the server does not have are ignored with a warning", async () => {
  const b = await testServer(levels);
  const browser = openBrowser(b);
  await browser.login({ acr_values: mfa });
  b.events.length = 0;
  const tokens = await browser.login({ acr_values: "urn:x:unknown" });
  assertEquals([loginOf(tokens).acr, decodeClaims(tokens.id_token).acr], [mfa, mfa]);
  const warnings = b.events.flatMap((event) => event.type === "warning" ? [event.explanation] : []);
  assertEquals(warnings.filter(({ rule }) => rule === "ST-06").map(({ received }) => received), ["urn:x:unknown"]);
});

test("[ST-12, OI-06] without acrValues no token has acr or amr, and acr_values has no effect", async () => {
  const b = await testServer({ clients: refreshing });
  const browser = openBrowser(b);
  await forEachCase([{}, { acr_values: mfa }, { acr_values: mfa, scope: "read" }], async (fields) => {
    const { access_token, id_token } = await browser.login(fields);
    for (const jwt of [access_token, id_token ?? access_token]) {
      assertEquals(["acr", "amr"].filter((name) => name in decodeClaims(jwt)), []);
    }
  });
  const metadata = await (await b.get("/.well-known/openid-configuration")).json();
  assertEquals("acr_values_supported" in metadata, false);
  assertEquals(metadata.claims_supported.includes("acr"), false);
});

test("[ST-08, OI-08] an essential acr that cannot be met fails; a voluntary one does not", async () => {
  const claimsOf = (acr: unknown) => JSON.stringify({ id_token: { acr } });
  const b = await testServer(levels);
  const browser = openBrowser(b);
  await forEachCase(
    [
      ...[{ essential: true, value: "x" }, { essential: true, values: ["x", "y"] }].map((acr) => ({ acr, level: "" })),
      { acr: { essential: true, value: mfa }, level: mfa },
      { acr: { essential: true, values: ["x", key, mfa] }, level: key },
      { acr: { essential: true }, level: pwd },
      { acr: { values: [mfa] }, level: mfa },
      { acr: { value: "x" }, level: pwd },
      { acr: null, level: pwd },
      // The value must be one of the values.
      { acr: { essential: true, value: mfa, values: [key] }, level: "" },
      { acr: { essential: true, value: mfa, values: [key, mfa] }, level: mfa },
      { acr: { value: mfa, values: [key] }, level: pwd },
    ],
    async ({ acr, level }) => {
      browser.cookies.clear();
      const claims = claimsOf(acr);
      if (level === "") {
        assertEquals(await outcomeOf(browser, { claims }), "unmet_authentication_requirements");
        assertEquals(getRejections(b.events).at(-1)!.explanation.rule, "ST-08");
      } else assertEquals(decodeClaims((await browser.login({ claims })).id_token).acr, level);
    },
  );
  // The essential claim decides, whatever acr_values prefers.
  const both = { claims: claimsOf({ essential: true, value: mfa }), acr_values: key };
  assertEquals(decodeClaims((await browser.login(both)).id_token).acr, mfa);
  assertEquals(await outcomeOf(browser, { claims: claimsOf({ essential: true, value: 1 }) }), "invalid_request");
});

for (const [name, skip, createStore] of storeKinds) {
  test(`[ST-09] a refresh leaves acr, amr and auth_time, on ${name}`, { skip }, async () => {
    const b = await testServer({ ...levels, store: await createStore()() });
    let { refresh_token } = await openBrowser(b).login({ acr_values: mfa });
    for (let i = 0; i < 2; i++) {
      b.advance(100);
      const response = await b.token({
        grant_type: "refresh_token",
        refresh_token,
        redirect_uri: undefined,
        code_verifier: undefined,
      });
      const tokens = await assertTokenResponse(response) as Awaited<ReturnType<Browser["login"]>>;
      refresh_token = tokens.refresh_token;
      const expected = { acr: mfa, amr: ["pwd", "otp", "mfa"], auth_time: start };
      assertEquals(loginOf(tokens), expected);
      const { acr, amr, auth_time } = decodeClaims(tokens.id_token);
      assertEquals({ acr, amr, auth_time }, expected);
    }
    await b.as.close();
  });
}

test("[ST-11] metadata lists the values; each of them succeeds when it is requested", async () => {
  const b = await testServer(levels);
  const metadata = await (await b.get("/.well-known/openid-configuration")).json();
  assertEquals(metadata.acr_values_supported, [pwd, mfa, key]);
  assert(["acr", "amr"].every((name) => metadata.claims_supported.includes(name)));
  await forEachCase(metadata.acr_values_supported as string[], async (acr_values) => {
    const { id_token } = await openBrowser(b).login({ acr_values });
    assertEquals(decodeClaims(id_token).acr, acr_values);
  });
});

test("[ST-11, ST-12] a level that no login of the server reaches, or that verifies nothing on a real host, is an issue", async () => {
  const level = (...methods: LoginMethod[]): LatchkeyOptions => ({ acrValues: [{ value: mfa, methods }] });
  const users = [{ sub: "alice", password: "$scrypt$ln=15,r=8,p=3$4fXXG0spB92WPB1NitT8/Q$" + "A".repeat(43) }];
  const real = { issuer: "https://auth.example.com", login: "interactive", users } as const;
  const cases: readonly [options: LatchkeyOptions, issue: RegExp | undefined][] = [
    [level(), /acrValues\[0\]\.methods.*found none/s],
    [level("password"), /acrValues\[0\]\.methods.*"auto"/s],
    [level("auto"), undefined],
    [{ acrValues: [{ value: mfa }] }, undefined],
    [{ acrValues: [{ value: mfa }], login: "interactive" }, undefined],
    [{ acrValues: [{ value: mfa }], ...real }, /acrValues\[0\]\.methods.*not a test host/s],
    [level("password", "auto"), undefined],
    [{ ...level("auto"), login: "interactive" }, /acrValues\[0\]\.methods.*"password" or "open"/s],
    [{ ...level("open"), login: "interactive" }, undefined],
    [{ ...level("password"), approver: autoApprover }, /acrValues\[0\]\.methods.*"approver" or "auto"/s],
    [{ ...level("approver"), approver: autoApprover }, undefined],
    [{ ...level("password"), ...real }, undefined],
    [{ ...level("password", "open"), ...real }, /acrValues\[0\]\.methods.*not a test host/s],
    [{ acrValues: [...acrValues, acrValues[0]!] }, /acrValues\[3\]\.value.*again/s],
    [{ acrValues: [{ value: "two words", methods: ["auto"] }] }, /acrValues\[0\]\.value/],
  ];
  await forEachCase(cases, async ([options, issue]) => {
    if (issue === undefined) return void (await testServer(options)).as.close();
    const error = await assertRejects(() => testServer(options), ConfigurationError);
    assertMatch(error.message, issue);
  });
});

test("[ST-12] an approver states acr and amr of a new login, and only levels that are configured", async () => {
  let stated: { readonly acr?: string; readonly amr?: readonly string[] } = {};
  const approver: Approver = async ({ scope }, { session, users, now }) => {
    const user = (await users.list({ limit: 1 }))[0]!;
    return session ? { user, scope, authTime: session.authTime } : { user, scope, authTime: now(), ...stated };
  };
  const b = await testServer({
    approver,
    clients: refreshing,
    acrValues: [{ value: pwd, methods: ["approver"], amr: ["pwd"] }, { value: mfa, methods: ["approver"] }],
  });
  const logIn = (next: typeof stated, fields: Fields) => {
    stated = next;
    return outcomeOf(openBrowser(b), fields);
  };
  const browser = openBrowser(b);
  assertEquals(loginOf(await browser.login()), { acr: undefined, amr: undefined, auth_time: start });
  stated = { acr: mfa, amr: ["face"] };
  assertEquals(loginOf(await browser.login({ acr_values: mfa })), { acr: mfa, amr: ["face"], auth_time: start });
  // The session continues at its level.
  stated = { acr: pwd };
  assertEquals(loginOf(await browser.login({ acr_values: mfa })).acr, mfa);
  assertEquals(loginOf(await browser.login({ acr_values: pwd })), { acr: pwd, amr: ["pwd"], auth_time: start });
  assertEquals(await logIn({}, { acr_values: mfa }), "unmet_authentication_requirements");
  assertEquals(await logIn({ acr: pwd }, { acr_values: mfa }), "unmet_authentication_requirements");
  const missed = getRejections(b.events).at(-1)!.explanation;
  assertEquals([missed.rule, missed.received], ["ST-06", pwd]);
  for (const acr of ["urn:x:invented", 5 as unknown as string]) {
    assertEquals(await logIn({ acr }, {}), "server_error");
    assertEquals(getRejections(b.events).at(-1)!.explanation.rule, "ST-12");
  }
});

test("[ST-12] the trace names level and method of an automatic login, and the level of a session only if one is demanded", async () => {
  const passed: string[] = [];
  const b = await testServer({
    ...levels,
    plugins: [{
      extend: (server) => ({ ...server, passed: (rule, value) => void passed.push(`${rule} ${value}`) }),
    }],
  });
  const browser = openBrowser(b);
  await browser.login({ acr_values: mfa });
  assert(passed.includes(`ST-12 ${mfa} by auto`), passed.join("\n"));
  const isOfSession = (check: string) => check.endsWith(` ${mfa}`);
  for (const [acr_values, isTraced] of [[undefined, false], [mfa, true]] as const) {
    passed.length = 0;
    await browser.login({ acr_values });
    assertEquals(passed.some(isOfSession), isTraced, passed.join("\n"));
  }
});

test("[ST-14] default_acr_values and default_max_age count where the request has no parameter of its own", async () => {
  const own = { default_acr_values: ["urn:x:unknown", mfa], default_max_age: 60, require_auth_time: true };
  const b = await testServer({ acrValues, clients: [{ ...clients[0], ...own }] });
  const browser = openBrowser(b);
  const first = await browser.login();
  assertEquals([loginOf(first).acr, decodeClaims(first.id_token).auth_time], [mfa, start]);
  assertEquals(loginOf(await browser.login({ acr_values: key })).acr, key);
  assertEquals(await browser.authorizeSilently(), "login_required");
  await browser.login();
  b.advance(61);
  assertEquals(await browser.authorizeSilently({ max_age: "100" }), "code");
  assertEquals(await browser.authorizeSilently(), "login_required");
  assertEquals(loginOf(await browser.login()).auth_time, start + 61);
  const always = await testServer({ clients: [{ ...clients[0], default_max_age: 0 }] });
  const again = openBrowser(always);
  await again.login();
  always.advance(1);
  assertEquals(decodeClaims((await again.login()).id_token).auth_time, start + 1);
});

test("[ST-14] the three members can be registered; values of another type or with spaces are rejected", async () => {
  const b = await testServer(levels);
  const register = async (metadata: object) => {
    const response = await postRegistration(b, { redirect_uris: ["https://app.example/cb"], ...metadata });
    return [response.status, await response.json()] as const;
  };
  const own = { default_acr_values: [mfa], default_max_age: 0, require_auth_time: true };
  const [status, registered] = await register(own);
  const { default_acr_values, default_max_age, require_auth_time } = registered;
  assertEquals([status, { default_acr_values, default_max_age, require_auth_time }], [201, own]);
  const wrong = [
    ...[{ default_acr_values: mfa }, { default_acr_values: ["two words"] }, { default_acr_values: [""] }],
    ...[{ default_max_age: -1 }, { default_max_age: "60" }, { require_auth_time: 1 }],
  ];
  await forEachCase(wrong, async (metadata) => {
    const [status, { error }] = await register(metadata);
    assertEquals([status, error], [400, "invalid_client_metadata"]);
  });
});

test("[ST-13] a step-up grants what it asked for, and nothing of the earlier grant", async () => {
  const b = await testServer(levels);
  const browser = openBrowser(b);
  const first = await browser.login({ scope: "openid read write", resource: "https://api.example/" });
  const second = await browser.login({ scope: "read", acr_values: mfa });
  assertEquals([first.scope, second.scope], ["openid read write", "read"]);
  const { aud, acr } = decodeClaims(second.access_token);
  assertEquals([aud, acr], ["https://as.test", mfa]);
  const { acr: earlier } = decodeClaims(first.access_token);
  assertEquals(earlier, pwd);
});

/** As cheap as a digest may be, for fast tests. */
async function digestOf(password: string): Promise<string> {
  const cost = { ln: 10, r: 8, p: 1, salt: new TextEncoder().encode("0123456789abcdef") };
  return formatPasswordDigest({ ...cost, hash: await scryptDigest(password, cost, 32) });
}

/** `alice` logs in by a password, `bob` by a click. */
async function interactive(): Promise<TestServer> {
  return await testServer({
    clients: refreshing,
    login: "interactive",
    users: [{ sub: "alice", password: await digestOf("secret") }, { sub: "bob" }],
    acrValues: [
      { value: "urn:x:click", methods: ["open"] },
      { value: pwd, methods: ["password"], amr: ["pwd"] },
      { value: mfa, methods: ["open"] },
    ],
  });
}

test("[ST-06, ST-07] the login page names the required level, and a login that does not reach it gets no code", async () => {
  const b = await interactive();
  const browser = openBrowser(b);
  const page = await requestAuthorization(browser, { acr_values: `${mfa} urn:x:click` });
  assertEquals(describePage(page), "login");
  assertStringIncludes(page.text, `${mfa} or urn:x:click`);
  const rejected = await submit(browser, page, "", undefined, { username: "alice", password: "secret" });
  assertEquals([describePage(rejected), rejected.status], ["login", 403]);
  assertStringIncludes(rejected.text, "does not reach the level");
  assertEquals(describePage(await submit(browser, rejected, "cancel")), "access_denied");
  const first = await logInAndAllow(browser, "bob", { acr_values: mfa });
  const tokens = await assertTokenResponse(await b.token({ code: getCode(first) }));
  assertEquals(loginOf(tokens), { acr: mfa, amr: undefined, auth_time: start });
  assertNotMatch((await requestAuthorization(openBrowser(b))).text, /Level of authentication/);
});

test("[ST-06] pages: a session at another level must log in again, and keeps its consent", async () => {
  const b = await interactive();
  const browser = openBrowser(b);
  const first = await logInAndAllow(browser, "bob");
  const tokens = await assertTokenResponse(await b.token({ code: getCode(first) }));
  assertEquals(loginOf(tokens).acr, "urn:x:click");
  b.advance(10);
  assertEquals(describePage(await requestAuthorization(browser, { acr_values: "urn:x:click" })), "code");
  assertEquals(await browser.authorizeSilently({ acr_values: mfa }), "login_required");
  const page = await requestAuthorization(browser, { acr_values: mfa });
  assertStringIncludes(page.text, "requires you to log in again");
  const code = getCode(await submit(browser, page, "sub", "bob"));
  const { acr, auth_time } = loginOf(await assertTokenResponse(await b.token({ code })));
  assertEquals([acr, auth_time], [mfa, start + 10]);
});

test("[ST-06] pages: a password reaches the levels that list it, and the consent page keeps the level", async () => {
  const b = await interactive();
  const browser = openBrowser(b);
  const page = await requestAuthorization(browser, { acr_values: `${pwd} ${mfa}` });
  const consent = await submit(browser, page, "", undefined, { username: "alice", password: "secret" });
  assertEquals(describePage(consent), "consent");
  const code = getCode(await submit(browser, consent, "decision", "allow"));
  assertEquals(loginOf(await assertTokenResponse(await b.token({ code }))), {
    acr: pwd,
    amr: ["pwd"],
    auth_time: start,
  });
});
