/** The authorization_code grant (OAuth 2.1 §4.1.3). */

import type { CodeRecord, Entry } from "../../store/store.ts";
import type { Client } from "../clients/repository.ts";
import { OAuthError } from "../errors.ts";
import type { Params } from "../params.ts";
import { proveChallenge } from "../authorize/pkce.ts";
import { narrowResources } from "../authorize/resources.ts";
import type { RejectionRuleId } from "../rules/mod.ts";
import { shelfId } from "../secrets.ts";
import type { Server } from "../server.ts";
import { endFamily, findEnd } from "./family.ts";
import type { Grant } from "./grant.ts";
import { stillRegistered } from "./registered.ts";

/**
 * Redeems a code. A try that fails neither uses the code up nor ends anything, so that nobody can spoil a code they
 * cannot redeem (§7.5.2); a second try that would have succeeded ends all that the first one bought.
 */
export const authorizationCode: Grant = {
  type: "authorization_code",
  async authorize(server, client, params) {
    const code = required(params, "code", "TK-16");
    const redirectUri = required(params, "redirect_uri", "TK-14");
    const id = await shelfId(server, code);
    const entry = await server.store.get("code", id);
    if (entry === undefined) throw unusable("TK-16", "the code is unknown", "a code this server issued", "another one");
    server.held?.("TK-16");
    const kept = entry.value;
    if (kept.clientId !== client.id) {
      throw unusable("CI-05", "the code belongs to another client", `client ${kept.clientId}`, `client ${client.id}`);
    }
    server.held?.("CI-05", client.id);
    proveRedirectUri(kept, redirectUri);
    server.held?.("TK-15", redirectUri);
    await proveChallenge(server, client, kept, params.get("code_verifier"));
    if (entry.spentAt !== undefined) throw await replayed(server, client, entry, entry.spentAt);
    if (server.now() >= kept.validUntil) {
      throw unusable("CI-02", "the code has expired", `before ${clock(kept.validUntil)}`, clock(server.now()));
    }
    server.held?.("CI-02", `valid until ${clock(kept.validUntil)}`);
    const end = await findEnd(server, client, entry);
    if (end !== undefined) throw unusable(end.rule, end.reason!, end.expected!, end.received);
    const granted = stillRegistered(server, client, kept);
    const resources = narrowResources(server, granted.resources, params);
    // The one step that decides a race. Nothing is minted before it, and nothing takes it back: when what follows
    // fails, the code stays used, because a lost answer costs a login and a code redeemed twice costs an account.
    if (!await server.store.spend("code", id, server.now())) throw await replayed(server, client, entry, server.now());
    server.held?.("CI-06");
    const { sub, authTime, sid, nonce, consent, issuedAt: approvedAt } = kept;
    return {
      client,
      scope: granted.scope,
      resources,
      grantedResources: granted.resources,
      family: entry.family!,
      subject: { sub, authTime, sid, approvedAt, nonce, claims: granted.claims, consent },
    };
  },
};

function required(params: Params, name: string, rule: RejectionRuleId): string {
  const value = params.get(name);
  if (value !== undefined) return value;
  throw new OAuthError("invalid_request", `${name} is missing`, {
    rule,
    expected: `${name} with the value of the authorization flow`,
    received: `no ${name}`,
  });
}

function proveRedirectUri(kept: CodeRecord, redirectUri: string): void {
  if (redirectUri === kept.redirectUri) return;
  throw new OAuthError("invalid_grant", "redirect_uri is not the one of the authorization request", {
    rule: "TK-15",
    expected: kept.redirectUri,
    received: redirectUri,
    earlier: `the authorization request of ${clock(kept.issuedAt)}`,
  });
}

/** One sentence for every code that cannot be redeemed, so that a guesser learns nothing; the trace is told which. */
function unusable(
  innerRule: RejectionRuleId,
  reason: string,
  expected: string,
  received?: string,
  earlier?: string,
): OAuthError {
  return new OAuthError("invalid_grant", "code is unknown, expired, used, or was issued to another client", {
    rule: "TK-16",
    innerRule,
    reason,
    expected,
    received,
    earlier,
  });
}

/** Ends everything the code bought: either who redeemed it first or who comes now is a thief (§4.1.3). */
async function replayed(server: Server, client: Client, entry: Entry<CodeRecord>, at: number): Promise<OAuthError> {
  const family = entry.family!;
  const reason = "the code was redeemed twice";
  await endFamily(server, family, reason, server.now() + server.lifetimes.refresh_token * 1000);
  const earlier = `redeemed at ${clock(at)} by client ${client.id}`;
  return unusable("CI-06", reason, "each code once", "a code that was used before", earlier);
}

function clock(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
