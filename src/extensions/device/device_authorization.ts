/** Device authorizations: their records, from the request of the device to the decision of the user. */

import type { DeviceRecord, FurtherAccess, Grant, Records } from "../../store/store.ts";
import { evictBeyondBound } from "../../oauth/bounded_records.ts";
import type { Client } from "../../oauth/clients/repository.ts";
import { OAuthError } from "../../oauth/errors.ts";
import { deviceCodeType } from "../../oauth/grants/grant_type_uris.ts";
import type { Params } from "../../oauth/params.ts";
import { digest, type RandomBytes, randomId, randomToken, storageKey } from "../../oauth/secrets.ts";
import type { Server } from "../../oauth/server.ts";
import { accessOf, withoutAccess } from "../../oauth/authorize/access.ts";
import type { AuthorizationRequest } from "../../oauth/authorize/authorization_request.ts";
import type { DeviceDestination } from "../../oauth/authorize/delivery.ts";
import type { PendingAuthorization } from "../../oauth/authorize/destination.ts";
import { readRequest, warnAcceptedRequest } from "../../oauth/authorize/request_parts.ts";

/** The letters of user codes: no vowels, so that they form no words (RFC 8628 §6.1). 20^8 codes have 34 bits. */
const userCodeLetters = "BCDFGHJKLMNPQRSTVWXZ";
const userCodeLength = 8;

/** How long records outlive their codes, in milliseconds, so that a late poll learns that its code has expired. */
const keptAfterExpiryMs = 10 * 60_000;

/** How many user codes are tried. Codes in use are so few that the second attempt succeeds. */
const maxAttempts = 10;

/** A started device authorization. */
interface StartedDevice {
  readonly deviceCode: string;
  /** As the device shows it: `BCDF-GHJK`. */
  readonly userCode: string;
}

/**
 * Validates and stores the request of a device (§3.1).
 *
 * @param address The network address of the device, which the user sees; absent if unknown.
 * @throws {OAuthError} If the client may not use the grant type, or a parameter is invalid.
 */
export async function startDevice(
  server: Server,
  client: Client,
  params: Params,
  address: string | undefined,
): Promise<StartedDevice> {
  if (!client.grantTypes.includes(deviceCodeType)) {
    throw new OAuthError("unauthorized_client", "this client is not registered for the device grant", {
      rule: "DV-05",
      expected: `grant_types with ${deviceCodeType}`,
      received: client.grantTypes.join(" "),
    });
  }
  const from = { server, client, params, at: "device" } as const;
  const request = await readRequest(from);
  rejectLongRequest(server, request);
  warnAcceptedRequest(from, request);
  const secret = randomToken(server.randomBytes);
  const issuedAt = server.now();
  const validUntil = issuedAt + server.settings.lifetimes.device_code * 1000;
  const expiresAt = validUntil + keptAfterExpiryMs;
  const record = {
    ...{ secretDigest: await digest(secret), request: { ...request }, issuedAt, validUntil },
    ...address !== undefined && { address },
  };
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const userCode = randomUserCode(server.randomBytes);
    const id = await deviceId(server, userCode);
    if (!await server.store.add("device", id, record, { expiresAt })) continue;
    await evictBeyondBound(server, client, { kind: "device", id, value: record, expiresAt, address });
    return { deviceCode: `${id}.${secret}`, userCode };
  }
  throw new OAuthError("temporarily_unavailable", "no user code is free", { rule: "DV-02", retryAfter: 1 });
}

/** Maximum size of a request without its access besides scope, in bytes of JSON: the browser carries it during the login. */
const maxRequestBytes = 5 * 1024;

function rejectLongRequest(server: Server, request: AuthorizationRequest): void {
  const { length } = new TextEncoder().encode(JSON.stringify(withoutAccess(server, request)));
  if (length <= maxRequestBytes) return;
  throw new OAuthError("invalid_request", "the request is too large to store during login", {
    rule: "AZ-13",
    expected: `parameters of at most ${maxRequestBytes} bytes of JSON`,
    received: `${length} bytes`,
  });
}

/** A device authorization that the user has not decided on. */
export interface PendingDevice {
  readonly record: DeviceRecord;
  /** The request, as it continues in the browser. */
  readonly pending: PendingAuthorization & { readonly destination: DeviceDestination };
}

/**
 * Finds the undecided authorization of a user code, however it is typed; `undefined` if the code is unknown, used or
 * expired, or the client may not use the grant type any more.
 *
 * @param page The path of the page that shows the result.
 */
