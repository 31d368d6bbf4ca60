/** Groups client addresses into networks and sites, for limits. */

/** Prefix length of an IPv6 site, in bits: a site usually has many /64 networks (RFC 6177 §2). */
export const sitePrefixBits = 48;

/**
 * The network of an address: of IPv6 the /64, because one host controls all of it (RFC 6177 §2); of IPv4 the address.
 *
 * @param prefixBits Prefix length for IPv6, in bits; a multiple of 8.
 */
export function networkFromAddress(address: string, prefixBits = 64): string {
  const normalized = address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
  if (!normalized.includes(":")) return normalized;
  const [head, tail] = normalized.split("::").map((part) => part.split(":").filter((group) => group !== ""));
  const gap = tail === undefined ? 0 : Math.max(0, 8 - head!.length - tail.length);
  const groups = [...head!, ...Array<string>(gap).fill("0"), ...tail ?? []].map((group) => parseInt(group, 16));
  const prefixGroups = groups.slice(0, Math.ceil(prefixBits / 16));
  if (prefixBits % 16 > 0) prefixGroups[prefixGroups.length - 1]! &= 0xffff << (16 - prefixBits % 16);
  return `${prefixGroups.map((group) => group.toString(16)).join(":")}::/${prefixBits}`;
}
