/**
 * Tokens: issued, and read back.
 *
 * `issueTokens` turns the `Authorization` of a grant type into the token response by the tables of `table.ts`: each
 * row of `issue` adds its members, and claims are added row by row. `read_access_token.ts` reads an access token
 * back, for userinfo, introspection and revocation. Keys and signatures are in `core/keys/`, claims about users in
 * `core/clients/claims.ts`.
 */

import { ProgramError } from "../../rules/program_error.ts";
import type { Subject } from "../../store/store.ts";
import type { AccessTokenClaims } from "./access_token.ts";
import type { Client } from "../../clients/clients.ts";
import { type ClaimRules, claimsForAccessToken, claimsForScope, type UserClaims } from "../../clients/claims.ts";
import type { AuthenticatedRequest, Authorization, TokenResponse } from "../grants/authenticated_request.ts";
import { secondsNow, tokenHash } from "../../keys/jwt.ts";
import type { Server } from "../../server.ts";
import type { IdTokenInput, Issue } from "../steps.ts";

/** The token response for the result of a grant type. */
export async function issueTokens(
  server: Server,
  request: AuthenticatedRequest,
  authorization: Authorization,
): Promise<TokenResponse> {
  const { client, subject, scope, grantId } = authorization;
  const now = secondsNow(server);
  const { beforeIssue, issue, afterIssue } = server.steps;
  for (const { run } of beforeIssue) await run(server, client);
  const response: Partial<TokenResponse> = { ...authorization.responseMembers };
  for (const { run } of issue) Object.assign(response, await run(server, response, authorization, now, request));
  if (authorization.issue === undefined) assertMembers(response, ["access_token", "token_type"], "issue");
  for (const { run } of afterIssue) await run(server, response, authorization, now);
  // Last: the steps read the signed ID token.
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
    grantType: request.params.get("grant_type")!,
  });
  return response as TokenResponse;
}

/** Issues the access token, or the other token that the grant type issues. */
export const issueAccessToken: Issue<Server> = async (server, _issued, authorization, now, request) => {
  if (authorization.issue !== undefined) return await authorization.issue(now);
  const claims = await makeAccessTokenClaims(server, authorization, now, request);
  const token = await server.grants.formatToken(server, authorization, claims, claims.exp);
  return {
    access_token: token,
    token_type: "Bearer",
    expires_in: claims.exp - now,
    ...claims.scope !== undefined && { scope: claims.scope },
  };
};

/** The claims of a new access token (RFC 9068 §2.2). */
async function makeAccessTokenClaims(
  server: Server,
  authorization: Authorization,
  now: number,
  request: AuthenticatedRequest,
): Promise<AccessTokenClaims> {
  const claims: UserClaims = {};
  for (const { run } of server.steps.accessTokenClaims) {
    Object.assign(claims, await run(server, claims, authorization, now, request));
  }
  assertMembers(claims, ["iss", "sub", "aud", "client_id", "iat", "exp", "jti"], "accessTokenClaims");
  return claims as AccessTokenClaims;
}

/** @throws {ProgramError} If a token or a response lacks what each of its kind has. */
function assertMembers(members: UserClaims, required: readonly string[], table: keyof Server["steps"]): void {
  const missing = required.filter((name) => members[name] === undefined);
  if (missing.length === 0) return;
  throw new ProgramError(
    `expected the steps of ${table} to return ${required.join(", ")}, received no ${missing.join(" and no ")}. ` +
      "A step that replaces another, or declares changes, must return them.",
  );
}

/** The claims that the grant type adds to this access token alone. */
export function addClaimsOfGrantType(_server: Server, _claims: UserClaims, { addedClaims }: Authorization): UserClaims {
  return addedClaims ?? {};
}

