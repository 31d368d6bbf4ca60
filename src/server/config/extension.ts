/** Extensions: the parts of OAuth and OpenID Connect that a server can be without. */

import type { CoreExtension, EndpointOptions as CoreEndpointOptions } from "../../core/extension.ts";
import type { Endpoint, EndpointDescription } from "../endpoint.ts";
import type { ParameterDescription } from "../../core/http/params.ts";
import type { ClientAuth } from "../../core/server.ts";
import type { LoadableGrantType } from "../../core/token/grants/mod.ts";
import type { OptionalGrantType, ServerPolicy } from "./server_policy.ts";
import type { SettingsExtension } from "./extension_settings.ts";
import type { Pages } from "../pages.ts";
import type { HostedServer } from "../hosted_server.ts";

/** @internal The whole server with the settings of an extension. */
export type ServerWith<Own> = HostedServer & { readonly policy: Own };

/** @internal The values that the endpoints of an extension need, besides settings. */
export interface EndpointOptions extends CoreEndpointOptions {
  /** The parameters of a redirect to the client, or to the login pages. */
  readonly redirectParameters: readonly ParameterDescription[];
  /** The parameters of forms on pages. */
  readonly formParameters: readonly ParameterDescription[];
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
export interface Extension<Own = object> extends CoreExtension<Own>, SettingsExtension<Own> {
  /** The name in messages and tests, such as `token_exchange`. */
  readonly name: string;
  /** Its grant types. Default: none. */
  readonly grantTypes?: readonly (LoadableGrantType<Own> & OptionalGrantType<Own>)[];
  /** Its methods of client authentication. Default: none. */
  readonly clientAuthentication?: readonly ClientAuth[];
  /** Its endpoints. Each loads its handlers at the first request. Default: none. */
  endpoints?(policy: ServerPolicy & Own, options: EndpointOptions): readonly Endpoint[];
  /** See {@link CoreExtension.metadata}. */
  metadata?(
    server: ServerWith<Own>,
    endpoints: readonly EndpointDescription[],
    document: Readonly<Record<string, unknown>>,
  ): Readonly<Record<string, unknown>>;
  /** See {@link CoreExtension.extend}. */
  extend?(server: ServerWith<Own>): HostedServer | Promise<HostedServer>;
  /** Maintenance runs it each minute. It loads its code only if there is something to do. Default: nothing. */
  everyMinute?(server: ServerWith<Own>): Promise<void>;
}
