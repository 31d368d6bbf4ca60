/** The plan of the house: options become a Server, a Server becomes a list of routes, the list becomes one function. */

import { asBareJson, asPage } from "../app/error_response.ts";
import { autoApprover } from "../app/approver.ts";
import type { Approver } from "../app/approver.ts";
import { askApprover, authorizeEndpoint } from "../endpoints/authorize.ts";
import { discoveryEndpoints } from "../endpoints/discovery.ts";
import { urlOf } from "../app/endpoint.ts";
import type { Desk, Endpoint } from "../app/endpoint.ts";
import { algorithmsInUse, jwksEndpoint } from "../endpoints/jwks.ts";
import type { Layer } from "../app/plugin.ts";
import { lazyEndpoint } from "../app/lazy_endpoint.ts";
import type { Pages } from "../app/pages.ts";
import { proxyFaults, trustedProxies } from "./trusted_proxies.ts";
import { tokenEndpoint } from "../endpoints/token.ts";
import { asResponse, ConnectionDropped, isDropped } from "../http/message.ts";
import type { Incoming } from "../http/message.ts";
import { senderOf } from "../http/client_address.ts";
import { matchesPath, readTarget, router } from "../http/router.ts";
import type { Handle, Peer } from "../http/router.ts";
import { claimRules } from "../oauth/claims.ts";
import { knowClient, readClient, registry, writeClient } from "../oauth/clients/repository.ts";
import type { Clients, Sharing, Users } from "../oauth/clients/repository.ts";
import { isLoopback } from "../oauth/test_hosts.ts";
import { grants } from "../oauth/grants/mod.ts";
import { signWith, storedKeys } from "../oauth/keys/keys.ts";
import type { Keys, KeySource, SigningAlgorithm } from "../oauth/keys/keys.ts";
import { withoutPassword } from "../oauth/users/password.ts";
import { registeredSecrets } from "../oauth/clients/registered_secrets.ts";
import type { RegisteredSecrets } from "../oauth/clients/registered_secrets.ts";
import { dismiss } from "../oauth/users/guest_user.ts";
import { knowResources } from "../oauth/authorize/resources.ts";
import { recent } from "../oauth/bounded_cache.ts";
import { drawName } from "../oauth/secrets.ts";
import type { Dice } from "../oauth/secrets.ts";
import type { Outbound, Server } from "../oauth/server.ts";
import { userWarnings } from "../oauth/config/claim_warnings.ts";
import { audienceFaults, clientFaults } from "../oauth/clients/validate_client.ts";
import type { ClientMetadata, User } from "../oauth/clients/client.ts";
import type { Changes, Subject } from "../oauth/clients/changes.ts";
import { quote } from "../oauth/config/config_issue.ts";
import type { Fault } from "../oauth/config/config_issue.ts";
import { hasTestHost, localIssuer, settle } from "../oauth/config/settings.ts";
import type { Settings } from "../oauth/config/settings.ts";
import { ConfigurationError } from "../oauth/config/configuration_error.ts";
import { settingsWarnings } from "../oauth/config/settings_warnings.ts";
import {
  isRealHost,
  optionTypeFaults,
  settingsFaults,
  unknownFaults,
  userFaults,
} from "../oauth/config/validate_settings.ts";
import { throttle } from "../oauth/rate_limiter.ts";
import { tokenIssuers } from "../oauth/tokens/mod.ts";
import { veiled } from "../oauth/trace.ts";
import type { Trace, TraceEvent } from "../oauth/trace.ts";
import { memoryStore } from "../store/memory.ts";
import type { Store } from "../store/store.ts";

/** What an embedding program may give: the settings of a configuration file, and the outside world. */
export interface LatchkeyOptions extends Settings {
  /** Where records are kept. Default: a new {@link memoryStore}. The server closes it when it is closed. */
  readonly store?: Store | Promise<Store>;
  /** The clock: milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: () => number;
  /** The dice: that many random bytes. Default: `crypto.getRandomValues`. */
  readonly random?: Dice;
  /** Is told what happens. Default: nobody is. */
  readonly trace?: Trace;
  /** Says who is logged in and what they allow, whatever `login` is. Default: what `login` means. */
  readonly approver?: Approver;
  /** Fetches what clients point to, their `jwks_uri`. Default: `fetch`. */
  readonly outbound?: Outbound;
  /** Draws the pages. Default: the server's own, loaded when the first page is asked for. */
  readonly pages?: () => Promise<Pages>;
  /** Makes signing keys, and signs with them where WebCrypto does not. Default: they are generated. */
  readonly keySource?: KeySource;
  /** What `issuer` is until the server listens, where it follows the port. Default: `http://localhost:9000`. */
  readonly issuerUntilListening?: string;
  /** What wraps the server from outside; the first one is the outermost. Default: nothing. */
  readonly layers?: readonly Layer[];
}

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
  fetch(request: Request, peer?: Peer): Promise<Response>;
  /** The registered clients, changeable at any time. */
  readonly clients: Clients;
  /** The users, changeable at any time; the first one is who `login: "auto"` logs in. */
  readonly users: Users;
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
const tendInterval = 60_000;

