/** What differs from the standards at GitHub. Pages below content/ are those of github/docs. */

import { redirect } from "../../core/http/message.ts";
import type {
  Members,
  ProviderRequest,
  ProviderResponse,
  RequestFacts,
  ResponseFacts,
} from "../config/provider_functions.ts";
import { responseFields } from "../../core/responses/authorization_response.ts";
import { announcedFields } from "../config/metadata_setting.ts";
import { appendToRedirectUri, encodeFields } from "../../core/clients/redirect_uri.ts";
import type { Server } from "../../core/server.ts";
import type { HostedServer } from "../hosted_server.ts";
import { hasObjectBody, omit, withChangedBody } from "./shared/members.ts";
import type { Provider } from "./shared/provider.ts";
import { secondsOfRefreshToken } from "./shared/refresh_end.ts";
import { githubApi, isApp } from "./github_api.ts";

const docs = "https://docs.github.com/apps/managing-oauth-apps/troubleshooting-oauth-app-access-token-request-errors/#";

const wrongRefreshToken = {
  error: "bad_refresh_token",
  error_description: "The refresh token passed is incorrect or expired.",
};

/**
 * Errors by the rule or the code. An `error_uri` of this server stays, because that page explains the error.
 * content/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-oauth-app-access-token-request-errors.md
 */
const tokenErrors: Readonly<Record<string, Members>> = {
  invalid_client: {
    error: "incorrect_client_credentials",
    error_description: "The client_id and/or client_secret passed are incorrect.",
    error_uri: `${docs}incorrect-client-credentials`,
  },
  "TK-15": {
    error: "redirect_uri_mismatch",
    error_description: "The redirect_uri MUST match the registered callback URL for this application.",
    error_uri: `${docs}redirect-uri-mismatch`,
  },
  invalid_grant: {
    error: "bad_verification_code",
    error_description: "The code passed is incorrect or expired.",
    error_uri: `${docs}bad-verification-code`,
  },
  "RT-02": wrongRefreshToken,
  "RT-04": wrongRefreshToken,
  "RT-07": wrongRefreshToken,
};

export function githubProvider(): Provider {
  return {
    routes: githubApi,
    extend: (server) => ({ ...server, grants: withAppTokens(server.grants) }),
    request(request, facts) {
      // The documented parameters lack response_type and grant_type.
      if (facts.endpoint === "authorization_endpoint") {
        return withSpaces(withFirstCallback(withDefault(request, "response_type", "code", facts), facts), facts);
      }
      if (facts.endpoint === "token_endpoint") {
        return withSpaces(withDefault(request, "grant_type", "authorization_code", facts), facts);
      }
      return facts.endpoint === "device_authorization_endpoint" ? withSpaces(request, facts) : request;
    },
    async response(response, facts) {
      if (facts.endpoint === "device_authorization_endpoint") return asForm(response, facts);
      if (facts.endpoint !== "token_endpoint" || !hasObjectBody(response)) return response;
      const body = await tokenMembers(response.body, facts.server);
      return asForm({ ...withDate(response, facts), body }, facts);
    },
    error(response, facts) {
      const { endpoint, rejection } = facts;
      if (endpoint === "authorization_endpoint") return redirectMismatch(facts) ?? response;
      if (endpoint === "device_authorization_endpoint") return asForm(response, facts);
      if (endpoint === "token_endpoint") {
        const described = withChangedBody(withDate(response, facts), (body) => ({
          ...body,
          ...tokenErrors[rejection?.rule ?? ""] ?? tokenErrors[String(body.error)],
          ...body.error_uri !== undefined && { error_uri: body.error_uri },
        }));
        // octokit/oauth-methods.js src/utils.ts: "error" in the data of a successful response
        return hasObjectBody(response) ? { ...asForm(described, facts), status: 200 } : response;
      }
      return endpoint === "github_api" ? withChangedBody(response, apiError) : response;
    },
  };
}

/** The request with a parameter that GitHub's clients leave out. */
function withDefault(
  request: ProviderRequest,
  name: string,
  value: string,
  { server, warn }: RequestFacts<HostedServer>,
): ProviderRequest {
  if (request.parameters.some(([other]) => other === name)) return request;
  warn({
    reason: `${nameOf(server)} accepts a request without ${name}; other servers do not`,
    expected: `${name}=${value}`,
    received: `no ${name}`,
    fix: `Send ${name}=${value}, which the provider accepts too.`,
  });
  return { ...request, parameters: [...request.parameters, [name, value]] };
}

/**
 * The request with the first callback URL of a client that has several, which is used if the request has none:
 * content/apps/creating-github-apps/registering-a-github-app/about-the-user-authorization-callback-url.md
 */
