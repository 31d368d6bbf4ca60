/** The mint: valid tokens and codes without a login, and ones that recipients must reject. */

import { userForHint } from "../server/clients/login_hint.ts";
import { signingAlgorithms } from "../core/keys/signing_algorithm.ts";
import { choice, type FieldsOf, flag, object, objectField, text, texts } from "../core/policy/field.ts";
import { listNames } from "../core/policy/suggest.ts";
import { acceptApproval } from "../core/authorize/code.ts";
import type { AuthorizationRequest } from "../core/authorize/authorization_request.ts";
import type { User } from "../core/clients/client.ts";
import type { Client } from "../core/clients/clients.ts";
import type { DpopKey } from "./dpop.ts";
import type { IssuedGrant } from "./issued_grants.ts";
import type { AuthenticatedRequest, Authorization, TokenResponse } from "../core/token/grants/authenticated_request.ts";
import { paramsFromFields, splitScope } from "../core/http/params.ts";
import { codeChallenge } from "../client/authorization_request.ts";
import { randomId } from "../core/keys/secrets.ts";
import type { Session } from "../core/sessions/session.ts";
import { secondsNow } from "../core/keys/jwt.ts";
import type { Server } from "../core/server.ts";
import type { Issue } from "../core/token/steps.ts";
import { levelOf, loginLevel } from "../server/token/levels.ts";
import { proofKey } from "../server/extensions/bound_tokens/mod.ts";
import type { HostedServer } from "../server/hosted_server.ts";
import { issueAccessToken, issueIdToken, issueTokens } from "../core/token/tokens/mod.ts";
import { issueRefreshToken } from "../core/token/tokens/issue_refresh_token.ts";
import { assertionFields, mintAssertion, type MintedAssertion, type MintedIdJag } from "./mint_assertion.ts";
import { logoutTokenFields, type MintedLogoutToken, mintLogoutToken } from "./mint_logout_token.ts";
import { anyOption, assertOptions } from "./options.ts";
import { expiryMarginSeconds, resolveAlgorithm, type TokenOverrides, withOverrides } from "./token_overrides.ts";
import { withPolicy } from "./with_policy.ts";
import { resourcesOf, withResources } from "../server/token/resources.ts";

/** @internal The grant of a minted token: client, user and scope. */
export interface MintedGrant {
  /** The client, or its id. Default: the first registered one. */
  readonly client?: string | { readonly client_id: string };
  /**
   * The `sub` of the user. For an access token it may be the id of the client, if it has the grant `client_credentials`.
   * Default: the first user; for a client that has only this grant, the client.
   */
  readonly sub?: string;
  /**
   * Space-separated; may contain values that the client may not request. Default: every scope value that the client is
   * registered for.
   */
  readonly scope?: string;
  /** The resource indicator of the access token (RFC 8707). Default: the audience of the server. */
  readonly resource?: string | readonly string[];
  /** When the user was authenticated. Default: when the token is issued. */
  readonly authTime?: Date;
  /** The authentication context class of the login (`acr`). Default: none. */
  readonly acr?: string;
  /** The authentication methods of the login (`amr`, RFC 8176). Default: none. */
  readonly amr?: readonly string[];
  /** The key that the token or code is bound to (RFC 9449). Default: none. */
  readonly dpop?: Pick<DpopKey, "thumbprint">;
  /** The lifetime in seconds. Default: the server's lifetime for the kind of token. */
  readonly expiresIn?: number;
  /** Whether it expired an hour ago. Default: false. */
  readonly expired?: boolean;
}

/** @internal */
export interface MintedToken extends MintedGrant, TokenOverrides {}

/** @internal */
export interface MintedIdToken extends MintedToken {
  /** The nonce of the authorization request. */
  readonly nonce?: string;
  /** The access token for `at_hash`. Default: no `at_hash`. */
  readonly accessToken?: string;
}

/** @internal */
export interface MintedCode extends MintedGrant {
  /** Default: the first redirect URI of the client. */
  readonly redirectUri?: string;
  /** The code verifier; required for a public client. Default: no code challenge. */
  readonly verifier?: string;
  /** The nonce of the ID token. Default: none. */
  readonly nonce?: string;
}

