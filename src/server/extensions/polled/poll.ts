/** The poll of a client at the token endpoint (RFC 8628 §3.4, §3.5; CIBA §10.1, §11). */

import type { HostedServer } from "../../hosted_server.ts";
import { generationOfClient } from "../../clients/generations.ts";
import type { Client } from "../../../core/clients/clients.ts";
import type { OAuthError } from "../../../core/rules/errors.ts";
import { invalidGrantBy, narrowGrant, requireValid } from "../../../core/token/grants/narrow_grant.ts";
import { constantTimeEqual, digest } from "../../../core/keys/secrets.ts";
import type { AuthenticatedRequest, Authorization } from "../../../core/token/grants/authenticated_request.ts";
import type { coreRules } from "../../../core/rules/mod.ts";
import type { Server } from "../../../core/server.ts";
import type { StoredRecord } from "../../../core/store/store.ts";
import { type PolledRequestRecord, polledStore } from "./records.ts";
import type { PolledGrant } from "./polled_grant.ts";
import { type polledRules, reject, type UnusableCode } from "./rules.ts";

export { approve, decide, describePolledRequest, findDetails, getUndecided } from "./polled_request.ts";

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
  server: HostedServer,
  request: AuthenticatedRequest,
  grant: PolledGrant,
): Promise<Authorization> {
  const { code: rule } = grant.rules;
  const names = namesOf(grant);
  const { client, params } = request;
  const code = params.get(grant.parameter);
  if (code === undefined) throw reject(rule, { problem: "missing", names });
  const { id, found } = await findCode(server, grant, client, code);
  const { validUntil } = found.value;
  if (found.consumedAt !== undefined) throw usedCode(grant, found.consumedAt);
  const now = server.now();
  if (now >= validUntil) throw reject(rule, { problem: "expired", names, validUntil, now });
  const decision = await polledStore(server).get("polled_decision", id);
  if (decision === undefined) throw await pendingError(server, grant, id, found);
  const { grant: approved } = decision.value;
  if (approved === undefined) throw reject(rule, { problem: "denied", names });
  const stored = { ...decision, value: { grant: approved } };
  const scope = await requireValid(server, request, stored, invalidCode(grant));
  const authorization = await narrowGrant(server, request, stored, scope);
  return {
    ...authorization,
    async consume() {
      if (!await polledStore(server).consume("polled_request", id, server.now())) throw usedCode(grant, server.now());
      server.passed(rule, client.id);
      server.resources.observe(server, client, params);
      return true;
    },
  };
}

/** Creates the errors of codes that cannot be exchanged. */
function invalidCode({ parameter, rules }: PolledGrant) {
  const message = `${parameter} is unknown, used, or was issued to another client`;
  return invalidGrantBy<typeof coreRules & typeof polledRules>(rules.code, message);
}

/** The names of a request in messages. */
function namesOf({ parameter, codeName, requestName, decidedAt }: PolledGrant): UnusableCode["names"] {
  return { parameter, codeName, requestName, decidedAt };
}

/** Finds the request of a code of this client. */
async function findCode(
  server: Server,
  grant: PolledGrant,
  client: Client,
  code: string,
): Promise<{ readonly id: string; readonly found: StoredRecord<PolledRequestRecord> }> {
  const { name, codeName, rules } = grant;
  const invalidGrant = invalidCode(grant);
  const [, id = "", secret = ""] = codeSyntax.exec(code) ?? [];
  const found = id === "" ? undefined : await polledStore(server).get("polled_request", id);
  if (found?.value.delivery !== name || !constantTimeEqual(await digest(secret), found.value.secretDigest)) {
    throw invalidGrant({ rule: rules.code, problem: "unknown", names: namesOf(grant) });
  }
  const { clientId, clientGeneration } = found.value.request;
  if (clientId !== client.id) {
    const facts = { problem: "other", codeName, issuedTo: clientId, clientId: client.id } as const;
    throw invalidGrant({ rule: rules.client, ...facts });
  }
  if (generationOfClient(client) !== clientGeneration) {
    throw invalidGrant({ rule: rules.client, problem: "removed", clientId });
  }
  server.passed(rules.client, client.id);
  return { id, found };
}

function usedCode(grant: PolledGrant, consumedAt: number): OAuthError {
  const facts = { problem: "used", names: namesOf(grant), consumedAt } as const;
  return invalidCode(grant)({ rule: grant.rules.code, ...facts });
}

/** Milliseconds for which a poll is remembered, to detect concurrent polls. */
const concurrentPollMs = 60_000;

/** The error of a poll before the decision. The pace is stored, so that all instances agree. */
async function pendingError(
  server: Server,
  grant: PolledGrant,
  id: string,
  { value, expiresAt }: StoredRecord<PolledRequestRecord>,
): Promise<OAuthError> {
  const { rules } = grant;
  const store = polledStore(server);
  const now = server.now();
  const pace = (await store.get("poll_pace", id))?.value ??
    { notBefore: value.issuedAt, interval: grant.interval(server) };
  const { notBefore, interval } = pace;
  // Atomic: several concurrent polls read the same pace, and only one of them is in time.
  const isInTime = now >= notBefore - pollToleranceMs &&
    await store.add("poll_pace", `${id} ${notBefore}`, pace, { expiresAt: now + concurrentPollMs });
  const nextInterval = isInTime ? interval : interval + slowDownSeconds;
  const nextPace = { notBefore: now + nextInterval * 1000, interval: nextInterval };
  await store.put("poll_pace", id, nextPace, { expiresAt });
  if (!isInTime) return reject(rules.pace, { notBefore, now, nextInterval });
  server.passed(rules.pace, `${interval} seconds`);
  return reject(rules.code, { problem: "pending", names: namesOf(grant) });
}
