/** Libraries that log users in inside web frameworks: what they print when a login fails. */

import { fault } from "../../../src/check/fault.ts";
import { assert } from "@std/assert";
import { Auth, customFetch, skipCSRFCheck } from "@auth/core";
import { betterAuth } from "better-auth";
import { genericOAuth } from "better-auth/plugins/generic-oauth";
import OAuth2Strategy from "passport-oauth2";
import OpenIdStrategy from "passport-openidconnect";
import { type Fault, faults } from "../../../src/testing/mod.ts";
import { getRedirectLocation, loginWithPassport, openBrowser, type Outcome } from "../../server/applications.ts";
import { importUntyped } from "../../server/profiles/samples/sample.ts";
import { serveSample } from "../../server/profiles/samples/web_sample.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { faultsOf, testMessages } from "./provoke.ts";

const secret = "a-secret-of-32-characters-or-more";
const origin = "https://app.example";
const as = await testLatchkey({ alg: "RS256", pkce: { requireForConfidential: false } });
const web = as.client({
  client_secret: secret,
  redirect_uris: [
    ...["/callback", "/auth/callback/latchkey", "/api/auth/oauth2/callback/latchkey", "/api/auth/callback/latchkey"]
      .map((path) => `${origin}${path}`),
  ],
});
const { url: issuer } = await as.listen({ port: 0 });
const { client_id } = web;
const endpoints = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();

const withFault = faultsOf(as);
const atToken = <T>(fault: Fault, run: () => Promise<T>) => withFault("token", fault, run);

/** What Passport passes to the application. */
function printOutcome(outcome: Outcome): string {
  assert(!("user" in outcome) && !("redirect" in outcome), JSON.stringify(outcome));
  if ("error" in outcome) return String(outcome.error);
  return (outcome.failure as { readonly message?: string } | undefined)?.message ?? String(outcome.failure);
}

const passport = {
  ...{ clientID: client_id, clientSecret: secret, callbackURL: `${origin}/callback`, state: true },
  ...{ authorizationURL: endpoints.authorization_endpoint, tokenURL: endpoints.token_endpoint },
};
// deno-lint-ignore no-explicit-any -- the strategies have other types for this function
const verify = (...args: any[]) => args.at(-1)(null, { id: "alice" });
const openid = { ...passport, issuer, userInfoURL: endpoints.userinfo_endpoint, scope: ["openid"], nonce: true };
const openIdStrategy = (extra: object = {}) => new OpenIdStrategy({ ...openid, ...extra } as never, verify);
const logIn = async (strategy: object, change?: (url: URL) => void) =>
  printOutcome(await loginWithPassport(strategy, change));
/** The callback alone, in a session without a login. */
const callback = (strategy: object, session: object | undefined) =>
  new Promise<string>((resolve) => {
    const instance = Object.assign(Object.create(strategy), {
      fail: ({ message }: { readonly message: string }) => resolve(message),
      error: (error: Error) => resolve(String(error)),
    });
    const query = { code: "1", state: "2" };
    instance.authenticate({ url: `${origin}/callback?code=1&state=2`, query, session, headers: {}, method: "GET" }, {});
  });

testMessages("passport-oauth2", [
  ["Unable to verify authorization request state.", () => callback(new OAuth2Strategy(passport, verify), {})],
  [
    "Invalid authorization request state.",
    () => logIn(new OAuth2Strategy(passport, verify), (url) => url.searchParams.set("state", "another")),
  ],
  [
    "OAuth 2.0 authentication requires session support when using state. Did you forget to use express-session middleware?",
    () => callback(new OAuth2Strategy(passport, verify), undefined),
  ],
  [
    "Failed to obtain access token",
    () => atToken(faults.status(503), () => logIn(new OAuth2Strategy(passport, verify))),
  ],
]);

testMessages("passport-openidconnect", [
  ["Unable to verify authorization request state.", () => callback(openIdStrategy(), {})],
  [
    "Invalid authorization request state.",
    () => logIn(openIdStrategy(), (url) => url.searchParams.set("state", "another")),
  ],
  [
    "OpenID Connect requires session support. Did you forget to use `express-session` middleware?",
    () => callback(openIdStrategy(), undefined),
  ],
  ["Failed to obtain access token", () => atToken(faults.status(503), () => logIn(openIdStrategy()))],
  [
    "ID token not present in token response",
    () => atToken(faults.body.edited({ id_token: null }), () => logIn(openIdStrategy())),
  ],
  [
    "ID token not issued by expected OpenID provider.",
    () => logIn(openIdStrategy({ issuer: issuer.replace("localhost", "127.0.0.1") })),
  ],
  [
    "ID token not intended for this relying party.",
    () => atToken(faults.idToken.edited({ aud: "another-client" }), () => logIn(openIdStrategy())),
  ],
  ["ID token has expired.", () => atToken(fault("id-token/exp-past"), () => logIn(openIdStrategy()))],
  [
    "ID token contains invalid nonce.",
    () => atToken(faults.idToken.edited({ nonce: "another" }), () => logIn(openIdStrategy())),
  ],
]);

