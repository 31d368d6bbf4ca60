/** The options of a server of the core. */

import type { Approver } from "./approver.ts";
import type { ClientMetadata, User } from "./clients/client.ts";
import type { CoreExtension } from "./extension.ts";
import type { CorePolicy } from "./policy_defaults.ts";
import type { RandomBytes } from "./secrets.ts";
import type { GrantType } from "./server.ts";
import type { Store } from "./store/store.ts";
import type { Trace } from "./trace.ts";

/** What a server is made of. */
export interface CoreOptions {
  /** The issuer identifier: the URL of the server, without a slash at its end. */
  readonly issuer: string;
  /** The clients, as in dynamic registration (RFC 7591 §2). */
  readonly clients: readonly ClientMetadata[];
  /** The users. The first one is logged in, unless a request has `login_hint`. */
  readonly users: readonly User[];
  /** What differs from the default policy. Default: nothing. */
  readonly policy?: CorePolicy;
  /** The store of all records. Default: in memory. */
  readonly store?: Store;
  /** The clock: milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: () => number;
  /** The random source. Default: `crypto.getRandomValues`. */
  readonly randomBytes?: RandomBytes;
  /** Receives every event. It has secrets in it. Default: none. */
  readonly trace?: Trace;
  /** Decides which user is logged in, and what is approved. Default: the first user, and the whole request. */
  readonly approver?: Approver;
  /** Grant types besides authorization code, refresh token and client credentials. Default: none. */
  readonly grantTypes?: readonly GrantType[];
  /** What adds to the server or changes it. Default: none. */
  readonly extensions?: readonly CoreExtension[];
}
