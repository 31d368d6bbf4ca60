/** Cookies that each bind a browser to a secret, authenticated by a MAC. */

import type { Context } from "../http/context.ts";
import { constantTimeEqual, randomToken } from "../keys/secrets.ts";
import type { Server } from "../server.ts";
import { cookieName, cookieScope, readCookie, setCookie } from "./cookies.ts";
import { computeMac } from "./session.ts";

/** `demo`: forms of the server's pages and flows of the demo client. `login`: pending logins. */
type BrowserCookiePurpose = "demo" | "login";

/** A cookie that binds a browser to a secret, for one purpose. */
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
  const existing = await readBrowserCookie(context, purpose);
  if (existing !== undefined) return existing;
  const { server } = context;
  const secret = randomToken(server.randomBytes);
  const encoded = await encodeBrowserSecret(server, purpose, secret);
  return { secret, headers: { "set-cookie": setCookie(cookieName(purpose, context), encoded, cookieScope(context)) } };
}

/** Reads the cookie of a request; `undefined` without a valid one. */
export async function readBrowserCookie(
  context: Context,
  purpose: BrowserCookiePurpose = "demo",
): Promise<BrowserCookie | undefined> {
  const { server, request } = context;
  const encoded = readCookie(request.headers.get("cookie"), cookieName(purpose, context));
  const secret = encoded === undefined ? undefined : await decodeBrowserSecret(server, purpose, encoded);
  return secret === undefined ? undefined : { secret, headers: {} };
}

/** Encodes the secret of a browser with a MAC, so that only this server can create one, for one purpose. */
async function encodeBrowserSecret(server: Server, purpose: string, secret: string): Promise<string> {
  return `${secret}.${await computeMac(server, `browser ${purpose}`, secret)}`;
}

/** Verifies and decodes a browser's secret; `undefined` if this server did not create it for this purpose. */
async function decodeBrowserSecret(server: Server, purpose: string, encoded: string): Promise<string | undefined> {
  const secret = encoded.slice(0, encoded.indexOf("."));
  return constantTimeEqual(await encodeBrowserSecret(server, purpose, secret), encoded) ? secret : undefined;
}
