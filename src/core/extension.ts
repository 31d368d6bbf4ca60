/** How an extension adds to a server, or changes it. */

import type { Approver } from "./authorize/approver.ts";
import type { EndpointDescription } from "./http/endpoint.ts";
import type { LoadableGrantType } from "./token/grants/mod.ts";
import type { JwtTypes } from "./keys/jwt.ts";
import type { Policy } from "./policy/policy.ts";
import type { Endpoint } from "./route.ts";
import type { ClientAuth, RequestCheck, Server } from "./server.ts";
import type { TokenSteps } from "./token/steps.ts";

/** @internal A server with the settings of an extension. */
export type ServerWith<Own> = Server & { readonly policy: Own };

/** @internal The values that the endpoints of an extension need, besides settings. */
export interface EndpointOptions {
  /** The path of the issuer, without a slash at its end. Each path of an endpoint begins with it. */
  readonly base: string;
  readonly requestChecks: readonly RequestCheck[];
  /** Decides authorization requests: immediately, or on pages. */
  readonly approver: Approver;
}

/**
 * @internal Adds to a server, or changes it. Its functions receive the policy or the server, with its own settings.
 *
 * @typeParam Own Its settings with their defaults.
 */
export interface CoreExtension<Own = object> {
  /** Its name, in messages and as the key of its values (`slot.ts`). No other extension of the server may have it. */
  readonly name: string;
  /** Its grant types. Default: none. */
  readonly grantTypes?: readonly LoadableGrantType<Own>[];
  /** Its checks of requests for access; `authorize/checks.ts` has the order. Default: none. */
  readonly requestChecks?: readonly RequestCheck[];
  /** Its steps by which a token is made; `token/table.ts` has the order. Default: none. */
  readonly steps?: Partial<TokenSteps<Server>>;
  /** Its endpoints. Each loads its handlers at the first request. Default: none. */
  endpoints?(policy: Policy & Own, options: EndpointOptions): readonly Endpoint[];
  /**
   * Its members of metadata documents (RFC 8414 §2); an empty list is omitted. Default: none.
   *
   * @param document The members of the core and of the extensions before this one.
   */
  metadata?(
    server: ServerWith<Own>,
    endpoints: readonly EndpointDescription[],
    document: Readonly<Record<string, unknown>>,
  ): Readonly<Record<string, unknown>>;
  /** Its methods of client authentication. Default: none. */
  readonly clientAuthentication?: readonly ClientAuth[];
  /** The `typ` of the header of each kind of JWT that it signs; `undefined`: no `typ`. Default: it signs none. */
  readonly jwtTypes?: JwtTypes;
  /**
   * Replaces members of the server, once, when it is assembled. Its functions receive the server of each request, which
   * a plugin may have changed, as their first parameter. Default: it replaces none.
   *
   * @param server The server with the replacements of the extensions before this one.
   * @returns A copy with the replacements.
   */
  extend?(server: ServerWith<Own>): Server | Promise<Server>;
}
