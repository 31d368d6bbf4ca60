/** The setting `trustProxy`: the address of the client behind trusted proxies (RFC 7239; `X-Forwarded-For`). */

import type { HttpRequest } from "../../core/http/message.ts";
import type { ClientAddress } from "../../core/http/router.ts";
import type { ServerPolicy } from "../config/server_policy.ts";
import { type AddressMatcher, addressMatcher, isAddress } from "../../platform/http/ip_address.ts";

/** Creates the function that reads the address of a client behind the trusted proxies. */
export function addressReader(
  { trustProxy, proxyHeader }: ServerPolicy,
): (request: HttpRequest, connection: ClientAddress) => ClientAddress {
  const trusted = addressMatcher(trustProxy);
  return (request, connection) => clientAddress(request, connection, trusted, proxyHeader);
}

/** The headers in which a proxy may send the client's address. */
const proxyHeaders = ["x-forwarded-for", "forwarded"] as const;

export type ProxyHeader = typeof proxyHeaders[number];

/**
 * The client address of a request: the peer of the connection or, if the peer is a trusted proxy, the last hop in its
 * header that is not a trusted proxy. Headers of untrusted peers are ignored.
 *
 * @param header The header that the proxy sets. Default: both headers; if they differ, neither.
 */
export function clientAddress(
  request: HttpRequest,
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
  // A proxy sets one of the two headers and forwards the other one unchecked. If they differ, both are ignored.
  if (new Set(candidates).size > 1) return { ...connection, address, proxy: address, conflicting: candidates };
  return { ...connection, address: candidates[0] ?? address, proxy: address };
}

function firstUntrustedHop(from: string, hops: string[], trusted: AddressMatcher): string {
  let address = from;
  for (let hop = hops.pop(); hop !== undefined; hop = hops.pop()) {
    if (!isAddress(hop)) break;
    address = hop;
    if (!trusted(hop)) break;
  }
  return address;
}

/** The addresses in a header, from the first hop to the last; `undefined` without the header. */
function forwardedHops(name: ProxyHeader, headers: HttpRequest["headers"]): string[] | undefined {
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
