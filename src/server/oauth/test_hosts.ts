/** Test hosts: hosts that resolve to this machine, or that no production server uses (RFC 6761, RFC 2606). */

const loopbackHost = /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

const reservedHost = /(?:^|\.)(?:test|example|invalid)$/;

/** A name without dots. A number is excluded, because it is an IPv4 address. */
const singleLabelHost = /^(?!(?:\d+|0x[\da-f]*)$)[a-z\d](?:[\w-]*[a-z\d])?$/;

/** Names by which a container reaches its host machine. All other names below `.internal` may be production hosts. */
const containerHost = /^(?:(?:host|gateway)\.docker|host\.containers|host\.lima)\.internal$/;

const unroutableHosts = "a loopback address, localhost, a name that ends in .localhost, .test, .example or .invalid";

/** The test hosts, for messages. */
export const testHosts = `${unroutableHosts}, a name without a dot, host.docker.internal, gateway.docker.internal, ` +
  "host.containers.internal or host.lima.internal";

/** Whether a host, as `URL.hostname` spells it, is the machine itself (RFC 1122 §3.2.1.3, RFC 6761 §6.3). */
export function isLoopback(hostname: string): boolean {
  return loopbackHost.test(hostname);
}

/** Whether a host, as `URL.hostname` spells it, is a test host: {@link testHosts}. */
export function isTestHost(hostname: string): boolean {
  return isUnroutable(hostname) || singleLabelHost.test(hostname) || containerHost.test(hostname);
}

/** Whether a text is an http or https URL on a test host, without credentials. */
export function isTestUrl(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { hostname, username, password } = new URL(text);
  return isTestHost(hostname) && username === "" && password === "";
}

/** Names for documentation (RFC 6761 §6.4, §6.5). */
const documentationHost = /(?:^|\.)(?:example|invalid)$/;

/**
 * Whether a developer serves pages on a host, as `URL.hostname` spells it: a test host that is not a name for
 * documentation.
 */
export function servesOwnPages(hostname: string): boolean {
  return isTestHost(hostname) && !documentationHost.test(hostname);
}

/**
 * Whether plain http is allowed for the host of a client or resource. Names without a dot and container names resolve
 * differently in each network, so they are allowed only if the issuer is a test host. The other test names
 * cannot be registered as domains.
 *
 * @param localUrls Whether the server accepts URLs on all test hosts: `allows.localUrls`.
 */
export function allowsHttp(hostname: string, localUrls: boolean): boolean {
  return localUrls ? isTestHost(hostname) : isUnroutable(hostname);
}

/** The hosts that {@link allowsHttp} allows, for messages. */
export function httpHosts(localUrls: boolean): string {
  return localUrls ? testHosts : unroutableHosts;
}

/** Whether a host resolves to this machine in every network. */
function isUnroutable(hostname: string): boolean {
  return loopbackHost.test(hostname) || reservedHost.test(hostname);
}
