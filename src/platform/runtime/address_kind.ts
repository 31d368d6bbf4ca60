/** Kinds of IP addresses, to restrict outbound fetches: public and special-use addresses (RFC 6890, RFC 8190). */

import { addressBits, addressMatcher } from "../http/ip_address.ts";

/**
 * `public`: globally reachable. `loopback`: this machine. `private`: a network of one site or provider. `reserved`:
 * every other special-use address, such as link-local addresses and metadata services of cloud providers.
 */
export type AddressKind = "public" | "loopback" | "private" | "reserved";

/** Metadata services of cloud providers that are not link-local. They hand out credentials to any local caller. */
const isMetadataService = addressMatcher([
  "100.100.100.200", // Alibaba
  "168.63.129.16", // Azure
  "fd00:ec2::/32", // AWS, EKS included
  "fd20:ce::254", // Google
  "fd00:c1::a9fe:a9fe", // Oracle
]);

const isLoopbackAddress = addressMatcher(["127.0.0.0/8", "::1"]);

/** RFC 1918, RFC 6598 (carrier-grade NAT), RFC 4193 (unique local addresses). */
const isPrivate = addressMatcher(["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]);

const isReserved = addressMatcher([
  "0.0.0.0/8", // this network; 0.0.0.0 reaches this machine
  "169.254.0.0/16", // link-local
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation, as the next two with 198.51 and 203.0
  "192.88.99.0/24", // 6to4 relays
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
  "2001::/23", // protocol assignments, Teredo
  "2001:db8::/32", // documentation, as the last one
  "2002::/16", // 6to4: contains an IPv4 address
  "3fff::/20",
]);

/** ISATAP (RFC 5214 §6.1): the last half is 0:5efe or 200:5efe and an IPv4 address. */
const isatapBits = /^[01]{64}0{6}[01]{2}0{8}0101111011111110/;

/**
 * Global unicast addresses of IPv6. All other addresses are special-use, also IPv4-mapped, IPv4-compatible,
 * NAT64 and link-local addresses.
 */
const isGlobalUnicast = addressMatcher(["2000::/3"]);

/**
 * The kind of an IP address. An IPv4 address in dotted IPv6 notation (`::ffff:10.0.0.1`) is that IPv4 address; other
 * addresses that contain one are `reserved`, as is a text that is not an address.
 */
export function addressKind(address: string): AddressKind {
  const bits = addressBits(address);
  if (bits === undefined || isatapBits.test(bits) || isMetadataService(address)) return "reserved";
  if (isLoopbackAddress(address)) return "loopback";
  if (isPrivate(address)) return "private";
  const isIpv6 = address.replace(/^::ffff:(?=\d+\.)/i, "").includes(":");
  return isReserved(address) || (isIpv6 && !isGlobalUnicast(address)) ? "reserved" : "public";
}
