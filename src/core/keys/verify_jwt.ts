/** Verifies JWTs of this server with jose; a module of its own, because only the first such JWT loads it. */

import { jwtVerify } from "jose";
import type { JWTPayload, JWTVerifyGetKey } from "jose";
import { signingAlgorithms } from "./signing_algorithm.ts";

/** The requirements for one kind of JWT. `iat` may be in the future: a test can set the clock back. */
export interface OwnJwtPolicy {
  /** Its `typ`; case and the prefix `application/` are ignored (RFC 7515 §4.1.9). Default: it is not checked. */
  readonly typ?: string;
  /** The claims that must be present. Default: none. */
  readonly requiredClaims?: readonly string[];
  /** Whether `exp` and `nbf` are not compared with the clock. Default: false. */
  readonly ignoresTimes?: boolean;
}

export interface ExpectedClaims {
  readonly issuer?: string;
  readonly audience?: string;
}

/**
 * The claims of a JWT that is valid at a time, in milliseconds since the epoch.
 *
 * @throws If no key fits, or the signature, the type, a claim or a time is invalid.
 */
export async function verifyJwt(
  token: string,
  key: JWTVerifyGetKey,
  { typ, requiredClaims = [], ignoresTimes = false }: OwnJwtPolicy,
  { issuer, audience }: ExpectedClaims,
  now: number,
): Promise<JWTPayload> {
  const { payload } = await jwtVerify(token, key, {
    algorithms: [...signingAlgorithms],
    typ,
    issuer,
    audience,
    requiredClaims: [...requiredClaims],
    currentDate: new Date(now),
    clockTolerance: ignoresTimes ? Number.MAX_VALUE : 0,
  });
  return payload;
}
