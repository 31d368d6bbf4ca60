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

export { host } from "./server/host.ts";
export type { AppOptions, Host, HostOptions } from "./server/host.ts";
export { latchkey } from "./server/latchkey.ts";
export type { Latchkey } from "./server/latchkey.ts";
export type { ListenOptions, ListenResult } from "./server/listen.ts";
export type { LatchkeyOptions } from "./server/options.ts";
export { autoApprover } from "./app/approver.ts";
export type { Approver, ApproverContext } from "./app/approver.ts";
export type { App, Context } from "./app/context.ts";
export type { Caller, EndpointDescription, EndpointRole, ErrorChannel } from "./app/endpoint.ts";
export type { Endpoint, Handler, Handlers } from "./app/route.ts";
export type { HostedApp } from "./app/hosted_app.ts";
export type { AddApp, AddedAppOptions, AddResource, ConfigurableOptions, Plugin } from "./app/plugin.ts";
export type * from "./ui/pages.ts";
export type { HttpError } from "./http/message.ts";
export type { HttpResponse, PageForm, RequestLike, ResponseLike } from "./http/message.ts";
export type { ClientAddress, Method, RequestHandler, RequestTarget } from "./http/router.ts";
export type { AuthorizationRequest, LoginRequirements } from "./oauth/authorize/authorization_request.ts";
export type { Approval } from "./oauth/authorize/code.ts";
export type { Destination, PendingAuthorization, RedirectDestination } from "./oauth/authorize/destination.ts";
export type {
  Access,
  AccessItems,
  AccessLife,
  AccessPart,
  ConsentItem,
  EntryPoint,
  PartServer,
} from "./oauth/authorize/request_part.ts";
export type {
  AnyMemberPart,
  BasePart,
  CheckedPart,
  EntryPointParts,
  MemberPart,
  PartRequest,
  RequestPart,
  RequestParts,
} from "./oauth/server.ts";
export type { Delivery, PolledDestination, PolledFacts } from "./oauth/authorize/delivery.ts";
export type {
  RequestOrigin,
  RequestSource,
  ResolvedRequest,
  SourceParameter,
  StoredRequests,
} from "./oauth/authorize/request_source.ts";
export type { ResponseFields, ResponseMode, ResponseModeDescription, ResponseModes } from "./oauth/params.ts";
export type { ClientAuthMethod, ClientMetadata, ClientRegistration, User } from "./oauth/clients/client.ts";
export type { Client, ClientDocument, ClientRepository, UserRepository } from "./oauth/clients/repository.ts";
export type { ClientDependencies, ServerClients } from "./oauth/clients/server_clients.ts";
export type { Standing, StandingRequirement, SupportedGrantType } from "./oauth/clients/standing.ts";
export type { MemoryRepository, PageOptions, Repository } from "./oauth/records/repository.ts";
export { OAuthError } from "./oauth/errors.ts";
export type { CommonErrorDetails, ErrorCode, ErrorDetails } from "./oauth/errors.ts";

