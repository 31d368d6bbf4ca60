/** Expected responses: status, caching, every JSON member, and valid tokens. */

import { type Connection, getHeader, type RawResponse } from "./connection.ts";
import type { Site } from "./site.ts";

/** A signed token of 256-bit keys or more. */
export const jwt = /^[\w-]{20,}\.[\w-]{100,}\.[\w-]{80,}$/;

/** 256 random bits. */
export const secret = /^[\w-]{43}$/;

/** Error for an invalid response. */
export function unexpectedResponse(expected: string, { head, body }: RawResponse): Error {
  return new Error(`Expected ${expected}, found:\n${head}\n\n${body}`);
}

/**
 * Members of a JSON response. Throws unless it is 200, not cacheable, and has the expected members.
 *
 * @param expected Value of each member, or a pattern if the value is not known before.
 */
export function assertJson<Expected extends Readonly<Record<string, unknown>>>(
  response: RawResponse,
  expected: Expected,
  exact = true,
): { readonly [Name in keyof Expected]: Expected[Name] extends RegExp ? string : Expected[Name] } {
  if (response.status !== 200 || getHeader(response.head, "cache-control") !== "no-store") {
    throw unexpectedResponse("200, not to be cached", response);
  }
  const body = JSON.parse(response.body);
  const names = Object.keys(expected);
  const mismatch = names.find((name) => !matches(body[name], expected[name]));
  if (mismatch !== undefined) throw unexpectedResponse(`${mismatch} to be ${expected[mismatch]}`, response);
  if (exact && Object.keys(body).length !== names.length) {
    throw unexpectedResponse(`${names.join(", ")} and nothing else`, response);
  }
  return body;
}

function matches(value: unknown, expected: unknown): boolean {
  return expected instanceof RegExp ? expected.test(String(value)) : value === expected;
}

/** A token, and its required claims. */
export interface ExpectedToken {
  readonly token: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

const parameters = {
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  EdDSA: { name: "Ed25519" },
};

/** Throws unless a token is signed by a published key and has its claims. */
export type VerifyToken = (signed: ExpectedToken) => Promise<void>;

/** Fetches the published keys of a server. */
export async function tokenVerifier(connection: Connection, { paths }: Site): Promise<VerifyToken> {
  const response = await connection.get(paths.jwks);
  if (response.status !== 200) throw unexpectedResponse("200 from the JWKS endpoint", response);
  const keys = new Map<string, CryptoKey>();
  for (const jwk of JSON.parse(response.body).keys) {
    const algorithm = parameters[jwk.alg as keyof typeof parameters];
    keys.set(jwk.kid, await crypto.subtle.importKey("jwk", jwk, algorithm, false, ["verify"]));
  }

  return async ({ token, claims }) => {
    const [header = "", payload = "", signature = ""] = token.split(".");
    const { alg, kid } = JSON.parse(String(Buffer.from(header, "base64url")));
    const key = keys.get(kid);
    const isValid = key !== undefined && await crypto.subtle.verify(
      parameters[alg as keyof typeof parameters],
      key,
      Buffer.from(signature, "base64url"),
      Buffer.from(`${header}.${payload}`),
    );
    if (!isValid) throw new Error(`Expected a token signed by a published key, found ${token}`);
    const payloadClaims = JSON.parse(String(Buffer.from(payload, "base64url")));
    if (Object.entries(claims).every(([name, value]) => payloadClaims[name] === value)) return;
    throw new Error(`Expected the claims ${JSON.stringify(claims)}, found ${JSON.stringify(payloadClaims)}`);
  };
}
