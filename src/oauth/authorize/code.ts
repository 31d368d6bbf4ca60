/** Authorization codes: issued for an approval, and inspected (OAuth 2.1 §4.1.2). */

import type { RequestedClaims } from "../../store/store.ts";
import { filterRequestedClaims, isReleasedByScope } from "../claims.ts";
import type { User } from "../clients/client.ts";
import { OAuthError } from "../errors.ts";
import { randomId, randomToken, storageKey } from "../secrets.ts";
import type { Server } from "../server.ts";
import { passwordFingerprint } from "../session/session.ts";
import type { PendingAuthorization } from "./authorization_request.ts";
import { wrongUser } from "./login.ts";
import { warnReusedChallenge } from "./pkce.ts";

/** The decision of a user. */
export interface Approval {
  /** One of the server's users. */
  readonly user: User;
  /** The allowed part of the requested scope. */
  readonly scope: readonly string[];
  /** The allowed claims of those requested by name. Default: all except those of denied scope values. */
  readonly claims?: readonly string[];
  /** When the user was authenticated, in milliseconds since the epoch. */
  readonly authTime: number;
  /** The name of the consent, which the user can revoke later; absent if no consent was asked for. */
  readonly consent?: string;
}

/**
 * Creates a code and stores its digest with the request and the approval (§4.1.2, §7.7).
 *
 * @param sid The session that the user approved in.
 */
export async function issueCode(
  server: Server,
  { request, destination, client, expectedSubs }: PendingAuthorization,
  approval: Approval,
  sid: string,
): Promise<string> {
  const { loginRequirements, ...requestToStore } = request;
  const scope = request.scope.filter((token) => approval.scope.includes(token));
  const { sub } = approval.user;
  if (expectedSubs?.includes(sub) === false) throw wrongUser(expectedSubs);
  if (scope.length === 0) {
    throw new OAuthError("access_denied", "no requested scope was granted", {
      rule: "AZ-18",
      expected: `some of: ${request.scope.join(" ")}`,
      received: "nothing",
    });
  }
  if (scope.includes("offline_access") && !client.grantTypes.includes("refresh_token")) {
    server.trace({
      type: "warning",
      at: server.now(),
      client: client.id,
      explanation: {
        rule: "OI-09",
        reason: "offline_access was granted, but this client gets no refresh token",
        expected: "refresh_token in the client's grant_types",
        received: client.grantTypes.join(" "),
      },
    });
  }
  if (request.codeChallenge !== undefined) warnReusedChallenge(server, client, request.codeChallenge);
  if (client.registration !== undefined) {
    await (await import("../clients/unused_registrations.ts")).recordUse(server, client);
  }
  if (destination.pushedRequest !== undefined) {
    await (await import("./pushed_request.ts")).consumePushedRequest(server, destination.pushedRequest);
  }
  const user = await server.users.find(sub);
  const currentPasswordFingerprint = user && passwordFingerprint(server, user);
  const code = randomToken(server.randomBytes);
  const grantId = randomId(server.randomBytes);
  const issuedAt = server.now();
  const validUntil = issuedAt + server.lifetimes.code * 1000;
  await server.store.put("code", await storageKey(server, code), {
    ...requestToStore,
    redirectUri: destination.uri,
    scope,
    sub,
    authTime: approval.authTime,
    sid,
    password: currentPasswordFingerprint && await currentPasswordFingerprint,
    claims: allowedClaims(server, request.scope, loginRequirements.claims, approval),
    consent: approval.consent,
    issuedAt,
    validUntil,
  }, { grantId, expiresAt: validUntil });
  server.trace({ type: "code_issued", at: issuedAt, client: client.id, sub, scope, grantId });
  return code;
}

/** The claims requested by name, without those of a denied scope value and those denied by name. */
function allowedClaims(
  { claims: rules }: Server,
  scope: readonly string[],
  requested: RequestedClaims | undefined,
  approval: Approval,
): RequestedClaims | undefined {
  if (requested === undefined) return undefined;
  const deniedScope = scope.filter((token) => !approval.scope.includes(token));
  const isAllowed = (name: string) =>
    !isReleasedByScope(rules, name, deniedScope) || isReleasedByScope(rules, name, approval.scope);
  return filterRequestedClaims(requested, (name) => approval.claims?.includes(name) ?? isAllowed(name));
}

/** An issued code. */
export interface IssuedCode {
  /** The client that it was issued to. */
  readonly clientId: string;
  /** The redirect URI that it was sent to. */
  readonly redirectUri: string;
  /** When it was redeemed, in milliseconds since the epoch; absent before. */
  readonly consumedAt?: number;
  /** The code challenge of the request; absent if it had none. */
  readonly codeChallenge?: string;
}

/** Reads a code without consuming it; `undefined` if the server does not know it. */
export async function inspectCode(server: Server, code: string): Promise<IssuedCode | undefined> {
  const record = await server.store.get("code", await storageKey(server, code));
  if (record === undefined) return undefined;
  const { clientId, redirectUri, codeChallenge } = record.value;
  return { clientId, redirectUri, codeChallenge, consumedAt: record.consumedAt };
}
