/**
 * The interfaces between the server, its endpoints and its plugins. This folder contains no protocol rule and no
 * endpoint.
 *
 * 1. `endpoint.ts` describes an endpoint; `route.ts` loads its handlers.
 * 2. The router creates a {@link Context} for each request; plugins may change its server (`plugin.ts`).
 * 3. The handler reads the context and returns a response, or throws.
 * 4. `error_response.ts` sends a thrown error through the error channel of the endpoint.
 * 5. `approver.ts` and `endpoints/shared/authorization.ts` decide authorization requests.
 */

import type { Fields } from "./http/form.ts";
import type { RequestLike } from "./http/message.ts";
import type { RequestHandler, RequestTarget } from "./router.ts";
import type { Destination } from "./request/destination.ts";
import type { ClientMetadata, User } from "./clients/client.ts";
import type { Client } from "./clients/repository.ts";
import type { Server } from "./server.ts";
import type { TraceEvent } from "./trace.ts";
import type { ArrivedResponse, DemoRequest } from "./demo_request.ts";
import type { EndpointDescription } from "./endpoint.ts";
import type { NextSteps } from "./pages/authorized_page.tsx";
import type { Site } from "./pages/layout.tsx";

/** @internal The pages for developers, by paths below the base. Other pages lead to those that are present. */
export interface DeveloperPages {
  /** The path of the pages of rules: the ID of a rule follows it, after a slash. */
  rulesPath?: string;
  /** The path of the page of a client; without `id`, of the form that adds one. `query` fills in the form. */
  clientLink?(id?: string, query?: URLSearchParams): string;
  /** The path of the page that shows the flow of a request; `undefined` if there is none. */
  flowLink?(request: RequestLike): string | undefined;
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
export interface App {
  /** The server that protocol rules use outside of requests. */
  readonly server: Server;
  /** The props of every page. */
  readonly site: Site;
  /** The pages for developers. A plugin enters its pages when it is set up; of two plugins, the later one counts. */
  readonly developerPages: DeveloperPages;
  /** Pages that the 404 response explains while they are off, by the first segment of the path. Plugins add theirs. */
  readonly disabledPages: Record<string, DisabledPage>;
  /** Every endpoint, including the endpoints of plugins. */
  readonly endpoints: readonly EndpointDescription[];
  /** Traces an event of a request outside of its handler, such as before the router receives it. */
  traceFor(request: RequestLike, event: TraceEvent): void;
  /** Finds the endpoint at a path as received; `undefined` if no route matches. */
  findEndpoint(path: string): EndpointDescription | undefined;
  /** The clients, users and scope values that the server started with. */
  initialEntries(): {
    readonly clients: readonly ClientMetadata[];
    readonly users: readonly User[];
    readonly scopes: readonly string[];
  };
  /** The secret parameters of endpoints for clients. A URL must never contain them (OAuth 2.1 §2.4.1). */
  readonly credentialParameters: ReadonlySet<string>;
  /** Sends a request through the whole server, plugins included, like a request from outside. */
  readonly dispatch: RequestHandler;
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

/** The context of one request. The router creates it once; handlers and plugins read it. */
export interface Context {
  /** The assembled server. */
  readonly app: App;
  /** The server that protocol rules use for this request, as plugins change it. */
  readonly server: Server;
  /** The request. */
  readonly request: RequestLike;
  /** Its path, query and client address. */
  readonly target: RequestTarget;
  /** The endpoint of the request; absent if no route matches. */
  readonly endpoint?: EndpointDescription;
  /** The props of every page, with the link to the flow of this request. */
  readonly site: Site;
  /** The URL of the page that shows the flow of this request, if a plugin has such a page. */
  readonly flowUrl: string | undefined;
  /** Names of parameters that one request may contain only once. */
  readonly unrepeatable: ReadonlySet<string>;
  /** The client that authenticated or that the request names. A handler sets it, for the trace of a rejection. */
  clientId?: string;
  /** The destination of the authorization response. A handler sets it as soon as errors may be sent by redirect. */
  destination?: Destination;
}
