/** The mock server: `latchkey()` with a control, test keys and defaults for tests. */

import type { User } from "../core/clients/client.ts";
import type { ClientMetadata, HostedClient } from "../server/config/client_metadata.ts";
import type { UserRepository } from "../server/clients/users.ts";
import type { MemoryRepository } from "../server/clients/repository.ts";
import { allowancesOf, configuredIssuer } from "../server/config/resolve_settings.ts";
import { ConfigurationError } from "../core/rules/configuration_error.ts";
import type { SigningAlgorithm } from "../core/keys/signing_algorithm.ts";
import { isPrivateHost } from "../server/config/host_kinds.ts";
import { nameInIssuerHosts } from "../server/config/validate_issuer.ts";
import { inspector } from "../devtools/inspector.ts";
import { disabledPages } from "./disabled_pages.ts";
import { testHosts } from "../core/http/test_hosts.ts";
import { latchkey } from "../server/hosting/latchkey.ts";
import type { ListenOptions, ListenResult } from "../server/hosting/listen.ts";
import type { LatchkeyOptions } from "../server/hosting/options.ts";
import { assertAllMet } from "./assert_all_met.ts";
import { testControl } from "./control.ts";
import type { ControlOptions, TestControl, TestControlOptions } from "./test_control.ts";
import { mockOptions } from "./mock_options.ts";
import { assertServerOptions } from "./options.ts";

/** Options of a mock server: every option of {@link latchkey}, and a few more. Everything has a default. */
export interface TestLatchkeyOptions extends LatchkeyOptions, TestControlOptions {
  /** The issuer identifier. Default: {@link testIssuer}, and `http://localhost:PORT` once the server listens. */
  readonly issuer?: string;
  /** Default: none, because {@link TestLatchkey.client} registers them. */
  readonly clients?: readonly ClientMetadata[] | "any";
  /**
   * Whether the server signs with the built-in test keys, which saves the time of key generation. Their private keys
   * are public, so a server whose issuer is not on a test host rejects them. Default: true.
   */
  readonly testKeys?: boolean;
  /**
   * Whether programs may control a server that listens over HTTP, below `/_control`; an object names the bearer token,
   * which is required unless the issuer is on a test host. Default: false.
   */
  readonly control?: boolean | ControlOptions;
}

/** The issuer of a mock server that does not listen and has no option `issuer`. */
export const testIssuer = "https://latchkey.test";

/** A mock server. */
export interface TestLatchkey extends TestControl, AsyncDisposable {
  /** The issuer identifier; see {@link TestLatchkeyOptions.issuer}. */
  readonly issuer: string;
  /**
   * The registered clients, which can change at any time. With a persistent store, the methods return promises of what
   * these types say: await them.
   */
  readonly clients: MemoryRepository<ClientMetadata, HostedClient>;
  /** The users, which can change at any time; by default the first one logs in. As for `clients`, await a store. */
  readonly users: MemoryRepository<User, User> & UserRepository;
  /** Creates a new signing key; see {@link Latchkey.rotateKeys}. */
  rotateKeys(alg?: SigningAlgorithm, lead?: number): Promise<void>;
  /**
   * Listens on the network, on Deno, Bun and Node, by default on a free port. The issuer follows the port, unless the
   * options name one.
   *
   * @throws {Error} If the server cannot listen on the address.
   * @throws {TypeError} While the server has the name of a provider, by {@link TestControl.installFetch}.
   */
  listen(options?: ListenOptions): Promise<ListenResult>;
  /**
   * Ends faults that wait, stops listening, closes the store and restores the global fetch. A second call has no
   * effect.
   *
   * @throws {Error} If a fault fired less often than expected; the server is closed nevertheless.
   */
  close(): Promise<void>;
}

/**
 * Creates a mock server: strict, with the users `alice` and `bob`, and without a socket until it listens.
 *
 * @throws {ConfigurationError} If options are invalid.
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
  assertServerOptions(options, ["seed", "startsAt", "testKeys", "control"]);
  assertKeyOptions(options);
  const { seed, startsAt, testKeys: useTestKeys = true, control: remote, plugins = [], ...settings } = options;
  const {
    plugin,
    overHttp,
    tenants: _,
    recorder: __,
    faults: ___,
    approvePages: ____,
    clearFaults,
    assertMayListen,
    ...control
  } = testControl({ seed, startsAt });
  const endpoints = remote ? [await overHttp(remote === true ? {} : remote)] : [];
  const server = await latchkey({
    issuerUntilListening: testIssuer,
    ...mockOptions(settings, { useTestKeys, isSeeded: seed !== undefined }),
    plugins: [
      plugin,
      { setup: (app) => void Object.assign(app.disabledPages, disabledPages) },
      ...endpoints,
      // Another inspector of the plugins replaces these pages.
      ...[inspector({ requests: false }), ...plugins],
    ],
  });

  const self: TestLatchkey = {
    ...control,
    get issuer() {
      return server.issuer;
    },
    clients: server.clients as TestLatchkey["clients"],
    users: server.users as TestLatchkey["users"],
    rotateKeys: server.rotateKeys,
    async listen(listenOptions = {}) {
      assertMayListen();
      return await server.listen({
        port: Number(new URL(configuredIssuer(settings) ?? testIssuer).port),
        ...listenOptions,
      });
    },
    async close() {
      // Closing waits for requests in flight, and some of those wait for a fault to end.
      const unmet = clearFaults();
      await server.close();
      assertAllMet(unmet);
    },
    async [Symbol.asyncDispose]() {
      try {
        await self.close();
      } catch (error) {
        // If the test has failed as well, this error ends up in a SuppressedError, which most runners do not unfold.
        console.error(`Closing a mock server: ${error instanceof Error ? error.message : error}`);
        throw error;
      }
    },
  };
  return self;
}

/** Rejects options that the keys cannot satisfy, before the server is created. */
function assertKeyOptions({ issuer, issuerHosts, keySource, seed, testKeys = true }: TestLatchkeyOptions): void {
  if (keySource !== undefined) return;
  if (!testKeys && seed !== undefined) {
    throw new ConfigurationError([{
      path: "testKeys",
      expected: "true, because keys cannot be generated from a seed",
      received: "false",
      hint: "Remove seed or testKeys.",
    }]);
  }
  if (testKeys && issuer !== undefined && URL.canParse(issuer) && !allowancesOf(issuer, issuerHosts).testKeys) {
    const { hostname } = new URL(issuer);
    throw new ConfigurationError([{
      path: "issuer",
      expected: `a test host (${testHosts}), because the private keys of the built-in test keys are public`,
      received: JSON.stringify(issuer),
      hint: [
        ...isPrivateHost(hostname) ? [nameInIssuerHosts(hostname)] : [],
        "Choose a test host, or set testKeys: false to generate keys.",
      ].join(" "),
    }]);
  }
}
