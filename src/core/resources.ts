/** Resources (RFC 8707): what a server with resources replaces, and a server without any. */

import type { ClaimRules } from "./claims.ts";
import type { Client } from "./clients/repository.ts";
import type { Params } from "./params.ts";
import { reject } from "./reject.ts";

/** @internal The resources that access tokens can be for (RFC 8707). Without one, a token is for `audience`. */
export interface Resources<Server> {
  /**
   * The resources that a request names.
   *
   * @throws {OAuthError} If the server has no such resource, or requires one and the request has none.
   */
  read(server: Server, params: Params): readonly string[] | Promise<readonly string[]>;
  /** Those of one or more granted resources that the server still has. @throws {OAuthError} If it has none of them. */
  keep(server: Server, granted: readonly string[]): readonly string[] | Promise<readonly string[]>;
  /** The resources of one access token of a grant. @throws {OAuthError} If the request names one beyond the grant. */
  narrow(server: Server, granted: readonly string[], params: Params): readonly string[] | Promise<readonly string[]>;
  /** Observes the resources of an accepted request. */
  observe(server: Server, client: Client, params: Params): void;
  /** The names of the claims about the user in an access token for these resources. */
  claimNames(server: Server, resources: readonly string[]): readonly string[];
  /** Whether a client serves a resource, and may introspect the tokens for it. */
  isServedBy(client: Client, resource: string): boolean;
}

/** Rejects each resource. A grant has one if a server with resources has issued its code, on the same store. */
export const noResources: Resources<{ readonly claims: ClaimRules }> = {
  read: (_server, params) => rejectAll(params.getAll("resource")),
  keep: (_server, granted) => rejectAll(granted),
  narrow: (_server, _granted, params) => rejectAll(params.getAll("resource")),
  observe: () => {},
  claimNames: ({ claims }) => claims.accessToken,
  isServedBy: () => false,
};

function rejectAll(uris: readonly string[]): readonly string[] {
  if (uris.length === 0) return uris;
  throw reject("RI-01", { uri: uris[0]!, problem: "unsuitable" });
}