/** @internal */
export interface MintedTokens extends MintedGrant {
  /** The nonce of the ID token. Default: none. */
  readonly nonce?: string;
}

const grantFields: FieldsOf<MintedGrant> = {
  client: anyOption,
  sub: text(["bob"]),
  scope: text(["openid read"]),
  resource: anyOption,
  authTime: objectField,
  dpop: objectField,
  acr: text(["urn:example:mfa"]),
  amr: texts(["pwd", "otp", "mfa"]),
  expiresIn: anyOption,
  expired: flag(false),
};

const tokenFields: FieldsOf<MintedToken> = {
  ...grantFields,
  claims: objectField,
  notYetValid: flag(false),
  alg: choice([...signingAlgorithms, "none"]),
  signedBy: anyOption,
  issuer: text(["https://other.test"]),
  typ: text(["JWT"]),
};

const { claims, notYetValid, alg, signedBy, issuer, typ } = tokenFields;

/** The descriptions of what {@link Mint} takes, by the names of its functions. */
export const mintFields = {
  ...assertionFields({ claims, notYetValid, alg, signedBy, issuer, typ }),
  accessToken: object<MintedToken>("MintedToken", tokenFields, {}),
  idToken: object<MintedIdToken>(
    "MintedIdToken",
    { ...tokenFields, nonce: text(["n-0S6"]), accessToken: text([]) },
    {},
  ),
  logoutToken: object<MintedLogoutToken>(
    "MintedLogoutToken",
    { ...logoutTokenFields, claims, notYetValid, alg, signedBy, issuer, typ },
    {},
  ),
  refreshToken: object<MintedGrant>("MintedGrant", grantFields, {}),
  code: object<MintedCode>("MintedCode", {
    ...grantFields,
    redirectUri: text(["https://client.test/callback"]),
    verifier: text(["dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"]),
    nonce: text(["n-0S6"]),
  }, {}),
  tokens: object<MintedTokens>("MintedTokens", { ...grantFields, nonce: text(["n-0S6"]) }, {}),
};

/** Mints tokens and codes without a login. */
export interface Mint {
  /**
   * Mints an access token in the format of the client.
   *
   * @throws {TypeError} If the format is opaque and the options change what only a JWT has.
   */
  accessToken(options?: MintedToken): Promise<string>;
  /** Mints an ID token. */
  idToken(options?: MintedIdToken): Promise<string>;
  /** Mints a logout token for the `backchannel_logout_uri` of a client: valid, or with defects that it must reject. */
  logoutToken(options?: MintedLogoutToken): Promise<string>;
  /** Mints a refresh token, which the server accepts. @throws {TypeError} If the client is not registered for them. */
  refreshToken(options?: MintedGrant): Promise<string>;
  /** Mints an authorization code, which the server accepts. */
  code(options?: MintedCode): Promise<string>;
  /**
   * Mints an assertion of another issuer for the JWT bearer grant (RFC 7523 §2.1). The server accepts it if its
   * `trustedIssuers` have that issuer with the keys of {@link foreignJwks}.
   */
  assertion(options?: MintedAssertion): Promise<string>;
  /**
   * Mints an ID-JAG of another issuer: an assertion for one client, with `grantProfile: "id-jag"` in `trustedIssuers`.
   */
  idJag(options?: MintedIdJag): Promise<string>;
  /** Mints the tokens of one grant; `expired` and `expiresIn` apply to the access token. */
  tokens(options?: MintedTokens): Promise<TokenResponse>;
}

/**
 * Creates the mint of a server. It uses the rules and the store of the server, and the form of tokens of its profile,
 * without other plugins.
 *
 * @param server Returns the server at this moment.
 * @param getTokenUrl Returns the URL of the token endpoint.
 * @param onGrant Receives the grant of each minted token or code.
 */
