/** Redeems refresh tokens (OAuth 2.1 §4.3): rotation, and revocation of the grant when a used token is sent again. */

import type { RefreshTokenRecord, StoredRecord } from "../../store/store.ts";
import type { Client } from "../clients/repository.ts";
import { OAuthError } from "../errors.ts";
import type { Params } from "../params.ts";
import { narrowResources, registeredResources, warnMissingResource } from "../authorize/resources.ts";
import { splitScope } from "../authorize/scope_token.ts";
import { randomToken, storageKey } from "../secrets.ts";
import type { Server } from "../server.ts";
import { deriveSuccessor, idleExpiresAt, storeRefreshToken, successorRecord } from "../tokens/refresh_token.ts";
import { formatTime, invalidGrantErrors } from "./invalid_grant.ts";
import { narrowToRegistered, registeredScope } from "./narrow_to_registered.ts";
import { findInvalidReason, revokeGrant } from "./revoke_grant.ts";
import type { Authorization, TokenRequest } from "./token_request.ts";

const invalidGrant = invalidGrantErrors(
  "RT-07",
  "refresh_token is unknown, expired, used, revoked, or another client's",
);

/**
 * Redeems a refresh token. A failed attempt changes nothing. Only the token's own client can revoke its grant, by sending
 * it twice (§4.3.1).
 *
 * @throws {OAuthError} `invalid_grant`, or `invalid_request` without a token.
 */
export async function redeemRefreshToken(
  server: Server,
  { client, parameters }: TokenRequest,
): Promise<Authorization> {
  const token = parameters.get("refresh_token");
  if (token === undefined) {
    throw new OAuthError("invalid_request", "refresh_token is missing", {
      rule: "RT-07",
      expected: "refresh_token of an earlier response",
      received: "no refresh_token",
    });
  }
  const { id, stored, registered } = await findRefreshToken(server, client, token);
  const record = stored.value;
  const grantedResources = await registeredResources(server, record.resources);
  const { claims } = narrowToRegistered(server, client, record, registered, grantedResources);
  const scope = narrowScope(registered, parameters);
  const resources = await narrowResources(server, grantedResources, parameters);
  // A token that was rotated stays consumed, even if the client has become confidential since.
  const rotates = !client.confidential || server.refresh.rotateConfidential || stored.consumedAt !== undefined;
  server.passed?.("RT-06", scope.join(" "));
  const nextToken = rotates ? await rotate(server, client, id, token, stored) : await renew(server, id, token, stored);
  if (rotates) server.passed?.("RT-04");
  warnMissingResource(server, client, parameters);
  const { sub, authTime, sid, consent } = record;
  return {
    client,
    scope,
    resources,
    grantId: stored.grantId!,
    subject: { sub, authTime, sid, claims, consent },
    refresh: { token: nextToken },
  };
}

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
export async function findRefreshToken(server: Server, client: Client, token: string): Promise<FoundRefreshToken> {
  const id = await storageKey(server, token);
  const stored = await server.store.get("refresh_token", id);
  if (stored === undefined) {
    throw invalidGrant({
      rule: "RT-07",
      reason: "the refresh token is unknown",
      expected: "a refresh token that this server issued",
    });
  }
  const record = stored.value;
  if (record.clientId !== client.id) {
    throw invalidGrant({
      rule: "RT-02",
      reason: "the refresh token belongs to another client",
      expected: `client ${record.clientId}`,
      received: client.id,
    });
  }
  server.passed?.("RT-02", client.id);
  assertNotExpired(server, stored);
  const registered = registeredScope(client, record.scope);
  const invalidReason = await findInvalidReason(server, client, stored, registered);
  if (invalidReason !== undefined) throw invalidGrant(invalidReason);
  server.passed?.("RT-07", `until ${formatTime(record.validUntil)}`);
  return { id, stored, registered };
}

function assertNotExpired(server: Server, { value, consumedAt }: StoredRecord<RefreshTokenRecord>): void {
  const { validUntil, endsAt } = value;
  const now = server.now();
  if (now >= endsAt) {
    throw invalidGrant({
      rule: "RT-07",
      reason: "the grant has expired",
      expected: `before ${formatTime(endsAt)}`,
      received: formatTime(now),
    });
  }
  // A consumed token is a replay, whether it was idle too long or not.
  if (consumedAt === undefined && now >= validUntil) {
    throw invalidGrant({
      rule: "RT-07",
      reason: "the refresh token was unused for too long",
      expected: `before ${formatTime(validUntil)}`,
      received: formatTime(now),
    });
  }
}

/**
 * Consumes the token and stores its successor.
 *
 * @throws {OAuthError} If the token was consumed before and this is no permitted retry: a replay revokes the grant.
 */
async function rotate(
  server: Server,
  client: Client,
  id: string,
  token: string,
  stored: StoredRecord<RefreshTokenRecord>,
): Promise<string> {
  const nextToken = server.refresh.grace === 0
    ? randomToken(server.randomBytes)
    : await deriveSuccessor(token, stored.value);
  const isFirstUse = stored.consumedAt === undefined && await server.store.consume("refresh_token", id, server.now());
  if (!isFirstUse && !await isRetry(server, nextToken, stored.consumedAt)) {
    const reason = "refresh token used twice";
    await revokeGrant(server, stored.grantId!, reason, stored.value.endsAt);
    throw invalidGrant({
      rule: "RT-04",
      reason,
      expected: "the newest refresh token of the grant",
      received: "an older one",
      earlier: `used at ${formatTime(stored.consumedAt ?? server.now())} by client ${client.id}`,
    });
  }
  await storeRefreshToken(server, nextToken, stored.grantId!, successorRecord(server, stored.value));
  return nextToken;
}

/** Keeps the token and restarts its idle time. */
async function renew(
  server: Server,
  id: string,
  token: string,
  stored: StoredRecord<RefreshTokenRecord>,
): Promise<string> {
  const { grantId, expiresAt, value } = stored;
  await server.store.put("refresh_token", id, { ...value, validUntil: idleExpiresAt(server, value.endsAt) }, {
    grantId,
    expiresAt,
  });
  return token;
}

/** Whether a response may have been lost: the token was consumed within `refresh.grace`, and its successor never was. */
async function isRetry(server: Server, nextToken: string, consumedAt: number | undefined): Promise<boolean> {
  if (server.refresh.grace === 0) return false;
  if (server.now() >= (consumedAt ?? server.now()) + server.refresh.grace * 1000) return false;
  return (await server.store.get("refresh_token", await storageKey(server, nextToken)))?.consumedAt === undefined;
}

/** The requested part of the granted scope, for this access token only (§4.3.1). */
function narrowScope(granted: readonly string[], parameters: Params): readonly string[] {
  const requested = parameters.get("scope");
  if (requested === undefined) return granted;
  const tokens = splitScope(requested);
  if (tokens.length > 0 && tokens.every((token) => granted.includes(token))) return tokens;
  throw new OAuthError("invalid_scope", "scope is more than was granted", {
    rule: "RT-06",
    expected: `some of: ${granted.join(" ")}`,
    received: requested,
  });
}
