/** What differs from the standards at Google. */

import type { ProviderRequest, ResponseFacts } from "../config/provider_functions.ts";
import type { Server } from "../../core/server.ts";
import { omit, withChangedBody } from "./shared/members.ts";
import type { Provider } from "./shared/provider.ts";
import { googleEndpoints, longScope } from "./google_endpoints.ts";
import { googleTokens } from "./google_refresh_tokens.ts";

/** URLs that Google served before, which clients still have. spring-security CommonOAuth2Provider.java */
const earlierPaths: Readonly<Record<string, string>> = {
  "/oauth2/v4/token": "/token",
  "/oauth2/v3/userinfo": "/v1/userinfo",
};

/** Errors of the APIs, by status: https://cloud.google.com/apis/design/errors */
const apiErrors: Readonly<Record<number, { readonly message?: string; readonly status: string }>> = {
  400: { status: "INVALID_ARGUMENT" },
  401: { message: "Request had invalid authentication credentials.", status: "UNAUTHENTICATED" },
  404: { message: "Requested entity was not found.", status: "NOT_FOUND" },
};

/** Scope values whose responses have an ID token, and `openid` among their own scope values. */
const identityScopes = new Set(["email", "profile", ...["email", "profile"].map((value) => longScope([value]))]);

export function googleProvider(): Provider {
  const changesOf = googleTokens();
  return {
    routes: googleEndpoints,
    path: (path) => Object.hasOwn(earlierPaths, path) ? earlierPaths[path]! : path,
    extend: (server) => ({ ...server, ...changesOf(server) }),
    claims: (claims, { kind }) =>
      kind === "id_token" ? { ...omit(claims, "auth_time", "sid"), azp: claims.aud } : claims,
    // requests-oauthlib issue 387: "Scope has changed", because openid was added.
    request(request, { endpoint, isJson }) {
      if (endpoint === "token_endpoint" && isJson) return withSnakeCase(request);
      if (endpoint !== "authorization_endpoint" && endpoint !== "device_authorization_endpoint") return request;
      return {
        ...request,
        parameters: request.parameters.map(([name, value]) => {
          const values = name === "scope" ? value.split(" ") : [];
          const isIdentity = values.some((one) => identityScopes.has(one)) && !values.includes("openid");
          return [name, isIdentity ? `${value} openid` : value] as const;
        }),
      };
    },
    // https://developers.google.com/identity/protocols/oauth2/limited-input-device
    response: (response, { endpoint }) =>
      endpoint !== "device_authorization_endpoint"
        ? response
        : withChangedBody(response, ({ verification_uri, verification_uri_complete: _, ...body }) => ({
          ...body,
          verification_url: verification_uri,
        })),
    error(response, facts) {
      const { endpoint, rejection } = facts;
      if (endpoint === "google_api") {
        return withChangedBody(response, ({ error_description, error_uri: _, ...body }) => ({
          ...body,
          error: { code: response.status, message: error_description, ...apiErrors[response.status] },
        }));
      }
      const error_description = endpoint === "token_endpoint" ? descriptionOf(facts) : undefined;
      if (error_description === undefined) return response;
      const described = withChangedBody(response, (body) => ({ ...body, error_description }));
      return rejection?.error === "invalid_client" ? { ...described, status: 401 } : described;
    },
    async callback(parameters, { issued, server, parameters: requested }) {
      if (issued === undefined) return parameters;
      const hd = (await server.users.find(issued.sub))?.hd;
      return {
        ...parameters,
        scope: longScope(issued.scope),
        authuser: "0",
        ...typeof hd === "string" && { hd },
        prompt: requested.some(([name, value]) => name === "prompt" && value === "none") ? "none" : "consent",
      };
    },
  };
}

/** https://github.com/teranetsrl/oauth2_client/issues/145, and published responses of the token endpoint. */
function descriptionOf({ rejection, parameters, server }: ResponseFacts<Server>): string | undefined {
  const { error, rule, client = "" } = rejection ?? {};
  if (error === "invalid_client") {
    return server.clients.known().has(client) ? "Unauthorized" : "The OAuth client was not found.";
  }
  if (error !== "invalid_grant") return undefined;
  if (rule === "TK-16") return "Malformed auth code.";
  return parameters.some(([name]) => name === "refresh_token") ? "Token has been expired or revoked." : "Bad Request";
}

/**
 * The request with the names of the parameters in snake case. Google's JSON has names in camel case too (ProtoJSON):
 * @hono/oauth-providers src/providers/google/authFlow.ts sends them.
 */
function withSnakeCase(request: ProviderRequest): ProviderRequest {
  const parameters = request.parameters.map(([name, value]) =>
    [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value] as const
  );
  return { ...request, parameters };
}
