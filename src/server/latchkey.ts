/** The plan of the house: options become a Server, a Server becomes a list of routes, the list becomes one function. */

import { errorPage, lastResortError } from "../app/error_response.ts";
import { autoApprover } from "../app/approver.ts";
import { approverHandler, authorizeEndpoint } from "../endpoints/authorize.ts";
import { discoveryEndpoints } from "../endpoints/discovery.ts";
import { endpointUrl } from "../app/endpoint.ts";
import type { App, Endpoint } from "../app/endpoint.ts";
import { algorithmsInUse, jwksEndpoint } from "../endpoints/jwks.ts";
import type { Plugin } from "../app/plugin.ts";
import { lazyEndpoint } from "../app/lazy_endpoint.ts";
import { trustedProxies } from "./trusted_proxies.ts";
import { type LatchkeyOptions, optionsField, validateOptions } from "./options.ts";
import { tokenEndpoint } from "../endpoints/token.ts";
import { ConnectionDropped, isDropped, toResponse } from "../http/message.ts";
import type { RequestLike } from "../http/message.ts";
import { clientAddress } from "../http/client_address.ts";
import { matchesPath, parseTarget, router } from "../http/router.ts";
import type { ClientAddress, RequestHandler } from "../http/router.ts";
import { claimRules } from "../oauth/claims.ts";
import { clientRepository, moveDemoClients } from "../oauth/clients/client_repository.ts";
import type { ClientRepository, SharedChanges, UserRepository } from "../oauth/clients/repository.ts";
import { isLoopback } from "../oauth/test_hosts.ts";
import { grantTypes } from "../oauth/grants/mod.ts";
import { jwtSigner } from "../oauth/keys/jwt.ts";
import { storedKeys } from "../oauth/keys/keys.ts";
import type { Keys } from "../oauth/keys/keys.ts";
import type { SigningAlgorithm } from "../oauth/keys/signing_algorithm.ts";
import { registeredSecrets } from "../oauth/clients/registered_secrets.ts";
import type { RegisteredSecrets } from "../oauth/clients/registered_secrets.ts";
import { userRepository } from "../oauth/users/user_repository.ts";
import { deleteGuestUser } from "../oauth/users/users.ts";
import { resourceIndicators } from "../oauth/config/resource_list.ts";
import { boundedCache } from "../oauth/bounded_cache.ts";
import type { RandomBytes } from "../oauth/secrets.ts";
import type { Server } from "../oauth/server.ts";
import { hasTestHost, localIssuer, resolveSettings } from "../oauth/config/settings.ts";
import { assertNoIssues } from "../oauth/config/configuration_error.ts";
import { settingsWarnings } from "../oauth/config/settings_warnings.ts";
import { validate } from "../oauth/config/validate.ts";
import { rateLimiter } from "../oauth/rate_limiter.ts";
import { tokenIssuers } from "../oauth/tokens/mod.ts";
import { redactEvent } from "../oauth/trace.ts";
import type { Trace } from "../oauth/trace.ts";
import { memoryStore } from "../store/memory.ts";
import type { Store } from "../store/store.ts";

