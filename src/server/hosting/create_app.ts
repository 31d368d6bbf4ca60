/** Assembles a server from its options, and one request handler from endpoints and plugins. */

import { autoApprover } from "../login/auto_approver.ts";
import { keepsRequests, storedRequests } from "../stored_requests.ts";
import type { Approver } from "../../core/approver.ts";
import type { App } from "../app.ts";
import { createHandler, endpointRoute, endpointRoutes } from "../../core/route.ts";
import type { Endpoint, EndpointDescription, NavigationLink } from "../endpoint.ts";
import { createServer } from "../../core/create_server.ts";
import { credentialParametersOf, endpointPath } from "../../core/endpoint.ts";
import { grantFunctions } from "../../core/grants/narrow_grant.ts";
import { isResponse } from "../../core/http/message.ts";
import { immediate, immediateFunctions } from "../../core/immediate.ts";
import { endpointOrigin } from "../../core/names.ts";
import type { Site } from "../pages/layout.tsx";
import { parseTarget, type RequestHandler, routeFinder } from "../../core/router.ts";
import { randomToken } from "../../core/secrets.ts";
import type { Server } from "../../core/server.ts";
import { refreshToken } from "../../core/tokens/refresh_token.ts";
import { tokenIssuers } from "../../core/tokens/mod.ts";
import { recentChallenges, rememberChallenge } from "../explain/recent_challenges.ts";
import { createFetching } from "../fetching/fetching.ts";
import { defaultOutbound } from "../fetching/outbound.ts";
import { type DeclaredNames, declareNames } from "../redaction/hide_secrets.ts";
import { lifetimeMetadata, refreshTokenWithLifetimes } from "../refresh_lifetimes.ts";
import { rememberIssued } from "../redaction/issued_secrets.ts";
import { registeredSecrets } from "../redaction/registered_secrets.ts";
import { acceptedSigningAlgorithms } from "../../core/keys/signing_algorithm.ts";
import { background } from "./background.ts";
import { claimResponses } from "./claim_responses.ts";
import { signLimitedToken } from "./limit_token.ts";
import { accessTokenFunctions } from "../entries/access_tokens.ts";
import { generationFunctions } from "../entries/generations.ts";
import { hostedAuthentication } from "../entries/client_authentication.ts";
import { clientRepository } from "../entries/client_repository.ts";
import { assertOwnPaths, atConfiguredPaths } from "./configured_paths.ts";
import { hostedEndpoints, protocolEndpoints } from "./endpoints.ts";
import type { Extension } from "./extension.ts";
import { crossOriginHeaders } from "../cross_origin_headers.ts";
import { announcedModes } from "../metadata_setting.ts";
import type { HostedResource, HostedServer } from "../hosted_server.ts";
import { serverNames } from "../config/server_names.ts";
import type { AppChanges, LatchkeyOptions } from "./options.ts";
import { type CreateRepository, recordPrefix } from "../entries/repository.ts";
import { contextFactory, type EmitEvent, HostedContext } from "./request_context.ts";
import { describeGrantType, isPermitted } from "../standing.ts";
import { hostedResources } from "./hosted_resources.ts";
import { serverClients } from "../entries/server_clients.ts";
import { withAnySecret, withUnregisteredClients } from "../entries/unregistered_clients.ts";
import type { Keys } from "../../core/keys/keys.ts";
import type { KeyRotation } from "./rotating_keys.ts";
import { serverClaimRules } from "../config/received_claims.ts";
import type { ResolvedSettings } from "../config/resolve_settings.ts";
import type { ServerPolicy } from "../config/server_policy.ts";
import { type OnSessionsOver, userRepository, type UserWarnings } from "../entries/user_repository.ts";
import { endUserSessions, endWatchedSession } from "./end_user_sessions.ts";
import { acceptedRequests } from "../explain/accepted_request.ts";
import { traceObservation } from "../explain/observations.ts";
import { rateLimiter } from "./rate_limiter.ts";

