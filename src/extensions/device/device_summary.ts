/** What a user sees of a device, on the page `/device` and on the consent page. */

import type { DeviceDestination, DeviceFacts } from "../../oauth/authorize/delivery.ts";
import type { Server } from "../../oauth/server.ts";
import { isLoopback } from "../../oauth/test_hosts.ts";
import { networkFromAddress } from "../../runtime/ip_address.ts";
import type { DeviceRecord } from "../../store/store.ts";
import { getUndecided } from "./device_authorization.ts";

/** The network of an address; this machine has several addresses. */
function network(address: string): string {
  return address === "::1" || isLoopback(address) ? "this machine" : networkFromAddress(address);
}

/** The facts of an undecided device. @throws {OAuthError} If its code was used or has expired. */
export async function findDeviceFacts(
  server: Server,
  destination: DeviceDestination,
  userAddress: string | undefined,
): Promise<DeviceFacts> {
  return toDeviceFacts(destination, await getUndecided(server, destination), userAddress);
}

/** The facts of a device, from its record. */
export function toDeviceFacts(
  { userCode }: DeviceDestination,
  { issuedAt, address }: DeviceRecord,
  userAddress = "",
): DeviceFacts {
  return {
    userCode,
    startedAt: issuedAt,
    address,
    isSameAddress: address !== undefined && network(address) === network(userAddress),
  };
}
