/** What settings for a library are written from, and how values are quoted in them. */

import { endpointUrl } from "../../app/endpoint.ts";
import type { ClientSnippet } from "../../app/pages.ts";
import type { Client } from "../../oauth/clients/repository.ts";

/** One client of one server, as a library needs to know it. */
export interface ClientInfo {
  /** The issuer identifier. */
  readonly issuer: string;
  /** The `client_id`. */
  readonly clientId: string;
  /** The method it is registered for. */
  readonly authMethod: Client["authMethod"];
  /** Every method that is accepted from it. */
  readonly authMethods: Client["authMethods"];
  /** What stands where its secret belongs; absent for a client without one. */
  readonly secret?: string;
  /** The first redirect URI, if it may ask for codes; who has none asks by the client credentials grant. */
  readonly redirectUri?: string;
  /** Where the browser may be sent after logout. */
  readonly postLogoutRedirectUri?: string;
  /** What to ask for: what most applications want, or else all there is. */
  readonly scope: readonly string[];
  /** Whether the server answers authorization requests without showing a page. */
  readonly autoLogin: boolean;
}

/** Writes the settings for one library. */
export type SnippetWriter = (about: ClientInfo) => ClientSnippet;

/** Reads out of a client what its library needs. */
export function clientInfo(
  issuer: string,
  client: Client,
  { secret, autoLogin }: { readonly secret: string; readonly autoLogin: boolean },
): ClientInfo {
  const commonScope = ["openid", "profile", "email"].filter((token) => client.scope.includes(token));
  return {
    issuer,
    clientId: client.id,
    authMethod: client.authMethod,
    authMethods: client.authMethods,
    secret: client.secretDigest === undefined ? undefined : secret,
    redirectUri: client.grantTypes.includes("authorization_code") ? client.redirectUris[0] : undefined,
    postLogoutRedirectUri: client.postLogoutRedirectUris[0],
    scope: commonScope.includes("openid") ? commonScope : client.scope,
    autoLogin,
  };
}

/**
 * A text as a literal of JavaScript, Go, C#, Python or YAML: all of them read what JSON writes between double quotes, and
 * none of them looks for anything in it but backslashes.
 */
export function stringLiteral(text: string): string {
  return JSON.stringify(text);
}

/** The URL of one of the server's endpoints. */
export function oauthEndpointUrl({ issuer }: ClientInfo, name: "authorize" | "token"): string {
  return endpointUrl(issuer, `/oauth2/${name}`);
}

/** Whether the issuer is http, which most libraries take only when they are told to. */
export function isHttpIssuer({ issuer }: ClientInfo): boolean {
  return issuer.startsWith("http:");
}

/**
 * Why a library that logs people in to a web application is of no use to a client.
 *
 * @param requiredScope The scope values without which it does nothing.
 */
export function webUnsupportedReason(
  { redirectUri, scope }: ClientInfo,
  requiredScope: readonly string[] = ["openid"],
): string | undefined {
  if (redirectUri === undefined) {
    return "This client has no redirect URI to be called back at, so nobody logs in to it.";
  }
  if (!/^https?:/.test(redirectUri)) return "This client is called back by a scheme of its own, not over http.";
  const missing = requiredScope.find((token) => !scope.includes(token));
  return missing && `This client may not ask for ${missing}, and this library asks for nothing less.`;
}

/** Why a library that sends secrets in one way only is of no use to a client. */
export function authMethodUnsupportedReason(
  { authMethod, authMethods }: ClientInfo,
  supportedMethods: readonly ClientInfo["authMethod"][],
): string | undefined {
  if (supportedMethods.some((method) => authMethods.includes(method))) return undefined;
  return `This client must authenticate by ${authMethod}, which this library does not do. Register it with ` +
    `token_endpoint_auth_method ${supportedMethods.map((method) => JSON.stringify(method)).join(" or ")}.`;
}

/** Leaves out the lines that are not there. */
export function joinLines(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter((line) => line !== false && line !== undefined).join("\n");
}
