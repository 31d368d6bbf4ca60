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

export { latchkey } from "./server/latchkey.ts";
export type { Latchkey } from "./server/latchkey.ts";
export type { LatchkeyOptions } from "./server/options.ts";
export type { ListenOptions, ListenResult } from "./server/listen.ts";
export { host } from "./server/host.ts";
export type { AppOptions, Host, HostOptions } from "./server/host.ts";
export type { HostedApp } from "./app/hosted_app.ts";
export { extensions } from "./server/extensions.ts";
export { autoApprover } from "./app/approver.ts";
export type { Approver, ApproverContext } from "./app/approver.ts";
export type { Approval } from "./oauth/authorize/code.ts";
export type { AuthorizationRequest, LoginRequirements } from "./oauth/authorize/authorization_request.ts";
export type { ConfigurableOptions, Plugin } from "./app/plugin.ts";
export type { ClientAuthMethod, ClientMetadata, ClientRegistration, User } from "./oauth/clients/client.ts";
export type { Client, ClientRepository, UserRepository } from "./oauth/clients/repository.ts";
export type {
  KeySettings,
  Lifetimes,
  MetadataForm,
  PkceSettings,
  RefreshSettings,
  Settings,
} from "./oauth/config/settings.ts";
export type { ExtensionSettings } from "./extensions/settings.ts";
export type { ResourceSettings } from "./oauth/config/resource_list.ts";
export type { InsecureSettings, NetworkSettings, RequestSettings } from "./oauth/config/setting_groups.ts";
export type { EndpointPaths } from "./oauth/config/issuer_urls.ts";
export type { McpRevision, ProfileName } from "./oauth/config/profile.ts";
export type { LoginMethod } from "./oauth/config/login_method.ts";
export type { AssertionGrantSettings, MappedSubject, TrustedIssuer } from "./extensions/assertion_grants/settings.ts";
export type { ClientDocumentSettings } from "./extensions/client_documents/settings.ts";
export type { ClientLogoutOptions, ClientLogoutSettings } from "./extensions/client_logout/settings.ts";
export type { DeviceSettings } from "./extensions/device/settings.ts";
export type { DpopSettings } from "./extensions/dpop/settings.ts";
export type { ParSettings } from "./extensions/par/settings.ts";
export type { SignedRequestSettings } from "./extensions/signed_requests/settings.ts";
export type { RegistrationSettings, SoftwareStatementIssuer } from "./extensions/registration/settings.ts";
export type {
  AuthorizationDetailsSettings,
  AuthorizationDetailsType,
} from "./extensions/authorization_details/settings.ts";
export type { AcrValue, StepUpSettings } from "./extensions/step_up/settings.ts";
export type { ResourceAuthorizationServer, TokenExchangeSettings } from "./extensions/token_exchange/settings.ts";
export type { CibaSettings } from "./extensions/ciba/settings.ts";
export type { ClaimRules } from "./oauth/claims.ts";
export type { SigningAlgorithm } from "./oauth/keys/signing_algorithm.ts";
export { OAuthError } from "./oauth/errors.ts";
export type { ErrorCode } from "./oauth/errors.ts";
export { ConfigurationError } from "./oauth/config/config_issue.ts";
export type { ConfigIssue, ConfigurationWarning } from "./oauth/config/config_issue.ts";
export type { KeySource, NewKey, Signer } from "./oauth/keys/keys.ts";
export type { RandomBytes } from "./oauth/secrets.ts";
export type { Trace, TraceEvent } from "./oauth/trace.ts";
export type { Outbound } from "./oauth/outbound.ts";
export { memoryStore } from "./platform/store/memory.ts";
export type { MemoryStoreOptions } from "./platform/store/memory.ts";
export type { Store } from "./platform/store/store.ts";
