/** Authorization codes (OAuth 2.1 §4.1.2). */

import type { RequestedClaims } from "../../store/store.ts";
import { filterRequestedClaims, isReleasedByScope } from "../claims.ts";
import { OAuthError } from "../errors.ts";
import { randomId, randomToken, storageKey } from "../secrets.ts";
import type { Server } from "../server.ts";
import { passwordFingerprint } from "../session/session.ts";
import type { Approval, AuthorizationRequest } from "./authorization_request.ts";
import { wrongUser } from "./openid.ts";
import { warnReusedChallenge } from "./pkce.ts";

/**
 * Issues a code. The store keeps its digest only (OAuth 2.1 §4.1.2, §7.7).
 *
 * @throws {OAuthError} If the approval allows nothing, or is by another user than the request demands.
 */
export async function issueCode(
  server: Server,
  request: AuthorizationRequest,
  approval: Approval,
  sid: string,
): Promise<string> {
  const { client, destination } = request;
  const scope = request.scope.filter((token) => approval.scope.includes(token));
  const { sub } = approval.user;
  const { expectedSubs } = request.loginRequirements;
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
  const user = await server.users.find(sub);
  const currentPasswordFingerprint = user && passwordFingerprint(server, user);
  const code = randomToken(server.randomBytes);
  const grantId = randomId(server.randomBytes);
  const issuedAt = server.now();
  const validUntil = issuedAt + server.lifetimes.code * 1000;
  await server.store.put("code", await storageKey(server, code), {
    clientId: client.id,
    redirectUri: destination.uri,
    challenge: request.codeChallenge,
    scope,
    sub,
    nonce: request.nonce,
    authTime: approval.authTime,
    sid,
    password: currentPasswordFingerprint && await currentPasswordFingerprint,
    resources: request.resources,
    claims: allowedClaims(server, request, approval),
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
  { scope, loginRequirements }: AuthorizationRequest,
  approval: Approval,
): RequestedClaims | undefined {
  if (loginRequirements.claims === undefined) return undefined;
  const deniedScope = scope.filter((token) => !approval.scope.includes(token));
  const isAllowed = (name: string) =>
    !isReleasedByScope(rules, name, deniedScope) || isReleasedByScope(rules, name, approval.scope);
  return filterRequestedClaims(loginRequirements.claims, (name) => approval.claims?.includes(name) ?? isAllowed(name));
}

/** What the bearer of a code may see of it. */
export interface IssuedCode {
  readonly clientId: string;
  readonly redirectUri: string;
  /** When it was redeemed, in milliseconds since the epoch; absent before. */
  readonly consumedAt?: number;
  /** The code challenge of the request; absent if it had none. */
  readonly codeChallenge?: string;
}

/** Reads a code without consuming it; `undefined` if it is unknown or no longer kept. */
export async function inspectCode(server: Server, code: string): Promise<IssuedCode | undefined> {
  const record = await server.store.get("code", await storageKey(server, code));
  if (record === undefined) return undefined;
  const { clientId, redirectUri, challenge } = record.value;
  return { clientId, redirectUri, codeChallenge: challenge, consumedAt: record.consumedAt };
}
