/** The authorization_code grant (OAuth 2.1 §4.1.3). */

import type { CodeRecord, StoredRecord } from "../../store/store.ts";
import type { Client } from "../clients/repository.ts";
import { OAuthError } from "../errors.ts";
import type { Params } from "../params.ts";
import { verifyCodeVerifier } from "../authorize/pkce.ts";
import { narrowResources } from "../authorize/resources.ts";
import type { RejectionRuleId } from "../rules/mod.ts";
import { storageKey } from "../secrets.ts";
import type { Server } from "../server.ts";
import { findInvalidReason, revokeGrant } from "./revoke_grant.ts";
import type { GrantType } from "./grant_type.ts";
import { narrowToRegistered } from "./narrow_to_registered.ts";

/**
 * Redeems a code. A try that fails neither uses the code up nor ends anything, so that nobody can spoil a code they
 * cannot redeem (§7.5.2); a second try that would have succeeded ends all that the first one bought.
 */
export const authorizationCode: GrantType = {
  type: "authorization_code",
  async authorize(server, client, params) {
    const code = requiredParam(params, "code", "TK-16");
    const redirectUri = requiredParam(params, "redirect_uri", "TK-14");
    const id = await storageKey(server, code);
    const stored = await server.store.get("code", id);
    if (stored === undefined) {
      throw invalidGrant("TK-16", "the code is unknown", "a code that this server issued", "an unknown code");
    }
    server.passed?.("TK-16");
    const record = stored.value;
    if (record.clientId !== client.id) {
      throw invalidGrant(
        "CI-05",
        "the code belongs to another client",
        `client ${record.clientId}`,
        `client ${client.id}`,
      );
    }
    server.passed?.("CI-05", client.id);
    assertRedirectUri(record, redirectUri);
    server.passed?.("TK-15", redirectUri);
    await verifyCodeVerifier(server, client, record, params.get("code_verifier"));
    if (stored.consumedAt !== undefined) throw await revokeReplayed(server, client, stored, stored.consumedAt);
    if (server.now() >= record.validUntil) {
      throw invalidGrant(
        "CI-02",
        "the code has expired",
        `before ${formatTime(record.validUntil)}`,
        formatTime(server.now()),
      );
    }
    server.passed?.("CI-02", `valid until ${formatTime(record.validUntil)}`);
    const invalidReason = await findInvalidReason(server, client, stored);
    if (invalidReason !== undefined) {
      throw invalidGrant(invalidReason.rule, invalidReason.reason!, invalidReason.expected!, invalidReason.received);
    }
    const current = narrowToRegistered(server, client, record);
    const resources = narrowResources(server, current.resources, params);
    // The one step that decides a race. Nothing is minted before it, and nothing takes it back: when what follows
    // fails, the code stays used, because a lost answer costs a login and a code redeemed twice costs an account.
    if (!await server.store.consume("code", id, server.now())) {
      throw await revokeReplayed(server, client, stored, server.now());
    }
    server.passed?.("CI-06");
    const { sub, authTime, sid, nonce, consent, issuedAt: approvedAt } = record;
    return {
      client,
      scope: current.scope,
      resources,
      grantedResources: current.resources,
      grantId: stored.grantId!,
      subject: { sub, authTime, sid, approvedAt, nonce, claims: current.claims, consent },
    };
  },
};

function requiredParam(params: Params, name: string, rule: RejectionRuleId): string {
  const value = params.get(name);
  if (value !== undefined) return value;
  throw new OAuthError("invalid_request", `${name} is missing`, {
    rule,
    expected: `${name} of the authorization flow`,
    received: `no ${name}`,
  });
}

function assertRedirectUri(record: CodeRecord, redirectUri: string): void {
  if (redirectUri === record.redirectUri) return;
  throw new OAuthError("invalid_grant", "redirect_uri does not match the authorization request", {
    rule: "TK-15",
    expected: record.redirectUri,
    received: redirectUri,
    earlier: `the authorization request of ${formatTime(record.issuedAt)}`,
  });
}

/** One sentence for every code that cannot be redeemed, so that a guesser learns nothing; the trace is told which. */
function invalidGrant(
  innerRule: RejectionRuleId,
  reason: string,
  expected: string,
  received?: string,
  earlier?: string,
): OAuthError {
  return new OAuthError("invalid_grant", "code is unknown, expired, used, or was issued to another client", {
    rule: "TK-16",
    internalRule: innerRule,
    reason,
    expected,
    received,
    earlier,
  });
}

/** Ends everything the code bought: either who redeemed it first or who comes now is a thief (§4.1.3). */
async function revokeReplayed(
  server: Server,
  client: Client,
  stored: StoredRecord<CodeRecord>,
  at: number,
): Promise<OAuthError> {
  const grantId = stored.grantId!;
  const reason = "authorization code used twice";
  await revokeGrant(server, grantId, reason, server.now() + server.lifetimes.refresh_token * 1000);
  const earlier = `redeemed at ${formatTime(at)} by client ${client.id}`;
  return invalidGrant("CI-06", reason, "each code once", "a code that was used before", earlier);
}

function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
