/** Libraries that verify JWTs: what they say of wrong tokens. */

import express from "express";
import { auth } from "express-oauth2-jwt-bearer";
import * as jose from "jose";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createPublicKey } from "node:crypto";
import * as oauth from "oauth4webapi";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { importUntyped } from "../../server/profiles/samples/sample.ts";
import { testMessages } from "./provoke.ts";

const { default: jsonwebtoken } = await importUntyped("jsonwebtoken");
const { default: passportJwt } = await importUntyped("passport-jwt");

const as = await testLatchkey({ alg: "RS256", audience: "https://api.example" });
const client = as.client({ confidential: true });
const { url: issuer } = await as.listen({ port: 0 });
const jwks = await (await fetch(`${issuer}/oauth2/jwks`)).json();
const keys = jose.createLocalJWKSet(jwks);
const key = jwks.keys.find(({ alg }: { readonly alg: string }) => alg === "RS256");
const pem = createPublicKey({ key, format: "jwk" }).export({ type: "spki", format: "pem" });

const valid = await as.mint.accessToken({ client });
const expired = await as.mint.accessToken({ client, expired: true });
const notYetValid = await as.mint.accessToken({ client, notYetValid: true });
const forged = await as.mint.accessToken({ client, signedBy: "wrong key" });
const unknownKey = await as.mint.accessToken({ client, signedBy: "unknown key" });
const foreign = await as.mint.accessToken({ client, issuer: "https://other.test" });
const early = await as.mint.accessToken({ client, claims: { iat: Math.trunc(Date.now() / 1000) + 900 } });
const idToken = await as.mint.idToken({ client });

const verify = (token: string, options: jose.JWTVerifyOptions = {}) => jose.jwtVerify(token, keys, options);
testMessages("jose", [
  ['unexpected "iss" claim value', () => verify(valid, { issuer: "http://127.0.0.1:9000" })],
  ['unexpected "aud" claim value', () => verify(valid, { audience: "another" })],
  ['unexpected "typ" JWT header value', () => verify(valid, { typ: "JWT" })],
  ['"exp" claim timestamp check failed', () => verify(expired)],
  ['"nbf" claim timestamp check failed', () => verify(notYetValid)],
  ['"iat" claim timestamp check failed (it should be in the past)', () => verify(early, { maxTokenAge: 60 })],
  ["signature verification failed", () => verify(forged)],
  ["no applicable key found in the JSON Web Key Set", () => verify(unknownKey)],
  ['"alg" (Algorithm) Header Parameter value not allowed', () => verify(valid, { algorithms: ["ES256"] })],
  ["Invalid Compact JWS", () => verify("opaque")],
]);

const check = (token: string, options: object = {}) =>
  jsonwebtoken.verify(token, pem, { algorithms: ["RS256"], ...options });
testMessages("jsonwebtoken", [
  ["jwt issuer invalid. expected: *", () => check(valid, { issuer: "http://127.0.0.1:9000" })],
  ["jwt audience invalid. expected: *", () => check(valid, { audience: "another" })],
  ["jwt expired", () => check(expired)],
  ["jwt not active", () => check(notYetValid)],
  ["invalid signature", () => check(forged)],
  ["invalid algorithm", () => check(valid, { algorithms: ["PS256"] })],
  ["jwt malformed", () => check("opaque")],
]);

/** What a strategy of passport-jwt says of a token. */
function authenticate(token?: string, options: object = {}): Promise<string> {
  const strategy = new passportJwt.Strategy(
    { jwtFromRequest: passportJwt.ExtractJwt.fromAuthHeaderAsBearerToken(), secretOrKey: pem, ...options },
    (_: unknown, done: (error: null, user: object) => void) => done(null, {}),
  );
  return new Promise((resolve) => {
    const instance = Object.assign(Object.create(strategy), {
      fail: (failure: unknown) => resolve(String(failure)),
      success: () => resolve("success"),
    });
    instance.authenticate({ headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
  });
}
testMessages("passport-jwt", [
  ["No auth token", () => authenticate()],
  ["jwt expired", () => authenticate(expired)],
  ["jwt audience invalid. expected: *", () => authenticate(valid, { audience: "another" })],
]);

const metadata = await oauth.processDiscoveryResponse(
  new URL(issuer),
  await oauth.discoveryRequest(new URL(issuer), { [oauth.allowInsecureRequests]: true }),
);
const validate = (token: string, audience = "https://api.example", options: object = {}) =>
  oauth.validateJwtAccessToken(
    metadata,
    new Request("https://api.example", { headers: { authorization: `Bearer ${token}` } }),
    audience,
    { [oauth.allowInsecureRequests]: true, ...options },
  );
testMessages("oauth4webapi", [
  ['unexpected JWT "typ" header parameter value', () => validate(idToken)],
  ['unexpected JWT "aud" (audience) claim value', () => validate(valid, "https://other.example")],
  ['unexpected JWT "iss" (issuer) claim value', () => validate(foreign)],
  ['unexpected JWT "exp" (expiration time) claim value, expiration is past current timestamp', () => validate(expired)],
  ['unexpected JWT "nbf" (not before) claim value', () => validate(notYetValid)],
  ["JWT signature verification failed", () => validate(forged)],
  ["error when selecting a JWT verification key, no applicable keys found", () => validate(unknownKey)],
  ['unexpected JWT "alg" header parameter', () => validate(valid, undefined, { signingAlgorithms: ["ES256"] })],
  ["Invalid JWT", () => validate("opaque")],
]);

/** What an API with express-oauth2-jwt-bearer says of a token. */
async function callApi(token: string, options: Parameters<typeof auth>[0] = {}): Promise<string> {
  const app = express();
  app.use(auth({ issuerBaseURL: issuer, audience: "https://api.example", ...options }));
  // deno-lint-ignore no-explicit-any -- what Express passes on
  app.use((error: Error, _request: any, response: any, _next: unknown) => response.send(String(error)));
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const headers = { authorization: `Bearer ${token}` };
    return await (await fetch(`http://localhost:${port}/`, { headers })).text();
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
testMessages("express-oauth2-jwt-bearer", [
  [
    "Unexpected 'iss' value",
    () =>
      callApi(valid, { issuer: "http://other.example", jwksUri: `${issuer}/oauth2/jwks`, issuerBaseURL: undefined }),
  ],
  ["Unexpected 'aud' value", () => callApi(valid, { audience: "another" })],
  ["Unexpected 'typ' value", () => callApi(idToken, { strict: true, audience: client.client_id })],
  ["Unexpected 'alg' value", () => callApi(valid, { tokenSigningAlg: "ES256" })],
  ['"exp" claim timestamp check failed', () => callApi(expired)],
  ["signature verification failed", () => callApi(forged)],
  ["no applicable key found in the JSON Web Key Set", () => callApi(unknownKey)],
]);
