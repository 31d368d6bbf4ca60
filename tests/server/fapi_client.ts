/**
 * A client of FAPI 2.0 for tests: private_key_jwt, pushed requests, DPoP and PKCE, each changeable (groups PF and FS).
 */

import type { JwtChanges } from "../../src/client/jwt.ts";
import { signedRequest } from "../../src/client/request_object.ts";
import type { ClientMetadata, LatchkeyOptions, ProfileName } from "../../src/mod.ts";
import { assertionOf, type ClientKey, clientKey, signingContext, startSeconds, tokenProof } from "./client_jwts.ts";
import { challenge, type Fields, getRedirectParams, type TestServer, testServer, verifier } from "../kit.ts";

/** The key of the client, with which it signs assertions and requests. */
export const bankKey = await clientKey();

/** Another key. */
export const otherKey = await clientKey();

/** The key of its DPoP proofs. */
export const dpopKey = await clientKey();

export const redirectUri = "https://bank.example/cb";

/** Public keys as a client registers them. */
export function publicKeys(...keys: readonly ClientKey[]): NonNullable<ClientMetadata["jwks"]> {
  return { keys: keys.map(({ publicJwk, alg, thumbprint }) => ({ ...publicJwk, alg, kid: thumbprint })) };
}

/** The metadata of the client. */
export const bank: ClientMetadata = {
  client_id: "bank",
  jwks: publicKeys(bankKey),
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
export interface AssertionChanges extends JwtChanges {
  readonly key?: ClientKey;
}

/** The parameters of client authentication, valid unless changed. */
export function assertion(
  { key = bankKey, ...changes }: AssertionChanges = {},
  seconds = startSeconds,
): Promise<Fields> {
  return assertionOf("bank", { ...key, kid: key.thumbprint }, changes, signingContext(seconds));
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
export async function signed(
  claims: JwtChanges["claims"] = {},
  { key = bankKey, header }: Omit<AssertionChanges, "claims"> = {},
): Promise<Fields> {
  const names = Object.keys(request).map((name) => [name, undefined]);
  const signer = { ...key, kid: key.thumbprint };
  const params = { ...request, client_id: "bank", response_mode: "jwt" };
  const sent = await signedRequest(signingContext(), signer, params, { header, claims });
  return { ...Object.fromEntries(names), ...sent, ...await assertion() };
}

/** POST /oauth2/par with everything in order, changed by the fields given. */
export async function push(server: TestServer, fields: Fields = {}, headers: HeadersInit = {}): Promise<Response> {
  return server.post("/oauth2/par", { ...request, ...await assertion(), ...fields }, headers);
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
export async function exchangeCode(
  server: TestServer,
  fields: Fields = {},
  headers?: HeadersInit,
): Promise<Response> {
  const code = { grant_type: "authorization_code", redirect_uri: redirectUri, code_verifier: verifier };
  return server.post(
    "/oauth2/token",
    { ...code, ...await assertion(), ...fields },
    headers ?? await tokenProof(dpopKey),
  );
}
