/**
 * The sender of a request, which decides which URLs the server may fetch because of the request (SSRF), and whether a
 * login began where it ends.
 */

import { addressMatcher } from "../../platform/http/ip_address.ts";
import type { Allowances } from "../../core/http/test_hosts.ts";

/** @internal */
export interface Sender {
  /** Its address; absent if unknown, as in process. */
  readonly address?: string;
  /** Whether a web page sent the request, and whether the page is of another site. */
  readonly page: "none" | "own" | "cross-site";
  /** Whether a page of another site sent the request without a visit of a user, such as for an image or in a frame. */
  readonly isEmbedded: boolean;
  /** The origin of the page that the user left; absent if the browser names none. */
  readonly pageOrigin?: string;
}

/** What may cause a fetch for a client that is not in use, and what may not; for messages. */
export const embeddedRequest = {
  expected: "a visit of the user, or a request of a program",
  received: "a request that a page of another site sends without a visit, such as for an image",
} as const;

const isLoopbackAddress = addressMatcher(["127.0.0.0/8", "::1"]);

/** Whether the sender may be another machine; the requests of a program in the same process have no address. */
export function isRemote({ address }: Sender): boolean {
  return address !== undefined && !isLoopbackAddress(address);
}

/**
 * Whether the sender is a program on the machine of a server on a test host: the developer, not a web page in the
 * browser.
 */
export function isLocalProgram(
  { policy, sender }: { readonly policy: { readonly allows: Allowances }; readonly sender?: Sender },
): boolean {
  if (policy.allows.localUrls === false) return false;
  if (sender === undefined) return true;
  return sender.page === "none" && !isRemote(sender);
}
