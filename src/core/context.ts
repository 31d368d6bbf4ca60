/** The assembled server, and the context of each request. */

import type { HttpResponse, PageForm, RequestLike } from "./http/message.ts";
import type { RequestTarget } from "./router.ts";
import type { Destination } from "./request/authorization_request.ts";
import type { Server } from "./server.ts";
import type { EndpointDescription } from "./endpoint.ts";

/** @internal The assembled server. */
export interface CoreApp {
  /** The server that protocol rules use outside of requests. */
  readonly server: Server;
  /** The props of every page. */
  readonly site: CoreSite;
  /** Every endpoint, including the endpoints of plugins. */
  readonly endpoints: readonly EndpointDescription[];
  /** The secret parameters of endpoints for clients. A URL must never contain them (OAuth 2.1 §2.4.1). */
  readonly credentialParameters: ReadonlySet<string>;
  /** The page that posts an authorization response (Form Post Response Mode). Default: one without a style sheet. */
  readonly formPostPage?: (site: CoreSite, client: string, form: PageForm) => Promise<HttpResponse>;
}

/** @internal The props of every page. */
export interface CoreSite {
  readonly issuer: string;
  /** The prefix of all links to this server: empty, or the issuer's path without a trailing slash. */
  readonly base: string;
}

/** The context of one request. The router creates it once; handlers and plugins read it. */
export interface Context<Own extends Server = Server> {
  /** @internal The assembled server. */
  readonly app: CoreApp;
  /** The server that protocol rules use for this request, as plugins change it. */
  readonly server: Own;
  /** The request. */
  readonly request: RequestLike;
  /** Its path, query and client address. */
  readonly target: RequestTarget;
  /** The endpoint of the request; absent if no route matches. */
  readonly endpoint?: EndpointDescription;
  /** The props of every page. */
  readonly site: CoreSite;
  /** Names of parameters that one request may contain only once. */
  readonly unrepeatable: ReadonlySet<string>;
  /** The client that authenticated or that the request names. A handler sets it, for the trace of a rejection. */
  clientId?: string;
  /** The destination of the authorization response. A handler sets it as soon as errors may be sent by redirect. */
  destination?: Destination;
}

/** @internal What an authorization response is sent with. */
export type ResponseContext = Pick<Context, "app" | "server" | "site" | "request" | "clientId">;

const noNames: ReadonlySet<string> = new Set();

export class RequestContext<Own extends Server = Server> implements Context<Own> {
  readonly app: CoreApp;
  server: Own;
  readonly request: RequestLike;
  readonly target: RequestTarget;
  readonly endpoint: EndpointDescription | undefined;
  readonly unrepeatable: ReadonlySet<string>;
  clientId: string | undefined = undefined;
  destination: Destination | undefined = undefined;

  constructor(
    app: CoreApp & { readonly server: Own },
    request: RequestLike,
    target: RequestTarget,
    route: Pick<Context, "unrepeatable"> & { readonly endpoint: EndpointDescription } | undefined,
  ) {
    this.app = app;
    this.server = app.server;
    this.request = request;
    this.target = target;
    this.endpoint = route?.endpoint;
    this.unrepeatable = route?.unrepeatable ?? noNames;
  }

  get site(): CoreSite {
    return { ...this.app.site, issuer: this.server.issuer };
  }
}
