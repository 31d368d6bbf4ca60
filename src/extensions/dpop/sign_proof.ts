/** DPoP from the client's side, for the playground (RFC 9449 §4). Loaded only there. */

import { decodeBase64url, encodeBase64url, importPrivateKey, p256KeyFrom } from "../../runtime/crypto.ts";
import { digest, randomId } from "../../oauth/secrets.ts";
import { secondsNow } from "../../oauth/keys/jwt.ts";
import type { Server } from "../../oauth/server.ts";

/** The request that a proof is for. */
interface SignedRequest {
  readonly method: string;
  /** The external URL. */
  readonly url: string;
  /** The access token of the request. Default: none. */
  readonly accessToken?: string;
  /** The nonce of the server. Default: none. */
  readonly nonce?: string;
}

/** The key of a client: ES256, derived from a digest as base64url. */
async function keyFrom(secret: string) {
  const bytes = decodeBase64url(secret);
  // A number of 255 bits is less than the order of the curve.
  bytes[0]! &= 0x7f;
  const { crv, kty, x, y, d } = await p256KeyFrom(bytes);
  return { publicJwk: { crv, kty, x, y }, privateJwk: { crv, kty, x, y, d } };
}

/** The thumbprint of the key (RFC 7638), the value of `dpop_jkt`. */
export async function proofKeyThumbprint(secret: string): Promise<string> {
  // The required members in alphabetical order.
  return await digest(JSON.stringify((await keyFrom(secret)).publicJwk));
}

/** Signs a proof with the key. */
export async function signProof(
  server: Server,
  secret: string,
  { method, url, accessToken, nonce }: SignedRequest,
): Promise<string> {
  const { publicJwk, privateJwk } = await keyFrom(secret);
  const ath = accessToken === undefined ? undefined : await digest(accessToken);
  const parts = [
    { typ: "dpop+jwt", alg: "ES256", jwk: publicJwk },
    { jti: randomId(server.randomBytes), htm: method, htu: url, iat: secondsNow(server), ath, nonce },
  ];
  const input = parts.map((part) => encodeBase64url(JSON.stringify(part))).join(".");
  const sign = await importPrivateKey("ES256", privateJwk);
  return `${input}.${encodeBase64url(await sign(new TextEncoder().encode(input)))}`;
}