/** The claims that every access token has (RFC 9068 §2.2). */
export async function addProtocolClaims(
  server: Server,
  _claims: UserClaims,
  authorization: Authorization,
  now: number,
): Promise<UserClaims> {
  const { client, subject, scope } = authorization;
  const { maxLifetimeSeconds = Infinity } = authorization;
  const expiresIn = Math.min(server.policy.lifetimes.access_token, maxLifetimeSeconds);
  const identifiers = subject && await server.identifiers.issued(server, client, subject);
  return {
    iss: server.issuer,
    sub: identifiers?.sub ?? client.id,
    aud: server.audience,
    client_id: client.id,
    ...scope.length > 0 && { scope: scope.join(" ") },
    iat: now,
    exp: now + expiresIn,
    jti: await server.grants.tokenId(server, authorization),
    ...subject?.authTime !== undefined && { auth_time: Math.floor(subject.authTime / 1000) },
    ...identifiers?.sid !== undefined && { sid: identifiers.sid },
  };
}

/** The claims about the user that the settings put into access tokens, or those of `names`. */
export async function addUserClaims(
  server: Server,
  _claims: UserClaims,
  { subject, scope }: Authorization,
  _now?: number,
  _request?: AuthenticatedRequest,
  names: readonly string[] = server.claims.accessToken,
): Promise<UserClaims> {
  const user = subject === undefined || names.length === 0 ? undefined : await server.users.find(subject.sub);
  return user === undefined ? {} : claimsForAccessToken(server.claims, user, names, scope);
}

/** The claims that ID tokens of this server may contain, besides claims about the user. */
export const idTokenClaimNames = ["iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "at_hash", "sid"] as const;

/**
 * Issues the ID token. It contains claims about the user only if they were requested by name for it, or if the server
 * is configured to include them; otherwise userinfo returns them (§5.4).
 */
export const issueIdToken: Issue<Server> = async (server, issued, authorization, now) => {
  const { client, scope, subject } = authorization;
  if (subject === undefined || authorization.issue !== undefined || !scope.includes("openid")) return {};
  const at_hash = issued.access_token && await tokenHash(client.idTokenAlg, issued.access_token);
  return { id_token: await signIdToken(server, { ...authorization, subject }, now, { at_hash }) };
};

/**
 * Signs an ID token.
 *
 * @param content The claims about the user besides claims requested by name. Default: those of the setting.
 */
export async function signIdToken(
  server: Server,
  authorization: Authorization & { readonly subject: Subject },
  now: number,
  hashes: IdTokenInput["hashes"],
  content: ClaimRules["idToken"] = server.claims.idToken,
): Promise<string> {
  const token: IdTokenInput = { ...authorization, content, hashes };
  const claims: UserClaims = {};
  for (const { run } of server.steps.idTokenClaims) Object.assign(claims, await run(server, claims, token, now));
  assertMembers(claims, ["iss", "sub", "aud", "exp", "iat"], "idTokenClaims");
  return await server.grants.formatIdToken(server, authorization, claims);
}

/** The claims of ID tokens that are not about the user (§2). */
export async function addProtocolClaimsOfIdToken(
  server: Server,
  _claims: UserClaims,
  { client, subject, nonce, hashes }: IdTokenInput,
  now: number,
): Promise<UserClaims> {
  const { authTime } = subject;
  const identifiers = await server.identifiers.issued(server, client, subject);
  return {
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
}

/** The claims about a user in an ID token; none if the user was removed. */
export async function addUserClaimsOfIdToken(
  server: Server,
  _claims: UserClaims,
  { client, scope, subject, content }: IdTokenInput,
): Promise<UserClaims> {
  if (content === "minimal") {
    server.observe(server, client.id, "minimal ID token", { clientId: client.id, scope });
    return {};
  }
  const user = await server.users.find(subject.sub);
  return user === undefined ? {} : claimsForScope(server.claims, user, scope);
}

/** What introspection shows of an access token: its claims. A token that is bound to a key is no bearer token. */
export function showClaims(_server: Server, _visible: UserClaims, _client: Client, claims: UserClaims): UserClaims {
  return { token_type: claims.cnf === undefined ? "Bearer" : undefined, ...claims };
}
