/** The types of oauth2-mock-server that suites name. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { PrivateJwk } from "../../client/private_jwk.ts";

/** The names of the events of `OAuth2Service`. Each listener receives a value that it may change, and the request. */
export const Events = {
  /** Before metadata is sent: {@link MutableResponse}. */
  BeforeWellKnownOpenIdConfiguration: "beforeWellKnownOpenIdConfiguration",
  /** Before an access token or an ID token is signed: {@link MutableToken}. */
  BeforeTokenSigning: "beforeTokenSigning",
  /** Before a successful token response is sent: {@link MutableResponse}. */
  BeforeResponse: "beforeResponse",
  /** Before a successful userinfo response is sent: {@link MutableResponse}. */
  BeforeUserinfo: "beforeUserinfo",
  /** Before a successful revocation response is sent: {@link StatusCodeMutableResponse}. */
  BeforeRevoke: "beforeRevoke",
  /** Before the browser is redirected to the client: {@link MutableRedirectUri}. */
  BeforeAuthorizeRedirect: "beforeAuthorizeRedirect",
  /** Before the browser is redirected after a logout: {@link MutableRedirectUri}. */
  BeforePostLogoutRedirect: "beforePostLogoutRedirect",
  /** Before a successful introspection response is sent: {@link MutableResponse}. */
  BeforeIntrospect: "beforeIntrospect",
} as const;

/** The name of an event. */
export type Events = typeof Events[keyof typeof Events];

/** A private key as a JWK, with its `kid` and `alg`. */
export type JWK = PrivateJwk & { kid: string; alg: string; [member: string]: unknown };

/** The header of a token that is about to be signed. */
export interface Header {
  /** The key ID. A listener may change it; the key that signs stays the same. */
  kid: string;
  /** Further members. */
  [member: string]: unknown;
}

/** The claims of a token that is about to be signed. Times are in seconds since the epoch. */
export interface Payload {
  /** The URL of the issuer. */
  iss: string;
  /** The current time. */
  iat: number;
  /** An hour later. */
  exp: number;
  /** Ten seconds earlier. */
  nbf: number;
  /** Further claims. */
  [claim: string]: unknown;
}

/** A token that is about to be signed. */
export interface MutableToken {
  /** The header. */
  header: Header;
  /** The claims. */
  payload: Payload;
}

/** A response whose status can be changed. */
export interface StatusCodeMutableResponse {
  /** The HTTP status. */
  statusCode: number;
}

/** A response whose status and JSON body can be changed. */
export interface MutableResponse extends StatusCodeMutableResponse {
  /** The members of the JSON body. */
  body: Record<string, unknown> | "";
}

/** A redirect whose URL can be changed. */
export interface MutableRedirectUri {
  /** The URL, with the parameters of the response. */
  url: URL;
}

/** Changes the header and the claims of a token. */
export type JwtTransform = (header: Header, payload: Payload) => void;

/** The scope of a token, or a function that changes the token. */
export type ScopesOrTransform = string | string[] | JwtTransform;

/** Options of `OAuth2Issuer.buildToken`. */
export interface TokenBuildOptions {
  /** The key that signs. Default: the next one in turn. */
  kid?: string | undefined;
  /** Default: a token without scope. */
  scopesOrTransform?: ScopesOrTransform | undefined;
  /** Seconds. Default: 3600. */
  expiresIn?: number | undefined;
}

/** A request, with its decoded query and body. */
export interface AugmentedRequest extends IncomingMessage {
  /** The fields of a form, where a repeated field is an array; other bodies as JSON; `undefined` for other types. */
  // deno-lint-ignore no-explicit-any
  body: any;
  /** The parameters of the query; a repeated one is an array. */
  query: Record<string, string | string[] | undefined>;
}

/** The form of a token request. */
export interface TokenRequest {
  /** The grant type (OAuth 2.1 §3.2.2). */
  grant_type: string;
  /** The requested scope values, separated by spaces. */
  scope?: string;
  /** Has no effect: the password grant is not supported. */
  username?: unknown;
  /** The client, unless it authenticates by Basic. */
  client_id?: unknown;
  /** The authorization code. */
  code?: string;
  /** The `aud` of the access token of `client_credentials`. */
  aud?: string | string[];
  /** The code verifier (RFC 7636). */
  code_verifier?: string;
  /** Has no effect: no issuer of assertions is trusted. */
  assertion?: string;
}

/** A token request. */
export interface TokenRequestIncomingMessage extends IncomingMessage {
  /** The fields of the form. */
  body: TokenRequest;
}

/** Handles the requests of a route. */
export type RouteHandler = (request: AugmentedRequest, response: ServerResponse) => Promise<void> | void;

/** The methods of routes. */
export const supportedHttpMethods = ["GET", "POST", "PUT", "DELETE", "PATCH"] as const;

/** The method of a route. */
export type HttpMethod = typeof supportedHttpMethods[number];

/** The paths of the endpoints. */
export interface OAuth2Endpoints {
  /** Default: `/.well-known/openid-configuration`. */
  wellKnownDocument: string;
  /** Default: `/token`. */
  token: string;
  /** Default: `/jwks`. */
  jwks: string;
  /** Default: `/authorize`. */
  authorize: string;
  /** Default: `/userinfo`. */
  userinfo: string;
  /** Default: `/revoke`. */
  revoke: string;
  /** Default: `/endsession`. */
  endSession: string;
  /** Default: `/introspect`. */
  introspect: string;
}

/** The paths that differ from their defaults. */
export type OAuth2EndpointsInput = Partial<OAuth2Endpoints>;

/** Options of `OAuth2Server`. */
export interface OAuth2Options {
  /** Paths that differ from their defaults. Default: none. */
  endpoints?: OAuth2EndpointsInput;
  /** Whether the issuer ends with a slash. Default: as it is set. */
  shouldIssuerUrlBeSuffixedWithATralingSlash?: boolean;
}

/** The certificate and the private key of an https server, as PEM. */
export interface HttpServerOptions {
  /** The private key. */
  key?: string | Uint8Array;
  /** The certificate. */
  cert?: string | Uint8Array;
}
