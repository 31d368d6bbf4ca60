/** The host check against DNS rebinding: some pages are served only under the issuer's host or a loopback host. */

import { HttpError } from "../http/http_error.ts";
import type { RequestLike } from "../http/message.ts";
import { quote } from "../oauth/config/config_issue.ts";
import { isLoopback } from "../oauth/test_hosts.ts";
import type { RejectionRuleId } from "../oauth/rules/mod.ts";

/** A name or an address, and perhaps a port (RFC 9110 §7.2). */
const hostHeader = /^(\[[\da-f:.]+\]|[^:[\]]+)(?::\d{1,5})?$/;

/**
 * Rejects DNS rebinding: an attacker's host name resolves to this machine, so the attacker's page has the same origin
 * as this server's pages under that name. Only the issuer's host and loopback hosts are safe.
 *
 * @param rule The ID of the rule that a breach breaks.
 * @throws {HttpError} 403.
 */
export function rejectForeignHost(issuer: string, request: RequestLike, rule: RejectionRuleId): void {
  if (isTrustedHost(issuer, request)) return;
  const { host } = new URL(issuer);
  const received = quote(request.headers.get("host")?.slice(0, 256));
  throw new HttpError(
    403,
    rule,
    `This page is served only under ${host} or a loopback host; the request was for ${received}`,
  );
}

/** Whether the request names such a host. */
export function isTrustedHost(issuer: string, { headers }: RequestLike): boolean {
  const host = headers.get("host");
  // Nothing came over a network: a program asks the server that it holds.
  if (host === null) return true;
  // Never by URL: what that refuses, browsers may take for a name all the same.
  const hostname = hostHeader.exec(host.toLowerCase())?.[1];
  if (hostname === undefined) return false;
  return isLoopback(hostname) || hostname === new URL(issuer).hostname;
}
