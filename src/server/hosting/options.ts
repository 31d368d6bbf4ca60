/** The options of an embedding program, and their documentation. */

import type { Approver } from "../../core/approver.ts";
import type { Extension } from "./extension.ts";
import type { Plugin } from "./plugin.ts";
import type { ExtensionSettings } from "../extensions/settings.ts";
import type { Settings } from "../config/settings.ts";
import type { KeySource } from "../../core/keys/keys.ts";
import { allowsLocalFetch, type FetchPolicy, type Outbound } from "../fetching/outbound.ts";
import type { RandomBytes } from "../../core/secrets.ts";
import type { GrantType } from "../../core/server.ts";
import type { Trace } from "../../core/trace.ts";
import type { Store } from "../../core/store/store.ts";
import type { Pages } from "../pages.ts";

/** The options of an embedding program: the settings of a configuration file, and the environment of the server. */
export interface LatchkeyOptions extends Settings, ExtensionSettings {
  /** The extensions of the server. It knows only their settings, parameters and grant types. Default: all. */
  readonly extensions?: readonly Extension[];
  /** The store of all records. The server closes it. Default: a new {@link memoryStore}. */
  readonly store?: Store | Promise<Store>;
  /** The clock: milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: () => number;
  /** The random source. Default: `crypto.getRandomValues`. */
  readonly randomBytes?: RandomBytes;
  /** Receives every event, redacted. Default: none. */
  readonly trace?: Trace;
  /** Decides authorization requests instead of `login`. Default: the approver of `login`. */
  readonly approver?: Approver;
  /** Further grant types of the token endpoint; clients can register for them. Default: none. */
  readonly grantTypes?: readonly GrantType[];
  /**
   * Fetches documents that clients refer to, such as their `jwks_uri`, and calls their `backchannel_logout_uri`.
   * Default: a fetch that connects only to public addresses, to `privateHosts`, and, if the issuer is on a test host,
   * to test hosts.
   */
  readonly outbound?: Outbound;
  /** Pages for users in place of those of the server, such as its login page. Default: none. */
  readonly pages?: Pages;
  /** Creates signing keys, and signs if WebCrypto cannot use them. Default: generated keys. */
  readonly keySource?: KeySource;
  /** The issuer until the server listens, if it follows the port; without a path. Default: `http://localhost:9000`. */
  readonly issuerUntilListening?: string;
  /** The plugins; the first one is the outermost. Default: none. */
  readonly plugins?: readonly Plugin[];
}

/**
 * Creates the fetch; the first call loads its modules. `server` returns what decides about hosts without a public
 * address.
 */
export function defaultOutbound(
  server: () => FetchPolicy,
): Outbound {
  return async (url, init) => {
    const { safeFetch } = await import("../../platform/runtime/safe_fetch.ts");
    return await safeFetch({ allows: (host, kind) => allowsLocalFetch(server(), host, kind) })(url, init);
  };
}