/** The dependencies of the assembly besides the options. */
interface AppDependencies extends Pick<HostedServer, "store" | "now" | "randomBytes" | "trace"> {
  readonly keys: Keys & KeyRotation;
  /** The policy, and the clients and users at the start. */
  readonly resolved: ResolvedSettings;
  /** The extensions of the server. */
  readonly extensions: readonly Extension[];
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
  readonly interaction?: typeof import("../login/mod.ts");
  /** Adds an app to the host of the server. */
  readonly addApp: AppChanges["addApp"];
  /** Adds a task of a plugin for each second. */
  readonly everySecond: AppChanges["everySecond"];
}

/** The members that the core lacks, or has with fewer functions. */
type HostedMember =
  | Exclude<keyof HostedServer, keyof Server>
  | "claims"
  | "clients"
  | "endSession"
  | "observe"
  | "resources"
  | "settings"
  | "trace"
  | "users";

/** The members of a server that depend on its issuer. */
type IssuerMembers = Pick<HostedServer, "issuer" | "names" | "audience" | "assertionAudiences">;

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
    resolved,
    extensions,
    emit,
    hasListener,
    dispatch,
    createRepository,
    interaction,
    userWarnings,
    addApp,
    everySecond,
    keys,
    ...given
  } = dependencies;
  const { policy, issuer, audience, clientsAt, users } = resolved;
  // Hosted resources add their scope values.
  const scopes = [...policy.scopes];
  const userScopes = [...policy.userScopes];
  const settings: ServerPolicy = { ...policy, scopes, userScopes };
  const { plugins = [], pages = {} } = options;
  const base = new URL(issuer).pathname.replace(/\/$/, "");
  const claims = serverClaimRules(settings);
  const { privateHosts } = settings;
  const outbound = options.outbound ??
    defaultOutbound(() => ({ issuer: server.issuer, privateHosts, allows: settings.allows }));
  const registered = clientRepository(
    settings,
    { clients: clientsAt(issuer), audience: audience ?? issuer },
    createRepository,
  );
  const demoClients = new Map(registered.known());
  const declaredNames: DeclaredNames = new Map();
  const openLogin = settings.insecureAllowOpenLogin || settings.allows.openLogin;
  // The change of a user does not wait for the logout of clients.
  const onSessionsOver: OnSessionsOver = (user, cause) =>
    server.background.start(
      "users",
      async () => await endUserSessions(server, user, cause),
    );
  const own = await createServer<Pick<HostedServer, HostedMember>>({
    keys,
    extensions: hasListener ? [...extensions, acceptedRequests] : extensions,
    grantTypes: options.grantTypes,
    given: {
      ...given,
      keyRotation: keys,
      issuer,
      settings,
      observe: hasListener ? traceObservation : undefined,
      addTexts: async (ofRequest, error) => await (await import("../rules.ts")).addTexts(ofRequest, error),
      permits: isPermitted,
      newToken({ settings, randomBytes }: HostedServer, kind, value = randomToken(randomBytes)) {
        rememberIssued(value);
        return (settings.tokenPrefixes[kind] ?? "") + value;
      },
      tokenIssuers: tokenIssuers.map((issue) => issue === refreshToken ? refreshTokenWithLifetimes : issue),
      grants: {
        ...grantFunctions,
        ...generationFunctions,
        ...accessTokenFunctions,
        recordUse(server: HostedServer, client, request) {
          if (client.standing === "unknown") server.fetching.recordUse(client.id);
          if (request?.codeChallenge !== undefined) rememberChallenge(server, client, request.codeChallenge);
        },
      },
      recentChallenges: recentChallenges(),
      clients: serverClients(registered, recordPrefix(options)),
      registeredSecrets: registeredSecrets(registered, declaredNames),
      users: userRepository(
        settings,
        users,
        {
          ...given,
          claims,
          userWarnings,
          requirePasswords: interaction !== undefined && !openLogin,
          acceptsGuests: interaction !== undefined && openLogin || settings.unknownLoginHint === "create",
          onSessionsOver,
        },
        createRepository,
      ),
      claims,
      responses: claimResponses,
      jwtResponses: { findEncryption: () => undefined, signIntrospection: () => undefined },
      resources: hostedResources(settings),
      fetching: createFetching(outbound, given.now),
      sender: undefined,
      certificateListener: undefined,
      deliveries: [],
      sessionWatchers: [],
      endSession: async (ofRequest: HostedServer, session) => await endWatchedSession(ofRequest, session),
      assertionAudiences: [],
      background: background(given),
      rateLimiter: settings.throttle ? rateLimiter(given.now) : undefined,
    },
  });
  Object.assign(own, {
    keys: { ...own.keys, signToken: signLimitedToken },
    grantTypes: own.grantTypes.map(describeGrantType),
  });
  if (settings.acceptsAny.includes("clients")) {
    const grantTypes = own.grantTypes.map(({ type }) => type);
    Object.assign(own, {
      clients: withUnregisteredClients(own.clients, settings, grantTypes),
      clientAuthentication: own.clientAuthentication.map(withAnySecret),
    });
  }
  const consume = async (ofRequest: HostedServer, id: string) => await storedRequests(ofRequest).consume(ofRequest, id);
  Object.assign(own, {
    requestParts: { ...own.requestParts, consume },
    responseModes: announcedModes(own.responseModes),
  });
  const approver = keepsRequests(plugins.reduceRight(
    (inner, plugin) => immediate("approve of a plugin", plugin.approve?.(inner, interaction !== undefined)) ?? inner,
    options.approver ?? interaction?.pagesApprover() ?? automaticLogin,
  ));
  const autoLogin = settings.login === "auto" && options.approver === undefined;
  const { paths } = settings;
  const ownEndpoints = atConfiguredPaths(
    [
      ...protocolEndpoints({
        server: own,
        base,
        extensions: [hostedMetadata, ...extensions],
        approver,
        repeatWithCookies: interaction?.repeatWithCookies,
      }),
      ...hostedEndpoints({ server: own, base, extensions, approver, autoLogin, interaction, openLogin, pages }),
    ],
    base,
    paths,
  );
  const tokenPath = endpointPath({ endpoints: ownEndpoints }, "token");
  const membersOf = (currentIssuer: string): IssuerMembers => {
    const names = serverNames(currentIssuer, settings);
    return {
      issuer: currentIssuer,
      names,
      audience: audience ?? currentIssuer,
      assertionAudiences: settings.assertionAudience === "issuer-or-token-endpoint"
        ? [endpointOrigin({ names }, { metadataName: "token_endpoint" }) + tokenPath]
        : [],
    };
  };
  /** The server with an issuer, as plugins extend it. */
  const serverAt = (issuer: string): HostedServer => {
    const atIssuer: HostedServer = { ...own, ...membersOf(issuer) };
    const extended = plugins.reduceRight((inner, one) => {
      const outer = immediate("extend of a plugin", one.extend?.(inner));
      return outer === undefined ? inner : { ...outer, ...immediateFunctions(inner, outer, "a plugin") };
    }, atIssuer);
    return { ...extended, clientAuthentication: extended.clientAuthentication.map(hostedAuthentication) };
  };
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
    formPostPage: async (...page) => await (await import("./page_handlers.ts")).formPostPage(...page),
    endpoints: allEndpoints,
    findEndpoint: (path) => findRoute(path)?.endpoint as EndpointDescription | undefined,
    credentialParameters,
    handleError: async (...failure) =>
      await (await import("../errors/error_response.ts")).explainedErrorHandler(pages.error)(...failure),
    dispatch,
    traceFor: (request, event) => emit(event, new HostedContext(app, request, parseTarget(request.url, {}), undefined)),
    initialEntries: () => ({
      clients: clientsAt(server.issuer),
      users,
      scopes: policy.scopes,
    }),
  };
  const pluginEndpoints: Endpoint[] = [];
  for (const endpoint of plugins.flatMap((plugin) => immediate("routes of a plugin", plugin.routes?.(app)) ?? [])) {
    replaceByPath(pluginEndpoints, endpoint);
  }
  assertOwnPaths([...ownEndpoints, ...pluginEndpoints], paths);
  // The last route at a path counts: the home page for developers replaces that of the server.
  for (const endpoint of pluginEndpoints) replaceByPath(allEndpoints, endpoint);
  links.push(...[...pluginEndpoints, ...ownEndpoints].flatMap(({ link }) => link ?? []));
  for (const { parameters = [], responseParameters = [] } of allEndpoints) {
    declareNames(declaredNames, [...parameters, ...responseParameters]);
  }
  for (const name of credentialParametersOf(allEndpoints)) credentialParameters.add(name);
  const byHost = settings.isIssuerFromHost ? await import("./server_by_host.ts") : undefined;
  const admit = byHost?.rejectOtherHost;
  const routes = endpointRoutes([...ownEndpoints, ...pluginEndpoints], admit);
  let findRoute = routeFinder(routes);
  const handler = createHandler((path) => findRoute(path), {
    server,
    createContext: contextFactory(app, plugins, emit, byHost?.serverByHost(server, serverAt)),
    crossOriginHeaders,
  });
  const handle = rememberCookies(settings.seeOther ? seeOther(handler) : handler);
  function addResource(resource: HostedResource, resourceEndpoints: readonly Endpoint[]): void {
    server.resources.host(resource);
    const added = resource.scopes.filter((value) => !scopes.includes(value));
    scopes.push(...added);
    userScopes.push(...added);
    for (const endpoint of resourceEndpoints) {
      declareNames(declaredNames, [...endpoint.parameters ?? [], ...endpoint.responseParameters ?? []]);
      replaceByPath(allEndpoints, endpoint);
      replaceByPath(routes, endpointRoute(endpoint, [], admit));
    }
    findRoute = routeFinder(routes);
  }
  function moveTo(newIssuer: string): void {
    Object.assign(server, serverAt(newIssuer));
    if (!resolved.hasDemoClients) return;
    // The demo clients follow the issuer, unless they were changed.
    for (const client of clientsAt(newIssuer)) {
      const id = client.client_id;
      if (registered.known().get(id) !== demoClients.get(id)) continue;
      // It is configured, and so changes in memory, immediately.
      registered.set(client);
      demoClients.set(id, registered.known().get(id)!);
    }
  }
  for (const plugin of plugins) {
    immediate("setup of a plugin", plugin.setup?.(app, { addResource, addApp, everySecond, moveTo }));
  }
  return { app, handle, moveTo };
}

