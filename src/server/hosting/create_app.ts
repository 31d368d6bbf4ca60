/** Assembles a server from its options, and one request handler from endpoints and plugins. */

import { assembleServer } from "../../core/create_server.ts";
import { endpointPath } from "../../core/http/endpoint.ts";
import { withCheckedFunctions } from "../../core/immediate.ts";
import type { Keys } from "../../core/keys/keys.ts";
import { nameReplacements } from "../../core/replacements.ts";
import { basePath } from "../../core/http/names.ts";
import { createHandler } from "../../core/route.ts";
import { parseTarget, type RequestHandler } from "../../core/http/router.ts";
import { commonPath } from "../../core/sessions/cookies.ts";
import type { App } from "../app.ts";
import type { ResolvedSettings } from "../config/resolve_settings.ts";
import type { ServerPolicy } from "../config/server_policy.ts";
import { crossOriginHeaders } from "./cross_origin_headers.ts";
import type { EndpointDescription } from "../endpoint.ts";
import { withLimitedAuthentication } from "../clients/client_authentication.ts";
import { type CreateRepository, recordPrefix } from "../clients/repository.ts";
import { acceptedRequests } from "../explain/accepted_request.ts";
import { traceObservation } from "../explain/accepted_texts.ts";
import type { UserWarnings } from "../clients/users.ts";
import { clientsAndUsers } from "../clients/mod.ts";
import { digestName, getPassword } from "../config/password_digest.ts";
import type { HostedServer } from "../hosted_server.ts";
import type { Pages } from "../pages.ts";
import type { AddedSecrets } from "../redaction/registered_secrets.ts";
import { aroundRouter } from "./around.ts";
import { assertOwnPaths } from "./configured_paths.ts";
import { builtInAfter, builtInBefore } from "./built_in_extensions.ts";
import { extensions as ownExtensions } from "./extensions.ts";
import { demoClientMover } from "./demo_client_mover.ts";
import { endSessionsOfChangedUsers } from "./end_user_sessions.ts";
import { type EndpointTable, endpointTable, pluginEndpoints } from "./endpoint_table.ts";
import { type EndpointParts, ownEndpoints } from "./endpoints.ts";
import type { AppChanges, LatchkeyOptions, Plugin } from "./options.ts";
import { contextFactory, type EmitEvent, HostedContext } from "./request_context.ts";
import type { KeyRotation } from "./rotating_keys.ts";
import { type Maintenance, maintenance } from "./maintenance.ts";
import { type IssuerInEffect, issuerMembers } from "./with_issuer.ts";
import { fromPlugin, pluginLabel } from "./plugin_call.ts";

/** The dependencies of the assembly besides the options. */
interface AppDependencies
  extends
    Pick<HostedServer, "store" | "now" | "randomBytes" | "trace">,
    Pick<EndpointParts, "extensions" | "interaction"> {
  readonly keys: Keys & KeyRotation;
  /** The policy, and the clients and users at the start. */
  readonly resolved: ResolvedSettings;
  /** Passes events to plugins and to the embedding program. */
  readonly emit: EmitEvent;
  /** What events and logs must not contain; the assembly adds clients and the parameters of endpoints. */
  readonly secrets: AddedSecrets;
  /** Whether a plugin or the embedding program receives events. */
  readonly hasListener: boolean;
  /** Sends a request through the whole server, plugins included. */
  readonly dispatch: RequestHandler;
  /** Creates the repositories of clients and users. Default: in memory. */
  readonly createRepository?: CreateRepository;
  /** Absent if nothing listens. */
  readonly userWarnings?: UserWarnings;
  /** Adds an app to the host of the server. */
  readonly addApp: AppChanges["addApp"];
  /** Adds a task of a plugin for each second. */
  readonly everySecond: AppChanges["everySecond"];
}

interface AssembledApp {
  readonly app: App;
  /** Handles a request in process. */
  readonly handle: RequestHandler;
  /** Handles a request of the network. It never rejects. */
  readonly handleOfNetwork: RequestHandler;
  readonly maintained: Maintenance;
  readonly moveTo: AppChanges["moveTo"];
}

