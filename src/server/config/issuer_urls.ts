/**
 * The names of one server (`issuer: "from-host"`, `frontChannelUrl`, `backChannelUrl`), and the setting `paths` of
 * its endpoints.
 */

import { isLoopback } from "../oauth/test_hosts.ts";
import { type Field, object, text } from "./field.ts";

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

/** The last issuer and its origin. Nearly every request asks for the same one, which is parsed once. */
let latest = { issuer: "", origin: "" };

function issuerOrigin(issuer: string): string {
  if (latest.issuer !== issuer) latest = { issuer, origin: new URL(issuer).origin };
  return latest.origin;
}

/** The origin at which browsers reach the server. */
export function frontChannelOrigin(server: ServerUrls): string {
  return server.settings.frontChannelUrl ?? issuerOrigin(server.issuer);
}

/** The URL of the issuer as browsers reach it. */
export function frontChannelBase({ issuer, settings: { frontChannelUrl } }: ServerUrls): string {
  return frontChannelUrl === undefined ? issuer : frontChannelUrl + new URL(issuer).pathname.replace(/\/$/, "");
}

/** The origin at which clients and resource servers reach the server. */
export function backChannelOrigin(server: ServerUrls): string {
  return server.settings.backChannelUrl ?? issuerOrigin(server.issuer);
}

/** The origins of the URLs of a server. */
export function serverOrigins(server: ServerUrls): readonly string[] {
  return [issuerOrigin(server.issuer), frontChannelOrigin(server), backChannelOrigin(server)];
}

/** The members of a server that determine the URLs at which it is reached. */
export interface ServerUrls {
  readonly issuer: string;
  readonly settings: { readonly frontChannelUrl?: string; readonly backChannelUrl?: string };
}

/** @internal The paths of endpoints below the issuer, by their names in metadata. */
export interface EndpointPaths {
  /** Default: `/oauth2/authorize`. */
  readonly authorization_endpoint?: string;
  /** Default: `/oauth2/token`. */
  readonly token_endpoint?: string;
  /** Default: `/oauth2/jwks`. */
  readonly jwks_uri?: string;
  /** Default: `/oauth2/userinfo`. */
  readonly userinfo_endpoint?: string;
  /** Default: `/oauth2/revoke`. */
  readonly revocation_endpoint?: string;
  /** Default: `/oauth2/introspect`. */
  readonly introspection_endpoint?: string;
  /** Default: `/oauth2/logout`. */
  readonly end_session_endpoint?: string;
  /** Default: `/oauth2/par`. */
  readonly pushed_authorization_request_endpoint?: string;
  /** Default: `/oauth2/register`. The registration of each client is below it. */
  readonly registration_endpoint?: string;
  /** Default: `/oauth2/device_authorization`. */
  readonly device_authorization_endpoint?: string;
  /** Default: `/oauth2/backchannel_authentication`. */
  readonly backchannel_authentication_endpoint?: string;
}

function path(example: string): Field<string> {
  return text([example], {
    pattern: /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+$/,
    expected: "a path of plain words, each after a slash",
  });
}

/** Describes {@link EndpointPaths}. */
export const endpointPaths = object<EndpointPaths>("EndpointPaths", {
  authorization_endpoint: path("/authorize"),
  token_endpoint: path("/token"),
  jwks_uri: path("/.well-known/jwks.json"),
  userinfo_endpoint: path("/userinfo"),
  revocation_endpoint: path("/revoke"),
  introspection_endpoint: path("/introspect"),
  end_session_endpoint: path("/logout"),
  pushed_authorization_request_endpoint: path("/par"),
  registration_endpoint: path("/register"),
  device_authorization_endpoint: path("/device_authorization"),
  backchannel_authentication_endpoint: path("/backchannel_authentication"),
}, { authorization_endpoint: "/authorize", token_endpoint: "/token" });
