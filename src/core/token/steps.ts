/** How a token is made: tables of steps, to which extensions add rows. `deno task rules` prints them in their order. */

import type { ClaimRules, UserClaims } from "../clients/claims.ts";
import type { Client } from "../clients/clients.ts";
import type { Approval } from "../authorize/approval.ts";
import type { AuthorizationRequest } from "../authorize/authorization_request.ts";
import type { Place } from "../place.ts";
import type { GrantRecord, StoredRecord, Subject } from "../store/store.ts";
import type { AuthenticatedRequest, Authorization, TokenResponse } from "./grants/authenticated_request.ts";
import type { Granted } from "./grants/grant_functions.ts";

/** @internal A row of a table. */
export interface Step<Run> {
  /**
   * Its name, unique in the table; of a row that issues a token, that of the token. A row that stands `instead` of
   * another has the name of that row.
   */
  readonly name: string;
  /** Default: after the rows of the core, in the order of the extensions. */
  readonly place?: Place;
  /** The protocol claims that it changes, such as `aud` (`../returned.ts`). Default: none. */
  readonly changes?: readonly string[];
  readonly run: Run;
}

/** Functions declared as methods, so that a row may require a wider server. `Before`: what the rows before it made. */
interface Runs<Server> {
  granted(
    server: Server,
    before: Granted,
    client: Client,
    request: AuthorizationRequest,
    approval: Approval,
  ): Granted | Promise<Granted>;
  narrowed(
    server: Server,
    before: Authorization,
    request: AuthenticatedRequest,
    stored: StoredRecord<GrantRecord>,
  ): Authorization | Promise<Authorization>;
  beforeIssue(server: Server, client: Client, request?: AuthorizationRequest): void | Promise<void>;
  issue(
    server: Server,
    before: Partial<TokenResponse>,
    authorization: Authorization,
    now: number,
    request: AuthenticatedRequest,
  ): Partial<TokenResponse> | Promise<Partial<TokenResponse>>;
  accessTokenClaims(
    server: Server,
    before: UserClaims,
    authorization: Authorization,
    now: number,
    request: AuthenticatedRequest,
  ): UserClaims | Promise<UserClaims>;
  idTokenClaims(server: Server, before: UserClaims, token: IdTokenInput, now: number): UserClaims | Promise<UserClaims>;
  afterIssue(
    server: Server,
    issued: Partial<TokenResponse>,
    authorization: Authorization,
    now: number,
  ): void | Promise<void>;
  visibleClaims(
    server: Server,
    before: UserClaims,
    client: Client,
    claims: UserClaims,
  ): UserClaims | Promise<UserClaims>;
}

/**
 * @internal The tables, in the order in which a login and its token request pass through them. Times are the server's
 * clock in seconds.
 */
export interface TokenSteps<Server> {
  /** What an approval grants. A row returns all that it received. It throws if the user may not grant it. */
  readonly granted: readonly Step<Runs<Server>["granted"]>[];
  /**
   * What a token request gets of a stored grant, before it is consumed: access tokens have the values of
   * `extensions`, and the first refresh token those of `grant`. A row returns all that it received. It throws if the
   * request asks for more than was granted.
   */
  readonly narrowed: readonly Step<Runs<Server>["narrowed"]>[];
  /** What happens before something is issued: for an approval, and, without `request`, for a token request. */
  readonly beforeIssue: readonly Step<Runs<Server>["beforeIssue"]>[];
  /** What issues at most one token each. A row returns the members of the response that it adds. */
  readonly issue: readonly Step<Runs<Server>["issue"]>[];
  /** The claims of access tokens. A row returns those that it adds. */
  readonly accessTokenClaims: readonly Step<Runs<Server>["accessTokenClaims"]>[];
  /** The claims of ID tokens. A row returns those that it adds. */
  readonly idTokenClaims: readonly Step<Runs<Server>["idTokenClaims"]>[];
  /** What happens after the tokens of a response were made, before they are sent. */
  readonly afterIssue: readonly Step<Runs<Server>["afterIssue"]>[];
  /** What introspection returns of an access token. A row returns what it adds; `undefined` hides a member. */
  readonly visibleClaims: readonly Step<Runs<Server>["visibleClaims"]>[];
}

/** @internal The function that issues a token. */
export type Issue<Server> = Runs<Server>["issue"];

/** @internal What an ID token is made of. */
export interface IdTokenInput extends Authorization {
  readonly subject: Subject;
  /** Which claims about the user it has, besides claims requested by name. */
  readonly content: ClaimRules["idToken"];
  /** The digests of what is issued beside it (OpenID Connect Core §3.1.3.6, §3.3.2.11). */
  readonly hashes: { readonly at_hash?: string; readonly c_hash?: string; readonly s_hash?: string };
}
