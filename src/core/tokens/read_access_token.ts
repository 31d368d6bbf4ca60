/** Reads access tokens of this server: verifies the signature of JWTs, and looks up opaque tokens in the store. */

import { findRevoked } from "../grant_revocation.ts";
import { jwtPolicies } from "../keys/jwt_policies.ts";
import type { AccessTokenProblem } from "../rules/openid.ts";
import { storageKey } from "../secrets.ts";
import type { Server } from "../server.ts";
import { type AccessTokenClaims, generationsOfAccessToken, revocableIds } from "./mod.ts";
import { findUser } from "../users/users.ts";
import { verifyOwnJwt } from "../keys/verification.ts";

/** A valid access token. */
export interface AccessToken {
  readonly claims: AccessTokenClaims;
  /** The `sub` of the user on this server; absent without a user. */
  readonly user?: string;
  /** The resources that the token was issued for. */
  readonly audience: readonly string[];
}

/** Three parts: the prefix of an opaque token may have a dot. */
const jwtShape = /^[^.]*\.[^.]*\.[^.]*$/;

/** Reads an access token of this server; `undefined` if it is unknown, expired or revoked. */
export async function readAccessToken(server: Server, token: string): Promise<AccessToken | undefined> {
  const read = await checkAccessToken(server, token);
  return typeof read === "string" ? undefined : read;
}

/** Reads an access token of this server; returns the reason if it is not valid. */
export async function checkAccessToken(server: Server, token: string): Promise<AccessToken | AccessTokenProblem> {
  const verified = jwtShape.test(token) ? await verifyJwt(server, token) : await findOpaque(server, token);
  if (verified === undefined) return "unreadable";
  const { claims: { jti, client_id, exp }, user } = verified;
  if (!hasRequiredClaims(verified.claims)) return "unreadable";
  if (server.now() >= exp * 1000) return "unreadable";
  const generations = generationsOfAccessToken(jti);
  const client = await server.clients.findHolder(client_id);
  if (client === undefined || client.generation !== generations.client) return "the client was removed";
  if (user !== undefined && await findUser(server, user, generations.user) === undefined) {
    return "the user was removed";
  }
  const ids = revocableIds(jti);
  const revoked = await findRevoked(server, ids);
  if (revoked === undefined) return verified;
  return revoked.id === ids[0] ? "its grant was revoked" : "the token was revoked";
}

/** Whether the claims that this server reads have their types: a test can issue or mint a token that lacks some. */
function hasRequiredClaims({ jti, client_id, sub, exp, scope }: Partial<AccessTokenClaims>): boolean {
  return [jti, client_id, sub, scope ?? ""].every((claim) => typeof claim === "string") && typeof exp === "number";
}

async function verifyJwt(server: Server, token: string): Promise<AccessToken | undefined> {
  const payload = await verifyOwnJwt(server, token, jwtPolicies.access_token, () => ({ issuer: server.issuer }));
  if (payload === undefined) return undefined;
  const { claims, sub, audience } = asIssued(server, payload);
  // A client acts on its own behalf with its id as sub. Only auth_time distinguishes a user with that id.
  const isClient = sub === claims.client_id && claims.auth_time === undefined;
  return { claims, user: isClient ? undefined : sub, audience };
}

/** The claims that the server reads, with the issued values of those that are changed in the token. */
function asIssued(server: Server, payload: Readonly<Record<string, unknown>>) {
  const issued = server.claimChange?.original?.(payload);
  const claims = { ...payload, ...issued?.others } as unknown as AccessTokenClaims;
  const { sub, aud = issued && server.audience } = issued ?? claims;
  return { claims, sub, audience: aud === undefined ? [] : [aud].flat() };
}

async function findOpaque(server: Server, token: string): Promise<AccessToken | undefined> {
  const record = (await server.store.get("access_token", await storageKey(server, token)))?.value;
  if (record === undefined) return undefined;
  const { claims, audience } = asIssued(server, record.claims);
  return { claims, user: record.user, audience };
}
