/** What differs from the standards at Keycloak. */

import { decodeJwtPart } from "../../platform/http/jwt_part.ts";
import type {
  Members,
  ProviderRequest,
  ProviderResponse,
  RequestFacts,
  ResponseFacts,
} from "../config/provider_functions.ts";
import { keycloakProfile } from "../config/provider_settings/keycloak.ts";
import type { Server } from "../../core/server.ts";
import { wrapIssueStep } from "../../core/token/table.ts";
import { asServerPolicy } from "../config/server_policy.ts";
import type { HostedServer } from "../hosted_server.ts";
import { webOriginsOf } from "./keycloak_handlers.ts";
import { keycloakPages } from "./keycloak_pages.ts";
import { credentialsFor } from "./shared/credentials.ts";
import { newGuid } from "./shared/derived_values.ts";
import { hasObjectBody, omit, withChangedBody } from "./shared/members.ts";
import { withOneLifetime } from "./shared/one_lifetime.ts";
import type { Provider } from "./shared/provider.ts";
import { secondsOfRefreshToken } from "./shared/refresh_end.ts";

/**
 * The key for encrypted requests that every realm publishes beside its signing keys. Its private part does not exist:
 * this server decrypts nothing.
 */
const encryptionKey = {
  kid: "XCR3dYoVBtUzP1ckP2Jf0kM2iSfRBVM0lGmjXk0PLn8",
  kty: "RSA",
  alg: "RSA-OAEP",
  use: "enc",
  e: "AQAB",
  n: "tREGVrMA8eOBEEg8Ospli5Y-vOVGnz1LXlVGGkM4cIsIYroegSykSDis1ALV06jRfhyCKT3K_iE9i9naqIPwiNJ-m-_YlJk_flouTllfPAmO0ZeOlby7up4dQIvtO2rFzBn79mqQIHAFC4q6paT5pDlKkH1a34nTbxge_reSIVkFyPa2IFgyTwmU30q46pjp3frHU_dnlKZp2CPxVu71S2TPMZGArXnI4AnP0pVR5yD4ceyHDtlblL0y5XmLDgOWjF6WnWUGc4KMqiXOrKsQLqT3eahviawyd6N6DkPYMPlE8tr3qvcGnu5suEjU4eY0Gte0jlIy3Q7Iq-6H8qp0RQ",
};

/** keycloak/keycloak TokenEndpoint, PkceUtils, TokenManager and AuthorizeClientUtil, by the rule or the code. */
const tokenErrors: Readonly<Record<string, string>> = {
  "TK-14": "Incorrect redirect_uri",
  "TK-15": "Incorrect redirect_uri",
  "TK-16": "Code not valid",
  "PK-08": "PKCE verification failed: Invalid code verifier",
  "PK-09": "PKCE verification failed: Code mismatch",
  "PK-10": "PKCE code verifier not specified",
  "LO-05": "Session not active",
  "RT-02": "Invalid refresh token",
  "RT-04": "Maximum allowed refresh token reuse exceeded",
  "RT-07": "Invalid refresh token",
  invalid_client: "Invalid client or Invalid client credentials",
};

