/** Clients of OpenID Connect for servers: what they say when a login fails. */

import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { fault } from "../../../src/check/fault.ts";
import { type Fault, faults } from "../../../src/testing/mod.ts";
import { verifier } from "../../kit.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { importUntyped } from "../../server/profiles/samples/sample.ts";
import { getRedirectLocation, openBrowser } from "../../server/applications.ts";
import { faultsOf, testMessages } from "./provoke.ts";

const { Issuer } = await importUntyped("openid-client-5");

const redirectUri = "http://localhost:3000/callback";
const as = await testLatchkey({ alg: "RS256" });
const client = as.client({ client_secret: "a-secret-of-32-characters-or-more", redirect_uri: redirectUri });
const { client_id, client_secret } = client;
const { url: issuer } = await as.listen({ port: 0 });
const otherHost = issuer.replace("localhost", "127.0.0.1");

const withFault = faultsOf(as);
const atToken = <T>(fault: Fault, run: () => Promise<T>) => withFault("token", fault, run);
const atAuthorize = <T>(fault: Fault, run: () => Promise<T>) => withFault("authorize", fault, run);

const insecure = { execute: [openid.allowInsecureRequests] };
const config = await openid.discovery(new URL(issuer), client_id, client_secret, undefined, insecure);

/** A login with openid-client 6. */
async function logIn6(checks: object = {}, { scope = "openid", configuration = config } = {}) {
  const url = openid.buildAuthorizationUrl(configuration, {
    ...{ redirect_uri: redirectUri, scope, state: "st4te", nonce: "n0nce", code_challenge_method: "S256" },
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
  });
  const callback = new URL(await getRedirectLocation(await openBrowser()(url)));
  return await openid.authorizationCodeGrant(configuration, callback, {
    ...{ pkceCodeVerifier: verifier, expectedState: "st4te", expectedNonce: "n0nce", ...checks },
  });
}

/** The message of an error without its cause. */
async function messageOf(failing: Promise<unknown>): Promise<string> {
  return await failing.then(() => "no error", ({ message }) => message);
}

function configured(extra: object): openid.Configuration {
  const configuration = new openid.Configuration(config.serverMetadata(), client_id, { client_secret, ...extra });
  openid.allowInsecureRequests(configuration);
  return configuration;
}

async function withSignatures() {
  const configuration = configured({});
  openid.enableNonRepudiationChecks(configuration);
  return await logIn6({}, { configuration });
}

testMessages("openid-client 6", [
  ["only requests to HTTPS are allowed", () => openid.discovery(new URL(issuer), client_id, client_secret)],
  [
    "discovered metadata issuer does not match the expected issuer",
    () => openid.discovery(new URL(otherHost), client_id, client_secret, undefined, insecure),
  ],
  [
    "unexpected HTTP response status code",
    () => openid.discovery(new URL(`${issuer}/realms/none`), client_id, client_secret, undefined, insecure),
  ],
  ['unexpected "state" response parameter value', () => logIn6({ expectedState: "another" })],
  ['unexpected "state" response parameter encountered', () => logIn6({ expectedState: undefined })],
  ['unexpected ID Token "nonce" claim value', () => logIn6({ expectedNonce: "another" })],
  ['JWT "nonce" (nonce) claim missing', () => atToken(faults.idToken.edited({ nonce: null }), () => logIn6())],
  [
    'unexpected JWT "iss" (issuer) claim value',
    () => atToken(faults.idToken.edited({ iss: "https://another.example" }), () => logIn6()),
  ],
  [
    'unexpected JWT "aud" (audience) claim value',
    () => atToken(faults.idToken.edited({ aud: "another-client" }), () => logIn6()),
  ],
  [
    'unexpected JWT "exp" (expiration time) claim value, expiration is past current timestamp',
    () => atToken(fault("id-token/exp-past"), () => logIn6()),
  ],
  ['unexpected JWT "nbf" (not before) claim value', () => atToken(fault("id-token/nbf-future"), () => logIn6())],
  ["JWT signature verification failed", () => atToken(fault("id-token/signed-by-stranger"), withSignatures)],
  [
    "error when selecting a JWT verification key, no applicable keys found",
    () => atToken(fault("id-token/signed-by-stranger", { how: "an unknown kid" }), withSignatures),
  ],
  [
    'unexpected JWT "alg" header parameter',
    () => logIn6({}, { configuration: configured({ id_token_signed_response_alg: "ES256" }) }),
  ],
  [
    'response parameter "iss" (issuer) missing',
    () => atAuthorize(faults.authorizationResponse.edited({ iss: null }), () => logIn6()),
  ],
  [
    'unexpected "iss" (issuer) response parameter value',
    () => atAuthorize(faults.authorizationResponse.edited({ iss: "https://another.example" }), () => logIn6()),
  ],
  ["server responded with an error in the response body", () => logIn6({ pkceCodeVerifier: `${verifier}x` })],
  [
    "authorization response from the server is an error",
    () => atAuthorize(faults.error("server_error"), () => logIn6()),
  ],
  ["invalid response encountered", () => messageOf(logIn6({ expectedState: "another" }))],
  ["unexpected JWT claim value encountered", () => messageOf(logIn6({ expectedNonce: "another" }))],
  [
    "unexpected JSON attribute value encountered",
    async () => messageOf(openid.fetchUserInfo(config, (await logIn6()).access_token, "another")),
  ],
  ['"response" body "id_token" property must be a string', () => logIn6({ idTokenExpected: true }, { scope: "" })],
  [
    'unexpected "response" body "sub" property value',
    async () => await openid.fetchUserInfo(config, (await logIn6()).access_token, "another"),
  ],
  [
    "server responded with a challenge in the WWW-Authenticate HTTP Header",
    () => openid.fetchUserInfo(config, "not-a-token", "alice"),
  ],
]);

