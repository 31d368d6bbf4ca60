/** The whole server: besides the protocol, it has entries that change, fetches, and redacts. */

import type { Client } from "../core/clients/clients.ts";
import type { OAuthError } from "../core/rules/errors.ts";
import type { Params } from "../core/http/params.ts";
import type { EndingSession } from "../core/server.ts";
import type { BoundedCache } from "../platform/bounded_cache.ts";
import type { ServerClaimRules } from "./config/received_claims.ts";
import type { GrantType } from "./config/standing.ts";
import type { FetchingServer } from "./fetching/fetching.ts";
import type { DetailsFunctions } from "./token/authorization_details.ts";
import type { AuthenticationLevels } from "./token/levels.ts";
import type { Background } from "./hosting/background.ts";
import type { RateLimiter } from "./clients/rate_limiter.ts";
import type { VerifyPassword } from "./login/password_attempt.ts";
import type { KeyRotation } from "./hosting/rotating_keys.ts";
import type { ClaimChange } from "./token/claim_change.ts";
import type { Delivery } from "./stored/delivery.ts";
import type { RegisteredSecrets } from "./redaction/registered_secrets.ts";
import type { ServerClients } from "./clients/clients.ts";
import type { ServerPolicy } from "./config/server_policy.ts";
import type { Trace } from "./trace.ts";
import type { HostedObservations } from "./config/observations.ts";
import type { LogoutFrames, SessionTracker } from "./token/session_tracker.ts";
import type { HostedResources } from "./token/hosted_resources.ts";
import type { StoredRequests } from "./stored/request_store.ts";
import type { JwtResponses } from "./token/jwt_responses.ts";
import type { ServerUsers } from "./clients/users.ts";

/** @internal The listener that asks clients for certificates. */
export interface CertificateListener {
  /** Its configured port; absent: there is none. */
  readonly port?: number;
  /** Its origin; absent until it listens. */
  origin?: string;
}

/** @internal The whole server, which extensions and plugins receive. */
export interface HostedServer extends FetchingServer {
  /** Whether a URI leads to an endpoint of this server, except `/authorized`; absent if no unregistered URI is accepted. */
  readonly isOwnEndpoint?: (uri: string) => boolean;
  readonly policy: ServerPolicy;
  /** The clients: the registered ones and those of metadata documents. */
  readonly clients: ServerClients;
  /** Adds signing keys, and loads those of other instances. */
  readonly keyRotation: KeyRotation;
  /** The grant types of the token endpoint. */
  readonly grantTypes: readonly GrantType[];
  readonly users: ServerUsers;
  /** The rules for releasing claims. */
  readonly claims: ServerClaimRules;
  /** The listener that asks clients for certificates; absent if no extension uses them. */
  readonly certificateListener?: CertificateListener;
  /** Called when sessions have ended. */
  readonly sessionWatchers: readonly SessionTracker<HostedServer>[];
  /**
   * Ends a session and revokes the grants that are bound to it. Then it calls the watchers of sessions, and waits for
   * them.
   *
   * @returns The frames that the browser must load, if any.
   */
  endSession(server: HostedServer, session: EndingSession): Promise<readonly LogoutFrames[]>;
  /** Receives every event. */
  readonly trace: Trace;
  /** Receives what is observed in accepted requests. */
  observe<Name extends keyof HostedObservations>(
    server: HostedServer,
    client: string | undefined,
    name: Name,
    facts: HostedObservations[Name],
  ): void;
  /** The deliveries of decisions to clients that poll for them. */
  readonly deliveries: readonly Delivery[];
  /** The requests that clients have stored; absent: none can be. */
  readonly storedRequests?: StoredRequests<HostedServer>;
  /**
   * Verifies the parameters that an authenticated client has signed; absent: none can be signed.
   *
   * @throws {OAuthError} If they are invalid.
   */
  readSigned?(server: HostedServer, client: Client, received: Params): Promise<[name: string, value: string][]>;
  /** Responses that are JWTs. */
  readonly jwtResponses: JwtResponses<HostedServer>;
  /** The resources that access tokens can be issued for. */
  readonly resources: HostedResources<HostedServer>;
  /** Changes the claims of tokens, and reads the changed ones; absent if they are not changed. */
  readonly claimChange?: ClaimChange<HostedServer>;
  /** The levels of authentication (`acr`); absent if the server has none. */
  readonly levels?: AuthenticationLevels<HostedServer>;
  /** Handles authorization details; absent if no extension does. */
  readonly details?: DetailsFunctions;
  /** Runs work that no response waits for. */
  readonly background: Background;
  /** The values of `aud` that a client assertion may have, besides the issuer. */
  readonly assertionAudiences: readonly string[];
  /** Returns the error with the texts of its rule. */
  readonly explainError: (server: HostedServer, error: OAuthError) => Promise<OAuthError>;
  /** Verifies a password: the one queue of all pages and endpoints that take one. */
  readonly verifyPassword: VerifyPassword<HostedServer>;
  /** Limits guesses of secrets; absent: no limit. */
  readonly rateLimiter?: RateLimiter;
  /** Recent code challenges, each with the time at which its code expires. */
  readonly recentChallenges: BoundedCache<number>;
  /** Redacts the clients' secrets in shown and logged text. */
  readonly registeredSecrets: RegisteredSecrets;
}
