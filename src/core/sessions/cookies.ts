/** Cookies (RFC 6265 §4), and the one that contains the session. */

import { decodeSession, encodeSession, type Session } from "./session.ts";
import type { Context } from "../http/context.ts";
import type { EndpointDescription } from "../http/endpoint.ts";

/** Reads the session of the browser; `undefined` without a valid session cookie. */
export async function readSession(context: Context): Promise<Session | undefined> {
  const encoded = readCookie(context.request.headers.get("cookie"), cookieName("session", context));
  return encoded === undefined ? undefined : await decodeSession(context.server, encoded);
}

export async function setSessionCookie(context: Context, session: Session): Promise<Record<string, string>> {
  const encoded = await encodeSession(context.server, session);
  return { "set-cookie": setCookie(cookieName("session", context), encoded, cookieScope(context)) };
}

/**
 * The name of a cookie. It contains the port, because cookies ignore ports: two servers on one machine would overwrite
 * each other's sessions. With https, a prefix prevents cookie injection (RFC 6265bis §4.1.3). `__Host-` prevents it
 * from sibling hosts and over http. `__Secure-`, for an issuer with a path, prevents it over http only.
 */
export function cookieName(purpose: string, { server, app: { site: { base } } }: Context): string {
  const origin = server.names.frontChannel;
  const port = /:(\d+)$/.exec(origin)?.[1] ?? "";
  const name = port === "" ? `latchkey_${purpose}` : `latchkey_${purpose}_${port}`;
  if (!origin.startsWith("https:")) return name;
  return base === "" ? `__Host-${name}` : `__Secure-${name}`;
}

/** The scope of every cookie: the paths of this issuer. */
export function cookieScope({ server, app: { cookiePath } }: Context): CookieScope {
  return { path: cookiePath, secure: server.names.frontChannel.startsWith("https:") };
}

/** The path of all pages below the base, and of the endpoints of a login, which may be beside the issuer. */
export function commonPath(base: string, endpoints: readonly EndpointDescription[]): string {
  const paths = endpoints.flatMap((endpoint) => endpoint.errors === "redirect" ? [endpoint.path] : []);
  let path = `${base}/`;
  while (!paths.every((one) => one.startsWith(path))) path = path.slice(0, path.lastIndexOf("/", path.length - 2) + 1);
  return path;
}

/** Reads a cookie from a `Cookie` header: the first one of that name. */
export function readCookie(header: string | null, name: string): string | undefined {
  if (header === null) return undefined;
  for (const part of header.split(";")) {
    const equals = part.indexOf("=");
    if (equals > 0 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim();
  }
  return undefined;
}

interface CookieScope {
  /** The path that receives the cookie, with all paths below it. */
  readonly path: string;
  /** Whether the browser sends it over https only. */
  readonly secure: boolean;
}

/** A `Set-Cookie` header for a cookie that scripts cannot read and that forms of other sites do not send. */
export function setCookie(name: string, value: string, scope: CookieScope): string {
  return `${name}=${value}; Path=${scope.path}; HttpOnly; SameSite=Lax${scope.secure ? "; Secure" : ""}`;
}