const metadata = await oauth.processDiscoveryResponse(new URL(issuer), await discover(issuer));
function discover(url: string): Promise<Response> {
  return oauth.discoveryRequest(new URL(url), { [oauth.allowInsecureRequests]: true });
}
testMessages("oauth4webapi", [
  ["only requests to HTTPS are allowed", () => oauth.discoveryRequest(new URL(issuer))],
  [
    '"response" body "issuer" property does not match the expected value',
    async () => await oauth.processDiscoveryResponse(new URL(otherHost), await discover(otherHost)),
  ],
  [
    '"response" is not a conform Authorization Server Metadata response (unexpected HTTP status code)',
    async () => await oauth.processDiscoveryResponse(new URL(issuer), await discover(`${issuer}/none`)),
  ],
  [
    'response parameter "iss" (issuer) missing',
    () => oauth.validateAuthResponse(metadata, { client_id }, new URLSearchParams("code=1&state=2"), "2"),
  ],
  [
    'unexpected "state" response parameter value',
    () => oauth.validateAuthResponse(metadata, { client_id }, new URLSearchParams({ state: "1", iss: issuer }), "2"),
  ],
]);

// deno-lint-ignore no-explicit-any -- without its types
type Any = any;
const discovered: Any = await Issuer.discover(issuer);
const newClient = (extra: object = {}): Any =>
  new discovered.Client({ client_id, client_secret, redirect_uris: [redirectUri], ...extra });

/** A login with openid-client 5; `params` replaces those of the callback. */
async function logIn5(
  checks: object = {},
  { used = newClient(), scope = "openid", edit = (params: Any) => params } = {},
) {
  const url = used.authorizationUrl({
    ...{ scope, state: "st4te", nonce: "n0nce", code_challenge_method: "S256" },
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  });
  const callback = await getRedirectLocation(await openBrowser()(url));
  const params = edit(used.callbackParams(callback));
  return await used.callback(redirectUri, params, {
    ...{ state: "st4te", nonce: "n0nce", code_verifier: verifier, ...checks },
  });
}

async function userinfo5() {
  const used = newClient();
  const tokens = await logIn5({}, { used });
  return await withFault("userinfo", faults.userinfo.edited({ sub: "another" }), () => used.userinfo(tokens));
}

testMessages("openid-client 5", [
  ["checks.state argument is missing", () => logIn5({ state: undefined })],
  ["state mismatch, expected *, got: *", () => logIn5({ state: "another" })],
  ["nonce mismatch, expected *, got: *", () => logIn5({ nonce: "another" })],
  [
    "unexpected iss value, expected *, got: *",
    () => atToken(faults.idToken.edited({ iss: "https://another.example" }), () => logIn5()),
  ],
  ["aud mismatch, expected *, got: *", () => atToken(faults.idToken.edited({ aud: "another-client" }), () => logIn5())],
  [
    "aud is missing the client_id, expected * to be included in *",
    () => atToken(faults.idToken.edited({ aud: ["one", "two"], azp: client_id }), () => logIn5()),
  ],
  ["JWT expired, now *, exp *", () => atToken(fault("id-token/exp-past"), () => logIn5())],
  ["JWT not active yet, now *, nbf *", () => atToken(fault("id-token/nbf-future"), () => logIn5())],
  ["failed to validate JWT signature", () => atToken(fault("id-token/signed-by-stranger"), () => logIn5())],
  [
    "no valid key found in issuer's jwks_uri for key parameters *",
    () => atToken(fault("id-token/signed-by-stranger", { how: "an unknown kid" }), () => logIn5()),
  ],
  [
    "unexpected JWT alg received, expected *, got: *",
    () => logIn5({}, { used: newClient({ id_token_signed_response_alg: "ES256" }) }),
  ],
  ["at_hash mismatch, expected *, got: *", () => atToken(fault("id-token/at-hash-wrong"), () => logIn5())],
  ["iss missing from the response", () => logIn5({}, { edit: ({ iss: _, ...params }) => params })],
  ["iss mismatch, expected *, got: *", () => logIn5({}, { edit: (params) => ({ ...params, iss: otherHost }) })],
  ["id_token not present in TokenSet", () => logIn5({}, { scope: "" })],
  ["expected 200 OK, got: *", () => withFault("discovery", faults.status(502), () => Issuer.discover(issuer))],
  ["userinfo sub mismatch, expected *, got: *", userinfo5],
  [
    "refresh_token not present in TokenSet",
    async () => await newClient().refresh(Object.assign(await logIn5(), { refresh_token: undefined })),
  ],
]);
