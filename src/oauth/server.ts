/** The Server value: everything of the outside world that the protocol rules are handed. */

import type { Store } from "../store/store.ts";
import type { ClaimRules } from "./claims.ts";
import type { Client, Clients, Users } from "./clients.ts";
import type { User } from "./client.ts";
import type { Grant } from "./grants/grant.ts";
import type { Keys, Sign, SignedKind, SigningAlgorithm } from "./keys.ts";
import type { Lifetimes, RefreshSettings } from "./settings.ts";
import type { RegisteredSecrets } from "./registered_secrets.ts";
import type { Resources } from "./resources.ts";
import type { Recent } from "./recent.ts";
import type { Dice } from "./secrets.ts";
import type { Throttle } from "./throttle.ts";
import type { TokenIssuer } from "./tokens/issuer.ts";
import type { Held, Trace } from "./trace.ts";

/** Fetches a document from elsewhere; the shape of `fetch`. */
export type Outbound = (url: string, init: RequestInit) => Promise<Response>;

/** What claims are issued about, and under which grant. */
export interface ClaimsContext {
  /** The client that gets them. */
  readonly client: Client;
  /** The user they are about; absent where a client acts for itself. */
  readonly user?: User;
  /** What was granted. */
  readonly grant: {
    /** Names everything that one approval allowed. */
    readonly id: string;
    /** The scope values of the access token. */
    readonly scope: readonly string[];
    /** The resources of the access token; empty: the server's default audience. */
    readonly resources: readonly string[];
  };
}

/** Changes the claims of a token, or of a userinfo response, before they are signed or sent. Nothing checks the result. */
export type OverrideClaims = (
  kind: SignedKind,
  claims: Readonly<Record<string, unknown>>,
  context: ClaimsContext,
) => Readonly<Record<string, unknown>>;

/** One authorization server, as the rules see it. */
export interface Server {
  /** The issuer identifier, exactly as configured. */
  readonly issuer: string;
  /** Where records are kept. */
  readonly store: Store;
  /** The clock: milliseconds since the epoch. */
  readonly now: () => number;
  /** The dice. */
  readonly random: Dice;
  /** The signing keys. */
  readonly keys: Keys;
  /** Signs claims with the newest of those keys. */
  readonly sign: Sign;
  /** The grants of the token endpoint, in the order in which metadata names them. */
  readonly grants: readonly Grant[];
  /** What a token response is made of, in the order in which they issue. */
  readonly issuers: readonly TokenIssuer[];
  /** The registered clients. */
  readonly clients: Clients;
  /** Their secrets, as what is shown and logged is held against them. */
  readonly registeredSecrets: RegisteredSecrets;
  /** The users. */
  readonly users: Users;
  /**
   * Where users are asked by pages: whether those without a password are believed, and guest users can be made up. Absent
   * where an approver decides.
   */
  readonly openLogin?: boolean;
  /** Every scope value there is. */
  readonly scopes: readonly string[];
  /** Which claims about a user are released where. */
  readonly claims: ClaimRules;
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
  /** How strictly code challenges are asked for. */
  readonly pkce: { readonly requireMethod: boolean; readonly requireForConfidential: boolean };
  /** Slows down guesses of client secrets; absent: does not. */
  readonly throttle?: Throttle;
  /** Code challenges seen lately, with the time until which a code for them may be alive. */
  readonly recentChallenges: Recent<number>;
  /** Has the last word on claims, in tests; absent: nothing has. */
  readonly overrideClaims?: OverrideClaims;
  /** Is told what happens. */
  readonly trace: Trace;
  /** Is told of each rule that was looked at and held; absent where nobody wants to know. */
  readonly held?: Held;
}

/** The server's clock in whole seconds, as tokens count time (RFC 7519 §2). */
export function secondsNow(server: Server): number {
  return Math.floor(server.now() / 1000);
}
