/** The host check against DNS rebinding: some pages are served only under the issuer's host or a loopback host. */

import { HttpError } from "../http/http_error.ts";
import type { RequestLike } from "../http/message.ts";
import { quote } from "../oauth/config/config_issue.ts";
import { isLoopback } from "../oauth/test_hosts.ts";
import type { RejectionRuleId } from "../oauth/rules/mod.ts";

/** A name or an address, and an optional port (RFC 9110 §7.2). */
const hostHeader = /^(\[[\da-f:.]+\]|[^:[\]]+)(?::\d{1,5})?$/;

/**
 * Prevents DNS rebinding: if an attacker's host name resolves to this machine, the attacker's page has the same origin
 * as this server's pages under that name. Only the issuer's host and loopback hosts are trusted.
 *
 * @param rule The ID of the violated rule.
 * @throws {HttpError} 403.
 */
export function rejectUntrustedHost(issuer: string, request: RequestLike, rule: RejectionRuleId): void {
  if (isTrustedHost(issuer, request)) return;
  const { host } = new URL(issuer);
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

/** Whether the `Host` header is the issuer's host or a loopback host. */
export function isTrustedHost(issuer: string, { headers }: RequestLike): boolean {
  const host = headers.get("host");
  // A request without a Host header did not come over the network but from the embedding program.
  if (host === null) return true;
  // Not parsed as a URL: browsers accept host names that the URL parser rejects.
  const hostname = hostHeader.exec(host.toLowerCase())?.[1];
  if (hostname === undefined) return false;
  return isLoopback(hostname) || hostname === new URL(issuer).hostname;
}
