/** Whether a page of this origin has asked, as far as the browser says so (Fetch §3.2, Fetch Metadata §2.4). */

import { HttpFault } from "./fault.ts";
import type { Incoming } from "./reply.ts";

/**
 * Refuses a form that a page elsewhere has posted. `Origin: null` says nothing: a page that sends no referrer, as all of
 * this server's, sends it too. So the answer is only a first line, and a token in the form the second.
 *
 * @param origin This server's own origin.
 * @throws {HttpFault} 403.
 */
export function refuseElsewhere(request: Incoming, origin: string): void {
  if (isFromHere(request, origin)) return;
  throw new HttpFault(403, "UI-05", "This form counts only where a page of this server sends it");
}

/** Whether nothing says that a page elsewhere has asked. */
export function isFromHere({ headers }: Incoming, origin: string): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin" || site === "none";
  const from = headers.get("origin");
  // A server that is reached by another name than its issuer's has the pages of that name.
  return from === null || from === "null" || from === origin ||
    from.replace(/^https?:\/\//, "") === headers.get("host");
}
