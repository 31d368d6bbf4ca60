/**
 * The assembly of the server: options, the list of routes, maintenance, listening. No protocol rule lives here.
 *
 * 1. {@link latchkey} validates the options (`options.ts`), and opens store and keys.
 * 2. `createApp` creates the server, the endpoints (`routes.ts`) and the router.
 * 3. The plugins wrap the router: the result handles requests, from `fetch` and from the network (`listen.ts`).
 * 4. For each request the router creates a context (`request_context.ts`).
 * 5. `maintenance.ts` deletes expired records and rotates keys between requests.
 */

import { algorithmsInUse } from "../endpoints/jwks.ts";
import type { Plugin } from "../app/plugin.ts";
import { ConnectionDropped, isDropped, toResponse } from "../http/message.ts";
import { parseTarget } from "../http/router.ts";
import type { ClientAddress, RequestHandler } from "../http/router.ts";
import type { ClientRepository, UserRepository } from "../oauth/clients/repository.ts";
import { assertNoIssues } from "../oauth/config/configuration_error.ts";
import { resolveSettings } from "../oauth/config/resolve_settings.ts";
import { configuredIssuer } from "../oauth/config/issuer_urls.ts";
import { localIssuer } from "../oauth/config/settings.ts";
import { hasTestHost } from "../oauth/test_hosts.ts";
import { validate } from "../oauth/config/validate.ts";
import { storedKeys } from "../oauth/keys/keys.ts";
import type { SigningAlgorithm } from "../oauth/keys/signing_algorithm.ts";
import type { Trace } from "../oauth/trace.ts";
import { memoryStore } from "../store/memory.ts";
import { createApp } from "./create_app.ts";
import { extensions as allExtensions } from "./extensions.ts";
import { eventEmitter } from "./emit_event.ts";
import { listeners } from "./listen.ts";
import type { ListenOptions, ListenResult } from "./listen.ts";
import { maintenance } from "./maintenance.ts";
import { optionsField, validateOptions } from "./options.ts";
import type { LatchkeyOptions } from "./options.ts";
import { randomPool } from "./random_pool.ts";
import { addressReader } from "./trusted_proxies.ts";

/** A running authorization server. */
export interface Latchkey extends AsyncDisposable {
  /** The issuer identifier. It follows the port of {@link Latchkey.listen} unless it is configured. */
  readonly issuer: string;
  /**
   * Handles a request. It ignores the host of the URL. It rejects only if a plugin throws, or if a plugin drops the
   * connection: then with a TypeError, like the global `fetch`.
   *
   * @param peer The address of the client, if the caller knows it.
   */
  fetch(request: Request, peer?: ClientAddress): Promise<Response>;
  /** The registered clients, changeable at any time. */
  readonly clients: ClientRepository;
  /** The users, changeable at any time; `login: "auto"` logs in the first one. */
  readonly users: UserRepository;
  /**
   * Creates a new signing key. It is published immediately and signs after `lead` seconds (default: the setting
   * `keys.lead`). The previous key stays published until the last token that it signed expires.
   *
   * @throws {RangeError} If `lead` is negative or not a number.
   */
  rotateKeys(alg?: SigningAlgorithm, lead?: number): Promise<void>;
  /**
   * Listens on the network, on Deno, Bun and Node.
   *
   * @throws {Error} If the address or the certificate cannot be used.
   */
  listen(options?: ListenOptions): Promise<ListenResult>;
  /** Stops listening, waits for requests in flight, and closes the store. Further calls return the same promise. */
  close(): Promise<void>;
}

/**
 * Creates an authorization server. Default: strict, in memory, with two demo clients and two users.
 *
 * @throws {ConfigurationError} With one sentence per issue of the options, or of the keys in the store.
 * @throws {StoreError} If the store does not respond for a minute and a half.
 *
 * @example
 * ```ts
 * const as = await latchkey({ clients: [{ client_id: "spa", redirect_uris: ["http://localhost:5173/callback"] }] });
 * const response = await as.fetch(new Request(`${as.issuer}/.well-known/openid-configuration`));
 * ```
 */
