/** The context of a request. */

import type { Context, CoreApp, CoreSite } from "./context.ts";
import type { EndpointDescription } from "./endpoint.ts";
import type { RequestLike } from "./http/message.ts";
import type { Destination } from "./request/destination.ts";
import type { EndpointRoute } from "./route.ts";
import type { RequestTarget } from "./router.ts";
import type { Server } from "./server.ts";

const noNames: ReadonlySet<string> = new Set();

/** A context with the server of the app. */
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
    route: EndpointRoute | undefined,
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
