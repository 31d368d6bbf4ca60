/** What a user sees of a device, on the page `/device` and on the consent page. */

import type { Context } from "../app/context.ts";
import type { DeviceDestination } from "../oauth/authorize/destination.ts";
import { isLoopback } from "../oauth/test_hosts.ts";
import { networkFromAddress } from "../runtime/ip_address.ts";
import type { DeviceRecord } from "../store/store.ts";
import type { DeviceSummary } from "../ui/device.tsx";

/** The network of an address; this machine has several addresses. */
function network(address: string): string {
  return address === "::1" || isLoopback(address) ? "this machine" : networkFromAddress(address);
}

export function toDeviceSummary(
  { target }: Context,
  { userCode }: DeviceDestination,
  { issuedAt, address }: DeviceRecord,
): DeviceSummary {
  return {
    userCode,
    startedAt: issuedAt,
    address,
    isSameAddress: address !== undefined && network(address) === network(target.clientAddress.address ?? ""),
  };
}
