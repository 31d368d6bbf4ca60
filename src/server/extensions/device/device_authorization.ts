/** Device authorizations: their user codes, and their requests. */

import type { Params } from "../../../core/http/params.ts";
import { type RandomBytes, storageKey } from "../../../core/keys/secrets.ts";
import type { Server } from "../../../core/server.ts";
import type { Client } from "../../../core/clients/clients.ts";
import {
  addPolledRequest,
  findPending,
  findRecords,
  type PendingRequest,
  readPolledRequest,
} from "../polled/polled_request.ts";
import { reject } from "./rules.ts";
import { asServerPolicy } from "../../config/server_policy.ts";
import { deviceGrant } from "./settings.ts";

/** The letters of user codes: no vowels, so that they form no words (RFC 8628 §6.1). 20^8 codes have 34 bits. */
const userCodeLetters = "BCDFGHJKLMNPQRSTVWXZ";
const userCodeLength = 8;

/**
 * Maximum number of user codes that are tried. So few codes are in use that the second attempt nearly always succeeds.
 */
const maxAttempts = 10;

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
  const request = await readPolledRequest(server, deviceGrant, client, params);
  const lifetimeSeconds = asServerPolicy(server.policy).lifetimes.device_code;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const userCode = randomUserCode(server.randomBytes);
    const id = await deviceId(server, userCode);
    const deviceCode = await addPolledRequest(server, deviceGrant, client, { id, request, address, lifetimeSeconds });
    if (deviceCode !== undefined) return { deviceCode, userCode };
  }
  throw reject("DV-02", undefined, { retryAfter: 1 });
}

/**
 * Finds the undecided authorization of a user code, however it is typed; `undefined` if the code is unknown, used or
 * expired, or the client may no longer use the grant type.
 *
 * @param page The path of the page that shows the result.
 */
export async function findDevice(server: Server, typed: string, page: string): Promise<PendingRequest | undefined> {
  const userCode = formatUserCode(typed);
  if (userCode === undefined) return undefined;
  const uri = `${page}?user_code=${userCode}`;
  return await findPending(server, deviceGrant, await deviceId(server, userCode), { uri, userCode });
}

export async function findUserCode(server: Server, userCode: string): ReturnType<typeof findRecords> {
  return await findRecords(server, deviceGrant, await deviceId(server, userCode));
}

/** The user code as devices show it, from any spelling; `undefined` if the text cannot be a user code (§6.1). */
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
      // The last 16 values are skipped, so that every letter is equally likely.
      if (byte < 240) letters += userCodeLetters[byte % userCodeLetters.length];
    }
  }
  return formatUserCode(letters.slice(0, userCodeLength))!;
}

/** The key of a device's records. Its device code contains it. */
async function deviceId(server: Server, userCode: string): Promise<string> {
  return await storageKey(server, `device ${userCode}`);
}
