/** Verifying JWTs that this server has signed itself (RFC 7519 §7.2). */

import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from "jose";
import type { Server } from "../server.ts";

/** Loaded with the first token that comes back: without one there is nothing to verify. */
let jose: typeof import("jose") | undefined;

/** Canonical base64url: no padding, unused bits zero, so each byte sequence has one encoding (RFC 4648 §3.5). */
const base64urlPart = /(?:[\w-]{4})*(?:[\w-]{4}|[\w-]{2}[AEIMQUYcgkosw048]|[\w-][AQgw])/.source;

/** Three such parts (RFC 7515 §7.1). */
export const compactJws: RegExp = new RegExp(`^${base64urlPart}\\.${base64urlPart}\\.${base64urlPart}$`);

/**
 * The claims of a token that one of this server's keys has signed, and that holds by these options; else `undefined`.
 * Where the keys cannot be looked up, nobody knows whether it is good: then that failure is thrown.
 *
 * @param options Asked for once the token has the form of a JWT; what this throws speaks against the token.
 * @param leewaySeconds Seconds for which a key is accepted after it is no longer published.
 */
export async function verifyOwnJwt(
  { keys }: Server,
  token: string,
  options: () => JWTVerifyOptions,
  leewaySeconds = 0,
): Promise<JWTPayload | undefined> {
  // The library accepts padding and non-zero unused bits, which are other encodings of the same token.
  if (!compactJws.test(token)) return undefined;
  let lookupFailure: unknown;
  const key: JWTVerifyGetKey = async ({ kid, alg }) => {
    const publicKey = await keys.verificationKey(kid, alg, leewaySeconds).catch((failure) =>
      void (lookupFailure = failure)
    );
    if (publicKey === undefined) throw new Error("no key of this server fits");
    return publicKey;
  };
  const { jwtVerify } = jose ??= await import("jose");
  try {
    return (await jwtVerify(token, key, options())).payload;
  } catch {
    if (lookupFailure !== undefined) throw lookupFailure;
    return undefined;
  }
}
