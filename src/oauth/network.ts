/** Who counts as one sender: an address, or as much of it as tells networks or sites apart. */

/** The bits of an IPv6 address that tell sites apart: whoever is given more than a /64 is given as many /64s (RFC 6177 §2). */
export const sitePrefix = 48;

/**
 * Whoever has one IPv6 address has the rest of its /64 too (RFC 6177 §2), so that is what counts; of IPv4, the address.
 *
 * @param prefix Bits of an IPv6 address that tell networks apart, a multiple of 8.
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
