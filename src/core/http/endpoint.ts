/** Endpoint descriptions. Router, metadata and error channels read them. */

import { endpointOrigin, type ServerUrls } from "./names.ts";
import type { Method } from "./router.ts";
import type { ParameterDescription } from "./params.ts";

/** @internal Who calls an endpoint. */
export type Caller =
  /** A client that identifies itself (OAuth 2.1 §2.4). */
  | "client"
  /** A user, through a browser. */
  | "browser"
  /** A client that presents an access token (RFC 6750). */
  | "resource client"
  /** Any program. */
  | "any";

/** @internal How an endpoint sends errors. */
export type ErrorChannel =
  /** As JSON (OAuth 2.1 §3.2.4). */
  | "json"
  /** As JSON with a Bearer challenge (RFC 6750 §3). */
  | "bearer"
  /** As JSON with the challenges of a protected resource: Bearer and DPoP (RFC 6750 §3, RFC 9449 §7). */
  | "resource"
  /** As a page for the user. */
  | "page"
  /** As a page, until the handler knows the redirect URI; then to the client (OAuth 2.1 §4.1.2.1). */
  | "redirect"
  /** As one line of plain text; in the minimal server as JSON. */
  | "text"
  /** As problem details (RFC 9457); in the minimal server as JSON. */
  | "problem";

/** @internal One endpoint of the server. */
export interface EndpointDescription {
  /** The short name in logs and tests, such as `token`. */
  readonly name: string;
  /** The name in metadata, such as `token_endpoint` (RFC 8414 §2). Absent: metadata does not list the endpoint. */
  readonly metadataName?: string;
  /** The path, including the path of the issuer. A final `*` matches any text without slashes. */
  readonly path: string;
  /** Further paths of the endpoint, which metadata does not list. Default: none. */
  readonly aliases?: readonly string[];
  /** The allowed methods. Without HEAD, a HEAD request is a GET without the response body. */
  readonly methods: readonly Method[];
  readonly caller: Caller;
  /** Whether scripts of other origins may call it and read the response, errors included. Default: false. */
  readonly cors?: boolean;
  readonly errors: ErrorChannel;
  /** `document`: a public document, which pages of other sites may request too. Default: none. */
  readonly role?: string;
  /** The request parameters that must not repeat, are secret or link the exchanges of a flow. Default: none. */
  readonly parameters?: readonly ParameterDescription[];
}

/** A server with its endpoints, such as a `Context`. */
export interface WithEndpoints {
  readonly app: { readonly endpoints: readonly EndpointDescription[] };
  readonly server: ServerUrls;
}

/** The absolute URL of an endpoint: browsers may reach the server under another origin than clients. */
export function publicUrl(
  server: ServerUrls,
  endpoint: Pick<EndpointDescription, "caller" | "path" | "metadataName">,
): string {
  return endpointOrigin(server, endpoint) + endpoint.path;
}

/**
 * The description of an endpoint by its name.
 *
 * @throws {TypeError} If no endpoint has the name.
 */
function findEndpoint({ endpoints }: WithEndpoints["app"], name: string): EndpointDescription {
  const endpoint = endpoints.find((description) => description.name === name);
  if (endpoint === undefined) throw new TypeError(`expected the name of an endpoint, received ${name}`);
  return endpoint;
}

/** The path of an endpoint by its name, including the path of the issuer. @throws {TypeError} If none has the name. */
export function endpointPath(app: WithEndpoints["app"], name: string): string {
  return findEndpoint(app, name).path;
}

/** The absolute URL of an endpoint by its name. @throws {TypeError} If no endpoint has the name. */
export function endpointUrl({ app, server }: WithEndpoints, name: string): string {
  return publicUrl(server, findEndpoint(app, name));
}

/** The secret parameters of endpoints for clients. */
export function credentialParametersOf(endpoints: readonly EndpointDescription[]): ReadonlySet<string> {
  const parameters = endpoints.flatMap(({ caller, parameters = [] }) => caller === "client" ? parameters : []);
  return new Set(parameters.flatMap(({ name, secret }) => secret === undefined ? [] : [name]));
}