export function keycloakProvider(): Provider {
  return {
    routes: keycloakPages,
    extend: withOfflineSessions,
    // The basic scope and TokenManager.initToken: typ, azp.
    claims(claims, { kind, server, client, user, grant }) {
      if (kind === "id_token") return { ...claims, typ: "ID", azp: claims.aud, jti: newGuid(server) };
      if (kind !== "access_token") return claims;
      return {
        ...omit(claims, "client_id"),
        ...{ typ: "Bearer", azp: claims.client_id, "allowed-origins": webOriginsOf(client) },
        ...grant.resources.length === 0 && { aud: withClientsOfRoles(claims, client.id) },
        // keycloak/keycloak ServiceAccountConstants: only the tokens of service accounts have them.
        ...user === undefined && {
          preferred_username: claims.preferred_username ?? `service-account-${client.id.toLowerCase()}`,
          client_id: client.id,
        },
      };
    },
    originalClaims: (claims) => ({ ...claims, client_id: claims.azp ?? claims.client_id }),
    request: (request, facts) =>
      facts.endpoint === "authorization_endpoint" ? withDefaultScope(request, facts) : request,
    response: async (response, facts) => withCredentials(await withMembers(response, facts), facts),
    error(response, facts) {
      const { endpoint, rejection: { rule = "", error = "" } = {} } = facts;
      if (endpoint !== "token_endpoint") return withCredentials(response, facts);
      const error_description = rule === "RT-07" && isOwnRefreshToken(facts)
        ? "Token is not active"
        : tokenErrors[rule] ?? tokenErrors[error];
      const described = error_description === undefined
        ? response
        : withChangedBody(response, (body) => ({ ...body, error_description }));
      return withCredentials(error === "invalid_client" ? { ...described, status: 401 } : described, facts);
    },
    callback: (parameters, { rejection }) =>
      parameters.error !== undefined && rejection?.rule === "PK-01"
        ? { ...parameters, error_description: "Missing parameter: code_challenge_method" }
        : parameters,
  };
}

/** keycloak/keycloak AudienceResolveProtocolMapper: a token is also for the other clients of its roles. */
function withClientsOfRoles({ aud, resource_access }: Members, client: string): unknown {
  const others = Object.keys(Object(resource_access)).filter((id) => id !== client && id !== aud);
  return others.length > 0 ? [...others, aud] : aud;
}

/** RealmRepresentation.offlineSessionIdleTimeout, thirty days; an offline session has no other end by default. */
const offlineLifetimes = { refresh_token: 315_360_000, refresh_token_idle: 2_592_000 };

/** Refresh tokens with `offline_access` do not end with the session: their lifetimes are of their own. */
function withOfflineSessions(server: HostedServer): HostedServer {
  const { grants, grantTypes, steps } = server;
  // TokenManager.AccessTokenResponseBuilder.generateIDToken: the exp of the access token.
  const policy = withOneLifetime(server.policy, keycloakProfile);
  const { refresh_token } = policy.lifetimes;
  // A record of a revocation is kept as long as any refresh token lives.
  const longest = Math.max(refresh_token, offlineLifetimes.refresh_token);
  return {
    ...server,
    policy: {
      ...policy,
      // keycloak-connect and python-keycloak request openid with client_credentials, and get tokens.
      ignoresUserScopes: true,
      lifetimes: { ...policy.lifetimes, refresh_token: longest },
    },
    grants: {
      ...grants,
      async storeRefreshToken(server, request, token, grantId, record) {
        const { approvedAt, scope } = record.grant;
        const isOffline = scope.includes("offline_access");
        // A test may have set another lifetime.
        const isLongest = server.policy.lifetimes.refresh_token === longest;
        const endsAt = Math.min(record.endsAt, isOffline || !isLongest ? Infinity : approvedAt + refresh_token * 1000);
        const idleUntil = isOffline ? server.now() + offlineLifetimes.refresh_token_idle * 1000 : record.validUntil;
        const limited = { ...record, endsAt, validUntil: Math.min(endsAt, idleUntil) };
        await grants.storeRefreshToken(server, request, token, grantId, limited);
      },
    },
    steps: wrapIssueStep(steps, "refresh_token", (issue) => (server, issued, authorization, now, request) =>
      issue(
        issuingOffline(server, authorization.scope.includes("offline_access")),
        issued,
        authorization,
        now,
        request,
      )),
    grantTypes: grantTypes.map((grantType) =>
      grantType.type !== "refresh_token" ? grantType : {
        ...grantType,
        authorize: (server, request) =>
          grantType.authorize(
            issuingOffline(server, request.params.get("refresh_token")?.startsWith(offlinePrefix) ?? false),
            request,
          ),
      }
    ),
  };
}

/** TokenUtil.TOKEN_TYPE_OFFLINE: {"typ":"Offline"}. */
const offlinePrefix = "eyJhbGciOiJIUzUxMiIsInR5cCI6IkpXVCJ9.eyJ0eXAiOiJPZmZsaW5lIn0.";

