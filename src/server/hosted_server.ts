/** The whole server: besides the protocol, it has entries that change, fetches, and redacts. */

import type { User } from "../core/clients/client.ts";
import type { Client } from "../core/clients/clients.ts";
import type { OAuthError } from "../core/rules/errors.ts";
import type { AuthenticatedRequest } from "../core/token/grants/authenticated_request.ts";
import type { Params } from "../core/http/params.ts";
import type { EndingSession } from "../core/server.ts";
import type { BoundedCache } from "../platform/bounded_cache.ts";
import type { ServerClaimRules } from "./config/received_claims.ts";
import type { GrantType } from "./config/standing.ts";
import type { FetchingServer } from "./fetching/fetching.ts";
import type { AuthorizationDetails, DetailsFunctions } from "./token/authorization_details.ts";
import type { AuthenticationLevels } from "./token/levels.ts";
import type { Background } from "./hosting/background.ts";
import type { RateLimiter } from "./clients/rate_limiter.ts";
import type { VerifyPassword } from "./login/password.ts";
import type { KeyRotation } from "./hosting/rotating_keys.ts";
import type { ClaimChange } from "./token/claim_change.ts";
import type { Delivery } from "./stored/delivery.ts";
import type { RegisteredSecrets } from "./redaction/registered_secrets.ts";
import type { ServerClients } from "./clients/clients.ts";
import type { Observations } from "../core/observations.ts";
import type { ScopeValues, UnregisteredUri } from "../core/rules/authorize.ts";
import type { ByProfile, ServerPolicy } from "./config/server_policy.ts";
import type { UnknownUser } from "./rules/login.ts";
import type { Trace } from "./trace.ts";
import type { ServerUsers } from "./clients/users.ts";

/** @internal The facts of each observation, also of what only the whole server has. */
export interface HostedObservations extends Observations {
  /** A request was accepted although its client is not registered. */
  readonly "unregistered client": { readonly rule: "AZ-02" | "CA-07"; readonly id: string };
  /** A redirect URI was accepted although the client has not registered it. */
  readonly "RU-01": Omit<UnregisteredUri, "clientId">;
  /** Unknown scope values were accepted. */
  readonly "AZ-17": ScopeValues;
  readonly resource: { readonly requested: readonly string[]; readonly hasAudience: boolean };
  /** A request without `resource` was accepted by a server that expects one. */
  readonly "MC-02": ByProfile;
  /** A `login_hint` that names no user was accepted: a user was created, or another user logged in. */
  readonly "OI-06": UnknownUser & { readonly effect: "created" | "created by the setting users" | "another user" };
  /** A refresh token that the client must replace stays valid. */
  readonly "RT-04": undefined;
  /** The redirect URI of a logout was accepted although the client has not registered it. */
  readonly "LO-03": UnregisteredUri & { readonly setting: "clients" | "redirectUris" };
  /** A token is too long for cookies, or lacks claims that made it too long. Lengths are in characters. */
  readonly "CL-17": {
    readonly kind: string;
    readonly length: number;
    readonly maxLength: number;
    readonly largest?: { readonly name: string; readonly bytes: number };
    /** The claims that were left out, the largest first. */
    readonly leftOut: readonly string[];
  };
}

/** @internal The listener that asks clients for certificates. */
export interface CertificateListener {
  /** Its configured port; absent: there is none. */
  readonly port?: number;
  /** Its origin; absent until it listens. */
  origin?: string;
}

/** A page of a client that the logout page shows in a hidden frame, so that the client ends its own session. */
export interface LogoutFrame {
  /** The name or ID of the client. */
  readonly client: string;
  /** The absolute URL of the page. */
  readonly src: string;
}

/** The frames that the browser must load after sessions have ended. */
export interface LogoutFrames {
  frames(): Promise<readonly LogoutFrame[]>;
  /** How long the logout page waits for them, in seconds. */
  readonly timeoutSeconds: number;
}

/** @internal Tracks the sessions in which something was issued, and is called when they end. */
export interface SessionTracker {
  /** Called when sessions of a user have ended. `undefined`: nothing remains to do. */
  sessionsEnded(server: HostedServer, sub: string, sids: readonly string[]): Promise<LogoutFrames | undefined>;
  /** The ids of the tracked sessions of a user that have not ended. */
  findSessions(server: HostedServer, sub: string): readonly string[] | Promise<readonly string[]>;
  /**
   * Called when a user was removed or has another password, or when the tokens of a user were revoked, after the
   * tracked sessions have ended. Default: nothing happens.
   */
  accessEnded?(
    server: HostedServer,
    user: User,
    cause: "removed" | "password changed" | "tokens revoked",
  ): Promise<unknown>;
}

/** @internal A protected resource that the server itself hosts. */
export interface HostedResource {
  /** The identifier: its URL. It may follow the port of the issuer. */
  readonly identifier: string;
  /** The scope values that its operations need. */
  readonly scopes: readonly string[];
  /** Forgets what users did there, because a mock is reset. */
  reset(): void;
}

