/** The context of a request. */

import type { App, Context } from "./context.ts";
import type { EndpointDescription } from "./endpoint.ts";
import type { RequestLike } from "./http/message.ts";
import { frontChannelOrigin } from "./issuer_urls.ts";
import type { Site } from "./pages/layout.tsx";
import type { Destination } from "./request/destination.ts";
import type { EndpointRoute } from "./route.ts";
import type { RequestTarget } from "./router.ts";
import type { Server } from "./server.ts";

const noNames: ReadonlySet<string> = new Set();

/** A context with the server of the app. */
export class RequestContext implements Context {
  readonly app: App;
  server: Server;
  readonly request: RequestLike;
  readonly target: RequestTarget;
  readonly endpoint: EndpointDescription | undefined;
  readonly unrepeatable: ReadonlySet<string>;
  clientId: string | undefined = undefined;
  destination: Destination | undefined = undefined;
  #site: Site | undefined;

  constructor(
    app: App,
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

  /** Computed when a page is rendered, because most requests need no link to their flow. */
  get site(): Site {
    const { site, developerPages: { rulesPath, flowLink } } = this.app;
    return this.#site ??= { ...site, issuer: this.server.issuer, rulesPath, flowLink: flowLink?.(this.request) };
  }

  get flowUrl(): string | undefined {
    const { base, flowLink } = this.site;
    return flowLink === undefined ? undefined : frontChannelOrigin(this.server) + base + flowLink;
  }
}
