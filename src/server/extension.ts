/**
 * What authors of extensions, plugins and grant types use besides the main entry: parts of requests, endpoints, grant
 * types, parameters, and the server that their functions receive.
 *
 * @example A member of metadata
 * ```ts
 * import { extensions, latchkey } from "@latchkey/latchkey";
 * import type { Extension } from "@latchkey/latchkey/extension";
 *
 * const policy: Extension = {
 *   name: "policy",
 *   title: "Policy",
 *   specifications: ["RFC 8414"],
 *   metadata: () => ({ op_policy_uri: "https://as.example/policy" }),
 * };
 * await using as = await latchkey({ extensions: [...extensions, policy] });
 * ```
 *
 * @module
 */

export type { App, Context } from "./assembly/context.ts";
export type { EndpointDescription } from "./assembly/endpoint.ts";
export type { EndpointOptions, Extension, IntrospectionFormat } from "./assembly/extension.ts";
export type { Endpoint, Handler, Handlers } from "./assembly/route.ts";
export type { HttpResponse, RequestLike, ResponseLike } from "../platform/http/message.ts";
export type { ClientAddress, RequestHandler, RequestTarget } from "../platform/http/router.ts";
export type { Destination, PendingAuthorization } from "./oauth/authorize/destination.ts";
export type { SupportedGrantType } from "./oauth/clients/standing.ts";
export type { OptionalGrantType, SettingsExtension } from "./config/extension_settings.ts";
export type { Field } from "./config/field.ts";
export type { ErrorDetails, errorStatus } from "./oauth/errors.ts";
export type { Connection } from "./oauth/tokens/connection_keys.ts";
export type { AuthenticatedRequest, Authorization } from "./oauth/grants/authenticated_request.ts";
export type { LoadableGrantType } from "./oauth/grants/mod.ts";
export { parameters } from "./oauth/params.ts";
export type { ParameterDescription, Params, ResponseMode, ResponseType } from "./oauth/params.ts";
export type { MemoryRepository, Repository } from "./oauth/records/repository.ts";
export type { GrantType, PartRequest, RequestPart, Server, TokenIssuer } from "./oauth/server.ts";
export type { Session } from "./oauth/session/session.ts";
export type { TokenResponse } from "./oauth/tokens/token_response.ts";
export type { Explanation, ExplanationTexts } from "./oauth/trace.ts";
export type { FurtherAccess, Subject } from "../platform/store/grant_records.ts";
