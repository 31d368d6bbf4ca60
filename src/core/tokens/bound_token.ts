/**
 * Where a request to a protected resource, userinfo among them, may carry an access token (RFC 6750 §2). Also keys to
 * which tokens are bound: the claim `cnf` (RFC 7800), and keys that the connection of a request proves (RFC 8705).
 */

import type { OAuthError } from "../errors.ts";
import { type Handling, reject } from "../reject.ts";
import type { RuleId } from "../rules/mod.ts";
import type { MissingToken } from "../rules/openid.ts";

/** The scheme of access tokens that are bound to a key. The header with the proof of the key has the same name. */
export interface BoundScheme {
  /** Its name, as in `Authorization: DPoP TOKEN`. */
  readonly name: string;
  readonly rule: RuleId;
  /** The error of a request with a token of each scheme. */
  twoSchemes(): OAuthError;
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
    throw bound.twoSchemes();
  }
  return { scheme: isBearer ? "Bearer" : bound.name, token };
}

export interface AcceptedProofs {
  readonly required: boolean;
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

interface TokenRequirement {
  readonly missing: (facts: MissingToken, handling: Handling) => OAuthError;
  /** The proofs that the resource accepts; absent: none. */
  readonly proofs?: AcceptedProofs;
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
  { missing, proofs, other }: TokenRequirement,
): Required<SentToken> {
  const { scheme, token } = readAuthorization(authorization, proofs?.scheme);
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
    boundScheme: proofs?.scheme.name,
    mustBeBound: proofs?.required === true,
  } as const;
  // A request that authenticates in another way has no token either (RFC 6750 §3.1).
  throw missing(facts, { challenge: scheme === undefined && !isInForm ? "bare" : undefined });
}

/** The key that a token is bound to: one thumbprint, by the name of its kind. */
export interface Confirmation {
  /** The thumbprint of a key that signs proofs (RFC 9449 §6.1). */
  readonly jkt?: string;
  /** The thumbprint of another kind of key. */
  readonly [kind: string]: string | undefined;
}

/** The claim for a key: a thumbprint, or `KIND:THUMBPRINT` if it is no `jkt`. */
export function confirmationOf(provenKey: string): Confirmation {
  const colon = provenKey.lastIndexOf(":");
  return colon < 0 ? { jkt: provenKey } : { [provenKey.slice(0, colon)]: provenKey.slice(colon + 1) };
}

/** @internal The connection of a request. */
export interface Connection {
  /** The address of the trusted proxy that is its peer; absent without one. */
  readonly proxy?: string;
  /** The certificate that its peer presented: DER bytes, or PEM text. Default: none. */
  readonly certificate?: Uint8Array | string;
}

/** The part of a request that a proof of possession by its connection covers. */
export interface ConnectionRequest {
  readonly connection: Connection;
  /** The value of a header; `null` if the request has none of that name. */
  header(name: string): string | null;
}

export interface BoundToKey {
  readonly name: "code" | "refresh token";
  /** Creates the error at a server that accepts no proofs. */
  readonly unprovable: () => OAuthError;
  /** The rule and the message of `invalid_grant` errors, for `invalidGrantBy()`. */
  readonly rule: RuleId;
  readonly message: string;
}

/** @internal How requests prove possession of a key by their connection. Tokens may then be bound to the key. */
export interface ConnectionKeys<Server, Request> {
  /**
   * The key of a token request, as `AuthenticatedRequest.provenKey`; `undefined` if the tokens of its client are not
   * bound to one.
   *
   * @throws {OAuthError} If the request proves no key.
   */
  tokenKey(server: Server, request: Request): Promise<string> | undefined;
  /** The error of a request that does not prove the key of a refresh token. */
  unprovenKey(bound: BoundToKey, expectedKey: string, provenKey: string | undefined): OAuthError;
  /** Whether the claim `cnf` of a token has such a key. */
  isBound(cnf: unknown): boolean;
  /** Requires the key of a token at a protected resource. @throws {OAuthError} `invalid_token`. */
  assertProven(server: Server, request: ConnectionRequest, cnf: unknown): Promise<void>;
}
