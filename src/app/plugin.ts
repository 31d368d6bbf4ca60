/** The Layer seam: what wraps the server from outside, without the server knowing it. */

import type { Fields } from "../http/form.ts";
import type { RequestLike } from "../http/message.ts";
import type { RequestHandler } from "../http/router.ts";
import type { Server } from "../oauth/server.ts";
import type { App, Endpoint } from "./endpoint.ts";
import type { NavigationLink } from "../ui/layout.tsx";

/**
 * Something laid around the server: a recorder, faults, an inspector. Each part wraps one seam and gives back the same
 * seam, so that layers stack; the first of a list is the outermost.
 *
 * @example Answers slowly
 * ```ts
 * const slow: Plugin = {
 *   handle: (next) => async (request, peer) => {
 *     await new Promise((resolve) => setTimeout(resolve, 100));
 *     return await next(request, peer);
 *   },
 * };
 * ```
 */
export interface Plugin {
  /** Wraps every request and its answer, whether it comes by `fetch` or over the network. */
  handle?(next: RequestHandler): RequestHandler;
  /**
   * Wraps what the rules are handed while one request is answered: store, clock, dice, keys, grants, issuers, trace.
   *
   * @param request The very value that `around` passed on.
   */
  extend?(server: Server, request: RequestLike): Server;
  /** Is told of the server when it is put together, and again when listening gives it another issuer. */
  setup?(desk: App): void;
  /** Further routes. */
  routes?(desk: App): readonly Endpoint[];
  /** Where a person can see what became of that request: a path below the base, for pages to link to. */
  flowLink?(request: RequestLike): string | undefined;
  /** Where a person can see what led to an authorization response, by its parameters: a path below the base, too. */
  flowLinkFor?(response: Fields): string | undefined;
  /** Links in the header of every page. */
  readonly links?: readonly NavigationLink[];
  /**
   * Is told that the server is closing: requests under way are still answered, but streams are to end now, and whatever
   * waits is to wait no longer.
   */
  close?(): void;
}