function withFirstCallback(request: ProviderRequest, facts: RequestFacts<HostedServer>): ProviderRequest {
  const id = request.parameters.find(([name]) => name === "client_id")?.[1] ?? "";
  const uris = facts.server.clients.known().get(id)?.redirectUris ?? [];
  return uris.length > 1 ? withDefault(request, "redirect_uri", uris[0]!, facts) : request;
}

/** The request with spaces between scope values: octokit/oauth-authorization-url.js joins them with commas. */
function withSpaces(request: ProviderRequest, { server, warn }: RequestFacts<HostedServer>): ProviderRequest {
  if (!request.parameters.some(([name, value]) => name === "scope" && value.includes(","))) return request;
  const parameters = request.parameters.map(([name, value]) => {
    if (name !== "scope" || !value.includes(",")) return [name, value] as const;
    warn({
      reason: `${nameOf(server)} accepts scope values with "," between them; other servers do not`,
      expected: "scope values with spaces between them (RFC 6749 §3.3)",
      received: value,
      fix: "Separate scope values by spaces, which the provider accepts too.",
    });
    return [name, value.split(",").map((one) => one.trim()).join(" ")] as const;
  });
  return { ...request, parameters };
}

function nameOf({ policy }: HostedServer): string {
  return policy.providers.join(", ");
}

/** Access tokens of GitHub Apps begin with ghu_: github.blog/2021-04-05-behind-githubs-new-authentication-token-formats. */
function withAppTokens(grants: HostedServer["grants"]): HostedServer["grants"] {
  return {
    ...grants,
    async formatToken(server: HostedServer, authorization, ...token) {
      const tokenPrefixes = { ...server.policy.tokenPrefixes, access_token: "ghu_" };
      const own = isApp(authorization.client) ? { ...server, policy: { ...server.policy, tokenPrefixes } } : server;
      return await grants.formatToken(own, authorization, ...token);
    },
  };
}

/** Tokens of OAuth apps do not expire; those of GitHub Apps do, and have refresh tokens. */
async function tokenMembers(body: Members, server: Server): Promise<Members> {
  const { scope, refresh_token } = body;
  return {
    ...refresh_token === undefined
      ? omit(body, "expires_in")
      : { ...body, refresh_token_expires_in: await secondsOfRefreshToken(server, refresh_token) },
    token_type: "bearer",
    ...typeof scope === "string" && { scope: scope.split(" ").filter((one) => one !== "no_scope").join(",") },
  };
}

/** octokit/oauth-methods.js src/exchange-web-flow-code.ts computes the end of a token from this header. */
function withDate(response: ProviderResponse, { server }: ResponseFacts<HostedServer>): ProviderResponse {
  const date = new Date(server.now()).toUTCString();
  return hasObjectBody(response) ? { ...response, headers: { ...response.headers, date } } : response;
}

/** The response as a form, unless the request accepts JSON. */
function asForm(response: ProviderResponse, { request }: ResponseFacts<HostedServer>): ProviderResponse {
  const acceptsJson = /application\/(?:[\w.-]+\+)?json/i.test(request.headers.get("accept") ?? "");
  if (!hasObjectBody(response) || acceptsJson) return response;
  return {
    ...response,
    headers: { ...response.headers, "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
    body: encodeFields(Object.entries(response.body).map(([name, value]) => [name, String(value)])),
  };
}

/** content/rest/overview/troubleshooting.md */
function apiError({ error }: Members): Members {
  const isBad = error === "invalid_token" || error === "invalid_client";
  return {
    message: isBad ? "Bad credentials" : "Not Found",
    documentation_url: "https://docs.github.com/rest",
    status: isBad ? "401" : "404",
  };
}

/**
 * GitHub reports a redirect URI that is not registered to the registered one.
 * https://docs.github.com/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-authorization-request-errors
 */
function redirectMismatch(
  { server, clientId = "", request, parameters, rejection }: ResponseFacts<HostedServer>,
): ProviderResponse | undefined {
  if (rejection?.rule !== "RU-01") return undefined;
  const [uri] = server.clients.known().get(clientId)?.redirectUris ?? [];
  if (uri === undefined) return undefined;
  const state = parameters.find(([name]) => name === "state")?.[1];
  const fields = responseFields(server, { destination: { uri, mode: "query", state } }, [
    ["error", "redirect_uri_mismatch"],
    ["error_description", "The redirect_uri MUST match the registered callback URL for this application."],
  ]);
  return redirect(request.method, appendToRedirectUri(uri, announcedFields(server, fields)));
}
