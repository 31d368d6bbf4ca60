/** A server under test: strict, without a socket, and with a handle for everything that a test wants to bring about. */

import type { App } from "../app/endpoint.ts";
import type { Plugin } from "../app/plugin.ts";
import { latchkey } from "../server/latchkey.ts";
import type { Latchkey, ListenOptions } from "../server/latchkey.ts";
import type { LatchkeyOptions } from "../server/options.ts";
import type { ClientRepository, Repository, UserRepository } from "../oauth/clients/repository.ts";
import { testHosts } from "../oauth/test_hosts.ts";
import type { SigningAlgorithm } from "../oauth/keys/signing_algorithm.ts";
import type { RandomBytes } from "../oauth/secrets.ts";
import { hasTestHost, resolveSettings } from "../oauth/config/settings.ts";
import { ConfigurationError } from "../oauth/config/configuration_error.ts";
import { redactText } from "../oauth/trace.ts";
import { recorder } from "../recorder/recorder.ts";
import { memoryStore } from "../store/memory.ts";
import { clientFactory } from "./clients.ts";
import type { ClientFactory } from "./clients.ts";
import { testClock } from "./clock.ts";
import type { Moment, TestClock } from "./clock.ts";
import { seededRandom } from "./seeded_random.ts";
import { faultInjector } from "./faults/fault_injector.ts";
import type { FaultInjector } from "./faults/fault_injector.ts";
import { createFetch, installFetch } from "./fetch.ts";
import type { Fetch, InstalledFetch } from "./fetch.ts";
import { claimOverrideHooks } from "./claim_overrides.ts";
import type { ClaimOverrides } from "./claim_overrides.ts";
import { testKeys } from "./keys.ts";
import { loginClient } from "./login.ts";
import type { LoginClient } from "./login.ts";
import type { ExplainRejection } from "./login_error.ts";
import { testLog } from "./log/log.ts";
import type { Log } from "./log/log.ts";
import { mint } from "./mint.ts";
import type { Mint } from "./mint.ts";
import { userDecisions } from "./user_decisions.ts";
import type { UserDecisions } from "./user_decisions.ts";
import type { Persona } from "./persona.ts";
import { resettableState } from "./resettable_state.ts";
import { testBrowser } from "./browser/test_browser.ts";
import type { ClientMetadata } from "../oauth/clients/client.ts";
import type { TestBrowser } from "./browser/test_browser.ts";

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
export interface TestLatchkey extends AsyncDisposable, LoginClient {
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
  readonly client: ClientFactory;
  /** The registered clients, changeable at any time. */
  readonly clients: ClientRepository;
  /** The users, changeable at any time; the first one logs in unless something else is said. */
  readonly users: UserRepository;
  /** Who logs in next, who says no, who allows less. */
  readonly decisions: UserDecisions;
  /** Opens a browser without cookies; several are several browsers. */
  browser(person?: Persona): TestBrowser;
  /** Tokens and codes without a login, good ones and ones that must be refused; registers a client if there is none. */
  readonly mint: Mint;
  /** The clock that everything in this server goes by. */
  readonly clock: TestClock;
  /** Begins a rule for what goes wrong: `as.on("token").once(faults.error("invalid_grant"))`. */
  readonly on: FaultInjector["on"];
  /** Changes claims of what is issued. */
  readonly issue: ClaimOverrides;
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
  const { seed, startsAt, testKeys: useBuiltInKeys = true, ...settings } = options;
  const seeded = seed !== undefined;
  assertKeyOptions(options);
  const store = await settings.store ?? memoryStore();
  const clock = testClock({
    startsAt: startsAt ?? (seeded ? seededStart : undefined),
    frozen: seeded,
    timeSource: settings.now,
  });
  const random = seeded ? restartableRandom(() => seededRandom(`server ${seed}`)) : undefined;
  const clientRandom = seeded ? restartableRandom(() => seededRandom(`clients ${seed}`)) : undefined;
  const state = resettableState(store);
  const exchangeRecorder = recorder();
  const log = testLog(exchangeRecorder);
  const injector = faultInjector({ onFault: exchangeRecorder.recordFault });
  const hooks = claimOverrideHooks(exchangeRecorder.findExchange);
  const decisions = userDecisions(() => app.server, settings.approver);
  const isInteractive = settings.login !== undefined && settings.login !== "auto";

  let app!: App;
  const innermostPlugin: Plugin = { setup: (openedApp) => void (app = openedApp), extend: state.extend };
  const inner: Latchkey = await latchkey({
    issuerUntilListening: testIssuer,
    clients: [],
    // Asked for anew each time, so that what a test puts in its place is used.
    outbound: (url, init) => globalThis.fetch(url, init),
    ...useBuiltInKeys && { keySource: testKeys(seeded) },
    ...random && { randomBytes: random.roll },
    ...settings,
    ...!isInteractive && { approver: decisions.approver },
    store,
    now: clock.now,
    plugins: [exchangeRecorder, injector.plugin, hooks.plugin, ...settings.plugins ?? [], innermostPlugin],
  });

