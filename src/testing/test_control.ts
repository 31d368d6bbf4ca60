/** The handles that control a server in tests: their types. `control.ts` creates them. */

import type { Plugin } from "../server/hosting/options.ts";
import type { Approver } from "../core/authorize/approver.ts";
import type { ExtensionSettings } from "../server/extensions/settings.ts";
import type { User } from "../core/clients/client.ts";
import type { ClientMetadata, HostedClient } from "../server/config/client_metadata.ts";
import type { UserRepository } from "../server/clients/users.ts";
import type { Settings } from "../server/config/settings.ts";
import type { SigningAlgorithm } from "../core/keys/signing_algorithm.ts";
import type { MemoryRepository } from "../server/clients/repository.ts";
import type { Recorder } from "../recorder/recorder.ts";
import type { TestBrowser } from "./browser/test_browser.ts";
import type { ChangeableSettings } from "./changed_settings.ts";
import type { ClaimOverrides } from "./claim_overrides.ts";
import type { ClientDocumentFactory } from "./client_documents.ts";
import type { ClientFactory } from "./clients.ts";
import type { Moment, TestClock } from "./clock.ts";
import type { BackchannelClient } from "./backchannel.ts";
import type { DeviceClient } from "./device.ts";
import type { DpopKey } from "./dpop.ts";
import type { FaultInjector } from "./faults/fault_injector.ts";
import type { FaultList } from "./faults/fault_list.ts";
import type { Fetch } from "./fetch.ts";
import type { FixedValues } from "./fixed_values.ts";
import type { GrantsOf } from "./issued_grants.ts";
import type { Log } from "./log/log.ts";
import type { LoginClient } from "./login.ts";
import type { Mint } from "./mint.ts";
import type { Persona } from "./persona.ts";
import type { PrivateJwk } from "../client/private_jwk.ts";
import type { RegisteredTestClient, RegisterOptions } from "./registration.ts";
import type { ResetOptions } from "./resettable_state.ts";
import type { EventName } from "../server/extensions/shared_signals/event_types.ts";
import type { SecurityEventOptions } from "./security_events.ts";
import type { TestResource } from "./resource.ts";
import type { HostedResourceOptions } from "../resource/hosted_resource.ts";
import type { UserDecisions } from "./user_decisions.ts";

/** @internal Options of {@link testControl}: how clock and random source start. */
export interface TestControlOptions {
  /**
   * Makes codes, tokens, ids and times the same on every run and every runtime. The clock is then frozen at
   * 2026-01-01T00:00:00Z, unless `startsAt` names another time. Default: random values, and a clock that runs.
   */
  readonly seed?: string | number;
  /** The initial time of the clock. Default: the current time. */
  readonly startsAt?: Moment;
  /** A recorder around the plugin of the control, such as the one of an inspector. Default: the plugin has its own. */
  readonly recorder?: Recorder;
}

/** @internal Options of {@link TestControl.installFetch}. */
export interface InstallFetchOptions {
  /**
   * `own`: the origin of the issuer. `real`: the origins of the provider whose profile the server has; until it is
   * undone, the issuer is the provider's, and the server serves this process alone: it keeps the permissions of its own
   * issuer, and rejects requests of the network. Default: `own`.
   */
  readonly origins?: "own" | "real";
}

