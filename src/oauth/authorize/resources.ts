/** Resource indicators (RFC 8707): which resources there are, and which a request may name. */

import { OAuthError } from "../errors.ts";
import { allowsHttp } from "../test_hosts.ts";
import type { Params } from "../params.ts";
import type { Server } from "../server.ts";

/** A protected resource that access tokens can be for (RFC 8707). */
export interface ResourceSettings {
  /** The absolute URI of the resource, without a fragment: the `aud` of its access tokens. */
  readonly uri: string;
  /** `opaque`: the resource introspects its access tokens. Default: `jwt`. */
  readonly access_token_format?: "jwt" | "opaque";
  /** The claims about the user in its access tokens. Default: the setting `accessTokenClaims`. */
  readonly access_token_claims?: readonly string[];
}

/** The resources of a server. */
export interface Resources {
  /** The registered spelling of a resource, or `undefined` when it may not be named. */
  find(uri: string): string | undefined;
  /** Whether its access tokens are opaque. */
  isOpaque(uri: string): boolean;
}

/**
 * Creates the resource list. Without a list, every https URI is accepted, and every http URI on a host that may use
 * plain http.
 *
 * @param isTestIssuer Whether the issuer's host is a test host.
 */
export function resourceIndicators(
  settings: readonly ResourceSettings[] | undefined,
  isTestIssuer: boolean,
): Resources {
  const byUri = new Map(settings?.map((resource) => [canonicalUri(resource.uri), resource]));
  return {
    find(uri) {
      if (!isAbsoluteUri(uri)) return undefined;
      const key = canonicalUri(uri);
      if (settings !== undefined) return byUri.get(key)?.uri;
      return /^https:/i.test(uri) || allowsHttp(new URL(uri).hostname, isTestIssuer) ? key : undefined;
    },
    isOpaque: (uri) => byUri.get(canonicalUri(uri))?.access_token_format === "opaque",
  };
}

const absoluteUri = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#@\s]+)(?=[/?]|$)([^#\s]*)$/;

/** Whether a text can name a resource (RFC 8707 §2). */
export function isAbsoluteUri(uri: string): boolean {
  return absoluteUri.test(uri) && URL.canParse(uri);
}

/** Scheme and host in small letters, and no lone slash as path: as far as two spellings of one resource may differ. */
export function canonicalUri(uri: string): string {
  const [, scheme, host, rest] = absoluteUri.exec(uri) ?? [];
  if (scheme === undefined || host === undefined) return uri;
  return `${scheme.toLowerCase()}://${host.toLowerCase()}${rest === "/" ? "" : rest}`;
}

/** Limits of one request: number of resources, characters of one URI, characters of all URIs. */
const maxResources = 16;
const maxUriLength = 512;
const maxTotalUriLength = 2048;

/** The registered spelling of a resource; the id of a client is never a resource. */
function findResource(server: Server, uri: string): string | undefined {
  const registered = server.resources.find(uri);
  return registered === undefined || server.clients.find(registered) !== undefined ? undefined : registered;
}

/** The granted resources that are still registered, in their current spelling. */
export function registeredResources(server: Server, granted: readonly string[]): readonly string[] {
  return granted.flatMap((uri) => findResource(server, uri) ?? []);
}

/** Reads the resources a request names; none is fine. */
export function readResources(server: Server, params: Params): string[] {
  const requested = params.getAll("resource");
  if (requested.length === 0) return [];
  const isTooMuch = requested.length > maxResources || requested.join("").length > maxTotalUriLength;
  const resources = requested.map((uri) => {
    const resource = isTooMuch || uri.length > maxUriLength ? undefined : findResource(server, uri);
    if (resource !== undefined) return resource;
    throw new OAuthError("invalid_target", "resource is not an absolute URI of a resource known here", {
      rule: "RI-01",
      expected: "an absolute URI without a fragment, of a resource that this server issues tokens for",
      received: uri,
    });
  });
  return [...new Set(resources)];
}

/** The resources for one access token: those a token request names, all of them granted; or all that were granted. */
export function narrowResources(server: Server, granted: readonly string[], params: Params): readonly string[] {
  const requested = readResources(server, params);
  if (requested.length === 0) return granted;
  if (requested.every((uri) => granted.includes(uri))) return requested;
  throw new OAuthError("invalid_target", "resource is not one that was granted", {
    rule: "RI-03",
    expected: granted.join(" or ") || "no resource, none was granted",
    received: requested.join(" "),
  });
}
