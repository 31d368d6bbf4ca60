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

export { latchkey } from "./server/hosting/latchkey.ts";
export type { Latchkey } from "./server/hosting/latchkey.ts";
export type { LatchkeyOptions } from "./server/hosting/options.ts";
export { host } from "./server/hosting/host.ts";
export type { Host } from "./server/hosting/host.ts";
export { extensions } from "./server/hosting/extensions.ts";
export { autoApprover } from "./server/login/auto_approver.ts";
export type { Approval, Approver } from "./server/login/approver.ts";
export type { AuthorizationRequest } from "./core/authorize/authorization_request.ts";
export type { Plugin } from "./server/hosting/options.ts";
export type { User } from "./core/clients/client.ts";
export type { ProfileName } from "./server/config/strictness.ts";
export type { ClientMetadata } from "./server/config/client_metadata.ts";
export type { HostedClient as Client } from "./server/config/client_metadata.ts";
export type { Settings } from "./server/config/settings.ts";
export type { Profile } from "./server/config/profile_field.ts";
export type { ProviderProfile } from "./server/config/provider_profile.ts";
export type { AuthorizationDetailsType } from "./server/extensions/authorization_details/settings.ts";
export type { SigningAlgorithm } from "./core/keys/signing_algorithm.ts";
export { OAuthError } from "./core/rules/errors.ts";
export type { ErrorCode } from "./core/rules/rule.ts";
export { ConfigurationError } from "./core/rules/configuration_error.ts";
export type { Signer } from "./core/keys/keys.ts";
export type { KeySource } from "./server/hosting/key_source.ts";
export type { Trace } from "./server/trace.ts";
export { memoryStore } from "./core/store/memory.ts";
export type { Store } from "./core/store/store.ts";