/** Code challenges remembered, to notice one that is used again. */
const rememberedChallenges = 10_000;

/**
 * The clocks of instances on one store may differ by as much, in milliseconds: what has expired by this instance's clock
 * stays until it has by the others', so that what was used or revoked is not forgotten before they refuse it as expired.
 */
const clockTolerance = 30_000;

/** Expired records are swept this often, in milliseconds by the server's clock. */
const sweepInterval = 1000;

/** Changes that other instances made of clients and users are looked for this often, in milliseconds by that clock. */
const catchUpInterval = 500;

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
  refuseFaults(optionTypeFaults(options));
  const given = options.store instanceof Promise ? await options.store : options.store;
  const store = given ?? memoryStore();
  const now = options.now ?? Date.now;
  const random = options.random ?? systemDice();
  const trace = quietly(options.trace, () => house.server.registeredSecrets);
  const { access_token, id_token } = settle(options, "").lifetimes;
  const issuer = options.issuer ?? options.issuerUntilListening ?? localIssuer(9000);
  const testKeys = hasTestHost(issuer) ? "accepted" : "refused";
  const { keySource: source } = options;
  const keys = storedKeys(store, now, trace, Math.max(access_token, id_token), { source, testKeys });

  const { layers = [] } = options;

  const answer: Handle = (request, from) => {
    sweep();
    // Layers may do with it as they like, now and later.
    const peer = layers.length === 0 || from === undefined ? from : { address: from.address, ...from };
    return outermost(
      request,
      trusted === undefined || peer === undefined ? peer : senderOf(request, peer, trusted, options.proxyHeader),
    );
  };

  // Loaded by those alone whose users are asked something.
  const pagesAsk = options.login === "interactive" && options.approver === undefined;
  const interaction = pagesAsk ? await import("../interaction/mod.ts") : undefined;

  /** Over the network there is nobody to catch what a layer throws. */
  const answerAnyhow: Handle = layers.length === 0 ? answer : async (request, peer = {}) => {
    try {
      return await answer(request, peer);
    } catch (cause) {
      return asBareJson(house.server, readTarget(request.url, peer), cause);
    }
  };

  const mark = () => drawName(random);
  const changes = store.lasting === true
    ? await openChanges(options, { store, issuer, random }, mark, ({ of, id }) =>
      trace({
        type: "warning",
        at: now(),
        client: of === "clients" ? id : undefined,
        why: {
          rule: "OP-10",
          reason: `a change at run time was dropped: ${of === "clients" ? "client" : "user"} ${quote(id)}`,
          expected: "the configuration entry that the change was made to",
          received: "a changed or removed entry, or a change without the digest of its entry",
        },
      }))
    : undefined;
  const sharing = changes && {
    changes,
    mark,
    refused: (cause: unknown) => trace({ type: "bug", at: now(), endpoint: "changes", cause }),
  };
  const dismissGuest = async (sub: string) => await dismiss(house.server, sub);
  const world = { store, now, random, trace, keys, ask: answer, interaction, sharing, dismissGuest };
  let house = assemble(options, issuer, world);
  for (const warning of settingsWarnings(options, issuer)) {
    trace({ type: "configuration_warning", at: now(), ...warning });
  }
  const trusted = trustedProxies(options.trustProxy);
  // A test's store, taken along to a real host, is refused here and not at the first login.
  if (testKeys === "refused") await keys.published([]);
  const innermost: Handle = (request, peer) => house.answer(request, peer);
  const outermost = layers.reduceRight((next, layer) => layer.around?.(next) ?? next, innermost);
  const listening: { close(): Promise<void> }[] = [];
  let timer: ReturnType<typeof setInterval> | undefined;
  let swept = now();
  let caughtUp = now();
  let behind = false;
  let isStoredTold = false;
  let sweeping: Promise<unknown> | undefined;
  let tended = now();
  let closed: Promise<void> | undefined;

  /** Keys: takes over what other instances made, and makes the next where the schedule asks for it. */
  const tendKeys = async () => {
    await keys.refresh();
    const { rotateEvery } = settle(options, house.server.issuer).keys;
    if (rotateEvery === undefined) return;
    for (const alg of algorithmsInUse(house.server)) {
      if (await keys.newest(alg) + rotateEvery * 1000 <= now()) await self.rotateKeys(alg);
    }
  };

  const configured = { clients: house.server.clients.all(), users: house.server.users.all() };

  /** Traces once how the store's changes differ from the configuration. */
  function tellStored(): void {
    if (isStoredTold) return;
    isStoredTold = true;
    const { clients, users } = house.server;
    const told = [
      ["clients", compare(configured.clients, clients.all(), ({ id }) => id)],
      ["users", compare(configured.users, users.all(), ({ sub }) => sub)],
    ] as const;
    for (const [of, stored] of told) {
      if (Object.values(stored).some((ids) => ids.length > 0)) {
        trace({ type: "stored_changes", at: now(), of, ...stored });
      }
    }
  }

  /** Clients and users: takes over what other instances made of them. A failure is told once, until it is over. */
  async function catchUp(): Promise<void> {
    caughtUp = now();
    try {
      if (changes !== undefined) {
        await changes.catchUp();
        tellStored();
      }
      behind = false;
    } catch (cause) {
      if (!behind) trace({ type: "bug", at: now(), endpoint: "changes", cause });
      behind = true;
    }
  }

  const sweep = () => {
    if (changes !== undefined && Math.abs(now() - caughtUp) >= catchUpInterval) catchUp();
    if (Math.abs(now() - swept) < sweepInterval) return;
    swept = now();
    const failed = (cause: unknown) => trace({ type: "bug", at: now(), endpoint: "sweep", cause });
    // One at a time: a store that hangs is not asked again before it has answered or failed.
    sweeping ??= (async () => await store.sweep(swept - clockTolerance))().catch(failed).finally(() => {
      sweeping = undefined;
    });
    if (Math.abs(now() - tended) < tendInterval) return;
    tended = now();
    tendKeys().catch(failed);
  };

  await catchUp();

  const self: Latchkey = {
    get issuer() {
      return house.server.issuer;
    },
    get clients() {
      return house.server.clients;
    },
    get users() {
      return house.server.users;
    },
    async fetch(request, peer) {
      const given = await answer(request, peer);
      if (isDropped(given)) throw new ConnectionDropped();
      return asResponse(given);
    },
    async rotateKeys(alg = house.server.alg, lead = settle(options, house.server.issuer).keys.lead) {
      if (!(lead >= 0 && Number.isFinite(lead))) {
        throw new RangeError(`lead: expected 0 seconds or more, found ${lead}; the default is the setting keys.lead`);
      }
      await keys.rotate(alg, lead);
    },
    async listen({ port, host = "localhost", tls } = {}) {
      const { serve } = await import("../runtime/serve.ts");
      // Keys are slow to make: begin now, and let who needs one wait. A failure is met again, and answered, there.
      for (const alg of algorithmsInUse(house.server)) Promise.resolve(keys.signer(alg)).catch(() => {});
      const { promise: settled, resolve: begin } = Promise.withResolvers<void>();
      let ready: Handle = (request, peer) => settled.then(() => answerAnyhow(request, peer));
      const scheme = tls === undefined ? "http" : "https";
      const wanted = port ?? (Number(new URL(house.server.issuer).port) || 9000);
      const bound = await serve((request, peer) => ready(request, peer), { port: wanted, host, tls });
      listening.push(bound);
      timer ??= setInterval(sweep, changes === undefined ? sweepInterval : catchUpInterval);
      if (options.issuer === undefined && listening.length === 1) {
        house = assemble(options, localIssuer(bound.port, scheme), world, house.server);
      }
      ready = answerAnyhow;
      begin();
      return { url: `${scheme}://${host.includes(":") ? `[${host}]` : host}:${bound.port}` };
    },
    close() {
      return closed ??= (async () => {
        clearInterval(timer);
        // First, so that what never ends by itself ends now and is not waited for.
        for (const layer of layers) layer.close?.();
        await Promise.all(listening.map((bound) => bound.close()));
        // What was changed and is not written yet has its last chance.
        await changes?.written().catch(() => {});
        await store.close();
      })();
    },
    async [Symbol.asyncDispose]() {
      await self.close();
    },
  };
  return self;
}

