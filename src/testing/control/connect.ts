/**
 * A handle for a server in another process, with the functions of the mock. It calls the control over HTTP.
 *
 * {@link connectLatchkey} reads `/_control/openapi.json` of the server and makes one function of each operation. It
 * imports no code of the server.
 *
 * @module
 */

import type { User } from "../../core/clients/client.ts";
import type { ClientMetadata } from "../../server/config/client_metadata.ts";
import type { MetadataChanges } from "./change_client.ts";
import type { PracticeOptions } from "../check_practices.ts";
import type { ClaimOverrides, Claims } from "../claim_overrides.ts";
import type { TestClient, TestClientOptions } from "../clients.ts";
import type { TestClock } from "../clock.ts";
import type { FaultRequest, ListedFault } from "../faults/fault_list.ts";
import type { Mint } from "../mint.ts";
import type { SigningAlgorithm } from "../../core/keys/signing_algorithm.ts";
import type { TenantOptions, TestControl } from "../test_control.ts";
import type { UserDecisions } from "../user_decisions.ts";
import type { ContainerOptions, StoppableContainer, Testcontainers } from "./container.ts";
import { connectControl, type ConnectedControl, type ConnectOptions } from "./connection.ts";
import { type ConnectedLog, connectedLog } from "./connected_log.ts";
import { type ConnectedRuleBuilder, connectedRuleBuilder } from "./connected_rules.ts";
import type { RequestPattern } from "../faults/rule_builder.ts";

export { ControlRequestError } from "./connection.ts";

