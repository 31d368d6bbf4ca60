/** A server under test: strict, without a socket, and with a handle for everything that a test wants to bring about. */

import type { Desk } from "../app/endpoint.ts";
import type { Layer } from "../app/plugin.ts";
import { latchkey } from "../server/latchkey.ts";
import type { Latchkey, LatchkeyOptions, ListenOptions } from "../server/latchkey.ts";
import type { Clients, Registry, Users } from "../oauth/clients/repository.ts";
import { testHosts } from "../oauth/test_hosts.ts";
import type { SigningAlgorithm } from "../oauth/keys/keys.ts";
import type { Dice } from "../oauth/secrets.ts";
import { hasTestHost, settle } from "../oauth/config/settings.ts";
import { ConfigurationError } from "../oauth/config/configuration_error.ts";
import { veil } from "../oauth/trace.ts";
import { recorder } from "../recorder/recorder.ts";
import { memoryStore } from "../store/memory.ts";
import { clientMaker } from "./clients.ts";
import type { MakeClient } from "./clients.ts";
import { testClock } from "./clock.ts";
import type { Moment, TestClock } from "./clock.ts";
import { seededDice } from "./seeded_random.ts";
import { faultBoard } from "./faults/fault_injector.ts";
import type { FaultBoard } from "./faults/fault_injector.ts";
import { fetchFor, installFetch } from "./fetch.ts";
import type { Fetch, InstalledFetch } from "./fetch.ts";
import { issueHooks } from "./claim_overrides.ts";
import type { Issue } from "./claim_overrides.ts";
import { testKeys } from "./keys.ts";
import { logIns } from "./login.ts";
import type { LogIns } from "./login.ts";
import type { Explain } from "./login_error.ts";
import { testLog } from "./log/log.ts";
import type { Log } from "./log/log.ts";
import { mint } from "./mint.ts";
import type { Mint } from "./mint.ts";
import { crowd } from "./user_decisions.ts";
import type { People } from "./user_decisions.ts";
import type { Person } from "./persona.ts";
import { rounds } from "./round.ts";
import { userAgent } from "./browser/test_browser.ts";
import type { ClientMetadata } from "../oauth/clients/client.ts";
import type { UserAgent } from "./browser/test_browser.ts";

/** What a server under test is made with: any option of {@link latchkey}, and a few more. Everything has a default. */
export interface TestLatchkeyOptions extends LatchkeyOptions {
  /**
   * The issuer identifier. Default: {@link testIssuer}, and `http://localhost:PORT` from the moment the server listens.
   */
  readonly issuer?: string;
  /** Default: none, because {@link TestLatchkey.client} makes them. */
  readonly clients?: readonly ClientMetadata[];
  /**
   * Makes everything come out the same each time and on every runtime: codes, tokens, ids, keys, signatures and times.
   * The clock is then frozen at 2026-01-01T00:00:00Z, unless `startsAt` says otherwise. Default: nothing is foreseeable.
   */
  readonly seed?: string | number;
  /** When the server's clock starts. Default: now, and it ticks. */
  readonly startsAt?: Moment;
  /**
   * Whether the built-in test keys sign, which spares the time that making keys takes. Their private halves are public
   * knowledge, so that they are refused where the issuer is a real host. Default: true.
   */
  readonly testKeys?: boolean;
}

/** The issuer of a server under test that does not listen and was given none. */
export const testIssuer = "https://latchkey.test";

/** When the clock of a server with a seed starts. */
const seededStart = "2026-01-01T00:00:00Z";

/** What a reset keeps. */
export interface ResetOptions {
  /**
   * `clients` registered by now stay, such as those of a `beforeAll`, and `users` as they are now. Default: neither.
   *
   * @example
   * ```ts ignore
   * beforeAll(() => client = as.client());
   * afterEach(() => as.reset({ keep: ["clients"] }));
   * ```
   */
  readonly keep?: readonly ("clients" | "users")[];
}

