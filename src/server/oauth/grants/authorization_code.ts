/** The authorization_code grant type (OAuth 2.1 §4.1.3). */

import type { CodeRecord, StoredRecord } from "../../../platform/store/store.ts";
import { policyOf } from "../clients/policy.ts";
import type { Client } from "../clients/repository.ts";
import { OAuthError } from "../errors.ts";
import { warn } from "../warn.ts";
import { parameters, type Params } from "../params.ts";
import { verifyCodeVerifier } from "../authorize/pkce.ts";
import { observeResources } from "../authorize/scope.ts";
import { storageKey } from "../secrets.ts";
import type { BoundToKey } from "../tokens/connection_keys.ts";
import type { GrantType, Server } from "../server.ts";
import type { RuleExplanation } from "../trace.ts";
import {
  assertProvenKey,
  explainExpiry,
  findInvalidReason,
  formatTime,
  invalidGrantErrors,
  narrowGrant,
  registeredScope,
  revokeGrant,
} from "./narrow_grant.ts";

const invalidGrant = invalidGrantErrors("TK-16", "code is unknown, expired, used, or was issued to another client");
const boundCode: BoundToKey = { name: "code", rule: "TK-16", invalidGrant };

/**
 * Exchanges a code. A failed attempt neither consumes the code nor revokes anything, so an attacker cannot invalidate a
 * code that they cannot exchange (§7.5.3). A second valid attempt revokes everything issued for the first one.
 */
export const authorizationCode: GrantType = {
  type: "authorization_code",
  title: "Code exchange",
  standing: { from: "unknown" },
  parameters: parameters(
    { name: "code", secret: "code", linksFlow: true },
    "redirect_uri",
    { name: "code_verifier", secret: "code_verifier" },
    { name: "resource", repeatable: true },
  ),
  checks: ["TK-06", "TK-16", "CI-05", "TK-15", "PK-09", "CI-02", "CI-11", "LO-05", "LO-06", "RT-09", "CI-06"],
  async authorize(server, request) {
    const { client, parameters, provenKey } = request;
    const code = parameters.get("code") ?? rejectNoCode(parameters);
    const { tokenRedirectUri, pkce } = policyOf(server, client);
    const redirectUri = tokenRedirectUri === "optional"
      ? parameters.get("redirect_uri")
      : requireRedirectUri(parameters);
    const id = await storageKey(server, code);
    const stored = await server.store.get("code", id);
    if (stored === undefined) {
      throw invalidGrant({
        rule: "TK-16",
        reason: "the code is unknown or has expired",
        expected: `a code that this server issued less than ${policyOf(server, client).lifetimes.code} seconds ago`,
        received: "an unknown code",
      });
    }
    server.passed?.("TK-16");
    const record = stored.value;
    const { clientId } = record.grant;
    if (clientId !== client.id) {
      throw invalidGrant({
        rule: "CI-05",
        reason: "the code belongs to another client",
        expected: `client ${clientId}`,
        received: `client ${client.id}`,
      });
    }
    server.passed?.("CI-05", client.id);
    // Without a code challenge, redirect_uri binds the code to the request.
    const isUnbound = redirectUri === undefined && record.codeChallenge === undefined;
    if (redirectUri !== undefined || isUnbound && !pkce.insecureAllowMissing) {
      assertRedirectUri(record, redirectUri ?? requireRedirectUri(parameters));
      server.passed?.("TK-15", redirectUri);
    }
    await verifyCodeVerifier(server, client, record, parameters.get("code_verifier"));
    if (record.dpopJkt !== undefined) assertProvenKey(server, boundCode, record.dpopJkt, provenKey);
    if (stored.consumedAt !== undefined) {
      throw invalidGrant(await revokeReplayed(server, client, stored, stored.consumedAt));
    }
    if (server.now() >= record.validUntil) {
      throw invalidGrant(explainExpiry(server, "CI-02", "the code has expired", record.validUntil));
    }
    server.passed?.("CI-02", record.validUntil);
    const scope = registeredScope(client, record.grant.scope);
    const invalidReason = await findInvalidReason(server, client, stored, scope);
    if (invalidReason !== undefined) throw invalidGrant(invalidReason);
    const authorization = await narrowGrant(server, request, stored, scope);
    // Atomic: one of several concurrent requests succeeds. Nothing is issued before this point. If a later step fails,
    // the code stays consumed: the user must log in again, but no code is exchanged twice (replay).
    if (!await server.store.consume("code", id, server.now())) {
      throw invalidGrant(await revokeReplayed(server, client, stored, server.now()));
    }
    server.passed?.("CI-06");
    if (isUnbound) warnUnbound(server, client);
    observeResources(server, client, parameters);
    return authorization;
  },
};

/** Rejects a request without a code; the fix of an unknown code would not help. */
function rejectNoCode(parameters: Params): never {
  const isEmpty = parameters.has("code");
  throw new OAuthError("invalid_request", "code is missing or empty", {
    rule: "TK-16",
    expected: "the parameter code that redirect_uri received",
    received: isEmpty ? "an empty code" : "no code",
    fix: "Send as code the parameter code that redirect_uri received: its value, without its name. " +
      "If redirect_uri received the parameter error instead, the login failed: send no token request.",
  });
}

function requireRedirectUri(parameters: Params): string {
  const redirectUri = parameters.get("redirect_uri");
  if (redirectUri !== undefined) return redirectUri;
  throw new OAuthError("invalid_request", "redirect_uri is missing", {
    rule: "TK-14",
    expected: "redirect_uri with the value of the authorization request",
    received: "no redirect_uri",
  });
}

function warnUnbound(server: Server, client: Client): void {
  const provider = server.settings.providers.join(", ") || "pkce.insecureAllowMissing";
  warn(server, client.id, {
    rule: "TK-14",
    reason: `nothing binds the code to the login that asked for it: ${provider} lets this pass; OAuth 2.1 does not`,
    expected: "code_challenge in the authorization request, or redirect_uri in the token request",
    received: "neither",
  });
}

function assertRedirectUri(record: CodeRecord, redirectUri: string): void {
  if (redirectUri === record.redirectUri) return;
  throw new OAuthError("invalid_grant", "redirect_uri does not match the authorization request", {
    rule: "TK-15",
    expected: record.redirectUri,
    received: redirectUri,
    earlier: `the authorization request of ${formatTime(record.grant.approvedAt)}`,
  });
}

/** Revokes the grant of a replayed code: one of the two clients that sent the code is an attacker (§4.1.3). */
async function revokeReplayed(
  server: Server,
  client: Client,
  stored: StoredRecord<CodeRecord>,
  consumedAt: number,
): Promise<RuleExplanation> {
  const reason = "authorization code used twice";
  await revokeGrant(server, stored.grantId!, reason, server.now() + server.settings.lifetimes.refresh_token * 1000);
  return {
    rule: "CI-06",
    reason,
    expected: "each code once",
    received: "a code that was used before",
    earlier: `exchanged at ${formatTime(consumedAt)} by client ${client.id}`,
  };
}
