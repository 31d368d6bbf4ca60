/** Access tokens: JWTs (RFC 9068), or opaque if the client or a resource asks for it; issued. `read_access_token.ts` reads them back. */

import { accessTokenClaimNames, accessTokenClaims, assertClaimsSize } from "../claims.ts";
import type { ClaimValues } from "../claims.ts";
import { policyOf } from "../clients/policy.ts";
import type { Authorization } from "../grants/token_request.ts";
import { isPromise, type MaybePromise } from "../maybe_promise.ts";
import { randomId, randomToken, storageKey } from "../secrets.ts";
import type { Server, TokenIssuer } from "../server.ts";
import { currentGeneration } from "../users/generation.ts";
import { identifiersFor } from "../users/subject.ts";
import { generationOfAccessToken } from "./access_token_id.ts";
import { overriddenClaims } from "./claims_context.ts";

/** The claims of an access token (RFC 9068 §2.2). Times in seconds since the epoch. */
export interface AccessTokenClaims {
  readonly iss: string;
  /** The user, or the client if it acts on its own behalf. */
  readonly sub: string;
  readonly aud: string | readonly string[];
  readonly client_id: string;
  /** Absent if the grant has authorization details and no scope. */
  readonly scope?: string;
  readonly iat: number;
  readonly exp: number;
  /** Begins with the id of the grant and a dot, so that revoking the grant revokes the token. */
  readonly jti: string;
  /** When the user was authenticated; absent without a user. */
  readonly auth_time?: number;
  /** The level of authentication that the login reached; absent without one. */
  readonly acr?: string;
  /** The methods of the login (RFC 8176); absent if they are not known. */
  readonly amr?: readonly string[];
  /** The session; absent without a session of the user. */
  readonly sid?: string;
  /** The key that the token is bound to (RFC 7800 §3.1); absent for a bearer token. */
  readonly cnf?: { readonly jkt: string };
  /** Claims that userinfo returns although no scope value releases them. */
  readonly userinfo_claims?: readonly string[];
  /** Requested values by claim; userinfo returns a claim only if it has one of them. */
  readonly userinfo_values?: ClaimValues;
  /** Claims of the user, and of grant types and issuers. */
  readonly [claim: string]: unknown;
}

/** Issues the access token. A JWT is not stored. */
export const accessToken: TokenIssuer = async (server, authorization, now, _issued, { provenKey }) => {
  if (authorization.issue !== undefined) return await authorization.issue(now);
  const { client, subject, claims: requested, scope, grantId, resources, subjectTokenId = grantId } = authorization;
  const { maxLifetimeSeconds = Infinity } = authorization;
  const expiresIn = Math.min(server.settings.lifetimes.access_token, maxLifetimeSeconds);
  const identifying = subject && identifiersFor(server, client, subject);
  const identifiers = isPromise(identifying) ? await identifying : identifying;
  const findingGeneration = userGeneration(server, authorization);
  const generation = isPromise(findingGeneration) ? await findingGeneration : findingGeneration;
  const claims: { -readonly [Name in keyof AccessTokenClaims]: AccessTokenClaims[Name] } = {
    iss: server.issuer,
    sub: identifiers?.sub ?? client.id,
    aud: resources.length === 0 ? server.audience : resources.length === 1 ? resources[0]! : resources,
    client_id: client.id,
    ...scope.length > 0 && { scope: scope.join(" ") },
    iat: now,
    exp: now + expiresIn,
    jti: `${subjectTokenId}.${randomId(server.randomBytes)}${generation === undefined ? "" : `~${generation}`}`,
  };
  if (subject !== undefined) {
    if (subject.authTime !== undefined) claims.auth_time = Math.floor(subject.authTime / 1000);
    if (subject.acr !== undefined) claims.acr = subject.acr;
    if (subject.amr !== undefined) claims.amr = subject.amr;
    if (identifiers?.sid !== undefined) claims.sid = identifiers.sid;
    if (requested?.userinfo.length) claims.userinfo_claims = requested.userinfo;
    const values = requested?.values?.userinfo;
    if (values !== undefined && Object.keys(values).length > 0) claims.userinfo_values = values;
    const names = accessTokenClaimNames(server.claims, resources);
    const user = names.length === 0 ? undefined : await server.users.find(subject.sub);
    if (user !== undefined) {
      const userClaims = accessTokenClaims(server.claims, user, names, scope);
      assertClaimsSize(userClaims);
      Object.assign(claims, userClaims);
    }
  }
  if (provenKey !== undefined) claims.cnf = { jkt: provenKey };
  const { accessTokenClaims: furtherClaims } = authorization;
  const allClaims = furtherClaims === undefined ? claims : { ...furtherClaims, ...claims };
  const issuedClaims = server.overrideClaims === undefined
    ? allClaims
    : await overriddenClaims(server, "access_token", allClaims, authorization);
  // A pairwise subject does not identify the user: a stored token does.
  const fixedValue = server.takeFixedValue?.("access_token");
  const isOpaque = fixedValue !== undefined || client.metadata.access_token_format === "opaque" ||
    client.sector !== undefined ||
    resources.some((uri) => server.resources.isOpaque(uri));
  const creating = isOpaque
    ? storeOpaque(server, fixedValue ?? randomToken(server.randomBytes), issuedClaims, authorization, claims.exp)
    : server.sign("access_token", policyOf(server, client).alg, issuedClaims);
  const token = isPromise(creating) ? await creating : creating;
  const type = provenKey === undefined ? "Bearer" : "DPoP";
  return {
    access_token: token,
    token_type: type,
    expires_in: expiresIn,
    ...claims.scope !== undefined && { scope: claims.scope },
  };
};

/** The generation of the user when the grant was approved, or the exchanged token was issued. */
function userGeneration(
  server: Server,
  { subject, subjectTokenId, grant }: Authorization,
): MaybePromise<string | undefined> {
  if (subject === undefined) return undefined;
  if (subjectTokenId !== undefined) return generationOfAccessToken(subjectTokenId);
  return grant === undefined ? currentGeneration(server, subject.sub) : grant.generation;
}

async function storeOpaque(
  server: Server,
  token: string,
  claims: Readonly<Record<string, unknown>>,
  { grantId, subject }: Authorization,
  exp: number,
): Promise<string> {
  const id = await storageKey(server, token);
  await server.store.put("access_token", id, { claims: { ...claims }, user: subject?.sub }, {
    grantId,
    expiresAt: (typeof claims.exp === "number" ? claims.exp : exp) * 1000,
  });
  return token;
}
