/** The refresh_token grant type (OAuth 2.1 §4.3): rotation; a token that is sent twice revokes its grant. */

import { clockToleranceMs } from "../../http/timers.ts";
import type { RefreshTokenRecord, StoredRecord } from "../../store/store.ts";
import { type Client, policyOf } from "../../clients/clients.ts";
import type { UserClaims } from "../../clients/claims.ts";
import { reject } from "../../rules/reject.ts";
import { storageKey } from "../../keys/secrets.ts";
import { parameters } from "../../http/params.ts";
import type { GrantType, Server } from "../../server.ts";
import { deriveSuccessor, idleExpiresAt, randomSuccessor, successorRecord } from "../tokens/issue_refresh_token.ts";
import { invalidGrantBy, narrowGrant, registeredScope, requireValid } from "./narrow_grant.ts";
import { revokeGrant } from "../../store/grant.ts";
import type { AuthenticatedRequest } from "./authenticated_request.ts";

/** The message of all errors of a refresh token that cannot be used. */
export const unusableToken = "refresh_token is unknown, expired, used, revoked, or another client's";
const invalidGrant = invalidGrantBy("RT-07", unusableToken);

/**
 * Exchanges a refresh token. A failed attempt changes nothing. Only the token's own client can revoke its grant, by
 * sending it twice (§4.3.1).
 */
export const refreshToken: GrantType = {
  type: "refresh_token",
  parameters: parameters({ name: "refresh_token", secret: "refresh_token", linksFlow: true }, "scope"),
  async authorize(server, request) {
    const { client, params } = request;
    const token = params.get("refresh_token");
    if (token === undefined) throw reject("RT-07", { isMissing: true });
    const { id, stored, registered } = await findRefreshToken(server, request, token);
    // A token that was rotated stays consumed, even if the client has become confidential since.
    const rotates = stored.consumedAt !== undefined || await server.grants.rotates(server, client, stored.value);
    const nextToken = rotates ? await successorOf(server, client, token, stored.value) : token;
    if (stored.consumedAt !== undefined) await requireRetry(server, request, stored, nextToken);
    const authorization = await narrowGrant(server, request, stored, registered);
    const scope = await server.grants.refreshScope(server, request, stored, registered);
    server.passed("RT-06", scope.join(" "));
    return {
      ...authorization,
      scope,
      refresh: { token: nextToken },
      async consume() {
        if (rotates) {
          await rotate(server, request, id, stored, nextToken);
          server.passed("RT-04");
        } else await renew(server, id, stored);
        return true;
      },
    };
  },
};

/** A refresh token that is valid, unless it was used before. */
interface FoundRefreshToken {
  /** Its key in the store. */
  readonly id: string;
  readonly stored: StoredRecord<RefreshTokenRecord>;
  /** The part of its scope that is still registered. */
  readonly registered: readonly string[];
}

/**
 * Finds a refresh token of the client, and checks everything but whether it was used before.
 *
 * @throws {OAuthError} `invalid_grant`.
 */
export async function findRefreshToken(
  server: Server,
  request: AuthenticatedRequest,
  token: string,
): Promise<FoundRefreshToken> {
  const id = await storageKey(server, token);
  const stored = await server.store.get("refresh_token", id);
  if (stored === undefined) throw invalidGrant({ rule: "RT-07", isUnknown: true });
  const record = stored.value;
  await server.grants.checkRefreshToken(server, request, record);
  assertNotExpired(server, stored);
  const registered = await requireValid(server, request, stored, invalidGrant);
  server.passed("RT-07", record.validUntil);
  return { id, stored, registered };
}

/** Requires that the client got the refresh token. */
export function checkRefreshToken(
  server: Server,
  { client }: AuthenticatedRequest,
  { grant: { clientId } }: RefreshTokenRecord,
): void {
  if (clientId !== client.id) throw invalidGrant({ rule: "RT-02", issuedTo: clientId, sentBy: client.id });
  server.passed("RT-02", client.id);
}

/** Whether each use of a refresh token replaces it: those of clients that do not authenticate (OAuth 2.1 §4.3.1). */
export function rotates(server: Server, client: Client): boolean {
  return !client.confidential || policyOf(server, client).refresh.rotateConfidential;
}

