/** The state of a test server that a reset clears. */

import type { HostedServer } from "../server/hosted_server.ts";
import { forgetSecrets } from "../core/sessions/session.ts";
import type { Store } from "../core/store/store.ts";
import { wrapStore } from "./wrap_store.ts";

/** The expiry of records that a server keeps without limit: a reset removes them by this date. */
const resettableExpiry = Number.MAX_SAFE_INTEGER;

/** The kinds of records that a reset removes although they never expire. */
const permanentKinds: ReadonlySet<string> = new Set(["server_secret", "registration"]);

/** @internal What a reset keeps. */
export interface ResetOptions {
  /**
   * `clients` keeps the registered clients and the client ID metadata documents, such as those of a `beforeAll`;
   * `users` keeps the users. Default: neither.
   *
   * @example
   * ```ts ignore
   * beforeAll(() => client = as.client());
   * afterEach(() => as.reset({ keep: ["clients"] }));
   * ```
   */
  readonly keep?: readonly ("clients" | "users")[];
}

/** @throws {TypeError} If a value is none that {@link ResetOptions.keep} can have. */
export function assertKeep(keep: NonNullable<ResetOptions["keep"]>): void {
  if ([...keep].every((item) => item === "clients" || item === "users")) return;
  throw new TypeError(`keep of reset(): expected a list of "clients" and "users", received ${JSON.stringify(keep)}`);
}

/** Creates the resettable state of one server. */
export function resettableState() {
  return {
    extend: (server: HostedServer): HostedServer => ({ ...server, store: withResettableRecords(server.store) }),
    /** Clears everything but the signing keys. A memory store is cleared when this returns. */
    async reset({ store, rateLimiter, recentChallenges, fetching }: HostedServer): Promise<void> {
      forgetSecrets(store);
      rateLimiter?.clear();
      recentChallenges.clear();
      const { limiter, keys, unusedKeys } = fetching;
      for (const { clear } of [limiter, keys.keyFetches, unusedKeys.keyFetches]) clear();
      await store.deleteExpired(resettableExpiry);
    },
  };
}

/** The store with an expiry for permanent records. Without the server's own secrets, all sessions are invalid. */
function withResettableRecords(store: Store): Store {
  return wrapStore(store, {
    add: (kind, id, value, metadata) =>
      store.add(kind, id, value, permanentKinds.has(kind) ? { ...metadata, expiresAt: resettableExpiry } : metadata),
  });
}
