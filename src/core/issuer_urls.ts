/** The names of one server (`issuer: "from-host"`, `frontChannelUrl`, `backChannelUrl`). */

import { isLoopback } from "./test_hosts.ts";

/** The value of `issuer` for a server whose issuer is the origin that each request was sent to. */
export const fromHost = "from-host";

/** Whether the issuer of a request may be on a host, as `URL.hostname` spells it. */
export function isIssuerHost({ issuerHosts }: { readonly issuerHosts: readonly string[] }, hostname: string): boolean {
  return isLoopback(hostname) || issuerHosts.includes(hostname);
}

/** The last issuer and its origin. Nearly every request asks for the same one, which is parsed once. */
let latest = { issuer: "", origin: "" };

/** The origin of an issuer. */
export function issuerOrigin(issuer: string): string {
  if (latest.issuer !== issuer) latest = { issuer, origin: new URL(issuer).origin };
  return latest.origin;
}

/** The issuer of a server with `issuer: "from-host"` at another origin: its path stays. */
export function issuerAt(origin: string, { issuer }: { readonly issuer: string }): string {
  return origin + new URL(issuer).pathname.replace(/\/$/, "");
}

/** The origin at which browsers reach the server. */
export function frontChannelOrigin(server: ServerUrls): string {
  return server.settings.frontChannelUrl ?? issuerOrigin(server.issuer);
}

/** The URL of the issuer as browsers reach it. */
export function frontChannelBase(
  { issuer, settings: { frontChannelUrl } }: {
    readonly issuer: string;
    readonly settings: { readonly frontChannelUrl?: string };
  },
): string {
  return frontChannelUrl === undefined ? issuer : frontChannelUrl + new URL(issuer).pathname.replace(/\/$/, "");
}

/** The origin at which clients and resource servers reach the server. */
export function backChannelOrigin(server: ServerUrls): string {
  return server.settings.backChannelUrl ?? issuerOrigin(server.issuer);
}

/** The origin of an endpoint, which the setting `origins` names by the endpoint's name in metadata. */
export function endpointOrigin(
  server: ServerUrls,
  { caller, metadataName = "" }: { readonly caller?: string; readonly metadataName?: string },
): string {
  const named = isAtOrigins(server) ? server.settings.origins[metadataName] : undefined;
  return named ?? (caller === "browser" ? frontChannelOrigin(server) : backChannelOrigin(server));
}

export function isAtOrigins({ issuer, settings: { origins } }: ServerUrls): boolean {
  return origins.issuer !== undefined && issuerOrigin(issuer) === origins.issuer;
}

/** The members of a server that determine the URLs at which it is reached. */
export interface ServerUrls {
  readonly issuer: string;
  readonly settings: {
    readonly frontChannelUrl?: string;
    readonly backChannelUrl?: string;
    readonly origins: Readonly<Record<string, string>>;
  };
}
