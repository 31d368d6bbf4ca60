/** The control of a server in tests: the plugin of the mock, with its clock and user decisions, and their handles. */

import type { App } from "../app/context.ts";
import { endpointUrl } from "../app/endpoint.ts";
import type { ConfigurableOptions, Plugin } from "../app/plugin.ts";
import { ConnectionDropped, isDropped, toResponse } from "../http/message.ts";
import type { MaybePromise } from "../oauth/maybe_promise.ts";
import { object } from "../oauth/config/field.ts";
import { resolveSettings } from "../oauth/config/resolve_settings.ts";
import { frontChannelBase, serverOrigins } from "../oauth/config/issuer_urls.ts";
import type { RandomBytes } from "../oauth/secrets.ts";
import { redactText } from "../oauth/redact.ts";
import { type Recorder, recorder } from "../recorder/recorder.ts";
import { defaultOutbound } from "../server/default_outbound.ts";
import { assertAllMet } from "./assert_all_met.ts";
import { type TestBrowser, testBrowser } from "./browser/test_browser.ts";
import { claimOverrideHooks, type ClaimOverrides } from "./claim_overrides.ts";
import { type ClientDocumentFactory, clientDocumentFactory, type ServeClientUrl } from "./client_documents.ts";
import { type ClientFactory, clientFactory } from "./clients.ts";
import { combinePlugins } from "./combine_plugins.ts";
import { type Moment, type TestClock, testClock } from "./clock.ts";
import { type DeviceClient, deviceClient } from "./device.ts";
import { type FaultInjector, faultInjector } from "./faults/fault_injector.ts";
import { type FaultList, faultList } from "./faults/fault_list.ts";
import { createFetch, type Fetch, type InstalledFetch, installFetch } from "./fetch.ts";
import { type DocumentFetch, type Log, type LogoutCall, testLog } from "./log/log.ts";
import { type DpopKey, dpopKey } from "./dpop.ts";
import { type LoginClient, loginClient } from "./login.ts";
import type { ExplainRejection } from "./login_error.ts";
import { type Mint, mint } from "./mint.ts";
import { anyOption, assertOptions, objectOption } from "./options.ts";
import { mergePersonas, type Persona, personaField } from "./persona.ts";
import { type Register, registrationClient } from "./registration.ts";
import { assertKeep, type ResetOptions, resettableState } from "./resettable_state.ts";
import { type ResourceFactory, testResources } from "./resource.ts";
import { restartableRandom } from "./seeded_random.ts";
import { type UserDecisions, userDecisions } from "./user_decisions.ts";

/** Options of {@link testControl}: how clock and random source start. */
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

const optionFields = { seed: anyOption, startsAt: anyOption, recorder: objectOption };
const controlField = object<TestControlOptions>("TestControlOptions", optionFields, {});

/** The initial time of the clock of a server with a seed. */
const seededStart = "2026-01-01T00:00:00Z";

/** The handles that control one server. */
export interface TestControl extends LoginClient, DeviceClient {
  /**
   * The global `fetch` with requests to this server handled without a socket. A path is resolved against the issuer.
   * Redirects within the server are followed; a redirect that leaves the server, such as to a client, is returned, as is
   * every redirect with `redirect: "manual"`.
   */
  readonly fetch: Fetch;
  /**
   * Replaces the global `fetch` with {@link TestControl.fetch} for the origin of the issuer; other requests go to the
   * previous one. `uninstall`, `using` and closing the server undo it.
   */
  installFetch(): InstalledFetch;
  /** Registers a client, by default a public one, and returns it with its credentials. */
  readonly client: ClientFactory;
  /**
   * Registers a client at the registration endpoint (RFC 7591), by default a public one. The metadata is sent as it is.
   *
   * @throws {LoginError} If the server rejects the metadata; `error` is the code, such as `invalid_redirect_uri`.
   */
  readonly register: Register;
  /** Publishes client ID metadata documents without a network, and returns their clients. */
  readonly clientDocument: ClientDocumentFactory;
  /** Creates a key for DPoP, which signs proofs, valid ones and ones with defects (RFC 9449). */
  dpopKey(): Promise<DpopKey>;
  /** Serves a URL of a client without a network, such as its `backchannel_logout_uri`, until the next reset. */
  readonly serve: ServeClientUrl;
  /**
   * Ends the session of an ID token, as an administrator does: its clients are called, and its refresh tokens without
   * `offline_access` end. Resolves when the clients have responded.
   *
   * @throws {TypeError} If it is no ID token of a session of this server.
   */
  endSession(idToken: string): Promise<void>;
  /** Decides which user logs in next, who denies, and who allows less than requested. */
  readonly decisions: UserDecisions;
  /** Opens a browser without cookies. */
  browser(persona?: Persona): TestBrowser;
  /** Mints tokens and codes without a login, valid and invalid ones; registers a client if the server has none. */
  readonly mint: Mint;
  /**
   * Adds a protected resource that accepts access tokens of this server: a small MCP server with metadata (RFC 9728) and
   * challenges. The location is its identifier, or a path on the origin of the issuer, which also serves it over a socket.
   *
   * @throws {TypeError} If the identifier or an option is invalid.
   * @throws {ConfigurationError} If the server has an endpoint at the same path.
   *
   * @example
   * ```ts ignore
   * const mcp = as.resource("https://mcp.example/mcp", { scopes: ["notes:read"], tools: { add_note: ["notes:write"] } });
   * const { status, headers } = await as.fetch(mcp.url, { method: "POST", body: "{}" }); // 401 with a challenge
   * ```
   */
  readonly resource: ResourceFactory;
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
   * @throws {Error} If a fault fired less often than written; everything is reset nevertheless.
   */
  reset(options?: ResetOptions): Promise<void>;
}