export type { ResourceSettings } from "./oauth/config/resource_list.ts";
export type { Authentication, AuthenticationLevels, RequestedAcr } from "./oauth/authorize/authentication_level.ts";
export type { LoginMethod } from "./oauth/config/login_method.ts";
export type { InsecureSettings } from "./oauth/config/setting_groups.ts";
export type { NetworkSettings } from "./oauth/config/setting_groups.ts";
export type { RequestSettings } from "./oauth/config/setting_groups.ts";
export type { EndpointOptions, Extension, IntrospectionFormat } from "./app/extension.ts";
export type { Introspection } from "./oauth/tokens/introspection.ts";
export type { AssertionGrantSettings, MappedSubject, TrustedIssuer } from "./extensions/assertion_grants/settings.ts";
export type { ClientDocumentSettings } from "./extensions/client_documents/settings.ts";
export type { ClientLogoutOptions, ClientLogoutSettings } from "./extensions/client_logout/settings.ts";
export type { DeviceSettings } from "./extensions/device/settings.ts";
export type { DpopMembers, DpopSettings } from "./extensions/dpop/settings.ts";
export type { ParSettings } from "./extensions/par/settings.ts";
export type { SignedRequestSettings } from "./extensions/signed_requests/settings.ts";
export type {
  RegistrationMembers,
  RegistrationSettings,
  SoftwareStatementIssuer,
} from "./extensions/registration/settings.ts";
export type {
  AuthorizationDetailsSettings,
  AuthorizationDetailsType,
} from "./extensions/authorization_details/settings.ts";
export type { AcrValue, StepUpSettings } from "./extensions/step_up/settings.ts";
export type { ExtensionSettings } from "./extensions/settings.ts";
export type {
  ResourceAuthorizationServer,
  TokenExchangeMembers,
  TokenExchangeSettings,
} from "./extensions/token_exchange/settings.ts";
export type { CibaSettings } from "./extensions/ciba/settings.ts";
export type { Allowances } from "./oauth/config/allowances.ts";
export type { ContentEncryption, KeyManagementAlgorithm, ResponseMembers } from "./oauth/clients/response_members.ts";
export type { EncryptedResponse, ResponseEncryption } from "./oauth/tokens/response_encryption.ts";
export type { ClientDemand } from "./oauth/clients/client.ts";
export type { ClientChange } from "./oauth/explanation.ts";
export type { ClientValues, OptionalGrantType, SettingsExtension } from "./oauth/config/extension_settings.ts";
export type { Field } from "./oauth/config/field.ts";
export { extensions } from "./server/extensions.ts";
export type { LoadableGrantType } from "./oauth/grants/mod.ts";
export type { SubjectType } from "./oauth/users/subject_type.ts";
export type { Session } from "./oauth/session/session.ts";
export type { SigningAlgorithm } from "./oauth/keys/signing_algorithm.ts";
export type { RandomBytes } from "./oauth/secrets.ts";
export type { ClaimRules } from "./oauth/claims.ts";
export type { ClaimsContext, OverrideClaims } from "./oauth/tokens/override_claims.ts";
export type { KeyProofs, ProvenRequest, ProvenToken, Server, SessionWatcher } from "./oauth/server.ts";
export type { LogoutFrame, LogoutFrames } from "./oauth/session/logout_frames.ts";
export type { Sender } from "./oauth/sender.ts";
export type { FetchCause, FetchLimiter } from "./oauth/fetch_limiter.ts";
export type { Outbound } from "./oauth/outbound.ts";
export type { Authorization, TokenRequest } from "./oauth/grants/token_request.ts";
export type { ClientAuth, Credentials, GrantType } from "./oauth/server.ts";
export type { JwtKind, SignClaims, TokenKind } from "./oauth/keys/jwt.ts";
export type { Keys, KeySource, NewKey, PublishedKey, Signer } from "./oauth/keys/keys.ts";
export type { FetchedKeys, KeyFetches, PublicKeySet } from "./oauth/keys/remote_keys.ts";
export type { Params } from "./oauth/params.ts";
export { parameters } from "./oauth/params.ts";
export type { ParameterDescription } from "./oauth/params.ts";
export type { BoundedCache } from "./oauth/bounded_cache.ts";
export type { RegisteredSecrets } from "./oauth/redact.ts";
export type { HostedResource, Resources } from "./oauth/config/resource_list.ts";
export type { AuthenticationAttempt, RateLimiter } from "./oauth/bounded_cache.ts";
export type { MinuteTask, RecordUse, TokenIssuer, VerifyRegistration } from "./oauth/server.ts";
export type { TokenResponse } from "./oauth/tokens/token_response.ts";
export type { AnyName } from "./oauth/config/settings.ts";
export type { ConfigIssue, ConfigurationWarning } from "./oauth/config/config_issue.ts";
export type {
  KeySettings,
  Lifetimes,
  MetadataForm,
  PkceSettings,
  RefreshSettings,
  Settings,
} from "./oauth/config/settings.ts";
export type { EndpointPaths } from "./oauth/config/issuer_urls.ts";
export type { ResolvedSettings } from "./oauth/config/resolve_settings.ts";
export type { ActiveProfile, ProfileSetting } from "./oauth/config/active_profile.ts";
export type { McpRevision, ProfileName } from "./oauth/config/profile.ts";
export { ConfigurationError } from "./oauth/config/config_issue.ts";
export type {
  assertionGrantRules,
  authorizationDetailsRules,
  authorizeRules,
  cibaRules,
  clientDocumentRules,
  clientLogoutRules,
  controlRules,
  deviceRules,
  dpopRules,
  encryptedResponseRules,
  httpRules,
  openidRules,
  pageRules,
  PassedRuleId,
  profileRules,
  pushedRequestRules,
  registrationRules,
  RejectionRuleId,
  resourceRules,
  Rule,
  RuleId,
  RuleOrFix,
  RuleTable,
  signedRequestRules,
  stepUpRules,
  tokenRules,
} from "./oauth/rules/mod.ts";
export type { Explanation, ExplanationTexts, RuleExplanation, RulePassed, Trace, TraceEvent } from "./oauth/trace.ts";
export { memoryStore } from "./store/memory.ts";
export type { MemoryStoreOptions } from "./store/memory.ts";
export type * from "./store/store.ts";
export type { MaybePromise } from "./oauth/maybe_promise.ts";
