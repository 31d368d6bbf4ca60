/** Extensions: the parts of OAuth and OpenID Connect that a server can be without. */

import type { SettingsExtension } from "../oauth/config/extension_settings.ts";
import type { LoadableGrantType } from "../oauth/grants/mod.ts";
import type { MaybePromise } from "../oauth/maybe_promise.ts";
import type { TokenIssuer } from "../oauth/server.ts";

/**
 * A part of OAuth or OpenID Connect that a server can be without: one folder in `extensions/`, one value, and one line in
 * the list of `server/extensions.ts`. To a server without it, its settings, grant types and parameters are unknown.
 *
 * The server calls the functions with its settings, which contain those of the extension, so that an implementation may
 * name the settings that it reads as the type of the parameter.
 */
export interface Extension extends SettingsExtension {
  /** The name in messages and tests, such as `token_exchange`. */
  readonly name: string;
  /** The name on pages, such as `Token exchange`. */
  readonly title: string;
  /** The specifications that it implements. */
  readonly specifications: readonly string[];
  /** Its grant types. Default: none. */
  readonly grantTypes?: readonly LoadableGrantType[];
  /** Loads the issuers that run after those of every server. Default: none. */
  loadTokenIssuers?(settings: object): MaybePromise<readonly TokenIssuer[]>;
}
