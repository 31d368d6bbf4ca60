/** The device_code grant type (RFC 8628 §3.4, §3.5): a device polls until the user has decided in a browser. */

import type { DeviceRecord, StoredRecord } from "../../store/store.ts";
import { warnAboutResource } from "../../oauth/authorize/resources.ts";
import type { Client } from "../../oauth/clients/repository.ts";
import { OAuthError } from "../../oauth/errors.ts";
import { parameters } from "../../oauth/parameter.ts";
import { constantTimeEqual, digest } from "../../oauth/secrets.ts";
import type { GrantType, Server } from "../../oauth/server.ts";
import { deviceCodeType } from "../../oauth/grants/grant_type_uris.ts";
import { formatTime, invalidGrantErrors } from "../../oauth/grants/invalid_grant.ts";
import { narrowGrant, registeredScope } from "../../oauth/grants/narrow_grant.ts";
import { findInvalidReason } from "../../oauth/grants/revoke_grant.ts";
import { pollInterval } from "./settings.ts";

const invalidGrant = invalidGrantErrors("DV-03", "device_code is unknown, used, or was issued to another client");

const deviceCodeSyntax = /^([\w-]{43})\.([\w-]{43})$/;

/** Seconds by which the interval grows with each poll that comes too early (§3.5). */
const slowDownSeconds = 5;

/** How much too early a poll may come, in milliseconds: timers and the clocks of instances differ. */
const pollToleranceMs = 500;

/**
 * Exchanges a device code once the user has approved. A poll of another client changes nothing.
 *
 * @throws {OAuthError} `authorization_pending`, `slow_down`, `access_denied`, `expired_token` or `invalid_grant`.
 */
export const deviceCodeGrant: Omit<GrantType, "standing"> = {
  type: deviceCodeType,
  parameters: parameters(
    { name: "device_code", secret: "device_code", linksFlow: true },
    { name: "resource", repeatable: true },
  ),
  async authorize(server, request) {
    const { client, parameters } = request;
    const deviceCode = parameters.get("device_code");
    if (deviceCode === undefined) {
      throw new OAuthError("invalid_request", "device_code is missing", {
        rule: "DV-03",
        expected: "device_code of the device authorization response",
        received: "no device_code",
      });
    }
    const { id, device } = await findDeviceCode(server, client, deviceCode);
    const { validUntil } = device.value;
    if (device.consumedAt !== undefined) throw usedDeviceCode(device.consumedAt);
    if (server.now() >= validUntil) {
      throw new OAuthError("expired_token", "device_code has expired", {
        rule: "DV-03",
        expected: `before ${formatTime(validUntil)}`,
        received: formatTime(server.now()),
        fix: "Stop polling, and start a new device authorization if the user still wants to log in.",
      });
    }
    const decision = await server.store.get("device_decision", id);
    if (decision === undefined) throw await pendingError(server, id, device);
    const { grant } = decision.value;
    if (grant === undefined) {
      throw new OAuthError("access_denied", "the user denied the request", {
        rule: "DV-03",
        expected: "the user's approval",
        received: "Deny",
        fix: "Stop polling, and show that access was denied. Start again only if the user asks for it.",
      });
    }
    const stored = { ...decision, value: { grant } };
    const scope = registeredScope(client, grant.scope);
    const invalidReason = await findInvalidReason(server, client, stored, scope);
    if (invalidReason !== undefined) throw invalidGrant(invalidReason);
    const authorization = await narrowGrant(server, request, stored, scope);
    // Atomic: of concurrent polls one gets the tokens.
    if (!await server.store.consume("device", id, server.now())) throw usedDeviceCode(server.now());
    server.passed?.("DV-03", client.id);
    warnAboutResource(server, client, parameters);
    return authorization;
  },
};

/** Finds the device authorization of a device code of this client. */
async function findDeviceCode(
  server: Server,
  client: Client,
  deviceCode: string,
): Promise<{ readonly id: string; readonly device: StoredRecord<DeviceRecord> }> {
  const [, id = "", secret = ""] = deviceCodeSyntax.exec(deviceCode) ?? [];
  const device = id === "" ? undefined : await server.store.get("device", id);
  if (device === undefined || !constantTimeEqual(await digest(secret), device.value.secretDigest)) {
    throw invalidGrant({
      rule: "DV-03",
      reason: "the device code is unknown",
      expected: "a device code that this server issued, unchanged",
      received: "an unknown device code, or one that expired long ago",
    });
  }
  const { clientId } = device.value.request;
  if (clientId !== client.id) {
    throw invalidGrant({
      rule: "DV-05",
      reason: "the device code belongs to another client",
      expected: `client ${clientId}`,
      received: `client ${client.id}`,
    });
  }
  server.passed?.("DV-05", client.id);
  return { id, device };
}

function usedDeviceCode(consumedAt: number): OAuthError {
  return invalidGrant({
    rule: "DV-03",
    reason: "the device code was used before",
    expected: "each device code once",
    received: "a device code that was used before",
    earlier: `tokens issued at ${formatTime(consumedAt)}`,
  });
}

/** How long a poll is remembered for concurrent ones, in milliseconds. */
const concurrentPollMs = 60_000;

/** The error of a poll before the decision. The pace is stored, so that all instances agree. */
async function pendingError(
  server: Server,
  id: string,
  { value, expiresAt }: StoredRecord<DeviceRecord>,
): Promise<OAuthError> {
  const { store } = server;
  const now = server.now();
  const pace = (await store.get("device_poll", id))?.value ??
    { notBefore: value.issuedAt, interval: pollInterval(server) };
  const { notBefore, interval } = pace;
  // Atomic: of concurrent polls, which read the same pace, one is in time.
  const isInTime = now >= notBefore - pollToleranceMs &&
    await store.add("device_poll", `${id} ${notBefore}`, pace, { expiresAt: now + concurrentPollMs });
  const nextInterval = isInTime ? interval : interval + slowDownSeconds;
  const nextPace = { notBefore: now + nextInterval * 1000, interval: nextInterval };
  await store.put("device_poll", id, nextPace, { expiresAt });
  if (!isInTime) {
    return new OAuthError("slow_down", `the device must wait ${nextInterval} seconds between two polls`, {
      rule: "DV-04",
      expected: `no poll before ${formatTime(notBefore)}`,
      received: `one at ${formatTime(now)}`,
    });
  }
  server.passed?.("DV-04", `${interval} seconds`);
  return new OAuthError("authorization_pending", "the user has not decided yet", {
    rule: "DV-03",
    expected: "the user's decision on the page of verification_uri",
    received: "none yet",
  });
}
