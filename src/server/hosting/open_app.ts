/** Opens one app, from its options to the handler of its requests. */

import { ignoreRejection } from "../../core/thenable.ts";
import { algorithmsInUse } from "../../core/keys/jwks.ts";
import type { App } from "../app.ts";
import type { HostedApp } from "./hosted_app.ts";
import { fetchedResponse } from "../../platform/http/dropped_connection.ts";
import type { RequestHandler } from "../../core/http/router.ts";
import { assertNoIssues } from "../../core/rules/configuration_error.ts";
import { configuredIssuer, type ResolvedSettings } from "../config/resolve_settings.ts";
import type { Keys } from "../../core/keys/keys.ts";
import type { ServerPolicy } from "../config/server_policy.ts";
import type { ProviderPage } from "../login/provider_pages/provider_page.ts";
import { keyFactory } from "./key_source.ts";
import { type KeyRotation, rotatingKeys } from "./rotating_keys.ts";
import { recordPrefix } from "../clients/repository.ts";
import type { HostedServer } from "../hosted_server.ts";
import { printInternalErrors } from "../../core/trace.ts";
import type { Trace } from "../trace.ts";
import { findOtherFormats, formattedStore, otherFormatError } from "../../core/store/format.ts";
import type { Store } from "../../core/store/store.ts";
import { withTimeout } from "../../platform/store/with_timeout.ts";
import { userWarnings } from "../config/user_warnings.ts";
import { redactEvent } from "../redaction/redact.ts";
import { ownClockError } from "./app_place.ts";
import { createApp } from "./create_app.ts";
import { eventEmitter } from "./request_context.ts";
import { extensions as allExtensions, resolveOptions } from "./extensions.ts";
import type { AppChanges, LatchkeyOptions } from "./options.ts";
import { assertStore } from "./options_field.ts";
import { randomBytes as systemRandomBytes } from "../../core/keys/crypto.ts";
import { rememberingRandom } from "../redaction/issued_secrets.ts";
import { registeredSecrets } from "../redaction/registered_secrets.ts";
import { fromPlugin } from "./plugin_call.ts";

/** The values and functions that a host gives to an app. */
export interface AppPlace {
  /** The issuer, if the options name none. */
  readonly issuer: string;
  /** What the settings of the options mean, if no plugin changes them. Default: the app resolves them. */
  readonly resolved?: ResolvedSettings;
  readonly store: Store | Promise<Store>;
  /** Whether other apps have records in the same store. */
  readonly sharesStore: boolean;
  readonly addApp: AppChanges["addApp"];
  /** Closes the app; its records are deleted if `deletesRecords` is true. */
  close(deletesRecords: boolean): Promise<void>;
}

/** An open app, as its host sees it. */
export interface OpenApp {
  /** The app as the embedding program sees it. */
  readonly hosted: HostedApp;
  /** The app as plugins see it. */
  readonly app: App;
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
  const configured = configure(givenOptions, place);
  const { store, hasOtherFormat } = await openStore(place.store, place.sharesStore);
  const { options, resolved } = await resolveValid(configured, place);
  const { extensions = allExtensions, plugins, trace: receive, now = () => Date.now() } = options;
  const secrets = registeredSecrets();
  const emit = eventEmitter(plugins, (event) => {
    if (receive !== undefined || event.type === "internal_error") {
      (receive ?? printInternalErrors)(redactEvent(event, secrets));
    }
  });
  const trace: Trace = (event) => emit(event);
  const records = { store, now, trace, randomBytes: rememberingRandom(options.randomBytes ?? systemRandomBytes) };
  const keys = signingKeys(options, resolved.policy, records);
  const hasListener = receive !== undefined || plugins.some(({ onEvent }) => onEvent !== undefined);
  const stored = await storedEntries({ ...records, recordPrefix: recordPrefix(options) });
  const runEverySecond: (() => void)[] = [];
  const { app, handle, handleOfNetwork, maintained, moveTo } = await createApp(options, {
    ...{ ...records, resolved, extensions, emit, secrets, hasListener, keys },
    dispatch: (request, peer) => handle(request, peer),
    interaction: resolved.policy.login === "interactive" && options.approver === undefined
      ? { page: await loadProviderPage(resolved.policy) }
      : undefined,
    userWarnings: hasListener ? userWarnings : undefined,
    createRepository: stored?.create,
    addApp: place.addApp,
    everySecond: (task) => void runEverySecond.push(task),
  });
  const { server } = app;
  if (hasOtherFormat) {
    trace({ type: "configuration_warning", at: now(), path: "store", message: otherFormatWarning });
  }
  for (const warning of hasListener ? resolved.warnings() : []) {
    trace({ type: "configuration_warning", at: now(), ...warning });
  }
  // The keys in a store are loaded at the start, not at the first login: one may be damaged, or a test key.
  if (store.persistent === true || !resolved.policy.allows.testKeys) await limitStart(keys.publishedKeys([]));
  if (stored !== undefined) await limitStart(stored.start());