export function mint(
  server: () => Promise<HostedServer>,
  getTokenUrl: () => string,
  onGrant: (grant: IssuedGrant) => void,
): Mint {
  const createAuthorization: typeof createGrantedAuthorization = async (issuer, options, needsUser) => {
    const authorization = await createGrantedAuthorization(issuer, options, needsUser);
    const { grantId, client, subject } = authorization;
    onGrant({ grantId, client: client.id, sub: subject?.sub ?? client.id });
    return authorization;
  };

  /** The token request that an authorization could result from. */
  const createRequest = ({ client, subject }: Authorization, { dpop }: MintedGrant): AuthenticatedRequest => {
    const request: AuthenticatedRequest = {
      client,
      params: paramsFromFields([["grant_type", subject === undefined ? machineGrant : "authorization_code"]]),
      method: "POST",
      url: getTokenUrl(),
      connection: {},
      header: () => null,
    };
    return proofKey.put(request, dpop?.thumbprint);
  };

  const issue = (
    run: Issue<Server>,
    server: Server,
    authorization: Authorization,
    options: MintedGrant,
    issued: Partial<TokenResponse> = {},
  ) => run(server, issued, authorization, secondsNow(server), createRequest(authorization, options));

  return {
    async accessToken(options = {}) {
      assertOptions("mint.accessToken", mintFields.accessToken, options);
      const issuer = atIssueTime(await server(), options, "access_token");
      const withAlg = withPolicy(issuer, { alg: resolveAlgorithm(options, issuer.policy.alg) });
      const authorization = await createAuthorization(issuer, options, false);
      const { access_token } = await issue(issueAccessToken, withOverrides(withAlg, options), authorization, options);
      return access_token!;
    },

    async idToken(options = {}) {
      assertOptions("mint.idToken", mintFields.idToken, options);
      const issuer = atIssueTime(await server(), options, "id_token");
      const { claims, accessToken } = options;
      // at_hash is the hash of an access token.
      const overrides = accessToken === undefined ? { ...options, claims: { at_hash: undefined, ...claims } } : options;
      const { client, ...rest } = await createAuthorization(issuer, { ...options, scope: options.scope ?? "openid" });
      const authorization = {
        ...rest,
        client: { ...client, idTokenAlg: resolveAlgorithm(options, client.idTokenAlg) },
      };
      const { id_token } = await issue(issueIdToken, withOverrides(issuer, overrides), authorization, options, {
        access_token: accessToken ?? "",
      });
      if (id_token !== undefined) return id_token;
      throw new TypeError(`scope: expected a scope with openid, received ${options.scope}`);
    },

    async logoutToken(options = {}) {
      assertOptions("mint.logoutToken", mintFields.logoutToken, options);
      const issuer = await server();
      const { sub } = await findUser(issuer, options.sub);
      return await mintLogoutToken(issuer, await findClient(issuer, options.client), sub, options);
    },

    async refreshToken(options = {}) {
      assertOptions("mint.refreshToken", mintFields.refreshToken, options);
      const issuer = atIssueTime(await server(), options, "refresh_token");
      const authorization = await createAuthorization(issuer, options);
      const permissive = withPolicy(issuer, { refresh: { ...issuer.policy.refresh, onlyOffline: false } });
      const { refresh_token } = await issue(issueRefreshToken, permissive, authorization, options);
      if (refresh_token !== undefined) return refresh_token;
      throw new TypeError(
        `client ${authorization.client.id}: expected grant_types with refresh_token, ` +
          `received ${authorization.client.grantTypes.join(", ")}`,
      );
    },

    async code(options = {}) {
      assertOptions("mint.code", mintFields.code, options);
      const issuer = atIssueTime(await server(), options, "code");
      const authorization = await createAuthorization(issuer, options);
      const { client, subject, scope } = authorization;
      const login = subject as Omit<Session, "user">;
      const user = await findUser(issuer, login.sub);
      const uri = options.redirectUri ?? client.redirectUris[0];
      if (uri === undefined) throw new TypeError(`client ${client.id}: expected a redirect URI, received none`);
      const { verifier, nonce } = options;
      if (verifier === undefined && !client.confidential) {
        throw new TypeError(`verifier: expected a code verifier, because client ${client.id} is public, received none`);
      }
      const request: AuthorizationRequest = {
        clientId: client.id,
        scope,
        codeChallenge: verifier === undefined ? undefined : await codeChallenge(verifier),
        nonce,
        loginRequirements: { prompt: [] },
      };
      const bound = proofKey.put(withResources(request, resourcesOf(authorization)), options.dpop?.thumbprint);
      const pending = { request: bound, destination: { uri, mode: "query" as const }, client };
      const approval = { user, scope, authTime: login.authTime };
      const session = { ...login, user };
      const grant = await acceptApproval(issuer, pending, approval, session);
      return (await issuer.grants.issueResponse(issuer, pending, grant)).find(([name]) => name === "code")![1];
    },

    async assertion(options = {}) {
      assertOptions("mint.assertion", mintFields.assertion, options);
      return await mintAssertion(await server(), options, "JWT");
    },

    async idJag(options = {}) {
      assertOptions("mint.idJag", mintFields.idJag, options);
      const audience = await server();
      const { id } = await findClient(audience, options.client);
      const { scope, resource } = options;
      return await mintAssertion(audience, options, "oauth-id-jag+jwt", {
        client_id: id,
        auth_time: secondsNow(audience),
        ...scope !== undefined && { scope },
        ...resource !== undefined && { resource },
      });
    },

    async tokens(options = {}) {
      assertOptions("mint.tokens", mintFields.tokens, options);
      const issuer = atIssueTime(await server(), options, "access_token");
      const authorization = await createAuthorization(issuer, options, false);
      return await issueTokens(issuer, createRequest(authorization, options), authorization);
    },
  };
}