  const server = () => state.extend(app.server);
  const client = clientFactory(() => inner.clients, (bytes) => (clientRandom?.roll ?? app.server.randomBytes)(bytes));
  const fetch = createFetch(() => inner.issuer, inner.fetch);
  const installed = new Set<InstalledFetch>();
  const explain: ExplainRejection = (request) => {
    const { rejection, events = [] } = exchangeRecorder.findExchange(request) ?? {};
    const explanation = rejection?.explanation;
    const internalError = events.findLast((event) => event.type === "internal_error");
    return {
      explanation: explanation?.received === undefined
        ? explanation
        : { ...explanation, received: redactText(explanation.received, app.server.registeredSecrets) },
      internalError: internalError && { endpoint: internalError.endpoint, cause: internalError.cause },
    };
  };

  function browser(persona?: Persona): TestBrowser {
    const newBrowser = testBrowser({
      issuer: () => inner.issuer,
      fetch: inner.fetch,
      now: clock.now,
      explain,
      ...persona,
    });
    if (!isInteractive) return newBrowser;
    // Whoever is shown a page answers it as the test has decided for them.
    return {
      ...newBrowser,
      authorize: (request, options) =>
        newBrowser.authorize(request, {
          ...decisions.persona(options?.as ?? persona?.as),
          ...withoutUndefined(persona),
          ...withoutUndefined(options),
        }),
    };
  }

  const self: TestLatchkey = {
    ...loginClient({ server, fetch: inner.fetch, browser, explain }),
    get issuer() {
      return inner.issuer;
    },
    fetch,
    installFetch() {
      const options = installFetch(() => inner.issuer, fetch);
      installed.add(options);
      return options;
    },
    client,
    clients: inner.clients,
    users: inner.users,
    decisions,
    browser,
    mint: mint(() => {
      // What is minted is for some client, whichever it is.
      if (inner.clients.all().length === 0) client();
      return server();
    }),
    clock,
    on: injector.on,
    issue: hooks.overrides,
    log,
    rotateKeys: inner.rotateKeys,
    async reset({ keep = [] } = {}) {
      for (const item of keep) {
        if (item === "clients" || item === "users") continue;
        const found = JSON.stringify(keep);
        throw new TypeError(`keep of reset(): expected a list of "clients" and "users", received ${found}`);
      }
      const unmet = injector.unmetRules();
      injector.clear();
      log.clear();
      for (const part of [hooks, decisions, clock, random]) part?.reset();
      if (!keep.includes("clients")) {
        for (const part of [client, clientRandom]) part?.reset();
        restore(inner.clients, settings.clients ?? [], (record) => record.id);
      }
      if (!keep.includes("users")) {
        restore(inner.users, resolveSettings(settings, inner.issuer).users, (record) => record.sub);
      }
      await state.reset();
      assertAllMet(unmet);
    },
    listen: (options = {}) =>
      inner.listen({ port: settings.issuer === undefined ? 0 : Number(new URL(settings.issuer).port), ...options }),
    async close() {
      for (const options of installed) options.uninstall();
      const unmet = injector.unmetRules();
      // Closing waits for requests in flight, and some of those wait for a fault to end.
      injector.clear();
      await inner.close();
      assertAllMet(unmet);
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
function assertKeyOptions({ issuer, keySource, seed, testKeys = true }: TestLatchkeyOptions): void {
  if (keySource !== undefined) return;
  if (!testKeys && seed !== undefined) {
    throw new ConfigurationError([{
      path: "testKeys",
      expected: "true, because a seed cannot make keys",
      received: "false",
      hint: "Leave out seed or testKeys.",
    }]);
  }
  if (testKeys && issuer !== undefined && URL.canParse(issuer) && !hasTestHost(issuer)) {
    throw new ConfigurationError([{
      path: "issuer",
      expected: `a test host (${testHosts}), because the built-in test keys sign and their private halves are public`,
      received: JSON.stringify(issuer),
      hint: "Choose a test host, or set testKeys: false to have keys made.",
    }]);
  }
}

function assertAllMet(unmet: readonly string[]): void {
  if (unmet.length === 0) return;
  const count = unmet.length === 1 ? "1 fault was" : `${unmet.length} faults were`;
  throw new Error([`${count} not met as often as written:`, ...unmet].join("\n  "));
}

/** Puts back what was there at first, in its order. */
function restore<Raw, Entry>(
  registry: Repository<Raw, Entry>,
  initial: readonly Raw[],
  getId: (entry: Entry) => string,
): void {
  for (const entry of registry.all()) registry.delete(getId(entry), "reset()");
  for (const raw of initial) registry.set(raw);
}

function restartableRandom(make: () => RandomBytes): { readonly roll: RandomBytes; reset(): void } {
  let random = make();
  return { roll: (bytes) => random(bytes), reset: () => void (random = make()) };
}

function withoutUndefined<T extends object>(options: T | undefined): Partial<T> {
  return Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value !== undefined)) as Partial<T>;
}
