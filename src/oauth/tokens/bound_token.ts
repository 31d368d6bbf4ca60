/**
 * Access tokens at protected resources: their scheme, and the proof of the key that they are bound to (RFC 9449 §7).
 */

import { OAuthError } from "../errors.ts";

/** The scheme of an access token in the `Authorization` header. */
export type TokenScheme = "Bearer" | "DPoP";

/** The content of an `Authorization` header. */
export interface SentToken {
  /** The scheme; absent if the header has another one, or is absent. */
  readonly scheme?: TokenScheme;
  /** The token; absent if it is malformed. */
  readonly token?: string;
}

/**
 * Reads the `Authorization` header of a request to a protected resource.
 *
 * @param acceptsProofs Whether the resource accepts proofs of keys. One that accepts none does not know the scheme
 *   `DPoP`.
 * @throws {OAuthError} `invalid_request` if it has a token of each scheme (RFC 9449 §7.2).
 */
export function readAuthorization(authorization: string | null, acceptsProofs: boolean): SentToken {
  const [, name, token] = /^(bearer|dpop)\b(?: +([A-Za-z0-9._~+/-]+=*)$)?/i.exec(authorization ?? "") ?? [];
  if (name === undefined) return {};
  const isBearer = name.toLowerCase() === "bearer";
  if (!acceptsProofs) return isBearer ? { scheme: "Bearer", token } : {};
  if (token === undefined && (isBearer ? /, *dpop /i : /, *bearer /i).test(authorization!)) {
    throw new OAuthError("invalid_request", "access tokens were sent with two schemes", {
      rule: "DO-09",
      expected: "Authorization: Bearer TOKEN or Authorization: DPoP TOKEN",
      received: "both",
    });
  }
  return { scheme: isBearer ? "Bearer" : "DPoP", token };
}

/**
 * Requires the proof of the key that an access token is bound to.
 *
 * @param cnf The claim `cnf` of the valid token.
 * @param verify Verifies the proof of the request, and returns the thumbprint of its key. It marks no proof of another
 *   key than this one as used, so that the holder of one token cannot fill the memory of proofs with those of many
 *   keys.
 * @throws {OAuthError} `invalid_token` if the token is bound and was not sent as such, or is not bound to the key of
 *   the proof; `invalid_dpop_proof` for an invalid proof.
 */
export async function assertBinding(
  scheme: TokenScheme,
  cnf: unknown,
  verify: (boundKey: string) => Promise<string>,
): Promise<void> {
  if (scheme === "Bearer") {
    if (cnf === undefined) return;
    throw new OAuthError("invalid_token", "the access token is bound to a key, and was sent without proof", {
      rule: "DO-09",
      expected: "Authorization: DPoP TOKEN, and a proof in the header DPoP",
      received: "a bound token as a bearer token",
    });
  }
  const jkt = (cnf as { readonly jkt?: unknown } | undefined)?.jkt;
  let thumbprint: string;
  try {
    thumbprint = await verify(typeof jkt === "string" ? jkt : "");
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    throw new OAuthError(error.code, error.message, { ...error.details, status: 401 });
  }
  if (jkt === thumbprint) return;
  throw new OAuthError("invalid_token", "the access token is not bound to the key of the DPoP proof", {
    rule: "DO-09",
    expected: `a token that is bound to the key ${thumbprint}`,
    received: cnf === undefined ? "a bearer token" : "a token that is bound to another key",
  });
}
