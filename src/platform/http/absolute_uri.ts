/** Absolute URIs, and how they are compared. */

const absoluteUri = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#@\s]+)(?=[/?]|$)([^#\s]*)$/;

/** Whether a text is an absolute URI with a host, without user information and fragment (RFC 8707 §2). */
export function isAbsoluteUri(uri: string): boolean {
  return absoluteUri.test(uri) && URL.canParse(uri);
}

/** The canonical spelling of a URI: scheme and host in lower case, and no lone slash as path. */
export function canonicalUri(uri: string): string {
  const [, scheme, host, rest] = absoluteUri.exec(uri) ?? [];
  if (scheme === undefined || host === undefined) return uri;
  return `${scheme.toLowerCase()}://${host.toLowerCase()}${rest === "/" ? "" : rest}`;
}
