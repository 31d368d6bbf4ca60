/** The names of one server: `issuer: "from-host"`, and the settings `frontChannelUrl` and `backChannelUrl`. */

import { isLoopback } from "../test_hosts.ts";

/** The value of `issuer` for a server whose issuer is the origin that each request was sent to. */
export const fromHost = "from-host";

/** The issuer that settings name; `undefined` if it follows the port or the request. */
export function configuredIssuer({ issuer }: { readonly issuer?: string }): string | undefined {
  return issuer === fromHost ? undefined : issuer;
}

/** Whether the issuer of a request may be on a host, as `URL.hostname` spells it. */
export function isIssuerHost({ issuerHosts }: { readonly issuerHosts: readonly string[] }, hostname: string): boolean {
  return isLoopback(hostname) || issuerHosts.includes(hostname);
}

/** The origin at which browsers reach the server. */
export function frontChannelOrigin(server: ServerUrls): string {
  return server.settings.frontChannelUrl ?? new URL(server.issuer).origin;
}

/** The URL of the issuer as browsers reach it. */
export function frontChannelBase({ issuer, settings: { frontChannelUrl } }: ServerUrls): string {
  return frontChannelUrl === undefined ? issuer : frontChannelUrl + new URL(issuer).pathname.replace(/\/$/, "");
}

/** The origin at which clients and resource servers reach the server. */
export function backChannelOrigin(server: ServerUrls): string {
  return server.settings.backChannelUrl ?? new URL(server.issuer).origin;
}

/** The origins of the URLs of a server. */
export function serverOrigins(server: ServerUrls): readonly string[] {
  return [new URL(server.issuer).origin, frontChannelOrigin(server), backChannelOrigin(server)];
}

/** The members of a server that say where it is reached. */
export interface ServerUrls {
  readonly issuer: string;
  readonly settings: { readonly frontChannelUrl?: string; readonly backChannelUrl?: string };
}
