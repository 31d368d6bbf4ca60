/** Hosts that cannot be anybody else's: this machine, and names reserved for tests (RFC 6761, RFC 2606). */

const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;
const reserved = /(?:^|\.)(?:test|example|localhost|internal)$/;

/** Whether a host, as `URL.hostname` spells it, is the machine itself. */
export function isLoopback(hostname: string): boolean {
  return loopback.test(hostname);
}

/** Whether a host, as `URL.hostname` spells it, is the machine itself or a name reserved for tests. */
export function isTestHost(hostname: string): boolean {
  return isLoopback(hostname) || reserved.test(hostname);
}
