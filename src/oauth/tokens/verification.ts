/** Verification of JWTs that this server has signed (RFC 7519 §7.2). */

import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from "jose";
import type { Server } from "../server.ts";

/** Loaded with the first token to verify. */
let jose: typeof import("jose") | undefined;

/** Canonical base64url: no padding, unused bits zero, so each byte sequence has one encoding (RFC 4648 §3.5). */
const base64urlPart = /(?:[\w-]{4})*(?:[\w-]{4}|[\w-]{2}[AEIMQUYcgkosw048]|[\w-][AQgw])/.source;

/** Three such parts (RFC 7515 §7.1). */
export const compactJws: RegExp = new RegExp(`^${base64urlPart}\\.${base64urlPart}\\.${base64urlPart}$`);

/**
 * The claims of a JWT that a key of this server has signed and that is valid by these options; `undefined` for any
 * other token.
 *
 * @param options Called once the token has the form of a JWT. If it throws, the token is invalid.
 * @param leewaySeconds Seconds for which a key is accepted after it is no longer published.
 * @throws If the keys cannot be read.
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
