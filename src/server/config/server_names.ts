/** The names of the whole server (`issuer: "from-host"`, `frontChannelUrl`, `backChannelUrl`, `origins`). */

import { basePath, type ServerNames } from "../../core/http/names.ts";
import { isLoopback } from "../../core/http/test_hosts.ts";

/** The value of `issuer` for a server whose issuer is the origin that each request was sent to. */
export const fromHost = "from-host";

/** @internal The names of a server, as its settings have them. */
export interface NamePolicy {
  /** Whether the issuer of each request is the origin that it was sent to: one of `issuerHosts`, or a loopback host. */
  readonly isIssuerFromHost: boolean;
  /** The hosts by which clients reach the server, besides that of the issuer. */
  readonly issuerHosts: readonly string[];
  /** The origin at which browsers reach the server. Default: the origin of the issuer. */
  readonly frontChannelUrl?: string;
  /** The origin at which clients reach the server. Default: the origin of the issuer. */
  readonly backChannelUrl?: string;
  /** The origins of endpoints by their names in metadata, while the issuer has the origin `issuer`. */
  readonly origins: Readonly<Record<string, string>>;
}

export function serverNames(issuer: string, policy: NamePolicy): ServerNames {
  const { frontChannelUrl, backChannelUrl, origins } = policy;
  const { origin } = new URL(issuer);
  const names = {
    frontChannel: frontChannelUrl ?? origin,
    backChannel: backChannelUrl ?? origin,
    endpoints: origins.issuer === origin ? origins : undefined,
  };
  if (!policy.isIssuerFromHost) return { ...names, storage: issuer };
  const isIssuer = (other: string) =>
    isIssuerHost(policy, new URL(other).hostname) && other === issuerAt(new URL(other).origin, { issuer });
  return { ...names, storage: fromHost, isIssuer };
}

/** Whether the issuer of a request may be on a host, as `URL.hostname` spells it. */
export function isIssuerHost({ issuerHosts }: Pick<NamePolicy, "issuerHosts">, hostname: string): boolean {
  return isLoopback(hostname) || issuerHosts.includes(hostname);
}

/** The issuer of a server with `issuer: "from-host"` at another origin: its path stays. */
export function issuerAt(origin: string, { issuer }: { readonly issuer: string }): string {
  return origin + basePath(issuer);
}