export async function latchkey(givenOptions: LatchkeyOptions = {}): Promise<Latchkey> {
  const { extensions = allExtensions, plugins = [] } = givenOptions;
  assertNoIssues(validate(optionsField(extensions), givenOptions));
  const options = plugins.reduceRight(configure, givenOptions);
  const { now = Date.now, randomBytes = randomPool(), keySource: source } = options;
  // Awaits promises only: a store of the embedding program may be a proxy that has every member, `then` included.
  const store = (options.store instanceof Promise ? await limitStart(options.store) : options.store) ?? memoryStore();
  const issuer = configuredIssuer(options) ?? options.issuerUntilListening ?? localIssuer(9000);
  assertNoIssues(await validateOptions(options, issuer, extensions));
  const settings = resolveSettings(options, issuer, extensions);
  const { lifetimes } = settings;
  const emit = eventEmitter(plugins, options.trace, () => app.server.registeredSecrets);
  const trace: Trace = (event) => emit(event);
  const testKeys = hasTestHost(issuer) ? "accepted" : "rejected";
  const { access_token, id_token, authorization_response } = lifetimes;
  const maxTokenLifetime = Math.max(access_token, id_token, authorization_response);
  const keys = storedKeys(store, now, trace, maxTokenLifetime, { source, testKeys });
  // Only servers with login pages load them.
  const usesPages = options.login === "interactive" && options.approver === undefined;
  const interaction = usesPages ? await import("../interaction/mod.ts") : undefined;
  const readAddress = options.trustProxy?.length ? addressReader(options) : undefined;
  const hasListener = options.trace !== undefined || plugins.some(({ onEvent }) => onEvent !== undefined);
  // A server without a listener starts faster without the code.
  const warnings = hasListener ? await import("../oauth/config/settings_warnings.ts") : undefined;
  const records = store.persistent === true
    ? (await import("../oauth/records/open_records.ts")).openRecords(options, {
      issuer,
      store,
      randomBytes,
      now,
      trace,
    }, extensions)
    : undefined;

  const handle: RequestHandler = (request, connection) => {
    maintained.runIfDue();
    // Plugins may change or keep the copy.
    const peer = plugins.length === 0 || connection === undefined
      ? connection
      : { address: connection.address, ...connection };
    return outermost(request, readAddress === undefined || peer === undefined ? peer : readAddress(request, peer));
  };

  /** Catches exceptions of plugins, because a request of the network has no caller that does. */
  const handleSafely: RequestHandler = plugins.length === 0 ? handle : async (request, peer = {}) => {
    try {
      return await handle(request, peer);
    } catch (cause) {
      const { lastResortError } = await import("../app/error_response.ts");
      return lastResortError(app.server, parseTarget(request.url, peer), cause);
    }
  };

  const { app, handle: innermost, moveTo } = await createApp(options, {
    resolved: settings,
    extensions,
    issuer,
    store,
    now,
    randomBytes,
    trace,
    emit,
    hasListener,
    keys,
    dispatch: handle,
    interaction,
    userWarnings: warnings?.userWarnings,
    createRepository: records?.createRepository,
  });
  const { server } = app;
  for (const warning of warnings?.settingsWarnings(options, settings) ?? []) {
    trace({ type: "configuration_warning", at: now(), ...warning });
  }
  // Rejects a store with test keys at the start, not at the first login.
  if (testKeys === "rejected") {
    const checked = keys.publishedKeys([]);
    await (options.store === undefined ? checked : limitStart(checked));
  }
  const outermost = plugins.reduceRight((next, plugin) => plugin.handle?.(next) ?? next, innermost);
  const maintained = maintenance(server, {
    records,
    extensionTasks: extensions.flatMap(({ minuteTasks = [] }) => minuteTasks),
  });
  const network = listeners(server, {
    handle: handleSafely,
    prepare() {
      // Generating keys is slow. The request that needs a key waits for it and reports a failure.
      for (const alg of algorithmsInUse(server)) Promise.resolve(keys.signer(alg)).catch(() => {});
    },
    onListening(localIssuer) {
      maintained.startTimer();
      if (configuredIssuer(options) === undefined && localIssuer !== undefined) moveTo(localIssuer);
    },
  });
  let closing: Promise<void> | undefined;
  if (records !== undefined) await limitStart(records.start());

  const instance: Latchkey = {
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
    listen: network.listen,
    close() {
      return closing ??= (async () => {
        maintained.stopTimer();
        // Plugins end their streams first; otherwise closing the network would wait for them.
        for (const plugin of plugins) plugin.close?.();
        await network.close();
        await records?.waitForWrites();
        await store.close();
      })();
    },
    async [Symbol.asyncDispose]() {
      await instance.close();
    },
  };
  return instance;
}

function configure(options: LatchkeyOptions, plugin: Plugin): LatchkeyOptions {
  return plugin.configure === undefined ? options : { ...options, ...plugin.configure(options) };
}

/** Maximum duration of a step of the start that waits for the store, in milliseconds of real time. */
const maxStartStepMs = 90_000;

/** Rejects if the store takes too long: a store of the embedding program may have no time limit of its own. */
async function limitStart<T>(step: Promise<T>): Promise<T> {
  // Handled below; the import must not make a rejection an unhandled one.
  step.catch(() => {});
  const { withTimeout } = await import("../store/with_timeout.ts");
  return await withTimeout("the store", maxStartStepMs, step);
}
