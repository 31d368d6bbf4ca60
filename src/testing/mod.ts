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
export type { Tenant, TestControl } from "./test_control.ts";
export { TenantError } from "./tenants.ts";
export type { TestClient } from "./clients.ts";
export type { TestClock } from "./clock.ts";
/** All faults, for {@link TestLatchkey.on}. */
export * as faults from "./faults/mod.ts";
export type { Fault } from "./faults/fault.ts";
export type { FaultRule } from "./faults/rule_builder.ts";
export type { ClaimOverride, Claims } from "./claim_overrides.ts";
export type { DpopKey } from "./dpop.ts";
export type { BackchannelClient } from "./backchannel.ts";
export type { DeviceClient, TestDevice } from "./device.ts";
export type { LoginClient, LoginResult } from "./login.ts";
export type { Log } from "./log/log.ts";
export { LogError } from "./log/log_error.ts";
export type { Expectation } from "./log/log_expectation.ts";
export { LoginError } from "./login_error.ts";
export type { Mint } from "./mint.ts";
export { foreignJwks } from "./mint_assertion.ts";
export type { UserDecisions } from "./user_decisions.ts";
export { personaHeader } from "./persona.ts";
export type { Persona } from "./persona.ts";
export type { TestResource } from "./resource.ts";
export type { HostedResourceOptions } from "../resource/hosted_resource.ts";
export type { Exchange, Flow, RecordedRequest, RecordedResponse } from "../recorder/exchange.ts";
export type { StorageState } from "./browser/storage_state.ts";
export type { AuthorizationResponse } from "../client/callback.ts";
export type { TestBrowser } from "./browser/test_browser.ts";
