/** The mint: tokens and codes without a login, good ones and ones that must be refused. */

import { issueCode } from "../oauth/authorize/authorization_request.ts";
import type { AuthorizationRequest } from "../oauth/authorize/authorization_request.ts";
import type { User } from "../oauth/clients/client.ts";
import type { Client } from "../oauth/clients/repository.ts";
import type { Authorization, TokenRequest } from "../oauth/grants/grant_type.ts";
import { paramsFromFields } from "../oauth/params.ts";
import { splitScope } from "../oauth/authorize/scope.ts";
import { digest, randomId } from "../oauth/secrets.ts";
import { secondsNow } from "../oauth/server.ts";
import type { Server } from "../oauth/server.ts";
import { accessToken } from "../oauth/tokens/access_token.ts";
import { idToken } from "../oauth/tokens/id_token.ts";
import type { TokenResponse } from "../oauth/tokens/issuer.ts";
import { issueTokens } from "../oauth/tokens/mod.ts";
import { refreshToken } from "../oauth/tokens/refresh_token.ts";
import { expiryMarginSeconds, resolveAlgorithm, withOverrides } from "./token_overrides.ts";
import type { TokenOverrides } from "./token_overrides.ts";

/** Who allowed whom how much. */
export interface MintedGrant {
  /** The client, or its id. Default: the first one registered. */
  readonly client?: string | { readonly client_id: string };
  /** The `sub` of a user. Default: the first one. */
  readonly user?: string;
  /** Space-separated. Default: all that the client may ask for. */
  readonly scope?: string;
  /** What the access token is for (RFC 8707). Default: the server's audience. */
  readonly resource?: string | readonly string[];
  /** When the user was authenticated. Default: when the thing is issued. */
  readonly authTime?: Date;
  /** Seconds until it expires. Default: the server's lifetime for it. */
  readonly expiresIn?: number;
  /** Makes one that expired an hour ago. Default: false. */
  readonly expired?: boolean;
}

/** A signed token, and what may be wrong with it. */
export interface MintedToken extends MintedGrant, TokenOverrides {}

/** An id token. */
export interface MintedIdToken extends MintedToken {
  /** The nonce of the authorization request. */
  readonly nonce?: string;
  /** The access token it comes with, for `at_hash`. */
  readonly accessToken?: string;
}

/** An authorization code. */
export interface MintedCode extends MintedGrant {
  /** Default: the client's first one. */
  readonly redirectUri?: string;
  /** The code verifier that must come with the code; a public client's code needs one. Default: no challenge. */
  readonly verifier?: string;
  /** For the id token. */
  readonly nonce?: string;
}

/** Makes tokens and codes without a login. */
export interface Mint {
  /**
   * An access token, in the form that the client has them.
   *
   * @throws {TypeError} When that is opaque and something is to be wrong that only a JWT has.
   */
  accessToken(options?: MintedToken): Promise<string>;
  /** An id token. */
  idToken(options?: MintedIdToken): Promise<string>;
  /** A refresh token, shelved as if it had been issued. @throws {TypeError} When the client is not registered for them. */
  refreshToken(options?: MintedGrant): Promise<string>;
  /** An authorization code, shelved as if a user had approved it. */
  code(options?: MintedCode): Promise<string>;
  /** All that one login buys, of one family; `expired` and `expiresIn` are about the access token. */
  tokens(options?: MintedGrant & { readonly nonce?: string }): Promise<TokenResponse>;
}

/**
 * Makes a mint for a server. It uses the server's own rules and shelves, but none of what is laid around a request.
 *
 * @param server Gives the server as it is at the moment.
 */
