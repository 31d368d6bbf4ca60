/** The app of the whole server: what plugins and pages for developers know of it. */

import type { Context, CoreApp } from "../core/http/context.ts";
import type { User } from "../core/clients/client.ts";
import type { ClientMetadata } from "./config/client_metadata.ts";
import type { Client } from "../core/clients/clients.ts";
import type { EndpointDescription } from "./endpoint.ts";
import type { Fields } from "../core/http/form.ts";
import type { HttpRequest } from "../core/http/message.ts";
import type { RequestHandler } from "../core/http/router.ts";
import type { TraceEvent } from "./trace.ts";
import type { NextSteps } from "./pages/authorized_page.tsx";
import type { Site } from "./pages/layout.tsx";
import type { HostedServer } from "./hosted_server.ts";
import type { Arrived } from "../core/demo/authorized.ts";
import type { DemoRequest } from "../core/demo/demo_flow.ts";

/** @internal The pages for developers, by paths below the base. Other pages lead to those that are present. */
export interface DeveloperPages {
  /** The path of the pages of rules: the ID of a rule follows it, after a slash. */
  rulesPath?: string;
  /** The path of the page of a client; without `id`, of the form that adds one. `query` fills in the form. */
  clientLink?(id?: string, query?: URLSearchParams): string;
  /** The path of the page that shows the flow of a request; `undefined` if there is none. */
  flowLink?(request: HttpRequest): string | undefined;
  /** The path of the page that shows the flow of an authorization response; `undefined` if there is none. */
  flowLinkFor?(response: Fields): string | undefined;
  /** Loads the steps after the page `/authorized`. */
  demoSteps?(): Promise<DemoSteps>;
}

/** @internal A page that an option or a setting turns off. */
export interface DisabledPage {
  /** States that the page is off: one sentence without a full stop. */
  readonly message: string;
  /** How to turn it on. */
  readonly fix: string;
  /** The command that starts the server with the page, in a copy of the source. Absent: no flag turns it on. */
  readonly command?: string;
}

/** The assembled server. */
export interface App extends CoreApp {
  /** The server that is used outside of requests. */
  readonly server: HostedServer;
  /** The props of every page. */
  readonly site: Site;
  /** The pages for developers. A plugin enters its pages when it is set up; of two plugins, the later one counts. */
  readonly developerPages: DeveloperPages;
  /** Pages that the 404 response explains while they are off, by the first segment of the path. Plugins add theirs. */
  readonly disabledPages: Record<string, DisabledPage>;
  /** Every endpoint, including the endpoints of plugins. */
  readonly endpoints: readonly EndpointDescription[];
  /** What stands around the handlers of all endpoints, the outermost first: a phrase each. */
  readonly around: readonly string[];
  /** Finds the endpoint at a path as received; `undefined` if no route matches. */
  findEndpoint(path: string): EndpointDescription | undefined;
  /** Sends a request through the whole server, plugins included, like a request from outside. */
  readonly dispatch: RequestHandler;
  /** Traces an event of a request outside of its handler, such as before the router receives it. */
  traceFor(request: HttpRequest, event: TraceEvent): void;
  /** The clients, users and scope values that the server started with. */
  initialEntries(): {
    readonly clients: readonly ClientMetadata[];
    readonly users: readonly User[];
    readonly scopes: readonly string[];
  };
}

/** The app of a request to a server that `latchkey` has assembled. */
export function appOf({ app }: Pick<Context, "app">): App {
  return app as App;
}

/** The authorization response, as the next steps need it. */
export interface ArrivedResponse extends Pick<Arrived, "flow" | "issued"> {
  /** Absent if the login failed, or if the page was opened without a response. */
  readonly code?: string;
  readonly state?: string;
  readonly iss?: string;
  /** The CSRF token of forms of this browser. */
  readonly csrfToken: string;
  /** Whether the response is an error. Default: false. */
  readonly failed?: boolean;
}

/**
 * The steps after the page `/authorized`, and what `/start` needs for clients that push or sign their requests.
 *
 * @internal
 */
export interface DemoSteps {
  /**
   * The query of the authorization endpoint: the request as it is, signed, or a reference to a pushed request, as the
   * client must send it.
   *
   * @throws {OAuthError} If the page cannot send the request, such as that of a client whose secret it does not know.
   */
  prepare(context: Context, client: Client, request: DemoRequest): Promise<DemoRequest>;
  /** The parts of the page `/authorized` that lead to the next steps; `undefined`: none. */
  next(context: Context, response: ArrivedResponse): Promise<NextSteps | undefined>;
}

/** The pages for developers of a request's app. */
export function developerPagesOf(context: Pick<Context, "app">): DeveloperPages {
  return appOf(context).developerPages;
}

/** The URL of the page that shows the flow of a request; `undefined` if there is none. */
export function flowUrl({ server, site }: Pick<Context, "server" | "site">): string | undefined {
  const { base, flowLink }: Site = site;
  return flowLink === undefined ? undefined : server.names.frontChannel + base + flowLink;
}
