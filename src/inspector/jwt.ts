/** JWTs taken apart without being verified, for reading. */

import { jwtPart } from "../recorder/read_request.ts";

/** A JWT's two parts that can be read. */
export interface ReadJwt {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Three parts of base64url, whether or not their encoding is canonical. */
const compactJws = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** `undefined` for anything that is no JWT. */
export function readJwt(token: string): ReadJwt | undefined {
  if (!compactJws.test(token)) return undefined;
  const header = jwtPart(token, 0);
  return header.alg === undefined ? undefined : { header, claims: jwtPart(token, 1) };
}
