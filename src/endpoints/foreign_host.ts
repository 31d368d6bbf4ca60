/** Whether a request came by a name of this server: what only its own people should see or change is shown by no other. */

import { HttpFault } from "../http/fault.ts";
import type { Incoming } from "../http/reply.ts";
import { isTestHost } from "../oauth/hosts.ts";

const address = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[.*\])$/;

/** A name or an address, and perhaps a port (RFC 9110 §7.2). */
const nameAndPort = /^(\[[\da-f:.]+\]|[^:[\]]+)(?::\d{1,5})?$/;

/**
 * A page of a stranger can have its own name lead to this machine, and then ask and read whatever is answered under that
 * name. So a name must be the issuer's or one that nobody can own; an address cannot be made to lead elsewhere.
 *
 * @param rule The ID of the rule that a breach breaks.
 * @throws {HttpFault} 403.
 */
export function refuseForeignHost(issuer: string, request: Incoming, rule: string): void {
  if (isOwnHost(issuer, request)) return;
  throw new HttpFault(403, rule, "These pages are shown under the issuer's own host name, or that of a test, alone");
}

/** Whether it came by such a name. */
export function isOwnHost(issuer: string, { headers }: Incoming): boolean {
  const host = headers.get("host");
  // Nothing came over a network: a program asks the server that it holds.
  if (host === null) return true;
  // Never by URL: what that refuses, browsers may take for a name all the same.
  const hostname = nameAndPort.exec(host.toLowerCase())?.[1];
  if (hostname === undefined) return false;
  return hostname === new URL(issuer).hostname || isTestHost(hostname) || address.test(hostname);
}
