/** Verification of JWTs that this server has signed (RFC 7519 §7.2). */

import { hasAlgorithm } from "./signing_algorithm.ts";
import { type HeaderPolicy, secondsNow } from "./jwt.ts";
import { decodeBase64url } from "./crypto.ts";
import type { Server } from "../server.ts";
import type { ExpectedClaims, OwnJwtPolicy, ReadJwtKind } from "./verify_jwt.ts";
import type { JWTPayload, JWTVerifyGetKey } from "jose";

/** Canonical base64url: no padding, unused bits zero, so each byte sequence has one encoding (RFC 4648 §3.5). */
const base64urlPart = /(?:[\w-]{4})*(?:[\w-]{4}|[\w-]{2}[AEIMQUYcgkosw048]|[\w-][AQgw])/.source;
const compactJws = new RegExp(`^${base64urlPart}\\.${base64urlPart}\\.${base64urlPart}$`);

/**
 * Whether a text is a compact JWS (RFC 7515 §7.1) whose three parts are canonical base64url. jose also accepts padding
 * and non-zero unused bits, which are other encodings of the same JWT.
 */
export function isCompactJws(text: string): boolean {
  return compactJws.test(text);
}

/**
 * The claims of a JWT that a key of this server has signed and that is valid by its policy; `undefined` for any other
 * token.
 *
 * @param leewaySeconds Seconds for which a key is accepted after it is no longer published.
 * @throws If the keys cannot be read.
 */
export async function verifyOwnJwt(
  { keys, now, policy }: Server,
  token: string,
  jwtPolicy: OwnJwtPolicy,
  expected: ExpectedClaims,
  leewaySeconds = 0,
): Promise<JWTPayload | undefined> {
  if (!isCompactJws(token)) return undefined;
  let lookupFailure: unknown;
  const key: JWTVerifyGetKey = async ({ kid, alg }) => {
    if (!hasAlgorithm(alg)) throw new Error("this runtime does not have the algorithm");
    const publicKey = await keys.verificationKey(kid, alg, leewaySeconds).catch((failure) =>
      void (lookupFailure = failure)
    );
    if (publicKey === undefined) throw new Error("no key of this server fits");
    return publicKey;
  };
  // Loaded when the first token is verified.
  const { verifyJwt } = await import("./verify_jwt.ts");
  try {
    const { protectedHeader, payload } = await verifyJwt(token, key, jwtPolicy, expected, now());
    return jwtPolicy.kind === undefined || isKind(policy, jwtPolicy.kind, protectedHeader, payload)
      ? payload
      : undefined;
  } catch {
    if (lookupFailure !== undefined) throw lookupFailure;
    return undefined;
  }
}

/**
 * Whether a JWT that a key of this server has signed is of a kind. Access tokens have the `typ` of RFC 9068 §2.1, or
 * the one of the policy, which other kinds may have too: `jti` distinguishes them.
 */
export function isKind(
  { accessTokenTyp }: HeaderPolicy,
  kind: ReadJwtKind,
  { typ }: { readonly typ?: unknown },
  { jti }: { readonly jti?: unknown },
): boolean {
  const type = typ === undefined ? "none" : mediaType(String(typ));
  if (kind === "id_token") return type === "jwt" && !isAccessTokenId(jti);
  return type === "at+jwt" || type === accessTokenTyp.toLowerCase() && isAccessTokenId(jti);
}

/**
 * Whether a `jti` is that of an access token: the ids of a grant and of a token, which no other JWT of this server has.
 * An extension may append more after `~`.
 */
function isAccessTokenId(jti: unknown): boolean {
  return typeof jti === "string" && /^[\w-]{22}(?:\.[\w-]{22})+(?:~.*)?$/.test(jti);
}

/** A `typ` without the differences that do not count: case and the prefix `application/` (RFC 7515 §4.1.9). */
export function mediaType(typ: string): string {
  return typ.toLowerCase().replace(/^application\//, "");
}

/** An ID token as a hint, which may have expired (OpenID Connect Core §3.1.2.1). */
const hintPolicy: OwnJwtPolicy = { kind: "id_token", requiredClaims: ["exp", "iat"], ignoresTimes: true };

/** An earlier login, according to an ID token. */
export interface IdTokenHint {
  readonly sub: string;
  readonly clientId: string;
  readonly sid?: string;
  /** Whether it has expired: an old one may have been found in a log. */
  readonly isExpired: boolean;
}

/**
 * Reads an ID token of this server as a hint: signature and issuer are verified, expiry is not (§3.1.2.1). The issuer
 * may be another name of the server, because the browser and the client may use different names. A key that is no
 * longer published is accepted for the maximum lifetime of a login's tokens only, because it may have been rotated
 * after a leak.
 */
export async function readIdTokenHint(server: Server, token: string): Promise<IdTokenHint | undefined> {
  const { session, refresh_token } = server.policy.lifetimes;
  const leewaySeconds = Math.max(session, refresh_token);
  const payload = await verifyOwnJwt(server, token, hintPolicy, { issuer: issuerOf(server, token) }, leewaySeconds);
  const { sub, aud, sid, exp } = payload ?? {};
  if (typeof sub !== "string" || typeof aud !== "string") return undefined;
  return { sub, clientId: aud, ...typeof sid === "string" && { sid }, isExpired: secondsNow(server) >= exp! };
}

/** The issuer of a token, not verified, if it is a name of this server; otherwise the issuer of this server. */
function issuerOf({ issuer, names }: Server, token: string): string {
  if (names.isIssuer === undefined) return issuer;
  try {
    const { iss } = JSON.parse(new TextDecoder().decode(decodeBase64url(token.split(".")[1]!)));
    return names.isIssuer(iss) ? iss : issuer;
  } catch {
    // Not a JWT, or its issuer is not a URL.
    return issuer;
  }
}
