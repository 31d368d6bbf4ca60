/** Access tokens: JWTs (RFC 9068), or opaque ones for clients and resources that want them; issued and read back. */

import { accessTokenClaimNames, accessTokenClaims, limitClaims } from "../claims.ts";
import type { ClaimValues } from "../claims.ts";
import { meet } from "../clients/repository.ts";
import { haveEnded } from "../grants/family.ts";
import { findUser } from "../users/guest_user.ts";
import { drawName, drawSecret, shelfId } from "../secrets.ts";
import type { Server } from "../server.ts";
import { sessionFor, subjectFor } from "../users/subject.ts";
import { aboutGrant } from "./issuer.ts";
import type { TokenIssuer } from "./issuer.ts";
import { verifyOwn } from "./verification.ts";

/** What an access token says (RFC 9068 §2.2). Times in seconds since the epoch. */
export interface AccessTokenClaims {
  readonly iss: string;
  /** The user, or the client that acts for itself. */
  readonly sub: string;
  readonly aud: string | readonly string[];
  readonly client_id: string;
  readonly scope: string;
  readonly iat: number;
  readonly exp: number;
  /** Begins with the token's family, so that ending the family ends the token. */
  readonly jti: string;
  /** When the user was authenticated; absent where a client acts for itself. */
  readonly auth_time?: number;
  /** The session, where there is a user. */
  readonly sid?: string;
  /** Claims that the userinfo endpoint shows although no scope asks for them. */
  readonly userinfo_claims?: readonly string[];
  /** Requested values by claim; userinfo returns a claim only if it has one of them. */
  readonly userinfo_values?: ClaimValues;
}

/** Issues the access token. A JWT is not shelved. */
export const accessToken: TokenIssuer = async (server, authorization, now) => {
  const { client, subject, scope, family, resources } = authorization;
  const expiresIn = server.lifetimes.access_token;
  const claims: { -readonly [Name in keyof AccessTokenClaims]: AccessTokenClaims[Name] } = {
    iss: server.issuer,
    sub: subject === undefined ? client.id : await subjectFor(server, client, subject.sub),
    aud: resources.length === 0 ? server.audience : resources.length === 1 ? resources[0]! : resources,
    client_id: client.id,
    scope: scope.join(" "),
    iat: now,
    exp: now + expiresIn,
    jti: `${family}.${drawName(server.random)}`,
  };
  if (subject !== undefined) {
    claims.auth_time = Math.floor(subject.authTime / 1000);
    claims.sid = await sessionFor(server, client, subject.sid);
    if (subject.claims?.userinfo.length) claims.userinfo_claims = subject.claims.userinfo;
    const values = subject.claims?.values?.userinfo;
    if (values !== undefined && Object.keys(values).length > 0) claims.userinfo_values = values;
    const names = accessTokenClaimNames(server.claims, resources);
    const user = names.length === 0 ? undefined : server.users.find(subject.sub);
    if (user !== undefined) {
      const configured = accessTokenClaims(server.claims, user, names, scope);
      limitClaims(configured);
      Object.assign(claims, configured);
    }
  }
  const issued = server.overrideClaims?.("access_token", { ...claims }, aboutGrant(server, authorization)) ?? claims;
  // A pairwise subject can only be led back to the user by what is kept of the token.
  const opaque = client.accessTokenFormat === "opaque" || client.sector !== undefined ||
    resources.some((uri) => server.resources.isOpaque(uri));
  const token = opaque
    ? await shelve(server, issued, family, subject?.sub, claims.exp)
    : await server.sign("access_token", server.alg, issued);
  return { access_token: token, token_type: "Bearer", expires_in: expiresIn, scope: claims.scope };
};

async function shelve(
  server: Server,
  claims: Readonly<Record<string, unknown>>,
  family: string,
  user: string | undefined,
  exp: number,
): Promise<string> {
  const token = drawSecret(server.random);
  await server.store.put("access_token", await shelfId(server, token), { claims: { ...claims }, user }, {
    family,
    expiresAt: (typeof claims.exp === "number" ? claims.exp : exp) * 1000,
  });
  return token;
}

/** An access token that is good. */
export interface AccessToken {
  readonly claims: AccessTokenClaims;
  /** The user it acts for; absent where a client acts for itself. */
  readonly user?: string;
}

/** Reads an access token of this server that is still good: not expired, not revoked. Anything else is `undefined`. */
export async function readAccessToken(server: Server, token: string): Promise<AccessToken | undefined> {
  const read = token.includes(".") ? await verify(server, token) : await look(server, token);
  if (read === undefined) return undefined;
  const { claims, user } = read;
  if (server.now() >= claims.exp * 1000) return undefined;
  await meet(server.clients, claims.client_id);
  if (server.clients.find(claims.client_id) === undefined) return undefined;
  if (user !== undefined && await findUser(server, user) === undefined) return undefined;
  const family = claims.jti.slice(0, claims.jti.indexOf("."));
  return (await haveEnded(server, family, claims.jti)).includes(true) ? undefined : read;
}

async function verify(server: Server, token: string): Promise<AccessToken | undefined> {
  const payload = await verifyOwn(server, token, () => ({
    issuer: server.issuer,
    typ: "at+jwt",
    currentDate: new Date(server.now()),
  }));
  if (payload === undefined) return undefined;
  const claims = payload as unknown as AccessTokenClaims;
  return { claims, user: claims.sid === undefined ? undefined : claims.sub };
}

async function look(server: Server, token: string): Promise<AccessToken | undefined> {
  const kept = (await server.store.get("access_token", await shelfId(server, token)))?.value;
  return kept && { claims: kept.claims as unknown as AccessTokenClaims, user: kept.user };
}
