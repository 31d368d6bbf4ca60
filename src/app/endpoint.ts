/** The description of an endpoint: everything that other parts of the server know about it. */

import type { Method } from "../http/router.ts";
import type { ParameterDescription } from "../oauth/parameter.ts";

/** Who sends requests to an endpoint. */
export type Caller =
  /** A client that identifies itself (OAuth 2.1 §2.4). */
  | "client"
  /** A user, through a browser. */
  | "browser"
  /** A client that presents an access token (RFC 6750). */
  | "resource client"
  /** Any program. */
  | "any";

/** How errors leave an endpoint. */
export type ErrorChannel =
  /** As JSON (OAuth 2.1 §3.2.4). */
  | "json"
  /** As JSON with a Bearer challenge (RFC 6750 §3). */
  | "bearer"
  /** As a page for the user. */
  | "page"
  /** To the client by redirect, once the context has a destination (OAuth 2.1 §4.1.2.1); until then as a page. */
  | "redirect"
  /** As one line of plain text. */
  | "text";

/** What a request to an endpoint is to the recorder. */
export type EndpointRole =
  /** A step of a login: recorded; without a link to an earlier exchange it begins a flow. */
  | "step"
  /** A public document: recorded; part of a flow only if a parameter links it. */
  | "document"
  /** A page beside the logins: recorded only on request. */
  | "page";

/** One endpoint of the server. */
export interface EndpointDescription {
  /** The short name in logs, metrics and tests, such as `token`. */
  readonly name: string;
  /** The name in metadata documents, such as `token_endpoint` (RFC 8414 §2). Absent: metadata does not list it. */
  readonly metadataName?: string;
  /** The path, with the path of the issuer; a `*` at its end stands for anything, slashes excepted. */
  readonly path: string;
  /** The methods it answers to. Without HEAD, a HEAD request is a GET without the response body. */
  readonly methods: readonly Method[];
  /** Who calls it. */
  readonly caller: Caller;
  /** Whether scripts of other origins may call it and read the response, errors included. Default: false. */
  readonly cors?: boolean;
  /** What pages call a request to it, such as `Token request`. */
  readonly title: string;
  /** What pages call a successful request to it, such as `revoked`. Default: `completed`. */
  readonly doneLabel?: string;
  /** How its errors leave. */
  readonly errors: ErrorChannel;
  /** What a request to it is to the recorder. Default: `page`. */
  readonly role?: EndpointRole;
  /** The request parameters that must not repeat, are secret or link the exchanges of a flow. Default: none. */
  readonly parameters?: readonly ParameterDescription[];
  /** The parameters and members of its responses that are secret or link the exchanges of a flow. Default: none. */
  readonly responseParameters?: readonly ParameterDescription[];
}

/** The absolute URL of a path of this server: always below the issuer, whatever host was asked (RFC 9700 §4.13). */
export function endpointUrl(issuer: string, path: string): string {
  return issuer.replace(/\/$/, "") + path;
}

/** The absolute URL of a route; a route of a plugin may be outside the issuer's path, `base`. */
export function routeUrl(issuer: string, base: string, path: string): string {
  return path.startsWith(`${base}/`) ? endpointUrl(issuer, path.slice(base.length)) : new URL(issuer).origin + path;
}
