/** Another issuer, whose assertions a server under test may trust: its keys, and the assertions it signs. */

import { type CryptoKey, exportJWK, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT } from "jose";
import type { TrustedIssuer } from "../../src/server/extensions/assertion_grants/settings.ts";
import { basicHeader } from "./client_endpoints.ts";
import type { Fields, TestServer } from "../kit.ts";

/** The time at which {@link testServer} starts, in seconds. */
export const startSeconds = Date.UTC(2026, 0, 1) / 1000;

/** Changes of a valid assertion; `undefined` leaves a claim or header out. */
export interface AssertionChange {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly key?: CryptoKey | Uint8Array;
}

/** An issuer with one ES256 key. */
export interface ForeignIssuer {
  readonly issuer: string;
  readonly privateKey: CryptoKey;
  readonly jwk: Readonly<Record<string, unknown>>;
  /** Its entry in `trustedIssuers`, with these members added. */
  entry(more?: Partial<TrustedIssuer>): TrustedIssuer;
  /** An assertion about `sub` for `https://as.test`, valid for five minutes from the start. */
  assertion(sub: string, change?: AssertionChange): Promise<string>;
}

let numbers = 0;

export async function foreignIssuer(issuer = "https://idp.test"): Promise<ForeignIssuer> {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const jwk = { ...await exportJWK(publicKey), kid: "idp-1" };
  return {
    issuer,
    privateKey,
    jwk,
    entry: (more) => ({ issuer, jwks: { keys: [jwk] }, users: "sub", ...more }),
    assertion: (sub, { claims, header, key = privateKey } = {}) =>
      new SignJWT({
        ...{ iss: issuer, sub, aud: "https://as.test", jti: `jti-${numbers++}` },
        ...{ iat: startSeconds, exp: startSeconds + 300 },
        ...claims,
      } as JWTPayload).setProtectedHeader({ alg: "ES256", kid: "idp-1", ...header } as JWTHeaderParameters).sign(key),
  };
}

/** The grant type of assertions. */
export const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** POST /oauth2/token with an assertion: as `client` with its secret, or for `null` with the fields alone. */
export function exchangeAssertion(
  server: TestServer,
  assertion: string | undefined,
  fields: Fields = {},
  client: string | null = "gateway",
): Promise<Response> {
  const headers = client === null ? {} : basicHeader(client);
  return server.post("/oauth2/token", { grant_type: jwtBearer, assertion, ...fields }, headers);
}