function assertNotExpired(server: Server, { value, consumedAt }: StoredRecord<RefreshTokenRecord>): void {
  const { validUntil, endsAt } = value;
  const now = server.now();
  if (now >= endsAt) throw invalidGrant({ rule: "RT-07", expired: "grant", validUntil: endsAt, now });
  // A consumed token is a replay, whether it was idle too long or not.
  if (consumedAt === undefined && now >= validUntil) {
    throw invalidGrant({ rule: "RT-07", expired: "token", validUntil, now });
  }
}

/** The token that follows a refresh token. It is not stored yet. */
async function successorOf(
  server: Server,
  client: Client,
  token: string,
  record: RefreshTokenRecord,
): Promise<string> {
  const { grace } = policyOf(server, client).refresh;
  return grace === 0 ? randomSuccessor(server) : await deriveSuccessor(server, token, record);
}

/**
 * Consumes the token and stores its successor.
 *
 * @throws {OAuthError} If another request has consumed it meanwhile, and this one is not a permitted retry.
 */
async function rotate(
  server: Server,
  request: AuthenticatedRequest,
  id: string,
  stored: StoredRecord<RefreshTokenRecord>,
  nextToken: string,
): Promise<void> {
  if (stored.consumedAt === undefined && !await server.store.consume("refresh_token", id, server.now())) {
    await requireRetry(server, request, stored, nextToken);
  }
  await storeSuccessor(server, request, stored, nextToken);
}

/**
 * Requires that the use of a consumed token repeats a request whose response may have been lost.
 *
 * @throws {OAuthError} If it does not. Such a replay revokes the grant.
 */
async function requireRetry(
  server: Server,
  request: AuthenticatedRequest,
  { grantId, consumedAt, value }: StoredRecord<RefreshTokenRecord>,
  nextToken: string,
): Promise<void> {
  const { client } = request;
  const { grace } = policyOf(server, client).refresh;
  if (await isRetry(server, request, grace, nextToken, consumedAt)) return;
  await revokeGrant(server, grantId!, "refresh token used twice", value.endsAt);
  throw invalidGrant({ rule: "RT-04", usedAt: consumedAt ?? server.now(), clientId: client.id });
}

/** Stores the token that follows a refresh token. @param token Default: a random one. */
export async function storeSuccessor(
  server: Server,
  request: AuthenticatedRequest,
  { grantId, value }: Pick<StoredRecord<RefreshTokenRecord>, "grantId" | "value">,
  token = randomSuccessor(server),
): Promise<string> {
  await server.grants.storeRefreshToken(server, request, token, grantId!, successorRecord(server, value));
  return token;
}

/** Keeps the token and restarts its idle time. */
async function renew(
  server: Server,
  id: string,
  { grantId, expiresAt, value }: StoredRecord<RefreshTokenRecord>,
): Promise<void> {
  const renewed = { ...value, validUntil: idleExpiresAt(server, value.endsAt) };
  // If it has changed meanwhile, another request has renewed it.
  await server.store.replace("refresh_token", id, value, renewed, { grantId, expiresAt });
}

/**
 * Whether a response may have been lost: the token was consumed within `refresh.grace`, and its successor never was.
 *
 * @throws {OAuthError} If the request may not use the successor.
 */
async function isRetry(
  server: Server,
  request: AuthenticatedRequest,
  grace: number,
  nextToken: string,
  consumedAt: number | undefined,
): Promise<boolean> {
  if (grace === 0) return false;
  const sinceUse = server.now() - (consumedAt ?? server.now());
  // A use in the future: the clock was set back, so nothing says how long ago it was.
  if (sinceUse >= grace * 1000 || sinceUse < -clockToleranceMs) return false;
  const successor = await server.store.get("refresh_token", await storageKey(server, nextToken));
  if (successor?.consumedAt !== undefined) return false;
  if (successor !== undefined) await server.grants.checkRefreshToken(server, request, successor.value);
  return true;
}

export async function describeRefreshToken(
  server: Server,
  client: Client,
  { grant, validUntil }: RefreshTokenRecord,
): Promise<UserClaims> {
  return {
    iss: server.issuer,
    client_id: client.id,
    sub: (await server.identifiers.issued(server, client, { sub: grant.subject.sub })).sub,
    scope: registeredScope(client, grant.scope).join(" "),
    exp: Math.floor(validUntil / 1000),
  };
}
