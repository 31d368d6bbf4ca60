/**
 * Confirmations: the page after a form's redirect shows once what the form changed. A cookie with a MAC carries the
 * text; no URL contains it.
 */

import { cookieName, cookieScope, readCookie, setCookie } from "../../core/sessions/cookies.ts";
import { clearCookie } from "./session_cookie.ts";
import { type HttpResponse, redirect } from "../../core/http/message.ts";
import { decodeWithMac, encodeWithMac } from "../../core/sessions/session.ts";
import type { Context } from "../../core/http/context.ts";

/** Maximum length of a text, in characters: browsers ignore cookies of more than 4,096 bytes. */
const maxTextChars = 300;

/** The confirmation for the browser that requests a page. */
export interface PageConfirmation {
  /** The change by the last form of the browser. Absent if the browser has shown it, or sent no form. */
  readonly text?: string;
  /** Headers that delete the cookie; empty without one. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Redirects after a form has changed something, so that a reload repeats nothing. */
export async function redirectWithConfirmation(
  context: Context,
  location: string,
  text: string,
): Promise<HttpResponse> {
  const encoded = await encodeWithMac(context.server, "confirmation", text.slice(0, maxTextChars));
  const cookie = setCookie(cookieName("confirmation", context), encoded, cookieScope(context));
  return redirect("POST", location, { "set-cookie": cookie });
}

/** Reads the confirmation. The page sends the headers, so that it shows the text once. */
export async function takeConfirmation(context: Context): Promise<PageConfirmation> {
  const name = cookieName("confirmation", context);
  const encoded = readCookie(context.request.headers.get("cookie"), name);
  if (encoded === undefined) return { headers: {} };
  const text = await decodeWithMac(context.server, "confirmation", encoded);
  return {
    ...typeof text === "string" && { text },
    headers: { "set-cookie": clearCookie(name, cookieScope(context)) },
  };
}
