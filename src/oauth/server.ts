/** The Server value: everything of the outside world that the protocol rules are handed. */

import type { Store } from "../store/store.ts";
import type { Clients, Users } from "./clients.ts";
import type { Keys, SigningAlgorithm } from "./keys.ts";
import type { Lifetimes, RefreshSettings } from "./settings.ts";
import type { Resources } from "./resources.ts";
import type { Recent } from "./recent.ts";
import type { Dice } from "./secrets.ts";
import type { Throttle } from "./throttle.ts";
import type { Trace } from "./trace.ts";

/** Fetches a document from elsewhere; the shape of `fetch`. */
export type Outbound = (url: string, init: RequestInit) => Promise<Response>;

/** One authorization server, as the rules see it. */
export interface Server {
  /** The issuer identifier, exactly as configured. */
  readonly issuer: string;
  readonly store: Store;
  /** The clock: milliseconds since the epoch. */
  readonly now: () => number;
  readonly random: Dice;
  readonly keys: Keys;
  readonly clients: Clients;
  readonly users: Users;
  /** Every scope value there is. */
  readonly scopes: readonly string[];
  /** What a request without scope gets; empty: such a request is refused. */
  readonly defaultScope: readonly string[];
  /** Signs access tokens. */
  readonly alg: SigningAlgorithm;
  /** The `aud` of access tokens. */
  readonly audience: string;
  /** In seconds. */
  readonly lifetimes: Required<Lifetimes>;
  /** How refresh tokens behave. */
  readonly refresh: Required<RefreshSettings>;
  /** Fetches what clients point to: their keys. */
  readonly outbound: Outbound;
  /** What a client assertion may be for, besides the issuer. */
  readonly assertionAudiences: readonly string[];
  /** The resources that access tokens are for. */
  readonly resources: Resources;
  readonly pkce: { readonly requireMethod: boolean; readonly requireForConfidential: boolean };
  /** Slows down guesses of client secrets; absent: does not. */
  readonly throttle?: Throttle;
  /** Code challenges seen lately, with the time until which a code for them may be alive. */
  readonly recentChallenges: Recent<number>;
  readonly trace: Trace;
}

/** The server's clock in whole seconds, as tokens count time (RFC 7519 §2). */
export function secondsNow(server: Server): number {
  return Math.floor(server.now() / 1000);
}
