/**
 * The options of an embedding program, and their documentation. Plugins, which are one of them, wrap request handling,
 * extend the server, add endpoints and links, and receive events.
 */

import type { Approver } from "../login/approver.ts";
import type { Extension } from "../config/extension.ts";
import type { ExtensionSettings } from "../extensions/settings.ts";
import type { Settings } from "../config/settings.ts";
import type { KeySource } from "./key_source.ts";
import type { Outbound } from "../fetching/outbound.ts";
import type { RandomBytes } from "../../core/keys/secrets.ts";
import type { GrantType } from "../config/standing.ts";
import type { RuleId } from "../../core/rules/mod.ts";
import type { Trace, TraceEvent } from "../trace.ts";
import type { Store } from "../../core/store/store.ts";
import type { Pages } from "../pages.ts";
import type { RequestHandler } from "../../core/http/router.ts";
import type { App } from "../app.ts";
import type { HostedApp } from "./hosted_app.ts";
import type { HostedServer } from "../hosted_server.ts";
import type { HostedResource } from "../token/hosted_resources.ts";
import type { Context, Endpoint } from "../endpoint.ts";

/** The options of an embedding program: the settings of a configuration file, and the environment of the server. */
export interface LatchkeyOptions extends Settings, ExtensionSettings {
  /** The extensions of the server. It knows only their settings, parameters and grant types. Default: all. */
  readonly extensions?: readonly Extension[];
  /**
   * The store of all records. The server closes it. Default: a new {@link memoryStore}, or for an app of a host with a
   * store, a part of that store.
   */
  readonly store?: Store | Promise<Store>;
  /** The clock: milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: () => number;
  /** The random source. Default: `crypto.getRandomValues`. */
  readonly randomBytes?: RandomBytes;
  /** Receives every event, redacted. Default: none. */
  readonly trace?: Trace;
  /** Decides authorization requests instead of `login`. Default: the approver of `login`. */
  readonly approver?: Approver;
  /** Further grant types of the token endpoint; clients can register for them. Default: none. */
  readonly grantTypes?: readonly GrantType[];
  /**
   * Fetches documents that clients refer to, such as their `jwks_uri`, and calls their `backchannel_logout_uri`.
   * Default: a fetch that connects only to public addresses, to `privateHosts`, and, if the issuer is on a test host,
   * to test hosts.
   */
  readonly outbound?: Outbound;
  /** Pages that replace pages of the server for users, such as the login page. Default: none. */
  readonly pages?: Pages;
  /** Creates signing keys, and signs if WebCrypto cannot use them. Default: generated keys. */
  readonly keySource?: KeySource;
  /**
   * The path of the issuer, such as `/a`, if the issuer follows the port or the origin of a host. Default: none, or the
   * path of a provider.
   */
  readonly path?: string;
  /**
   * The origin of the issuer until the server listens, if it follows the port. An app of a host cannot have it, because
   * it has the origin of the host. Default: `http://localhost:9000`.
   */
  readonly issuerUntilListening?: string;
  /** The plugins; the first one is the outermost. Default: none. */
  readonly plugins?: readonly Plugin[];
}

/** @internal Changes of an assembled server, at any time. */
export interface AppChanges {
  /**
   * Adds a protected resource that the server hosts: tokens can be issued for its identifier, its scope values become
   * known, metadata lists it, and its endpoints serve it. An endpoint replaces the one at the same path.
   */
  addResource(resource: HostedResource, endpoints: readonly Endpoint[]): void;
  /**
   * Adds an app to the host of the server.
   *
   * @param options Its options, with the store of its records. A `path` follows the origin of the server.
   * @throws {ConfigurationError} If options are invalid, or the path is in use.
   */
  addApp(options: LatchkeyOptions & { readonly store: Store }): Promise<HostedApp>;
  /** Calls a function about once a second of real time while the server listens. It must not throw. */
  everySecond(task: () => void): void;
  /** Changes the issuer, and the redirect URIs of the demo clients with it. The path of the issuer stays. */
  moveTo(issuer: string): void;
}

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
  /** Its name, in messages, in stacks, and in the list that `deno task endpoints` prints. Default: none. */
  readonly name?: string;
  /**
   * Returns replacements for options of the whole server, such as its clock. Called before the server is assembled.
   *
   * @param options The options of the server, with the replacements of the plugins after this one.
   */
  configure?(
    options: LatchkeyOptions,
  ): Omit<LatchkeyOptions, "extensions" | "issuerUntilListening" | "path" | "plugins" | "store">;
  /**
   * Receives the assembled server, once, before the first request. The issuer may still follow the port. A plugin with
   * pages for developers enters them in `app.developerPages`.
   */
  setup?(app: App, changes: AppChanges): void;
  /**
   * Wraps the approver: the function of the embedding program, automatic login, or the login pages.
   *
   * @param showsPages Whether `next` shows the login pages.
   */
  approve?(next: Approver, showsPages: boolean): Approver;
  /** Adds endpoints. Metadata and pages list them by their descriptions, and the header of every page by `link`. */
  routes?(app: App): readonly Endpoint[];
  /**
   * Wraps every request and its response, in process and over the network. A plugin that passes another request to
   * `next` sets its `original`, so that other plugins recognize it.
   */
  handle?(next: RequestHandler): RequestHandler;
  /**
   * Replaces functions and values of the server, such as its store, when it is assembled. The members that follow the
   * issuer cannot be replaced: `issuer`, `names`, `audience` and `assertionAudiences`. Functions read the issuer from
   * the server that they receive: the argument of `extend` keeps the first one, also when the server gets another port.
   */
  extend?(server: HostedServer): HostedServer;
  /**
   * Returns the members that the server of one request has instead; `undefined`: none. What is replaced for every
   * request belongs into `extend`.
   *
   * @param server The server of this request.
   * @param context The context of the request; its `request` is the value that `handle` passed to `next`.
   */
  forRequest?(server: HostedServer, context: Context<HostedServer>): Partial<HostedServer> | undefined;
  /**
   * Receives every event, not redacted ({@link TraceEvent}), in the order of the plugins. An exception is ignored.
   *
   * @param context The request of the event; absent for events of the start and of maintenance.
   */
  onEvent?(event: TraceEvent, context?: Context): void;
  /**
   * Receives each check that a request passes, in the order of the plugins: the rule, and the checked value or the time
   * at which it ends, in milliseconds since the epoch. An exception is ignored.
   */
  onPassed?(rule: RuleId, value: string | number | undefined, context: Context): void;
  /**
   * Returns the plugin that wraps an app which this app adds ({@link AppChanges.addApp}), such as a tenant of a mock,
   * outside of the plugins of that app. So limits and logs of a process also cover its tenants. Default: none.
   */
  forAddedApp?(): Plugin;
  /** Ends streams and pending waits, because the server is closing. Requests in flight still get their responses. */
  close?(): void;
}