export function mint(server: () => Server): Mint {
  return {
    async accessToken(options = {}) {
      const issuer = atIssueTime(server(), options, "access_token");
      const withAlg = { ...issuer, alg: resolveAlgorithm(options, issuer.alg) };
      const authorization = createAuthorization(issuer, options);
      const { access_token } = await accessToken(
        withOverrides(withAlg, options),
        authorization,
        secondsNow(issuer),
        {},
        createRequest(issuer, authorization),
      );
      return access_token!;
    },

    async idToken(options = {}) {
      const issuer = atIssueTime(server(), options, "id_token");
      const { claims, accessToken } = options;
      // Without an access token beside it there is nothing to take the hash of.
      const overrides = accessToken === undefined ? { ...options, claims: { at_hash: undefined, ...claims } } : options;
      const { client, ...rest } = createAuthorization(issuer, { ...options, scope: options.scope ?? "openid" });
      const authorization = {
        ...rest,
        client: { ...client, idTokenAlg: resolveAlgorithm(options, client.idTokenAlg) },
      };
      const issued = { access_token: accessToken ?? "" };
      const { id_token } = await idToken(
        withOverrides(issuer, overrides),
        authorization,
        secondsNow(issuer),
        issued,
        createRequest(issuer, authorization),
      );
      if (id_token !== undefined) return id_token;
      throw new TypeError(`scope: expected openid among it, found ${options.scope}`);
    },

    async refreshToken(options = {}) {
      const issuer = atIssueTime(server(), options, "refresh_token");
      const authorization = createAuthorization(issuer, options);
      const permissive = { ...issuer, refresh: { ...issuer.refresh, onlyOffline: false } };
      const { refresh_token } = await refreshToken(
        permissive,
        authorization,
        secondsNow(issuer),
        {},
        createRequest(issuer, authorization),
      );
      if (refresh_token !== undefined) return refresh_token;
      throw new TypeError(
        `client ${authorization.client.id}: expected refresh_token among its grant_types, ` +
          `found ${authorization.client.grantTypes.join(", ")}`,
      );
    },

    async code(options = {}) {
      const issuer = atIssueTime(server(), options, "code");
      const { client, subject, scope, resources } = createAuthorization(issuer, options);
      const { sub, authTime, sid } = subject!;
      const uri = options.redirectUri ?? client.redirectUris[0];
      if (uri === undefined) throw new TypeError(`client ${client.id}: expected a redirect URI, found none`);
      const { verifier, nonce } = options;
      if (verifier === undefined && !client.confidential) {
        throw new TypeError(`verifier: expected one, because client ${client.id} is public; found none`);
      }
      const request: AuthorizationRequest = {
        destination: { client, uri, mode: "query" },
        client,
        scope,
        codeChallenge: verifier === undefined ? undefined : await digest(verifier),
        nonce,
        resources,
        loginRequirements: { prompt: [] },
      };
      return await issueCode(issuer, request, { user: findUser(issuer, sub), scope, authTime }, sid);
    },

    async tokens(options = {}) {
      const issuer = atIssueTime(server(), options, "access_token");
      const authorization = createAuthorization(issuer, options);
      return await issueTokens(issuer, createRequest(issuer, authorization), authorization);
    },
  };
}

/** The server as it was, or will be, when what is minted is issued, with the lifetime that is asked for. */
function atIssueTime(
  server: Server,
  { expired = false, expiresIn }: MintedGrant,
  kind: "access_token" | "id_token" | "refresh_token" | "code",
): Server {
  const lifetime = expiresIn ?? server.lifetimes[kind];
  const agoMs = expired ? (lifetime + expiryMarginSeconds) * 1000 : 0;
  return { ...server, now: () => server.now() - agoMs, lifetimes: { ...server.lifetimes, [kind]: lifetime } };
}

/** What a user would have allowed. */
function createAuthorization(server: Server, options: MintedGrant & { readonly nonce?: string }): Authorization {
  const client = findClient(server, options.client);
  const { sub } = findUser(server, options.user);
  const authTime = options.authTime?.getTime() ?? server.now();
  return {
    client,
    scope: options.scope === undefined ? client.scope : splitScope(options.scope),
    resources: [options.resource ?? []].flat(),
    grantId: randomId(server.randomBytes),
    subject: { sub, authTime, sid: randomId(server.randomBytes), approvedAt: server.now(), nonce: options.nonce },
  };
}

/** The token request that would have led to an authorization. */
function createRequest({ issuer }: Server, { client }: Authorization): TokenRequest {
  return {
    client,
    parameters: paramsFromFields([["grant_type", "authorization_code"]]),
    method: "POST",
    url: `${issuer.replace(/\/$/, "")}/oauth2/token`,
    header: () => null,
  };
}

function findClient({ clients }: Server, requested: MintedGrant["client"]): Client {
  const id = typeof requested === "object" ? requested.client_id : requested;
  const client = id === undefined ? clients.all()[0] : clients.find(id);
  if (client !== undefined) return client;
  throw unknownError("client", clients.all().map((one) => one.id), id);
}

function findUser({ users }: Server, sub: string | undefined): User {
  const user = sub === undefined ? users.all()[0] : users.find(sub);
  if (user !== undefined) return user;
  throw unknownError("user", users.all().map((one) => one.sub), sub);
}

function unknownError(what: string, available: readonly string[], received: string | undefined): TypeError {
  return new TypeError(
    `${what}: expected one of the server's, which are ${available.join(", ") || "none"}; found ${received ?? "none"}`,
  );
}
