/** What differs from the standards at Microsoft Entra ID. Pages below docs/ are those of MicrosoftDocs/entra-docs. */

import type { App } from "../app.ts";
import type { ClaimsFacts, Members, ProviderResponse, ResponseFacts } from "../config/provider_functions.ts";
import { decodeJwtPart } from "../../platform/http/jwt_part.ts";
import { type HttpResponse, withHeaders } from "../../core/http/message.ts";
import { getHeader } from "../../platform/http/response.ts";
import { splitScope } from "../../core/http/params.ts";
import { parseTarget } from "../../core/http/router.ts";
import { entraProfile } from "../config/provider_settings/entra.ts";
import { encodeBase64url } from "../../core/keys/crypto.ts";
import type { Server } from "../../core/server.ts";
import { guidOf, newGuid } from "./shared/derived_values.ts";
import { defined, omit, withChangedBody } from "./shared/members.ts";
import { withOneLifetime } from "./shared/one_lifetime.ts";
import type { Provider } from "./shared/provider.ts";
import { graphEndpoints, userPath } from "./entra_graph.ts";
import { instanceDiscovery, instanceEndpoint } from "./entra_instance.ts";
import { withOtherScope } from "./entra_refresh_scope.ts";

/** https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc: other names of a tenant, and its domain. */
const tenantPath =
  /^\/(common|organizations|consumers|[a-z\d-]+(?:\.[a-z\d-]+)+)(\/(?:oauth2|discovery)?\/?v2\.0\/.*)$/;

/** Maximum number of groups in a JWT. With more, it has a reference to them instead. */
const maxGroups = 200;

interface KnownError {
  readonly number: number;
  readonly text?: string;
  /** MSAL asks the user again for some values: msal-common src/error/InteractionRequiredAuthError.ts. */
  readonly suberror?: string;
}

/**
 * MicrosoftDocs/entra-docs docs/identity-platform/reference-error-codes.md has these numbers, except 7000215 and 90014.
 * Not confirmed: the number for a token request with another redirect URI.
 */
const errors: Readonly<Record<string, KnownError>> = {
  "CI-06": {
    number: 54005,
    text: "The authorization code was already used. Retry with a new valid code.",
  },
  "PK-09": {
    number: 501481,
    text: "The Code_Verifier does not match the code_challenge of the authorization request.",
  },
  "TK-15": { number: 70004, text: "The redirect URI does not match that of the authorization request." },
  "RT-06 invalid_grant": {
    number: 65001,
    text: "The user or administrator has not consented to use the application. " +
      "Send an interactive authorization request for this user and resource.",
    suberror: "consent_required",
  },
  invalid_grant: { number: 70008, text: "The provided authorization code or refresh token has expired or is revoked." },
  // github.com issues of clients: the number of a wrong secret
  invalid_client: { number: 7000215, text: "Invalid client secret provided." },
  // Published responses, as MSAL's issues quote them.
  unknown_client: { number: 700016, text: "Application was not found in the directory." },
  no_credentials: {
    number: 7000218,
    text: "The request body must contain the following parameter: 'client_assertion' or 'client_secret'.",
  },
  "AZ-11": { number: 700054 },
  unauthorized_client: { number: 70001, text: "The application is disabled or was not found in the directory." },
  unsupported_grant_type: { number: 70003, text: "The app returned an unsupported grant type." },
  unsupported_response_type: { number: 70005, text: "The app returned an unsupported response type." },
  invalid_scope: { number: 70011, text: "The provided value for the input parameter 'scope' is not valid." },
  access_denied: { number: 65004, text: "User declined to consent to access the app." },
  consent_required: { number: 65001, text: "The user or administrator has not consented to use the application." },
  login_required: { number: 50058, text: "A silent sign-in request was sent but no user is signed in." },
  interaction_required: { number: 50058, text: "A silent sign-in request was sent but no user is signed in." },
  // The text of MSAL's issues: an unknown tenant.
  unknown_tenant: { number: 90002, text: "Tenant not found. Check to make sure you have the correct tenant ID." },
  invalid_instance: { number: 50049, text: "Unknown or invalid instance." },
};

