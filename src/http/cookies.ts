/** Reads and writes cookies (RFC 6265 §4). */

/** Reads a cookie from a `Cookie` header; the first one of that name counts. */
export function readCookie(header: string | null, name: string): string | undefined {
  if (header === null) return undefined;
  for (const part of header.split(";")) {
    const equals = part.indexOf("=");
    if (equals > 0 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim();
  }
  return undefined;
}

/** The scope of a cookie. */
export interface CookieScope {
  /** The path that it is sent to, with all paths below. */
  readonly path: string;
  /** Whether it is sent over https only. */
  readonly secure: boolean;
}

/** Deletes a cookie. */
export function clearCookie(name: string, scope: CookieScope): string {
  return `${setCookie(name, "", scope)}; Max-Age=0`;
}

/** Writes a session cookie that scripts cannot read and forms of other sites do not send. */
export function setCookie(name: string, value: string, scope: CookieScope): string {
  return `${name}=${value}; Path=${scope.path}; HttpOnly; SameSite=Lax${scope.secure ? "; Secure" : ""}`;
}
