/**
 * Latchkey, an OAuth 2.1 authorization server to hold in one hand.
 *
 * @example A server inside a test, no socket needed
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

export { latchkey } from "./latchkey.ts";
export type { Latchkey, LatchkeyOptions, ListenOptions } from "./latchkey.ts";
export { autoApprover } from "./endpoints/approver.ts";
export type { Approver, ApproverContext } from "./endpoints/approver.ts";
export type { Desk, Endpoint } from "./endpoints/endpoint.ts";
export type { Layer } from "./endpoints/layer.ts";
export type * from "./endpoints/pages.ts";
export type { HttpFault } from "./http/fault.ts";
export type { Answer, Incoming, Reply } from "./http/reply.ts";
export type { Handle, Handler, Peer, Route, Target } from "./http/router.ts";
export type { Approval, AuthorizationRequest, Destination, ResponseMode } from "./oauth/authorization.ts";
export type { ClientAuthMethod, ClientMetadata, User } from "./oauth/client.ts";
export type { Client, Clients, Registry, Users } from "./oauth/clients.ts";
export { OAuthError } from "./oauth/errors.ts";
export type { ErrorCode, ErrorDetails } from "./oauth/errors.ts";
export type { LoginWishes } from "./oauth/openid_request.ts";
export type { ResourceSettings } from "./oauth/resources.ts";
export type { Session } from "./oauth/session.ts";
export type { SigningAlgorithm } from "./oauth/keys.ts";
export type { Dice } from "./oauth/secrets.ts";
export type { ClaimRules } from "./oauth/claims.ts";
export type { ClaimsContext, Outbound, OverrideClaims, Server } from "./oauth/server.ts";
export type { Authorization, Grant, Subject } from "./oauth/grants/grant.ts";
export type { Keys, KeySource, NewKey, PublishedKey, Sign, SignedKind, Signer } from "./oauth/keys.ts";
export type { Params } from "./oauth/params.ts";
export type { Recent } from "./oauth/recent.ts";
export type { RegisteredSecrets } from "./oauth/registered_secrets.ts";
export type { Resources } from "./oauth/resources.ts";
export type { Guesser, Throttle } from "./oauth/throttle.ts";
export type { TokenIssuer, TokenResponse } from "./oauth/tokens/issuer.ts";
export type { ConfigurationWarning, Fault } from "./oauth/fault.ts";
export type { KeySettings, Lifetimes, PkceSettings, RefreshSettings, Settings } from "./oauth/settings.ts";
export { ConfigurationError } from "./oauth/settings_error.ts";
export type {
  authorizeRules,
  httpRules,
  openidRules,
  pageRules,
  PassedRuleId,
  RejectionRuleId,
  Rule,
  RuleId,
  RuleTable,
  tokenRules,
} from "./oauth/rules/mod.ts";
export type { Explanation, Held, Trace, TraceEvent } from "./oauth/trace.ts";
export { memoryStore } from "./store/memory.ts";
export type { MemoryStoreOptions } from "./store/memory.ts";
export type * from "./store/store.ts";
export type { Soon } from "./oauth/soon.ts";