export async function findDevice(server: Server, typed: string, page: string): Promise<PendingDevice | undefined> {
  const userCode = formatUserCode(typed);
  if (userCode === undefined) return undefined;
  const record = await findUndecided(server, userCode);
  if (record === undefined) return undefined;
  const request = record.request as unknown as AuthorizationRequest;
  const client = await server.clients.find(request.clientId);
  if (client?.grantTypes.includes(deviceCodeType) !== true) return undefined;
  const scope = request.scope.filter((token) => client.allowsScope(token));
  const destination: DeviceDestination = { mode: "device", uri: `${page}?user_code=${userCode}`, userCode };
  return { record, pending: { request: { ...request, scope }, destination, client } };
}

/** The records of a user code. */
export async function findUserCode(server: Server, userCode: string): Promise<{
  readonly device?: DeviceRecord;
  readonly decision?: Records["device_decision"];
}> {
  const id = await deviceId(server, userCode);
  const [device, decision] = await Promise.all([
    server.store.get("device", id),
    server.store.get("device_decision", id),
  ]);
  return { device: device?.value, decision: decision?.value };
}

/** The record of a user code that is neither decided nor expired. */
async function findUndecided(server: Server, userCode: string): Promise<DeviceRecord | undefined> {
  const { device, decision } = await findUserCode(server, userCode);
  return device === undefined || decision !== undefined || server.now() >= device.validUntil ? undefined : device;
}

/** The record of a destination that waits for a decision. @throws {OAuthError} If there is one, or it is too late. */
export async function getUndecided(server: Server, { userCode }: DeviceDestination): Promise<DeviceRecord> {
  const record = await findUndecided(server, userCode);
  if (record === undefined) throw usedUserCode();
  return record;
}

/** The access besides scope that a device requests. @throws {OAuthError} As {@link getUndecided}. */
export async function findDeviceAccess(server: Server, destination: DeviceDestination): Promise<FurtherAccess> {
  const { request } = await getUndecided(server, destination);
  return accessOf(server, request as unknown as AuthorizationRequest);
}

/**
 * Stores what the user has approved.
 *
 * @throws {OAuthError} If there is a decision already, or the code has expired.
 */
export async function approveDevice(
  server: Server,
  { userCode }: DeviceDestination,
  grant: Grant,
): Promise<void> {
  await decide(server, userCode, { grant });
  server.passed?.("DV-06", userCode);
}

/** Stores that the user has denied. @throws {OAuthError} As {@link approveDevice}. */
export async function denyDevice(server: Server, { userCode }: DeviceDestination): Promise<void> {
  await decide(server, userCode, {});
}

async function decide(
  server: Server,
  userCode: string,
  decision: Records["device_decision"],
): Promise<void> {
  const record = await findUndecided(server, userCode);
  if (record !== undefined) {
    const metadata = { grantId: randomId(server.randomBytes), expiresAt: record.validUntil + keptAfterExpiryMs };
    // Atomic: of concurrent decisions the first one counts.
    if (await server.store.add("device_decision", await deviceId(server, userCode), decision, metadata)) return;
  }
  throw usedUserCode();
}

/** The error of a user code that was used or has expired while the user was deciding. */
function usedUserCode(): OAuthError {
  return new OAuthError("invalid_request", "the code of the device was used or has expired", {
    rule: "DV-07",
    expected: "a code that the device has just shown, and no decision about it yet",
    received: "a code with a decision, or an expired one",
    forUser: true,
  });
}

/** The user code as devices show it, from whatever spelling; `undefined` if it cannot be one (§6.1). */
export function formatUserCode(typed: string): string | undefined {
  const letters = typed.slice(0, 100).toUpperCase().replace(/[^A-Z0-9]/g, "");
  const isPossible = letters.length === userCodeLength &&
    [...letters].every((letter) => userCodeLetters.includes(letter));
  return isPossible ? `${letters.slice(0, 4)}-${letters.slice(4)}` : undefined;
}

function randomUserCode(randomBytes: RandomBytes): string {
  let letters = "";
  while (letters.length < userCodeLength) {
    for (const byte of randomBytes(16)) {
      // Without the last 16 values, every letter is equally likely.
      if (byte < 240) letters += userCodeLetters[byte % userCodeLetters.length];
    }
  }
  return formatUserCode(letters.slice(0, userCodeLength))!;
}

/** The key of a device's records. Its device code contains it. */
async function deviceId(server: Server, userCode: string): Promise<string> {
  return await storageKey(server, `device ${userCode}`);
}