/** What Auth.js logs of a login; `lose` names a cookie that the browser does not send back. */
async function logInWithAuthJs(
  { lose, corrupt, extra = {}, config: more = {} }: {
    readonly lose?: RegExp;
    readonly corrupt?: RegExp;
    readonly extra?: object;
    readonly config?: object;
  } = {},
): Promise<string> {
  const lines: string[] = [];
  const log = (error: Error & { readonly type?: string; readonly cause?: { readonly err?: unknown } }) => {
    lines.push(`[auth][error] ${error.type ?? error.name}: ${error.message}`, String(error.cause?.err ?? ""));
  };
  const config = {
    ...{ basePath: "/auth", secret: "the secret of the application", trustHost: true, skipCSRFCheck },
    logger: { error: log, warn() {}, debug() {} },
    providers: [{
      ...{ id: "latchkey", name: "Latchkey", type: "oidc", issuer, clientId: client_id, clientSecret: secret },
      ...{ checks: ["pkce", "state", "nonce"], [customFetch]: fetch, ...extra },
    }],
    ...more,
  };
  let cookie = "";
  const visit = async (url: string, init: RequestInit = {}) => {
    const response = await Auth(
      new Request(url, { ...init, headers: { ...init.headers as object, cookie } }),
      config as never,
    ) as Response;
    cookie = response.headers.getSetCookie().map((line) => line.split(";")[0]!)
      .filter((pair) => !lose?.test(pair)).map((pair) => corrupt?.test(pair) ? pair.replace(/=.*/, "=broken") : pair)
      .join("; ");
    return response;
  };
  const started = await visit(`${origin}/auth/signin/latchkey`, {
    method: "POST",
    body: "callbackUrl=https%3A%2F%2Fapp.example%2Fhome",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  const location = started.headers.get("location") ?? "";
  if (location.startsWith(issuer)) await visit(await getRedirectLocation(await openBrowser()(location)));
  return lines.join("\n");
}

testMessages("Auth.js", [
  ["pkceCodeVerifier value could not be parsed", () => logInWithAuthJs({ lose: /pkce/ })],
  ["InvalidCheck: state value could not be parsed", () => logInWithAuthJs({ lose: /state/ })],
  ["InvalidCheck: nonce value could not be parsed", () => logInWithAuthJs({ lose: /nonce/ })],
  ["pkceCodeVerifier value could not be parsed", () => logInWithAuthJs({ corrupt: /pkce/ })],
  [
    '"response" body "issuer" property does not match the expected value',
    () => logInWithAuthJs({ extra: { issuer: issuer.replace("localhost", "127.0.0.1") } }),
  ],
  [
    "OAuth Provider returned an error",
    () => withFault("authorize", faults.error("server_error"), () => logInWithAuthJs()),
  ],
  [
    "server responded with an error in the response body",
    () => atToken(faults.error("invalid_grant"), () => logInWithAuthJs()),
  ],
  [
    'unexpected JWT "iss" (issuer) claim value',
    () => atToken(faults.idToken.edited({ iss: "https://another.example" }), () => logInWithAuthJs()),
  ],
  [
    'unexpected ID Token "nonce" claim value',
    () => atToken(faults.idToken.edited({ nonce: "another" }), () => logInWithAuthJs()),
  ],
  ["Host must be trusted. URL was: *", () => logInWithAuthJs({ config: { trustHost: false } })],
  ["Please define a `secret`", () => logInWithAuthJs({ config: { secret: undefined } })],
]);

/** What better-auth logs of a login; `lose` names a cookie that the browser does not send back. */
async function logInWithBetterAuth({ lose, state, store = "cookie" }: {
  readonly lose?: RegExp;
  readonly state?: string;
  readonly store?: "cookie" | "database";
} = {}) {
  const lines: string[] = [];
  const log = (_level: string, message: string, ...args: unknown[]) => void lines.push(message, ...args.map(String));
  const provider = {
    providerId: "latchkey",
    clientId: client_id,
    clientSecret: secret,
    pkce: true,
    scopes: ["openid"],
  };
  const auth = betterAuth({
    ...{ baseURL: origin, secret: "the secret of the application itself" },
    logger: { log },
    account: { storeStateStrategy: store },
    plugins: [
      genericOAuth({ config: [{ ...provider, discoveryUrl: `${issuer}/.well-known/openid-configuration` }] }),
    ],
  });
  const headers = { "content-type": "application/json", origin };
  const body = JSON.stringify({ provider: "latchkey", callbackURL: "/home" });
  const started = await auth.handler(
    new Request(`${origin}/api/auth/sign-in/social`, { method: "POST", headers, body }),
  );
  const { url } = await started.json();
  const cookie = started.headers.getSetCookie().map((line) => line.split(";")[0]!).filter((pair) => !lose?.test(pair));
  const back = new URL(await getRedirectLocation(await openBrowser()(url)));
  if (state !== undefined) back.searchParams.set("state", state);
  const response = await auth.handler(new Request(back, { headers: { cookie: cookie.join("; ") } }));
  return [...lines, response.headers.get("location")].join("\n");
}

testMessages("better-auth", [
  ["State mismatch: auth state cookie not found", () => logInWithBetterAuth({ lose: /state/ })],
  [
    "State mismatch: OAuth state parameter does not match stored state",
    () => logInWithBetterAuth({ state: "another" }),
  ],
  ["State mismatch: State not persisted correctly", () => logInWithBetterAuth({ lose: /state/, store: "database" })],
  ["State mismatch: verification not found", () => logInWithBetterAuth({ state: "another", store: "database" })],
]);

const { default: express } = await importUntyped("express");
const { auth } = await importUntyped("express-openid-connect");
testMessages("express-openid-connect", [
  ['"auth_verification" cookie not found', async () => {
    const app = express();
    await using site = await serveSample(app);
    app.use(auth({
      ...{ issuerBaseURL: issuer, baseURL: site.url, clientID: client_id, clientSecret: secret },
      ...{ secret: "the secret of the application itself", authorizationParams: { response_type: "code" } },
    }));
    // deno-lint-ignore no-explicit-any -- what Express passes on
    app.use((error: Error, _request: any, response: any, _next: unknown) => response.status(500).send(String(error)));
    return await (await fetch(`${site.url}/callback?code=1&state=2`)).text();
  }],
]);

const { default: GrantManager } = await importUntyped(
  "keycloak-connect/middleware/auth-utils/grant-manager.js",
);
const { default: Token } = await importUntyped("keycloak-connect/middleware/auth-utils/token.js");
const realm = await testLatchkey({ profile: "keycloak", alg: "RS256" });
const shop = realm.client({ client_secret: secret });
const { url: realmUrl } = await realm.listen({ port: 0 });
const realmIssuer = realm.issuer;
const manager = new GrantManager({
  realmUrl: realmIssuer,
  clientId: shop.client_id,
  secret,
  verifyTokenAudience: true,
});
/** What keycloak-connect says of an access token, which Keycloak marks as Bearer. */
async function validate(options: object = {}): Promise<string> {
  const claims = { typ: "Bearer", ...(options as { readonly claims?: object }).claims };
  const token = await realm.mint.accessToken({ client: shop, ...options, claims });
  return await manager.validateToken(new Token(token, shop.client_id), "Bearer").then(() => "", String);
}
testMessages("keycloak-connect", [
  ["invalid token (expired)", () => validate({ expired: true })],
  ["invalid token (wrong ISS)", () => validate({ issuer: "http://other.example" })],
  ["invalid token (wrong audience)", () => validate({ claims: { aud: "another" } })],
  ["Unable to refresh without a refresh token", () => manager.ensureFreshness({ isExpired: () => true })],
]);
assert(realmUrl !== issuer);

const msal = await importUntyped("@azure/msal-node");
const msalLogin = (authority: string, knownAuthorities: readonly string[] = []) =>
  new msal.ConfidentialClientApplication({
    auth: { clientId: client_id, clientSecret: secret, authority, knownAuthorities },
  })
    .acquireTokenByClientCredential({ scopes: ["read"] });
testMessages("@azure/msal-node", [
  ["authority_uri_insecure", () => msalLogin(issuer)],
]);
