/** The resources of a server (RFC 8707), and how their URIs are compared. */

import { allowsHttp, type LocalUrls } from "./test_hosts.ts";

/** @internal A protected resource that access tokens can be for (RFC 8707). */
export interface ResourceSettings {
  /** The absolute URI of the resource, without a fragment: the `aud` of its access tokens. */
  readonly uri: string;
  /** `opaque`: the resource introspects its access tokens. Default: `jwt`. */
  readonly access_token_format?: "jwt" | "opaque";
  /** The claims about the user in its access tokens. Default: the setting `accessTokenClaims`. */
  readonly access_token_claims?: readonly string[];
}

/** @internal The resources of a server. */
export interface Resources {
  /** The registered spelling of a resource, or `undefined` when it may not be named. */
  find(uri: string): string | undefined;
  isOpaque(uri: string): boolean;
}

/**
 * Creates the resource list. Without a list, every https URI is accepted, and every http URI on a host that may use
 * plain http.
 */
export function resourceIndicators(
  settings: readonly ResourceSettings[] | undefined,
  localUrls: LocalUrls,
): Resources {
  const byUri = new Map(settings?.map((resource) => [canonicalUri(resource.uri), resource]));
  return {
    find(uri) {
      if (!isAbsoluteUri(uri)) return undefined;
      const key = canonicalUri(uri);
      if (settings !== undefined) return byUri.get(key)?.uri;
      return /^https:/i.test(uri) || allowsHttp(new URL(uri).hostname, localUrls) ? key : undefined;
    },
    isOpaque: (uri) => byUri.get(canonicalUri(uri))?.access_token_format === "opaque",
  };
}

const absoluteUri = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#@\s]+)(?=[/?]|$)([^#\s]*)$/;

/** Whether a text can name a resource (RFC 8707 §2). */
export function isAbsoluteUri(uri: string): boolean {
  return absoluteUri.test(uri) && URL.canParse(uri);
}

/** The canonical spelling of a URI: scheme and host in lower case, and no lone slash as path. */
export function canonicalUri(uri: string): string {
  const [, scheme, host, rest] = absoluteUri.exec(uri) ?? [];
  if (scheme === undefined || host === undefined) return uri;
  return `${scheme.toLowerCase()}://${host.toLowerCase()}${rest === "/" ? "" : rest}`;
}
