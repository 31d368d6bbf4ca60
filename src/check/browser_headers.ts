/** The header fields of the requests of a browser, as Chromium sends them (Fetch Metadata). */

import { isLoopback } from "../core/http/test_hosts.ts";
import { siteOf } from "../testing/browser/cookie_jar.ts";
import { originOf } from "./web_page.ts";

/** What sends a request: the user, a page by itself, a frame or the script of a page, or another server. */
export type Sender = "user" | "page" | "frame" | "script" | "server";

/** How the sender of a request relates to its URL; `none` for a URL that the user entered. */
export type Relation = "none" | "same-origin" | "same-site" | "cross-site";

const farther: readonly Relation[] = ["none", "same-origin", "same-site", "cross-site"];

/** How the page that leads to a URL relates to it. @param before How what led to that page did. Default: not at all. */
export function relationOf(from: string, url: string, before: Relation = "same-origin"): Relation {
  const isSameSite = URL.canParse(url) && siteOf(from) === siteOf(url);
  const own = originOf(from) === originOf(url) ? "same-origin" : isSameSite ? "same-site" : "cross-site";
  return before === "none" ? before : farther[Math.max(farther.indexOf(own), farther.indexOf(before))]!;
}

const navigation = {
  accept:
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7",
  "upgrade-insecure-requests": "1",
};

const metadata: Readonly<Record<Sender, Readonly<Record<string, string>>>> = {
  user: { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document", "sec-fetch-user": "?1" },
  page: { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
  frame: { "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" },
  script: { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" },
  server: {},
};

/** The header fields of a request, without cookies and `Origin`. A host without TLS learns nothing from a browser. */
export function browserHeaders(url: string, sender: Sender, relation: Relation): Record<string, string> {
  const { protocol, hostname } = new URL(url);
  const isTold = sender !== "server" && (protocol === "https:" || isLoopback(hostname));
  return {
    "accept-language": "en-US,en;q=0.9",
    "user-agent": "Mozilla/5.0 (compatible; Latchkey)",
    ...sender === "script" || sender === "server" ? { accept: "*/*" } : navigation,
    ...isTold && { "sec-fetch-site": relation, ...metadata[sender] },
  };
}
