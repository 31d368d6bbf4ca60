/**
 * The assembly of a server: one process with any number of issuers. This folder contains no protocol rule.
 *
 * 1. A host has the listener, the timer and the store of a process (`listen.ts`, `maintenance.ts`).
 * 2. `open_app.ts` opens an app, which is one issuer: it validates the options (`options.ts`), and opens the keys.
 * 3. `create_app.ts` creates its server, its endpoints (`endpoint_table.ts`) and its router; plugins wrap the router.
 * 4. For each request `app_table.ts` finds the app, and the router creates a context (`request_context.ts`).
 */

import type { HostedApp } from "./hosted_app.ts";
import { asServerPolicy } from "../config/server_policy.ts";
import { policyOf } from "../../core/clients/clients.ts";
import { plainText } from "../../platform/http/response.ts";
import { fetchedResponse } from "../../platform/http/dropped_connection.ts";
import type { Peer } from "../../platform/runtime/bind.ts";
import type { RequestHandler } from "../../core/http/router.ts";
import { basePath } from "../../core/http/names.ts";
import { serverOrigins } from "../config/server_origins.ts";
import { configuredIssuer, type ResolvedSettings } from "../config/resolve_settings.ts";
import { localIssuer } from "../config/settings.ts";
import { object, objectField, text } from "../../core/policy/field.ts";
import { memoryStore } from "../../core/store/memory.ts";
import type { Store } from "../../core/store/store.ts";
import { issuerInUse, validateIssuerUntilListening, validatePath } from "./app_place.ts";
import { type AppTable, appTable } from "./app_table.ts";
import { listeners, type ListenOptions, type ListenResult } from "./listen.ts";
import { maintenanceTimer } from "./maintenance.ts";
import { type AppPlace, type OpenApp, openApp, openStore } from "./open_app.ts";
import type { LatchkeyOptions } from "./options.ts";
import { assertLatchkeyOptions, assertMatch } from "./options_field.ts";
import { prefixedStore } from "../../platform/store/prefixed_store.ts";
import { fromPlugin } from "./plugin_call.ts";

/** @internal Options of {@link host}. */
export interface HostOptions {
  /**
   * The store of all apps, each with records of its own. The apps then use the clock of the system. The host closes the
   * store. Default: each app has a new memory store.
   */
  readonly store?: Store | Promise<Store>;
  /** The origin of the apps with a `path`, with the port of {@link Host.listen}. Default: `http://localhost:9000`. */
  readonly origin?: string;
}

const hostOptionsField = object<HostOptions>("HostOptions", {
  store: objectField,
  origin: text(["http://localhost:9000"]),
}, {});

