/** The browser cookie: a secret of one browser, sealed, for the forms that it sends and the demo flows that it starts. */

import { readCookie, setCookie } from "../http/cookies.ts";
import type { Incoming } from "../http/message.ts";
import { drawSecret } from "../oauth/secrets.ts";
import { openBrowserSecret, sealBrowserSecret } from "../oauth/session/session.ts";
import type { Desk } from "./endpoint.ts";
import { cookieName, cookieScope } from "./session_cookie.ts";

/**
 * One browser's secret. Every verifier is derived from it and from the state that travels with the flow, so that any
 * number of tabs can be under way, each with a challenge of its own, and this server keeps nothing.
 */
export interface Browser {
  readonly secret: string;
  /** Headers that make the browser remember it; empty when it does already. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The browser that asks, by its cookie, or a new one. */
export async function recogniseBrowser(desk: Desk, request: Incoming): Promise<Browser> {
  const { server } = desk;
  const cookie = cookieName("demo", desk);
  const sealed = readCookie(request.headers.get("cookie"), cookie);
  const known = sealed === undefined ? undefined : await openBrowserSecret(server, sealed);
  if (known !== undefined) return { secret: known, headers: {} };
  const secret = drawSecret(server.random);
  const made = setCookie(cookie, await sealBrowserSecret(server, secret), cookieScope(desk));
  return { secret, headers: { "set-cookie": made } };
}
