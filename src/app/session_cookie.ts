/** The session as the browser keeps it: one sealed cookie; and what the names and scopes of cookies are made of. */

import { clearCookie, readCookie, setCookie } from "../http/cookies.ts";
import type { CookieScope } from "../http/cookies.ts";
import type { Incoming } from "../http/message.ts";
import { openSession, sealSession } from "../oauth/session/session.ts";
import type { Session } from "../oauth/session/session.ts";
import { soon } from "../oauth/maybe_promise.ts";
import type { Soon } from "../oauth/maybe_promise.ts";
import type { Desk } from "./endpoint.ts";

/** Who is logged in, in the browser that asks. */
export function readSession(desk: Desk, request: Incoming): Soon<Session | undefined> {
  const sealed = readCookie(request.headers.get("cookie"), cookieName("session", desk));
  return sealed === undefined ? undefined : openSession(desk.server, sealed);
}

/** Headers that make the browser keep a session. */
export function keepSession(desk: Desk, session: Session): Soon<Record<string, string>> {
  return soon(sealSession(desk.server, session), (sealed) => ({
    "set-cookie": setCookie(cookieName("session", desk), sealed, cookieScope(desk)),
  }));
}

/** Headers that make the browser forget its session. */
export function forgetSession(desk: Desk): Record<string, string> {
  return { "set-cookie": clearCookie(cookieName("session", desk), cookieScope(desk)) };
}

/**
 * Cookies ignore ports, so the name contains the port: otherwise two servers on one machine log each other's users out.
 * Behind https a prefix prevents cookie injection: `__Host-` from sibling hosts and over plain http, `__Secure-`
 * (issuer with a path) over plain http only (RFC 6265bis §4.1.3).
 */
export function cookieName(purpose: string, { server: { issuer }, site: { base } }: Desk): string {
  const port = /:(\d+)(?=\/|$)/.exec(issuer)?.[1] ?? "";
  const name = port === "" ? `latchkey_${purpose}` : `latchkey_${purpose}_${port}`;
  if (!issuer.startsWith("https:")) return name;
  return base === "" ? `__Host-${name}` : `__Secure-${name}`;
}

/** Cookies are for this issuer alone. */
export function cookieScope({ server, site }: Desk): CookieScope {
  return { path: `${site.base}/`, secure: server.issuer.startsWith("https:") };
}