/** The stored changes of clients and users, for a server with these options. */
async function openChanges(
  options: LatchkeyOptions,
  owner: Pick<Server, "issuer" | "store" | "random">,
  mark: () => string,
  dropped: (subject: Subject) => void,
): Promise<Changes> {
  const [{ storedChanges }, { configuredEntries }] = await Promise.all([
    import("../oauth/clients/changes.ts"),
    import("../oauth/clients/configured.ts"),
  ]);
  // Keyed by the configured issuer: the issuer in effect may depend on the port.
  const issuer = options.issuer ?? "";
  const entry = configuredEntries(owner, settle(options, issuer));
  return storedChanges(owner.store, issuer, { entry, mark, dropped });
}

/** Differences between a list and the configured one, by id. */
function compare<Known>(
  configured: readonly Known[],
  found: readonly Known[],
  idOf: (known: Known) => string,
): Pick<Extract<TraceEvent, { type: "stored_changes" }>, "replaced" | "removed" | "added"> {
  const now = new Map(found.map((known) => [idOf(known), known]));
  const before = new Set(configured.map(idOf));
  return {
    replaced: configured.filter((known) => now.has(idOf(known)) && now.get(idOf(known)) !== known).map(idOf),
    removed: configured.filter((known) => !now.has(idOf(known))).map(idOf),
    added: [...now.keys()].filter((id) => !before.has(id)),
  };
}