/** @internal The resources of the whole server. */
export interface HostedResources {
  /** The URIs of the setting `resources`; absent: each absolute URI, with http only on a host that may use it. */
  readonly configured?: readonly string[];
  readonly hosted: readonly HostedResource[];
  /** Adds a hosted resource; replaces one with the same identifier. */
  host(resource: HostedResource): void;
  /** Whether an access token for these resources is opaque. */
  isOpaque(uris: readonly string[]): boolean;
  /**
   * The resources that a request names.
   *
   * @throws {OAuthError} If the server has no such resource, or requires one and the request has none.
   */
  read(server: HostedServer, params: Params): Promise<readonly string[]>;
  /** Those of one or more granted resources that the server still has. @throws {OAuthError} If it has none of them. */
  keep(server: HostedServer, granted: readonly string[]): Promise<readonly string[]>;
  /** The resources of one access token of a grant. @throws {OAuthError} If the request names one beyond the grant. */
  narrow(server: HostedServer, granted: readonly string[], params: Params): Promise<readonly string[]>;
  /** Observes the resources of an accepted request. */
  observe(server: HostedServer, client: Client, params: Params): void;
  /** The names of the claims about the user in an access token for these resources. */
  claimNames(server: HostedServer, resources: readonly string[]): readonly string[];
  /** Whether a client serves a resource, and may introspect the tokens for it. */
  isServedBy(client: Client, resource: string): boolean;
  /** The registered spelling of a resource, or `undefined` when it may not be named. */
  find(uri: string): string | undefined;
  /** Those of these resources that are registered, in their current spelling. */
  registered(server: HostedServer, uris: readonly string[]): Promise<readonly string[]>;
}

/** @internal Requests that are stored before a user logs in; the destination of their response has their id. */
export interface StoredRequests {
  /**
   * Keeps a request while its user logs in.
   *
   * @param address The network address of the user; absent if unknown.
   */
  keep(server: HostedServer, client: Client, id: string, address: string | undefined): Promise<void>;
  /** Consumes a request. Of concurrent calls one succeeds; all others throw an error for the user. */
  consume(server: HostedServer, id: string): Promise<void>;
  /**
   * The authorization details of a stored request, which the browser does not carry; `undefined` if the request has
   * expired.
   */
  findDetails(server: HostedServer, id: string): Promise<AuthorizationDetails | undefined>;
}

interface SignedResponse {
  readonly contentType: string;
  readonly jwt: string;
}

/** @internal Responses that are JWTs, as extensions add them. */
export interface JwtResponses {
  /** Signs an introspection response for a request that asks for it; `undefined` for any other request. */
  signIntrospection(
    server: HostedServer,
    request: AuthenticatedRequest,
    introspection: Readonly<Record<string, unknown>>,
  ): SignedResponse | undefined | Promise<SignedResponse | undefined>;
  /**
   * Finds how a response for a client is encrypted; `undefined`, the default, if the client receives it unencrypted.
   *
   * @throws {OAuthError} If the client has no key that suits its algorithm, or its keys cannot be fetched.
   */
  findEncryption(
    server: HostedServer,
    client: Client,
    response: EncryptedResponse,
  ): EncryptResponse | undefined | Promise<EncryptResponse | undefined>;
}

/** @internal The responses that can be encrypted: the prefix of the members of client metadata for them. */
export type EncryptedResponse = "id_token" | "userinfo";

/** @internal Encrypts a response: a signed JWT, or claims. */
export type EncryptResponse = (content: string | Readonly<Record<string, unknown>>) => Promise<string>;

/** @internal The whole server, which extensions and plugins receive. */
export interface HostedServer extends FetchingServer {
  /** The policy. */
  readonly policy: ServerPolicy;
  /** The clients: the registered ones and those of metadata documents. */
  readonly clients: ServerClients;
  /** Adds signing keys, and loads those of other instances. */
  readonly keyRotation: KeyRotation;
  /** The grant types of the token endpoint. */
  readonly grantTypes: readonly GrantType[];
  /** The users. */
  readonly users: ServerUsers;
  /** The rules for releasing claims. */
  readonly claims: ServerClaimRules;
  /** The listener that asks clients for certificates; absent if no extension uses them. */
  readonly certificateListener?: CertificateListener;
  /** Called when sessions have ended. */
  readonly sessionWatchers: readonly SessionTracker[];
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
  readonly storedRequests?: StoredRequests;
  /**
   * Verifies the parameters that an authenticated client has signed; absent: none can be signed.
   *
   * @throws {OAuthError} If they are invalid.
   */
  readSigned?(server: HostedServer, client: Client, received: Params): Promise<[name: string, value: string][]>;
  /** Responses that are JWTs. */
  readonly jwtResponses: JwtResponses;
  /** The resources that access tokens can be issued for. */
  readonly resources: HostedResources;
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
  readonly verifyPassword: VerifyPassword;
  /** Limits guesses of secrets; absent: no limit. */
  readonly rateLimiter?: RateLimiter;
  /** Recent code challenges, each with the time at which its code expires. */
  readonly recentChallenges: BoundedCache<number>;
  /** Redacts the clients' secrets in shown and logged text. */
  readonly registeredSecrets: RegisteredSecrets;
}
