/** The plan of the house: options become a Server, a Server becomes a list of routes, the list becomes one function. */

import { asOAuthError, asPage } from "./endpoints/answer.ts";
import { autoApprover } from "./endpoints/approver.ts";
import type { Approver } from "./endpoints/approver.ts";
import { assetsEndpoint } from "./endpoints/assets.ts";
import { authorizedEndpoint } from "./endpoints/authorized.ts";
import { authorizeEndpoint } from "./endpoints/authorize.ts";
import { discoveryEndpoints } from "./endpoints/discovery.ts";
import { urlOf } from "./endpoints/endpoint.ts";
import type { Desk, Endpoint } from "./endpoints/endpoint.ts";
import { homeEndpoint } from "./endpoints/home.ts";
import { algorithmsInUse, jwksEndpoint } from "./endpoints/jwks.ts";
import { introspectEndpoint } from "./endpoints/introspect.ts";
import type { Layer } from "./endpoints/layer.ts";
import { logoutEndpoint } from "./endpoints/logout.ts";
import type { Pages } from "./endpoints/pages.ts";
import { revokeEndpoint } from "./endpoints/revoke.ts";
import { startEndpoint } from "./endpoints/start.ts";
import { tokenEndpoint } from "./endpoints/token.ts";
import { userinfoEndpoint } from "./endpoints/userinfo.ts";
import { asResponse } from "./http/reply.ts";
import type { Incoming } from "./http/reply.ts";
import { json } from "./http/respond.ts";
import { router } from "./http/router.ts";
import type { Handle, Peer } from "./http/router.ts";
import { knowClient, registry } from "./oauth/clients.ts";
import type { Clients, Users } from "./oauth/clients.ts";
import { errorStatus } from "./oauth/errors.ts";
import { isTestHost } from "./oauth/hosts.ts";
import { grants } from "./oauth/grants/mod.ts";
import { signWith, storedKeys } from "./oauth/keys.ts";
import type { Keys, SigningAlgorithm } from "./oauth/keys.ts";
import { knowResources } from "./oauth/resources.ts";
import { recent } from "./oauth/recent.ts";
import type { Dice } from "./oauth/secrets.ts";
import type { Outbound, Server } from "./oauth/server.ts";
import { clientFaults } from "./oauth/client_faults.ts";
import type { Fault } from "./oauth/fault.ts";
import { localIssuer, settle } from "./oauth/settings.ts";
import type { Settings } from "./oauth/settings.ts";
import { ConfigurationError } from "./oauth/settings_error.ts";
import { settingsFaults, userFaults } from "./oauth/settings_faults.ts";
import { throttle } from "./oauth/throttle.ts";
import { tokenIssuers } from "./oauth/tokens/mod.ts";
import { veil } from "./oauth/trace.ts";
import type { Trace, TraceEvent } from "./oauth/trace.ts";
import { memoryStore } from "./store/memory.ts";
import type { Store } from "./store/store.ts";

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
  /** Says who is logged in and what they allow. Default: `login: "auto"`. */
  readonly approver?: Approver;
  /** Fetches what clients point to, their `jwks_uri`. Default: `fetch`. */
  readonly outbound?: Outbound;
  /** Draws the pages. Default: the server's own, loaded when the first page is asked for. */
  readonly pages?: () => Promise<Pages>;
  /** What wraps the server from outside; the first one is the outermost. Default: nothing. */
  readonly layers?: readonly Layer[];
}

/** Where to listen. */
export interface ListenOptions {
  /** 0 picks a free port. Default: the issuer's port. */
  readonly port?: number;
  /** A name or address. `localhost`, the default, means both `127.0.0.1` and `[::1]`. */
  readonly host?: string;
}

/** A running authorization server. */
export interface Latchkey extends AsyncDisposable {
  /** The issuer identifier; it follows the port of {@link Latchkey.listen} unless it was configured. */
  readonly issuer: string;
  /**
   * Answers a request. The URL's path and query count, its host does not. Never throws and never rejects.
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
   * @throws {Error} With one sentence, when the address cannot be listened on.
   */
  listen(options?: ListenOptions): Promise<{ readonly url: string }>;
  /** Lets requests in flight be answered, stops listening, closes the store. Closing twice is harmless. */
  close(): Promise<void>;
}

