/** Reads and writes cookies (RFC 6265 §4). */

/** Reads a cookie from a `Cookie` header: the first one of that name. */
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
  /** The path that receives the cookie, with all paths below it. */
  readonly path: string;
  /** Whether the browser sends it over https only. */
  readonly secure: boolean;
}

/** A `Set-Cookie` header that deletes a cookie. */
export function clearCookie(name: string, scope: CookieScope): string {
  return `${setCookie(name, "", scope)}; Max-Age=0`;
}

/** A `Set-Cookie` header for a cookie that scripts cannot read and that forms of other sites do not send. */
export function setCookie(name: string, value: string, scope: CookieScope): string {
  return `${name}=${value}; Path=${scope.path}; HttpOnly; SameSite=Lax${scope.secure ? "; Secure" : ""}`;
}
