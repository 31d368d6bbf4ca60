/**
 * `Server`: the values and functions that every part of the protocol receives. Extensions replace them
 * (`extension.ts`); their defaults are in `create_server.ts`.
 *
 * An authorization request passes through `authorize` (`authorize/authorize.ts`), which calls `findDestination`
 * (`authorize/destination.ts`), `readRequest` (`authorize/checks.ts`), the approver (`authorize/approver.ts`),
 * `acceptApproval` and `issueResponse` (`authorize/code.ts`), and `authorizationResponse`
 * (`responses/authorization_response.ts`).
 *
 * A token request passes through `clientEndpoint` (`token/client_endpoint.ts`), which authenticates the client, then
 * `tokenResponse` (`token/token.ts`). It calls `authorize` of the grant type (`token/grants/`), which verifies the code
 * or the refresh token; checks the scope and the user; consumes the code or the refresh token; and calls `issueTokens`
 * (`token/tokens/mod.ts`), which runs the steps of `token/table.ts`.
 */

import type { Approval } from "./authorize/approval.ts";
import type { Store } from "./store/store.ts";
import type {
  AuthorizationRequest,
  PendingAuthorization,
  Recipient,
  ResponseModes,
} from "./authorize/authorization_request.ts";
import type { RequestOrigin, ResolvedRequest } from "./authorize/request_source.ts";
import type { ParameterDescription, Params, ResponseFields, ResponseMode, ResponseType } from "./http/params.ts";
import type { ClaimRules, UserClaims } from "./clients/claims.ts";
import type { Client, Clients, Users } from "./clients/clients.ts";
import type { ClientAuthMethod, User } from "./clients/client.ts";
import type { AuthenticatedRequest, Authorization, ResourceRequest } from "./token/grants/authenticated_request.ts";
import type { OAuthError } from "./rules/errors.ts";
import type { GrantFunctions } from "./token/grants/grant_functions.ts";
import type { HttpResponse } from "./http/message.ts";
import type { Observations } from "./observations.ts";
import type { SigningKeys } from "./keys/jwt.ts";
import type { ServerNames } from "./http/names.ts";
import type { Policy } from "./policy/policy.ts";
import type { RandomBytes } from "./keys/secrets.ts";
import type { UnusableSession } from "./rules/openid.ts";
import type { Session } from "./sessions/session_type.ts";
import type { SubjectIdentifiers } from "./clients/subjects.ts";
import type { AccessToken, AccessTokenClaims } from "./token/tokens/access_token.ts";
import type { SentToken } from "./token/tokens/sent_token.ts";
import type { RuleId } from "./rules/mod.ts";
import type { CoreTrace, RulePassed } from "./trace.ts";
import type { Place } from "./place.ts";
import type { TokenSteps } from "./token/steps.ts";