/** Keys are tended this often, in milliseconds; well below the time that a new key is published before it signs. */
const tendInterval = 60_000;

/** Code challenges remembered, to notice one that is used again. */
const rememberedChallenges = 10_000;

/** Expired records are swept this often, in milliseconds by the server's clock. */
const sweepInterval = 1000;

/**
 * Makes an authorization server: strict, in memory, with two demo clients and two users unless told otherwise.
 *
 * @throws {ConfigurationError} With one sentence per fault in the options.
 *
 * @example
 * ```ts
 * const as = await latchkey({ clients: [{ client_id: "spa", redirect_uris: ["http://localhost:5173/callback"] }] });
 * const response = await as.fetch(new Request(`${as.issuer}/.well-known/openid-configuration`));
 * ```
 */
export async function latchkey(options: LatchkeyOptions = {}): Promise<Latchkey> {
  const given = options.store instanceof Promise ? await options.store : options.store;
  const store = given ?? memoryStore();
  const now = options.now ?? Date.now;
  const random = options.random ?? systemDice();
  const trace = quietly(options.trace);
  const { access_token, id_token } = settle(options, "").lifetimes;
  const keys = storedKeys(store, now, trace, Math.max(access_token, id_token));

  const { layers = [] } = options;

  const answer: Handle = (request, peer) => {
    sweep();
    return outermost(request, peer);
  };

  const world = { store, now, random, trace, keys, ask: answer };
  let house = assemble(options, options.issuer ?? localIssuer(9000), world);
  const innermost: Handle = (request, peer) => house.answer(request, peer);
  const outermost = layers.reduceRight((next, layer) => layer.around?.(next) ?? next, innermost);
  const listening: { close(): Promise<void> }[] = [];
  let timer: ReturnType<typeof setInterval> | undefined;
  let swept = now();
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

  const sweep = () => {
    if (Math.abs(now() - swept) < sweepInterval) return;
    swept = now();
    const failed = (cause: unknown) => trace({ type: "bug", at: now(), endpoint: "sweep", cause });
    (async () => await store.sweep(swept))().catch(failed);
    if (Math.abs(now() - tended) < tendInterval) return;
    tended = now();
    tendKeys().catch(failed);
  };

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
    fetch: async (request, peer) => asResponse(await answer(request, peer)),
    async rotateKeys(alg = house.server.alg, lead = settle(options, house.server.issuer).keys.lead) {
      if (!(lead >= 0 && Number.isFinite(lead))) {
        throw new RangeError(`lead: expected 0 seconds or more, found ${lead}; the default is the setting keys.lead`);
      }
      await keys.rotate(alg, lead);
    },
    async listen({ port, host = "localhost" } = {}) {
      const { serve } = await import("./runtime/serve.ts");
      // Keys are slow to make: begin now, and let who needs one wait. A failure is met again, and answered, there.
      for (const alg of algorithmsInUse(house.server)) keys.signer(alg).catch(() => {});
      const { promise: settled, resolve: begin } = Promise.withResolvers<void>();
      let ready: Handle = (request, peer) => settled.then(() => answer(request, peer));
      const wanted = port ?? (Number(new URL(house.server.issuer).port) || 9000);
      const bound = await serve((request, peer) => ready(request, peer), { port: wanted, host });
      listening.push(bound);
      timer ??= setInterval(sweep, sweepInterval);
      if (options.issuer === undefined && listening.length === 1) {
        house = assemble(options, localIssuer(bound.port), world, house.server);
      }
      ready = answer;
      begin();
      return { url: `http://${host.includes(":") ? `[${host}]` : host}:${bound.port}` };
    },
    close() {
      return closed ??= (async () => {
        clearInterval(timer);
        await Promise.all(listening.map((bound) => bound.close()));
        await store.close();
        for (const layer of layers) layer.close?.();
      })();
    },
    async [Symbol.asyncDispose]() {
      await self.close();
    },
  };
  return self;
}

