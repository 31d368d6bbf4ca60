/**
 * The modules of the OpenID conformance suite for hybrid servers, `oidcc-hybrid-certification-test-plan` and its
 * counterpart for form_post, with `code id_token`: their requests, by a client that registers itself, and conditions.
 *
 * @extensions registration, requested_claims
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { jwtVerify } from "jose";
import { test } from "node:test";
import { assertTokenResponse, basic, fetchKeySet, getOutcome, testServer, verifier } from "../../../kit.ts";
import { challenge, type Fields } from "../../../kit.ts";
import { assertPageWithForm, type LoginTokens, openBrowser } from "../../browser.ts";
import { register } from "../../registering.ts";

const uri = "https://rp.example/callback";
const scopeClaims = {
  profile: { name: "Alice Adams", family_name: "Adams", updated_at: 1_700_000_000 },
  email: { email: "alice@example.com", email_verified: true },
  address: { address: { country: "NO" } },
  phone: { phone_number: "+47 555", phone_number_verified: true },
};
const allClaims = Object.assign({}, ...Object.values(scopeClaims));

type Params = Readonly<Record<string, string>>;

interface Variant {
  readonly login?: "interactive";
  readonly method?: "client_secret_post";
}

/** One client of the plan with its browser. */
async function openPlan(mode: "fragment" | "form_post", { login, method }: Variant) {
  const b = await testServer({
    ...{ alg: "RS256", login, responseTypes: ["code", "code id_token"], registration: { mode: "open" } },
    scopes: ["openid", ...Object.keys(scopeClaims), "offline_access"],
    users: [{ sub: "alice", ...allClaims }],
  });
  const registerClient = () =>
    register(b, {
      redirect_uris: [uri],
      response_types: ["code id_token"],
      grant_types: ["authorization_code", "implicit", "refresh_token"],
      token_endpoint_auth_method: method ?? "client_secret_basic",
    });
  const client = await registerClient();
  const browser = openBrowser(b);
  const keys = await fetchKeySet(b);
  const nonce = "n".repeat(43);

  /** The parameters of the response. Without a response type, the default is the query. */
  async function authorize(added: Fields = {}, defaultMode = "fragment"): Promise<Params> {
    const response = await browser.authorize({
      ...{ response_type: "code id_token", client_id: client.client_id, redirect_uri: uri, scope: "openid", nonce },
      ...{ code_challenge: undefined, code_challenge_method: undefined },
      ...mode === "form_post" && { response_mode: "form_post" },
      ...added,
    });
    if (mode === "form_post") {
      const { action, fields } = await assertPageWithForm(response);
      assertEquals(action, uri);
      return Object.fromEntries(fields);
    }
    const prefix = `${uri}${defaultMode === "fragment" ? "#" : "?"}`;
    const location = response.headers.get("location") ?? "";
    assert(location.startsWith(prefix), `${response.status} ${location}`);
    return Object.fromEntries(new URLSearchParams(location.slice(prefix.length)));
  }

  async function verify(idToken: string) {
    const options = { issuer: b.as.issuer, audience: client.client_id, currentDate: new Date(0) };
    const { payload, protectedHeader } = await jwtVerify(idToken, keys, options);
    assertEquals([protectedHeader.alg, typeof protectedHeader.kid, payload.nonce], ["RS256", "string", nonce]);
    return payload;
  }

  const token = (fields: Fields, { client_id, client_secret } = client) =>
    method === undefined
      ? b.post("/oauth2/token", { redirect_uri: uri, ...fields }, basic(client_id, client_secret))
      : b.post("/oauth2/token", { redirect_uri: uri, client_id, client_secret, ...fields });

  /** A login with every condition of `oidcc-server`. */
  async function logIn(added: Fields = {}, verified: Fields = {}) {
    const { code, id_token, ...others } = await authorize(added);
    assertEquals(others, { state: "st4te", iss: b.as.issuer });
    assertMatch(code!, /^[\w-]{27,}$/);
    const first = await verify(id_token!);
    assertEquals([first.c_hash, first.at_hash], [await leftHalf(code!), undefined]);
    const response = await token({ grant_type: "authorization_code", code, ...verified });
    const tokens = await assertTokenResponse(response) as LoginTokens;
    const second = await verify(tokens.id_token);
    assertEquals([second.at_hash, second.c_hash ?? first.c_hash], [
      await leftHalf(tokens.access_token),
      first.c_hash,
    ]);
    for (const name of ["iss", "sub", "auth_time"]) assertEquals(second[name], first[name], name);
    return { code: code!, first, second, tokens };
  }

  async function userinfo(accessToken: string, by: "GET" | "POST" | "body" = "GET") {
    const headers = { authorization: `Bearer ${accessToken}` };
    const response = by === "body"
      ? await b.post("/oauth2/userinfo", { access_token: accessToken })
      : await b.get("/oauth2/userinfo", { method: by, headers });
    return response.status === 200 ? await response.json() : response.status;
  }

  /** An error response: its parameters, and no others. */
  async function fail(added: Fields, defaultMode?: string): Promise<string> {
    const { error, error_description, error_uri, ...others } = await authorize(added, defaultMode);
    assertEquals<unknown>(others, { state: added.state ?? "st4te", iss: b.as.issuer });
    assertMatch(error_description ?? "", /^[\x20\x21\x23-\x5B\x5D-\x7E]*$/);
    assert(error_uri === undefined || URL.canParse(error_uri));
    return error!;
  }

  return { b, client, registerClient, browser, authorize, logIn, userinfo, fail, token };
}