/** The handles that control one server. */
export interface TestControl extends LoginClient, BackchannelClient, DeviceClient {
  /**
   * The global `fetch` with requests to this server handled without a socket. A path is resolved against the issuer.
   * Redirects within the server are followed; a redirect that leaves the server, such as to a client, is returned, as
   * is every redirect with `redirect: "manual"`. With `mutualTls`, the option `certificate` has the certificate of the
   * client, as DER bytes or PEM text (RFC 8705).
   */
  readonly fetch: Fetch;
  /**
   * The origins whose requests {@link TestControl.fetch} handles at this moment: those of the issuer, of endpoints with
   * another origin, and of the resources of the mock.
   */
  origins(): readonly string[];
  /**
   * Replaces the global `fetch` with {@link TestControl.fetch} for the origin of the issuer; other requests go to the
   * previous one. `uninstall`, `using` and closing the server undo it.
   *
   * @throws {TypeError} If `origins` is `real`, and the server has no profile that names its origins.
   *
   * @example The origins of Google
   * ```ts ignore
   * await using as = await testLatchkey({ profile: "google" });
   * using _ = as.installFetch({ origins: "real" });
   * await fetch("https://accounts.google.com/.well-known/openid-configuration");
   * ```
   */
  installFetch(options?: InstallFetchOptions): Disposable & { uninstall(): void };
  /** Registers a client, by default a public one, and returns it with its credentials. */
  readonly client: ClientFactory;
  /**
   * Registers a client at the registration endpoint (RFC 7591), by default a public one. The metadata is sent as it is.
   *
   * @throws {LoginError} If the server rejects the metadata; `error` is the code, such as `invalid_redirect_uri`.
   */
  register(
    metadata?: Readonly<Record<string, unknown>>,
    options?: RegisterOptions,
  ): Promise<RegisteredTestClient>;
  /** Publishes client ID metadata documents without a network, and returns their clients. */
  readonly clientDocument: ClientDocumentFactory;
  /** Creates a key for DPoP, which signs proofs, valid ones and ones with defects (RFC 9449). */
  dpopKey(): Promise<DpopKey>;
  /**
   * Serves a URL of a client, with any query, without a network: requests of the server to it, such as to its
   * `backchannel_logout_uri`, and the frames of a logout page go to the function. A later function replaces it, and the
   * next reset removes it.
   */
  serve(url: string, respond: (request: Request) => Response | Promise<Response>): void;
  /**
   * Ends the session of an ID token, as an administrator does: sends logout tokens to its clients, and revokes its
   * refresh tokens without `offline_access`. Resolves when the clients have responded.
   *
   * @param session An ID token, or a user: then each session ends in which a client with a logout URI has an ID token.
   * @throws {TypeError} If it is not an ID token of a session of this server, or there is no such user.
   */
  endSession(session: string | { readonly sub: string }): Promise<void>;
  /**
   * Sends a security event about a user to the streams of clients (CAEP 1.0 §3, RISC Profile 1.0 §2); `fault` sends a
   * wrong one.
   *
   * @returns The number of streams that have it.
   * @throws {TypeError} If the server has no streams (the option `sharedSignals` is not set), or never had the user.
   *
   * @example
   * ```ts ignore
   * await as.sendEvent("session-revoked", "alice");
   * await as.sendEvent("account-disabled", "alice", { members: { reason: "hijacking" }, fault: "duplicate" });
   * ```
   */
  sendEvent(type: EventName, sub: string, options?: SecurityEventOptions): Promise<number>;
  /**
   * Revokes the codes and tokens of a user, of a client, or of a user at a client; or one token: an access token alone,
   * a refresh token with its grant. No client authentication is needed.
   *
   * @returns How many grants or tokens were revoked.
   * @throws {TypeError} If it names none of them, or a token that this server did not issue or that has expired.
   */
  revoke(grantsOf: GrantsOf): Promise<number>;
  /**
   * Fixes the values of the next code and tokens, once each; several calls queue. An access token is then opaque, and
   * `at_hash` matches it. A refresh token that replaces another one stays random.
   *
   * @throws {TypeError} If a value has characters that a code or token cannot have.
   */
  nextValues(values: FixedValues): void;
  /**
   * Changes refresh token rotation and the lifetimes of tokens, until the next reset, except for clients with a
   * profile.
   *
   * @throws {TypeError} If a setting is unknown or has another type.
   */
  changeSettings(settings: ChangeableSettings): void;
  /**
   * Makes a key of yours the signing key, with its `kid`. The JWKS has the earlier keys of its algorithm too, for the
   * tokens that they signed.
   *
   * @param lead Seconds for which it is published before it signs. Default: 0.
   * @throws {TypeError} If it is not a private JWK for an algorithm of this server, or its `kid` is in use.
   */
  importKey(key: PrivateJwk, lead?: number): Promise<void>;
  /** Decides which user logs in next, and which users deny, or allow less than requested. */
  readonly decisions: UserDecisions;
  /** Opens a browser without cookies. */
  browser(persona?: Persona): TestBrowser;
  /** Mints tokens and codes without a login, valid and invalid ones; registers a client if the server has none. */
  readonly mint: Mint;
  /**
   * Adds a protected resource that accepts access tokens of this server: a small MCP server with metadata (RFC 9728)
   * and challenges. The location is its identifier, or a path on the origin of the issuer, which also serves it over a
   * socket.
   *
   * @throws {TypeError} If the identifier or an option is invalid.
   * @throws {ConfigurationError} If the server has an endpoint at the same path.
   *
   * @example
   * ```ts ignore
   * const tools = { add_note: ["notes:write"] };
   * const mcp = as.resource("https://mcp.example/mcp", { scopes: ["notes:read"], tools });
   * const { status, headers } = await as.fetch(mcp.url, { method: "POST", body: "{}" }); // 401 with a challenge
   * ```
   */
  resource(location: string, options?: HostedResourceOptions): TestResource;
  /**
   * Creates a separate issuer on the same host, for a test that runs at the same time as others. It has its own
   * clients, users, records, log, faults and clock.
   *
   * @throws {ConfigurationError} If the options are invalid.
   * @throws {TenantError} If there are 1000 tenants, or the server is a tenant itself.
   *
   * @example
   * ```ts ignore
   * await using tenant = await as.tenant({ settings: { lifetimes: { access_token: 60 } } });
   * const { tokens } = await tenant.logIn(tenant.client());
   * ```
   */
  tenant(options?: TenantOptions): Promise<Tenant>;
  /** The clock of the whole server. */
  readonly clock: TestClock;
  /** Starts a fault rule: `as.on("token").once(faults.error("invalid_grant"))`. */
  readonly on: FaultInjector["on"];
  /** Changes claims of issued tokens, and members of responses. */
  readonly issue: ClaimOverrides;
  /** The requests and responses of the server; waiting for the next request, and expectations. */
  readonly log: Log;
  /**
   * Restores the initial state, for the next test: clients, users, decisions, faults, changes of claims, log, records,
   * sessions, clock and random source. Signing keys stay, so that cached keys remain valid. A memory store is cleared
   * when this returns; another store is cleared when the promise resolves.
   *
   * @throws {TypeError} If `keep` has another value.
   * @throws {Error} If a fault fired less often than expected; everything is reset nevertheless.
   */
  reset(options?: ResetOptions): Promise<void>;
}

