/** The poll of a client at the token endpoint (RFC 8628 §3.4, §3.5; CIBA §10.1, §11). */

import { observeResources } from "../../oauth/authorize/scope.ts";
import type { Client } from "../../oauth/clients/repository.ts";
import { OAuthError } from "../../oauth/errors.ts";
import type { ExtensionErrorCode } from "../../oauth/rules/error_code.ts";
import {
  findInvalidReason,
  formatTime,
  invalidGrantBy,
  invalidGrantErrors,
  narrowGrant,
  registeredScope,
  removedClient,
} from "../../oauth/grants/narrow_grant.ts";
import { constantTimeEqual, digest } from "../../oauth/secrets.ts";
import type { AuthenticatedRequest, Authorization } from "../../oauth/grants/authenticated_request.ts";
import type { Server } from "../../oauth/server.ts";
import type { RuleExplanation } from "../../oauth/trace.ts";
import type { PolledRequestRecord, StoredRecord } from "../../../platform/store/store.ts";
import type { PolledGrant } from "./polled_grant.ts";

/** RFC 8628 §3.5. */
const authorizationPending = "authorization_pending" as ExtensionErrorCode;
const slowDown = "slow_down" as ExtensionErrorCode;
const expiredToken = "expired_token" as ExtensionErrorCode;

const codeSyntax = /^([\w-]{43})\.([\w-]{43})$/;

/** Seconds by which the interval grows with each poll that comes too early (RFC 8628 §3.5). */
const slowDownSeconds = 5;

/** Tolerance for early polls, in milliseconds: timers and the clocks of instances differ. */
const pollToleranceMs = 500;

/**
 * Exchanges a code once the user has approved. A poll of another client changes nothing.
 *
 * @throws {OAuthError} `authorization_pending`, `slow_down`, `access_denied`, `expired_token` or `invalid_grant`.
 */
export async function authorizePoll(
  server: Server,
  request: AuthenticatedRequest,
  grant: PolledGrant,
): Promise<Authorization> {
  const { parameter, requestName, rules } = grant;
  const rule = rules.code;
  const { client, parameters } = request;
  const code = parameters.get(parameter);
  if (code === undefined) {
    throw new OAuthError("invalid_request", `${parameter} is missing`, {
      rule,
      expected: `${parameter} of the ${requestName} response`,
      received: `no ${parameter}`,
    });
  }
  const { id, found } = await findCode(server, grant, client, code);
  const { validUntil } = found.value;
  if (found.consumedAt !== undefined) throw usedCode(grant, found.consumedAt);
  if (server.now() >= validUntil) {
    throw new OAuthError(expiredToken, `${parameter} has expired`, {
      rule,
      expected: `before ${formatTime(validUntil)}`,
      received: formatTime(server.now()),
      fix: `Stop polling, and start a new ${requestName} if the user still wants to log in.`,
    });
  }
  const decision = await server.store.get("polled_decision", id);
  if (decision === undefined) throw await pendingError(server, grant, id, found);
  const { grant: approved } = decision.value;
  if (approved === undefined) {
    throw new OAuthError("access_denied", "the user denied the request", {
      rule,
      expected: "the user's approval",
      received: "Deny",
      fix: "Stop polling, and show that access was denied. Start again only if the user asks for it.",
    });
  }
  const stored = { ...decision, value: { grant: approved } };
  const scope = registeredScope(client, approved.scope);
  const invalidReason = await findInvalidReason(server, client, stored, scope);
  if (invalidReason !== undefined) throw invalidGrantBy(rule, describeInvalid(grant))(invalidReason);
  const authorization = await narrowGrant(server, request, stored, scope);
  // Atomic: one of several concurrent polls receives the tokens.
  if (!await server.store.consume("polled_request", id, server.now())) throw usedCode(grant, server.now());
  server.passed?.(rule, client.id);
  observeResources(server, client, parameters);
  return authorization;
}

/** The error of a code that cannot be exchanged. */
function invalidCode(grant: PolledGrant, explanation: RuleExplanation): OAuthError {
  return invalidGrantErrors(grant.rules.code, describeInvalid(grant))(explanation);
}

function describeInvalid({ parameter }: PolledGrant): string {
  return `${parameter} is unknown, used, or was issued to another client`;
}

/** Finds the request of a code of this client. */
async function findCode(
  server: Server,
  grant: PolledGrant,
  client: Client,
  code: string,
): Promise<{ readonly id: string; readonly found: StoredRecord<PolledRequestRecord> }> {
  const { name, codeName, rules } = grant;
  const [, id = "", secret = ""] = codeSyntax.exec(code) ?? [];
  const found = id === "" ? undefined : await server.store.get("polled_request", id);
  if (found?.value.delivery !== name || !constantTimeEqual(await digest(secret), found.value.secretDigest)) {
    throw invalidCode(grant, {
      rule: rules.code,
      reason: `the ${codeName} is unknown`,
      expected: `the ${codeName} that this server issued, unchanged`,
      received: `an unknown ${codeName}, or one that expired long ago`,
    });
  }
  const { clientId, clientGeneration } = found.value.request;
  if (clientId !== client.id) {
    throw invalidCode(grant, {
      rule: rules.client,
      reason: `the ${codeName} belongs to another client`,
      expected: `client ${clientId}`,
      received: `client ${client.id}`,
    });
  }
  if (client.generation !== clientGeneration) {
    throw invalidCode(grant, { rule: rules.client, ...removedClient(clientId) });
  }
  server.passed?.(rules.client, client.id);
  return { id, found };
}

function usedCode(grant: PolledGrant, consumedAt: number): OAuthError {
  return invalidCode(grant, {
    rule: grant.rules.code,
    reason: `the ${grant.codeName} was used before`,
    expected: `each ${grant.codeName} once`,
    received: "one that was used before",
    earlier: `tokens issued at ${formatTime(consumedAt)}`,
  });
}

/** Milliseconds for which a poll is remembered, to detect concurrent polls. */
const concurrentPollMs = 60_000;

/** The error of a poll before the decision. The pace is stored, so that all instances agree. */
async function pendingError(
  server: Server,
  { rules, decidedAt, interval: initialInterval }: PolledGrant,
  id: string,
  { value, expiresAt }: StoredRecord<PolledRequestRecord>,
): Promise<OAuthError> {
  const { store } = server;
  const now = server.now();
  const pace = (await store.get("poll_pace", id))?.value ??
    { notBefore: value.issuedAt, interval: initialInterval(server) };
  const { notBefore, interval } = pace;
  // Atomic: several concurrent polls read the same pace, and only one of them is in time.
  const isInTime = now >= notBefore - pollToleranceMs &&
    await store.add("poll_pace", `${id} ${notBefore}`, pace, { expiresAt: now + concurrentPollMs });
  const nextInterval = isInTime ? interval : interval + slowDownSeconds;
  const nextPace = { notBefore: now + nextInterval * 1000, interval: nextInterval };
  await store.put("poll_pace", id, nextPace, { expiresAt });
  if (!isInTime) {
    return new OAuthError(slowDown, `the client must wait ${nextInterval} seconds between two polls`, {
      rule: rules.pace,
      expected: `no poll before ${formatTime(notBefore)}`,
      received: `one at ${formatTime(now)}`,
    });
  }
  server.passed?.(rules.pace, `${interval} seconds`);
  return new OAuthError(authorizationPending, "the user has not decided yet", {
    rule: rules.code,
    expected: `the user's decision at ${decidedAt}`,
    received: "none yet",
  });
}
