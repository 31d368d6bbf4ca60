/** How grants, access tokens and logins are made and checked. `default_grant_functions.ts` has the defaults. */

import type { UserClaims } from "../../clients/claims.ts";
import type { User } from "../../clients/client.ts";
import type { Client } from "../../clients/clients.ts";
import type { PendingAuthorization } from "../../authorize/authorization_request.ts";
import type { ResponseFields } from "../../http/params.ts";
import type { AccessTokenProblem } from "../../rules/openid.ts";
import type {
  CodeRecord,
  Grant,
  GrantRecord,
  RefreshTokenRecord,
  RevocationRecord,
  StoredRecord,
} from "../../store/store.ts";
import type { AccessToken } from "../tokens/access_token.ts";
import type { AuthenticatedRequest, Authorization } from "./authenticated_request.ts";

/** @internal What an approval grants. */
export type NewGrant = Omit<Grant, "clientId" | "approvedAt">;

/** @internal What an approval grants, besides the login. */
export type Granted = Omit<NewGrant, "subject">;

/** @internal A client or user who was removed. */
export interface Removed {
  readonly rule: "CI-11";
  readonly lost: "client" | "user";
  readonly id: string;
}

/**
 * @internal Why a code or refresh token is invalid: a broken rule with its facts. `LO-06`, from the whole server: the
 * password was changed.
 */
export type InvalidReason =
  | Removed
  | { readonly rule: "CI-11"; readonly lost: "extension"; readonly id: string }
  | { readonly rule: "CI-11"; readonly lost: "consent"; readonly revocation: RevocationRecord }
  | { readonly rule: "RT-04"; readonly revocation: RevocationRecord }
  | { readonly rule: "RT-09"; readonly registered: readonly string[]; readonly granted: readonly string[] }
  | { readonly rule: "LO-05" | "LO-06" };

/** @internal The functions about grants, which extensions and the whole server replace. */
export interface GrantFunctions<Server> {
  /** Issues the parameters of the response to an approved request. Default: a code. */
  issueResponse(server: Server, pending: PendingAuthorization, grant: Grant): Promise<ResponseFields>;
  /** Whether a client may inspect an access token. Default: one of its own, or one for the server's audience. */
  mayInspect(server: Server, client: Client, token: AccessToken): boolean | Promise<boolean>;
  /** Whether a grant gives no access: its scope is empty. A request for other access needs no scope. */
  isEmpty(granted: Pick<Grant, "scope" | "extensions">): boolean;
  /**
   * Makes a grant to a client, approved now.
   *
   * @param user The user, as they were at the login. Default: as they are now.
   * @throws {OAuthError} From the whole server, if the user's password was changed since the login.
   */
  create(server: Server, client: Client, granted: NewGrant, user?: User): Grant | Promise<Grant>;
  /** The client or the user of a grant, if it was removed since the grant was made; `undefined` if both exist. */
  findRemoved(server: Server, client: Client, grant: Grant): Promise<Removed | undefined>;
  /**
   * Why a code or refresh token that has not expired is invalid: its client or user was removed, its scope is no longer
   * registered, its grant was revoked, its session has ended, or it has a value of an extension that the server does
   * not have.
   *
   * @param scope The part of its scope that is still registered.
   * @returns `undefined` if it is valid.
   */
  findInvalidReason(
    server: Server,
    client: Client,
    stored: StoredRecord<GrantRecord>,
    scope: readonly string[],
  ): Promise<InvalidReason | undefined>;
  /**
   * A text that changes when all logins of a user end; the cookies of sessions contain it. Default: the empty text,
   * because in the core a login ends only with its session or its user.
   */
  loginFingerprint(server: Server, user: User): string | Promise<string>;
  /** A new `jti` of an access token: begins with the id of the grant and a dot. */
  tokenId(server: Server, authorization: Authorization): string | Promise<string>;
  /**
   * Makes an access token from its claims. Default: a JWT.
   *
   * @param exp The expiry, in seconds since the epoch, also if `claims` have another one or none.
   */
  formatToken(
    server: Server,
    authorization: Authorization,
    claims: UserClaims,
    exp: number,
  ): string | Promise<string>;
  /** Stores a refresh token. A token that is already stored, consumed or not, stays unchanged. */
  storeRefreshToken(
    server: Server,
    request: AuthenticatedRequest,
    token: string,
    grantId: string,
    record: RefreshTokenRecord,
  ): Promise<void>;
  /** What introspection returns of a valid refresh token. */
  refreshTokenClaims(server: Server, client: Client, record: RefreshTokenRecord): UserClaims | Promise<UserClaims>;
  /**
   * Requires that the sender of a token request may exchange a code: its client got the code, in a response to the
   * request whose redirect URI and verifier it sends.
   *
   * @throws {OAuthError} If it may not.
   */
  checkCode(server: Server, request: AuthenticatedRequest, record: CodeRecord): void | Promise<void>;
  /** Requires that the sender of a request may use a refresh token: its client got it. @throws {OAuthError} If not. */
  checkRefreshToken(server: Server, request: AuthenticatedRequest, record: RefreshTokenRecord): void | Promise<void>;
  /** Whether each use of a refresh token replaces it. */
  rotates(server: Server, client: Client, record: RefreshTokenRecord): boolean | Promise<boolean>;
  /** The claims about a user that userinfo returns, for an access token whose scope is still registered. */
  userinfoClaims(
    server: Server,
    token: AccessToken,
    client: Client,
    user: User,
    scope: readonly string[],
  ): UserClaims | Promise<UserClaims>;
  /** Makes an ID token from its claims. */
  formatIdToken(server: Server, authorization: Authorization, claims: UserClaims): string | Promise<string>;
  /** Reads an access token that this server has made, even if it has expired; `undefined` for any other text. */
  readToken(server: Server, token: string): Promise<AccessToken | undefined>;
  /** Why the client or the user of an access token is no longer that of the token; `undefined` if both still are. */
  findTokenProblem(server: Server, token: AccessToken): Promise<AccessTokenProblem | undefined>;
  /**
   * The scope values of the access token that a refresh token is exchanged for. Default: the part of the granted scope
   * that the request names, or all of it (OAuth 2.1 §4.3.1).
   *
   * @param granted The part of the granted scope that is still registered.
   * @throws {OAuthError} If the client may not have the requested scope.
   */
  refreshScope(
    server: Server,
    request: AuthenticatedRequest,
    stored: StoredRecord<GrantRecord>,
    granted: readonly string[],
  ): readonly string[] | Promise<readonly string[]>;
}
