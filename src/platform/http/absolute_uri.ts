/** Absolute URIs as names of resources, and how they are compared. */

/** The schemes whose URIs have a host (RFC 9110 §4.2). */
const httpUri = /^https?:/i;
const uriWithHost = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#@\s]+)(?=[/?]|$)([^#\s]*)$/;
/** A URI without a host, such as `urn:example:api`. */
const uriWithoutHost = /^([A-Za-z][A-Za-z0-9+.-]*):(?!\/\/)([^#\s]+)$/;

/**
 * Whether a text is an absolute URI without a fragment (RFC 8707 §2, RFC 3986 §4.3). An http URI has a host; no URI has
 * user information. It may be a name alone, such as `urn:example:api`.
 */
export function isAbsoluteUri(uri: string): boolean {
  return (uriWithHost.test(uri) || !httpUri.test(uri) && uriWithoutHost.test(uri)) && URL.canParse(uri);
}

/** The canonical spelling of a URI: scheme and host in lower case, and no lone slash as path. Other text as it is. */
export function canonicalUri(uri: string): string {
  const [, scheme, host, rest] = uriWithHost.exec(uri) ?? [];
  if (scheme !== undefined && host !== undefined) {
    return `${scheme.toLowerCase()}://${host.toLowerCase()}${rest === "/" ? "" : rest}`;
  }
  const [, name, opaque] = uriWithoutHost.exec(uri) ?? [];
  return name === undefined ? uri : `${name.toLowerCase()}:${opaque}`;
}
