/** The Server value: everything of the outside world that the protocol rules are handed. */

import type { Store } from "../store/store.ts";
import type { ClaimRules } from "./claims.ts";
import type { Client, ClientRepository, UserRepository } from "./clients/repository.ts";
import type { User } from "./clients/client.ts";
import type { GrantType } from "./grants/grant_type.ts";
import type { JwtKind, SignClaims } from "./keys/jwt.ts";
import type { Keys } from "./keys/keys.ts";
import type { SigningAlgorithm } from "./keys/signing_algorithm.ts";
import type { Lifetimes, RefreshSettings } from "./config/settings.ts";
import type { RegisteredSecrets } from "./clients/registered_secrets.ts";
import type { Resources } from "./config/resource_list.ts";
import type { BoundedCache } from "./bounded_cache.ts";
import type { RandomBytes } from "./secrets.ts";
import type { RateLimiter } from "./rate_limiter.ts";
import type { TokenIssuer } from "./tokens/issuer.ts";
import type { RulePassed, Trace } from "./trace.ts";

/** Fetches a document from elsewhere; the shape of `fetch`. */
export type Outbound = (url: string, init: RequestInit) => Promise<Response>;

/** The grant that claims are issued for. */
export interface ClaimsContext {
  /** The client that receives the claims. */
  readonly client: Client;
  /** The user; absent if the client acts on its own behalf. */
  readonly user?: User;
  /** The grant. */
  readonly grant: {
    /** Identifies everything issued for one approval. */
    readonly id: string;
    /** The scope values of the access token. */
    readonly scope: readonly string[];
    /** The resources of the access token; empty: the server's default audience. */
    readonly resources: readonly string[];
  };
}

/** Changes the claims of a token or userinfo response before they are signed or sent. The result is not validated. */
export type OverrideClaims = (
  kind: JwtKind,
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
  readonly randomBytes: RandomBytes;
  /** The signing keys. */
  readonly keys: Keys;
  /** Signs claims with the newest of those keys. */
  readonly sign: SignClaims;
  /** The grants of the token endpoint, in the order in which metadata names them. */
  readonly grantTypes: readonly GrantType[];
  /** What a token response is made of, in the order in which they issue. */
  readonly tokenIssuers: readonly TokenIssuer[];
  /** The registered clients. */
  readonly clients: ClientRepository;
  /** Redacts the clients' secrets in shown and logged text. */
  readonly registeredSecrets: RegisteredSecrets;
  /** The users. */
  readonly users: UserRepository;
  /**
   * For logins on pages: whether users without a password can log in, and whether guest users can be created. Absent if
   * an approver decides.
   */
  readonly openLogin?: boolean;
  /** Every scope value there is. */
  readonly scopes: readonly string[];
  /** The rules for releasing claims. */
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
  readonly rateLimiter?: RateLimiter;
  /** Code challenges seen lately, with the time until which a code for them may be alive. */
  readonly recentChallenges: BoundedCache<number>;
  /** Changes claims last; only in tests. */
  readonly overrideClaims?: OverrideClaims;
  /** Is told what happens. */
  readonly trace: Trace;
  /** Is told of each rule that was looked at and held; absent where nobody wants to know. */
  readonly passed?: RulePassed;
}

/** The server's clock in whole seconds, as tokens count time (RFC 7519 §2). */
export function secondsNow(server: Server): number {
  return Math.floor(server.now() / 1000);
}