/** What the header leads to where clients and users may be seen. */
const directoryLinks = [{ label: "Clients", path: "/clients" }, { label: "Users", path: "/users" }];

/** What stays the same when the issuer changes. */
interface World {
  readonly store: Store;
  readonly now: () => number;
  readonly random: Dice;
  readonly trace: Trace;
  readonly keys: Keys;
  readonly ask: Handle;
  /** How changes of clients and users are shared; absent where the store does not last. */
  readonly sharing?: Sharing;
  /** Asks people by pages; absent where an approver decides. */
  readonly interaction?: typeof import("../interaction/mod.ts");
  /** Removes a guest user from the store. */
  readonly dismissGuest: (sub: string) => Promise<void>;
}

interface House {
  readonly server: Server;
  readonly answer: Handle;
}

/**
 * Puts the server together for one issuer. Every endpoint there is stands in this list.
 *
 * @param before The server under its former issuer, whose clients and users are taken over.
 */
function assemble(
  options: LatchkeyOptions,
  issuer: string,
  { ask, interaction, sharing, dismissGuest, ...world }: World,
  before?: Server,
): House {
  refuseFaults(optionFaults(options, issuer));
  const settled = settle(options, issuer);
  const know = (client: ClientMetadata) => {
    refuseFaults([...clientFaults(client, settled), ...audienceFaults(client, settled.audience)]);
    return knowClient(client, settled);
  };
  const clients = before?.clients ?? registry(settled.clients, {
    of: "clients",
    id: (client) => client.client_id,
    know,
    write: writeClient,
    read: (written) => readClient(written, know),
  }, sharing);
  if (before !== undefined && options.clients === undefined) {
    // The redirect URI of demo clients follows the issuer, unless somebody has changed it.
    const former = settle(options, before.issuer).clients;
    for (const [i, client] of settled.clients.entries()) {
      const known = clients.find(client.client_id);
      if (String(known?.redirectUris) === String(former[i]!.redirect_uris)) clients.set(client, false);
    }
  }
  const meetUser = (user: User) => {
    refuseFaults([...userFaults(user, isRealHost(issuer))]);
    return withoutPassword(user);
  };
  const claims = claimRules(settled);
  const configured = new Set(settled.users);
  const users = before?.users ?? registry(settled.users, {
    of: "users",
    id: (user) => user.sub,
    know(user) {
      const known = meetUser(user);
      // Configured users are checked together at start.
      if (!configured.has(user)) {
        for (const warning of userWarnings(claims, settled.scopes, user)) {
          world.trace({ type: "configuration_warning", at: world.now(), ...warning });
        }
      }
      return known;
    },
    write: (user) => user,
    read: (written) => meetUser(written as User),
    erase: dismissGuest,
  }, sharing);
  const server: Server = {
    ...world,
    issuer,
    sign: signWith(world.keys),
    grants,
    issuers: tokenIssuers,
    clients,
    registeredSecrets: before?.registeredSecrets ?? registeredSecrets(clients),
    users,
    openLogin: interaction && (settled.insecureAllowOpenLogin || hasTestHost(issuer)),
    scopes: settled.scopes,
    claims,
    defaultScope: settled.defaultScope,
    alg: settled.alg,
    audience: settled.audience,
    lifetimes: settled.lifetimes,
    pkce: settled.pkce,
    refresh: settled.refresh,
    outbound: options.outbound ?? fetch,
    assertionAudiences: settled.assertionAudience === "issuer" ? [] : [urlOf(issuer, "/oauth2/token")],
    resources: knowResources(settled.resources, hasTestHost(issuer)),
    throttle: settled.throttle ? throttle(world.now) : undefined,
    recentChallenges: recent(rememberedChallenges),
  };
  const base = new URL(issuer).pathname.replace(/\/$/, "");
  const pages = options.pages ?? (async () => (await import("../ui/mod.ts")).pages);
  const { layers = [] } = options;
  const isListed = settled.directory !== "off";
  const links = [
    ...isListed ? directoryLinks : [],
    ...layers.flatMap(({ links = [] }) => links),
    ...interaction ? [interaction.accountLink] : [],
  ];
  const site = { issuer, base, links };
  const desk: Desk = {
    server,
    site,
    pages,
    ask,
    serves: (path) => routes.some((route) => matchesPath(route, path)),
    during: (request) => during(desk, layers, request),
    trailTo: (response) =>
      layers.reduce<string | undefined>((found, layer) => found ?? layer.trailTo?.(response), undefined),
  };

  const asking = interaction?.interaction(desk);
  const endpoints = [
    authorizeEndpoint(desk, asking?.decide ?? askApprover(options.approver ?? autoApprover)),
    tokenEndpoint(desk),
    jwksEndpoint(desk),
    lazyEndpoint(
      { name: "userinfo_endpoint", path: `${base}/oauth2/userinfo`, methods: ["GET", "POST"], cors: true },
      async () => (await import("../endpoints/userinfo.ts")).userinfo(desk),
    ),
    lazyEndpoint(
      { name: "revocation_endpoint", path: `${base}/oauth2/revoke`, methods: ["POST"], cors: true },
      async () => (await import("../endpoints/revoke.ts")).revocation(desk),
    ),
    lazyEndpoint(
      { name: "introspection_endpoint", path: `${base}/oauth2/introspect`, methods: ["POST"] },
      async () => (await import("../endpoints/introspect.ts")).introspection(desk),
    ),
    lazyEndpoint(
      { name: "end_session_endpoint", path: `${base}/oauth2/logout`, methods: ["GET", "HEAD", "POST"] },
      async () => (await import("../endpoints/logout.ts")).logout(desk),
    ),
  ];
  const directory = {
    edit: settled.directory === "edit",
    unattended: settled.login === "auto" && options.approver === undefined,
  };
  const added = layers.flatMap((layer) => layer.endpoints?.(desk) ?? []);
  const published = [...endpoints, ...added];
  const listMethods = directory.edit ? ["GET", "POST"] as const : ["GET"] as const;
  const routes: Endpoint[] = [
    ...endpoints,
    ...discoveryEndpoints(desk, published),
    lazyEndpoint(
      { path: `${base}/`, methods: ["GET"] },
      async () => (await import("../site/home.ts")).home(desk, published, isListed),
    ),
    lazyEndpoint(
      { path: `${base}/start`, methods: ["GET"] },
      async () => (await import("../site/start.ts")).start(desk),
    ),
    lazyEndpoint(
      { path: `${base}/authorized`, methods: ["GET", "POST"] },
      async () => (await import("../site/callback.ts")).authorized(desk),
    ),
    lazyEndpoint(
      { path: `${base}/authorized/try`, methods: ["GET", "POST"] },
      async () => (await import("../site/playground/playground.ts")).trial(desk),
    ),
    lazyEndpoint(
      { path: `${base}/static/*`, methods: ["GET"] },
      async () => (await import("../site/static_files.ts")).assets(desk),
    ),
    lazyEndpoint(
      { path: "/favicon.ico", methods: ["GET"] },
      async () => (await import("../site/static_files.ts")).favicon(desk),
    ),
    ...asking?.endpoints ?? [],
    ...isListed
      ? [
        lazyEndpoint(
          { path: `${base}/clients`, methods: listMethods },
          async () => (await import("../admin/clients.ts")).clients(desk, directory),
        ),
        lazyEndpoint(
          { path: `${base}/clients/*`, methods: listMethods },
          async () => (await import("../admin/clients.ts")).client(desk, directory),
        ),
        lazyEndpoint(
          { path: `${base}/users`, methods: listMethods },
          async () => (await import("../admin/users.ts")).users(desk, directory),
        ),
        lazyEndpoint(
          { path: `${base}/users/*`, methods: listMethods },
          async () => (await import("../admin/users.ts")).user(desk, directory),
        ),
      ]
      : [],
    ...added,
  ];
  const route = router(routes, {
    refuse: (fault, target, request) => asPage(desk.during(request), target, fault),
    bug: (cause, target, request) => asBareJson(desk.during(request).server, target, cause),
    anyCorsHeader: hasTestHost(issuer),
    headers: isForHttpsAlone(issuer) ? { "strict-transport-security": "max-age=31536000" } : undefined,
  });

  for (const layer of layers) layer.open?.(desk);
  return { server, answer: route };
}

