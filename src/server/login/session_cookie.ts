/** Deletes cookies. */

import type { Context } from "../../core/http/context.ts";
import { cookieName, cookieScope, setCookie } from "../../core/sessions/cookies.ts";

/** Headers that delete the session cookie. */
export function clearSessionCookie(context: Context): Record<string, string> {
  return { "set-cookie": clearCookie(cookieName("session", context), cookieScope(context)) };
}

/** A `Set-Cookie` header that deletes a cookie. */
export function clearCookie(name: string, scope: ReturnType<typeof cookieScope>): string {
  return `${setCookie(name, "", scope)}; Max-Age=0`;
}
