/** Opens one app, from its options to the handler of its requests. */

import { ignoreRejection, immediate } from "../../core/immediate.ts";
import { algorithmsInUse } from "../../core/jwks.ts";
import type { HostedApp } from "./hosted_app.ts";
import { isDropped, toResponse } from "../../core/http/message.ts";
import { ConnectionDropped } from "../../platform/http/dropped_connection.ts";
import { parseTarget, type RequestHandler } from "../../core/router.ts";
import { assertNoIssues } from "../../core/configuration_error.ts";
import { validate } from "../config/validate.ts";
import { configuredIssuer, type ResolvedSettings } from "../config/resolve_settings.ts";
import { validatePluginProfiles } from "../config/plugin_profile.ts";
import { keyFactory } from "./key_source.ts";
import { rotatingKeys } from "./rotating_keys.ts";
import { recordPrefix } from "../entries/repository.ts";
import type { HostedServer } from "../hosted_server.ts";
import type { Trace } from "../trace.ts";
import type { Store } from "../../core/store/store.ts";
import { withTimeout } from "../../platform/store/with_timeout.ts";
import { userWarnings } from "../config/user_warnings.ts";
import { lastResortError } from "../../core/json_error.ts";
import { redactEvent } from "../redaction/redact.ts";
import { ownClockError } from "./app_place.ts";
import { createApp } from "./create_app.ts";
import { eventEmitter } from "./request_context.ts";
import { extensions as allExtensions, knownExtensions } from "./extensions.ts";
import { maintenance } from "./maintenance.ts";
import type { AppChanges, LatchkeyOptions, Plugin } from "./options.ts";
import { optionsField, validateExtensions } from "./options_field.ts";
import { resolveOptions } from "./resolve_options.ts";
import { randomBytes as systemRandomBytes } from "../../core/crypto.ts";
import { useNodeCrypto } from "../../platform/runtime/node_crypto.ts";
import { rememberingRandom } from "../redaction/issued_secrets.ts";
import { addressReader } from "./trusted_proxies.ts";

/** The values and functions that a host gives to an app. */
export interface AppPlace {
  /** The issuer, if the options name none. */
  readonly issuer: string;
  /** What the settings of the options mean, if no plugin changes them. Default: the app resolves them. */
  readonly resolved?: ResolvedSettings;
  /** The store of the app. */
  readonly store: Store | Promise<Store>;
  /** Whether other apps have records in the same store. */
  readonly sharesStore: boolean;
  /** Adds an app to the host. */
  readonly addApp: AppChanges["addApp"];
  /** Closes the app; its records are deleted if `deletesRecords` is true. */
  close(deletesRecords: boolean): Promise<void>;
}

/** An open app, as its host sees it. */
export interface OpenApp {
  readonly app: HostedApp;
  readonly server: HostedServer;
  /** Handles a request of the network. It never rejects. */
  readonly handle: RequestHandler;
  /** Runs what is due each second. It returns immediately and never throws. */
  everySecond(): void;
  /** Begins to load or generate the keys. */
  prepareKeys(): void;
  /** Changes the issuer, unless it is configured. */
  moveTo(issuer: string): void;
  /** Ends streams and pending waits of plugins. */
  closePlugins(): void;
  /** Waits for pending writes, and closes the store. */
  closeStore(): Promise<void>;
}

/**
 * Opens an app.
 *
 * @throws {ConfigurationError} With one sentence per issue of the options, or of the keys in the store.
 * @throws {StoreError} If the store does not respond for a minute and a half.
 */
