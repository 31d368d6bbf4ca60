/**
 * A client of FAPI 2.0 for tests: private_key_jwt, pushed requests, DPoP and PKCE, each changeable (groups PF and FS).
 */

import { randomUUID } from "node:crypto";
import type { ClientMetadata, LatchkeyOptions, ProfileName } from "../../src/mod.ts";
import { postForm, type ProofKey, proofKey, signJws, startSeconds, tokenProof } from "./dpop_proofs.ts";
import { challenge, getRedirectParams, testServer, verifier } from "./harness.ts";
import type { Fields, TestServer } from "./harness.ts";

/** The key of the client, with which it signs assertions and requests. */
export const clientKey = await proofKey();

/** Another key. */
export const otherKey = await proofKey();

/** The key of its DPoP proofs. */
export const dpopKey = await proofKey();

export const redirectUri = "https://bank.example/cb";

/** Public keys as a client registers them. */
export function publicKeys(...keys: readonly ProofKey[]): NonNullable<ClientMetadata["jwks"]> {
  return { keys: keys.map(({ publicJwk, alg, thumbprint }) => ({ ...publicJwk, alg, kid: thumbprint })) };
}

/** The metadata of the client. */
export const bank: ClientMetadata = {
  client_id: "bank",
  jwks: publicKeys(clientKey),
  redirect_uris: [redirectUri],
  grant_types: ["authorization_code", "refresh_token", "client_credentials"],
};

/** A server with a profile and the client. */
export function fapiServer(
  options: LatchkeyOptions = {},
  profile: ProfileName = "fapi2-security",
): Promise<TestServer> {
  return testServer({ profile, clients: [bank], alg: undefined, ...options });
}

/** Changes of an assertion; `undefined` removes a member. */
export interface AssertionChanges {
  readonly key?: ProofKey;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** The parameters of client authentication, valid unless changed. */
export function assertion(
  { key = clientKey, header = {}, claims = {} }: AssertionChanges = {},
  seconds = startSeconds,
): Fields {
  const client_assertion = signJws(key, { alg: key.alg, kid: key.thumbprint, ...header }, {
    ...{ iss: "bank", sub: "bank", aud: "https://as.test", jti: randomUUID() },
    ...{ iat: seconds, exp: seconds + 60, ...claims },
  });
  return {
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion,
  };
}

/** The parameters of the authorization request. */
export const request: Fields = {
  client_id: "bank",
  response_type: "code",
  redirect_uri: redirectUri,
  scope: "openid read",
  state: "st4te",
  nonce: "n0nce",
  code_challenge: challenge,
  code_challenge_method: "S256",
};

/** The parameters that carry the signed request, valid unless changed. */
export function signed(
  claims: Readonly<Record<string, unknown>> = {},
  { key = clientKey, header = {} }: { readonly key?: ProofKey; readonly header?: object } = {},
): Fields {
  const names = Object.keys(request).map((name) => [name, undefined]);
  const payload = {
    ...request,
    ...{ response_mode: "jwt", iss: "bank", aud: "https://as.test" },
    ...{ nbf: startSeconds, exp: startSeconds + 300, ...claims },
  };
  const jwt = signJws(key, { alg: key.alg, typ: "oauth-authz-req+jwt", kid: key.thumbprint, ...header }, payload);
  return { ...Object.fromEntries(names), client_id: "bank", request: jwt, ...assertion() };
}

/** POST /oauth2/par with everything in order, changed by the fields given. */
export function push(server: TestServer, fields: Fields = {}, headers: HeadersInit = {}): Promise<Response> {
  return postForm(server, "/oauth2/par", { ...request, ...assertion(), ...fields }, headers);
}

/** GET /oauth2/authorize with a pushed request. */
export async function authorizePushed(server: TestServer, fields: Fields = {}): Promise<Response> {
  const pushed = await (await push(server, fields)).json();
  return await server.get(`/oauth2/authorize?${new URLSearchParams({ client_id: "bank", ...pushed })}`);
}

/** A code for the client. */
export async function fapiCode(server: TestServer, fields: Fields = {}): Promise<string> {
  return getRedirectParams(await authorizePushed(server, fields)).get("code")!;
}

/** POST /oauth2/token with everything in order, changed by the fields and the proof given. */
export function exchangeCode(
  server: TestServer,
  fields: Fields = {},
  headers: HeadersInit = tokenProof(dpopKey),
): Promise<Response> {
  const code = { grant_type: "authorization_code", redirect_uri: redirectUri, code_verifier: verifier };
  return postForm(server, "/oauth2/token", { ...code, ...assertion(), ...fields }, headers);
}
