/** Reads access tokens of this server. */

import { reject } from "../../rules/reject.ts";
import { type Context, requestUrl } from "../../http/context.ts";
import { challenge } from "../../http/message.ts";
import { type OtherPlace, readAuthorization, requireSentToken } from "./sent_token.ts";
import type { ResourceRequest } from "../grants/authenticated_request.ts";
import { findRevoked } from "../../store/grant.ts";
import { isDeeperThan, isObject, isTextList } from "../../http/json_value.ts";
import type { AccessTokenProblem } from "../../rules/openid.ts";
import type { PresentedTokens, Server } from "../../server.ts";
import { type AccessToken, type AccessTokenClaims, revocableIds } from "./access_token.ts";
import { verifyOwnJwt } from "../../keys/verification.ts";
import type { OwnJwtPolicy } from "../../keys/verify_jwt.ts";

/** An access token that is a JWT (RFC 9068 §4). */
const accessTokenPolicy: OwnJwtPolicy = { kind: "access_token" };

/** Access tokens without further proofs (RFC 6750). */
export const bearerTokens: PresentedTokens = {
  read: (_server, authorization) => readAuthorization(authorization),
  schemes: () => ["Bearer"],
  assertHolder(_server, _request, _sent, { cnf }) {
    if (cnf !== undefined) throw reject("BR-02", { isBound: true });
    return {};
  },
  challenge: (_server, _authorization, _status, parameters) => challenge("Bearer", parameters),
};

/** Reads an access token of this server; `undefined` if it is unknown, expired or revoked. */
export async function readAccessToken(server: Server, token: string): Promise<AccessToken | undefined> {
  const read = await checkAccessToken(server, token);
  return typeof read === "string" ? undefined : read;
}

/** Reads an access token of this server; returns the reason if it is not valid. */
export async function checkAccessToken(server: Server, token: string): Promise<AccessToken | AccessTokenProblem> {
  const verified = await server.grants.readToken(server, token);
  if (verified === undefined) return "unreadable";
  const { claims: { jti, exp } } = verified;
  if (!isReadable(verified)) return "unreadable";
  if (server.now() >= exp * 1000) return "unreadable";
  const problem = await server.grants.findTokenProblem(server, verified);
  if (problem !== undefined) return problem;
  const ids = revocableIds(jti);
  const revoked = await findRevoked(server, ids);
  if (revoked === undefined) return verified;
  return revoked.id === ids[0] ? "its grant was revoked" : "the token was revoked";
}

/** Maximum levels of arrays and objects in a claim. Node parses thousands, but cannot serialize them. */
export const maxClaimDepth = 32;

/** Whether the claims that this server reads have their types: test keys are public, so others can sign tokens. */
function isReadable({ claims, audience }: AccessToken): boolean {
  const { jti, client_id, sub, exp, scope = "", cnf = {} } = claims;
  return typeof exp === "number" && isTextList([jti, client_id, sub, scope]) && isTextList(audience) &&
    isObject(cnf) &&
    !isDeeperThan(maxClaimDepth + 1, claims);
}

/** The claims of an access token that is a JWT of this server; `undefined` for any other text. */
export async function verifyAccessToken(
  server: Server,
  token: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  return await verifyOwnJwt(server, token, accessTokenPolicy, { issuer: server.issuer });
}

export async function readJwt(server: Server, token: string): Promise<AccessToken | undefined> {
  const payload = await verifyAccessToken(server, token);
  if (payload === undefined) return undefined;
  const claims = payload as unknown as AccessTokenClaims;
  return { claims, user: userOf(claims), audience: claims.aud === undefined ? [] : [claims.aud].flat() };
}

/** The user of an access token; `undefined` without one. @param sub The subject on this server. */
export function userOf(claims: AccessTokenClaims, sub = claims.sub): string | undefined {
  // A client acts on its own behalf with its id as sub. Only auth_time distinguishes a user with that id.
  return sub === claims.client_id && claims.auth_time === undefined ? undefined : sub;
}

/** What the proof of a key is compared with: method, URL, connection and headers of a request. */
export function resourceRequest(context: Context): ResourceRequest {
  const { request, target } = context;
  return {
    method: request.method,
    url: requestUrl(context),
    connection: target.clientAddress,
    header: (name) => request.headers.get(name),
  };
}

/**
 * The access token of a request to one of this server's own resources.
 *
 * @param other The token in another place than the header, if the request has one there.
 * @param scopes The scope values of which the resource requires one; without them it requires none.
 * @throws {OAuthError} If the token is missing, invalid, for another audience, has too little scope, or its key is not
 *   proven.
 */
export async function requireAccessToken(
  server: Server,
  request: ResourceRequest,
  other: OtherPlace | undefined,
  ...scopes: readonly string[]
): Promise<AccessToken> {
  const { presentedTokens } = server;
  const sent = requireSentToken(request.header("authorization"), {
    missing: (facts, handling) => reject("BR-02", facts, handling),
    read: (authorization) => presentedTokens.read(server, authorization),
    schemes: presentedTokens.schemes(server),
    other,
  });
  const { token } = sent;
  const accessToken = await checkAccessToken(server, token);
  if (typeof accessToken === "string") throw reject("BR-02", { token, problem: accessToken });
  const { audience } = accessToken;
  if (!audience.includes(server.audience)) throw reject("BR-02", { token, audience });
  const headers = await presentedTokens.assertHolder(server, request, sent, accessToken.claims);
  const { scope: granted } = accessToken.claims;
  const values = granted?.split(" ") ?? [];
  const found = scopes.find((scope) => values.includes(scope));
  const [scope] = scopes;
  if (scope !== undefined && found === undefined) throw reject("BR-02", { scope, granted }, { scope });
  server.passed("BR-02", found);
  return { ...accessToken, headers };
}