/** The server at the time of issue, with the requested lifetime. */
function atIssueTime(
  server: Server,
  { expired = false, expiresIn }: MintedGrant,
  kind: "access_token" | "id_token" | "refresh_token" | "code",
): Server {
  const lifetime = expiresIn ?? server.policy.lifetimes[kind];
  const agoMs = expired ? (lifetime + expiryMarginSeconds) * 1000 : 0;
  const atIssue = withPolicy(server, { lifetimes: { ...server.policy.lifetimes, [kind]: lifetime } });
  return { ...atIssue, now: () => server.now() - agoMs };
}

const machineGrant = "client_credentials";

/** The authorization that a login and consent of the user would have produced, or the client on its own behalf. */
async function createGrantedAuthorization(
  server: Server,
  options: MintedGrant & { readonly nonce?: string },
  needsUser = true,
): Promise<Authorization> {
  const client = await findClient(server, options.client);
  const isMachine = !needsUser && client.grantTypes.includes(machineGrant) &&
    (options.sub === undefined ? client.grantTypes.length === 1 : options.sub === client.id);
  const sub = isMachine ? undefined : (await findUser(server, options.sub)).sub;
  const authTime = options.authTime?.getTime() ?? server.now();
  return withResources({
    client,
    scope: options.scope === undefined ? client.scope : splitScope(options.scope),
    grantId: randomId(server.randomBytes),
    subject: sub === undefined
      ? undefined
      : loginLevel.put({ sub, authTime, sid: randomId(server.randomBytes) }, levelOf(options)),
    nonce: options.nonce,
  }, [options.resource ?? []].flat());
}

async function findClient({ clients }: Server, requested: MintedGrant["client"]): Promise<Client> {
  const id = typeof requested === "object" ? requested.client_id : requested;
  const client = id === undefined ? (await clients.list({ limit: 1 }))[0] : await clients.find(id);
  if (client !== undefined) return client;
  throw unknownError("client", clients.known().keys(), id);
}

async function findUser({ users }: Server, sub: string | undefined): Promise<User> {
  const user = sub === undefined ? (await users.list({ limit: 1 }))[0] : await userForHint({ users }, sub);
  if (user !== undefined) return user;
  throw unknownError("sub", users.known().keys(), sub);
}

function unknownError(what: string, available: Iterable<string>, received: string | undefined): TypeError {
  return new TypeError(
    `${what}: expected one of ${listNames(available, ", ") || "none"}, received ${received ?? "none"}`,
  );
}
