/** What every endpoint is handed, and a route that knows its name in the metadata (RFC 8414 §2). */

import type { Fields } from "../http/form.ts";
import type { RequestLike } from "../http/message.ts";
import type { RequestHandler, Route } from "../http/router.ts";
import type { Server } from "../oauth/server.ts";
import type { Site } from "../ui/layout.tsx";
import type { Pages } from "../ui/pages.ts";

/** The server, and how to draw its pages; drawing is loaded when the first page is asked for. */
export interface App {
  /** The server. */
  readonly server: Server;
  /** What every page knows of it. */
  readonly site: Site;
  /** Loads whatever draws the pages. */
  readonly pages: () => Promise<Pages>;
  /** The same, with the server as the layers around it want it while one request is answered. */
  contextFor(request: RequestLike): App;
  /** Where a person can see what led to an authorization response, if a layer remembers that: a path below the base. */
  flowLinkFor(response: Fields): string | undefined;
  /** Whether a route exists for a path, as received. */
  hasRoute(path: string): boolean;
  /** Asks the whole server, as a request from outside would. */
  readonly dispatch: RequestHandler;
}

/** A route of the authorization server. */
export interface Endpoint extends Route {
  /**
   * Its name in metadata documents, such as `token_endpoint`; absent if metadata does not list it. Applies to endpoints
   * of layers, too.
   */
  readonly name?: string;
}

/** What an endpoint answers, wherever it is. */
export type Handlers = Omit<Endpoint, "name" | "path" | "cors">;

/** The absolute URL of a path of this server: always below the issuer, whatever host was asked (RFC 9700 §4.13). */
export function endpointUrl(issuer: string, path: string): string {
  return issuer.replace(/\/$/, "") + path;
}

/** The absolute URL of a route; a route of a layer may be outside the issuer's path, `base`. */
export function routeUrl(issuer: string, base: string, path: string): string {
  return path.startsWith(`${base}/`) ? endpointUrl(issuer, path.slice(base.length)) : new URL(issuer).origin + path;
}
