/**
 * The check of access tokens that all protected resources share, userinfo among them: where a request may carry a token
 * (RFC 6750 §2), and the proof of the key that it is bound to (RFC 9449 §7). Each resource verifies the token itself.
 */

import { OAuthError } from "../errors.ts";
import type { PassedRuleId, RejectionRuleId } from "../rules/mod.ts";

/** The scheme of access tokens that are bound to a key. The header with the proof of the key has the same name. */
export interface BoundScheme {
  /** Its name, as in `Authorization: DPoP TOKEN`. */
  readonly name: string;
  /** The rule of requests with such tokens. */
  readonly rule: RejectionRuleId & PassedRuleId;
}

/** The content of an `Authorization` header. */
export interface SentToken {
  /** `Bearer`, or the scheme of bound tokens; absent if the header has another one, or is absent. */
  readonly scheme?: string;
  /** The token; absent if it is malformed. */
  readonly token?: string;
}

/**
 * Reads the `Authorization` header of a request to a protected resource.
 *
 * @param bound The scheme of bound tokens. A resource that accepts no proofs of keys does not know it.
 * @throws {OAuthError} `invalid_request` if it has a token of each scheme (RFC 9449 §7.2).
 */
export function readAuthorization(authorization: string | null, bound?: BoundScheme): SentToken {
  const [, name, token] = /^([a-z]+)\b(?: +([a-z0-9._~+/-]+=*)$)?/i.exec(authorization ?? "") ?? [];
  const isScheme = (scheme: string): boolean => name?.toLowerCase() === scheme.toLowerCase();
  const isBearer = isScheme("Bearer");
  if (bound === undefined) return isBearer ? { scheme: "Bearer", token } : {};
  if (!isBearer && !isScheme(bound.name)) return {};
  if (token === undefined && new RegExp(`, *${isBearer ? bound.name : "Bearer"} `, "i").test(authorization!)) {
    throw new OAuthError("invalid_request", "access tokens were sent with two schemes", {
      rule: bound.rule,
      expected: `Authorization: Bearer TOKEN or Authorization: ${bound.name} TOKEN`,
      received: "both",
    });
  }
  return { scheme: isBearer ? "Bearer" : bound.name, token };
}

/** The proofs that a resource accepts. */
export interface AcceptedProofs {
  /** Whether tokens must be bound to a key. */
  readonly required: boolean;
  /** The scheme of bound tokens. */
  readonly scheme: BoundScheme;
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

/**
 * Maximum length of a token that the server issues or accepts, in characters. It fits into a header
 * (`maxHeaderLength`), and with the credentials of a client into a form (`maxBodyBytes`).
 */
export const maxTokenLength = 62 * 1024;

/**
 * The access token of a request to a protected resource, which is not verified yet.
 *
 * @throws {OAuthError} `invalid_request` if it was sent in two places, `invalid_token` without one.
 */
export function requireSentToken(
  authorization: string | null,
  { rule, proofs, other }: TokenRequirement,
): Required<SentToken> {
  const { scheme, token } = readAuthorization(authorization, proofs?.scheme);
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
      ? describeBound(proofs.scheme)
      : `Authorization: Bearer TOKEN${proofs === undefined ? "" : `, or ${proofs.scheme.name} TOKEN`}`,
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

/** The headers of a request with a bound token. */
function describeBound({ name }: BoundScheme): string {
  return `Authorization: ${name} TOKEN, and a proof in the header ${name}`;
}

/**
 * Requires the proof of the key that a valid access token is bound to, and a bound token if the resource demands one.
 *
 * @param scheme The scheme of the request.
 * @param cnf The claim `cnf` of the token.
 * @param proofs The proofs that the resource accepts.
 * @param verify Verifies the proof of the request, and returns the thumbprint of its key. It marks a proof as used only
 *   if this key signed it, so that the holder of one token cannot fill the memory of used proofs with proofs of many
 *   keys.
 * @throws {OAuthError} `invalid_token` if the token is bound but was sent as a bearer token, or is not bound to the key
 *   of the proof; the error of an invalid proof.
 */
export async function assertKeyProven(
  scheme: string,
  cnf: unknown,
  { required, scheme: bound }: AcceptedProofs,
  verify: (boundKey: string) => Promise<string>,
): Promise<void> {
  const { name, rule } = bound;
  if (cnf === undefined && required) {
    throw new OAuthError("invalid_token", "the access token is not bound to a key", {
      rule,
      expected: `a token of token_type ${name}`,
      received: "a bearer token",
    });
  }
  if (scheme === "Bearer") {
    if (cnf === undefined) return;
    throw new OAuthError("invalid_token", "the access token is bound to a key, and was sent without proof", {
      rule,
      expected: describeBound(bound),
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
  throw new OAuthError("invalid_token", `the access token is not bound to the key of the ${name} proof`, {
    rule,
    expected: `a token that is bound to the key ${thumbprint}`,
    received: cnf === undefined ? "a bearer token" : "a token that is bound to another key",
  });
}
