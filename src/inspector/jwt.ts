/** Decodes JWTs for display, without verification. */

import { decodeJwtPart } from "../recorder/record_request.ts";

/** Header and claims of a JWT. */
interface DecodedJwt {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Three base64url parts, canonical or not. */
const compactJws = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** `undefined` if the text is not a JWT. */
export function decodeJwt(token: string): DecodedJwt | undefined {
  if (!compactJws.test(token)) return undefined;
  const header = decodeJwtPart(token, 0);
  return header.alg === undefined ? undefined : { header, claims: decodeJwtPart(token, 1) };
}
