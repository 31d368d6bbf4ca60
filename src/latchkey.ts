/** The plan of the house: options become a Server, a Server becomes a list of routes, the list becomes one function. */

import { asOAuthError, asPage } from "./endpoints/answer.ts";
import { autoApprover } from "./endpoints/approver.ts";
import type { Approver } from "./endpoints/approver.ts";
import { assetsEndpoint } from "./endpoints/assets.ts";
import { authorizedEndpoint } from "./endpoints/authorized.ts";
import { authorizeEndpoint } from "./endpoints/authorize.ts";
import { discoveryEndpoints } from "./endpoints/discovery.ts";
import type { Desk } from "./endpoints/endpoint.ts";
import { homeEndpoint } from "./endpoints/home.ts";
import { algorithmsInUse, jwksEndpoint } from "./endpoints/jwks.ts";
import type { Pages } from "./endpoints/pages.ts";
import { startEndpoint } from "./endpoints/start.ts";
import { tokenEndpoint } from "./endpoints/token.ts";
import { json } from "./http/respond.ts";
import { router } from "./http/router.ts";
import type { Peer } from "./http/router.ts";
import { knowClient, registry } from "./oauth/clients.ts";
import type { Clients, Users } from "./oauth/clients.ts";
import { errorStatus } from "./oauth/errors.ts";
import { storedKeys } from "./oauth/keys.ts";
import type { Keys, SigningAlgorithm } from "./oauth/keys.ts";
import { recent } from "./oauth/recent.ts";
import type { Dice } from "./oauth/secrets.ts";
import type { Server } from "./oauth/server.ts";
import { settle } from "./oauth/settings.ts";
import type { Settings } from "./oauth/settings.ts";
import { ConfigurationError } from "./oauth/settings_error.ts";
import { settingsFaults } from "./oauth/settings_faults.ts";
import { throttle } from "./oauth/throttle.ts";
import type { Trace } from "./oauth/trace.ts";
import { memoryStore } from "./store/memory.ts";
import type { Store } from "./store/store.ts";

