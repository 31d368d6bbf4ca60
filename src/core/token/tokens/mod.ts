/**
 * Tokens: issued, and read back.
 *
 * `issueTokens` turns the `Authorization` of a grant type into the token response. Each issuer of the list adds its
 * members: the access token, then the refresh token, then the ID token. `read_access_token.ts` reads an access token
 * back, for userinfo, introspection and revocation. Keys and signatures are in `core/keys/`, claims about users in
 * `core/clients/claims.ts`.
 */

import type { Subject } from "../../store/store.ts";
import type { AccessTokenClaims } from "./access_token.ts";
import { type ClaimRules, claimsForAccessToken, claimsForScope, type UserClaims } from "../../clients/claims.ts";
import type { AuthenticatedRequest, Authorization, TokenResponse } from "../grants/authenticated_request.ts";
import { secondsNow, tokenHash } from "../../keys/jwt.ts";
import type { Server, TokenIssuer } from "../../server.ts";
import { refreshToken } from "./issue_refresh_token.ts";

/** Issues the access token. */
export const accessToken: TokenIssuer = async (server, authorization, now, _issued, request) => {
  if (authorization.issue !== undefined) return await authorization.issue(now);
  const claims = await server.grants.accessTokenClaims(server, authorization, now, request);
  assertClaims(claims, ["iss", "sub", "aud", "client_id", "iat", "exp", "jti"], "an access token", "accessTokenClaims");
  const token = await server.grants.formatToken(server, authorization, claims, claims.exp);
  return {
    access_token: token,
    token_type: "Bearer",
    expires_in: claims.exp - now,
    ...claims.scope !== undefined && { scope: claims.scope },
  };
};

/**
 * Requires the claims that every token of its kind has.
 *
 * @param source The function of `grants` that returns claims of the token. An extension may have replaced it.
 * @throws {TypeError} If some are missing.
 */
function assertClaims(
  claims: UserClaims | undefined,
  required: readonly string[],
  token: string,
  source: keyof Server["grants"],
): void {
  const missing = required.filter((name) => claims?.[name] === undefined);
  if (missing.length === 0) return;
  throw new TypeError(
    `expected the claims of ${token} to include ${required.join(", ")}, received none of ${missing.join(", ")}. ` +
      `In the extension that replaces ${source} of grants, await the function that it wraps.`,
  );
}

/** The claims of a new access token (RFC 9068 §2.2). */
export async function newTokenClaims(
  server: Server,
  authorization: Authorization,
  now: number,
): Promise<AccessTokenClaims> {
  const { client, subject, scope } = authorization;
  const { maxLifetimeSeconds = Infinity } = authorization;
  const expiresIn = Math.min(server.policy.lifetimes.access_token, maxLifetimeSeconds);
  const identifiers = subject && await server.identifiers.issued(server, client, subject);
  const jti = await server.grants.tokenId(server, authorization);
  const claims: { -readonly [Name in keyof AccessTokenClaims]: AccessTokenClaims[Name] } = {
    iss: server.issuer,
    sub: identifiers?.sub ?? client.id,
    aud: server.audience,
    client_id: client.id,
    ...scope.length > 0 && { scope: scope.join(" ") },
    iat: now,
    exp: now + expiresIn,
    jti,
  };
  if (subject !== undefined) {
    if (subject.authTime !== undefined) claims.auth_time = Math.floor(subject.authTime / 1000);
    if (identifiers?.sid !== undefined) claims.sid = identifiers.sid;
    const names = server.claims.accessToken;
    const user = names.length === 0 ? undefined : await server.users.find(subject.sub);
    if (user !== undefined) Object.assign(claims, claimsForAccessToken(server.claims, user, names, scope));
  }
  return { ...authorization.addedClaims, ...claims };
}

/** The claims that ID tokens of this server may contain, besides claims about the user. */
export const idTokenClaims = ["iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "at_hash", "sid"] as const;

/**
 * Issues the ID token. It contains claims about the user only if they were requested by name for it, or if the server
 * is configured to include them; otherwise userinfo returns them (§5.4).
 */
export const idToken: TokenIssuer = async (server, authorization, now, issued) => {
  const { client, scope, subject } = authorization;
  if (subject === undefined || authorization.issue !== undefined || !scope.includes("openid")) return {};
  const at_hash = await tokenHash(client.idTokenAlg, issued.access_token!);
  return { id_token: await signIdToken(server, { ...authorization, subject }, now, { at_hash }) };
};

/**
 * Signs an ID token.
 *
 * @param hashes The digests of what is issued beside it (OpenID Connect Core §3.1.3.6, §3.3.2.11).
 * @param content The claims about the user besides claims requested by name. Default: those of the setting.
 */
export async function signIdToken(
  server: Server,
  authorization: Authorization & { readonly subject: Subject },
  now: number,
  hashes: { readonly at_hash?: string; readonly c_hash?: string; readonly s_hash?: string },
  content: ClaimRules["idToken"] = server.claims.idToken,
): Promise<string> {
  const { client, subject, nonce } = authorization;
  const { sub, authTime } = subject;
  const identifiers = await server.identifiers.issued(server, client, subject);
  const claims = {
    iss: server.issuer,
    sub: identifiers.sub,
    aud: client.id,
    exp: now + server.policy.lifetimes.id_token,
    iat: now,
    auth_time: authTime && Math.floor(authTime / 1000),
    nonce,
    ...hashes,
    sid: identifiers.sid,
  };
  const ofUser = await server.grants.idTokenClaims(server, authorization, sub, content);
  const all = { ...claims, ...ofUser };
  assertClaims(all, ["iss", "sub", "aud", "exp", "iat"], "an ID token", "idTokenClaims");
  return await server.grants.formatIdToken(server, authorization, all);
}

/** The claims about a user in an ID token; none if the user was removed. */
export async function claimsOfIdToken(
  server: Server,
  { client, scope }: Authorization,
  sub: string,
  content: ClaimRules["idToken"],
): Promise<UserClaims> {
  if (content === "minimal") {
    server.observe(server, client.id, "minimal ID token", { clientId: client.id, scope });
    return {};
  }
  const user = await server.users.find(sub);
  return user === undefined ? {} : claimsForScope(server.claims, user, scope);
}

/** The issuers of every server, in the order in which they run: the ID token contains a digest of the access token. */
export const tokenIssuers: readonly TokenIssuer[] = [accessToken, refreshToken, idToken];

export async function issueTokens(
  server: Server,
  request: AuthenticatedRequest,
  authorization: Authorization,
): Promise<TokenResponse> {
  const { client, subject, scope, grantId } = authorization;
  const now = secondsNow(server);
  const response: Partial<TokenResponse> = { ...authorization.responseMembers };
  for (const issue of server.tokenIssuers) {
    Object.assign(response, await issue(server, authorization, now, response, request));
  }
  // Last: other issuers read the signed ID token.
  const { id_token } = response;
  if (id_token !== undefined) {
    Object.assign(response, { id_token: await server.responses.idToken(server, client, id_token) });
  }
  server.trace({
    type: "tokens_issued",
    at: server.now(),
    client: client.id,
    sub: subject?.sub ?? client.id,
    scope,
    grantId,
    grantType: request.parameters.get("grant_type")!,
  });
  return response as TokenResponse;
}