/** A process with any number of issuers. */
export interface Host extends AsyncDisposable {
  /** The apps, oldest first. */
  readonly apps: readonly HostedApp[];
  /**
   * Adds an app. Its issuer is `issuer`, or `path` below the origin of the host.
   *
   * @throws {ConfigurationError} If the options are invalid, or the issuer is in use.
   * @throws {StoreError} If the store does not respond for a minute and a half.
   */
  app(options?: LatchkeyOptions): Promise<HostedApp>;
  /**
   * Passes a request to the app whose issuer has the host and the longest matching path of the URL. If the request has
   * a `Host` header, its value replaces the host of the URL. Responds with 404 if no app matches.
   *
   * @param peer The address of the client, if the caller knows it.
   */
  fetch(request: Request, peer?: Peer): Promise<Response>;
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
 * Creates a host: one process with any number of issuers, which share its listener and its store but no client, user,
 * key, session, code or token.
 *
 * @throws {StoreError} If the store does not respond for a minute and a half.
 *
 * @example
 * ```ts
 * import { host } from "@latchkey/latchkey";
 *
 * await using server = await host();
 * const a = await server.app({ path: "/a", users: [{ sub: "carol" }] });
 * const b = await server.app({ issuer: "http://b.localhost:9000" });
 * await server.fetch(new Request(`${a.issuer}/.well-known/openid-configuration`));
 * await b.remove();
 * ```
 */
export async function host(options: HostOptions = {}): Promise<Host> {
  assertMatch(hostOptionsField, options);
  const { store, origin } = options;
  const created = createHost(origin, store === undefined ? undefined : (await openStore(store)).store);
  return {
    get apps() {
      return created.apps();
    },
    app: (options = {}) => created.addApp(options),
    fetch: async (request, peer) => fetchedResponse(await created.handle(request, peer)),
    listen: created.listen,
    close: created.close,
    [Symbol.asyncDispose]: created.close,
  };
}

/** A host, as `latchkey()` and {@link host} assemble it. */
interface CreatedHost extends Pick<Host, "listen" | "close"> {
  apps(): readonly HostedApp[];
  /** Handles a request of the network. It never rejects. */
  readonly handle: RequestHandler;
  /**
   * Adds the app that handles each request for which no other app matches. Apps with a path follow its origin.
   *
   * @param resolved What the settings of the options mean. Default: the app resolves them.
   */
  addMainApp(options: LatchkeyOptions, resolved?: ResolvedSettings): Promise<OpenApp>;
  addApp(options: LatchkeyOptions): Promise<HostedApp>;
}

/** Creates a host whose apps share a store, if there is one. */
export function createHost(origin: string = localIssuer(9000), sharedStore?: Store): CreatedHost {
  const apps = new Set<OpenApp>();
  /** The paths of the issuers that follow the origin. */
  const paths = new Map<OpenApp, string>();
  /** The apps besides the main one; absent until the first is added, which loads their code. */
  let table: AppTable<OpenApp> | undefined;
  /** Pending deletions of records, by the prefix of the records. */
  const deletions = new Map<string, Promise<unknown>>();
  let main: OpenApp | undefined;
  let lastSweepAt = -Infinity;
  let closing: Promise<void> | undefined;
  const timer = maintenanceTimer(() => {
    for (const app of apps) app.everySecond();
  });

  const handle: RequestHandler = (request, peer) => {
    const app = table?.find(request) ?? main;
    if (app !== undefined) return app.handle(request, peer);
    return Promise.resolve(plainText(404, "No issuer of this server has this URL."));
  };

  const network = listeners({
    handle,
    origin: () => main?.server.issuer ?? origin,
    hostnames: () => [
      ...new Set([...apps].flatMap(({ server }) => [
        ...serverOrigins(server).map((url) => new URL(url).hostname),
        ...server.policy.issuerHosts,
      ])),
    ],
    certificatePort: () => main?.server.certificateListener?.port,
    // A profile that demands TLS, of a server or of one of its clients, demands that of BCP 195.
    restrictsCiphers: () =>
      [...apps].some(({ server }) =>
        [server.policy, ...server.clients.known().values().map((client) => policyOf(server, client))].some((policy) =>
          asServerPolicy(policy).profile?.values.has("insecure") === true
        )
      ),
    onListening(newOrigin, certificatePort) {
      timer.start();
      for (const app of apps) app.prepareKeys();
      if (newOrigin === undefined) return;
      // A host whose main app has a configured issuer keeps its origin.
      if (main === undefined || paths.has(main)) origin = newOrigin;
      for (const [app, path] of paths) app.moveTo(origin + path);
      if (main?.server.certificateListener === undefined || certificatePort === undefined) return;
      const { hostname } = new URL(main.server.names.backChannel);
      main.server.certificateListener.origin = `https://${hostname}:${certificatePort}`;
    },
  });

  /** Opens an app's part of the shared store. The apps delete the expired records of the whole store together. */
  async function openPart(store: Store, prefix: string): Promise<Store> {
    await deletions.get(prefix);
    return prefixedStore(store, prefix, async (now) => {
      if (Math.abs(now - lastSweepAt) < 1000) return 0;
      lastSweepAt = now;
      return await store.deleteExpired(now);
    });
  }

  /** @param ownOrigin The origin of the apps that the app adds by path. Default: that of the host. */
  async function open(
    options: LatchkeyOptions,
    place: Omit<AppPlace, "addApp" | "close">,
    prefix?: string,
    ownOrigin?: string,
  ) {
    let ending: Promise<void> | undefined;
    const opened = await openApp(options, {
      ...place,
      addApp(added) {
        const outer = (options.plugins ?? []).flatMap((plugin) =>
          fromPlugin(plugin, "forAddedApp", plugin.forAddedApp?.()) ?? []
        );
        const wrapped = { ...added, plugins: [...outer, ...added.plugins ?? []] };
        return created.addApp(
          added.path === undefined || ownOrigin === undefined
            ? wrapped
            : { ...wrapped, path: undefined, issuer: ownOrigin + added.path },
        );
      },
      close: (deletesRecords) => ending ??= close(opened, deletesRecords ? prefix : undefined),
    });
    return opened;
  }

  /** Closes an app. With a prefix, its records are deleted. */
  async function close(app: OpenApp, prefix: string | undefined): Promise<void> {
    apps.delete(app);
    table?.delete(app);
    paths.delete(app);
    app.closePlugins();
    await app.closeStore();
    if (prefix === undefined) return;
    const deletion = sharedStore!.deleteAll(prefix).finally(() => deletions.delete(prefix));
    deletions.set(prefix, deletion.catch(() => {}));
    await deletion;
  }

  const created: CreatedHost = {
    apps: () => [...apps].map(({ hosted }) => hosted),
    handle,
    async addMainApp(options, resolved) {
      const { path = "", store = memoryStore() } = options;
      validateIssuerUntilListening(options.issuerUntilListening, false);
      validatePath(path, configuredIssuer(options));
      main = await open(options, { store, issuer: origin + path, resolved, sharesStore: false });
      apps.add(main);
      if (configuredIssuer(options) === undefined) paths.set(main, path);
      origin = new URL(main.server.issuer).origin;
      return main;
    },
    async addApp(options) {
      assertLatchkeyOptions(options);
      const { path = "", store: ownStore } = options;
      validateIssuerUntilListening(options.issuerUntilListening, true);
      validatePath(path, configuredIssuer(options));
      const prefix = ownStore === undefined && sharedStore !== undefined
        ? `app ${path || (options.issuer ?? "")} `
        : undefined;
      const store = prefix === undefined ? ownStore ?? memoryStore() : openPart(sharedStore!, prefix);
      const issuer = configuredIssuer(options);
      const ownOrigin = issuer !== undefined && URL.canParse(issuer) ? new URL(issuer).origin : undefined;
      const place = { store, issuer: origin + path, sharesStore: prefix !== undefined };
      const app = await open(options, place, prefix, ownOrigin);
      const { server } = app;
      const hosts = issuer === undefined ? [] : serverOrigins(server).map((url) => new URL(url).host);
      table ??= appTable();
      if (!table.add(app, hosts, basePath(server.issuer))) {
        app.closePlugins();
        await app.closeStore();
        throw issuerInUse(server.issuer);
      }
      apps.add(app);
      if (issuer === undefined) paths.set(app, path);
      return app.hosted;
    },
    listen: network.listen,
    close() {
      return closing ??= (async () => {
        timer.stop();
        // Plugins end their streams first; otherwise closing the network would wait for them.
        for (const app of apps) app.closePlugins();
        await network.close();
        await Promise.all([...apps].map((app) => app.closeStore()));
        await sharedStore?.close();
      })();
    },
  };
  return created;
}
