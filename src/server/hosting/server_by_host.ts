/**
 * `issuer: "from-host"`: one server under several names. The issuer of a request is at the origin that it was sent to.
 */

import type { Context } from "../../core/http/context.ts";
import { hostHeader } from "../../core/http/cross_site.ts";
import { HttpError, type HttpRequest } from "../../core/http/message.ts";
import { boundedCache } from "../../platform/bounded_cache.ts";
import { quoteValue } from "../../core/http/quote_value.ts";
import { asServerPolicy } from "../config/server_policy.ts";
import type { HostedServer } from "../hosted_server.ts";
import type { IssuerMembers } from "./with_issuer.ts";
import { isIssuerHost, issuerAt } from "../config/server_names.ts";

/** Maximum number of names in memory: a loopback host has many, because each port makes another name. */
const maxNames = 100;

/**
 * Returns the server for a request: the same records, with the issuer of the request. A request without a host, or to a
 * host that may not be an issuer, gets the server itself; {@link rejectOtherHost} rejects the latter.
 *
 * @param membersFor Returns the members that depend on the issuer.
 */
export function serverByHost(
  server: HostedServer,
  membersFor: (issuer: string) => IssuerMembers,
): (request: HttpRequest) => HostedServer {
  const servers = boundedCache<HostedServer>(maxNames);
  return ({ headers }) => {
    const url = parseHost(headers.get("host") ?? "", new URL(server.issuer).protocol);
    if (
      url === undefined || url.origin === new URL(server.issuer).origin ||
      !isIssuerHost(server.policy, url.hostname)
    ) {
      return server;
    }
    let named = servers.get(url.origin);
    if (named === undefined) {
      servers.set(url.origin, named = { ...server, ...membersFor(issuerAt(url.origin, server)) });
    }
    return named;
  };
}

/**
 * Rejects a request to a host that may not be an issuer. An attacker may control a host name that resolves to this
 * machine (DNS rebinding).
 *
 * @throws {HttpError} 421.
 */
export function rejectOtherHost({ server, request, endpoint }: Context): void {
  // Probes of an orchestrator have the address of the machine as their host.
  if (endpoint?.errors === "text") return;
  const host = request.headers.get("host");
  if (host === null || parseHost(host, new URL(server.issuer).protocol)?.origin === new URL(server.issuer).origin) {
    return;
  }
  throw new HttpError(421, "HT-24", "This server is not the issuer of this host", {
    expected: ["a loopback host", ...asServerPolicy(server.policy).issuerHosts].join(" or "),
    received: quoteValue(host.slice(0, 256)),
  });
}

/** The origin of a `Host` header; `undefined` if the header is not a valid host. */
function parseHost(host: string, protocol: string): URL | undefined {
  const url = hostHeader.test(host.toLowerCase()) ? `${protocol}//${host}` : "";
  return URL.canParse(url) ? new URL(url) : undefined;
}
