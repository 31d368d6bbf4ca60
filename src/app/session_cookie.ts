/** The session as the browser keeps it: one sealed cookie; and what the names and scopes of cookies are made of. */

import { clearCookie, readCookie, setCookie } from "../http/cookies.ts";
import type { CookieScope } from "../http/cookies.ts";
import { decodeSession, encodeSession } from "../oauth/session/session.ts";
import type { Session } from "../oauth/session/session.ts";
import { chain } from "../oauth/maybe_promise.ts";
import type { MaybePromise } from "../oauth/maybe_promise.ts";
import type { Context } from "./context.ts";

/** Who is logged in, in the browser that asks. */
export function readSession(context: Context): MaybePromise<Session | undefined> {
  const encoded = readCookie(context.request.headers.get("cookie"), cookieName("session", context));
  return encoded === undefined ? undefined : decodeSession(context.server, encoded);
}

/** Headers that make the browser keep a session. */
export function setSessionCookie(context: Context, session: Session): MaybePromise<Record<string, string>> {
  return chain(encodeSession(context.server, session), (encoded) => ({
    "set-cookie": setCookie(cookieName("session", context), encoded, cookieScope(context)),
  }));
}

/** Headers that make the browser forget its session. */
export function clearSessionCookie(context: Context): Record<string, string> {
  return { "set-cookie": clearCookie(cookieName("session", context), cookieScope(context)) };
}

/**
 * Cookies ignore ports, so the name contains the port: otherwise two servers on one machine log each other's users out.
 * Behind https a prefix prevents cookie injection: `__Host-` from sibling hosts and over plain http, `__Secure-`
 * (issuer with a path) over plain http only (RFC 6265bis §4.1.3).
 */
export function cookieName(purpose: string, { server: { issuer }, app: { site: { base } } }: Context): string {
  const port = /:(\d+)(?=\/|$)/.exec(issuer)?.[1] ?? "";
  const name = port === "" ? `latchkey_${purpose}` : `latchkey_${purpose}_${port}`;
  if (!issuer.startsWith("https:")) return name;
  return base === "" ? `__Host-${name}` : `__Secure-${name}`;
}

/** Cookies are for this issuer alone. */
export function cookieScope({ server, app: { site } }: Context): CookieScope {
  return { path: `${site.base}/`, secure: server.issuer.startsWith("https:") };
}