/** One authorization server. */
export interface Server {
  /** The issuer identifier, exactly as configured. */
  readonly issuer: string;
  /** Its names besides the issuer: the origins at which it is reached, and what stored secrets are bound to. */
  readonly names: ServerNames;
  /** The policy: the settings with their defaults, except `issuer` and `audience`, which may follow the port. */
  readonly policy: Policy;
  /** The store of all records. */
  readonly store: Store;
  /** The clock: milliseconds since the epoch. */
  readonly now: () => number;
  /** The random source. */
  readonly randomBytes: RandomBytes;
  /** The signing keys. */
  readonly keys: SigningKeys<Server>;
  /** The names of its extensions. A grant with a value of any other extension is rejected. */
  readonly extensionNames: ReadonlySet<string>;
  /** The grant types of the token endpoint, in the order of `grant_types_supported`. */
  readonly grantTypes: readonly GrantType[];
  /** The methods of client authentication, in the order of `token_endpoint_auth_methods_supported`. */
  readonly clientAuthentication: readonly ClientAuth[];
  /** How authorization responses are sent to clients. */
  readonly responseModes: ResponseModes;
  /** The response types that it can issue. */
  readonly responseTypes: readonly ResponseType[];
  /** The parameters of authorization responses, without those of errors. */
  readonly responseParameters: readonly ParameterDescription[];
  /** The checks of requests for access, in the order in which they run. */
  readonly requestChecks: readonly RequestCheck[];
  /**
   * @internal Finds the parameters of an authorization request. It changes nothing, so that a user may reload the page.
   *
   * @param unrepeatable See `paramsFromFields`.
   * @throws {OAuthError} An error for the user; errors for the client are in the result.
   */
  resolveRequest(
    server: Server,
    received: Params,
    unrepeatable: ReadonlySet<string>,
  ): ResolvedRequest | Promise<ResolvedRequest>;
  /** How a token is made: tables of steps, in the order in which they run. */
  readonly steps: TokenSteps<Server>;
  /** How grants, access tokens and logins are made and checked. */
  readonly grants: GrantFunctions<Server>;
  /** The identifiers of users and sessions that clients receive. */
  readonly identifiers: SubjectIdentifiers<Server>;
  /** How responses, tokens and claims are sent to clients. */
  readonly responses: ClientResponses;
  /** How protected resources of the server receive access tokens. */
  readonly presentedTokens: PresentedTokens;
  /** Why a login does not meet the demands of a request; `undefined` if it does. */
  findUnmetDemand(
    server: Server,
    pending: PendingAuthorization,
    login: Session,
  ): Promise<UnmetDemand | undefined>;
  /**
   * The session of an approved login: the given one, if the approval continues it, otherwise a new one.
   *
   * @param session The session that the request may use.
   * @param previousSession The session of the browser, even if the request may not use it.
   */
  sessionFor(
    server: Server,
    approval: Approval,
    session: Session | undefined,
    previousSession: Session | undefined,
  ): Session | Promise<Session>;
  /** Ends a session and revokes the grants that are bound to it. */
  endSession(server: Server, session: EndingSession): Promise<unknown>;
  /** The clients that are known, and how others become known. */
  readonly clients: Clients<Server>;
  /** The users who can log in. */
  readonly users: Users;
  /** The rules for releasing claims. */
  readonly claims: ClaimRules;
  /** The `aud` of access tokens. */
  readonly audience: string;
  /** Makes a code or token. @param value Its random part, given for a successor of a token. Default: a new one. */
  newToken(server: Server, kind: "code" | "access_token" | "refresh_token", value?: string): string;
  /** Receives every event. */
  readonly trace: CoreTrace;
  /** Receives each passed check. The minimal server traces it. */
  readonly passed: RulePassed;
  /** Receives what is observed in accepted requests. The minimal server traces it. */
  observe<Name extends keyof Observations>(
    server: Server,
    client: string | undefined,
    name: Name,
    facts: Observations[Name],
  ): void;
}

/** @internal A demand of a request that a login does not meet. */
export interface UnmetDemand {
  /** Why the request cannot use the session of the login. */
  readonly reason: UnusableSession;
  /** The error of an approval in that login. */
  readonly error: OAuthError;
}

/** @internal A session that ends, with the ids of earlier ones in the same browser. */
export interface EndingSession {
  readonly sid: string;
  readonly sub: string;
  readonly earlier?: readonly string[];
}

/** @internal Who receives the claims of a userinfo response. */
export interface UserinfoRecipient {
  readonly token: AccessToken;
  readonly client: Client;
  readonly user: User;
  /** The scope of the token that is still registered. */
  readonly scope: readonly string[];
}

/** @internal How responses, tokens and claims are sent to clients. */
export interface ClientResponses {
  /**
   * The parameters of an authorization response as the client receives them: with `state` and `iss`.
   *
   * @param response Those that were issued, or those of an error.
   */
  authorization(
    server: Server,
    recipient: Recipient,
    response: ResponseFields,
  ): ResponseFields | Promise<ResponseFields>;
  /** The response to a token request. @throws {OAuthError} If it is rejected. */
  token(server: Server, request: AuthenticatedRequest): Promise<HttpResponse>;
  /** The response of userinfo. */
  userinfo(server: Server, claims: UserClaims, recipient: UserinfoRecipient): HttpResponse | Promise<HttpResponse>;
  /** The response of introspection. */
  introspection(
    server: Server,
    request: AuthenticatedRequest,
    introspection: UserClaims,
  ): HttpResponse | Promise<HttpResponse>;
  /** The ID token of a token response as the client receives it. */
  idToken(server: Server, client: Client, idToken: string): string | Promise<string>;
}

/** @internal How protected resources of the server receive access tokens. Default: as bearer tokens (RFC 6750). */
export interface PresentedTokens {
  /** Reads the access token in an `Authorization` header. @throws {OAuthError} If it has several. */
  read(server: Server, authorization: string | null): SentToken;
  /** The schemes of the tokens that resources accept. */
  schemes(server: Server): readonly string[];
  /**
   * Requires that the sender of a valid access token may use it. Default: it is not bound to a key (RFC 7800).
   *
   * @returns Headers of the response.
   * @throws {OAuthError} If the sender may not use it.
   */
  assertHolder(
    server: Server,
    request: ResourceRequest,
    sent: Required<SentToken>,
    claims: AccessTokenClaims,
  ): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** The challenges of the response to a rejected request with this header. */
  challenge(
    server: Server,
    authorization: string | null,
    status: number,
    parameters: Readonly<Record<string, string | undefined>>,
  ): string;
}

