/** Where a request to a protected resource, userinfo among them, may carry an access token (RFC 6750 §2). */

import type { OAuthError } from "../../rules/errors.ts";
import { type Handling, reject } from "../../rules/reject.ts";
import type { MissingToken } from "../../rules/openid.ts";

/** The content of an `Authorization` header. */
export interface SentToken {
  /** `Bearer`, or another scheme that the resource accepts; absent if the header has another one, or is absent. */
  readonly scheme?: string;
  /** The token; absent if it is malformed. */
  readonly token?: string;
}

/** Reads an `Authorization` header of one scheme; empty for any other header. */
export function readAuthorization(authorization: string | null, scheme = "Bearer"): SentToken {
  const [, name, token] = /^([a-z]+)\b(?: +([a-z0-9._~+/-]+=*)$)?/i.exec(authorization ?? "") ?? [];
  return name?.toLowerCase() === scheme.toLowerCase() ? { scheme, token } : {};
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

interface TokenRequirement {
  readonly missing: (facts: MissingToken, handling: Handling) => OAuthError;
  /** Reads the token in a header. Default: that of a bearer token. */
  readonly read?: (authorization: string | null) => SentToken;
  /** The schemes of the tokens that the resource accepts. Default: `Bearer`. */
  readonly schemes?: readonly string[];
  /** The other place; absent if the request has no token there. */
  readonly other?: OtherPlace;
}

/**
 * Maximum length of a token that a server accepts, and the whole server issues, in characters. It fits into a header
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
  { missing, read = readAuthorization, schemes = ["Bearer"], other }: TokenRequirement,
): Required<SentToken> {
  const { scheme, token } = read(authorization);
  const isInForm = other?.token !== undefined;
  if (other !== undefined && (isInForm ? authorization !== null : token !== undefined)) {
    throw reject("BR-01", { place: other.name, isAccepted: isInForm });
  }
  const sent = token ?? other?.token;
  if (sent !== undefined && sent.length <= maxTokenLength) return { scheme: scheme ?? "Bearer", token: sent };
  const facts = {
    header: authorization === null ? "absent" : scheme === undefined ? "of another scheme" : "malformed",
    place: other?.name,
    tooLong: sent?.length,
    schemes,
  } as const;
  // A request that authenticates in another way has no token either (RFC 6750 §3.1).
  throw missing(facts, { challenge: scheme === undefined && !isInForm ? "bare" : undefined });
}
