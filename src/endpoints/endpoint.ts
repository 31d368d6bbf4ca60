/** What every endpoint is handed, and a route that knows its name in the metadata (RFC 8414 §2). */

import type { Incoming } from "../http/reply.ts";
import type { Handle, Route } from "../http/router.ts";
import type { Server } from "../oauth/server.ts";
import type { Pages, Site } from "./pages.ts";

/** The server, and how to draw its pages; drawing is loaded when the first page is asked for. */
export interface Desk {
  /** The server. */
  readonly server: Server;
  /** What every page knows of it. */
  readonly site: Site;
  /** Loads whatever draws the pages. */
  readonly pages: () => Promise<Pages>;
  /** The same, with the server as the layers around it want it while one request is answered. */
  during(request: Incoming): Desk;
  /** Asks the whole server, as a request from outside would. */
  readonly ask: Handle;
}

/** A route of the authorization server. */
export interface Endpoint extends Route {
  /** Its name in metadata documents, such as `token_endpoint`; absent where metadata does not name it. */
  readonly name?: string;
}

/** The absolute URL of a path of this server: always below the issuer, whatever host was asked (RFC 9700 §4.13). */
export function urlOf(issuer: string, path: string): string {
  return issuer.replace(/\/$/, "") + path;
}