/** What one request is answered with: the server, as the layers around it want it. */
function during(desk: Desk, layers: readonly Layer[], request: Incoming): Desk {
  let { server } = desk;
  for (let i = layers.length - 1; i >= 0; i--) server = layers[i]!.during?.(server, request) ?? server;
  let trail: string | undefined;
  for (const layer of layers) trail ??= layer.trail?.(request);
  if (server === desk.server && trail === undefined) return desk;
  if (server.trace !== desk.server.trace) server = { ...server, trace: harmless(server.trace) };
  const here: Desk = { ...desk, server, site: { ...desk.site, trail }, during: () => here };
  return here;
}

/** Whether browsers are to use nothing but https for that host; on this machine other programs speak http beside it. */
function isForHttpsAlone(issuer: string): boolean {
  const { protocol, hostname } = new URL(issuer);
  return protocol === "https:" && !isLoopback(hostname);
}

/**
 * Every fault in options whose shape is right, all at once.
 *
 * @param issuer The issuer in effect.
 */
export function optionFaults(options: Settings, issuer: string): Fault[] {
  return [
    ...unknownFaults(options, Object.keys(optionNames)),
    ...settingsFaults(options, issuer),
    ...proxyFaults(options),
  ];
}

/** Every option there is; a type makes sure of that. */
const optionNames: Readonly<Record<keyof LatchkeyOptions, true>> = {
  issuer: true,
  login: true,
  clients: true,
  users: true,
  scopes: true,
  claims: true,
  unmappedClaims: true,
  idTokenClaims: true,
  accessTokenClaims: true,
  defaultScope: true,
  alg: true,
  audience: true,
  lifetimes: true,
  pkce: true,
  assertionAudience: true,
  keys: true,
  refresh: true,
  resources: true,
  directory: true,
  throttle: true,
  trustProxy: true,
  proxyHeader: true,
  insecureAllowHttpIssuer: true,
  insecureAllowHttpRedirectUris: true,
  insecureAllowAutoLogin: true,
  insecureAllowOpenLogin: true,
  insecureAllowDemoClients: true,
  insecureAllowDirectory: true,
  store: true,
  now: true,
  random: true,
  trace: true,
  approver: true,
  outbound: true,
  pages: true,
  keySource: true,
  issuerUntilListening: true,
  layers: true,
};

