/** The machines that can reach the server, and the actions that they may perform. */

import type { NetworkSettings } from "../server/config/server_settings.ts";
import { isLoopback, leadsToLoopback } from "../core/http/test_hosts.ts";
import type { ServerPolicy } from "../server/config/server_policy.ts";

/** The options that decide which actions a machine that reaches the server may perform. */
export interface ExposedParts {
  readonly issuer: string;
  /** The name or address it listens on. */
  readonly host: string;
  readonly policy: Pick<ServerPolicy, "allows" | "login" | "directory"> & Reach["policy"];
  /** Whether pages show each login; `insecure`: to any visitor, although the issuer is not on a test host. */
  readonly inspector: "on" | "off" | "insecure";
  /** Whether a page controls faults, the clock and the signing keys. */
  readonly faults: "on" | "off";
  /** Whether programs control the server over HTTP: all programs, or only programs with the secret. */
  readonly control: "off" | "open" | "secret";
}

/** The options that decide which machines can reach the server. */
interface Reach {
  readonly issuer: string;
  /** The name or address it listens on. */
  readonly host: string;
  readonly policy: Pick<NetworkSettings, "issuerHosts" | "frontChannelUrl" | "backChannelUrl" | "trustProxy">;
}

/**
 * Whether only this machine can reach the server: it listens on a loopback address, every name of the server is
 * loopback, and it trusts no proxy.
 */
export function isThisMachineOnly(reach: Reach): boolean {
  return listensOnLoopback(reach.host) && otherName(reach) === undefined && !reach.policy.trustProxy?.length;
}

/** A name by which other machines reach the server, such as that of a proxy on this machine. */
function otherName(
  { issuer, policy: { frontChannelUrl, backChannelUrl, issuerHosts = [] } }: Reach,
): string | undefined {
  return [issuer, frontChannelUrl, backChannelUrl].find((url) => url && !leadsToLoopback(new URL(url).hostname)) ??
    issuerHosts.find((name) => !leadsToLoopback(name));
}

/**
 * A sentence that lists what any machine that can reach the server may do; `undefined` if only this machine can reach
 * it.
 */
export function describeExposure(parts: ExposedParts): string | undefined {
  const { issuer, host, policy, inspector, faults, control } = parts;
  const { openLogin, openTools } = policy.allows;
  if (isThisMachineOnly(parts) || listensOnLoopback(host) && !openTools) return undefined;
  const permissions = [
    ...policy.login === "auto"
      ? ["is logged in as the first user"]
      : openLogin
      ? ["can log in as any user that has no password"]
      : [],
    ...openTools && policy.directory !== "off" ? [`can ${policy.directory} /clients and /users`] : [],
    ...openTools && inspector === "on" ? ["can read every login in /flows"] : [],
    ...faults === "on" ? ["can add faults, move the clock and rotate keys in /faults"] : [],
    ...faults === "on" && inspector === "on" && policy.directory === "edit" ? ["can check clients"] : [],
    ...control === "open" ? ["can control the server by /_control"] : [],
  ];
  return permissions.length === 0
    ? undefined
    : `any machine that can reach ${listensOnLoopback(host) ? otherName(parts) ?? issuer : host} ${
      permissions.join(", and ")
    }.`;
}

function listensOnLoopback(host: string): boolean {
  return isLoopback(host.includes(":") ? `[${host}]` : host);
}