/** Where to listen. */
export interface ListenOptions {
  /** 0 picks a free port. Default: the issuer's port. */
  readonly port?: number;
  /** A name or address. `localhost`, the default, means both `127.0.0.1` and `[::1]`. */
  readonly host?: string;
  /**
   * A certificate (and after it those that vouch for it) and its private key, both as PEM: then https is spoken, and an
   * issuer that follows the port begins with it. Default: http.
   */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** A running authorization server. */
export interface Latchkey extends AsyncDisposable {
  /** The issuer identifier; it follows the port of {@link Latchkey.listen} unless it was configured. */
  readonly issuer: string;
  /**
   * Answers a request. The URL's path and query count, its host does not. Never throws, and rejects only where a layer
   * drops the connection, with a TypeError as the global `fetch` does, or with what a layer itself throws.
   *
   * @param peer Where the request came from, when something between the network and this function knows.
   */
  fetch(request: Request, peer?: ClientAddress): Promise<Response>;
  /** The registered clients, changeable at any time. */
  readonly clients: ClientRepository;
  /** The users, changeable at any time; the first one is who `login: "auto"` logs in. */
  readonly users: UserRepository;
  /**
   * Makes a new signing key: it is published at once, signs after `lead` seconds (default: the setting
   * `keys.lead`), and the one before it stays published until the last token it signed has expired.
   *
   * @throws {RangeError} When `lead` is negative or not a number.
   */
  rotateKeys(alg?: SigningAlgorithm, lead?: number): Promise<void>;
  /**
   * Listens on the network, on Deno, Bun and Node.
   *
   * @throws {Error} With one sentence, when the address cannot be listened on, or the certificate not be used.
   */
  listen(options?: ListenOptions): Promise<{ readonly url: string }>;
  /** Lets requests in flight be answered, stops listening, closes the store. Closing twice is harmless. */
  close(): Promise<void>;
}

/** Keys are tended this often, in milliseconds; well below the time that a new key is published before it signs. */
const keyMaintenanceIntervalMs = 60_000;

/** Code challenges remembered, to notice one that is used again. */
const maxRecentChallenges = 10_000;

/**
 * The clocks of instances on one store may differ by as much, in milliseconds: what has expired by this instance's clock
 * stays until it has by the others', so that what was used or revoked is not forgotten before they refuse it as expired.
 */
const clockToleranceMs = 30_000;

/** Expired records are swept this often, in milliseconds by the server's clock. */
const sweepIntervalMs = 1000;

/**
 * Makes an authorization server: strict, in memory, with two demo clients and two users unless told otherwise.
 *
 * @throws {ConfigurationError} With one sentence per fault in the options, or in the keys that the store holds.
 *
 * @example
 * ```ts
 * const as = await latchkey({ clients: [{ client_id: "spa", redirect_uris: ["http://localhost:5173/callback"] }] });
 * const response = await as.fetch(new Request(`${as.issuer}/.well-known/openid-configuration`));
 * ```
 */
export async function latchkey(options: LatchkeyOptions = {}): Promise<Latchkey> {
  assertNoIssues(validate(optionsField, options));
  const result = options.store instanceof Promise ? await options.store : options.store;
  const store = result ?? memoryStore();
  const now = options.now ?? Date.now;
  const randomBytes = options.randomBytes ?? randomPool();
  const trace = redactedTrace(options.trace, () => assembled.server.registeredSecrets);
  const { access_token, id_token } = resolveSettings(options, "").lifetimes;
  const issuer = options.issuer ?? options.issuerUntilListening ?? localIssuer(9000);
  const testKeys = hasTestHost(issuer) ? "accepted" : "rejected";
  const { keySource: source } = options;
  const keys = storedKeys(store, now, trace, Math.max(access_token, id_token), { source, testKeys });

  const { plugins = [] } = options;

  const handleRequest: RequestHandler = (request, connection) => {
    runMaintenance();
    // Layers may do with it as they like, now and later.
    const peer = plugins.length === 0 || connection === undefined
      ? connection
      : { address: connection.address, ...connection };
    return outermost(
      request,
      trusted === undefined || peer === undefined ? peer : clientAddress(request, peer, trusted, options.proxyHeader),
    );
  };

  // Loaded by those alone whose users are asked something.
  const usesPages = options.login === "interactive" && options.approver === undefined;
  const interaction = usesPages ? await import("../interaction/mod.ts") : undefined;

  /** Over the network there is nobody to catch what a layer throws. */
  const handleSafely: RequestHandler = plugins.length === 0 ? handleRequest : async (request, peer = {}) => {
    try {
      return await handleRequest(request, peer);
    } catch (cause) {
      return lastResortError(assembled.server, parseTarget(request.url, peer), cause);
    }
  };

  const changes = store.persistent === true
    ? (await import("../oauth/clients/stored_changes.ts")).openStoredChanges(options, {
      issuer,
      store,
      randomBytes,
      now,
      trace,
    })
    : undefined;
  const removeGuest = async (sub: string) => await deleteGuestUser(assembled.server, sub);
  const dependencies = {
    store,
    now,
    randomBytes,
    trace,
    keys,
    dispatch: handleRequest,
    interaction,
    sharing: changes?.sharing,
    removeGuest,
  };
  let assembled = createApp(options, issuer, dependencies);
  for (const warning of settingsWarnings(options, issuer)) {
    trace({ type: "configuration_warning", at: now(), ...warning });
  }
  const trusted = trustedProxies(options.trustProxy);
  // A test's store, taken along to a real host, is refused here and not at the first login.
  if (testKeys === "rejected") await keys.publishedKeys([]);
  const innermost: RequestHandler = (request, peer) => assembled.handle(request, peer);
  const outermost = plugins.reduceRight((next, plugin) => plugin.handle?.(next) ?? next, innermost);
  const listeners: { close(): Promise<void> }[] = [];
  let maintenanceTimer: ReturnType<typeof setInterval> | undefined;
  let lastSweepAt = now();
  let pendingSweep: Promise<unknown> | undefined;
  let lastKeyMaintenanceAt = now();
  let closing: Promise<void> | undefined;

  /** Keys: takes over what other instances made, and makes the next where the schedule asks for it. */
  const maintainKeys = async () => {
    await keys.refresh();
    const { rotateEvery } = resolveSettings(options, assembled.server.issuer).keys;
    if (rotateEvery === undefined) return;
    for (const alg of algorithmsInUse(assembled.server)) {
      if (await keys.newestSignsFrom(alg) + rotateEvery * 1000 <= now()) await instance.rotateKeys(alg);
    }
  };

  const runMaintenance = () => {
    changes?.refreshIfDue();
    if (Math.abs(now() - lastSweepAt) < sweepIntervalMs) return;
    lastSweepAt = now();
    const traceFailure = (cause: unknown) => trace({ type: "internal_error", at: now(), endpoint: "sweep", cause });
    // One at a time: a store that hangs is not asked again before it has answered or failed.
    pendingSweep ??= (async () => await store.deleteExpired(lastSweepAt - clockToleranceMs))().catch(traceFailure)
      .finally(() => {
        pendingSweep = undefined;
      });
    if (Math.abs(now() - lastKeyMaintenanceAt) < keyMaintenanceIntervalMs) return;
    lastKeyMaintenanceAt = now();
    maintainKeys().catch(traceFailure);
  };

  await changes?.start(assembled.server);

  const instance: Latchkey = {
    get issuer() {
      return assembled.server.issuer;
    },
    get clients() {
      return assembled.server.clients;
    },
    get users() {
      return assembled.server.users;
    },
    async fetch(request, peer) {
      const result = await handleRequest(request, peer);
      if (isDropped(result)) throw new ConnectionDropped();
      return toResponse(result);
    },
    async rotateKeys(alg = assembled.server.alg, lead = resolveSettings(options, assembled.server.issuer).keys.lead) {
      if (!(lead >= 0 && Number.isFinite(lead))) {
        throw new RangeError(`lead: expected 0 seconds or more, found ${lead}; the default is the setting keys.lead`);
      }
      await keys.rotate(alg, lead);
    },
    async listen({ port, host = "localhost", tls } = {}) {
      const { serve } = await import("../runtime/serve.ts");
      // Keys are slow to make: begin now, and let who needs one wait. A failure is met again, and answered, there.
      for (const alg of algorithmsInUse(assembled.server)) Promise.resolve(keys.signer(alg)).catch(() => {});
      const { promise: isReady, resolve: markReady } = Promise.withResolvers<void>();
      let handleWhenReady: RequestHandler = (request, peer) => isReady.then(() => handleSafely(request, peer));
      const scheme = tls === undefined ? "http" : "https";
      const requestedPort = port ?? (Number(new URL(assembled.server.issuer).port) || 9000);
      const listener = await serve((request, peer) => handleWhenReady(request, peer), {
        port: requestedPort,
        host,
        tls,
      });
      listeners.push(listener);
      maintenanceTimer ??= setInterval(
        runMaintenance,
        Math.min(sweepIntervalMs, changes?.refreshIntervalMs ?? Infinity),
      );
      if (options.issuer === undefined && listeners.length === 1) {
        assembled = createApp(options, localIssuer(listener.port, scheme), dependencies, assembled.server);
      }
      handleWhenReady = handleSafely;
      markReady();
      return { url: `${scheme}://${host.includes(":") ? `[${host}]` : host}:${listener.port}` };
    },
    close() {
      return closing ??= (async () => {
        clearInterval(maintenanceTimer);
        // First, so that what never ends by itself ends now and is not waited for.
        for (const plugin of plugins) plugin.close?.();
        await Promise.all(listeners.map((listener) => listener.close()));
        // What was changed and is not written yet has its last chance.
        await changes?.flush().catch(() => {});
        await store.close();
      })();
    },
    async [Symbol.asyncDispose]() {
      await instance.close();
    },
  };
  return instance;
}

/** What the header leads to where clients and users may be seen. */
const directoryLinks = [{ label: "Clients", path: "/clients" }, { label: "Users", path: "/users" }];

/** What stays the same when the issuer changes. */
interface AppDependencies {
  readonly store: Store;
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  readonly trace: Trace;
  readonly keys: Keys;
  readonly dispatch: RequestHandler;
  /** How changes of clients and users are shared; absent where the store does not last. */
  readonly sharing?: SharedChanges;
  /** Asks people by pages; absent where an approver decides. */
  readonly interaction?: typeof import("../interaction/mod.ts");
  /** Removes a guest user from the store. */
  readonly removeGuest: (sub: string) => Promise<void>;
}

interface AssembledApp {
  readonly server: Server;
  readonly handle: RequestHandler;
}

/**
 * Puts the server together for one issuer. Every endpoint there is stands in this list.
 *
 * @param previous The server under its former issuer, whose clients and users are taken over.
 */
function createApp(
  options: LatchkeyOptions,
  issuer: string,
  { dispatch, interaction, sharing, removeGuest, ...dependencies }: AppDependencies,
  previous?: Server,
): AssembledApp {
  assertNoIssues(validateOptions(options, issuer));
  const resolved = resolveSettings(options, issuer);
  const clients = previous?.clients ?? clientRepository(resolved, sharing);
  if (previous !== undefined && options.clients === undefined) {
    moveDemoClients(clients, resolveSettings(options, previous.issuer).clients, resolved.clients);
  }
  const claims = claimRules(resolved);
  const users = previous?.users ??
    userRepository(resolved, { ...dependencies, issuer, claims, removeGuest }, sharing);
  const server: Server = {
    ...dependencies,
    issuer,
    sign: jwtSigner(dependencies.keys),
    grantTypes,
    tokenIssuers,
    clients,
    registeredSecrets: previous?.registeredSecrets ?? registeredSecrets(clients),
    users,
    openLogin: interaction && (resolved.insecureAllowOpenLogin || hasTestHost(issuer)),
    scopes: resolved.scopes,
    claims,
    defaultScope: resolved.defaultScope,
    alg: resolved.alg,
    audience: resolved.audience,
    lifetimes: resolved.lifetimes,
    pkce: resolved.pkce,
    refresh: resolved.refresh,
    outbound: options.outbound ?? fetch,
    assertionAudiences: resolved.assertionAudience === "issuer" ? [] : [endpointUrl(issuer, "/oauth2/token")],
    resources: resourceIndicators(resolved.resources, hasTestHost(issuer)),
    rateLimiter: resolved.throttle ? rateLimiter(dependencies.now) : undefined,
    recentChallenges: boundedCache(maxRecentChallenges),
  };
  const base = new URL(issuer).pathname.replace(/\/$/, "");
  const pages = options.pages ?? (async () => (await import("../ui/mod.ts")).pages);
  const { plugins = [] } = options;
  const hasDirectory = resolved.directory !== "off";
  const links = [
    ...hasDirectory ? directoryLinks : [],
    ...plugins.flatMap(({ links = [] }) => links),
    ...interaction ? [interaction.accountLink] : [],
  ];
  const site = { issuer, base, links };
  const app: App = {
    server,
    site,
    pages,
    dispatch,
    hasRoute: (path) => routes.some((route) => matchesPath(route, path)),
    contextFor: (request) => createContext(app, plugins, request),
    flowLinkFor: (response) =>
      plugins.reduce<string | undefined>((link, plugin) => link ?? plugin.flowLinkFor?.(response), undefined),
  };

  const interactionPages = interaction?.interaction(app);
  const endpoints = [
    authorizeEndpoint(app, interactionPages?.handleAuthorization ?? approverHandler(options.approver ?? autoApprover)),
    tokenEndpoint(app),
    jwksEndpoint(app),
    lazyEndpoint(
      { name: "userinfo_endpoint", path: `${base}/oauth2/userinfo`, methods: ["GET", "POST"], cors: true },
      async () => (await import("../endpoints/userinfo.ts")).userinfo(app),
    ),
    lazyEndpoint(
      { name: "revocation_endpoint", path: `${base}/oauth2/revoke`, methods: ["POST"], cors: true },
      async () => (await import("../endpoints/revoke.ts")).revocation(app),
    ),
    lazyEndpoint(
      { name: "introspection_endpoint", path: `${base}/oauth2/introspect`, methods: ["POST"] },
      async () => (await import("../endpoints/introspect.ts")).introspection(app),
    ),
    lazyEndpoint(
      { name: "end_session_endpoint", path: `${base}/oauth2/logout`, methods: ["GET", "HEAD", "POST"] },
      async () => (await import("../endpoints/logout.ts")).logout(app),
    ),
  ];
  const directory = {
    edit: resolved.directory === "edit",
    autoLogin: resolved.login === "auto" && options.approver === undefined,
  };
  const pluginRoutes = plugins.flatMap((plugin) => plugin.routes?.(app) ?? []);
  const describedEndpoints = [...endpoints, ...pluginRoutes];
  const listMethods = directory.edit ? ["GET", "POST"] as const : ["GET"] as const;
  const routes: Endpoint[] = [
    ...endpoints,
    ...discoveryEndpoints(app, describedEndpoints),
    lazyEndpoint(
      { path: `${base}/`, methods: ["GET"] },
      async () => (await import("../site/home.ts")).home(app, describedEndpoints, hasDirectory),
    ),
    lazyEndpoint(
      { path: `${base}/start`, methods: ["GET"] },
      async () => (await import("../site/start.ts")).start(app),
    ),
    lazyEndpoint(
      { path: `${base}/authorized`, methods: ["GET", "POST"] },
      async () => (await import("../site/callback.ts")).callbackPage(app),
    ),
    lazyEndpoint(
      { path: `${base}/authorized/try`, methods: ["GET", "POST"] },
      async () => (await import("../site/playground/playground.ts")).playground(app),
    ),
    lazyEndpoint(
      { path: `${base}/static/*`, methods: ["GET"] },
      async () => (await import("../site/static_files.ts")).assets(app),
    ),
    lazyEndpoint(
      { path: "/favicon.ico", methods: ["GET"] },
      async () => (await import("../site/static_files.ts")).favicon(app),
    ),
    ...interactionPages?.endpoints ?? [],
    ...hasDirectory
      ? [
        lazyEndpoint(
          { path: `${base}/clients`, methods: listMethods },
          async () => (await import("../admin/clients.ts")).clientListPage(app, directory),
        ),
        lazyEndpoint(
          { path: `${base}/clients/*`, methods: listMethods },
          async () => (await import("../admin/clients.ts")).clientPage(app, directory),
        ),
        lazyEndpoint(
          { path: `${base}/users`, methods: listMethods },
          async () => (await import("../admin/users.ts")).userListPage(app, directory),
        ),
        lazyEndpoint(
          { path: `${base}/users/*`, methods: listMethods },
          async () => (await import("../admin/users.ts")).userPage(app, directory),
        ),
      ]
      : [],
    ...pluginRoutes,
  ];
  const route = router(routes, {
    reject: (error, target, request) => errorPage(app.contextFor(request), target, error),
    onError: (cause, target, request) => lastResortError(app.contextFor(request).server, target, cause),
    allowAnyCorsHeader: hasTestHost(issuer),
    headers: isHttpsOnly(issuer) ? { "strict-transport-security": "max-age=31536000" } : undefined,
  });

  for (const plugin of plugins) plugin.setup?.(app);
  return { server, handle: route };
}

/** What one request is answered with: the server, as the layers around it want it. */
function createContext(app: App, plugins: readonly Plugin[], request: RequestLike): App {
  let { server } = app;
  for (let i = plugins.length - 1; i >= 0; i--) server = plugins[i]!.extend?.(server, request) ?? server;
  let flowLink: string | undefined;
  for (const plugin of plugins) flowLink ??= plugin.flowLink?.(request);
  if (server === app.server && flowLink === undefined) return app;
  if (server.trace !== app.server.trace) server = { ...server, trace: safeTrace(server.trace) };
  const context: App = { ...app, server, site: { ...app.site, flowLink }, contextFor: () => context };
  return context;
}

/** Whether browsers are to use nothing but https for that host; on this machine other programs speak http beside it. */
function isHttpsOnly(issuer: string): boolean {
  const { protocol, hostname } = new URL(issuer);
  return protocol === "https:" && !isLoopback(hostname);
}

/** Random bytes of the system, fetched many at a time, because a few cost as much to fetch as a thousand. */
function randomPool(): RandomBytes {
  const pool = new Uint8Array(2048);
  let used = pool.length;
  return (bytes) => {
    if (bytes > pool.length) return crypto.getRandomValues(new Uint8Array(bytes));
    if (bytes > pool.length - used) {
      crypto.getRandomValues(pool);
      used = 0;
    }
    const result = new Uint8Array(bytes);
    // One by one: for so few, slice takes Bun several times as long. What was drawn is nobody's business any more.
    for (let i = 0; i < bytes; i++) {
      result[i] = pool[used]!;
      pool[used++] = 0;
    }
    return result;
  };
}

/** What the embedding program hears: fit for a log. */
function redactedTrace(trace: Trace | undefined, getRegisteredSecrets: () => RegisteredSecrets): Trace {
  if (trace === undefined) return () => {};
  return safeTrace((event) =>
    trace(event.type === "rejected" || event.type === "warning" ? redactEvent(event, getRegisteredSecrets()) : event)
  );
}

/** A trace that cannot hurt: who listens must not be able to break what is listened to. */
function safeTrace(trace: Trace): Trace {
  return (event) => {
    try {
      trace(event);
    } catch {
      // Dropped, as it is promised.
    }
  };
}