function refuseFaults(faults: readonly Fault[]): void {
  if (faults.length > 0) throw new ConfigurationError(faults);
}

/** Random bytes of the system, fetched many at a time, because a few cost as much to fetch as a thousand. */
function systemDice(): Dice {
  const pool = new Uint8Array(2048);
  let used = pool.length;
  return (bytes) => {
    if (bytes > pool.length) return crypto.getRandomValues(new Uint8Array(bytes));
    if (bytes > pool.length - used) {
      crypto.getRandomValues(pool);
      used = 0;
    }
    const drawn = new Uint8Array(bytes);
    // One by one: for so few, slice takes Bun several times as long. What was drawn is nobody's business any more.
    for (let i = 0; i < bytes; i++) {
      drawn[i] = pool[used]!;
      pool[used++] = 0;
    }
    return drawn;
  };
}

/** What the embedding program hears: fit for a log. */
function quietly(trace: Trace | undefined, registered: () => RegisteredSecrets): Trace {
  if (trace === undefined) return () => {};
  return harmless((event) =>
    trace(event.type === "refused" || event.type === "warning" ? veiled(event, registered()) : event)
  );
}

/** A trace that cannot hurt: who listens must not be able to break what is listened to. */
function harmless(trace: Trace): Trace {
  return (event) => {
    try {
      trace(event);
    } catch {
      // Dropped, as it is promised.
    }
  };
}
