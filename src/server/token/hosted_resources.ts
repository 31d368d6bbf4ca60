/** The resources that access tokens of the whole server are for. Types only. */

import type { Client } from "../../core/clients/clients.ts";
import type { Params } from "../../core/http/params.ts";

/** @internal A protected resource that the server itself hosts. */
export interface HostedResource {
  /** The identifier: its URL. It may follow the port of the issuer. */
  readonly identifier: string;
  /** The scope values that its operations need. */
  readonly scopes: readonly string[];
  /** Forgets what users did there, because a mock is reset. */
  reset(): void;
}

/** @internal The resources of the whole server. */
export interface HostedResources<Server> {
  /** The URIs of the setting `resources`; absent: each absolute URI, with http only on a host that may use it. */
  readonly configured?: readonly string[];
  readonly hosted: readonly HostedResource[];
  /** Adds a hosted resource; replaces one with the same identifier. */
  host(resource: HostedResource): void;
  /** Whether an access token for these resources is opaque. */
  isOpaque(uris: readonly string[]): boolean;
  /**
   * The resources that a request names.
   *
   * @throws {OAuthError} If the server has no such resource, or requires one and the request has none.
   */
  read(server: Server, params: Params): Promise<readonly string[]>;
  /** Those of one or more granted resources that the server still has. @throws {OAuthError} If it has none of them. */
  keep(server: Server, granted: readonly string[]): Promise<readonly string[]>;
  /** The resources of one access token of a grant. @throws {OAuthError} If the request names one beyond the grant. */
  narrow(server: Server, granted: readonly string[], params: Params): Promise<readonly string[]>;
  /** Observes the resources of an accepted request. */
  observe(server: Server, client: Client, params: Params): void;
  /** The names of the claims about the user in an access token for these resources. */
  claimNames(server: Server, resources: readonly string[]): readonly string[];
  /** Whether a client serves a resource, and may introspect the tokens for it. */
  isServedBy(client: Client, resource: string): boolean;
  /** The registered spelling of a resource, or `undefined` when it may not be named. */
  find(uri: string): string | undefined;
  /** Those of these resources that are registered, in their current spelling. */
  registered(server: Server, uris: readonly string[]): Promise<readonly string[]>;
}
