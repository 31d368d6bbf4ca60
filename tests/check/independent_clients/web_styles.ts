/** Correct web applications in unusual styles. */

import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type { Entry } from "./entry.ts";
import type { Protocol } from "./protocol.ts";
import { assert, type Members, randomText, toBase64url } from "./requests.ts";
import { redirect, respond } from "./web.ts";

/** Adds parameters to the authorization request. */
const withParameters = (added: Record<string, string>) => (correct: Protocol): Partial<Protocol> => ({
  requestParameters: async (site, login) => ({ ...await correct.requestParameters(site, login), ...added }),
});

const keys = await generateKeyPair("ES256", { extractable: true });

/** The algorithm ES256 of private_key_jwt (OpenID Connect Core §9). */
const signAssertion = (clientId: string, audience: string) =>
  new SignJWT({ iss: clientId, sub: clientId, jti: randomText() })
    .setProtectedHeader({ alg: "ES256" })
    .setAudience(audience).setIssuedAt().setExpirationTime("1m")
    .sign(keys.privateKey);

export const webStyles: readonly Entry[] = [
  {
    kind: "web",
    name: "authenticates with client_secret_basic",
    source: "RFC 6749 §2.3.1",
    client: { token_endpoint_auth_method: "client_secret_basic" },
    protocol: () => ({
      authenticate({ clientId, clientSecret }, _, __, headers) {
        const credentials = [clientId, clientSecret!].map((part) => encodeURIComponent(part).replaceAll("%20", "+"));
        headers.set("authorization", `Basic ${btoa(credentials.join(":"))}`);
      },
    }),
  },
  {
    kind: "web",
    name: "authenticates with private_key_jwt",
    source: "OpenID Connect Core §9, RFC 9700 §2.5",
    client: {
      token_endpoint_auth_method: "private_key_jwt",
      client_secret: undefined,
      jwks: { keys: [{ ...await exportJWK(keys.publicKey), alg: "ES256", use: "sig", kid: "1" }] },
    },
    protocol: () => ({
      async authenticate({ clientId }, { issuer }, body) {
        body.set("client_id", clientId);
        body.set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
        body.set("client_assertion", await signAssertion(clientId, issuer));
      },
    }),
  },
  {
    kind: "web",
    name: "uses the claims of the ID token, and no userinfo",
    source: "OpenID Connect Core §5.1",
    protocol: () => ({ requestUserinfo: () => Promise.resolve({}), mergeClaims: (idToken) => idToken }),
  },
  {
    kind: "web",
    name: "sends no nonce, because its code verifier protects the login",
    source: "RFC 9700 §2.1.1",
    protocol: (correct) => ({
      async requestParameters(site, login) {
        const { nonce: _, ...parameters } = await correct.requestParameters(site, login);
        return parameters;
      },
      checkClaims: (site, claims) => correct.checkClaims(site, claims, undefined),
    }),
  },
  {
    kind: "web",
    name: "does without userinfo that it cannot use",
    source: "OpenID Connect Core §5.3.2",
    protocol: (correct) => ({
      requestUserinfo: (...request) => correct.requestUserinfo(...request).catch((): Members => ({})),
      mergeClaims: (idToken, userinfo) =>
        correct.mergeClaims(idToken, userinfo.sub === idToken.sub ? userinfo : idToken),
    }),
  },
  {
    kind: "web",
    name: "has one login for each browser, the newest",
    source: "RFC 9700 §4.7",
    pages: () => ({
      keepLogin: ({ logins }, browser, login) => void logins.set(browser, login),
      takeLogin({ logins }, browser, params) {
        const login = logins.get(browser);
        if (login?.state === params.get("state")) logins.delete(browser);
        return login;
      },
    }),
  },
  {
    kind: "web",
    name: "keeps the five newest logins of all browsers",
    source: "OAuth 2.1 §4.1.2",
    pages: (correct) => ({
      keepLogin(stores, browser, login) {
        correct.keepLogin(stores, browser, login);
        for (const key of [...stores.logins.keys()].slice(0, -5)) stores.logins.delete(key);
      },
    }),
  },
  {
    kind: "web",
    name: "has the target of the login in its state",
    source: "RFC 9700 §4.7.1",
    protocol: (correct) => ({
      newLogin(site, target = "/") {
        const login = correct.newLogin(site, target);
        return { ...login, state: `${login.state}.${toBase64url(new TextEncoder().encode(target))}` };
      },
    }),
  },
  {
    kind: "web",
    name: "demands that the user has logged in within the hour",
    source: "OpenID Connect Core §3.1.2.1, max_age",
    protocol: (correct) => ({
      ...withParameters({ max_age: "3600" })(correct),
      checkClaims(site, claims, nonce) {
        correct.checkClaims(site, claims, nonce);
        const isRecent = typeof claims.auth_time === "number" && site.now() / 1000 - claims.auth_time < 3660;
        assert(nonce === undefined || isRecent, "the user has not logged in recently");
      },
    }),
  },
  {
    kind: "web",
    name: "asks for single claims, and in which languages",
    source: "OpenID Connect Core §3.1.2.1, §5.5",
    protocol: withParameters({
      claims: JSON.stringify({ id_token: { name: null }, userinfo: { email: { essential: false } } }),
      ui_locales: "de en",
      display: "page",
      prompt: "select_account",
    }),
  },
  {
    kind: "web",
    name: "says nothing about errors, and sends the user to its first page",
    source: "truefoundry/trueforge#687",
    pages: () => ({ errorPage: () => redirect("/?login=failed") }),
  },
  {
    kind: "web",
    name: "responds to the login with JSON",
    source: "OAuth 2.0 for Browser-Based Applications, backend for frontend",
    pages: () => ({
      landing: (_, { target = "/" }, __, cookies) =>
        respond(200, { "content-type": "application/json" }, cookies, JSON.stringify({ isLoggedIn: true, target })),
      errorPage: () => respond(403, { "content-type": "application/json" }, [], `{"isLoggedIn":false}`),
    }),
  },
];
