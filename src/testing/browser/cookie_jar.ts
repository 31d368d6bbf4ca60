/** The cookies of one browser (RFC 6265 §5). */

import { isLoopback } from "../../core/http/test_hosts.ts";

/** @internal A stored cookie. */
export interface Cookie {
  readonly name: string;
  /** The value, including quotes. */
  readonly value: string;
  /** The origin that set the cookie. */
  readonly origin: string;
  /** The path; the cookie is sent to it and to all paths below it. */
  readonly path: string;
  /** Whether the cookie is sent only over https and to loopback hosts. */
  readonly secure: boolean;
  /** Whether scripts cannot read the cookie. */
  readonly httpOnly: boolean;
  /** The value of `SameSite`, as sent. */
  readonly sameSite?: string;
  /** Milliseconds since the epoch. Absent: a session cookie. */
  readonly expiresAt?: number;
}

/** @internal The cookies of one browser. */
export interface CookieJar {
  /** All cookies that have not expired, oldest first. */
  all(): readonly Cookie[];
  /** The value of a cookie of any origin; `undefined` without one. */
  get(name: string): string | undefined;
  /** Deletes all cookies, or those of one name. */
  clear(name?: string): void;
  /**
   * The `Cookie` header of a request; `undefined` without cookies.
   *
   * @param from The page from which the browser navigates, if it is another one, and whether by POST: `SameSite` then
   *   counts (RFC 6265bis §5.6.7).
   */
  headerFor(url: string, from?: { readonly url: string; readonly isPost: boolean }): string | undefined;
  /** Stores the cookies that a response sets. */
  storeFrom(url: string, headers: Headers): void;
}

/**
 * Creates an empty cookie jar. Loopback hosts may set `Secure` cookies, as in browsers.
 *
 * @param now The clock, in milliseconds since the epoch.
 */
export function cookieJar(now: () => number): CookieJar {
  const cookies = new Map<string, Cookie>();
  const getUnexpired = () => [...cookies.values()].filter(({ expiresAt = Infinity }) => expiresAt > now());
  return {
    all: getUnexpired,
    get: (name) => getUnexpired().find((cookie) => cookie.name === name)?.value,
    clear(name) {
      for (const [key, cookie] of cookies) if (name === undefined || cookie.name === name) cookies.delete(key);
    },
    headerFor(url, from) {
      const { origin, pathname } = new URL(url);
      const isForeign = from !== undefined && siteOf(from.url) !== siteOf(url);
      const matching = getUnexpired()
        .filter(({ sameSite = "" }) => !isForeign || !(from.isPost ? /^(?:strict|lax)$/i : /^strict$/i).test(sameSite))
        .filter((cookie) => cookie.origin === origin)
        .filter(({ path }) => pathname === path || pathname.startsWith(path.replace(/\/?$/, "/")))
        // Longer paths first (§5.4).
        .sort((a, b) => b.path.length - a.path.length);
      return matching.map(({ name, value }) => `${name}=${value}`).join("; ") || undefined;
    },
    storeFrom(url, headers) {
      for (const line of headers.getSetCookie()) {
        const cookie = parseSetCookie(line, new URL(url), now());
        if (cookie === undefined) continue;
        const key = JSON.stringify([cookie.origin, cookie.path, cookie.name]);
        if (cookie.expiresAt !== undefined && cookie.expiresAt <= now()) cookies.delete(key);
        else cookies.set(key, cookie);
      }
    },
  };
}

/** Scheme and last two names of the host: no test host needs the list of public suffixes. */
export function siteOf(url: string): string {
  const { protocol, hostname } = new URL(url);
  return protocol + (/^[\d.]+$|\[/.test(hostname) ? hostname : hostname.split(".").slice(-2).join("."));
}

/** Parses a `Set-Cookie` line; `undefined` if a browser ignores it. */
function parseSetCookie(line: string, { origin, pathname, protocol, hostname }: URL, now: number): Cookie | undefined {
  const [pair = "", ...rest] = line.split(";");
  const equals = pair.indexOf("=");
  if (equals <= 0) return undefined;
  const attributes = new Map(rest.map((part) => {
    const [name = "", ...value] = part.split("=");
    return [name.trim().toLowerCase(), value.join("=").trim()] as const;
  }));
  const secure = attributes.has("secure");
  if (secure && protocol !== "https:" && !isLoopback(hostname)) return undefined;
  if (!secure && /^none$/i.test(attributes.get("samesite") ?? "")) return undefined;
  const path = attributes.get("path") ?? "";
  const name = pair.slice(0, equals).trim();
  // Cookie name prefixes (RFC 6265bis §4.1.3).
  if (/^__(?:Secure|Host)-/i.test(name) && !secure) return undefined;
  if (/^__Host-/i.test(name) && (path !== "/" || attributes.has("domain"))) return undefined;
  return {
    name,
    value: pair.slice(equals + 1).trim(),
    origin,
    path: path.startsWith("/") ? path : pathname.slice(0, pathname.lastIndexOf("/")) || "/",
    secure,
    httpOnly: attributes.has("httponly"),
    sameSite: attributes.get("samesite"),
    expiresAt: parseExpiry(attributes, now),
  };
}

/** `Max-Age` takes precedence over `Expires` (§5.3). */
function parseExpiry(attributes: ReadonlyMap<string, string>, now: number): number | undefined {
  const maxAge = attributes.get("max-age");
  if (maxAge !== undefined && /^-?\d+$/.test(maxAge)) return now + Number(maxAge) * 1000;
  const expires = Date.parse(attributes.get("expires") ?? "");
  return Number.isNaN(expires) ? undefined : expires;
}