/** The parts of a request that authenticate the client. */
export interface Credentials extends Pick<ResourceRequest, "connection" | "header"> {
  readonly authorization: string | null;
  readonly params: Params;
  /** The URL of the called endpoint, if its specification makes it an audience of client assertions. */
  readonly audience?: string;
  /** The id of the public client of a request that names no client. Default: such a request is rejected. */
  readonly identifyClient?: (server: Server, params: Params) => Promise<string | undefined>;
}

/** @internal One method of client authentication (OAuth 2.1 §2.4). */
export interface ClientAuth {
  /** Its name in metadata. */
  readonly method: ClientAuthMethod;
  isUsed(credentials: Credentials): boolean;
  /** The claimed client id, for the trace; `undefined` if it cannot be read. */
  claimedId(credentials: Credentials): string | undefined;
  /** Authenticates the client. @throws {OAuthError} `invalid_client`. */
  authenticate(server: Server, credentials: Credentials): Promise<Client>;
}

/** One grant type. */
export interface GrantType {
  /** The value of `grant_type`. */
  readonly type: string;
  /** The parameters that it reads, besides `grant_type` and those of client authentication. */
  readonly parameters: readonly ParameterDescription[];
  /**
   * Verifies the grant. The token endpoint then requires that the client is registered for each scope value, and that
   * the user may log in; it calls `consume` of the result, and issues the tokens.
   *
   * @throws {OAuthError} If the grant is invalid.
   */
  authorize(server: Server, request: AuthenticatedRequest): Authorization | Promise<Authorization>;
  /**
   * Whether `authorize` decides itself which scope values the client may have, also values for which it is not
   * registered. Default: the token endpoint requires that it is registered for each.
   */
  readonly checksScope?: true;
  /**
   * The id of the client of a request that names no client. The client must be public. Default: such a request is
   * rejected with `invalid_client`.
   *
   * @throws {OAuthError} If the grant is invalid.
   */
  identifyClient?(server: Server, params: Params): Promise<string | undefined>;
  /** Further members of the metadata document (RFC 8414 §2). Default: none. */
  readonly metadata?: Readonly<Record<string, readonly string[]>>;
}

/** @internal The request that a check reads. */
export interface CheckInput extends RequestOrigin {
  readonly server: Server;
  readonly client: Client;
  readonly params: Params;
  /** How the response will be sent; absent if it is not sent to a redirect URI. */
  readonly mode?: ResponseMode;
}

/** A check of a request for access: what it adds to the request, and what the client is warned about. */
export interface RequestCheck {
  /**
   * Whether it skips requests whose response is not sent to a redirect URI, such as those of the device flow of the
   * whole server. Default: it checks every request.
   */
  readonly redirectOnly?: true;
  /** Whether it also checks every token request, before its grant. Default: only requests for access. */
  readonly atTokenEndpoint?: true;
  /** The main rule that a request can violate. */
  readonly rule?: RuleId;
  /** The other rules that a request can violate. Default: none. */
  readonly otherRules?: readonly RuleId[];
  /** What it reads, for a list of the checks. Default: the requirement of its rule. */
  readonly reads?: string;
  /** Whether the check traces that its rule has passed. Default: false. */
  readonly passes?: true;
  /**
   * Where an extension inserts it among the checks of `authorize/checks.ts`, named by their rules; `instead` replaces
   * a check, whose members it must then return, and which no other extension may replace. Checks at the same place
   * run in the order of the extensions. Default: after AZ-07, before the parameters are read.
   */
  readonly place?: Place<RuleId>;
  /** Its parameters, besides those that `authorize/checks.ts` lists. Default: none. */
  readonly parameters?: readonly ParameterDescription[];
  /**
   * Reads and verifies its parameters. It changes nothing, so that a request may be read more than once.
   *
   * @param request What the checks before it added.
   * @returns The members that it adds to the request. `put` of a slot (`slot.ts`) adds a value of an extension.
   * @throws {OAuthError} If a parameter is missing or invalid.
   */
  read?(
    input: CheckInput,
    request: Partial<AuthorizationRequest>,
  ): Partial<AuthorizationRequest> | void | Promise<Partial<AuthorizationRequest> | void>;
  /**
   * Traces what a client probably did not intend. Called once for each accepted request. No check of the core has one.
   */
  warn?(input: CheckInput, request: AuthorizationRequest): void;
}
