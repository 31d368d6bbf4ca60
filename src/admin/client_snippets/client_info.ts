/** The values that snippets are generated from, and their quoting. */

import type { ClientSnippet } from "../../ui/client_snippets.tsx";
import type { Client } from "../../oauth/clients/repository.ts";

/** The addresses of the server. */
export interface ServerUrls {
  /** The issuer identifier. */
  readonly issuer: string;
  /** The URL of the authorization endpoint. */
  readonly authorize: string;
  /** The URL of the token endpoint. */
  readonly token: string;
  /** The URL of the pushed authorization request endpoint; empty if the client need not push its requests. */
  readonly par: string;
}

/**
 * What the server demands of a client, and a library must support: `par`: push each authorization request (RFC 9126).
 * `jar`: sign it (RFC 9101). `jarm`: receive signed responses. `dpop`: bind tokens to a key (RFC 9449).
 */
export type ClientDemand = "par" | "jar" | "jarm" | "dpop";

/** One client of one server. */
export interface ClientInfo extends ServerUrls {
  /** The `client_id`. */
  readonly clientId: string;
  /** Its registered authentication method. */
  readonly authMethod: Client["authMethod"];
  /** Every accepted authentication method. */
  readonly authMethods: Client["authMethods"];
  /** Its secret or a placeholder; absent for a client without a secret. */
  readonly secret?: string;
  /** The first redirect URI; absent if the client may only use the client credentials grant. */
  readonly redirectUri?: string;
  /** The first post-logout redirect URI. */
  readonly postLogoutRedirectUri?: string;
  /** The scope to request: `openid profile email` if allowed, else the whole scope of the client. */
  readonly scope: readonly string[];
  /** Whether users log in without a page. */
  readonly autoLogin: boolean;
  /** What the server demands of it. */
  readonly demands: readonly ClientDemand[];
}

/** Generates the settings for one library. */
export type SnippetWriter = (about: ClientInfo) => ClientSnippet;

export function clientInfo(
  server: ServerUrls,
  client: Client,
  { secret, autoLogin, demands = [] }: SnippetOptions,
): ClientInfo {
  const commonScope = ["openid", "profile", "email"].filter((token) => client.scope.includes(token));
  return {
    ...server,
    clientId: client.id,
    authMethod: client.authMethod,
    authMethods: client.authMethods,
    secret: client.secretDigest === undefined ? undefined : secret,
    redirectUri: client.grantTypes.includes("authorization_code") ? client.redirectUris[0] : undefined,
    postLogoutRedirectUri: client.metadata.post_logout_redirect_uris?.[0],
    scope: commonScope.includes("openid") ? commonScope : client.scope,
    autoLogin,
    demands,
  };
}

/** Options of the settings. */
export interface SnippetOptions {
  /** The secret to write. */
  readonly secret: string;
  /** Whether users log in without a page. */
  readonly autoLogin: boolean;
  /** What the server demands of the client. Default: nothing. */
  readonly demands?: readonly ClientDemand[];
}

const demandTexts: Readonly<Record<ClientDemand, string>> = {
  par: "push its authorization requests (PAR)",
  jar: "sign its authorization requests (JAR)",
  jarm: "receive signed authorization responses (JARM)",
  dpop: "bind its tokens to a key (DPoP)",
};

/** Why a library cannot meet what the server demands of the client; `undefined` if it can. */
export function demandUnsupportedReason(
  { demands, redirectUri }: ClientInfo,
  supported: readonly ClientDemand[],
): string | undefined {
  const missing = demands.find((demand) => !supported.includes(demand) && (demand === "dpop" || redirectUri));
  return missing && `This client must ${demandTexts[missing]}, which this library does not support.`;
}

/**
 * A string literal of JavaScript, Go, C#, Python or YAML. All of them parse a JSON string, without interpolation.
 */
export function stringLiteral(text: string): string {
  return JSON.stringify(text);
}

/** Whether the issuer is http, which most libraries accept only with an option. */
export function isHttpIssuer({ issuer }: ClientInfo): boolean {
  return issuer.startsWith("http:");
}

/**
 * Why a library for logins to web applications does not support a client; `undefined` if it does.
 *
 * @param requiredScope The scope values that the library always requests.
 */
export function webUnsupportedReason(
  { redirectUri, scope }: ClientInfo,
  requiredScope: readonly string[] = ["openid"],
): string | undefined {
  if (redirectUri === undefined) {
    return "This client has no redirect URI, so no user can log in to it.";
  }
  if (!/^https?:/.test(redirectUri)) {
    return "The redirect URI of this client has a private-use scheme; this library supports only http and https.";
  }
  const missing = requiredScope.find((token) => !scope.includes(token));
  return missing && `This library always requests ${missing}, which this client is not allowed to request.`;
}

/** Why a library does not support the client's authentication method; `undefined` if it does. */
export function authMethodUnsupportedReason(
  { authMethod, authMethods }: ClientInfo,
  supportedMethods: readonly ClientInfo["authMethod"][],
): string | undefined {
  if (supportedMethods.some((method) => authMethods.includes(method))) return undefined;
  return `This client must authenticate with ${authMethod}, which this library does not support. Register the client with ` +
    `token_endpoint_auth_method ${supportedMethods.map((method) => JSON.stringify(method)).join(" or ")}.`;
}

/** Joins lines, without `false` and `undefined`. */
export function joinLines(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter((line) => line !== false && line !== undefined).join("\n");
}
