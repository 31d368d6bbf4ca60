/** The Layer seam: what wraps the server from outside, without the server knowing it. */

import type { Fields } from "../http/form.ts";
import type { Incoming } from "../http/message.ts";
import type { Handle } from "../http/router.ts";
import type { Server } from "../oauth/server.ts";
import type { Desk, Endpoint } from "./endpoint.ts";
import type { NavigationLink } from "./pages.ts";

/**
 * Something laid around the server: a recorder, faults, an inspector. Each part wraps one seam and gives back the same
 * seam, so that layers stack; the first of a list is the outermost.
 *
 * @example Answers slowly
 * ```ts
 * const slow: Layer = {
 *   around: (next) => async (request, peer) => {
 *     await new Promise((resolve) => setTimeout(resolve, 100));
 *     return await next(request, peer);
 *   },
 * };
 * ```
 */
export interface Layer {
  /** Wraps every request and its answer, whether it comes by `fetch` or over the network. */
  around?(next: Handle): Handle;
  /**
   * Wraps what the rules are handed while one request is answered: store, clock, dice, keys, grants, issuers, trace.
   *
   * @param request The very value that `around` passed on.
   */
  during?(server: Server, request: Incoming): Server;
  /** Is told of the server when it is put together, and again when listening gives it another issuer. */
  open?(desk: Desk): void;
  /** Further routes. */
  endpoints?(desk: Desk): readonly Endpoint[];
  /** Where a person can see what became of that request: a path below the base, for pages to link to. */
  trail?(request: Incoming): string | undefined;
  /** Where a person can see what led to an authorization response, by its parameters: a path below the base, too. */
  trailTo?(response: Fields): string | undefined;
  /** Links in the header of every page. */
  readonly links?: readonly NavigationLink[];
  /**
   * Is told that the server is closing: requests under way are still answered, but streams are to end now, and whatever
   * waits is to wait no longer.
   */
  close?(): void;
}
