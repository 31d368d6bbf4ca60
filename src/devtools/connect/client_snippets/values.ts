/** The values of a client for the texts of `snippet_text.ts`. */

import { issuerUrl } from "../../../server/assembly/endpoint.ts";
import type { Client } from "../../../server/oauth/clients/repository.ts";
import type { ClientDemand, SnippetValues } from "./snippet_text.ts";

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

/** Options of the settings. */
export interface SnippetOptions {
  /** The secret to write. */
  readonly secret: string;
  /** Whether users log in without a page. */
  readonly autoLogin: boolean;
  /** What the server demands of the client. Default: nothing. */
  readonly demands?: readonly ClientDemand[];
}

/** The values by name. The name of a demand, and of the method of the client, is a value too. */
export function snippetValues(
  { issuer, authorize, token, par }: ServerUrls,
  client: Client,
  { secret, autoLogin, demands = [] }: SnippetOptions,
): SnippetValues {
  const { authMethod } = client;
  const commonScope = ["openid", "profile", "email"].filter((value) => client.scope.includes(value));
  const scopes = commonScope.includes("openid") ? commonScope : client.scope;
  const redirectUri = client.grantTypes.includes("authorization_code") ? client.redirectUris[0] : undefined;
  const { origin, pathname, search } = new URL(redirectUri ?? issuer);
  return {
    ...{ issuer, authorizeUrl: authorize, tokenUrl: token, parUrl: par },
    discoveryUrl: issuerUrl(issuer, "/.well-known/openid-configuration"),
    isHttp: issuer.startsWith("http:"),
    clientId: client.id,
    authMethod,
    [authMethod]: true,
    secret: client.secretDigest === undefined ? undefined : secret,
    redirectUri,
    ...{ redirectOrigin: origin, redirectPath: pathname + search, callbackPath: decodePath(pathname) },
    postLogoutRedirectUri: client.metadata.post_logout_redirect_uris?.[0],
    scope: scopes.join(" "),
    scopes,
    autoLogin,
    ...Object.fromEntries(demands.map((demand) => [demand, true])),
    usesKey: authMethod === "private_key_jwt" || demands.includes("jar") && redirectUri !== undefined,
  };
}

/** The path of a URL as frameworks compare it: decoded, unless it is not percent-encoded UTF-8. */
function decodePath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
