/** The host check against DNS rebinding: some pages are served only under the issuer's host or a loopback host. */

import { HttpError } from "../http/http_error.ts";
import type { RequestLike } from "../http/message.ts";
import { frontChannelOrigin, type ServerUrls } from "../oauth/config/issuer_urls.ts";
import { quote } from "../oauth/config/config_issue.ts";
import { isLoopback } from "../oauth/test_hosts.ts";
import type { RejectionRuleId } from "../oauth/rules/mod.ts";
import type { Context } from "./context.ts";

/** A name or an address, and an optional port (RFC 9110 §7.2). */
const hostHeader = /^(\[[\da-f:.]+\]|[^:[\]]+)(?::\d{1,5})?$/;

/**
 * Prevents DNS rebinding: if an attacker's host name resolves to this machine, the attacker's page has the same origin
 * as this server's pages under that name. Only the issuer's host, that of `frontChannelUrl` and
 * loopback hosts are trusted.
 *
 * @param rule The ID of the violated rule.
 * @throws {HttpError} 403.
 */
export function rejectUntrustedHost(server: ServerUrls, request: RequestLike, rule: RejectionRuleId): void {
  if (isTrustedHost(server, request)) return;
  const { host } = new URL(frontChannelOrigin(server));
  const received = quote(request.headers.get("host")?.slice(0, 256));
  throw new HttpError(
    403,
    rule,
    `This page is served only under ${host} or a loopback host; the request was for ${received}`,
  );
}

/**
 * The `Host` header for a request that the server sends to itself because of this one: the same checks apply to both.
 */
export function repeatedHost({ headers }: RequestLike): readonly (readonly [name: string, value: string])[] {
  const host = headers.get("host");
  return host === null ? [] : [["host", host]];
}

/** Whether the `Host` header is the issuer's host, that of `frontChannelUrl` or a loopback host. */
export function isTrustedHost(server: ServerUrls, { headers }: RequestLike): boolean {
  const host = headers.get("host");
  // A request without a Host header did not come over the network but from the embedding program.
  if (host === null) return true;
  // Not parsed as a URL: browsers accept host names that the URL parser rejects.
  const hostname = hostHeader.exec(host.toLowerCase())?.[1];
  if (hostname === undefined) return false;
  return isLoopback(hostname) || hostname === new URL(server.issuer).hostname ||
    hostname === new URL(frontChannelOrigin(server)).hostname;
}

/**
 * Rejects a request to a host that may not be an issuer, where each request has one (`issuer: "from-host"`): the name
 * may be one that an attacker resolves to this machine.
 *
 * @throws {HttpError} 421.
 */
export function rejectOtherHost({ server, request }: Pick<Context, "server" | "request">): void {
  if (!server.settings.isIssuerFromHost) return;
  const host = request.headers.get("host");
  if (host === null || parseHost(host, new URL(server.issuer).protocol)?.origin === server.issuer) return;
  throw new HttpError(421, "HT-24", "This server is not the issuer of this host", {
    expected: ["a loopback host", ...server.settings.issuerHosts].join(" or "),
    received: quote(host.slice(0, 256)),
  });
}

/** The origin of a `Host` header; `undefined` if the header is no host. */
export function parseHost(host: string, protocol: string): URL | undefined {
  const url = hostHeader.test(host.toLowerCase()) ? `${protocol}//${host}` : "";
  return URL.canParse(url) ? new URL(url) : undefined;
}
