/**
 * The interface of the npm package oauth2-mock-server, for suites that change to this mock: only their import changes.
 *
 * 1. `server.ts` listens, `service.ts` has the endpoints and the events, `issuer.ts` and `key_store.ts` sign.
 * 2. `node_messages.ts` turns a request into one of the mock, which checks it as strictly as every other request.
 * 3. `plugin.ts` signs the tokens that the mock issues with the claims and keys of oauth2-mock-server.
 * 4. `exchange.ts` lets listeners change the response.
 *
 * @module
 */

export { HttpServer, OAuth2Server } from "./server.ts";
export { OAuth2Service } from "./service.ts";
export { OAuth2Issuer } from "./issuer.ts";
export { JWKStore } from "./key_store.ts";
export { Events, supportedHttpMethods } from "./types.ts";
export type {
  AugmentedRequest,
  Header,
  HttpMethod,
  HttpServerOptions,
  JWK,
  JwtTransform,
  MutableRedirectUri,
  MutableResponse,
  MutableToken,
  OAuth2Endpoints,
  OAuth2EndpointsInput,
  OAuth2Options,
  Payload,
  RouteHandler,
  ScopesOrTransform,
  StatusCodeMutableResponse,
  TokenBuildOptions,
  TokenRequest,
  TokenRequestIncomingMessage,
} from "./types.ts";