/**
 * The settings for the address of the process, and for the hosts that it may connect to. A tenant takes them from its
 * server.
 *
 * @internal
 */
export type HostSetting =
  | "issuer"
  | "issuerHosts"
  | "frontChannelUrl"
  | "backChannelUrl"
  | "trustProxy"
  | "proxyHeader"
  | "privateHosts";

/** @internal Options of a tenant. Everything has a default. */
export interface TenantOptions extends Pick<TestControlOptions, "seed" | "startsAt"> {
  /** Settings of the configuration file, except {@link HostSetting}. Default: the defaults of a mock. */
  readonly settings?: Omit<Settings & ExtensionSettings, HostSetting | "clients" | "users">;
  /** The clients. Default: none. */
  readonly clients?: readonly ClientMetadata[];
  /** The users. Default: `alice` and `bob`. */
  readonly users?: readonly User[];
  /** Seconds without a request after which the server removes the tenant. Default: 3600. */
  readonly lifetime?: number;
}

/** A mock with its own issuer on the host of another mock. The two mocks share nothing else. */
export interface Tenant extends TestControl, AsyncDisposable {
  /** The id of the tenant, at the end of its issuer. */
  readonly id: string;
  /** The issuer identifier: `/tenants/` and the id, below the issuer of the server. */
  readonly issuer: string;
  /** The registered clients, which can change at any time. */
  readonly clients: MemoryRepository<ClientMetadata, HostedClient>;
  /** The users, which can change at any time. */
  readonly users: MemoryRepository<User, User> & UserRepository;
  /** Creates a new signing key; see {@link TestLatchkey.rotateKeys}. */
  rotateKeys(alg?: SigningAlgorithm, lead?: number): Promise<void>;
  /**
   * Removes the tenant with everything that it issued. A second call has no effect.
   *
   * @throws {Error} If a fault fired less often than expected; the tenant is removed nevertheless.
   */
  close(): Promise<void>;
}

/** @internal */
export interface Tenants {
  /**
   * Creates a tenant.
   *
   * @param origin The origin of its issuer. Default: that of the server, which follows the port.
   * @param endpoints Creates a plugin with further endpoints. Default: none.
   * @throws {ConfigurationError} If the options are invalid.
   * @throws {TenantError} If there are 1000 tenants, or the server is a tenant itself.
   */
  create(options?: TenantOptions, origin?: string, endpoints?: (control: ServerControl) => Plugin): Promise<Tenant>;
  /** The tenants, oldest first. */
  all(): readonly Tenant[];
  find(id: string): Tenant | undefined;
  removeExpired(): void;
}

/** @internal Options of the control over HTTP. */
export interface ControlOptions {
  /** The bearer token that each request must have; required unless the issuer is on a test host. Default: none. */
  readonly secret?: string;
}

/** @internal One name of a server that has several: the setting `issuer` is `from-host`. */
export interface ServerName {
  /** The issuer identifier. */
  readonly issuer: string;
  /** The `aud` of access tokens without a resource. */
  readonly audience: string;
  /** Values besides the issuer that the `aud` of an assertion may have. */
  readonly assertionAudiences: readonly string[];
}

/** @internal The control of a server that has {@link ServerControl.plugin}. */
export interface ServerControl extends TestControl {
  /** The plugin that turns a server into a mock. It must be the first one in the `plugins` of one server. */
  readonly plugin: Plugin;
  /**
   * Creates the plugin with the control over HTTP, below `/_control`. It must stand after {@link ServerControl.plugin}.
   * Without a secret the issuer must be on a test host.
   *
   * @example
   * ```ts ignore
   * const control = testControl();
   * const as = await latchkey({ plugins: [control.plugin, await control.overHttp()] });
   * ```
   */
  overHttp(options?: ControlOptions): Promise<Plugin>;
  /**
   * Wraps the approver of login pages: a user whom a test has decided on is logged in without a page. Not part of the
   * plugin, because test browsers go through the pages.
   */
  approvePages(next: Approver): Approver;
  /** The functions that depend on the issuer, for one name of the server. */
  underName(name: ServerName): Pick<TestControl, "endSession" | "mint">;
  /**
   * Checks that the server has a name of its own.
   *
   * @throws {TypeError} If it has the name of a provider, by {@link TestControl.installFetch}.
   */
  assertMayListen(): void;
  readonly tenants: Tenants;
  /** The recorder of the log. */
  readonly recorder: Recorder;
  /** Fault rules that have ids, for programs that add and remove them by JSON. */
  readonly faults: FaultList;
  /**
   * Removes the fault rules, which ends every fault that waits.
   *
   * @returns One sentence for each rule that fired less often than expected.
   */
  clearFaults(): readonly string[];
}
