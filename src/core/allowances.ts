/**
 * The permissions of a server whose issuer is on a test host, which no user of a production server reaches. With
 * `issuer: "from-host"` each issuer is on a test host.
 */

import type { LocalUrls } from "./test_hosts.ts";

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
   * For clients of unknown standing, `onTestHosts` of a requirement applies, and by default any client can register
   * itself. Such endpoints need no credentials, so pages of other sites may not use them (CSRF).
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
