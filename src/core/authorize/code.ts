/** What is issued for an approval, authorization codes first (OAuth 2.1 §4.1.2). */

import type { Approval } from "./approval.ts";
import type { CodeRecord, Grant } from "../store/store.ts";
import { type Client, policyOf } from "../clients/repository.ts";
import type { ResponseFields } from "../http/params.ts";
import { reject } from "../rules/reject.ts";
import { randomId, storageKey } from "../keys/secrets.ts";
import type { Server } from "../server.ts";
import type { Session } from "./session.ts";
import type { PendingAuthorization } from "./authorization_request.ts";

/**
 * The grant of an approved request. Everything that can be rejected without issuing anything is rejected here; at last
 * the request ends.
 *
 * @param session The session that the user approved in.
 */
export async function acceptApproval(
  server: Server,
  pending: PendingAuthorization,
  approval: Approval,
  session: Session,
): Promise<Grant> {
  const { request, destination, client } = pending;
  const unmet = await server.findUnmetDemand(server, pending, session);
  if (unmet !== undefined) throw unmet.error;
  const granted = await server.grants.granted(server, client, request, approval);
  if (server.grants.isEmpty(granted)) throw reject("AZ-18", { requested: request.scope });
  if (granted.scope.includes("offline_access") && !client.grantTypes.includes("refresh_token")) {
    server.observe(server, client.id, "OI-09", { grantTypes: client.grantTypes });
  }
  const { user, sub, authTime, sid, extensions } = session;
  const subject = { sub, authTime, sid, extensions };
  const grant = await server.grants.create(server, client, { subject, ...granted }, user);
  const change = await server.grants.findChange(server, client, grant);
  if (change !== undefined) throw reject("AZ-21", { denied: "no longer valid" });
  await server.endRequest?.(server, destination);
  return grant;
}

/** Issues the parameters of the authorization response, or delivers the grant by the response mode of an extension. */
export async function issueResponse(
  server: Server,
  { request, destination, client }: PendingAuthorization,
  grant: Grant,
): Promise<ResponseFields> {
  const delivering = server.responseModes.get(destination.mode)?.deliver?.(server, destination, grant);
  if (delivering !== undefined) return await delivering;
  const { responseType = "code", codeChallenge, nonce } = request;
  const grantId = randomId(server.randomBytes);
  const issueCode = () =>
    storeCode(server, client, { grant, codeChallenge, nonce, redirectUri: destination.uri }, grantId);
  const type = server.responseTypes.get(responseType);
  if (type?.issue === undefined) return [["code", await issueCode()]];
  const { subject, scope, extensions } = grant;
  const authorization = { client, scope, grantId, subject, nonce, grant, extensions };
  return await type.issue(server, authorization, destination, issueCode);
}

/** Creates a code and stores its digest with the request and the approval (§4.1.2, §7.7). */
async function storeCode(
  server: Server,
  client: Client,
  record: Omit<CodeRecord, "validUntil">,
  grantId: string,
): Promise<string> {
  const { approvedAt, subject, scope } = record.grant;
  const validUntil = approvedAt + policyOf(server, client).lifetimes.code * 1000;
  const code = server.newToken(server, "code");
  const id = await storageKey(server, code);
  await server.store.put("code", id, { ...record, validUntil }, { grantId, expiresAt: validUntil });
  server.trace({ type: "code_issued", at: approvedAt, client: client.id, sub: subject.sub, scope, grantId });
  return code;
}
