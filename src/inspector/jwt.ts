/** JWTs taken apart without being verified, for reading. */

import { decodeJwtPart } from "../recorder/record_request.ts";

/** A JWT's two parts that can be read. */
export interface DecodedJwt {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Three parts of base64url, whether or not their encoding is canonical. */
const compactJws = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** `undefined` for anything that is no JWT. */
export function decodeJwt(token: string): DecodedJwt | undefined {
  if (!compactJws.test(token)) return undefined;
  const header = decodeJwtPart(token, 0);
  return header.alg === undefined ? undefined : { header, claims: decodeJwtPart(token, 1) };
}
