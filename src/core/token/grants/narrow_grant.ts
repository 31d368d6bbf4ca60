/** A grant at a token request: what of it is still registered, and why it is invalid. */

import type { GrantRecord, StoredRecord, Subject } from "../../store/store.ts";
import { clientSessionId, findRevoked } from "../../store/grant.ts";
import type { Client } from "../../clients/clients.ts";
import { OAuthError } from "../../rules/errors.ts";
import type { BrokenRule } from "../../rules/reject.ts";
import type { coreRules, RuleId } from "../../rules/mod.ts";
import type { Server } from "../../server.ts";
import type { AuthenticatedRequest, Authorization } from "./authenticated_request.ts";
import type { InvalidReason } from "./grant_functions.ts";

/** The granted scope values that the client may still request. */
export function registeredScope(client: Client, granted: readonly string[]): readonly string[] {
  return granted.filter((token) => client.allowsScope(token));
}

/**
 * The authorization for a grant: the configuration may have changed since the approval, so scope values that are no
 * longer registered are left out, and each step of the table `narrowed` may leave out more.
 *
 * @param scope The part of the granted scope that is still registered.
 */
export async function narrowGrant(
  server: Server,
  request: AuthenticatedRequest,
  stored: StoredRecord<GrantRecord>,
  scope: readonly string[],
): Promise<Authorization> {
  const { client } = request;
  const { grantId, value: { grant, nonce } } = stored;
  const isRegistered = scope.length === grant.scope.length;
  if (isRegistered) {
    server.passed("RT-09", scope.join(" "));
  } else {
    server.observe(server, client.id, "RT-09", { registered: scope, granted: grant.scope });
  }
  let authorization: Authorization = {
    client,
    scope,
    subject: grant.subject,
    nonce,
    grantId: grantId!,
    grant: isRegistered ? grant : { ...grant, scope },
    extensions: grant.extensions,
  };
  for (const { run } of server.steps.narrowed) authorization = await run(server, authorization, request, stored);
  return authorization;
}

/**
 * Creates the function for the `invalid_grant` errors of one grant type. All of them have the same description, so that
 * guessing codes or tokens reveals nothing. Only the trace contains the broken rule, and on test hosts the response.
 */
export function invalidGrantBy<Rules = typeof coreRules>(
  rule: RuleId,
  message: string,
): (broken: BrokenRule<Rules>) => OAuthError {
  return (broken) => new OAuthError("invalid_grant", message, { rule, internalRule: broken.rule, facts: () => broken });
}

/**
 * Requires that a stored grant is still valid.
 *
 * @param invalid Creates the error.
 * @returns The part of its scope that is still registered.
 */
export async function requireValid(
  server: Server,
  { client }: AuthenticatedRequest,
  stored: StoredRecord<GrantRecord>,
  invalid: (reason: InvalidReason) => OAuthError | Promise<OAuthError>,
): Promise<readonly string[]> {
  const scope = registeredScope(client, stored.value.grant.scope);
  const reason = await server.grants.findInvalidReason(server, client, stored, scope);
  if (reason !== undefined) throw await invalid(reason);
  return scope;
}

/** See `findInvalidReason` of `GrantFunctions`. */
export async function findInvalidReason(
  server: Server,
  client: Client,
  { grantId, value }: StoredRecord<GrantRecord>,
  scope: readonly string[],
): Promise<InvalidReason | undefined> {
  const { grant } = value;
  const { subject, consent } = grant;
  const lost = Object.keys({ ...grant.extensions, ...value.extensions }).find((id) => !server.extensionNames.has(id));
  if (lost !== undefined) return { rule: "CI-11", lost: "extension", id: lost };
  const removed = await server.grants.findRemoved(server, client, grant);
  if (removed !== undefined) return removed;
  if (scope.length === 0 && (grant.scope.length > 0 || server.grants.isEmpty(grant))) {
    return { rule: "RT-09", registered: client.scope, granted: grant.scope };
  }
  // With offline_access, a grant survives the end of the session.
  const isOffline = scope.includes("offline_access");
  const sessions = isOffline ? [] : await sessionIds(server, client, subject);
  const revoked = await findRevoked(server, [grantId, consent, ...sessions]);
  if (revoked !== undefined && revoked.id === grantId) return { rule: "RT-04", revocation: revoked.record };
  if (revoked !== undefined && revoked.id === consent) {
    return { rule: "CI-11", lost: "consent", revocation: revoked.record };
  }
  server.passed("CI-11", subject.sub);
  if (revoked !== undefined) return { rule: "LO-05" };
  if (!isOffline) server.passed("LO-05");
  return undefined;
}

/** The ids whose revocation ends the session of a login: its own, and the one for the client alone. */
async function sessionIds(server: Server, client: Client, { sub, sid }: Subject): Promise<readonly string[]> {
  if (sid === undefined) return [];
  const { sid: sidForClient } = await server.identifiers.issued(server, client, { sub, sid });
  return [sid, ...sidForClient === undefined ? [] : [clientSessionId(client.id, sidForClient)]];
}
