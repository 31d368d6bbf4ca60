/** Extensions: the parts of OAuth and OpenID Connect that a server can be without. */

import type { ParameterDescription } from "./params.ts";
import type { SettingsExtension } from "../server/config/extension_settings.ts";
import type { LoadableGrantType } from "./grants/mod.ts";
import type { Pages } from "../server/pages.ts";
import type { MaybePromise } from "./maybe_promise.ts";
import type { ClientAuth, RequestPart, RequestParts, Server } from "./server.ts";
import type { Approver } from "./approver.ts";
import type { EndpointDescription } from "./endpoint.ts";
import type { Endpoint } from "./route.ts";

/** @internal A server with the settings of an extension. */
export type ServerWith<Own> = Server & { readonly settings: Own };

/** @internal The values that the endpoints of an extension need, besides settings. */
export interface EndpointOptions {
  /** The path of the issuer, without a slash at its end. Each path of an endpoint begins with it. */
  readonly base: string;
  /** The parameters of forms on pages. */
  readonly formParameters: readonly ParameterDescription[];
  /** The parameters of a redirect to the client, or to the login pages. */
  readonly redirectParameters: readonly ParameterDescription[];
  /** The parameters of requests for access, by entry point. */
  readonly requestParameters: RequestParts["parameters"];
  /** Decides authorization requests: immediately, or on pages. */
  readonly approver: Approver;
  /** Whether the approver shows login pages. */
  readonly hasPages: boolean;
  /** Whether users without a password can log in on pages. */
  readonly openLogin: boolean;
  /** The pages of the embedding program. */
  readonly pages: Pages;
}

/**
 * A part of OAuth or OpenID Connect that a server can be without: one folder in `server/extensions/`, one value, and
 * one line in the list of `extensions.ts`. A server without the extension does not know its settings, grant types and
 * parameters.
 *
 * Its functions receive the settings of the server, including its own.
 *
 * @typeParam Own Its settings with their defaults.
 */
export interface Extension<Own = object> extends SettingsExtension<Own> {
  /** The name on pages, such as `Token exchange`. */
  readonly title: string;
  /** The specifications that it implements. */
  readonly specifications: readonly string[];
  /** Its grant types. Default: none. */
  readonly grantTypes?: readonly LoadableGrantType<Own>[];
  /** Its parts of requests for access: its checks run first; its members are read before the scope. Default: none. */
  readonly requestParts?: readonly RequestPart[];
  /** Its endpoints. Each loads its handlers at the first request. Default: none. */
  endpoints?(settings: Server["settings"] & Own, options: EndpointOptions): readonly Endpoint[];
  /** Its members of metadata documents (RFC 8414 §2); an empty list is omitted. Default: none. */
  metadata?(server: ServerWith<Own>, endpoints: readonly EndpointDescription[]): Readonly<Record<string, unknown>>;
  /** Its methods of client authentication. Default: none. */
  readonly clientAuthentication?: readonly ClientAuth[];
  /**
   * Replaces members of the server, once, when it is assembled. Its functions receive the server of each request, which
   * a plugin may have changed, as their first parameter. Default: it replaces none.
   *
   * @param server The server with the replacements of the extensions before this one.
   * @returns A copy with the replacements.
   */
  extend?(server: ServerWith<Own>): MaybePromise<Server>;
  /** Maintenance runs it each minute. It loads its code only if there is something to do. Default: nothing. */
  everyMinute?(server: ServerWith<Own>): Promise<void>;
}
