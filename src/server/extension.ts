/**
 * What authors of extensions, plugins and grant types use besides the main entry: checks of requests, endpoints, grant
 * types, parameters, and the server that their functions receive.
 *
 * @example A member of metadata
 * ```ts
 * import { extensions, latchkey } from "@latchkey/latchkey";
 * import type { Extension } from "@latchkey/latchkey/extension";
 *
 * const policy: Extension = {
 *   name: "policy",
 *   metadata: () => ({ op_policy_uri: "https://as.example/policy" }),
 * };
 * await using as = await latchkey({ extensions: [...extensions, policy] });
 * ```
 *
 * @module
 */

export type { App } from "./app.ts";
export type { Extension } from "./config/extension.ts";
export type { Handler } from "../core/route.ts";
export type { Context, Endpoint } from "./endpoint.ts";
export type { HttpRequest, HttpResponse } from "../core/http/message.ts";
export type { PendingAuthorization } from "../core/authorize/authorization_request.ts";
export type { SettingsExtension } from "./config/extension_settings.ts";
export type { Field } from "../core/policy/field.ts";
export type { errorStatus } from "../core/rules/rule.ts";
export { parameters } from "../core/http/params.ts";
export type { Params } from "../core/http/params.ts";
export { resourcesOf, withResources } from "./token/resources.ts";
export type { Repository } from "./clients/repository.ts";
export type { RequestCheck, Server } from "../core/server.ts";
export type { GrantType } from "./config/standing.ts";
export { slot } from "../core/slot.ts";
export { wrapIssueStep } from "../core/token/table.ts";
export type { Session } from "../core/sessions/session.ts";
export type { TokenResponse } from "../core/token/grants/authenticated_request.ts";
export type { Subject } from "../core/store/records.ts";
export type { ResponseMode, ResponseType } from "./config/client_metadata.ts";
