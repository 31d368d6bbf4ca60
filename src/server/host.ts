/**
 * The assembly of a server: one process with any number of issuers. No protocol rule lives here.
 *
 * 1. A host has the listener and the timer of a process (`listen.ts`, `maintenance.ts`), and may have a store.
 * 2. `open_app.ts` opens an app, which is one issuer: it validates the options (`options.ts`), and opens the keys.
 * 3. `create_app.ts` creates its server, its endpoints (`routes.ts`) and its router; plugins wrap the router.
 * 4. For each request `app_table.ts` finds the app, and the router creates a context (`request_context.ts`).
 */

import type { HostedApp } from "../app/hosted_app.ts";
import type { HttpResponse } from "../http/message.ts";
import type { RequestHandler } from "../http/router.ts";
import { ConfigurationError } from "../oauth/config/configuration_error.ts";
import { quote } from "../oauth/config/config_issue.ts";
import { serverOrigins } from "../oauth/config/issuer_urls.ts";
import { localIssuer } from "../oauth/config/settings.ts";
import { memoryStore } from "../store/memory.ts";
import type { Store } from "../store/store.ts";
import { appTable } from "./app_table.ts";
import { listeners, type ListenOptions, type ListenResult } from "./listen.ts";
import { maintenanceTimer } from "./maintenance.ts";
import { type OpenApp, openApp } from "./open_app.ts";
import type { LatchkeyOptions } from "./options.ts";

/** A host whose requests may have an app of last resort. */
interface CreatedHost {
  /** The apps, oldest first. */
  apps(): readonly HostedApp[];
  /** Handles a request: the app whose issuer its URL is below does. It never rejects. */
  readonly handle: RequestHandler;
  /**
   * Adds the app that handles the requests for no other app. The apps by path follow its origin.
   *
   * @throws {ConfigurationError} If the options are invalid.
   */
  addMainApp(options: LatchkeyOptions, store: Store | Promise<Store>): Promise<HostedApp>;
  /**
   * Adds an app.
   *
   * @param path The path of its issuer below the origin of the host; absent if the issuer is configured.
   * @throws {ConfigurationError} If the options are invalid, or the issuer is in use.
   */
  addApp(options: LatchkeyOptions, path: string | undefined, store: Store): Promise<HostedApp>;
  /** Listens on the network. */
  listen(options?: ListenOptions): Promise<ListenResult>;
  /** Stops listening, waits for requests in flight, and closes the apps. Further calls return the same promise. */
  close(): Promise<void>;
}

/**
 * Creates a host.
 *
 * @param origin Its origin, which follows the port.
 */
export function createHost(origin: string = localIssuer(9000)): CreatedHost {
  const apps = new Set<OpenApp>();
  const paths = new Map<OpenApp, string>();
  const table = appTable<OpenApp>();
  let main: OpenApp | undefined;
  let closing: Promise<void> | undefined;
  const timer = maintenanceTimer(() => {
    for (const { maintenance } of apps) maintenance.runIfDue();
  });

  const handle: RequestHandler = (request, peer) => {
    const app = (table.size === 0 ? undefined : table.find(request)) ?? main;
    return app === undefined ? unknownIssuer() : app.handle(request, peer);
  };

  const network = listeners({
    handle,
    origin: () => main?.server.issuer ?? origin,
    hostnames: () => [
      ...new Set([...apps].flatMap(({ server }) => [
        ...serverOrigins(server).map((url) => new URL(url).hostname),
        ...server.settings.issuerHosts,
      ])),
    ],
    prepare() {
      for (const app of apps) app.prepareKeys();
    },
    onListening(newOrigin) {
      timer.start(Math.min(...[...apps].map(({ maintenance }) => maintenance.intervalMs), 1000));
      if (newOrigin === undefined) return;
      main?.moveTo(newOrigin);
      origin = main === undefined ? newOrigin : new URL(main.server.issuer).origin;
      for (const [app, path] of paths) app.moveTo(origin + path);
    },
  });

  async function close(app: OpenApp): Promise<void> {
    if (!apps.delete(app)) return;
    table.delete(app);
    paths.delete(app);
    app.closePlugins();
    await app.closeStore();
  }

  async function add(options: LatchkeyOptions, store: Store | Promise<Store>, issuer: string): Promise<OpenApp> {
    const app: OpenApp = await openApp(options, {
      ...{ store, issuer },
      addApp: async ({ path, ...options }) => await host.addApp(options, path, memoryStore()),
      close: () => close(app),
    });
    return app;
  }

  const host: CreatedHost = {
    apps: () => [...apps].map(({ app }) => app),
    handle,
    async addMainApp(options, store) {
      main = await add(options, store, options.issuerUntilListening ?? origin);
      apps.add(main);
      origin = new URL(main.server.issuer).origin;
      return main.app;
    },
    async addApp(options, path, store) {
      const app = await add(options, store, origin + (path ?? ""));
      const { issuer } = app.server;
      const hosts = path === undefined ? serverOrigins(app.server).map((url) => new URL(url).host) : [];
      if (!table.add(app, hosts, new URL(issuer).pathname.replace(/\/$/, ""))) {
        await app.closeStore();
        throw issuerInUse(issuer);
      }
      apps.add(app);
      if (path !== undefined) paths.set(app, path);
      return app.app;
    },
    listen: network.listen,
    close() {
      return closing ??= (async () => {
        timer.stop();
        // Plugins end their streams first; otherwise closing the network would wait for them.
        for (const app of apps) app.closePlugins();
        await network.close();
        await Promise.all([...apps].map((app) => app.closeStore()));
      })();
    },
  };
  return host;
}

async function unknownIssuer(): Promise<HttpResponse> {
  const { plainText } = await import("../http/responses.ts");
  return plainText(404, "No issuer of this server has this URL.");
}

function issuerInUse(issuer: string): ConfigurationError {
  return new ConfigurationError([{
    path: "issuer",
    expected: "an issuer that no other app of the host has",
    received: quote(issuer),
    hint: "Choose another path or host name, or drop the other app.",
  }]);
}
