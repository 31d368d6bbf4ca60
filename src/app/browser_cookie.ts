/** The browser cookie: a secret of one browser, sealed, for the forms that it sends and the demo flows that it starts. */

import { readCookie, setCookie } from "../http/cookies.ts";
import { randomToken } from "../oauth/secrets.ts";
import { decodeBrowserSecret, encodeBrowserSecret } from "../oauth/session/session.ts";
import type { Context } from "./context.ts";
import { cookieName, cookieScope } from "./session_cookie.ts";

/**
 * One browser's secret. Every verifier is derived from it and from the state that travels with the flow, so that any
 * number of tabs can be under way, each with a challenge of its own, and this server keeps nothing.
 */
export interface BrowserCookie {
  readonly secret: string;
  /** Headers that make the browser remember it; empty when it does already. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The browser that asks, by its cookie, or a new one. */
export async function ensureBrowserCookie(context: Context): Promise<BrowserCookie> {
  const { server, request } = context;
  const name = cookieName("demo", context);
  const encoded = readCookie(request.headers.get("cookie"), name);
  const existingSecret = encoded === undefined ? undefined : await decodeBrowserSecret(server, encoded);
  if (existingSecret !== undefined) return { secret: existingSecret, headers: {} };
  const secret = randomToken(server.randomBytes);
  const cookieHeader = setCookie(name, await encodeBrowserSecret(server, secret), cookieScope(context));
  return { secret, headers: { "set-cookie": cookieHeader } };
}