export async function openApp(givenOptions: LatchkeyOptions, place: AppPlace): Promise<OpenApp> {
  const { extensions = allExtensions, plugins: givenPlugins = [] } = givenOptions;
  assertNoIssues(validateExtensions(extensions));
  assertNoIssues(validate(optionsField(knownExtensions(extensions)), givenOptions));
  const configured = givenPlugins.reduceRight(configure, givenOptions);
  if (place.sharesStore && configured.now !== undefined) throw ownClockError();
  const { now = () => Date.now(), keySource: source } = configured;
  const randomBytes = rememberingRandom(configured.randomBytes ?? systemRandomBytes);
  useNodeCrypto();
  // Awaits promises only: a store of the embedding program may be a proxy that has every member, `then` included.
  const store = place.store instanceof Promise ? await limitStart(place.store) : place.store;
  const resolved = place.resolved ?? await resolveOptions(configured, place.issuer);
  assertNoIssues([...resolved.issues, ...validatePluginProfiles(resolved.policy.pluginProfiles, givenPlugins)]);
  const { policy, issuerPath, deviation } = resolved;
  // Innermost: recorders and faults see requests and responses as clients do.
  const provider = deviation && await (await import("../profiles/load_providers.ts")).loadProviders(deviation);
  const plugins = provider === undefined ? givenPlugins : [...givenPlugins, provider];
  const options = { ...configured, plugins };
  const { lifetimes } = policy;
  const { trace: receive } = options;
  const emit = eventEmitter(
    plugins,
    receive && ((event) => receive(redactEvent(event, app.server.registeredSecrets))),
  );
  const trace: Trace = (event) => emit(event);
  const testKeys = policy.allows.testKeys ? "accepted" : "rejected";
  const { access_token, id_token, authorization_response } = lifetimes;
  const maxTokenLifetime = Math.max(access_token, id_token, authorization_response);
  const factory = source && keyFactory(source);
  const keys = rotatingKeys({ store, now, trace, maxTokenLifetime, testKeys }, factory);
  // Only servers with login pages load them.
  const usesPages = policy.login === "interactive" && options.approver === undefined;
  const interaction = usesPages ? await import("../login/mod.ts") : undefined;
  const readAddress = policy.trustProxy.length > 0 ? addressReader(policy) : undefined;
  const hasListener = options.trace !== undefined || plugins.some(({ onEvent }) => onEvent !== undefined);
  const { storedRepositories } = store.persistent === true ? await import("../entries/stored_repository.ts") : {};
  const stored = storedRepositories?.({ store, now, randomBytes, trace, recordPrefix: recordPrefix(options) });

  /** The tasks of plugins. */
  const everySecond: (() => void)[] = [];

  const handle: RequestHandler = (request, connection) => {
    maintained.runIfDue();
    // Plugins may change or keep the copy.
    const peer = plugins.length === 0 || connection === undefined
      ? connection
      : { address: connection.address, ...connection };
    const source = readAddress === undefined || peer === undefined ? peer : readAddress(request, peer);
    return outermost(request, source);
  };

  /** Catches exceptions of plugins, because a request of the network has no caller that catches them. */
  const handleSafely: RequestHandler = plugins.length === 0 ? handle : async (request, peer = {}) => {
    try {
      return await handle(request, peer);
    } catch (cause) {
      return lastResortError(app.server, parseTarget(request.url, peer), cause);
    }
  };

  const { app, handle: innermost, moveTo } = await createApp(options, {
    ...{ resolved, extensions, store },
    now,
    randomBytes,
    trace,
    emit,
    hasListener,
    keys,
    dispatch: handle,
    interaction,
    userWarnings: hasListener ? userWarnings : undefined,
    createRepository: stored?.create,
    addApp: place.addApp,
    everySecond: (task) => void everySecond.push(task),
  });
  const { server } = app;
  for (const warning of hasListener ? resolved.warnings() : []) {
    trace({ type: "configuration_warning", at: now(), ...warning });
  }
  // A store with test keys is rejected at the start, not at the first login.
  if (testKeys === "rejected") {
    const checked = keys.publishedKeys([]);
    await (options.store === undefined && store.persistent !== true ? checked : limitStart(checked));
  }
  const outermost = plugins.reduceRight(
    (next, plugin) => immediate("handle of a plugin", plugin.handle?.(next)) ?? next,
    innermost,
  );
  const maintained = maintenance(server, extensions.flatMap(({ everyMinute }) => everyMinute ?? []));
  if (stored !== undefined) await limitStart(stored.start());

  return {
    server,
    handle: handleSafely,
    everySecond() {
      maintained.runIfDue();
      for (const task of everySecond) task();
    },
    prepareKeys() {
      // Generating keys is slow. The request that needs a key waits for it and reports a failure.
      for (const alg of algorithmsInUse(server)) keys.signer(alg).catch(() => {});
    },
    moveTo(newIssuer) {
      if (configuredIssuer(options) === undefined) moveTo(newIssuer + issuerPath);
    },
    closePlugins() {
      for (const plugin of plugins) ignoreRejection(plugin.close?.());
    },
    async closeStore() {
      await server.background.finished();
      await stored?.waitForWrites();
      await store.close();
    },
    app: {
      get issuer() {
        return server.issuer;
      },
      clients: server.clients.registered,
      users: server.users,
      async fetch(request, peer) {
        const result = await handle(request, peer);
        if (isDropped(result)) throw new ConnectionDropped();
        return toResponse(result);
      },
      async rotateKeys(alg = server.settings.alg, lead = server.settings.keys.lead) {
        if (!(lead >= 0 && Number.isFinite(lead))) {
          throw new RangeError(`lead: expected 0 seconds or more, found ${lead}; the default is the setting keys.lead`);
        }
        await keys.rotate(alg, lead);
      },
      close: () => place.close(false),
      remove: () => place.close(true),
      [Symbol.asyncDispose]: () => place.close(false),
    },
  };
}

function configure(options: LatchkeyOptions, plugin: Plugin): LatchkeyOptions {
  return plugin.configure === undefined
    ? options
    : { ...options, ...immediate("configure of a plugin", plugin.configure(options)) };
}

/** Maximum duration of a step of the start that waits for the store, in milliseconds of real time. */
const maxStartStepMs = 90_000;

/** Rejects if the store takes too long: a store of the embedding program may have no time limit of its own. */
export async function limitStart<T>(step: Promise<T>): Promise<T> {
  return await withTimeout("the store", maxStartStepMs, step);
}
