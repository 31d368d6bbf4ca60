/** Which address a request really comes from, when it passed a proxy (RFC 7239; `X-Forwarded-For`). */

import type { RequestLike } from "./message.ts";
import type { ClientAddress } from "./router.ts";

/** The headers in which a proxy may send the client's address, as settings name them. */
export const proxyHeaders = ["x-forwarded-for", "forwarded"] as const;

/** One of them. */
export type ProxyHeader = typeof proxyHeaders[number];

/** Tells whether an address is one of those named. */
export type AddressMatcher = (address: string) => boolean;

/**
 * Reads addresses and networks, such as `10.0.0.7`, `10.0.0.0/8`, `fd00::/8`.
 *
 * @throws {RangeError} Naming the first one that is neither.
 */
export function addressMatcher(names: readonly string[]): AddressMatcher {
  const networks = names.map((name) => {
    const [address = "", length, ...rest] = name.split("/");
    const bits = addressBits(address);
    const size = bits?.length ?? 0;
    const prefix = length === undefined ? size : /^\d{1,3}$/.test(length) ? Number(length) : NaN;
    if (bits === undefined || rest.length > 0 || !(prefix <= size)) throw new RangeError(name);
    return bits.slice(0, prefix) + (size === 32 ? "/4" : "/6");
  });
  return (address) => {
    const bits = addressBits(address);
    if (bits === undefined) return false;
    const family = bits.length === 32 ? "/4" : "/6";
    return networks.some((network) => network.endsWith(family) && bits.startsWith(network.slice(0, -2)));
  };
}

/**
 * Who sent a request: the connection's other end, or, where that is a trusted proxy, whom it names; and so on from the
 * last hop to the first one that is not trusted. What an untrusted sender writes there counts for nothing.
 *
 * @param header The header that the proxy sets. Default: either, unless they differ.
 */
export function clientAddress(
  request: RequestLike,
  connection: ClientAddress,
  trusted: AddressMatcher,
  header?: ProxyHeader,
): ClientAddress {
  const { address } = connection;
  if (address === undefined || !trusted(address)) return connection;
  const candidates = (header === undefined ? proxyHeaders : [header]).flatMap((name) => {
    const hops = forwardedHops(name, request.headers);
    return hops === undefined ? [] : [firstUntrustedHop(address, hops, trusted)];
  });
  // A proxy writes one of the two headers and passes the other one on as anybody sent it: where they disagree, neither counts.
  if (new Set(candidates).size > 1) return { ...connection, address, proxy: address, conflicting: candidates };
  return { ...connection, address: candidates[0] ?? address, proxy: address };
}

function firstUntrustedHop(from: string, hops: string[], trusted: AddressMatcher): string {
  let address = from;
  for (let hop = hops.pop(); hop !== undefined; hop = hops.pop()) {
    if (addressBits(hop) === undefined) break;
    address = hop;
    if (!trusted(hop)) break;
  }
  return address;
}

/** The addresses in a header, from the first hop to the last; `undefined` if it has none. */
function forwardedHops(name: ProxyHeader, headers: RequestLike["headers"]): string[] | undefined {
  const hops = headers.get(name)?.split(",");
  const addresses = name === "forwarded"
    ? hops?.map((hop) => /(?:^|;)\s*for\s*=\s*("[^"]*"|[^;\s]*)/i.exec(hop)?.[1] ?? "")
    : hops;
  return addresses?.map((hop) => withoutPort(hop.trim().replaceAll('"', "")));
}

function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1];
  return bracketed ?? hop.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1");
}

/** The bits of an address as text; an IPv4 address inside IPv6 is an IPv4 address. `undefined` when it is none. */
function addressBits(text: string): string | undefined {
  const four = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text.replace(/^::ffff:(?=\d+\.)/i, ""));
  if (four !== null) {
    const bytes = four.slice(1).map(Number);
    return bytes.every((byte) => byte < 256)
      ? bytes.map((byte) => byte.toString(2).padStart(8, "0")).join("")
      : undefined;
  }
  const address = text.replace(/%.*$/, "");
  if (!/^[0-9a-f:]+$/i.test(address) || !address.includes(":")) return undefined;
  const [head = "", tail, ...rest] = address.split("::");
  if (rest.length > 0) return undefined;
  const groups = (part: string) => part === "" ? [] : part.split(":");
  const before = groups(head);
  const after = groups(tail ?? "");
  const missing = 8 - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const all = [...before, ...Array<string>(missing).fill("0"), ...after];
  if (!all.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return all.map((group) => parseInt(group, 16).toString(2).padStart(16, "0")).join("");
}