type Plan = Awaited<ReturnType<typeof openPlan>>;

/** The base64url left half of the SHA-256 digest. */
async function leftHalf(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return btoa(String.fromCharCode(...digest.subarray(0, 16))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
}

/** The claims of userinfo are those of the scope values; the ID tokens have none of them. */
function releases(names: readonly (keyof typeof scopeClaims)[], scope = `openid ${names.join(" ")}`) {
  return async ({ logIn, userinfo }: Plan) => {
    const { first, second, tokens } = await logIn({ scope });
    const expected = Object.assign({}, ...names.map((name) => scopeClaims[name]));
    assertEquals(await userinfo(tokens.access_token), { sub: "alice", ...expected });
    for (const idToken of [first, second]) {
      assertEquals(Object.keys(idToken).filter((name) => name in allClaims), []);
    }
  };
}

/** The parameter causes no error. */
const accepts = (fields: Fields) => async ({ logIn }: Plan) => void await logIn(fields);

/** A second login in the same browser. */
function again(fields: Fields, isNewLogin: boolean) {
  return async ({ b, logIn }: Plan) => {
    const { second } = await logIn();
    b.advance(2);
    const later = (await logIn(fields)).second;
    assertEquals([later.sub, later.auth_time], [second.sub, Number(second.auth_time) + (isNewLogin ? 2 : 0)]);
  };
}

function reuseAfter(seconds: number) {
  return async ({ b, logIn, token, userinfo }: Plan) => {
    const { code, tokens } = await logIn();
    b.advance(seconds);
    assertEquals(await getOutcome(await token({ grant_type: "authorization_code", code })), "400 invalid_grant");
    assertEquals(await userinfo(tokens.access_token), 401);
  };
}

const unsigned = (claims: object) =>
  [{ alg: "none" }, claims].map((part) => btoa(JSON.stringify(part)).replace(/=+$/, "")).join(".") + ".";

const modules: readonly (readonly [rules: string, name: string, check: (plan: Plan) => Promise<void>, Variant?])[] = [
  ["HY-04, HY-06, HY-07, HY-08", "oidcc-server", accepts({})],
  ["AZ-09", "oidcc-response-type-missing", async ({ fail }) => {
    assertEquals(await fail({ response_type: undefined }, "query"), "invalid_request");
  }],
  ["HY-08", "oidcc-idtoken-signature", accepts({})],
  ["HY-09", "oidcc-userinfo-get, -post-header, -post-body", async ({ logIn, userinfo }) => {
    const { access_token } = (await logIn()).tokens;
    for (const by of ["GET", "POST", "body"] as const) {
      assertEquals(await userinfo(access_token, by), { sub: "alice" });
    }
  }],
  ["HY-03", "oidcc-ensure-request-without-nonce-fails", async ({ fail }) => {
    assertEquals(await fail({ nonce: undefined }), "invalid_request");
  }],
  ["HY-09", "oidcc-scope-profile", releases(["profile"])],
  ["HY-09", "oidcc-scope-email", releases(["email"])],
  ["HY-09", "oidcc-scope-address", releases(["address"])],
  ["HY-09", "oidcc-scope-phone", releases(["phone"])],
  ["HY-09", "oidcc-scope-all", releases(["address", "email", "phone", "profile"])],
  ["HY-09", "oidcc-alternate-happy-flow", releases(["email"], "email openid")],
  ["HY-14", "oidcc-display-page, -popup", async (plan) => {
    for (const display of ["page", "popup"]) await plan.logIn({ display });
  }],
  ["HY-14", "oidcc-prompt-login", again({ prompt: "login" }, true)],
  ["HY-14", "oidcc-prompt-none-logged-in", again({ prompt: "none" }, false)],
  ["HY-14", "oidcc-prompt-none-not-logged-in", async ({ fail }) => {
    assertEquals(await fail({ prompt: "none", state: "s".repeat(128) }), "login_required");
  }, { login: "interactive" }],
  ["HY-14", "oidcc-max-age-1", again({ max_age: "1" }, true)],
  ["HY-14", "oidcc-max-age-10000", again({ max_age: "10000" }, false)],
  ["HY-06", "oidcc-ensure-request-with-unknown-parameter-succeeds", accepts({ extra: "foobar" })],
  ["HY-14", "oidcc-id-token-hint", async ({ b, logIn }) => {
    const { second, tokens } = await logIn();
    b.advance(2);
    const later = (await logIn({ prompt: "none", id_token_hint: tokens.id_token })).second;
    assertEquals([later.sub, later.auth_time], [second.sub, second.auth_time]);
  }],
  ["HY-14", "oidcc-login-hint", accepts({ login_hint: "buffy@as.test" })],
  ["HY-14", "oidcc-ui-locales", accepts({ ui_locales: "se" })],
  ["HY-14", "oidcc-claims-locales", accepts({ claims_locales: "se" })],
  ["HY-14", "oidcc-ensure-request-with-acr-values-succeeds", accepts({ acr_values: "1 2" })],
  ["CI-06", "oidcc-codereuse", reuseAfter(0)],
  ["CI-06, CI-08", "oidcc-codereuse-30seconds", reuseAfter(30)],
  ["HY-04", "oidcc-ensure-registered-redirect-uri", async ({ browser, client }) => {
    const response = await browser.authorize({ client_id: client.client_id, redirect_uri: `${uri}/x`, nonce: "n" });
    assertEquals([response.status, response.headers.get("location")], [400, null]);
  }],
  ["HY-08", "oidcc-server-client-secret-post", accepts({}), { method: "client_secret_post" }],
  [
    "HY-14",
    "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported",
    async ({ fail, client }) => {
      const request = unsigned({ ...client, redirect_uri: uri });
      assertMatch(await fail({ request }), /^request_not_supported$|^invalid_request_object$/);
    },
  ],
  ["HY-14", "oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported", async ({ fail }) => {
    assertEquals(await fail({ request_uri: "https://rp.example/request.jwt" }), "request_uri_not_supported");
  }],
  ["HY-09", "oidcc-claims-essential", async ({ logIn, userinfo }) => {
    const { first, second, tokens } = await logIn({ claims: '{"userinfo":{"name":{"essential":true}}}' });
    assertEquals(await userinfo(tokens.access_token), { sub: "alice", name: allClaims.name });
    assertEquals([first.name, second.name], [undefined, undefined]);
  }],
  ["RT-02, RT-08", "oidcc-refresh-token", async ({ b, logIn, token, registerClient }) => {
    const { second, tokens: { refresh_token } } = await logIn({ scope: "openid offline_access", prompt: "consent" });
    const stolen = await token({ grant_type: "refresh_token", refresh_token }, await registerClient());
    assertEquals(await getOutcome(stolen), "400 invalid_grant");
    b.advance(5);
    const { id_token } = await assertTokenResponse(await token({ grant_type: "refresh_token", refresh_token }));
    const { payload } = await jwtVerify(id_token, await fetchKeySet(b), { currentDate: new Date(0) });
    for (const name of ["iss", "sub", "auth_time", "aud"]) assertEquals(payload[name], second[name], name);
    assertEquals(payload.iat, second.iat! + 5);
  }],
  [
    "HY-10",
    "oidcc-ensure-request-with-valid-pkce-succeeds",
    async ({ logIn }) =>
      void await logIn({ code_challenge: challenge, code_challenge_method: "S256" }, { code_verifier: verifier }),
  ],
];

for (const mode of ["fragment", "form_post"] as const) {
  for (const [rules, name, check, variant = {}] of modules) {
    test(`[${rules}] ${mode}: ${name}`, async () => await check(await openPlan(mode, variant)));
  }
}
