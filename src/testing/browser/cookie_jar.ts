/** The cookies of one browser (RFC 6265 §5). */

import { isLoopback } from "../../oauth/test_hosts.ts";

/** A cookie as the browser keeps it. */
export interface Cookie {
  /** Its name. */
  readonly name: string;
  /** Its value, quotes included. */
  readonly value: string;
  /** Scheme, host and port it came from. */
  readonly origin: string;
  /** Sent to this path, and to everything below it. */
  readonly path: string;
  /** Sent over https, and to loopback hosts, alone. */
  readonly secure: boolean;
  /** Out of the reach of scripts. */
  readonly httpOnly: boolean;
  /** As the server spelt it. */
  readonly sameSite?: string;
  /** Milliseconds since the epoch; absent: until the browser is closed. */
  readonly expiresAt?: number;
}

/** The cookies of one browser. */
export interface CookieJar {
  /** All that have not expired, in the order in which they came. */
  all(): readonly Cookie[];
  /** The value of one, wherever it came from; `undefined` when there is none. */
  get(name: string): string | undefined;
  /** Forgets all, or those of one name. */
  clear(name?: string): void;
  /** The `Cookie` header for a request; `undefined` when there is nothing to send. */
  headerFor(url: string): string | undefined;
  /** Takes over what an answer sets. */
  storeFrom(url: string, headers: Headers): void;
}

/**
 * Makes an empty one. It trusts loopback hosts with `Secure` cookies, as browsers do; `SameSite` is kept and not judged,
 * because every request of a user agent is one that all its values let through.
 *
 * @param now By which cookies expire, in milliseconds since the epoch.
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
    headerFor(url) {
      const { origin, pathname } = new URL(url);
      const matching = getUnexpired()
        .filter((cookie) => cookie.origin === origin && pathMatches(cookie.path, pathname))
        // Longer paths first (§5.4).
        .sort((one, other) => other.path.length - one.path.length);
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

/** One `Set-Cookie` line; `undefined` where a browser ignores it. */
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
  const path = attributes.get("path") ?? "";
  const name = pair.slice(0, equals).trim();
  // What the prefixes promise (RFC 6265bis §4.1.3).
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

/** `Max-Age` counts before `Expires` (§5.3). */
function parseExpiry(attributes: ReadonlyMap<string, string>, now: number): number | undefined {
  const maxAge = attributes.get("max-age");
  if (maxAge !== undefined && /^-?\d+$/.test(maxAge)) return now + Number(maxAge) * 1000;
  const expires = Date.parse(attributes.get("expires") ?? "");
  return Number.isNaN(expires) ? undefined : expires;
}

function pathMatches(path: string, pathname: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith("/") ? path : `${path}/`);
}
