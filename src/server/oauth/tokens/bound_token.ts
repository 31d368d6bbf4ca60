/**
 * The check of access tokens that all protected resources share, userinfo among them: where a request may carry a token
 * (RFC 6750 §2), and the proof of the key that it is bound to (RFC 9449 §7). Each resource verifies the token itself.
 */

import { OAuthError } from "../errors.ts";
import type { RejectionRuleId } from "../rules/mod.ts";

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
 * @param acceptsProofs Whether the resource accepts proofs of keys. A resource that accepts no proofs does not know the
 *   scheme `DPoP`.
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

/** The proofs that a resource accepts. */
export interface AcceptedProofs {
  /** Whether tokens must be bound to a key. */
  readonly required: boolean;
}

/** A place besides the header where a request has a token. */
export interface OtherPlace {
  readonly name: "form" | "query";
  /** The token, if the resource accepts it there. */
  readonly token?: string;
}

/** Whether a URL has an access token in its query, where no resource accepts it (OAuth 2.1 §5.1). */
export function hasTokenInQuery(url: string): boolean {
  return /[?&]access_token=[^&#]/.test(url);
}

/** The requirements for the access token of a request. */
interface TokenRequirement {
  /** The rule of a missing token. */
  readonly rule: RejectionRuleId;
  /** The proofs that the resource accepts; absent: none. */
  readonly proofs?: AcceptedProofs;
  /** The other place; absent if the request has no token there. */
  readonly other?: OtherPlace;
}

/** Maximum length of an access token, in characters. */
const maxTokenLength = 16 * 1024;

/**
 * The access token of a request to a protected resource, which is not verified yet.
 *
 * @throws {OAuthError} `invalid_request` if it was sent in two places, `invalid_token` without one.
 */
export function requireSentToken(
  authorization: string | null,
  { rule, proofs, other }: TokenRequirement,
): Required<SentToken> {
  const { scheme, token } = readAuthorization(authorization, proofs !== undefined);
  const isInForm = other?.token !== undefined;
  if (other !== undefined && (isInForm ? authorization !== null : token !== undefined)) {
    throw new OAuthError("invalid_request", "the access token was sent in two places", {
      rule: "BR-01",
      expected: isInForm ? "the Authorization header or the form, not both" : "the Authorization header only",
      received: `the header and the ${other.name}`,
    });
  }
  const sent = token ?? other?.token;
  if (sent !== undefined && sent.length <= maxTokenLength) return { scheme: scheme ?? "Bearer", token: sent };
  throw new OAuthError("invalid_token", "an access token is required", {
    rule,
    // A request that authenticates in another way has no token either (RFC 6750 §3.1).
    challenge: scheme === undefined && !isInForm ? "bare" : undefined,
    expected: proofs?.required
      ? "Authorization: DPoP TOKEN, and a proof in the header DPoP"
      : `Authorization: Bearer TOKEN${proofs === undefined ? "" : ", or DPoP TOKEN"}`,
    received: sent !== undefined
      ? `a token of ${sent.length} characters`
      : other !== undefined
      ? `a token in the ${other.name}, where it is not accepted`
      : authorization === null
      ? "no token"
      : scheme === undefined
      ? "another Authorization header"
      : "a malformed token",
    fix: other?.name === "query" ? "Send the token in the header Authorization, not in the query." : undefined,
  });
}

/**
 * Requires the proof of the key that a valid access token is bound to, and a bound token if the resource demands one.
 *
 * @param cnf The claim `cnf` of the token.
 * @param proofs The proofs that the resource accepts; absent: none.
 * @param verify Verifies the proof: as in {@link assertBinding}.
 */
export async function assertKeyProven(
  scheme: TokenScheme,
  cnf: unknown,
  proofs: AcceptedProofs | undefined,
  verify: (boundKey: string) => Promise<string>,
): Promise<void> {
  if (cnf === undefined && proofs?.required) {
    throw new OAuthError("invalid_token", "the access token is not bound to a key", {
      rule: "DO-09",
      expected: "a token of token_type DPoP",
      received: "a bearer token",
    });
  }
  if (cnf !== undefined && proofs === undefined) {
    throw new OAuthError("invalid_token", "the access token is bound to a key, and this resource accepts no proofs", {
      rule: "DO-09",
      expected: "a token without cnf",
      received: "a token with cnf",
      fix: "Add dpop: dpopProofs() to the resource, or let the client request tokens without a DPoP proof.",
    });
  }
  await assertBinding(scheme, cnf, verify);
}

/**
 * Requires the proof of the key that an access token is bound to.
 *
 * @param cnf The claim `cnf` of the valid token.
 * @param verify Verifies the proof of the request, and returns the thumbprint of its key. It marks a proof as used only
 *   if this key signed it, so that the holder of one token cannot fill the memory of used proofs with proofs of many
 *   keys.
 * @throws {OAuthError} `invalid_token` if the token is bound but was sent as a bearer token, or is not bound to the key
 *   of the proof; `invalid_dpop_proof` for an invalid proof.
 */
async function assertBinding(
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
    if (!(error instanceof OAuthError) || error.code === "temporarily_unavailable") throw error;
    throw new OAuthError(error.code, error.message, { ...error.details, status: 401 });
  }
  if (jkt === thumbprint) return;
  throw new OAuthError("invalid_token", "the access token is not bound to the key of the DPoP proof", {
    rule: "DO-09",
    expected: `a token that is bound to the key ${thumbprint}`,
    received: cnf === undefined ? "a bearer token" : "a token that is bound to another key",
  });
}
