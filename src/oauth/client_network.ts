/** Groups client addresses into networks and sites, for limits. */

/** Prefix length of an IPv6 site, in bits: a site usually has many /64 networks (RFC 6177 §2). */
export const sitePrefix = 48;

/**
 * The network of an address: of IPv6 the /64, because one host controls all of it (RFC 6177 §2); of IPv4 the address.
 *
 * @param prefix Prefix length for IPv6, in bits; a multiple of 8.
 */
export function networkOf(address: string, prefix = 64): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
  if (!plain.includes(":")) return plain;
  const [head, tail] = plain.split("::").map((part) => part.split(":").filter((group) => group !== ""));
  const gap = tail === undefined ? 0 : Math.max(0, 8 - head!.length - tail.length);
  const groups = [...head!, ...Array<string>(gap).fill("0"), ...tail ?? []].map((group) => parseInt(group, 16));
  const kept = groups.slice(0, Math.ceil(prefix / 16));
  if (prefix % 16 > 0) kept[kept.length - 1]! &= 0xffff << (16 - prefix % 16);
  return `${kept.map((group) => group.toString(16)).join(":")}::/${prefix}`;
}