  return {
    app,
    server,
    handle: handleOfNetwork,
    everySecond() {
      maintained.runIfDue();
      for (const task of runEverySecond) task();
    },
    prepareKeys() {
      // Generating keys is slow. The request that needs a key waits for it.
      for (const alg of algorithmsInUse(server)) {
        keys.signer(alg).catch((cause) => trace({ type: "internal_error", at: now(), endpoint: "start", cause }));
      }
    },
    moveTo(newIssuer) {
      if (configuredIssuer(options) === undefined) moveTo(newIssuer + resolved.issuerPath);
    },
    closePlugins() {
      for (const plugin of plugins) ignoreRejection(plugin.close?.());
    },
    async closeStore() {
      await server.background.finished();
      await stored?.waitForWrites();
      await store.close();
    },
    hosted: hostedApp(server, keys, handle, place),
  };
}

/** The options with the plugin of a provider, and what their settings mean. @throws {ConfigurationError} */
async function resolveValid(configured: LatchkeyOptions, { resolved: given, issuer }: AppPlace) {
  const resolved = given ?? await resolveOptions(configured, issuer);
  assertNoIssues(resolved.issues);
  return { resolved, options: await withProvider(configured, resolved) };
}

/** The options with what plugins replace. */
function configure(given: LatchkeyOptions, { sharesStore }: AppPlace): LatchkeyOptions {
  const { plugins = [] } = given;
  const configured = plugins.reduceRight(
    (options, plugin) => ({ ...options, ...fromPlugin(plugin, "configure", plugin.configure?.(options)) }),
    given,
  );
  if (sharesStore && configured.now !== undefined) throw ownClockError();
  return { ...configured, plugins };
}

/** The options with the plugin of a provider's profile. Innermost: recorders and faults see what clients see. */
async function withProvider(
  options: LatchkeyOptions,
  { deviation }: ResolvedSettings,
): Promise<LatchkeyOptions & Required<Pick<LatchkeyOptions, "plugins">>> {
  const { plugins = [] } = options;
  const provider = deviation && await (await import("../profiles/load_providers.ts")).loadProviders(deviation);
  return { ...options, plugins: provider === undefined ? plugins : [...plugins, provider] };
}

/** The login page of a provider, whose paths are endpoints; `undefined`: the pages of this server. */
async function loadProviderPage({ loginPage }: ServerPolicy): Promise<ProviderPage | undefined> {
  return loginPage === "latchkey"
    ? undefined
    : (await import("../login/provider_pages/mod.ts")).providerPage(loginPage);
}

/** The clock, the random source and the events of an app, and the store of its records. */
type Records = Pick<HostedServer, "store" | "now" | "randomBytes"> & { readonly trace: Trace };

function signingKeys(
  { keySource }: LatchkeyOptions,
  { allows, lifetimes }: ServerPolicy,
  { store, now, trace }: Records,
): Keys & KeyRotation {
  const testKeys = allows.testKeys ? "accepted" : "rejected";
  return rotatingKeys({ store, now, trace, lifetimes, testKeys }, keySource && keyFactory(keySource));
}

/** The clients and users in a store that outlives the process; `undefined` for any other store. */
async function storedEntries(parts: Records & { readonly recordPrefix: string }) {
  if (parts.store.persistent !== true) return undefined;
  return (await import("../clients/stored_repository.ts")).storedRepositories(parts);
}

/** The app as the embedding program sees it. */
function hostedApp(
  server: HostedServer,
  keys: KeyRotation,
  handle: RequestHandler,
  { close }: Pick<AppPlace, "close">,
): HostedApp {
  return {
    get issuer() {
      return server.issuer;
    },
    clients: server.clients.registered,
    users: server.users,
    fetch: async (request, peer) => fetchedResponse(await handle(request, peer)),
    async rotateKeys(alg = server.policy.alg, lead = server.policy.keys.lead) {
      if (!(lead >= 0 && Number.isFinite(lead))) {
        throw new RangeError(`lead: expected 0 seconds or more, found ${lead}; the default is the setting keys.lead`);
      }
      await keys.rotate(alg, lead);
    },
    close: () => close(false),
    remove: () => close(true),
    [Symbol.asyncDispose]: () => close(false),
  };
}

/** Maximum duration of a step of the start that waits for the store, in milliseconds of real time. */
const maxStartStepMs = 90_000;

const otherFormatWarning = "The store has records of another version of Latchkey: their logins, codes and tokens are " +
  "rejected, so users log in again, and there are new signing keys.";

/** A store that a server can use, in an object. */
interface OpenedStore {
  /** One of the embedding program may be a proxy that has every member, `then` included, which nothing may await. */
  readonly store: Store;
  /** Whether the store has records of another version, which is reported once. */
  readonly hasOtherFormat: boolean;
}

/**
 * Waits for a store, and checks it.
 *
 * @param isOpen Whether it is a part of a store that was opened before. Default: false.
 * @throws {StoreError} If it has clients or users of another version.
 */
export async function openStore(given: Store | Promise<Store>, isOpen = false): Promise<OpenedStore> {
  const store = given instanceof Promise ? await limitStart(given) : given;
  assertStore(store);
  if (isOpen) return { store, hasOtherFormat: false };
  // The failure of a store is reported by what uses it next.
  const found = await limitStart(findOtherFormats(store).catch(() => undefined));
  if (found !== undefined && found.clients + found.users > 0) throw otherFormatError(found);
  return { store: formattedStore(store), hasOtherFormat: found !== undefined };
}

/** Rejects if the store takes too long: a store of the embedding program may have no time limit of its own. */
async function limitStart<T>(step: Promise<T>): Promise<T> {
  return await withTimeout("the store", maxStartStepMs, step);
}