export function entraProvider(): Provider {
  let app: App;
  return {
    setup: (assembled) => void (app = assembled),
    routes: () => [...graphEndpoints(), instanceEndpoint()],
    extend: (server) => ({
      ...server,
      grants: withOtherScope(server.grants),
      policy: withOneLifetime(server.policy, entraProfile),
    }),
    handle: (next) => async (request, peer) => withCookiePath(await next(request, peer), tenantOf(app.server)),
    path(path, { server }) {
      const [, alias, rest = ""] = tenantPath.exec(path) ?? [];
      if (alias !== undefined) return `/${tenantOf(server)}${rest}`;
      // passport-microsoft lib/strategy.js has a slash at the end of the user's URL.
      return path === `${userPath}/` ? userPath : path;
    },
    // msal-common src/request/ScopeSet.ts: the case of scope values does not matter.
    request(request, { server: { policy: { scopes } } }) {
      const asKnown = (value: string) =>
        scopes.includes(value) ? value : scopes.find((one) => one.toLowerCase() === value.toLowerCase()) ?? value;
      const parameters = request.parameters.map(([name, value]) =>
        [name, name === "scope" ? splitScope(value).map(asKnown).join(" ") : value] as const
      );
      return parameters.join() === request.parameters.join() ? request : { ...request, parameters };
    },
    claims(claims, facts) {
      const { kind, server, grant: { scope } } = facts;
      if (kind === "userinfo" && scope.includes("email")) {
        // docs/identity-platform/userinfo.md has no email_verified.
        return omit(claims, "email_verified");
      }
      if (kind !== "id_token" && kind !== "access_token") return claims;
      return {
        ...withGroupReference(kind === "id_token" ? idTokenClaims(claims, facts) : accessTokenClaims(claims, facts)),
        tid: tenantOf(server),
      };
    },
    originalClaims: ({ azp, scp, ...claims }) => ({
      ...claims,
      client_id: azp ?? claims.client_id,
      scope: scp ?? claims.scope,
    }),
    response(response, facts) {
      if (facts.endpoint === "discovery") return withAlias(response, facts);
      if (facts.endpoint === "jwks_uri") {
        const issuer = templatedIssuer(facts.server);
        // A published document of keys: no alg.
        return withChangedBody(response, ({ keys, ...others }) => ({
          ...others,
          keys: Array.isArray(keys) ? keys.map((key) => ({ ...omit(key, "alg"), issuer })) : keys,
        }));
      }
      if (facts.endpoint !== "token_endpoint") return response;
      // docs/identity-platform/v2-oauth2-auth-code-flow.md
      const asksForInfo = facts.parameters.some(([name, value]) => name === "client_info" && value === "1");
      return withChangedBody(response, (body) => ({
        ...body,
        ...defined({ ext_expires_in: body.expires_in }),
        ...asksForInfo && clientInfo(body),
      }));
    },
    error(given, facts) {
      const { endpoint, server, rejection, request } = facts;
      const isUnknownTenant = endpoint === "" && /\/oauth2\/(?:v2\.0\/)?token(?:\?|$)/.test(request.url);
      const cause = isUnknownTenant ? "unknown_tenant" : clientIssue(facts);
      const isUnknown = cause === "unknown_tenant" || cause === "unknown_client";
      const response = isUnknown ? { ...given, status: 400 } : given;
      if (isUnknownTenant || endpoint === "token_endpoint" || endpoint === instanceDiscovery) {
        return withChangedBody(response, (members) => {
          const body = endpoint === instanceDiscovery
            ? { ...members, error: "invalid_instance" }
            : cause === "unknown_client"
            ? { ...members, error: "unauthorized_client" }
            : members;
          return { ...body, ...describe(body, cause === undefined ? rejection : { error: cause }, server) };
        });
      }
      // https://learn.microsoft.com/graph/errors
      return endpoint !== "graph_me" ? response : withChangedBody(response, ({ error, error_description }) => ({
        error: {
          code: error === "invalid_token" ? "InvalidAuthenticationToken" : "ResourceNotFound",
          message: error_description,
        },
      }));
    },
    callback(parameters, { server, rejection }) {
      // msal-common src/constants/AADServerParamKeys.ts
      if (parameters.code !== undefined) return { ...parameters, session_state: newGuid(server) };
      if (parameters.error === undefined) return parameters;
      const error = rejection?.rule === "AZ-11" ? "unsupported_response_type" : parameters.error;
      return { ...parameters, error, error_description: describe(parameters, rejection, server).error_description };
    },
  };
}

