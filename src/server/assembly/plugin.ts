/** Plugins wrap request handling, extend the server, add endpoints and links, and receive events. */

import type { Fields } from "../../platform/http/form.ts";
import type { RequestLike } from "../../platform/http/message.ts";
import type { RequestHandler } from "../../platform/http/router.ts";
import type { PluginProfileName } from "../config/plugin_profile.ts";
import type { HostedResource } from "../oauth/resource_list.ts";
import type { Settings } from "../config/settings.ts";
import type { Outbound } from "../oauth/outbound.ts";
import type { RandomBytes } from "../oauth/secrets.ts";
import type { GrantType, Server } from "../oauth/server.ts";
import type { TraceEvent } from "../oauth/trace.ts";
import type { KeySource } from "../oauth/keys/keys.ts";
import type { Approver } from "./approver.ts";
import type { App, ClientLinkTarget, Context, DemoSteps } from "./context.ts";
import type { HostedApp } from "./hosted_app.ts";
import type { Endpoint } from "./route.ts";
import type { DisabledPage } from "./disabled_page.ts";
import type { NavigationLink } from "../pages/layout.tsx";

/**
 * Adds a protected resource that the server hosts, at any time: tokens can be issued for its identifier, its scope
 * values become known, metadata lists it, and its endpoints serve it. An endpoint replaces the one at the same path.
 *
 * @internal
 */
export type AddResource = (resource: HostedResource, endpoints: readonly Endpoint[]) => void;

/** @internal The options of a server that plugins can replace. */
export interface ConfigurableOptions extends Settings {
  /** Further grant types of the token endpoint. */
  readonly grantTypes?: readonly GrantType[];
  /** The clock: milliseconds since the epoch. */
  readonly now?: () => number;
  /** The random source. */
  readonly randomBytes?: RandomBytes;
  /** Decides authorization requests instead of `login`. */
  readonly approver?: Approver;
  /** Fetches documents that clients refer to. */
  readonly outbound?: Outbound;
}

/** Options of an app that a plugin adds. */
export interface AddedAppOptions extends ConfigurableOptions {
  /** The path of the issuer below the origin of the host, such as `/tenants/x`, unless `issuer` is set. */
  readonly path?: string;
  /** The store of its records. */
  readonly store: Server["store"];
  /** Its plugins; the first one is the outermost. Default: none. */
  readonly plugins?: readonly Plugin[];
  /** Creates its signing keys. Default: generated keys. */
  readonly keySource?: KeySource;
}

/**
 * Adds an app to the host of a server.
 *
 * @throws {ConfigurationError} If options are invalid, or the path is in use.
 *
 * @internal
 */
export type AddApp = (options: AddedAppOptions) => Promise<HostedApp>;

/**
 * Changes the issuer of the app. Its path stays.
 *
 * @internal
 */
export type MoveTo = (issuer: string) => void;

/**
 * An extension of one server, such as a recorder, a fault injector, an inspector or a log. The first plugin of a list
 * is the outermost.
 *
 * @example Slow responses
 * ```ts
 * const slow: Plugin = {
 *   handle: (next) => async (request, peer) => {
 *     await new Promise((resolve) => setTimeout(resolve, 100));
 *     return await next(request, peer);
 *   },
 * };
 * ```
 */
export interface Plugin {
  /**
   * Returns replacements for options of the whole server, such as its clock. Called before the server is assembled.
   *
   * @param options The options of the server, with the replacements of the plugins after this one.
   */
  configure?(options: ConfigurableOptions): ConfigurableOptions;
  /** The profiles that it brings, whose names `configure` finds in the options. Default: none. */
  readonly profiles?: readonly PluginProfileName[];
  /** Receives the assembled server, once, before the first request. The issuer may still follow the port. */
  setup?(app: App, addResource: AddResource, addApp: AddApp, moveTo: MoveTo): void;
  /** Wraps the approver: that of the embedding program, or that of `login: "auto"`. Login pages are not wrapped. */
  approve?(next: Approver): Approver;
  /** Wraps the approver of login pages at the authorization endpoint and for devices, which otherwise shows a page. */
  approvePages?(next: Approver): Approver;
  /** Adds endpoints. Metadata and pages list them by their descriptions. */
  routes?(app: App): readonly Endpoint[];
  /** Links in the header of every page, or a function of the settings of the server. */
  readonly links?: readonly NavigationLink[] | ((settings: Server["settings"]) => readonly NavigationLink[]);
  /**
   * Wraps every request and its response, in process and over the network. A plugin that passes another request to
   * `next` sets its `original`, so that other plugins recognize it.
   */
  handle?(next: RequestHandler): RequestHandler;
  /**
   * Changes the server for one request: store, clock, random bytes, keys, grant types, token issuers. If any plugin has
   * `onEvent`, it replaces a `trace` set here.
   *
   * @param context The context of the request; its `request` is the value that `handle` passed to `next`.
   */
  extend?(server: Server, context: Context): Server;
  /**
   * Receives every event, not redacted ({@link TraceEvent}), in the order of the plugins. An exception is ignored.
   *
   * @param context The request of the event; absent for events of the start and of maintenance.
   */
  onEvent?(event: TraceEvent, context?: Context): void;
  /**
   * Pages that an option or a setting can turn off, by the first segment of their path below the base. Where one is
   * missing, the 404 response of a server on a test host says how to turn it on.
   */
  readonly disabledPages?: Readonly<Record<string, DisabledPage>>;
  /** The path of the pages of rules, below the base: the ID of a rule follows it, after a slash. */
  readonly rulesPath?: string;
  /**
   * The page of a client, or without `id` the form that adds one: a path below the base. `query` fills in the form.
   * `undefined` if the settings show visitors no clients.
   */
  clientLink?(settings: Server["settings"], target: ClientLinkTarget): string | undefined;
  /** The page that shows the flow of a request: a path below the base. */
  flowLink?(request: RequestLike): string | undefined;
  /** The page that shows the flow of an authorization response: a path below the base. */
  flowLinkFor?(response: Fields): string | undefined;
  /**
   * Loads the steps after the page `/authorized`, and what `/start` needs to send the request of a demo client that
   * pushes or signs it. Those of the first plugin that has any count.
   */
  demoSteps?(): Promise<DemoSteps>;
  /**
   * Returns the plugin that wraps an app which this app adds ({@link AddApp}), such as a tenant of a mock, outside of
   * the plugins of that app. So limits, logs and metrics of a process also cover its tenants. Default: none.
   */
  forAddedApp?(): Plugin;
  /** Ends streams and pending waits, because the server is closing. Requests in flight still get their responses. */
  close?(): void;
}