/** What stays the same when the issuer changes. */
interface World {
  readonly store: Store;
  readonly now: () => number;
  readonly random: Dice;
  readonly trace: Trace;
  readonly keys: Keys;
  readonly ask: Handle;
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
function assemble(options: LatchkeyOptions, issuer: string, { ask, ...world }: World, before?: Server): House {
  refuseFaults(settingsFaults(options, issuer));
  const settled = settle(options, issuer);
  const clients = before?.clients ??
    registry(settled.clients, (client) => client.client_id, (client) => {
      refuseFaults([...clientFaults(client, settled)]);
      return knowClient(client, settled);
    });
  if (before !== undefined && options.clients === undefined) {
    // The demo clients' redirect URI follows the issuer.
    for (const client of settled.clients) if (clients.find(client.client_id)) clients.set(client);
  }
  const server: Server = {
    ...world,
    issuer,
    sign: signWith(world.keys),
    grants,
    issuers: tokenIssuers,
    clients,
    users: before?.users ?? registry(settled.users, (user) => user.sub, (user) => {
      refuseFaults([...userFaults(user)]);
      return user;
    }),
    scopes: settled.scopes,
    defaultScope: settled.defaultScope,
    alg: settled.alg,
    audience: settled.audience,
    lifetimes: settled.lifetimes,
    pkce: settled.pkce,
    refresh: settled.refresh,
    outbound: options.outbound ?? fetch,
    assertionAudiences: settled.acceptTokenEndpointAudience ? [urlOf(issuer, "/oauth2/token")] : [],
    resources: knowResources(settled.resources, isTestHost),
    throttle: settled.throttle ? throttle(world.now) : undefined,
    recentChallenges: recent(rememberedChallenges),
  };
  const base = new URL(issuer).pathname.replace(/\/$/, "");
  const pages = options.pages ?? (async () => (await import("./ui/mod.ts")).pages);
  const { layers = [] } = options;
  const site = { issuer, base, links: layers.flatMap(({ links = [] }) => links) };
  const desk: Desk = { server, site, pages, ask, during: (request) => during(desk, layers, request) };

  const endpoints = [
    authorizeEndpoint(desk, options.approver ?? autoApprover),
    tokenEndpoint(desk),
    jwksEndpoint(desk),
    userinfoEndpoint(desk),
    revokeEndpoint(desk),
    introspectEndpoint(desk),
    logoutEndpoint(desk),
  ];
  const routes: Endpoint[] = [
    ...endpoints,
    ...discoveryEndpoints(desk, endpoints),
    homeEndpoint(desk, endpoints),
    startEndpoint(desk),
    authorizedEndpoint(desk),
    assetsEndpoint(desk),
    ...layers.flatMap((layer) => layer.endpoints?.(desk) ?? []),
  ];
  const route = router(routes, {
    refuse: (fault, target, request) => asPage(desk.during(request), target, fault),
    bug(cause, target, request) {
      const { code, description } = asOAuthError(desk.during(request).server, target, cause);
      return json(errorStatus[code], { error: code, error_description: description }, {
        "referrer-policy": "no-referrer",
      });
    },
    headers: issuer.startsWith("https:") ? { "strict-transport-security": "max-age=31536000" } : undefined,
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
  const here: Desk = { ...desk, server, site: { ...desk.site, trail }, during: () => here };
  return here;
}

function refuseFaults(faults: readonly Fault[]): void {
  if (faults.length > 0) throw new ConfigurationError(faults);
}

/** What clients sent may hold a secret that they put in the wrong place. */
function veiled(event: TraceEvent): TraceEvent {
  if (event.type !== "refused" && event.type !== "warning") return event;
  const { received } = event.why;
  const why = received === undefined ? event.why : { ...event.why, received: veil(received) };
  return event.type === "refused" ? { ...event, endpoint: veil(event.endpoint), why } : { ...event, why };
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
    const drawn = pool.slice(used, used + bytes);
    // What was drawn is nobody's business any more.
    pool.fill(0, used, used += bytes);
    return drawn;
  };
}

/** A trace that cannot hurt: what the listener throws is dropped. */
function quietly(trace: Trace | undefined): Trace {
  if (trace === undefined) return () => {};
  return (event) => {
    try {
      trace(veiled(event));
    } catch {
      // Who listens must not be able to break what is listened to.
    }
  };
}
