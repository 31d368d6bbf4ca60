/** The control of a server in tests: the plugin of the mock, with its clock and user decisions, and their handles. */

import type { App } from "../server/app.ts";
import type { HostedServer } from "../server/hosted_server.ts";
import { endpointUrl } from "../core/http/endpoint.ts";
import { fetchedResponse } from "../platform/http/dropped_connection.ts";
import { defaultOutbound, type Outbound } from "../server/fetching/outbound.ts";
import type { Peer } from "../platform/runtime/bind.ts";
import { object, objectField } from "../core/policy/field.ts";
import { frontChannelBase } from "../core/http/names.ts";
import { serverOrigins } from "../server/config/server_origins.ts";
import type { RandomBytes } from "../core/keys/secrets.ts";
import { redactExplanation } from "../server/redaction/redact.ts";
import { recorder } from "../recorder/recorder.ts";
import type { AppChanges, LatchkeyOptions, Plugin } from "../server/hosting/options.ts";
import { assertAllMet } from "./assert_all_met.ts";
import { type TestBrowser, testBrowser } from "./browser/test_browser.ts";
import { claimOverrideHooks } from "./claim_overrides.ts";
import { clientDocumentFactory } from "./client_documents.ts";
import { clientFactory } from "./clients.ts";
import { changedSettings } from "./changed_settings.ts";
import { systemClock, testClock } from "./clock.ts";
import { tenantList } from "./tenants.ts";
import { faultInjector } from "./faults/fault_injector.ts";
import { faultList } from "./faults/fault_list.ts";
import { sendSecurityEvent } from "./security_events.ts";
import { createFetch } from "./fetch.ts";
import { fixedValues } from "./fixed_values.ts";
import { fetchInstaller } from "./fetch_installer.ts";
import { issuedGrants } from "./issued_grants.ts";
import { type DocumentFetch, type EventDelivery, type LogoutCall, testLog } from "./log/log.ts";
import { dpopKey } from "./dpop.ts";
import { loginClient } from "./login.ts";
import type { ExplainRejection } from "./login_error.ts";
import { mint } from "./mint.ts";
import { anyOption, assertOptions } from "./options.ts";
import { mergePersonas, type Persona, personaField } from "./persona.ts";
import { registrationClient } from "./registration.ts";
import { assertKeep, resettableState } from "./resettable_state.ts";
import { testResources } from "./resource.ts";
import { restartableRandom } from "./seeded_random.ts";
import type { ServerControl, ServerName, TestControl, TestControlOptions } from "./test_control.ts";
import { userDecisions } from "./user_decisions.ts";
import { backchannelClient } from "./backchannel.ts";
import { deviceClient } from "./device.ts";
import { endSessionOf } from "./end_session.ts";

const optionFields = { seed: anyOption, startsAt: anyOption, recorder: objectField };
const controlField = object<TestControlOptions>("TestControlOptions", optionFields, {});

/** The initial time of the clock of a server with a seed. */
const seededStart = "2026-01-01T00:00:00Z";

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
  return createControl(options);
}