/** A server under test. */
export interface TestLatchkey extends AsyncDisposable, LogIns {
  /** The issuer identifier; see {@link TestLatchkeyOptions.issuer}. */
  readonly issuer: string;
  /**
   * Like the global `fetch`, for requests to this server: they are answered without a socket. All others are handed to
   * the global one. A path stands for an address of this server. Redirects are followed within this server; one that
   * leads away from it, such as to a client, is given back as it is, and so is every one with `redirect: "manual"`.
   */
  readonly fetch: Fetch;
  /**
   * Puts {@link TestLatchkey.fetch} in the place of the global one for this issuer's origin; all else goes on to what was
   * there before. Undone by `uninstall`, by `using`, and by {@link TestLatchkey.close}.
   */
  installFetch(): InstalledFetch;
  /** Registers a client with good settings, changed by the options, and gives back what it needs to be one. */
  readonly client: MakeClient;
  /** The registered clients, changeable at any time. */
  readonly clients: Clients;
  /** The users, changeable at any time; the first one logs in unless something else is said. */
  readonly users: Users;
  /** Who logs in next, who says no, who allows less. */
  readonly people: People;
  /** Opens a browser without cookies; several are several browsers. */
  browser(person?: Person): UserAgent;
  /** Tokens and codes without a login, good ones and ones that must be refused; registers a client if there is none. */
  readonly mint: Mint;
  /** The clock that everything in this server goes by. */
  readonly clock: TestClock;
  /** Begins a rule for what goes wrong: `as.on("token").once(faults.error("invalid_grant"))`. */
  readonly on: FaultBoard["on"];
  /** Changes claims of what is issued. */
  readonly issue: Issue;
  /** What the server was asked and what it answered; waiting for the next request, and expectations. */
  readonly log: Log;
  /** Makes a new signing key; see {@link Latchkey.rotateKeys}. */
  rotateKeys(alg?: SigningAlgorithm, lead?: number): Promise<void>;
  /**
   * Begins anew, for the next test: clients, users, people, faults, hooks, log, records, sessions, clock and seed are
   * as they were at the start. Signing keys are kept, so that cached copies of the JWKS remain valid; so are clients
   * and users if the options say so. In memory all of that is done when this returns; a store of another kind is
   * cleared when the promise resolves.
   *
   * @throws {TypeError} If `keep` holds another value.
   * @throws {Error} When a fault did not fire as often as it was meant to, after everything was reset.
   */
  reset(options?: ResetOptions): Promise<void>;
  /**
   * Listens on the network, on Deno, Bun and Node, by default on a free port. The issuer follows, unless it was given.
   *
   * @throws {Error} With one sentence, when the address cannot be listened on.
   */
  listen(options?: ListenOptions): Promise<{ readonly url: string }>;
  /**
   * Ends what waits, stops listening, closes the store and gives the global fetch back. Closing twice is harmless.
   *
   * @throws {Error} When a fault did not fire as often as it was meant to, after everything was closed.
   */
  close(): Promise<void>;
}

/**
 * Makes a server for tests: strict, with the users `alice` and `bob`, and without a socket until it is told to listen.
 *
 * @throws {ConfigurationError} With one sentence per fault in the options.
 *
 * @example
 * ```ts
 * import { testLatchkey } from "@latchkey/latchkey/testing";
 *
 * await using as = await testLatchkey();
 * const client = as.client();
 * const { tokens } = await as.logIn(client);
 * ```
 */
