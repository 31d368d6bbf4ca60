/**
 * Test hosts: hosts that resolve to this machine, or that no production server uses (RFC 6761, RFC 2606), and what a
 * server on one permits. No user of a production server reaches a test host.
 */

const loopbackHost = /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

const reservedHost = /(?:^|\.)(?:test|example|invalid)$/;

/** A name without dots. A number is excluded, because it is an IPv4 address. */
const singleLabelHost = /^(?!(?:\d+|0x[\da-f]*)$)[a-z\d](?:[\w-]*[a-z\d])?$/;

/** Names by which a container reaches its host machine. All other names below `.internal` may be production hosts. */
const containerHost =
  /^(?:(?:host|gateway)\.docker|host\.(?:containers|k3d|lima|minikube|orb|rancher-desktop|testcontainers))\.internal$/;

/** Public names below which every name resolves to a loopback address. */
const loopbackDomain = /^(?:[\w-]+\.)*(?:localtest|lvh)\.me$/;

/**
 * Public names that resolve to the address in them: 127.0.0.1 below nip.io or sslip.io, also as 7f000001, and no
 * address below traefik.me, which is 127.0.0.1. A part before it that could be read as another address is excluded:
 * one with numbers, of eight hexadecimal digits, or of an IPv6 address with hyphens (`fd-a-b-c-127-0-0-1`).
 */
const loopbackAddressName =
  /^(?!(?:.*[.-])?[a-f]{8}[.-])(?!(?:.*[.-])?[a-f]{1,4}-127-)(?:(?:[a-z]+[.-])*(?:127([.-])\d{1,3}\1\d{1,3}\1\d{1,3}|7f[\da-f]{6})\.(?:nip|sslip)\.io|(?:[a-z]+[.-])*(?<!-)traefik\.me)$/;

/** The hosts that every client and resource may use with plain http, for messages. */
export const unroutableHosts =
  "a loopback address, localhost, a name that ends in .localhost, .test, .example or .invalid";

/** The test hosts, for messages. */
export const testHosts = `${unroutableHosts}, a name without a dot, host.docker.internal or another ` +
  "name of the host machine in containers, or a name below localtest.me, lvh.me, traefik.me, 127.0.0.1.nip.io or " +
  "127.0.0.1.sslip.io";

/** The hosts of the setting `issuerHosts`, at a server on a test host; `false` at any other server. */
export type LocalUrls = false | readonly string[];

/** Whether a server accepts URLs on a host, as `URL.hostname` spells it, only because the server is on a test host. */
export function isLocalHost(hostname: string, localUrls: LocalUrls): boolean {
  return localUrls !== false && (isTestHost(hostname) || localUrls.includes(hostname));
}

/**
 * Whether a host, as `URL.hostname` spells it, leads to this machine: a loopback host, or a public name for one. Trust
 * in a page or a request needs {@link isLoopback}, because the owner of such a name can change its address.
 */
export function leadsToLoopback(hostname: string): boolean {
  return isLoopback(hostname) || isLoopbackName(hostname);
}

/** Whether a host, as `URL.hostname` spells it, is the machine itself (RFC 1122 §3.2.1.3, RFC 6761 §6.3). */
export function isLoopback(hostname: string): boolean {
  return matches(loopbackHost, hostname);
}

/** Whether a host, as `URL.hostname` spells it, is a test host: {@link testHosts}. */
export function isTestHost(hostname: string): boolean {
  return isUnroutable(hostname) || matches(singleLabelHost, hostname) || matches(containerHost, hostname) ||
    isLoopbackName(hostname);
}

/** Names for documentation (RFC 6761 §6.4, §6.5). */
const documentationHost = /(?:^|\.)(?:example|invalid)$/;

/**
 * Whether a developer serves pages on a host, as `URL.hostname` spells it: a test host that is neither a name for
 * documentation nor a public name, whose owner decides its address.
 */
export function servesOwnPages(hostname: string): boolean {
  return isTestHost(hostname) && !matches(documentationHost, hostname) && !isLoopbackName(hostname);
}

/**
 * Whether plain http is allowed for the host of a client or resource. Names without a dot and container names resolve
 * differently in each network, so they are allowed only if the issuer is on a test host.
 */
export function allowsHttp(hostname: string, localUrls: LocalUrls): boolean {
  return isLocalHost(hostname, localUrls) || isUnroutable(hostname);
}

/** Whether a host is this machine, or a name that cannot be registered as a domain. */
function isUnroutable(hostname: string): boolean {
  return matches(loopbackHost, hostname) || matches(reservedHost, hostname);
}

/** Whether a host is a public name that leads to this machine, such as `app.localtest.me` or `127.0.0.1.nip.io`. */
export function isLoopbackName(hostname: string): boolean {
  return matches(loopbackDomain, hostname) || matches(loopbackAddressName, hostname);
}

/** The longest name that resolves (RFC 1035 §2.3.4). */
export const maxName = 253;

function matches(pattern: RegExp, hostname: string): boolean {
  return hostname.length <= maxName && pattern.test(hostname);
}

/** @internal The permissions of a server. On a test host it has every permission, on other hosts none. */
export interface Allowances {
  /** Signing keys whose private part is public, and secrets of the server that a seeded test has generated. */
  readonly testKeys: boolean;
  /**
   * Users are for tests: they log in without a password, a request or a program can choose the user, and by default
   * guesses of secrets are not limited. No password protects a login, so its pages have a host check (DNS rebinding).
   */
  readonly openLogin: boolean;
  /** Responses explain rejections, with names of clients and links to recorded flows; notes are traced. */
  readonly explanations: boolean;
  /**
   * Clients, resources and trusted issuers may have http URLs on any test host and on these hosts of the operator, and
   * local programs may register them.
   */
  readonly localUrls: LocalUrls;
  /**
   * Clients of unknown standing may do more (`onTestHosts` in `server/config/standing.ts`), and by default any client can
   * register itself. Such endpoints need no credentials, so pages of other sites may not use them (CSRF).
   */
  readonly unknownClients: boolean;
  /** Tools of developers need no credentials: directory, inspector, faults, control, demo clients, secrets on pages. */
  readonly openTools: boolean;
}

/**
 * The permissions of a server.
 *
 * @param hosts Further hosts that clients, resources and trusted issuers may have, if it is on a test host.
 */
export function allowancesFor(isOnTestHost: boolean, hosts: readonly string[]): Allowances {
  return {
    testKeys: isOnTestHost,
    openLogin: isOnTestHost,
    explanations: isOnTestHost,
    localUrls: isOnTestHost && hosts,
    unknownClients: isOnTestHost,
    openTools: isOnTestHost,
  };
}
