/** Access tokens: JWTs (RFC 9068), or opaque if the client or a resource asks for it; issued and read back. */

import { accessTokenClaimNames, accessTokenClaims, assertClaimsSize } from "../claims.ts";
import type { ClaimValues } from "../claims.ts";
import { isRevoked } from "../grants/revoke_grant.ts";
import { randomId, randomToken, storageKey } from "../secrets.ts";
import type { Server, TokenIssuer } from "../server.ts";
import { sessionIdFor, subjectFor } from "../users/subject.ts";
import { claimsContext } from "./claims_context.ts";
import { verifyOwnJwt } from "./verification.ts";

/** The claims of an access token (RFC 9068 §2.2). Times in seconds since the epoch. */
interface AccessTokenClaims {
  readonly iss: string;
  /** The user, or the client if it acts on its own behalf. */
  readonly sub: string;
  readonly aud: string | readonly string[];
  readonly client_id: string;
  readonly scope: string;
  readonly iat: number;
  readonly exp: number;
  /** Begins with the id of the grant and a dot, so that revoking the grant revokes the token. */
  readonly jti: string;
  /** When the user was authenticated; absent without a user. */
  readonly auth_time?: number;
  /** The session; absent without a session of the user. */
  readonly sid?: string;
  /** Claims that userinfo returns although no scope value releases them. */
  readonly userinfo_claims?: readonly string[];
  /** Requested values by claim; userinfo returns a claim only if it has one of them. */
  readonly userinfo_values?: ClaimValues;
  /** Claims of the user, and of grant types and issuers. */
  readonly [claim: string]: unknown;
}

/** Issues the access token. A JWT is not stored. */
export const accessToken: TokenIssuer = async (server, authorization, now) => {
  if (authorization.issue !== undefined) return await authorization.issue(now);
  const { client, subject, scope, grantId, resources, maxLifetimeSeconds = Infinity } = authorization;
  const expiresIn = Math.min(server.lifetimes.access_token, maxLifetimeSeconds);
  const claims: { -readonly [Name in keyof AccessTokenClaims]: AccessTokenClaims[Name] } = {
    iss: server.issuer,
    sub: subject === undefined ? client.id : await subjectFor(server, client, subject.sub),
    aud: resources.length === 0 ? server.audience : resources.length === 1 ? resources[0]! : resources,
    client_id: client.id,
    scope: scope.join(" "),
    iat: now,
    exp: now + expiresIn,
    jti: `${grantId}.${randomId(server.randomBytes)}`,
  };
  if (subject !== undefined) {
    claims.auth_time = Math.floor(subject.authTime / 1000);
    if (subject.sid !== undefined) claims.sid = await sessionIdFor(server, client, subject.sid);
    if (subject.claims?.userinfo.length) claims.userinfo_claims = subject.claims.userinfo;
    const values = subject.claims?.values?.userinfo;
    if (values !== undefined && Object.keys(values).length > 0) claims.userinfo_values = values;
    const names = accessTokenClaimNames(server.claims, resources);
    const user = names.length === 0 ? undefined : await server.users.find(subject.sub);
    if (user !== undefined) {
      const userClaims = accessTokenClaims(server.claims, user, names, scope);
      assertClaimsSize(userClaims);
      Object.assign(claims, userClaims);
    }
  }
  const { accessTokenClaims: furtherClaims } = authorization;
  const allClaims = furtherClaims === undefined ? claims : { ...furtherClaims, ...claims };
  const issuedClaims = server.overrideClaims === undefined
    ? allClaims
    : server.overrideClaims("access_token", { ...allClaims }, await claimsContext(server, authorization));
  // A pairwise subject does not identify the user: a stored token does.
  const isOpaque = client.accessTokenFormat === "opaque" || client.sector !== undefined ||
    resources.some((uri) => server.resources.isOpaque(uri));
  const token = isOpaque
    ? await storeOpaque(server, issuedClaims, grantId, subject?.sub, claims.exp)
    : await server.sign("access_token", server.alg, issuedClaims);
  return { access_token: token, token_type: "Bearer", expires_in: expiresIn, scope: claims.scope };
};

async function storeOpaque(
  server: Server,
  claims: Readonly<Record<string, unknown>>,
  grantId: string,
  user: string | undefined,
  exp: number,
): Promise<string> {
  const token = randomToken(server.randomBytes);
  await server.store.put("access_token", await storageKey(server, token), { claims: { ...claims }, user }, {
    grantId,
    expiresAt: (typeof claims.exp === "number" ? claims.exp : exp) * 1000,
  });
  return token;
}

/** A valid access token. */
export interface AccessToken {
  readonly claims: AccessTokenClaims;
  /** The `sub` of the user on this server; absent without a user. */
  readonly user?: string;
}

/** Reads an access token of this server; `undefined` if it is unknown, expired or revoked. */
export async function readAccessToken(server: Server, token: string): Promise<AccessToken | undefined> {
  const verified = token.includes(".") ? await verifyJwt(server, token) : await findOpaque(server, token);
  if (verified === undefined) return undefined;
  const { claims, user } = verified;
  if (server.now() >= claims.exp * 1000) return undefined;
  if (await server.clients.findHolder(claims.client_id) === undefined) return undefined;
  if (user !== undefined && await server.users.find(user) === undefined) return undefined;
  const grantId = claims.jti.slice(0, claims.jti.indexOf("."));
  return (await isRevoked(server, grantId, claims.jti)).includes(true) ? undefined : verified;
}

async function verifyJwt(server: Server, token: string): Promise<AccessToken | undefined> {
  const payload = await verifyOwnJwt(server, token, () => ({
    issuer: server.issuer,
    typ: "at+jwt",
    currentDate: new Date(server.now()),
  }));
  if (payload === undefined) return undefined;
  const claims = payload as unknown as AccessTokenClaims;
  return { claims, user: claims.auth_time === undefined ? undefined : claims.sub };
}

async function findOpaque(server: Server, token: string): Promise<AccessToken | undefined> {
  const record = (await server.store.get("access_token", await storageKey(server, token)))?.value;
  return record && { claims: record.claims as unknown as AccessTokenClaims, user: record.user };
}
