/** The refresh_token grant (OAuth 2.1 §4.3): rotation for public clients, and the family's end when one is used twice. */

import type { RefreshTokenRecord, StoredRecord } from "../../store/store.ts";
import type { Client } from "../clients/repository.ts";
import { OAuthError } from "../errors.ts";
import type { Params } from "../params.ts";
import { narrowResources } from "../authorize/resources.ts";
import type { RejectionRuleId } from "../rules/mod.ts";
import { splitScope } from "../authorize/scope.ts";
import { randomToken, storageKey } from "../secrets.ts";
import type { Server } from "../server.ts";
import { deriveSuccessor, idleExpiresAt, storeRefreshToken, successorRecord } from "../tokens/refresh_token.ts";
import { findInvalidReason, revokeGrant } from "./revoke_grant.ts";
import type { GrantType } from "./grant_type.ts";
import { narrowToRegistered } from "./narrow_to_registered.ts";

/** A failed try spoils nothing: only a token's own client can end its family, by using it twice (§4.3.1). */
export const refreshTokenGrant: GrantType = {
  type: "refresh_token",
  async authorize(server, client, params) {
    const token = params.get("refresh_token");
    if (token === undefined) {
      throw new OAuthError("invalid_request", "refresh_token is missing", {
        rule: "RT-07",
        expected: "refresh_token of an earlier response",
        received: "no refresh_token",
      });
    }
    const id = await storageKey(server, token);
    const stored = await server.store.get("refresh_token", id);
    if (stored === undefined) {
      throw invalidGrant("RT-07", "the refresh token is unknown", "one that this server issued");
    }
    const record = stored.value;
    if (record.clientId !== client.id) {
      throw invalidGrant(
        "RT-02",
        "the refresh token belongs to another client",
        `client ${record.clientId}`,
        client.id,
      );
    }
    server.passed?.("RT-02", client.id);
    await assertActive(server, client, stored);
    server.passed?.("RT-07", `until ${formatTime(record.validUntil)}`);
    const current = narrowToRegistered(server, client, record);
    const scope = narrowScope(current.scope, params);
    const resources = narrowResources(server, current.resources, params);
    // What was used stays used, whatever has become of the client since.
    const rotates = !client.confidential || server.refresh.rotateConfidential || stored.consumedAt !== undefined;
    server.passed?.("RT-06", scope.join(" "));
    const nextToken = rotates
      ? await rotate(server, client, id, token, stored)
      : await renew(server, id, token, stored);
    if (rotates) server.passed?.("RT-04");
    return {
      client,
      scope,
      resources,
      grantId: stored.grantId!,
      subject: {
        sub: record.sub,
        authTime: record.authTime,
        sid: record.sid,
        claims: current.claims,
        consent: record.consent,
      },
      refresh: { token: nextToken },
    };
  },
};

async function assertActive(server: Server, client: Client, stored: StoredRecord<RefreshTokenRecord>): Promise<void> {
  const { validUntil, endsAt } = stored.value;
  const now = server.now();
  if (now >= endsAt) {
    throw invalidGrant("RT-07", "the grant has expired", `before ${formatTime(endsAt)}`, formatTime(now));
  }
  // One that was used comes too late anyway, and is judged as what it is.
  if (stored.consumedAt === undefined && now >= validUntil) {
    throw invalidGrant(
      "RT-07",
      "the refresh token was unused for too long",
      `before ${formatTime(validUntil)}`,
      formatTime(now),
    );
  }
  const invalidReason = await findInvalidReason(server, client, stored);
  if (invalidReason !== undefined) {
    throw invalidGrant(invalidReason.rule, invalidReason.reason!, invalidReason.expected!, invalidReason.received);
  }
}

/** Spends the token and shelves the one that follows; whoever comes second is a replay, unless a retry is allowed. */
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
  const isConsumed = stored.consumedAt === undefined && await server.store.consume("refresh_token", id, server.now());
  if (!isConsumed && !await isRetry(server, nextToken, stored.consumedAt)) {
    const reason = "refresh token used twice";
    await revokeGrant(server, stored.grantId!, reason, stored.value.endsAt);
    const earlier = `used at ${formatTime(stored.consumedAt ?? server.now())} by client ${client.id}`;
    throw invalidGrant("RT-04", reason, "the newest refresh token of the grant", "an older one", earlier);
  }
  await storeRefreshToken(server, nextToken, stored.grantId!, successorRecord(server, stored.value));
  return nextToken;
}

/** Goes on with the same token, whose idle time begins anew. */
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

/** Whether an answer was lost: the token was used a moment ago, and what it was exchanged for never was. */
async function isRetry(server: Server, nextToken: string, consumedAt: number | undefined): Promise<boolean> {
  if (server.refresh.grace === 0) return false;
  if (server.now() >= (consumedAt ?? server.now()) + server.refresh.grace * 1000) return false;
  return (await server.store.get("refresh_token", await storageKey(server, nextToken)))?.consumedAt === undefined;
}

/** Less scope than was granted, for this access token alone (§4.3.1). */
function narrowScope(granted: readonly string[], params: Params): readonly string[] {
  const requested = params.get("scope");
  if (requested === undefined) return granted;
  const tokens = splitScope(requested);
  if (tokens.length > 0 && tokens.every((token) => granted.includes(token))) return tokens;
  throw new OAuthError("invalid_scope", "scope exceeds the granted scope", {
    rule: "RT-06",
    expected: `some of: ${granted.join(" ")}`,
    received: requested,
  });
}

function invalidGrant(
  innerRule: RejectionRuleId,
  reason: string,
  expected: string,
  received?: string,
  earlier?: string,
): OAuthError {
  return new OAuthError("invalid_grant", "refresh_token is unknown, expired, used, revoked, or another client's", {
    rule: "RT-07",
    internalRule: innerRule,
    reason,
    expected,
    received,
    earlier,
  });
}

function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
