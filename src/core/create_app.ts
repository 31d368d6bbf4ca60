/** Assembles a server from its options, and one request handler from endpoints and plugins. */

import { approveOrAsk } from "../server/login/account_selection.ts";
import { type Approver, autoApprover } from "./approver.ts";
import { assertOwnPaths, atConfiguredPaths } from "../server/hosting/configured_paths.ts";
import type { App } from "./context.ts";
import { endpointPath } from "./endpoint.ts";
import type { EndpointDescription } from "./endpoint.ts";
import { background } from "./background.ts";
import { endUserSessions } from "./session/session.ts";
import type { NavigationLink, Site } from "./pages/layout.tsx";
import type { Extension } from "./extension.ts";
import type { AppChanges } from "../server/hosting/plugin.ts";
import { type Endpoint, endpointRoute, seeOther } from "./route.ts";
import { parseTarget, routeFinder, router } from "./router.ts";
import type { RequestHandler } from "./router.ts";
import { endpointOrigin, fromHost } from "./issuer_urls.ts";
import { type HostedResource, resourceIndicators } from "./resource_list.ts";
import type { MaybePromise } from "./maybe_promise.ts";
import { requestParts } from "./request.ts";
import { ownResponseModes, type ParameterDescription } from "./params.ts";
import { boundedCache, rateLimiter } from "./bounded_cache.ts";
import { createFetching } from "../server/fetching/fetching.ts";
import { claimRules } from "./claims.ts";
import { clientAuthentication } from "./client_auth.ts";
import { clientRepository } from "../server/hosting/client_repository.ts";
import type { ClientMetadata, User } from "./clients/client.ts";
import type { Client } from "./clients/repository.ts";
import { serverClients } from "./clients/server_clients.ts";
import { withUnregisteredClients } from "../server/hosting/unregistered_clients.ts";
import { type DeclaredNames, declareNames } from "../server/redaction/hide_secrets.ts";
import { registeredSecrets } from "../server/redaction/registered_secrets.ts";
import { type CreateRepository, recordPrefix } from "../server/hosting/records/repository.ts";
import { grantTypesOf } from "./grants/mod.ts";
import { jwtSigner } from "./keys/jwt.ts";
import type { Keys } from "./keys/keys.ts";
import type { Policy } from "./policy.ts";
import type { Server } from "./server.ts";
import { leadsToLoopback } from "./test_hosts.ts";
import { tokenIssuers } from "./tokens.ts";
import { type OnSessionsOver, userRepository, type UserWarnings } from "./users/users.ts";
import { defaultOutbound, type LatchkeyOptions } from "../server/hosting/options.ts";
import { contextFactory, type EmitEvent, RequestContext } from "./request_context.ts";
import { lastResortError } from "./last_resort_error.ts";
import { signingKeys } from "./jwks.ts";
import { endpoints } from "./routes.ts";
import { serverByHost } from "../server/hosting/server_by_host.ts";

/** Maximum number of recent code challenges, kept to warn about a reused one. */
const maxRecentChallenges = 10_000;

/** The dependencies of the assembly besides the options. */
interface AppDependencies extends Pick<Server, "store" | "now" | "randomBytes" | "trace"> {
  readonly keys: Keys;
  readonly policy: Policy;
  /** The clients and users at the start. */
  readonly entries: InitialEntries;
  /** The extensions of the server. */
  readonly extensions: readonly Extension[];
  /** The issuer until the server listens. */
  readonly issuer: string;
  /** Passes events to plugins and to the embedding program. */
  readonly emit: EmitEvent;
  /** Whether a plugin or the embedding program receives events. */
  readonly hasListener: boolean;
  /** Sends a request through the whole server, plugins included. */
  readonly dispatch: RequestHandler;
  /** Creates the repositories of clients and users. Default: in memory. */
  readonly createRepository?: CreateRepository;
  /** Absent if nothing listens. */
  readonly userWarnings?: UserWarnings;
  /** The login pages; absent if an approver decides. */
  readonly interaction?: typeof import("../server/login/mod.ts");
  /** Adds an app to the host of the server. */
  readonly addApp: AppChanges["addApp"];
}

