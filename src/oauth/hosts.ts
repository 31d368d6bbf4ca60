/** Test hosts: hosts that lead to this machine, or that no production uses (RFC 6761, RFC 2606). */

const loopback = /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

const reserved = /(?:^|\.)(?:test|example|invalid)$/;

/** Not a number, which is an IPv4 address in another spelling, and not a name that ends in a dot. */
const withoutDot = /^(?!(?:\d+|0x[\da-f]*)$)[a-z\d](?:[\w-]*[a-z\d])?$/;

/** By these names a container calls the machine that runs it. All other names below `.internal` are for production. */
const containerHost = /^(?:(?:host|gateway)\.docker|host\.containers|host\.lima)\.internal$/;

const localNames = "a loopback address, localhost, a name that ends in .localhost, .test, .example or .invalid";

/** The test hosts, for messages. */
export const testHosts = `${localNames}, a name without a dot, host.docker.internal, gateway.docker.internal, ` +
  "host.containers.internal or host.lima.internal";

/** Whether a host, as `URL.hostname` spells it, is the machine itself (RFC 1122 §3.2.1.3, RFC 6761 §6.3). */
export function isLoopback(hostname: string): boolean {
  return loopback.test(hostname);
}

/** Whether a host, as `URL.hostname` spells it, is a test host: {@link testHosts}. */
export function isTestHost(hostname: string): boolean {
  return isUnroutable(hostname) || withoutDot.test(hostname) || containerHost.test(hostname);
}

/**
 * Whether plain http may lead to a host that a server is told of: a client's, or a resource's. The network of whoever
 * looks a name up decides where names without a dot and those of containers lead, so they count for a test host's server
 * alone; nobody can have the other ones.
 *
 * @param onTestHost Whether the server's own host is a test host.
 */
export function allowsHttp(hostname: string, onTestHost: boolean): boolean {
  return onTestHost ? isTestHost(hostname) : isUnroutable(hostname);
}

/** What {@link allowsHttp} allows, for messages. */
export function httpHosts(onTestHost: boolean): string {
  return onTestHost ? testHosts : localNames;
}

/** Whether no other machine can be meant, whatever network it is looked up in. */
function isUnroutable(hostname: string): boolean {
  return loopback.test(hostname) || reserved.test(hostname);
}
