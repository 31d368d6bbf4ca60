/** What is issued for an approval, authorization codes first (OAuth 2.1 §4.1.2). */

import type { CodeRecord, FurtherAccess } from "./store/store.ts";
import type { User } from "./clients/client.ts";
import { type Client, policyOf } from "./clients/repository.ts";
import type { ResponseFields } from "./params.ts";
import { reject } from "./reject.ts";
import { randomId, storageKey } from "./secrets.ts";
import type { Server } from "./server.ts";
import type { Session } from "./session/session.ts";
import type { PendingAuthorization } from "./request/authorization_request.ts";
import { allowsUser } from "./request/login.ts";

/** The decision of a user, with the granted part of the requested access besides scope. */
export interface Approval extends FurtherAccess {
  /** The object that `users.find` or `users.list` returned, not a copy. */
  readonly user: User;
  /** The allowed part of the requested scope. */
  readonly scope: readonly string[];
  /**
   * The claims that the user allows, of the claims requested by name. Default: all except the claims of denied scope
   * values.
   */
  readonly claims?: readonly string[];
  /** When the user was authenticated, in milliseconds since the epoch. */
  readonly authTime: number;
  /** The level of authentication that a new login reached (`acr`). Default: none. */
  readonly acr?: string;
  /** The methods of a new login (RFC 8176). Default: the methods of the level. */
  readonly amr?: readonly string[];
  /** The name of the consent, which the user can revoke later; absent if no consent was asked for. */
  readonly consent?: string;
}

/**
 * Issues the parameters of the authorization response, or delivers the grant by the response mode of an extension.
 *
 * @param session The session that the user approved in.
 */
export async function issueResponse(
  server: Server,
  pending: PendingAuthorization,
  approval: Approval,
  session: Session,
): Promise<ResponseFields> {
  const { request, destination, client } = pending;
  const {
    responseType = "code",
    clientId: _,
    scope: requestedScope,
    resources,
    loginRequirements: __,
    authorizationDetails: ___,
    extensions,
    ...others
  } = request;
  await rejectOtherLogin(server, pending, session);
  const scope = requestedScope.filter((token) => approval.scope.includes(token));
  const access = await server.grants.furtherAccess(server, client, request, approval);
  if (scope.length === 0 && !server.grants.hasFurtherAccess(access)) {
    throw reject("AZ-18", { requested: requestedScope.length > 0 ? requestedScope : ["authorization_details"] });
  }
  if (scope.includes("offline_access") && !client.grantTypes.includes("refresh_token")) {
    server.observe?.(server, client.id, "OI-09", { grantTypes: client.grantTypes });
  }
  await server.grants.recordUse(server, client, request);
  const { storedRequest } = destination;
  if (storedRequest !== undefined) await server.requestParts.consume?.(server, storedRequest);
  const { user, sub, authTime, acr, amr, sid } = session;
  const grant = await server.grants.create(server, client, {
    subject: { sub, authTime, acr, amr, sid },
    scope,
    resources,
    consent: approval.consent,
    extensions,
    ...access,
  }, user);
  const change = await server.grants.findChange(server, client, grant);
  if (change !== undefined) throw reject("AZ-21", { denied: "no longer valid" });
  const delivering = server.responseModes.get(destination.mode)?.deliver?.(server, destination, grant);
  if (delivering !== undefined) return await delivering;
  const grantId = randomId(server.randomBytes);
  const record = { ...others, grant, redirectUri: destination.uri };
  const issueCode = () => storeCode(server, client, record, grantId);
  const type = server.responseTypes.get(responseType);
  if (type?.issue === undefined) return [["code", await issueCode()]];
  const { subject, claims } = grant;
  const authorization = { client, scope, resources, grantId, subject, claims, nonce: request.nonce, grant };
  return await type.issue(server, authorization, destination, issueCode);
}

/** Rejects an approval in a login of another user, or at another level, than the request demands. */
async function rejectOtherLogin(server: Server, pending: PendingAuthorization, { sub, acr }: Session): Promise<void> {
  const { demandedSubs = [], acr: demanded } = pending.request.loginRequirements;
  if (!await allowsUser(server, pending, sub)) throw reject("OI-08", { demandedSubs });
  if (demanded?.includes(acr ?? "") !== false) return;
  throw server.levels?.missed(demanded, acr) ?? reject("OI-05", { demanded, reached: acr });
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
