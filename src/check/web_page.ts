/** Pages of a web application, as a browser receives them, and how two of them compare. */

import { isLoopback, isTestHost } from "../core/http/test_hosts.ts";
import { stripQuery } from "../testing/browser/test_browser.ts";
import { withoutScripts } from "../client/html_form.ts";

/** A page where the browser stopped. */
export interface Page {
  readonly url: string;
  readonly status: number;
  /** The header of a redirect that was not followed. */
  readonly location?: string;
  readonly html: string;
}

/** The header `Retry-After`, seconds or a date, in milliseconds (RFC 9110 §10.2.3). */
export function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get("retry-after");
  if (text === null) return undefined;
  return /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.parse(headers.get("date") ?? "");
}

/** Whether two pages have the same status and target, and if they succeed also the same content. */
export function isSame(one: Page, other: Page): boolean {
  if (one.status !== other.status) return false;
  return one.status >= 300 ? targetOf(one) === targetOf(other) : signatureOf(one) === signatureOf(other);
}

/** Status, target and content of a page, without values that differ at each request, such as CSRF tokens. */
export function signatureOf(page: Page): string {
  return `${page.status} ${targetOf(page)} ${page.html.replace(/[\w+/=-]{16,}/g, "…")}`;
}

/** The target of a redirect without its parameters; empty if the page is not a redirect. */
function targetOf({ location, url }: Page): string {
  return location === undefined ? "" : stripQuery(resolve(location, url));
}

/** The maximum length of the page text in a message, in characters. */
const maxPageTextChars = 2000;

/** Describes a page by its status, its URL and its text. */
export function describeWebPage({ status, url, html }: Page): string {
  const text = withoutScripts(html, " ").replace(/<[^>]*>?/g, " ").replace(/\s+/g, " ").trim();
  return `status ${status} at ${stripQuery(url)}${
    text === "" ? "" : `, ${JSON.stringify(text.slice(0, maxPageTextChars))}`
  }`;
}

export function resolve(location: string, url: string): string {
  return URL.canParse(location, url) ? new URL(location, url).href : location;
}

export function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

/**
 * Whether the browser of a check opens a URL, which must be of the application or the server. An application that is
 * not on a test host must not make the check send requests to this machine.
 */
export function mayOpen(url: string, ofApplication: readonly (string | URL | undefined)[], issuer: string): boolean {
  const origins = ofApplication.flatMap((own) => own === undefined ? [] : [originOf(String(own))]);
  const isLocal = origins.some((origin) => isTestHost(hostOf(origin)));
  return origins.includes(originOf(url)) || isLocal && isLoopback(hostOf(url)) || hostOf(url) === hostOf(issuer);
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "";
}
