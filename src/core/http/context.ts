/** The assembled server, and the context of each request. */

import { parseFields, readForm } from "./form.ts";
import { endpointOrigin } from "./names.ts";
import { type Params, paramsFromFields } from "./params.ts";
import type { Client } from "../clients/clients.ts";
import type { HttpRequest, HttpResponse, PageForm } from "./message.ts";
import type { RequestTarget } from "./router.ts";
import type { Recipient } from "../authorize/authorization_request.ts";
import type { Server } from "../server.ts";
import type { EndpointDescription } from "./endpoint.ts";

/** @internal The assembled server. */
export interface CoreApp {
  /** The server that protocol rules use outside of requests. */
  readonly server: Server;
  /** The props of every page. */
  readonly site: CoreSite;
  /** Every endpoint, including the endpoints of plugins. */
  readonly endpoints: readonly EndpointDescription[];
  /** The path of every cookie. */
  readonly cookiePath: string;
  /** The secret parameters of endpoints for clients. A URL must never contain them (OAuth 2.1 §2.4.1). */
  readonly credentialParameters: ReadonlySet<string>;
  /** The page that posts an authorization response (Form Post Response Mode). Default: one without a style sheet. */
  readonly formPostPage?: (site: CoreSite, client: string, form: PageForm) => Promise<HttpResponse>;
  /** The response to a request that failed. @param about Default: nothing is known of its client. */
  handleError(thrown: unknown, context: Context, about?: FailedRequest): Promise<HttpResponse | Response>;
}

/**
 * @internal What is known of a request that failed: its client, whom the trace names, and the destination that the
 * error is sent to. Without a destination the endpoint itself responds with the error.
 */
export type FailedRequest = Recipient | { readonly client?: Pick<Client, "id">; readonly destination?: undefined };

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
  readonly request: HttpRequest;
  /** Its path, query and client address. */
  readonly target: RequestTarget;
  /** The endpoint of the request; absent if no route matches. */
  readonly endpoint?: EndpointDescription;
  /** The props of every page. */
  readonly site: CoreSite;
  /** Names of parameters that one request may contain only once. */
  readonly unrepeatable: ReadonlySet<string>;
}

const noNames: ReadonlySet<string> = new Set();

export class RequestContext<Own extends Server = Server> implements Context<Own> {
  readonly app: CoreApp;
  server: Own;
  readonly request: HttpRequest;
  readonly target: RequestTarget;
  readonly endpoint: EndpointDescription | undefined;
  readonly unrepeatable: ReadonlySet<string>;

  constructor(
    app: CoreApp & { readonly server: Own },
    request: HttpRequest,
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

/** The absolute URL of a request, without query, under the origin of its endpoint. */
export function requestUrl({ server, endpoint, target }: Context): string {
  return endpointOrigin(server, endpoint!) + target.path;
}

/**
 * Reads the parameters of a request: from the form of a POST, otherwise from the query.
 *
 * @throws {HttpError} If they cannot be decoded.
 */
export async function readParams({ request, target, unrepeatable }: Context): Promise<Params> {
  const fields = request.method === "POST" ? await readForm(request) : parseFields(target.query);
  return paramsFromFields(fields, unrepeatable);
}
