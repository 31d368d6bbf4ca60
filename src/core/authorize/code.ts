/** What is issued for an approval, authorization codes first (OAuth 2.1 §4.1.2). */

import type { Approval } from "./approval.ts";
import type { CodeRecord, Grant } from "../store/store.ts";
import { policyOf } from "../clients/clients.ts";
import type { ResponseFields } from "../http/params.ts";
import { reject } from "../rules/reject.ts";
import { randomId, storageKey } from "../keys/secrets.ts";
import type { Server } from "../server.ts";
import type { Granted } from "../token/grants/grant_functions.ts";
import type { Session } from "../sessions/session.ts";
import type { PendingAuthorization } from "./authorization_request.ts";

/**
 * The grant of an approved request. Everything that can be rejected without issuing anything is rejected here.
 *
 * @param session The session that the user approved in.
 */
export async function acceptApproval(
  server: Server,
  pending: PendingAuthorization,
  approval: Approval,
  session: Session,
): Promise<Grant> {
  const { request, client } = pending;
  const unmet = await server.findUnmetDemand(server, pending, session);
  if (unmet !== undefined) throw unmet.error;
  let granted: Granted = { scope: [] };
  for (const { run } of server.steps.granted) granted = await run(server, granted, client, request, approval);
  if (server.grants.isEmpty(granted)) throw reject("AZ-18", { requested: request.scope });
  for (const { run } of server.steps.beforeIssue) await run(server, client, request);
  if (granted.scope.includes("offline_access") && !client.grantTypes.includes("refresh_token")) {
    server.observe(server, client.id, "OI-09", { grantTypes: client.grantTypes });
  }
  const { user, sub, authTime, sid, extensions } = session;
  const subject = { sub, authTime, sid, extensions };
  const grant = await server.grants.create(server, client, { ...granted, subject }, user);
  const removed = await server.grants.findRemoved(server, client, grant);
  if (removed !== undefined) throw reject("AZ-21", { denied: removed.lost });
  return grant;
}

/** Issues the parameters of the response to an approved request: a code. */
export async function issueResponse(
  server: Server,
  pending: PendingAuthorization,
  grant: Grant,
): Promise<ResponseFields> {
  return [["code", await issueCode(server, pending, grant, randomId(server.randomBytes))]];
}

/**
 * Creates a code and stores its digest with the request and the approval (§4.1.2, §7.7).
 *
 * @param grantId The id of everything that is issued for the approval.
 */
export async function issueCode(
  server: Server,
  { client, destination, request: { codeChallenge, nonce } }: PendingAuthorization,
  grant: Grant,
  grantId: string,
): Promise<string> {
  const { approvedAt, subject, scope } = grant;
  const validUntil = approvedAt + policyOf(server, client).lifetimes.code * 1000;
  const record: CodeRecord = { grant, codeChallenge, nonce, redirectUri: destination.uri, validUntil };
  const code = server.newToken(server, "code");
  const id = await storageKey(server, code);
  await server.store.put("code", id, record, { grantId, expiresAt: validUntil });
  server.trace({ type: "code_issued", at: approvedAt, client: client.id, sub: subject.sub, scope, grantId });
  return code;
}