/** The server whose refresh tokens are offline tokens. */
function issuingOffline<Own extends Server>(server: Own, isOffline: boolean): Own {
  const { tokenPrefixes } = asServerPolicy(server.policy);
  if (!isOffline) return server;
  const policy = { ...server.policy, tokenPrefixes: { ...tokenPrefixes, refresh_token: offlinePrefix } };
  return { ...server, policy } as Own;
}

/**
 * Adds the default scope values of the client, which Keycloak grants to every request:
 * https://www.keycloak.org/docs/latest/server_admin/#_client_scopes_linking
 */
function withDefaultScope(request: ProviderRequest, { method, server }: RequestFacts<Server>): ProviderRequest {
  const first = (name: string) => request.parameters.find(([other]) => other === name);
  const sent = first("scope");
  const client = server.clients.known().get(first("client_id")?.[1] ?? "");
  if (method !== "GET" || !sent?.[1] || client === undefined) return request;
  const present = [...sent[1].split(" "), ""];
  const allowed = client.metadata.scope?.split(" ") ?? server.policy.defaultScope;
  const added = server.policy.defaultScope.filter((value) => !present.includes(value) && allowed.includes(value));
  if (added.length === 0) return request;
  const scope = [sent[1], ...added].join(" ");
  return { ...request, parameters: request.parameters.map((one) => one === sent ? ["scope", scope] : one) };
}

/**
 * keycloak-js lib/keycloak.js fetches tokens with `credentials: "include"`, so `*` is not enough. Responses to a client
 * are for its own origins.
 */
function withCredentials(
  response: ProviderResponse,
  { request, server, clientId }: ResponseFacts<Server>,
): ProviderResponse {
  const origin = request.headers.get("origin");
  if (origin === null || response.headers["access-control-allow-origin"] === undefined) return response;
  if (!isWebOrigin(server, clientId, origin)) return response;
  return { ...response, headers: { ...response.headers, ...credentialsFor(origin) } };
}

function isWebOrigin({ clients }: Server, clientId: string | undefined, origin: string): boolean {
  const client = clientId === undefined ? undefined : clients.known().get(clientId);
  return (client === undefined ? [...clients.registered.known().values()] : [client]).some((client) =>
    webOriginsOf(client).includes(origin)
  );
}

/** Whether a refresh token that is not valid looks like one of this server: TokenManager.toRefreshToken reads it. */
function isOwnRefreshToken({ parameters }: ResponseFacts<Server>): boolean {
  const token = parameters.find(([name]) => name === "refresh_token")?.[1];
  return token !== undefined && ["Refresh", "Offline"].includes(decodeJwtPart(token, 1).typ as string);
}

/** AccessTokenResponse, in a recorded response: https://github.com/keycloak/keycloak/issues/51936 */
async function withMembers(
  response: ProviderResponse,
  { endpoint, server }: ResponseFacts<Server>,
): Promise<ProviderResponse> {
  if (response.status !== 200) return response;
  if (endpoint === "jwks_uri") {
    return withChangedBody(
      response,
      (body) => Array.isArray(body.keys) ? { keys: [encryptionKey, ...body.keys] } : body,
    );
  }
  if (endpoint !== "token_endpoint" || !hasObjectBody(response)) return response;
  const { access_token, id_token, refresh_token, scope } = response.body;
  const session_state = [access_token, id_token].map((token) => decodeJwtPart(String(token), 1).sid)
    .find((sid) => sid !== undefined);
  // TokenManager.AccessTokenResponseBuilder: an offline token has no end.
  const isEndless = refresh_token === undefined || String(scope).split(" ").includes("offline_access");
  const refresh_expires_in = isEndless ? 0 : await secondsOfRefreshToken(server, refresh_token);
  return withChangedBody(response, (body) => ({
    ...body,
    ...{ "not-before-policy": 0, refresh_expires_in },
    ...session_state !== undefined && { session_state },
  }));
}