/** Replaces the item with the same path, or adds the item. */
function replaceByPath<T extends { readonly path: string }>(list: T[], item: T): void {
  const index = list.findIndex(({ path }) => path === item.path);
  list.splice(index < 0 ? list.length : index, 1, item);
}

/** Replaces 302 by 303, with which a browser never repeats the method and the body of its request (RFC 9700 §4.12). */
function seeOther(handle: RequestHandler): RequestHandler {
  return async (request, peer) => {
    const response = await handle(request, peer);
    return response.status !== 302 || isResponse(response) ? response : { ...response, status: 303 };
  };
}

/** Remembers the secrets of cookies: each has a MAC, which the core makes. */
function rememberCookies(handle: RequestHandler): RequestHandler {
  return async (request, peer) => {
    const response = await handle(request, peer);
    const cookies = isResponse(response) ? undefined : response.headers["set-cookie"];
    for (const [word] of cookies?.matchAll(/[\w-]{43,}/g) ?? []) rememberIssued(word);
    return response;
  };
}

/** What metadata has besides that of the core and of extensions; hosted resources: RFC 9728 §4. */
const hostedMetadata: Pick<Extension, "name" | "metadata"> = {
  name: "of the whole server",
  metadata: (server) => ({
    subject_types_supported: server.settings.subjectTypes,
    userinfo_signing_alg_values_supported: acceptedSigningAlgorithms(server.settings),
    protected_resources: server.resources.hosted.map(({ identifier }) => identifier),
    ...lifetimeMetadata(server),
  }),
};

/** The approver of `login: "auto"`. */
const automaticLogin: Approver = async (request, situation) =>
  request.loginRequirements.prompt.includes("select_account")
    ? await (await import("./page_handlers.ts")).approveOrAsk(request, situation)
    : await autoApprover(request, situation);