/** The tenant. The issuer of a tenant of a mock has more segments before this one. */
function tenantOf({ issuer }: Pick<Server, "issuer">): string {
  return new URL(issuer).pathname.split("/").at(-2)!;
}

/** Why a client was rejected, if it is not its secret. */
function clientIssue({ server, rejection, parameters, request }: ResponseFacts<Server>): string | undefined {
  if (rejection?.error !== "invalid_client") return undefined;
  if (!server.clients.known().has(rejection.client ?? "")) return "unknown_client";
  const isSent = request.headers.get("authorization") !== null ||
    parameters.some(([name]) => name === "client_secret" || name === "client_assertion");
  return isSent ? undefined : "no_credentials";
}

/** The members that describe an error. `error_uri` stays: that page of this server explains the error. */
function describe(body: Members, rejection: ResponseFacts["rejection"], server: Server) {
  const { rule = rejection?.error ?? "" } = rejection ?? {};
  const { number, text = String(body.error_description ?? ""), suberror }: KnownError =
    errors[`${rule} ${body.error}`] ??
      errors[rule] ?? errors[String(body.error)] ?? { number: 90014 };
  const [trace_id, correlation_id] = [newGuid(server), newGuid(server)];
  const timestamp = new Date(server.now()).toISOString().replace("T", " ").replace(/\.\d+/, "");
  const ids = `Trace ID: ${trace_id} Correlation ID: ${correlation_id} Timestamp: ${timestamp}`;
  return {
    error_description: `AADSTS${number}: ${text} ${ids}`,
    error_codes: [number],
    timestamp,
    trace_id,
    correlation_id,
    ...defined({ suberror }),
  };
}

/** Claims of every token: docs/identity-platform/id-token-claims-reference.md */
function tokenClaims(claims: Members, { server, user }: ClaimsFacts<Server>): Members {
  const { roles = user?.roles, groups = user?.groups } = claims;
  return { ver: "2.0", nbf: claims.iat, uti: newGuid(server), ...defined({ roles, groups }) };
}

/** Claims that follow from the profile of the user: the same page. */
function profileClaims(claims: Members, { user }: ClaimsFacts<Server>): Members {
  return defined({
    name: claims.name ?? user?.name,
    oid: claims.oid ?? user?.oid ?? (user && guidOf(user.sub)),
    preferred_username: claims.preferred_username ?? user?.preferred_username ?? claims.email ?? user?.email,
  });
}

function idTokenClaims(claims: Members, facts: ClaimsFacts<Server>): Members {
  const { user, grant: { scope } } = facts;
  return {
    // The at_hash of ID tokens from the token endpoint: the same page.
    ...omit(claims, "at_hash"),
    ...tokenClaims(claims, facts),
    ...scope.includes("profile") && profileClaims(claims, facts),
    ...scope.includes("email") && defined({ email: claims.email ?? user?.email }),
  };
}

