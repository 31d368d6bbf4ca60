/** The refresh_token grant (OAuth 2.1 §4.3): rotation for public clients, and the family's end when one is used twice. */

import type { Entry, RefreshTokenRecord } from "../../store/store.ts";
import type { Client } from "../clients/repository.ts";
import { OAuthError } from "../errors.ts";
import type { Params } from "../params.ts";
import { narrowResources } from "../authorize/resources.ts";
import type { RejectionRuleId } from "../rules/mod.ts";
import { splitScope } from "../authorize/scope.ts";
import { drawSecret, shelfId } from "../secrets.ts";
import type { Server } from "../server.ts";
import { idleUntil, shelveRefreshToken, succeed, successorOf } from "../tokens/refresh_token.ts";
import { endFamily, findEnd } from "./family.ts";
import type { Grant } from "./grant.ts";
import { stillRegistered } from "./registered.ts";

/** A failed try spoils nothing: only a token's own client can end its family, by using it twice (§4.3.1). */
export const refreshTokenGrant: Grant = {
  type: "refresh_token",
  async authorize(server, client, params) {
    const token = params.get("refresh_token");
    if (token === undefined) {
      throw new OAuthError("invalid_request", "refresh_token is missing", {
        rule: "RT-07",
        expected: "refresh_token with the value of an earlier answer",
        received: "no refresh_token",
      });
    }
    const id = await shelfId(server, token);
    const entry = await server.store.get("refresh_token", id);
    if (entry === undefined) throw unusable("RT-07", "the refresh token is unknown", "one that this server issued");
    const kept = entry.value;
    if (kept.clientId !== client.id) {
      throw unusable("RT-02", "the refresh token belongs to another client", `client ${kept.clientId}`, client.id);
    }
    server.held?.("RT-02", client.id);
    await refuseEnded(server, client, entry);
    server.held?.("RT-07", `until ${clock(kept.validUntil)}`);
    const granted = stillRegistered(server, client, kept);
    const scope = narrow(granted.scope, params);
    const resources = narrowResources(server, granted.resources, params);
    // What was used stays used, whatever has become of the client since.
    const rotates = !client.confidential || server.refresh.rotateConfidential || entry.spentAt !== undefined;
    server.held?.("RT-06", scope.join(" "));
    const next = rotates ? await rotate(server, client, id, token, entry) : await renew(server, id, token, entry);
    if (rotates) server.held?.("RT-04");
    return {
      client,
      scope,
      resources,
      family: entry.family!,
      subject: { sub: kept.sub, authTime: kept.authTime, sid: kept.sid, claims: granted.claims, consent: kept.consent },
      refresh: { token: next },
    };
  },
};

async function refuseEnded(server: Server, client: Client, entry: Entry<RefreshTokenRecord>): Promise<void> {
  const { validUntil, endsAt } = entry.value;
  const now = server.now();
  if (now >= endsAt) throw unusable("RT-07", "the grant has come to its end", `before ${clock(endsAt)}`, clock(now));
  // One that was used comes too late anyway, and is judged as what it is.
  if (entry.spentAt === undefined && now >= validUntil) {
    throw unusable("RT-07", "it lay idle too long", `before ${clock(validUntil)}`, clock(now));
  }
  const end = await findEnd(server, client, entry);
  if (end !== undefined) throw unusable(end.rule, end.reason!, end.expected!, end.received);
}

/** Spends the token and shelves the one that follows; whoever comes second is a replay, unless a retry is allowed. */
async function rotate(
  server: Server,
  client: Client,
  id: string,
  token: string,
  entry: Entry<RefreshTokenRecord>,
): Promise<string> {
  const next = server.refresh.grace === 0 ? drawSecret(server.random) : await successorOf(token, entry.value);
  const won = entry.spentAt === undefined && await server.store.spend("refresh_token", id, server.now());
  if (!won && !await isRetry(server, next, entry.spentAt)) {
    const reason = "a refresh token was used twice";
    await endFamily(server, entry.family!, reason, entry.value.endsAt);
    const earlier = `used at ${clock(entry.spentAt ?? server.now())} by client ${client.id}`;
    throw unusable("RT-04", reason, "the newest refresh token of the grant", "an older one", earlier);
  }
  await shelveRefreshToken(server, next, entry.family!, succeed(server, entry.value));
  return next;
}

/** Goes on with the same token, whose idle time begins anew. */
async function renew(server: Server, id: string, token: string, entry: Entry<RefreshTokenRecord>): Promise<string> {
  const { family, expiresAt, value } = entry;
  await server.store.put("refresh_token", id, { ...value, validUntil: idleUntil(server, value.endsAt) }, {
    family,
    expiresAt,
  });
  return token;
}

/** Whether an answer was lost: the token was used a moment ago, and what it was exchanged for never was. */
async function isRetry(server: Server, next: string, spentAt: number | undefined): Promise<boolean> {
  if (server.refresh.grace === 0) return false;
  if (server.now() >= (spentAt ?? server.now()) + server.refresh.grace * 1000) return false;
  return (await server.store.get("refresh_token", await shelfId(server, next)))?.spentAt === undefined;
}

/** Less scope than was granted, for this access token alone (§4.3.1). */
function narrow(granted: readonly string[], params: Params): readonly string[] {
  const asked = params.get("scope");
  if (asked === undefined) return granted;
  const tokens = splitScope(asked);
  if (tokens.length > 0 && tokens.every((token) => granted.includes(token))) return tokens;
  throw new OAuthError("invalid_scope", "scope asks for more than was granted", {
    rule: "RT-06",
    expected: `some of: ${granted.join(" ")}`,
    received: asked,
  });
}

function unusable(
  innerRule: RejectionRuleId,
  reason: string,
  expected: string,
  received?: string,
  earlier?: string,
): OAuthError {
  return new OAuthError("invalid_grant", "refresh_token is unknown, expired, used, revoked, or another client's", {
    rule: "RT-07",
    innerRule,
    reason,
    expected,
    received,
    earlier,
  });
}

function clock(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
