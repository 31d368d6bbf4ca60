/**
 * `issuer: "from-host"`: one server under several names. The issuer of a request is at the origin that it was sent to.
 */

import { parseHost } from "../../core/cross_site.ts";
import type { RequestLike } from "../../core/http/message.ts";
import { boundedCache } from "../../platform/bounded_cache.ts";
import { isIssuerHost, issuerAt, issuerOrigin } from "../../core/issuer_urls.ts";
import type { HostedServer } from "../hosted_server.ts";

/** Maximum number of names in memory: a loopback host has many, because each port makes another name. */
const maxNames = 100;

/**
 * Returns the server for a request: the same records, with the issuer of the request. A request without a host, or to a
 * host that may not be an issuer, gets the server itself; `rejectOtherHost` rejects the latter.
 *
 * @param serverAt Returns the server with an issuer.
 */
export function serverByHost(
  server: HostedServer,
  serverAt: (issuer: string) => HostedServer,
): (request: RequestLike) => HostedServer {
  const servers = boundedCache<HostedServer>(maxNames);
  return ({ headers }) => {
    const url = parseHost(headers.get("host") ?? "", new URL(server.issuer).protocol);
    if (
      url === undefined || url.origin === issuerOrigin(server.issuer) || !isIssuerHost(server.settings, url.hostname)
    ) {
      return server;
    }
    let named = servers.get(url.origin);
    if (named === undefined) {
      servers.set(url.origin, named = { ...server, ...serverAt(issuerAt(url.origin, server)) });
    }
    return named;
  };
}