/** @internal The functions of the in-process handle, each returning a promise. */
type Remote<Handle> = {
  readonly [Name in keyof Handle]: Handle[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
};

/** @internal The functions that are the same in process. */
type SameFunctions = Remote<
  Pick<
    TestControl,
    "changeSettings" | "importKey" | "nextValues" | "reset" | "revoke" | "sendEvent"
  >
>;

/** The control of a server in another process. Each function has the name and the arguments that it has in process. */
export interface ConnectedLatchkey extends SameFunctions {
  /** The issuer identifier. */
  readonly issuer: string;
  /** Registers a client, fills in defaults, and returns the client with its credentials. */
  client(options?: TestClientOptions): Promise<TestClient>;
  /** The registered clients. */
  readonly clients: {
    /** Creates a client, or replaces the one with this `client_id`. */
    set(client: ClientMetadata): Promise<ClientMetadata>;
    /** Changes single members of the metadata of a client; `null` removes one. Others stay, including the secret. */
    change(clientId: string, changes: MetadataChanges): Promise<ClientMetadata>;
    /** Removes a client. */
    delete(clientId: string): Promise<void>;
    /** The metadata of all clients, without secrets. */
    all(): Promise<readonly ClientMetadata[]>;
  };
  /** The users. */
  readonly users: {
    /** Creates a user, or replaces the one with this `sub`. */
    set(user: User): Promise<User>;
    /** Removes a user. */
    delete(sub: string): Promise<void>;
    /** All users with their claims. */
    all(): Promise<readonly User[]>;
  };
  /** Decides which user logs in next, and which users deny, or allow less than requested. */
  readonly decisions: Remote<UserDecisions>;
  /** Decides for the user of a device, by the user code; after `decisions.deferRequests()`, or with login pages. */
  readonly device: { approve(userCode: string, sub?: string): Promise<void>; deny(userCode: string): Promise<void> };
  /** Decides for the user of a backchannel authentication request, by the `auth_req_id`. */
  readonly backchannel: { approve(authReqId: string): Promise<void>; deny(authReqId: string): Promise<void> };
  /** Changes claims of issued tokens, and members of responses. A change is an object, not a function. */
  readonly issue: {
    readonly [Name in keyof ClaimOverrides]: (
      claims: Claims,
      client?: Parameters<ClaimOverrides[Name]>[1],
    ) => Promise<void>;
  };
  /** Mints tokens and codes without a login. */
  readonly mint: Remote<Mint>;
  /** The clock of the server. */
  readonly clock: Remote<Omit<TestClock, "frozen">>;
  /** Starts a fault rule: `await as.on("token").once(faults.error("invalid_grant"))`. The match is a pattern. */
  on(endpoint: string, match?: RequestPattern): ConnectedRuleBuilder;
  /** The fault rules, as JSON. */
  readonly faults: {
    /** Adds a rule. */
    add(request: FaultRequest): Promise<ListedFault>;
    /** The rules, and how often each has fired. */
    all(): Promise<readonly ListedFault[]>;
    /** Removes a rule. */
    remove(id: string): Promise<void>;
    /** Releases the requests that wait, and removes the rule. */
    release(id: string): Promise<void>;
  };
  /** The requests and responses of the server, with real values. */
  readonly log: ConnectedLog;
  /** Reports the practices of a client, from its recorded requests. */
  checkPractices(options?: PracticeOptions): Promise<{
    readonly passed: boolean;
    /** The report as text. */
    readonly text: string;
    readonly practices: readonly Readonly<Record<string, unknown>>[];
  }>;
  /** Creates a new signing key. Returns the `kid` of each published key. */
  rotateKeys(alg?: SigningAlgorithm, lead?: number): Promise<{ readonly kids: readonly string[] }>;
  /** Separate issuers on the host of the server, for tests that run at the same time. */
  readonly tenants: {
    /** Creates a tenant, and connects to its control. */
    create(options?: TenantOptions): Promise<ConnectedTenant>;
    /** The tenants, oldest first. */
    all(): Promise<readonly { readonly id: string; readonly issuer: string; readonly control: string }[]>;
    /** Removes a tenant. */
    remove(id: string): Promise<void>;
  };
  /** Ends the session of an ID token, and sends logout tokens to its clients. */
  endSession(idToken: string): Promise<void>;
}

/** The control of a server in a container. */
export interface ContainedLatchkey extends ConnectedLatchkey, StoppableContainer {}

/** The control of a tenant. */
export interface ConnectedTenant extends ConnectedLatchkey, AsyncDisposable {
  /** The id of the tenant. */
  readonly id: string;
  /**
   * Removes the tenant with everything that it issued. A second call has no effect.
   *
   * @throws {ControlRequestError} If a fault fired less often than expected; the tenant is removed nevertheless.
   */
  close(): Promise<void>;
}

/**
 * Connects to the control of a server: the program with `--control on`, or a mock with `control: true` that listens.
 *
 * @param url The issuer of the server.
 * @throws {ControlRequestError} If the server has no control, or the secret is wrong.
 * @throws {TypeError} If the server does not respond.
 *
 * @example
 * ```ts ignore
 * import { connectLatchkey } from "@latchkey/latchkey/control";
 *
 * const as = await connectLatchkey("http://localhost:9000");
 * await as.clients.set({ client_id: "web", redirect_uris: ["http://localhost:3000/cb"] });
 * await as.decisions.loginNext("bob");
 * await as.clock.advance(3600);
 * ```
 */
export async function connectLatchkey(url: string, options: ConnectOptions = {}): Promise<ConnectedLatchkey> {
  return toHandle(await connectControl(url, options));
}

/**
 * Starts the image of Latchkey by the package `testcontainers`, and connects to its control.
 *
 * @param testcontainers The exports of that package, in version 10 or newer.
 * @throws {ControlRequestError} If the server in the container has no control.
 *
 * @example
 * ```ts ignore
 * import * as testcontainers from "testcontainers";
 * import { startLatchkey } from "@latchkey/latchkey/control";
 *
 * await using as = await startLatchkey(testcontainers, { image: "ghcr.io/OWNER/latchkey:1" });
 * await as.decisions.loginNext("bob"); // as.issuer is the issuer for the application
 * ```
 */
export async function startLatchkey(
  testcontainers: Testcontainers,
  options: ContainerOptions,
): Promise<ContainedLatchkey> {
  const { startContainer } = await import("./container.ts");
  return await startContainer(testcontainers, options, connectLatchkey);
}

function toHandle({ functions, call, issuer, tenant }: ConnectedControl): ConnectedLatchkey {
  return {
    ...functions,
    issuer,
    on: (endpoint: string, match?: RequestPattern) => connectedRuleBuilder(call, endpoint, match),
    log: connectedLog(call),
    tenants: {
      ...functions.tenants as object,
      async create(options: TenantOptions = {}): Promise<ConnectedTenant> {
        const { id, issuer } = await call("tenants.create", options) as {
          readonly id: string;
          readonly issuer: string;
        };
        let closing: Promise<unknown> | undefined;
        const close = async () => void await (closing ??= call("tenants.remove", { id }));
        return { ...toHandle(tenant(id, issuer)), id, close, [Symbol.asyncDispose]: close };
      },
    },
  } as unknown as ConnectedLatchkey;
}
