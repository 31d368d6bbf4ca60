/** IP addresses and networks. `node:net` has a `BlockList`, but workers lack it, and Deno takes 15 ms to load it. */

/** Whether an address is in one of the networks. */
export type AddressMatcher = (address: string) => boolean;

/**
 * Creates a matcher of addresses and networks, such as `10.0.0.7`, `10.0.0.0/8`, `fd00::/8`.
 *
 * @throws {RangeError} If a name is neither an address nor a network. Its message is the name.
 */
export function addressMatcher(names: readonly string[]): AddressMatcher {
  const networks = names.map((name) => {
    const [, address, length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(name) ?? [];
    const bits = addressBits(address ?? "");
    if (bits === undefined || Number(length ?? 0) > bits.length) throw new RangeError(name);
    return { size: bits.length, prefix: bits.slice(0, length === undefined ? undefined : Number(length)) };
  });
  return (address) => {
    const bits = addressBits(address);
    return bits !== undefined && networks.some(({ size, prefix }) => bits.length === size && bits.startsWith(prefix));
  };
}

/** Whether a text is an IP address. */
export function isAddress(text: string): boolean {
  return addressBits(text) !== undefined;
}

/** Prefix length of an IPv6 site, in bits: a site usually has many /64 networks (RFC 6177 §2). */
export const sitePrefixBits = 48;

/**
 * The key of an address's network. IPv4: the address. IPv6: the prefix, because one host controls a whole /64
 * (RFC 6177 §2).
 *
 * @param prefixBits Prefix length for IPv6.
 */
export function networkFromAddress(address: string, prefixBits = 64): string {
  const mapped = mappedIpv4(address);
  return mapped.includes(":") ? addressBits(mapped)?.slice(0, prefixBits) ?? address : mapped;
}

/** An IPv4 address in IPv6 notation is an IPv4 address (RFC 4291 §2.5.5.2). */
function mappedIpv4(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}

/** The 32 or 128 bits of an address as text; `undefined` if it is not an address. A zone (`%eth0`) is ignored. */
export function addressBits(text: string): string | undefined {
  const address = mappedIpv4(text);
  const bytes = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(address)?.slice(1).map(Number);
  if (bytes !== undefined) return bytes.every((byte) => byte < 256) ? toBits(bytes, 8) : undefined;
  const url = `http://[${address.split("%", 1)[0]}]`;
  if (!URL.canParse(url)) return undefined;
  // The URL parser validated the address and converted an embedded IPv4 address to hexadecimal.
  const [head, tail = []] = new URL(url).hostname.slice(1, -1).split("::").map((part) =>
    part.split(":").filter(Boolean)
  );
  const zeros = Array<string>(8 - head!.length - tail.length).fill("0");
  return toBits([...head!, ...zeros, ...tail].map((group) => parseInt(group, 16)), 16);
}

function toBits(numbers: readonly number[], size: number): string {
  return numbers.map((number) => number.toString(2).padStart(size, "0")).join("");
}
