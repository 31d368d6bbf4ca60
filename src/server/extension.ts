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
export type { Extension } from "./assembly/extension.ts";
export type { Endpoint, Handler } from "./assembly/route.ts";
export type { HttpResponse, RequestLike, ResponseLike } from "../platform/http/message.ts";
export type { PendingAuthorization } from "./oauth/authorize/destination.ts";
export type { SettingsExtension } from "./config/extension_settings.ts";
export type { Field } from "./oauth/field.ts";
export type { errorStatus } from "./oauth/rules/error_code.ts";
export { parameters } from "./oauth/params.ts";
export type { Params, ResponseMode, ResponseType } from "./oauth/params.ts";
export type { Repository } from "./oauth/records/repository.ts";
export type { GrantType, RequestPart, Server } from "./oauth/server.ts";
export type { Session } from "./oauth/session/session.ts";
export type { TokenResponse } from "./oauth/tokens/token_response.ts";
export type { Subject } from "../platform/store/grant_records.ts";
