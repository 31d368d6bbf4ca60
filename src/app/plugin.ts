/** Plugins: they wrap request handling, extend the server, add endpoints and links, and receive events. */

import type { Fields } from "../http/form.ts";
import type { RequestLike } from "../http/message.ts";
import type { RequestHandler } from "../http/router.ts";
import type { Server } from "../oauth/server.ts";
import type { TraceEvent } from "../oauth/trace.ts";
import type { App, Context } from "./context.ts";
import type { Endpoint } from "./route.ts";
import type { NavigationLink } from "../ui/layout.tsx";

/**
 * Something around a server: a recorder, faults, an inspector, a log. Plugins stack; the first of a list is the
 * outermost. A plugin belongs to one server.
 *
 * @example Slow responses
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
  /** Receives the assembled server, once, before the first request. The issuer may still follow the port. */
  setup?(app: App): void;
  /** Further endpoints, listed in metadata and on pages by their descriptions. */
  routes?(app: App): readonly Endpoint[];
  /** Links in the header of every page. */
  readonly links?: readonly NavigationLink[];
  /** Wraps every request and its response, in process and over the network. */
  handle?(next: RequestHandler): RequestHandler;
  /**
   * Changes what the protocol rules are handed for one request: store, clock, random bytes, keys, grant types, issuers.
   * Events are received by `onEvent`; a `trace` set here is replaced if any plugin has it.
   *
   * @param context The context of the request; its `request` is the value that `handle` passed on.
   */
  extend?(server: Server, context: Context): Server;
  /**
   * Receives every event, secrets included, in the order of the plugins; what it throws is dropped.
   *
   * @param context The request that the event is part of; absent for events at start and of maintenance.
   */
  onEvent?(event: TraceEvent, context?: Context): void;
  /** The page that shows the flow of a request: a path below the base. */
  flowLink?(request: RequestLike): string | undefined;
  /** The page that shows the flow of an authorization response: a path below the base. */
  flowLinkFor?(response: Fields): string | undefined;
  /** Ends streams and everything that waits: the server is closing. Requests in flight are still answered. */
  close?(): void;
}
