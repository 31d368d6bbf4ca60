/** Decides once, from the issuer, what a server on a test host allows. All other code reads `settings.allows`. */

import { type Allowances, allowancesFor, isTestHost } from "../../core/http/test_hosts.ts";
import { isPrivateHost } from "./host_kinds.ts";

/** The permissions of a server with this issuer, and with these hosts in the setting `issuerHosts`. */
export function allowancesOf(issuer: string, issuerHosts: readonly string[] = []): Allowances {
  const { hostname } = URL.canParse(issuer) ? new URL(issuer) : { hostname: "" };
  const isOnTestHost = isTestHost(hostname) || isPrivateHost(hostname) && issuerHosts.includes(hostname);
  return allowancesFor(isOnTestHost, issuerHosts);
}
