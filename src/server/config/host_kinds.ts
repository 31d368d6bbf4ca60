/** Hosts of one network, URLs on test hosts, and URLs that only their host receives. */

import { addressMatcher } from "../../platform/http/ip_address.ts";
import { isTestHost, maxName } from "../../core/http/test_hosts.ts";
import { isPublicName } from "./public_names.ts";

/** Addresses of one site (RFC 1918, RFC 6598, RFC 4193). */
const isPrivateAddress = addressMatcher(["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]);

/** A name with dots, without one at its end, that is no address. */
const dottedName = /^(?:[\w-]+\.)+[a-z][\w-]*$/;

/** The hosts that {@link isPrivateHost} allows, for messages. */
export const privateHostKinds = "a private address, or a name below no public top-level domain, such as " +
  "keycloak.auth.svc, idp.corp.internal, idp.lan or laptop.local";

/**
 * Whether a host, as `URL.hostname` spells it, belongs to one network: a private address, or a name that cannot be
 * registered as a domain. It may be this machine or a production server, so it is a test host only if the setting
 * `issuerHosts` names it.
 */
export function isPrivateHost(hostname: string): boolean {
  return hostname.length <= maxName && dottedName.test(hostname) && !isPublicName(hostname) ||
    isPrivateAddress(hostname.replace(/^\[(.*)\]$/, "$1"));
}

/**
 * Whether a resource and its authorization server may use plain http on a host, as `URL.hostname` spells it: its
 * operator wrote the URL, and the host belongs to one network.
 */
export function allowsPlainHttp(hostname: string): boolean {
  return isTestHost(hostname) || isPrivateHost(hostname);
}

/** Whether a text is an http or https URL on a test host, without credentials. */
export function isTestUrl(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { hostname, username, password } = new URL(text);
  return isTestHost(hostname) && username === "" && password === "";
}

/** Whether only the host of a URL receives what is sent there: it has https, and is not localhost. */
export function isPublicUri(uri: string): boolean {
  if (!URL.canParse(uri)) return false;
  const { protocol, hostname } = new URL(uri);
  return protocol === "https:" && hostname !== "localhost";
}