/** docs/identity-platform/access-token-claims-reference.md */
function accessTokenClaims(claims: Members, facts: ClaimsFacts<Server>): Members {
  const { scope, resources } = facts.grant;
  const { aud, scp = claims.scope } = resources.length === 0 ? resourceClaims(scope) : {};
  return {
    ...omit(claims, "client_id", "scope"),
    ...tokenClaims(claims, facts),
    ...profileClaims(claims, facts),
    ...{ azp: claims.client_id, azpacr: authenticationOf(facts.client), ...defined({ aud }) },
    ...scp !== "" && defined({ scp }),
  };
}

/** The same page: 0 for a public client, 1 for one with a secret, 2 for one with a certificate. */
function authenticationOf({ authMethod }: ClaimsFacts<Server>["client"]): string {
  if (authMethod === "none") return "0";
  return authMethod.startsWith("client_secret_") ? "1" : "2";
}

const graph = "https://graph.microsoft.com";

/** The resource of a scope value, and its name there: docs/identity-platform/scopes-oidc.md */
const resourceScope = /^([a-z]+:\/\/.+)\/([^/]+)$/;

/**
 * `aud` and `scp` of a token for the resource that scope values begin with: of `api://CLIENT_ID/Orders.Read`, the
 * API's `CLIENT_ID`. A token has the scope values of one resource; those of Microsoft Graph need no prefix.
 */
function resourceClaims(scope: readonly string[]): Members {
  const named = scope.flatMap((value) => {
    const [, resource, name] = resourceScope.exec(value) ?? [];
    return resource === undefined || name === undefined ? [] : [{ resource, name }];
  });
  const api = named.find(({ resource }) => resource !== graph)?.resource;
  if (api === undefined) {
    return named.length === 0 ? {} : { scp: scope.map((value) => resourceScope.exec(value)?.[2] ?? value).join(" ") };
  }
  const names = named.filter(({ resource, name }) => resource === api && name !== ".default").map(({ name }) => name);
  return { aud: api.replace(/^api:\/\//, ""), scp: names.join(" ") };
}

/** https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference: groups overage claim */
function withGroupReference(claims: Members): Members {
  const { groups, ...others } = claims;
  if (!Array.isArray(groups) || groups.length <= maxGroups) return claims;
  const endpoint = `https://graph.microsoft.com/v1.0/users/${claims.oid ?? claims.sub}/getMemberObjects`;
  return { ...others, _claim_names: { groups: "src1" }, _claim_sources: { src1: { endpoint } } };
}

function templatedIssuer(server: Pick<Server, "issuer">): string {
  return server.issuer.replace(`/${tenantOf(server)}/`, "/{tenantid}/");
}

/** The metadata of another name of the tenant. The issuer of `common` and `organizations` is a template. */
function withAlias(response: ProviderResponse, { request, server }: ResponseFacts<Server>): ProviderResponse {
  const alias = tenantPath.exec(parseTarget(request.url, {}).path)?.[1];
  if (alias === undefined) return response;
  const isTemplated = alias === "common" || alias === "organizations";
  return withChangedBody(response, (metadata) => ({
    ...Object.fromEntries(
      Object.entries(metadata).map(([name, value]) => [
        name,
        typeof value === "string" && name !== "issuer" ? value.replace(`/${tenantOf(server)}/`, `/${alias}/`) : value,
      ]),
    ),
    ...isTemplated && { issuer: templatedIssuer(server) },
  }));
}

/** The response with cookies for all names of the tenant. */
function withCookiePath(response: HttpResponse | Response, tenant: string): HttpResponse | Response {
  const cookies = getHeader(response, "set-cookie");
  return cookies === undefined
    ? response
    : withHeaders(response, { "set-cookie": cookies.replaceAll(`Path=/${tenant}/`, "Path=/") });
}

/** MSAL reads the account from this member: msal-common src/account/ClientInfo.ts. */
function clientInfo(members: Members): Members {
  if (typeof members.id_token !== "string") return {};
  const { oid, sub, tid } = decodeJwtPart(members.id_token, 1);
  const info = JSON.stringify({ uid: oid ?? sub, utid: tid });
  return { client_info: encodeBase64url(new TextEncoder().encode(info)) };
}