/** What an embedding program may give: the settings of a configuration file, and the outside world. */
export interface LatchkeyOptions extends Settings {
  /** Where records are kept. Default: a new {@link memoryStore}. The server closes it when it is closed. */
  readonly store?: Store;
  /** The clock: milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: () => number;
  /** The dice: that many random bytes. Default: `crypto.getRandomValues`. */
  readonly random?: Dice;
  /** Is told what happens. Default: nobody is. */
  readonly trace?: Trace;
  /** Says who is logged in and what they allow. Default: `login: "auto"`. */
  readonly approver?: Approver;
  /** Draws the pages. Default: the server's own, loaded when the first page is asked for. */
  readonly pages?: () => Promise<Pages>;
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
   * Makes a new signing key: it is published at once, signs after `lead` seconds (default 300, as long as clients cache
   * keys), and the one before it stays published until the last token it signed has expired.
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
// deno-lint-ignore require-await -- a fault in the options must reject, and later parts of the start may wait
export async function latchkey(options: LatchkeyOptions = {}): Promise<Latchkey> {
  const store = options.store ?? memoryStore();
  const now = options.now ?? Date.now;
  const random = options.random ?? ((bytes) => crypto.getRandomValues(new Uint8Array(bytes)));
  const trace = quietly(options.trace);
  const keys = storedKeys(store, now, trace);

  const world = { store, now, random, trace, keys };
  let house = assemble(options, options.issuer ?? "http://localhost:9000", world);
  const listening: { close(): Promise<void> }[] = [];
  let timer: ReturnType<typeof setInterval> | undefined;
  let swept = now();
  let closed: Promise<void> | undefined;

  const sweep = () => {
    if (Math.abs(now() - swept) < sweepInterval) return;
    swept = now();
    store.sweep(swept).catch((cause) => trace({ type: "bug", at: now(), endpoint: "sweep", cause }));
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
    fetch(request, peer) {
      sweep();
      return house.fetch(request, peer);
    },
    async rotateKeys(alg = house.server.alg, lead = 300) {
      const { access_token, id_token } = house.server.lifetimes;
      await keys.rotate(alg, lead, Math.max(access_token, id_token));
    },
    async listen({ port, host = "localhost" } = {}) {
      const { serve } = await import("./runtime/serve.ts");
      // Keys are slow to make: begin now, and let who needs one wait. A failure is met again, and answered, there.
      for (const alg of algorithmsInUse(house.server)) keys.signer(alg).catch(() => {});
      const { promise: settled, resolve: settle } = Promise.withResolvers<void>();
      let answer: typeof house.fetch = (request, peer) => settled.then(() => self.fetch(request, peer));
      const wanted = port ?? (Number(new URL(house.server.issuer).port) || 9000);
      const bound = await serve((request, peer) => answer(request, peer), { port: wanted, host });
      listening.push(bound);
      timer ??= setInterval(sweep, sweepInterval);
      if (options.issuer === undefined && listening.length === 1) {
        house = assemble(options, `http://localhost:${bound.port}`, world, house.server);
      }
      answer = (request, peer) => self.fetch(request, peer);
      settle();
      return { url: `http://${host.includes(":") ? `[${host}]` : host}:${bound.port}` };
    },
    close() {
      return closed ??= (async () => {
        clearInterval(timer);
        await Promise.all(listening.map((bound) => bound.close()));
        await store.close();
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
}

interface House {
  readonly server: Server;
  readonly fetch: (request: Request, peer?: Peer) => Promise<Response>;
}

/**
 * Puts the server together for one issuer. Every endpoint there is stands in this list.
 *
 * @param before The server under its former issuer, whose clients and users are taken over.
 */
function assemble(options: LatchkeyOptions, issuer: string, world: World, before?: Server): House {
  const faults = settingsFaults(options, issuer);
  if (faults.length > 0) throw new ConfigurationError(faults);
  const settled = settle(options, issuer);
  const clients = before?.clients ??
    registry(settled.clients, (client) => client.client_id, (client) => knowClient(client, settled));
  if (before !== undefined && options.clients === undefined) {
    // The demo clients' redirect URI follows the issuer.
    for (const client of settled.clients) if (clients.find(client.client_id)) clients.set(client);
  }
  const server: Server = {
    ...world,
    issuer,
    clients,
    users: before?.users ?? registry(settled.users, (user) => user.sub, (user) => user),
    scopes: settled.scopes,
    defaultScope: settled.defaultScope,
    alg: settled.alg,
    audience: settled.audience,
    lifetimes: settled.lifetimes,
    pkce: settled.pkce,
    throttle: settled.throttle ? throttle(world.now) : undefined,
    recentChallenges: recent(rememberedChallenges),
  };
  const base = new URL(issuer).pathname.replace(/\/$/, "");
  const pages = options.pages ?? (async () => (await import("./ui/mod.ts")).pages);
  const desk: Desk = { server, site: { issuer, base }, pages };

  const endpoints = [
    authorizeEndpoint(desk, options.approver ?? autoApprover),
    tokenEndpoint(desk),
    jwksEndpoint(desk),
  ];
  const routes = [
    ...endpoints,
    ...discoveryEndpoints(desk, endpoints),
    homeEndpoint(desk, endpoints),
    startEndpoint(desk),
    authorizedEndpoint(desk),
    assetsEndpoint(desk),
  ];
  const route = router(routes, {
    refuse: (fault, target) => asPage(desk, target, fault),
    bug(cause, target) {
      const { code, description } = asOAuthError(server, target, cause);
      return json(errorStatus[code], { error: code, error_description: description });
    },
    headers: issuer.startsWith("https:") ? { "strict-transport-security": "max-age=31536000" } : undefined,
  });

  return { server, fetch: route };
}

/** A trace that cannot hurt: what the listener throws is dropped. */
function quietly(trace: Trace | undefined): Trace {
  if (trace === undefined) return () => {};
  return (event) => {
    try {
      trace(event);
    } catch {
      // Who listens must not be able to break what is listened to.
    }
  };
}
