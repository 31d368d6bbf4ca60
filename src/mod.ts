/**
 * Latchkey, an OAuth 2.1 and OpenID Connect authorization server for tests and small deployments.
 *
 * @example A server inside a test, without a socket
 * ```ts
 * import { latchkey } from "@latchkey/latchkey";
 *
 * await using as = await latchkey({
 *   clients: [{ client_id: "spa", redirect_uris: ["http://localhost:5173/callback"] }],
 *   users: [{ sub: "alice", name: "Alice" }],
 * });
 * const metadata = await as.fetch(new Request(`${as.issuer}/.well-known/openid-configuration`));
 * ```
 *
 * @module
 */

export { latchkey } from "./server/assembly/latchkey.ts";
export type { Latchkey } from "./server/assembly/latchkey.ts";
export type { LatchkeyOptions } from "./server/assembly/options.ts";
export { host } from "./server/assembly/host.ts";
export type { Host } from "./server/assembly/host.ts";
export { extensions } from "./server/assembly/extensions.ts";
export { autoApprover } from "./server/assembly/approver.ts";
export type { Approver } from "./server/assembly/approver.ts";
export type { Approval } from "./server/oauth/authorize/code.ts";
export type { AuthorizationRequest } from "./server/oauth/authorize/authorization_request.ts";
export type { Plugin } from "./server/assembly/plugin.ts";
export type { ClientMetadata, User } from "./server/oauth/clients/client.ts";
export type { Client } from "./server/oauth/clients/repository.ts";
export type { Settings } from "./server/config/settings.ts";
export type { ProfileName } from "./server/oauth/profile.ts";
export type { Profile } from "./server/config/profile_field.ts";
export type { ProviderProfile } from "./server/profiles/provider_profile.ts";
export type { AuthorizationDetailsType } from "./server/extensions/authorization_details/settings.ts";
export type { SigningAlgorithm } from "./server/oauth/keys/signing_algorithm.ts";
export { OAuthError } from "./server/oauth/errors.ts";
export type { ErrorCode } from "./server/oauth/rules/error_code.ts";
export { ConfigurationError } from "./server/oauth/config_issue.ts";
export type { KeySource, Signer } from "./server/oauth/keys/keys.ts";
export type { Trace } from "./server/oauth/trace.ts";
export { memoryStore } from "./platform/store/memory.ts";
export type { Store } from "./platform/store/store.ts";
