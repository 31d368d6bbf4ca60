/** Browser cookies: each binds a browser to a secret, authenticated by a MAC, for one purpose. */

import { cookieName, cookieScope, readCookie, setCookie } from "./session_cookie.ts";
import { randomToken } from "../secrets.ts";
import { decodeBrowserSecret, encodeBrowserSecret } from "./session.ts";
import type { Context } from "../context.ts";

/** `demo`: forms of the server's pages and flows of the demo client. `login`: pending logins. */
type BrowserCookiePurpose = "demo" | "login";

/** The secret of one browser, for one purpose. */
export interface BrowserCookie {
  /** 43 URL-safe characters. */
  readonly secret: string;
  /** Headers that set the cookie; empty if the browser has it. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads the cookie of a request, or creates a new one. */
export async function ensureBrowserCookie(
  context: Context,
  purpose: BrowserCookiePurpose = "demo",
): Promise<BrowserCookie> {
  const { server, request } = context;
  const name = cookieName(purpose, context);
  const encoded = readCookie(request.headers.get("cookie"), name);
  const existingSecret = encoded === undefined ? undefined : await decodeBrowserSecret(server, purpose, encoded);
  if (existingSecret !== undefined) return { secret: existingSecret, headers: {} };
  const secret = randomToken(server.randomBytes);
  const cookieHeader = setCookie(name, await encodeBrowserSecret(server, purpose, secret), cookieScope(context));
  return { secret, headers: { "set-cookie": cookieHeader } };
}
