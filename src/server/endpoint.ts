/** Endpoints of the whole server: pages, recorder, faults and logs read their descriptions too. */

import type { Context as CoreContext } from "../core/http/context.ts";
import type { EndpointDescription as CoreDescription } from "../core/http/endpoint.ts";
import type { ParameterDescription } from "../core/http/params.ts";
import type { Endpoint as CoreEndpoint, Handler } from "../core/route.ts";
import { rejectUntrustedHost } from "../core/http/cross_site.ts";
import type { Method } from "../core/http/router.ts";
import type { RuleId } from "../core/rules/mod.ts";
import type { Server } from "../core/server.ts";

/** @internal How the recorder treats requests to an endpoint. */
export type EndpointRole =
  /** A step of a login: recorded. Without a link to an earlier exchange it begins a flow. */
  | "step"
  /** A public document: recorded. It is part of a flow only if a parameter links it. */
  | "document"
  /** A page outside of logins: recorded only if an option of the recorder enables it. */
  | "page"
  /** The endpoint controls the server for a test: requests are not recorded, and no fault applies to them. */
  | "control";

/** @internal A link in the header of every page. */
export interface NavigationLink {
  /** A word or two. */
  readonly label: string;
  /** A path below the base, such as `/flows`. */
  readonly path: string;
  /** Whether it is one of the three places of every page; others are behind "More". Default: false. */
  readonly isMain?: boolean;
  /** How many seconds the clock that the page controls is ahead of that of the machine. Default: 0. */
  readonly clockOffset?: number;
}

/** @internal One endpoint of the server. */
export interface EndpointDescription extends CoreDescription {
  /**
   * The origin of a hosted resource, if it is not the origin of the server. The path then begins with `//` and the
   * host.
   */
  readonly origin?: string;
  /** The title of a request on pages, such as `Token request`. */
  readonly title: string;
  /** The titles of requests with these values of `grant_type`. Default: `title`. */
  readonly grantTitles?: Readonly<Record<string, string>>;
  /** The label of a successful request on pages, such as `revoked`. Default: `completed`. */
  readonly doneLabel?: string;
  /** How the recorder treats requests to it. Default: `page`. */
  readonly role?: EndpointRole;
  /** The link to it in the header of every page. Default: none. */
  readonly link?: NavigationLink;
  /** The rules of its checks in order; after a rejection, pages list later ones as not checked. Default: none. */
  readonly checks?: readonly RuleId[];
  /**
   * The names of the parameters of a minimal request, for the command on the page that a browser gets. Default: the
   * first three of `parameters`.
   */
  readonly exampleParameters?: readonly string[];
  /** The parameters and members of its responses that are secret or link the exchanges of a flow. Default: none. */
  readonly responseParameters?: readonly ParameterDescription[];
}

/** The context of one request. The router creates it once; handlers and plugins read it. */
export interface Context<Own extends Server = Server> extends CoreContext<Own> {
  /** The endpoint of the request; absent if no route matches. */
  readonly endpoint?: EndpointDescription;
}

/** An endpoint: its description, and how to load its handlers. */
export interface Endpoint extends EndpointDescription, Pick<CoreEndpoint, "load"> {}

/** An HTML page outside of the protocol. */
export function page(
  name: string,
  path: string,
  title: string,
  load: Endpoint["load"],
  methods: readonly Method[] = ["GET"],
  parameters: readonly ParameterDescription[] = [],
): Endpoint {
  return { name, path, title, load, methods, parameters, caller: "browser", errors: "page" };
}

/** Creates handlers that reject a request under an untrusted host by a rule, and otherwise load their code. */
export function onTrustedHost<Code>(rule: RuleId, load: () => Promise<Code>) {
  return <Own extends Server>(handle: (code: Code, context: CoreContext<Own>) => ReturnType<Handler>): Handler<Own> =>
  async (context) => {
    rejectUntrustedHost(context.server, context.request, rule);
    return await handle(await load(), context);
  };
}