export async function testLatchkey(options: TestLatchkeyOptions = {}): Promise<TestLatchkey> {
  const { seed, startsAt, testKeys: builtIn = true, ...settings } = options;
  const seeded = seed !== undefined;
  refuseKeys(options);
  const store = await settings.store ?? memoryStore();
  const clock = testClock({
    startsAt: startsAt ?? (seeded ? seededStart : undefined),
    frozen: seeded,
    ticksWith: settings.now,
  });
  const dice = seeded ? restartable(() => seededDice(`server ${seed}`)) : undefined;
  const clientDice = seeded ? restartable(() => seededDice(`clients ${seed}`)) : undefined;
  const round = rounds(store);
  const record = recorder();
  const log = testLog(record);
  const board = faultBoard({ blame: record.blame });
  const hooks = issueHooks(record.exchangeOf);
  const people = crowd(() => desk.server, settings.approver);
  const asks = settings.login !== undefined && settings.login !== "auto";

  let desk!: Desk;
  const innermost: Layer = { open: (opened) => void (desk = opened), during: round.during };
  const inner: Latchkey = await latchkey({
    issuerUntilListening: testIssuer,
    clients: [],
    // Asked for anew each time, so that what a test puts in its place is used.
    outbound: (url, init) => globalThis.fetch(url, init),
    ...builtIn && { keySource: testKeys(seeded) },
    ...dice && { random: dice.roll },
    ...settings,
    ...!asks && { approver: people.approver },
    store,
    now: clock.now,
    layers: [record, board.layer, hooks.layer, ...settings.layers ?? [], innermost],
  });

  const server = () => round.during(desk.server);
  const client = clientMaker(() => inner.clients, (bytes) => (clientDice?.roll ?? desk.server.random)(bytes));
  const fetch = fetchFor(() => inner.issuer, inner.fetch);
  const installed = new Set<InstalledFetch>();
  const explain: Explain = (request) => {
    const { refusal, events = [] } = record.exchangeOf(request) ?? {};
    const why = refusal?.why;
    const mishap = events.findLast((event) => event.type === "bug");
    return {
      why: why?.received === undefined ? why : { ...why, received: veil(why.received, desk.server.registeredSecrets) },
      mishap: mishap && { endpoint: mishap.endpoint, cause: mishap.cause },
    };
  };

  function browser(person?: Person): UserAgent {
    const agent = userAgent({ issuer: () => inner.issuer, fetch: inner.fetch, now: clock.now, explain, ...person });
    if (!asks) return agent;
    // Whoever is shown a page answers it as the test has decided for them.
    return {
      ...agent,
      authorize: (request, one) =>
        agent.authorize(request, { ...people.person(one?.as ?? person?.as), ...defined(person), ...defined(one) }),
    };
  }

  const self: TestLatchkey = {
    ...logIns({ server, fetch: inner.fetch, browser, explain }),
    get issuer() {
      return inner.issuer;
    },
    fetch,
    installFetch() {
      const one = installFetch(() => inner.issuer, fetch);
      installed.add(one);
      return one;
    },
    client,
    clients: inner.clients,
    users: inner.users,
    people,
    browser,
    mint: mint(() => {
      // What is minted is for some client, whichever it is.
      if (inner.clients.all().length === 0) client();
      return server();
    }),
    clock,
    on: board.on,
    issue: hooks.issue,
    log,
    rotateKeys: inner.rotateKeys,
    async reset({ keep = [] } = {}) {
      for (const kept of keep) {
        if (kept === "clients" || kept === "users") continue;
        const found = JSON.stringify(keep);
        throw new TypeError(`keep of reset(): expected a list of "clients" and "users", found ${found}`);
      }
      const unfired = board.unfired();
      board.clear();
      log.clear();
      for (const part of [hooks, people, clock, dice]) part?.reset();
      if (!keep.includes("clients")) {
        for (const part of [client, clientDice]) part?.reset();
        refill(inner.clients, settings.clients ?? [], (known) => known.id);
      }
      if (!keep.includes("users")) {
        refill(inner.users, settle(settings, inner.issuer).users, (known) => known.sub);
      }
      await round.next();
      refuseUnfired(unfired);
    },
    listen: (where = {}) =>
      inner.listen({ port: settings.issuer === undefined ? 0 : Number(new URL(settings.issuer).port), ...where }),
    async close() {
      for (const one of installed) one.uninstall();
      const unfired = board.unfired();
      // Closing waits for requests in flight, and some of those wait for a fault to end.
      board.clear();
      await inner.close();
      refuseUnfired(unfired);
    },
    async [Symbol.asyncDispose]() {
      try {
        await self.close();
      } catch (error) {
        // Where the test has failed by itself, what is thrown here ends up in a SuppressedError, which no runner unfolds.
        console.error(`Closing a server under test: ${error instanceof Error ? error.message : error}`);
        throw error;
      }
    },
  };
  return self;
}

/** What can be had from this server's keys and issuer is settled before anything is made. */
function refuseKeys({ issuer, keySource, seed, testKeys = true }: TestLatchkeyOptions): void {
  if (keySource !== undefined) return;
  if (!testKeys && seed !== undefined) {
    throw new ConfigurationError([{
      place: "testKeys",
      expected: "true, because a seed cannot make keys",
      found: "false",
      mend: "Leave out seed or testKeys.",
    }]);
  }
  if (testKeys && issuer !== undefined && URL.canParse(issuer) && !hasTestHost(issuer)) {
    throw new ConfigurationError([{
      place: "issuer",
      expected: `a test host (${testHosts}), because the built-in test keys sign and their private halves are public`,
      found: JSON.stringify(issuer),
      mend: "Choose a test host, or set testKeys: false to have keys made.",
    }]);
  }
}

function refuseUnfired(unfired: readonly string[]): void {
  if (unfired.length === 0) return;
  const count = unfired.length === 1 ? "1 fault was" : `${unfired.length} faults were`;
  throw new Error([`${count} not met as often as written:`, ...unfired].join("\n  "));
}

/** Puts back what was there at first, in its order. */
function refill<Written, Known>(
  registry: Registry<Written, Known>,
  initial: readonly Written[],
  idOf: (known: Known) => string,
): void {
  for (const known of registry.all()) registry.delete(idOf(known), "reset()");
  for (const written of initial) registry.set(written);
}

function restartable(make: () => Dice): { readonly roll: Dice; reset(): void } {
  let dice = make();
  return { roll: (bytes) => dice(bytes), reset: () => void (dice = make()) };
}

function defined<T extends object>(given: T | undefined): Partial<T> {
  return Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined)) as Partial<T>;
}