/** Assembles the server from valid options. */
export async function createApp(options: LatchkeyOptions, dependencies: AppDependencies): Promise<AssembledApp> {
  const { resolved, extensions, interaction, secrets, emit } = dependencies;
  const { plugins = [], pages = {} } = options;
  const { scopes, userScopes } = resolved.policy;
  const policy: GrowingPolicy = { ...resolved.policy, scopes: [...scopes], userScopes: [...userScopes] };
  const issuerInEffect: IssuerInEffect = { current: resolved.issuer };
  const base = basePath(resolved.issuer);
  const composed = await composeServer(options, dependencies, policy, issuerInEffect);
  // A password of letters alone is not redacted: that would hide ordinary words, too.
  for (const password of [...composed.users.known().values()].map(getPassword)) {
    if (password !== undefined && digestName(password) === undefined && /[^a-z]/i.test(password)) {
      secrets.learn(password);
    }
  }
  // Pages and logs describe the server itself, and not what a plugin makes of it.
  const endpoints = ownEndpoints(composed, options, { base, extensions, interaction });
  // The limit also applies to methods that a plugin replaces.
  const limited = withLimitedAuthentication(withPlugins(composed, plugins));
  const { audience } = resolved;
  const membersFor = issuerMembers(policy, { audience, tokenPath: endpointPath({ endpoints }, "token") });
  const server: HostedServer = { ...limited, ...membersFor(issuerInEffect.current) };
  endSessionsOfChangedUsers(server);

  const byHost = policy.isIssuerFromHost ? await import("./server_by_host.ts") : undefined;
  const table = endpointTable(endpoints, secrets, byHost?.rejectOtherHost);
  const maintained = maintenance(server, extensions.flatMap(({ everyMinute }) => everyMinute ?? []));
  const around = aroundRouter(server, plugins, maintained);
  const app = describeApp(server, { table, base, around: around.names, errorPage: pages.error }, dependencies);
  const ofPlugins = pluginEndpoints(app, plugins);
  assertOwnPaths([...endpoints, ...ofPlugins], policy.paths);
  table.addOfPlugins(ofPlugins);
  const createContext = contextFactory(app, plugins, emit, byHost?.serverByHost(server, membersFor));

  const moveDemoClients = demoClientMover(composed.clients.registered, resolved);
  const { addApp, everySecond } = dependencies;
  const changes: AppChanges = {
    addApp,
    everySecond,
    addResource(resource, endpoints) {
      server.resources.host(resource);
      const added = resource.scopes.filter((value) => !policy.scopes.includes(value));
      policy.scopes.push(...added);
      policy.userScopes.push(...added);
      table.addOfResource(endpoints);
    },
    moveTo(issuer) {
      issuerInEffect.current = issuer;
      Object.assign(server, membersFor(issuer));
      moveDemoClients(issuer);
    },
  };
  for (const plugin of plugins) fromPlugin(plugin, "setup", plugin.setup?.(app, changes));
  // After setup, in which a plugin gets what its handle uses.
  const handle = around.wrap(createHandler(table.find, { server, createContext, crossOriginHeaders }));
  return { app, handle, handleOfNetwork: around.wrapForNetwork(handle), maintained, moveTo: changes.moveTo };
}

/** A policy to which hosted resources add their scope values. */
type GrowingPolicy = ServerPolicy & { readonly scopes: string[]; readonly userScopes: string[] };

/** Does nothing: used as `passed` until a recorder replaces it for a request, and as `observe` if nothing listens. */
function ignore(): void {}

/** The core, and what each part of the whole server and each extension adds to it or replaces, in order. */
async function composeServer(
  options: LatchkeyOptions,
  dependencies: AppDependencies,
  policy: ServerPolicy,
  issuerInEffect: IssuerInEffect,
): Promise<HostedServer> {
  const { resolved, keys, secrets, extensions, interaction, hasListener } = dependencies;
  const { store, now, randomBytes, trace, createRepository, userWarnings } = dependencies;
  const { issuer, audience = issuer, clientsAt, users } = resolved;
  const observe = hasListener ? traceObservation : ignore;
  const entries = clientsAndUsers({
    ...{ policy, audience, users, now, trace, createRepository, userWarnings },
    clients: clientsAt(issuer),
    recordPrefix: recordPrefix(options),
    hasPages: interaction !== undefined,
  });
  const { outbound, grantTypes } = options;
  return await assembleServer<HostedServer>({
    ...{ keys, grantTypes },
    before: builtInBefore({
      loginPage: policy.loginPage,
      ...{ secrets, hosting: { keyRotation: keys, outbound, issuerInEffect } },
    }),
    extensions,
    after: hasListener ? [...builtInAfter, acceptedRequests] : builtInAfter,
    supplied: ownExtensions,
    given: { issuer, policy, store, now, randomBytes, trace, passed: ignore, observe, ...entries },
  });
}

/** The server with the members that plugins replace, the first plugin outermost. */
function withPlugins(server: HostedServer, plugins: readonly Plugin[]): HostedServer {
  return plugins.reduceRight((inner, plugin) => {
    const outer = fromPlugin(plugin, "extend", plugin.extend?.(inner));
    if (outer === undefined) return inner;
    const replaced = withCheckedFunctions(inner, outer, pluginLabel(plugin));
    nameReplacements(inner, replaced, pluginLabel(plugin));
    return replaced;
  }, server);
}

interface AppParts {
  readonly table: EndpointTable;
  /** The path of the issuer, without a slash at its end. */
  readonly base: string;
  /** See {@link App.around}. */
  readonly around: readonly string[];
  /** That of the embedding program. Default: that of the server. */
  readonly errorPage?: Pages["error"];
}

/** What plugins and pages know of a server. */
function describeApp(
  server: HostedServer,
  { table, base, around, errorPage }: AppParts,
  { resolved, emit, dispatch }: AppDependencies,
): App {
  const { endpoints, credentialParameters, links } = table;
  const app: App = {
    server,
    site: {
      get issuer() {
        return server.issuer;
      },
      ...{ base, links },
    },
    developerPages: {},
    disabledPages: {},
    formPostPage: async (...page) => await (await import("./page_handlers.ts")).formPostPage(...page),
    endpoints,
    around,
    findEndpoint: (path) => table.find(path)?.endpoint as EndpointDescription | undefined,
    cookiePath: commonPath(base, endpoints),
    credentialParameters,
    handleError: async (...failure) =>
      await (await import("../errors/error_wording.ts")).explainedErrorHandler(errorPage)(...failure),
    dispatch,
    traceFor: (request, event) => emit(event, new HostedContext(app, request, parseTarget(request.url, {}), undefined)),
    initialEntries: () => ({
      clients: resolved.clientsAt(server.issuer),
      users: resolved.users,
      scopes: resolved.policy.scopes,
    }),
  };
  return app;
}
