/**
 * What authors of extensions, plugins and grant types use besides the main entry: parts of requests, endpoints, grant
 * types, parameters, the server that their functions receive, and the rules that they name.
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

export type { App, Context, DemoSteps } from "./assembly/context.ts";
export type { ArrivedResponse, DemoFlow, DemoRequest } from "./endpoints/shared/demo_flow.ts";
export type { IssuedCode } from "./oauth/authorize/code.ts";
export type { NextSteps } from "./endpoints/authorized_page.tsx";
export type { Caller, EndpointDescription, EndpointRole, ErrorChannel } from "./assembly/endpoint.ts";
export type { EndpointOptions, Extension, IntrospectionFormat } from "./assembly/extension.ts";
export type { AddApp, AddedAppOptions, AddResource } from "./assembly/plugin.ts";
export type { OffPage } from "./assembly/off_page.ts";
export type { Endpoint, Handler, Handlers } from "./assembly/route.ts";
export type { DpopMembers } from "./extensions/dpop/settings.ts";
export type { RegistrationMembers } from "./extensions/registration/settings.ts";
export type { TokenExchangeMembers } from "./extensions/token_exchange/settings.ts";
export type { HttpResponse, PageForm, RequestLike, ResponseLike } from "../platform/http/message.ts";
export type { ClientAddress, Method, RequestHandler, RequestTarget } from "../platform/http/router.ts";
export type { Authentication, AuthenticationLevels, RequestedAcr } from "./oauth/authorize/authentication_level.ts";
export type { Delivery, PolledDestination, PolledFacts } from "./oauth/authorize/delivery.ts";
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
  RequestOrigin,
  RequestSource,
  ResolvedRequest,
  SourceParameter,
  StoredRequests,
} from "./oauth/authorize/request_source.ts";
export type { AuthenticationAttempt, BoundedCache, RateLimiter } from "./oauth/bounded_cache.ts";
export { type ClientDemand, demandMembers } from "./oauth/clients/client.ts";
export type { ClientDocument } from "./oauth/clients/repository.ts";
export type { ContentEncryption, KeyManagementAlgorithm, ResponseMembers } from "./oauth/clients/response_members.ts";
export type { ClientDependencies, ServerClients } from "./oauth/clients/server_clients.ts";
export type { Standing, StandingRequirement, SupportedGrantType } from "./oauth/clients/standing.ts";
export type { ActiveProfile } from "./config/profile.ts";
export type { Allowances } from "./config/allowances.ts";
export type { ClientValues, OptionalGrantType, SettingsExtension } from "./config/extension_settings.ts";
export type { Field } from "./config/field.ts";
export type { ResolvedSettings } from "./config/resolve_settings.ts";
export type { HostedResource, Resources } from "./config/resource_list.ts";
export type { AnyName } from "./config/settings.ts";
export type { CommonErrorDetails, ErrorDetails, errorStatus } from "./oauth/errors.ts";
export type { ClientChange } from "./oauth/explanation.ts";
export type { FetchCause, FetchLimiter } from "./oauth/fetch_limiter.ts";
export type { AuthenticatedRequest, Authorization } from "./oauth/grants/authenticated_request.ts";
export type { LoadableGrantType } from "./oauth/grants/mod.ts";
export type { JwtKind, SignClaims, TokenKind } from "./oauth/keys/jwt.ts";
export type { Keys, PublishedKey } from "./oauth/keys/keys.ts";
export type { PublicKey } from "./oauth/keys/public_key.ts";
export type { FetchedKeys, KeyFetches, PublicKeySet } from "./oauth/keys/remote_keys.ts";
export type { MaybePromise } from "../platform/maybe_promise.ts";
export { parameters } from "./oauth/params.ts";
export type {
  ParameterDescription,
  Params,
  ResponseFields,
  ResponseMode,
  ResponseModeDescription,
  ResponseModes,
} from "./oauth/params.ts";
export type { MemoryRepository, PageOptions, Repository } from "./oauth/records/repository.ts";
export type { RegisteredSecrets } from "./oauth/redact.ts";
export type { PassedRuleId, RejectionRuleId, RuleId, RuleOrFix } from "./oauth/rules/mod.ts";
export type { Sender } from "./oauth/sender.ts";
export type {
  AnyMemberPart,
  BasePart,
  BoundToKey,
  CheckedPart,
  ClientAuth,
  Credentials,
  EntryPointParts,
  GrantType,
  KeyProofs,
  MemberPart,
  MinuteTask,
  PartRequest,
  ProvenRequest,
  ProvenToken,
  RecordUse,
  RequestPart,
  RequestParts,
  Server,
  SessionWatcher,
  TokenIssuer,
  VerifyRegistration,
} from "./oauth/server.ts";
export type { LogoutFrame, LogoutFrames } from "./oauth/session/logout_frames.ts";
export type { Session } from "./oauth/session/session.ts";
export type { BoundScheme } from "./oauth/tokens/bound_token.ts";
export type { Introspection } from "./oauth/tokens/introspection.ts";
export type { ClaimsContext, OverrideClaims } from "./oauth/tokens/override_claims.ts";
export type { EncryptedResponse, ResponseEncryption } from "./oauth/tokens/response_encryption.ts";
export type { TokenResponse } from "./oauth/tokens/token_response.ts";
export type { RuleResult } from "./oauth/explanation.ts";
export type { Explanation, ExplanationTexts, RuleExplanation, RulePassed } from "./oauth/trace.ts";
export type { SubjectType } from "./oauth/users/subject_type.ts";
