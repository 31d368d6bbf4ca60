/** The assembled server, and the context of one request in it. */

import type { Fields } from "../http/form.ts";
import type { RequestLike } from "../http/message.ts";
import type { RequestHandler, RequestTarget } from "../http/router.ts";
import type { Destination } from "../oauth/authorize/destination.ts";
import type { Server } from "../oauth/server.ts";
import type { EndpointDescription } from "./endpoint.ts";
import type { Site } from "../ui/layout.tsx";
import type { Pages } from "../ui/pages.ts";

/** The assembled server. */
export interface App {
  /** What the protocol rules are handed outside of requests. */
  readonly server: Server;
  /** What every page knows of the server. */
  readonly site: Site;
  /** Loads the page renderer. */
  readonly pages: () => Promise<Pages>;
  /** Every endpoint, those of plugins included. */
  readonly endpoints: readonly EndpointDescription[];
  /** The endpoint at a path, as received; `undefined` where no route matches. */
  findEndpoint(path: string): EndpointDescription | undefined;
  /** The secret parameters of endpoints for clients, which a URL must never contain (OAuth 2.1 §2.4.1). */
  readonly credentialParameters: ReadonlySet<string>;
  /** The page that shows the flow of an authorization response: a path below the base, if a plugin has such a page. */
  flowLinkFor(response: Fields): string | undefined;
  /** Sends a request through the whole server, plugins included, as if it came from outside. */
  readonly dispatch: RequestHandler;
}

/** One request. The router makes it once; handlers and plugins read everything from here. */
export interface Context {
  /** The assembled server. */
  readonly app: App;
  /** What the protocol rules are handed for this request: the server as plugins extend it. */
  readonly server: Server;
  /** The request. */
  readonly request: RequestLike;
  /** Its path, query and client address. */
  readonly target: RequestTarget;
  /** The endpoint it is for; absent where no route matches. */
  readonly endpoint?: EndpointDescription;
  /** What every page knows of the server, and the link to the flow of this request. */
  readonly site: Site;
  /** Loads the page renderer. */
  readonly pages: () => Promise<Pages>;
  /** Names of parameters that one request may contain only once. */
  readonly unrepeatable: ReadonlySet<string>;
  /** The client that authenticated or that the request names. A handler sets it, for the trace of a rejection. */
  clientId?: string;
  /** Where the authorization response goes. A handler sets it as soon as errors may leave by redirect. */
  destination?: Destination;
}