/** The control of a server that has {@link ServerControl.plugin}. */
export interface ServerControl extends TestControl {
  /** The plugin that turns a server into a mock. It must be the first one in the `plugins` of one server. */
  readonly plugin: Plugin;
  /** The recorder of the log. */
  readonly recorder: Recorder;
  /** Fault rules that have ids, for programs that add and remove them by JSON. */
  readonly faults: FaultList;
  /**
   * Removes the fault rules, which ends every fault that waits.
   *
   * @returns One sentence for each rule that fired less often than written.
   */
  clearFaults(): readonly string[];
}

/**
 * Creates the control of one server: `latchkey()` with its plugin becomes a mock.
 *
 * @throws {TypeError} If an option is unknown.
 *
 * @example
 * ```ts
 * import { latchkey } from "@latchkey/latchkey";
 * import { faults, testControl } from "@latchkey/latchkey/testing";
 *
 * const control = testControl();
 * await using as = await latchkey({ lifetimes: { access_token: 60 }, plugins: [control.plugin] });
 * control.on("token").once(faults.error("invalid_grant"));
 * ```
 */
export function testControl(options: TestControlOptions = {}): ServerControl {
  assertOptions("testControl", controlField, options);
  const { seed, startsAt } = options;
  const isSeeded = seed !== undefined;
  /** The options of the server, without those of the control. */
  let settings: ConfigurableOptions = {};
  const isInteractive = () => settings.login !== undefined && settings.login !== "auto";
  const clock = testClock({
    startsAt: startsAt ?? (isSeeded ? seededStart : undefined),
    frozen: isSeeded,
    timeSource: () => settings.now?.(),
  });
  const serverRandom = isSeeded ? restartableRandom(`server ${seed}`) : undefined;
  const clientRandom = isSeeded ? restartableRandom(`clients ${seed}`) : undefined;
  const state = resettableState();
  const exchangeRecorder = options.recorder ?? recorder();
  const documentFetches: DocumentFetch[] = [];
  const logoutCalls: LogoutCall[] = [];
  const log = testLog(exchangeRecorder, documentFetches, logoutCalls);
  const injector = faultInjector({ onFault: exchangeRecorder.recordFault });
  const faults = faultList(injector.on);
  const overrides = claimOverrideHooks(exchangeRecorder.findExchange);
  const decisions = userDecisions(() => getApp().server);
  const installed = new Set<InstalledFetch>();
  const resources = testResources(handle);
  let app: App | undefined;

  function getApp(): App {
    if (app !== undefined) return app;
    throw new TypeError("testControl: expected a server, received none. Pass control.plugin to latchkey().");
  }

  function configure(options: ConfigurableOptions): ConfigurableOptions {
    if (app !== undefined) {
      throw new TypeError("testControl: expected one server, received another. Create one control for each.");
    }
    settings = options;
    // The clock now runs with that of the server.
    if (options.now !== undefined) clock.reset();
    return {
      now: clock.now,
      outbound: documents.outbound,
      ...serverRandom && { randomBytes: options.randomBytes ?? serverRandom.roll },
      ...!isInteractive() && { unknownLoginHint: options.unknownLoginHint ?? "reject" },
    };
  }

  const innermost: Plugin = {
    setup: (assembled) => void (app = assembled),
    extend: state.extend,
    onEvent(event) {
      if (event.type === "back_channel_logout") {
        const { type: _, ...call } = event;
        logoutCalls.push(call);
      }
      if (event.type !== "metadata_document_fetched") return;
      documentFetches.push({ url: event.client, at: event.at, outcome: event.outcome });
    },
    close() {
      for (const replacement of installed) replacement.uninstall();
    },
  };
  const getServer = () => state.extend(getApp().server);
  const getIssuer = () => getApp().server.issuer;
  const getEndpointUrl = (name: string) => endpointUrl({ app: getApp(), server: getApp().server }, name);

  async function handle(request: Request): Promise<Response> {
    const response = await getApp().dispatch(resources.route(request));
    if (isDropped(response)) throw new ConnectionDropped();
    return toResponse(response);
  }

  const explain: ExplainRejection = (request) => {
    const { rejection, events = [] } = exchangeRecorder.findExchange(request) ?? {};
    const explanation = rejection?.explanation;
    const internalError = events.findLast((event) => event.type === "internal_error");
    return {
      explanation: explanation?.received === undefined
        ? explanation
        : { ...explanation, received: redactText(explanation.received, getApp().server.registeredSecrets) },
      internalError: internalError && { endpoint: internalError.endpoint, cause: internalError.cause },
    };
  };

  function browser(persona: Persona = {}): TestBrowser {
    assertOptions("browser", personaField, persona);
    const newBrowser = testBrowser({
      issuer: () => frontChannelBase(getApp().server),
      endpointUrl: getEndpointUrl,
      fetch: handle,
      loadFrame: (url) => documents.respond(new Request(url)),
      now: clock.now,
      explain,
      ...persona,
    });
    if (!isInteractive()) return newBrowser;
    // The decisions apply to the pages.
    const decide = (overrides: Persona = {}): Persona =>
      mergePersonas(decisions.persona(overrides.as ?? persona.as), persona, overrides);
    return {
      ...newBrowser,
      authorize: (request, overrides, uri) => newBrowser.authorize(request, decide(overrides), uri),
      enterUserCode: (userCode, overrides) => newBrowser.enterUserCode(userCode, decide(overrides)),
    };
  }

  const randomBytes: RandomBytes = (bytes) => (clientRandom?.roll ?? getApp().server.randomBytes)(bytes);
  const newKey = () => dpopKey(randomBytes, clock.now);
  const client = clientFactory(getServer, randomBytes);
  const ownOutbound = defaultOutbound(() => ({ issuer: getIssuer(), privateHosts: settings.privateHosts ?? [] }));
  const documents = clientDocumentFactory(randomBytes, (url, init) => (settings.outbound ?? ownOutbound)(url, init));
  const urls = { issuer: getIssuer, origins: () => [...serverOrigins(getApp().server), ...resources.origins()] };
  const fetch = createFetch(urls, handle);

  const { login, post } = loginClient({
    ...{ server: getServer, endpointUrl: getEndpointUrl, fetch: handle, browser, explain },
  });

  return {
    ...login,
    ...deviceClient({ post, token: login.token, browser, clock }),
    plugin: {
      ...combinePlugins([
        ...options.recorder === undefined ? [exchangeRecorder] : [],
        ...[injector.plugin, overrides.plugin, resources.plugin, innermost],
      ]),
      configure,
      approve: decisions.approve,
    },
    fetch,
    installFetch() {
      const replacement = installFetch(urls, fetch);
      installed.add(replacement);
      return replacement;
    },
    client,
    register: registrationClient(getEndpointUrl, handle, explain),
    clientDocument: documents.create,
    dpopKey: newKey,
    serve: documents.serve,
    endSession: async (idToken) => await (await import("./end_session.ts")).endSessionOf(getServer(), idToken),
    decisions,
    browser,
    mint: mint(async () => {
      if (await getApp().server.clients.first() === undefined) client();
      return getServer();
    }, () => getEndpointUrl("token")),
    clock,
    resource: resources.resource,
    on: injector.on,
    issue: overrides.overrides,
    log,
    ...{ recorder: exchangeRecorder, faults, clearFaults },
    async reset({ keep = [] } = {}) {
      assertKeep(keep);
      const unmet = clearFaults();
      const { server } = getApp();
      log.clear();
      server.clients.forgetExternalClients();
      for (const part of [overrides, decisions, clock, serverRandom]) part?.reset();
      // Records go first: otherwise the removal of a user would log out the clients of its sessions.
      const cleared = state.reset(server.store);
      if (server.store.persistent) await cleared;
      const initial = resolveSettings(settings, server.issuer, server.settings.extensions);
      // Begun together: in memory, each is complete when its call returns.
      const pending: MaybePromise<unknown>[] = [];
      if (!keep.includes("clients")) {
        for (const part of [client, documents, clientRandom]) part?.reset();
        pending.push(server.clients.restore(initial.clients, "reset()"));
      }
      if (!keep.includes("users")) pending.push(server.users.restore(initial.users, "reset()"));
      await Promise.all([...pending, cleared]);
      assertAllMet(unmet);
    },
  };

  function clearFaults(): readonly string[] {
    const unmet = injector.unmetRules();
    injector.clear();
    faults.clear();
    return unmet;
  }
}
