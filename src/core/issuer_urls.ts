/**
 * The names of one server (`issuer: "from-host"`, `frontChannelUrl`, `backChannelUrl`), and the setting `paths` of
 * its endpoints.
 */

import { isLoopback } from "./test_hosts.ts";
import type { ExtensionEndpointPaths } from "./endpoint_paths.gen.ts";
import { type Field, type Fields, object, text } from "../server/config/field.ts";

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

/** The origins of the URLs of a server. */
export function serverOrigins(server: ServerUrls): readonly string[] {
  const { origins } = server.settings;
  return [
    ...[issuerOrigin(server.issuer), frontChannelOrigin(server), backChannelOrigin(server)],
    ...isAtOrigins(server) ? Object.values(origins) : [],
  ];
}

/** The origin of an endpoint, which the setting `origins` names by the endpoint's name in metadata. */
export function endpointOrigin(
  server: ServerUrls,
  { caller, metadataName = "" }: { readonly caller?: string; readonly metadataName?: string },
): string {
  const named = isAtOrigins(server) ? server.settings.origins[metadataName] : undefined;
  return named ?? (caller === "browser" ? frontChannelOrigin(server) : backChannelOrigin(server));
}

/** An endpoint's URL, and its URL at the listener that asks for certificates, as in metadata (RFC 8705 §5). */
export function withAlias(
  { connectionKeys }: { readonly connectionKeys?: { readonly certificateOrigin?: string } },
  url: string,
): readonly string[] {
  const { certificateOrigin } = connectionKeys ?? {};
  return certificateOrigin === undefined ? [url] : [url, certificateOrigin + new URL(url).pathname];
}

/** Whether the setting `origins` counts: the issuer is where it says. */
function isAtOrigins({ issuer, settings: { origins } }: ServerUrls): boolean {
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

/** @internal The paths of endpoints below the issuer, by their names in metadata. */
export interface EndpointPaths extends ExtensionEndpointPaths {
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
}

/** Describes the path of an endpoint. */
export function pathField(example: string): Field<string> {
  return text([example], {
    pattern: /^(?:\/\.\.){0,4}(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+$/,
    expected: "a path of plain words, each after a slash, or such a path after /..",
  });
}

/** The description of {@link EndpointPaths} at a server that knows these extensions. */
export function endpointPathsField(
  extensions: readonly { readonly settings?: { readonly paths?: Readonly<Record<string, Field>> } }[],
): Field<EndpointPaths> {
  const members = Object.assign({}, ownPaths, ...extensions.map(({ settings }) => settings?.paths));
  return object<EndpointPaths>("EndpointPaths", members, {
    authorization_endpoint: "/authorize",
    token_endpoint: "/token",
  });
}

/** The endpoints of every server. */
const ownPaths: Fields<Omit<EndpointPaths, keyof ExtensionEndpointPaths>> = {
  authorization_endpoint: pathField("/authorize"),
  token_endpoint: pathField("/token"),
  jwks_uri: pathField("/.well-known/jwks.json"),
  userinfo_endpoint: pathField("/userinfo"),
  revocation_endpoint: pathField("/revoke"),
  introspection_endpoint: pathField("/introspect"),
  end_session_endpoint: pathField("/logout"),
};
