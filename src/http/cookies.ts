/** One cookie in, one cookie out (RFC 6265 §4). */

/** Reads a cookie from a `Cookie` header; the first one of that name counts. */
export function readCookie(header: string | null, name: string): string | undefined {
  if (header === null) return undefined;
  for (const part of header.split(";")) {
    const equals = part.indexOf("=");
    if (equals > 0 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim();
  }
  return undefined;
}

/** What a cookie is bound to. */
export interface CookieScope {
  /** The path it is sent to; with everything below it. */
  readonly path: string;
  /** Whether it travels over https only. */
  readonly secure: boolean;
}

/** Makes the browser forget a cookie. */
export function clearCookie(name: string, scope: CookieScope): string {
  return `${setCookie(name, "", scope)}; Max-Age=0`;
}

/** Writes a session cookie that scripts cannot read and other sites' forms do not send. */
export function setCookie(name: string, value: string, scope: CookieScope): string {
  return `${name}=${value}; Path=${scope.path}; HttpOnly; SameSite=Lax${scope.secure ? "; Secure" : ""}`;
}
