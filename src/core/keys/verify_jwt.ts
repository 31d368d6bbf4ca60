/** Verifies JWTs of this server with jose; a module of its own, because only the first such JWT loads it. */

import { jwtVerify, type JWTVerifyGetKey, type JWTVerifyResult } from "jose";
import { signingAlgorithms } from "./signing_algorithm.ts";

/** The requirements for one kind of JWT. `iat` may be in the future: a test can set the clock back. */
export interface OwnJwtPolicy {
  /** Its kind, by `typ` and `jti`. Default: it is not checked. */
  readonly kind?: ReadJwtKind;
  /** The claims that must be present. Default: none. */
  readonly requiredClaims?: readonly string[];
  /** Whether `exp` and `nbf` are not compared with the clock. Default: false. */
  readonly ignoresTimes?: boolean;
}

/** The kinds of JWTs that this server issues and reads again. */
export type ReadJwtKind = "access_token" | "id_token";

export interface ExpectedClaims {
  readonly issuer?: string;
  readonly audience?: string;
}

/**
 * The header and the claims of a JWT that is valid at a time, in milliseconds since the epoch. Its kind is not checked.
 *
 * @throws If no key fits, or the signature, a claim or a time is invalid.
 */
export async function verifyJwt(
  token: string,
  key: JWTVerifyGetKey,
  { requiredClaims = [], ignoresTimes = false }: OwnJwtPolicy,
  { issuer, audience }: ExpectedClaims,
  now: number,
): Promise<JWTVerifyResult> {
  return await jwtVerify(token, key, {
    algorithms: [...signingAlgorithms],
    issuer,
    audience,
    requiredClaims: [...requiredClaims],
    currentDate: new Date(now),
    clockTolerance: ignoresTimes ? Number.MAX_VALUE : 0,
  });
}
