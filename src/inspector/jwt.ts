/** Decodes JWTs for display, without verification. */

import { decodeJwtPart } from "../recorder/record_request.ts";
import type { JwtContent } from "../ui/decoded_token.tsx";

/** Three base64url parts, canonical or not. */
const compactJws = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** `undefined` if the text is not a JWT. */
export function decodeJwt(token: string): JwtContent | undefined {
  if (!compactJws.test(token)) return undefined;
  const header = decodeJwtPart(token, 0);
  return header.alg === undefined ? undefined : { header, claims: decodeJwtPart(token, 1) };
}