/** @param isTenant Whether the server is a tenant, which cannot create tenants. */
function createControl(options: TestControlOptions, isTenant = false): ServerControl {
  assertOptions("testControl", controlField, options);
  const { seed, startsAt } = options;
  const isSeeded = seed !== undefined;
  /** The options of the server, without those of the control. */
  let settings: LatchkeyOptions = {};
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
  const eventDeliveries: EventDelivery[] = [];
  const log = testLog(exchangeRecorder, documentFetches, logoutCalls, eventDeliveries);
  const injector = faultInjector();
  const faults = faultList(injector.on);
  const overrides = claimOverrideHooks(exchangeRecorder.findExchange);
  const decisions = userDecisions(() => getApp().server);
  const grants = issuedGrants();
  const values = fixedValues();
  const changes = changedSettings();
  const resources = testResources(handle);
  const tenants = tenantList({
    getServer: () => ({ ...getApp().server, outbound, addApp: isTenant ? undefined : changesOfApp!.addApp }),
    getSettings: () => settings,
    createControl: (options) => createControl(options, true),
    now: () => (settings.now ?? systemClock)(),
  });
  let app: App | undefined;
  let changesOfApp: AppChanges | undefined;

  function getApp(): App {
    if (app !== undefined) return app;
    throw new TypeError("testControl: expected a server, received none. Pass control.plugin to latchkey().");
  }

  function configure(options: LatchkeyOptions): LatchkeyOptions {
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
    setup(assembled, appChanges) {
      app = assembled;
      changesOfApp = appChanges;
    },
    handle: (next) => (request, peer) => {
      tenants.removeExpired();
      return next(request, peer);
    },
    extend: state.extend,
    forRequest: changes.current,
    onEvent(event) {
      grants.onEvent(event);
      if (event.type === "back_channel_logout") {
        const { type: _, ...call } = event;
        logoutCalls.push(call);
      }
      if (event.type === "security_event_delivery") {
        const { type: _, ...delivery } = event;
        eventDeliveries.push(delivery);
      }
      if (event.type !== "metadata_document_fetched") return;
      documentFetches.push({ url: event.client, at: event.at, outcome: event.outcome });
    },
    close() {
      installer.uninstallAll();
    },
  };
  const fixed: Plugin = { forRequest: values.current };
  const getServer = () => ({ ...getApp().server, ...changes.current(getApp().server) });
  const getIssuer = () => getApp().server.issuer;
  const getEndpointUrl = (name: string) => endpointUrl({ app: getApp(), server: getApp().server }, name);

  async function handle(request: Request, peer?: Peer): Promise<Response> {
    return fetchedResponse(await getApp().dispatch(resources.route(request), peer));
  }

  const explain: ExplainRejection = (request) => {
    const { rejection, events = [] } = exchangeRecorder.findExchange(request) ?? {};
    const explanation = rejection?.explanation;
    const internalError = events.findLast((event) => event.type === "internal_error");
    return {
      explanation: explanation && redactExplanation(explanation, getApp().server.registeredSecrets),
      internalError: internalError && { endpoint: internalError.endpoint, cause: internalError.cause },
    };
  };

  function browser(persona: Persona = {}): TestBrowser {
    assertOptions("browser", personaField, persona);
    const newBrowser = testBrowser({
      issuer: () => frontChannelBase(getApp().server),
      origins: () => serverOrigins(getApp().server),
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
      decide: (request, overrides) => newBrowser.decide(request, decide(overrides)),
    };
  }

  const randomBytes: RandomBytes = (bytes) => (clientRandom?.roll ?? getApp().server.randomBytes)(bytes);
  const newKey = () => dpopKey(randomBytes, clock.now);
  const client = clientFactory(getServer, randomBytes);
  const ownOutbound = defaultOutbound(() => {
    const { issuer, policy } = getApp().server;
    const { privateHosts, allows } = policy;
    return { issuer, privateHosts, allows };
  });
  const outbound: Outbound = (url, init) => (settings.outbound ?? ownOutbound)(url, init);
  const documents = clientDocumentFactory(randomBytes, outbound);
  const urls = { issuer: getIssuer, origins: () => [...serverOrigins(getApp().server), ...resources.origins()] };
  const fetch = createFetch(urls, handle);
  const installer = fetchInstaller(urls, fetch, getApp, (issuer) => changesOfApp!.moveTo(issuer));

  const { login, post } = loginClient({
    ...{ server: getServer, endpointUrl: getEndpointUrl, fetch: handle, browser, explain },
  });

  const polling = {
    ...{ post, token: login.token, browser, clock, endpointUrl: getEndpointUrl },
    users: () => getApp().server.users,
  };

  const self: ServerControl = {
    ...login,
    ...backchannelClient(polling),
    ...deviceClient(polling),
    plugin: {
      ...combinePlugins([
        ...options.recorder === undefined ? [exchangeRecorder] : [],
        ...[fixed, injector.plugin, overrides.plugin, resources.plugin, installer.plugin, innermost],
      ]),
      configure,
      approve: (next, showsPages) => showsPages ? next : decisions.approve(next),
    },
    fetch,
    origins: () => [...new Set(urls.origins())],
    installFetch: installer.installFetch,
    assertMayListen: installer.assertMayListen,
    client,
    register: registrationClient(getEndpointUrl, handle, explain),
    clientDocument: documents.create,
    dpopKey: newKey,
    serve: documents.serve,
    ...underName(),
    underName,
    sendEvent: async (...call) => await sendSecurityEvent(getServer(), ...call),
    revoke: (grantsOf) => grants.revoke(getServer(), grantsOf),
    nextValues: values.add,
    changeSettings: changes.change,
    // It loads jose, which most tests do not need.
    importKey: async (key, lead) => await (await import("./import_key.ts")).importKey(getServer(), key, lead),
    decisions,
    browser,
    clock,
    tenant: (options) => tenants.create(options),
    tenants,
    resource: resources.resource,
    on: injector.on,
    issue: overrides.overrides,
    log,
    overHttp: async (options) => (await import("./control/mod.ts")).controlEndpoints(self, options),
    ...{
      approvePages: decisions.approvePages,
      recorder: exchangeRecorder,
      faults,
      clearFaults,
    },
    async reset({ keep = [] } = {}) {
      assertKeep(keep);
      const unmet = clearFaults();
      const { server } = getApp();
      log.clear();
      server.clients.forgetExternalClients();
      const parts = [overrides, decisions, grants, values, changes, clock, serverRandom];
      for (const part of [...parts, ...server.resources.hosted]) part?.reset();
      // Records go first: otherwise the removal of a user would log out the clients of its sessions.
      const cleared = state.reset(server);
      if (server.store.persistent) await cleared;
      const initial = getApp().initialEntries();
      // Begun together: in memory, each is complete when its call returns.
      const pending: unknown[] = [];
      if (!keep.includes("clients")) {
        for (const part of [client, documents, clientRandom]) part?.reset();
        pending.push(server.clients.restore(initial.clients, "reset()"));
      }
      if (!keep.includes("users")) pending.push(server.users.restore(initial.users, "reset()"));
      await Promise.all([...pending, cleared]);
      assertAllMet(unmet);
    },
  };
  return self;

  function underName(name?: ServerName): Pick<TestControl, "endSession" | "mint"> {
    const getNamed = () => name === undefined ? getServer() : { ...getServer(), ...name };
    return {
      endSession: async (session) => await endSessionOf(getNamed(), session),
      mint: mint(
        async () => {
          if ((await getApp().server.clients.list({ limit: 1 })).length === 0) client();
          return getNamed();
        },
        () => endpointUrl({ app: getApp(), server: getNamed() }, "token"),
        grants.add,
      ),
    };
  }

  function clearFaults(): readonly string[] {
    const unmet = injector.unmetRules();
    injector.clear();
    faults.clear();
    return unmet;
  }
}

/** One plugin with the functions of several, except for endpoints. The first one is the outermost. */
function combinePlugins(plugins: readonly Plugin[]): Plugin {
  return {
    name: "control of a mock, with faults",
    setup(app, changes) {
      for (const plugin of plugins) plugin.setup?.(app, changes);
    },
    handle: (next) => plugins.reduceRight((inner, plugin) => plugin.handle?.(inner) ?? inner, next),
    extend: (server) => plugins.reduceRight((inner, plugin) => plugin.extend?.(inner) ?? inner, server),
    forRequest(server, context) {
      let members: Partial<HostedServer> = {};
      for (const plugin of plugins.toReversed()) {
        members = { ...members, ...plugin.forRequest?.({ ...server, ...members }, context) };
      }
      return members;
    },
    onPassed(rule, value, context) {
      for (const plugin of plugins) plugin.onPassed?.(rule, value, context);
    },
    onEvent(event, context) {
      for (const plugin of plugins) plugin.onEvent?.(event, context);
    },
    close() {
      for (const plugin of plugins) plugin.close?.();
    },
  };
}