/** The members of a server that depend on its issuer. */
type IssuerMembers = Pick<Server, "issuer" | "storageIssuer" | "audience" | "assertionAudiences">;

/** The clients and users of a server before any of them is changed. */
export interface InitialEntries {
  /** The `aud` of access tokens; absent: the issuer. */
  readonly audience?: string;
  /** The clients at an issuer: demo clients follow it. */
  clientsAt(issuer: string): readonly ClientMetadata[];
  /** Whether the clients are the demo clients. */
  readonly hasDemoClients: boolean;
  /** The users. */
  readonly users: readonly User[];
}

/** An assembled server. */
interface AssembledApp {
  readonly app: App;
  /** Handles a request without the plugins around it. */
  readonly handle: RequestHandler;
  readonly moveTo: AppChanges["moveTo"];
}

/** Assembles the server from valid options. */
export async function createApp(options: LatchkeyOptions, dependencies: AppDependencies): Promise<AssembledApp> {
  const {
    policy,
    entries,
    extensions,
    issuer,
    emit,
    hasListener,
    dispatch,
    createRepository,
    interaction,
    userWarnings,
    addApp,
    ...core
  } = dependencies;
  // Hosted resources add their scope values.
  const scopes = [...policy.scopes];
  const userScopes = [...policy.userScopes];
  const settings: Policy = { ...policy, scopes, userScopes };
  const { plugins = [], pages = {} } = options;
  const allGrantTypes = [...grantTypesOf(settings, extensions), ...options.grantTypes ?? []];
  const base = new URL(issuer).pathname.replace(/\/$/, "");
  const claims = claimRules(settings);
  const { privateHosts } = settings;
  const outbound = options.outbound ??
    defaultOutbound(() => ({ issuer: server.issuer, privateHosts, allows: settings.allows }));
  const registered = clientRepository(
    settings,
    { clients: entries.clientsAt(issuer), audience: entries.audience ?? issuer },
    createRepository,
  );
  const demoClients = new Map<string, MaybePromise<Client>>(registered.known());
  const declaredNames: DeclaredNames = new Map();
  const openLogin = settings.insecureAllowOpenLogin || settings.allows.openLogin;
  // The change of a user does not wait for the logout of clients.
  const onSessionsOver: OnSessionsOver = (user, cause) =>
    server.background.start("users", () => endUserSessions(server, user, cause));
  // No getters: requests copy this object, and a copy with getters takes ten times as long.
  const own = await extend({
    ...core,
    // The members that depend on the issuer are set below, when the paths of the endpoints are known.
    issuer,
    storageIssuer: issuer,
    audience: issuer,
    assertionAudiences: [],
    settings,
    // Members that only some requests have: copies of one shape are quicker to read.
    passed: undefined,
    takeFixedValue: () => undefined,
    sender: undefined,
    observe: hasListener ? (await import("../server/explain/observations.ts")).traceObservation : undefined,
    addTexts: async (ofRequest, error) => await (await import("../server/explain/rules.ts")).addTexts(ofRequest, error),
    background: background(core),
    keys: { ...core.keys, sign: jwtSigner(core.keys) },
    publishedKeys: signingKeys,
    grantTypes: allGrantTypes,
    clientAuthentication: clientAuthentication(extensions.flatMap((extension) => extension.clientAuthentication ?? [])),
    requestParts: requestParts(extensions.flatMap(({ requestParts }) => requestParts ?? [])),
    responseModes: ownResponseModes,
    responseTypes: new Map([["code", { name: "code" }]]),
    requestSources: [],
    deliveries: [],
    levels: undefined,
    tokenIssuers,
    sessionWatchers: [],
    keyProofs: undefined,
    connectionKeys: undefined,
    findEncryption: () => undefined,
    recordUse({ clients }, { id, standing }) {
      if (standing === "unknown") clients.recordUse(id);
    },
    subjectFor: (_server, _client, sub) => sub,
    signIntrospection: () => undefined,
    clients: serverClients(registered, recordPrefix(options)),
    registeredSecrets: registeredSecrets(registered, declaredNames),
    users: userRepository(
      settings,
      entries.users,
      {
        ...core,
        claims,
        userWarnings,
        requirePasswords: interaction !== undefined && !openLogin,
        acceptsGuests: interaction !== undefined && openLogin || settings.unknownLoginHint === "create",
        onSessionsOver,
      },
      createRepository,
    ),
    claims,
    fetching: createFetching(outbound, core.now),
    resources: resourceIndicators(settings.resources, settings.allows.localUrls),
    rateLimiter: settings.throttle ? rateLimiter(core.now) : undefined,
    recentChallenges: boundedCache(maxRecentChallenges),
  }, extensions);
  if (settings.acceptsAny.includes("clients")) {
    const grantTypes = allGrantTypes.map(({ type }) => type);
    Object.assign(own, { clients: withUnregisteredClients(own.clients, settings, grantTypes) });
  }
  const endpointList = endpoints({
    ...{ base, settings, extensions, grantTypes: allGrantTypes, interaction, openLogin, pages },
    ...{ requestParts: own.requestParts, responseModes: own.responseModes, responseTypes: own.responseTypes },
    approver: plugins.reduceRight(
      (inner, plugin) => plugin.approve?.(inner, interaction !== undefined) ?? inner,
      options.approver ?? interaction?.pagesApprover() ?? automaticLogin,
    ),
    autoLogin: settings.login === "auto" && options.approver === undefined,
  });
  const { paths } = settings;
  const ownEndpoints = atConfiguredPaths(endpointList, base, paths);
  const tokenPath = endpointPath({ endpoints: ownEndpoints }, "token");
  const membersOf = (currentIssuer: string): IssuerMembers => ({
    issuer: currentIssuer,
    storageIssuer: settings.isIssuerFromHost ? fromHost : currentIssuer,
    audience: entries.audience ?? currentIssuer,
    assertionAudiences: settings.assertionAudience === "issuer-or-token-endpoint"
      ? [endpointOrigin({ issuer: currentIssuer, settings }, { metadataName: "token_endpoint" }) + tokenPath]
      : [],
  });
  /** The server with an issuer, as plugins extend it. */
  const serverAt = (issuer: string): Server =>
    plugins.reduceRight<Server>((inner, one) => one.extend?.(inner) ?? inner, { ...own, ...membersOf(issuer) });
  const server = serverAt(issuer);
  const links: NavigationLink[] = [];
  const site: Site = {
    get issuer() {
      return server.issuer;
    },
    base,
    links,
  };
  const allEndpoints: EndpointDescription[] = [...ownEndpoints];
  const credentialParameters = new Set<string>();
  const app: App = {
    server,
    site,
    developerPages: {},
    disabledPages: {},
    endpoints: allEndpoints,
    findEndpoint: (path) => findRoute(path)?.endpoint,
    credentialParameters,
    dispatch,
    traceFor: (request, event) =>
      emit(event, new RequestContext(app, request, parseTarget(request.url, {}), undefined)),
    initialEntries: () => ({
      clients: entries.clientsAt(server.issuer),
      users: entries.users,
      scopes: policy.scopes,
    }),
  };
  const pluginEndpoints: Endpoint[] = [];
  for (const endpoint of plugins.flatMap((plugin) => plugin.routes?.(app) ?? [])) {
    replaceByPath(pluginEndpoints, endpoint);
  }
  assertOwnPaths([...ownEndpoints, ...pluginEndpoints], paths);
  // The last route at a path counts: the home page for developers replaces that of the server.
  for (const endpoint of pluginEndpoints) replaceByPath(allEndpoints, endpoint);
  links.push(...[...pluginEndpoints, ...ownEndpoints].flatMap(({ link }) => link ?? []));
  const protocolParameters: ParameterDescription[] = [];
  for (const { caller, metadataName, parameters = [], responseParameters = [] } of allEndpoints) {
    declareNames(declaredNames, [...parameters, ...responseParameters]);
    for (const { name, secret } of parameters) {
      if (secret !== undefined && caller === "client") credentialParameters.add(name);
    }
    if (metadataName !== undefined) protocolParameters.push(...parameters);
  }
  const routes = [...ownEndpoints, ...pluginEndpoints].flatMap((endpoint) =>
    [endpoint.path, ...endpoint.aliases ?? []].map((path) => endpointRoute({ ...endpoint, path }, protocolParameters))
  );
  let findRoute = routeFinder(routes);
  let headers = securityHeaders(issuer);
  const handleRoute = router((path) => findRoute(path), {
    createContext: contextFactory(
      app,
      plugins,
      emit,
      settings.isIssuerFromHost ? serverByHost(server, serverAt) : undefined,
    ),
    handleError: async (error, context) =>
      await (await import("./error_response.ts")).errorResponse(context, error, pages.error),
    lastResort: (cause, target, context) => lastResortError(context?.server ?? server, target, cause),
    permissiveCors: settings.allows.unknownClients,
    headers: () => headers,
  });
  const handle = settings.seeOther ? seeOther(handleRoute) : handleRoute;
  function addResource(resource: HostedResource, resourceEndpoints: readonly Endpoint[]): void {
    server.resources.host(resource);
    const added = resource.scopes.filter((value) => !scopes.includes(value));
    scopes.push(...added);
    userScopes.push(...added);
    for (const endpoint of resourceEndpoints) {
      declareNames(declaredNames, [...endpoint.parameters ?? [], ...endpoint.responseParameters ?? []]);
      replaceByPath(allEndpoints, endpoint);
      replaceByPath(routes, endpointRoute(endpoint));
    }
    findRoute = routeFinder(routes);
  }
  function moveTo(newIssuer: string): void {
    Object.assign(server, serverAt(newIssuer));
    headers = securityHeaders(newIssuer);
    if (!entries.hasDemoClients) return;
    // The demo clients follow the issuer, unless they were changed.
    for (const client of entries.clientsAt(newIssuer)) {
      const id = client.client_id;
      if (registered.known().get(id) === demoClients.get(id)) demoClients.set(id, registered.set(client));
    }
  }
  for (const plugin of plugins) plugin.setup?.(app, { addResource, addApp, moveTo });
  return { app, handle, moveTo };
}

/** The server with the replacements of its extensions. */
async function extend(base: Server, extensions: readonly Extension[]): Promise<Server> {
  let server = base;
  for (const extension of extensions) server = await extension.extend?.(server) ?? server;
  return server;
}

/** Replaces the item with the same path, or adds the item. */
function replaceByPath<T extends { readonly path: string }>(list: T[], item: T): void {
  const index = list.findIndex(({ path }) => path === item.path);
  list.splice(index < 0 ? list.length : index, 1, item);
}

/** HSTS (RFC 6797), except on a loopback host, where other programs use http on the same host. */
function securityHeaders(issuer: string): Readonly<Record<string, string>> | undefined {
  const { protocol, hostname } = new URL(issuer);
  return protocol === "https:" && !leadsToLoopback(hostname)
    ? { "strict-transport-security": "max-age=31536000" }
    : undefined;
}

/** The approver of `login: "auto"`. */
const automaticLogin: Approver = (request, situation) =>
  request.loginRequirements.prompt.includes("select_account")
    ? approveOrAsk(request, situation)
    : autoApprover(request, situation);
