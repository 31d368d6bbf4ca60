/**
 * The mock for test suites: a strict authorization server without a socket, and handles to control it.
 *
 * 1. {@link testLatchkey} creates a server with the users `alice` and `bob`, and `as.client()` registers a client.
 * 2. The client under test sends requests by `as.fetch`, by the global fetch, or over a socket; `as.logIn` is a correct
 *    client for everything that the test is not about.
 * 3. The test controls users, clock, issued claims and faults: `as.decisions`, `as.clock`, `as.issue`, `as.on`.
 * 4. `as.log` has every exchange with the rules that passed and the rule that rejected it.
 * 5. `as.reset()` restores the initial state, and `as.close()` ends the server; both report faults that did not fire.
 *
 * The server is the one of `latchkey()`; nothing here relaxes a rule.
 *
 * @example A login, and a rejected refresh
 * ```ts
 * import { faults, testLatchkey } from "@latchkey/latchkey/testing";
 *
 * await using as = await testLatchkey();
 * const client = as.client();
 * const { tokens } = await as.logIn(client);
 * as.on("token").once(faults.error("invalid_grant"));
 * await as.refresh(client, tokens.refresh_token!).catch((error) => error.error); // "invalid_grant"
 * ```
 *
 * @module
 */

export { testIssuer, testLatchkey } from "./test_latchkey.ts";
export type { TestLatchkey, TestLatchkeyOptions } from "./test_latchkey.ts";
export { testControl } from "./control.ts";
export type { ResetOptions } from "./resettable_state.ts";
export type {
  ControlOptions,
  HostSetting,
  ServerControl,
  ServerName,
  Tenant,
  TenantOptions,
  Tenants,
  TestControl,
  TestControlOptions,
} from "./test_control.ts";
export { TenantError } from "./tenants.ts";
export type { ChangeableSettings } from "./changed_settings.ts";
export type { FixedValues } from "./fixed_values.ts";
export type { GrantsOf } from "./issued_grants.ts";
export type { ClientDocumentFactory, ClientDocumentMetadata, ServeClientUrl } from "./client_documents.ts";
export type { ClientFactory, KeyTestClient, SecretTestClient, TestClient, TestClientOptions } from "./clients.ts";
export type { Moment, TestClock } from "./clock.ts";
export type { Cookie, CookieJar } from "./browser/cookie_jar.ts";
/** All faults, for {@link TestLatchkey.on}. */
export * as faults from "./faults/mod.ts";
export type { FaultDefinition, FaultFactory } from "./faults/definition.ts";
export type { FaultParameter, JsonType } from "./faults/parameters.ts";
export type { FaultInjector } from "./faults/fault_injector.ts";
export type { FaultList, FaultRequest, ListedFault } from "./faults/fault_list.ts";
export type { JsonPattern } from "./faults/json_pattern.ts";
export type { Fault, FaultContext, RequestView } from "./faults/fault.ts";
export type { FaultRule, Match, RequestPattern, RuleBuilder } from "./faults/rule_builder.ts";
export type { Fetch, FetchInit, InstalledFetch } from "./fetch.ts";
export type {
  ClaimOverride,
  ClaimOverrideContext,
  ClaimOverrides,
  Claims,
  ClientName,
  MetadataOverride,
} from "./claim_overrides.ts";
export type { ClientCredentials } from "../client/authentication.ts";
export type { DpopKey, ProofOptions } from "./dpop.ts";
export type { ExtensionClients } from "./extension_clients.ts";
export type { BackchannelClient, BackchannelOptions, TestBackchannelRequest } from "./backchannel.ts";
export type { Polled, RequestUser } from "./polled_request.ts";
export type { DeviceClient, DeviceOptions, TestDevice } from "./device.ts";
export type { LoginClient, LoginOptions, LoginResult } from "./login.ts";
export type { Register, RegisteredTestClient, RegisterOptions } from "./registration.ts";
export type { DocumentFetch, Log, LogoutCall, WaitOptions } from "./log/log.ts";
export { LogError } from "./log/log_error.ts";
export type { ExchangeMatch, Expectation } from "./log/log_expectation.ts";
export type { ClientCheck, ClientCheckOptions, ClientCheckState } from "./client_check.ts";
export { LoginError } from "./login_error.ts";
export type { LoginErrorDetails, RejectionDetails } from "./login_error.ts";
export type { TokenOverrides } from "./token_overrides.ts";
export type { InternalError } from "./internal_error.ts";
export type { Mint, MintedCode, MintedGrant, MintedIdToken, MintedToken, MintedTokens } from "./mint.ts";
export { foreignJwks } from "./mint_assertion.ts";
export type { MintedAssertion, MintedIdJag } from "./mint_assertion.ts";
export type { MintedLogoutToken } from "./mint_logout_token.ts";
export type { UserDecisions } from "./user_decisions.ts";
export { personaHeader } from "./persona.ts";
export type { Persona } from "./persona.ts";
export type { PrivateJwk } from "../client/private_jwk.ts";
export type { ResourceFactory, TestResource } from "./resource.ts";
export type { HostedResourceLocation, HostedResourceOptions } from "../resource/hosted_resource.ts";
export type { Fields } from "../platform/http/form.ts";
export type { Exchange, Flow, Outcome, PassedCheck, RecordedRequest, RecordedResponse } from "../recorder/exchange.ts";
export type { Recorder } from "../recorder/recorder.ts";
export type { StorageState, StoredCookie } from "./browser/storage_state.ts";
export type { Callback } from "./browser/callback.ts";
export type { AuthorizationResponse } from "../client/callback.ts";
export type { RequestParameters } from "../client/parameters.ts";
export type { LogoutOptions, TestBrowser } from "./browser/test_browser.ts";
