/** A store that does not do what the server relies on. */

import type { Entry, Kind, Records, Store } from "../../store/store.ts";
import { wrapStore } from "../wrapped_store.ts";
import type { Fault } from "./fault.ts";

/** Every call of the store fails, so that an answer that needs it is `server_error`. What is in memory still works. */
export function failing(): Fault {
  const fail = () => Promise.reject(new Error("the store fails, because a fault in the test says so"));
  const broken: Store = { get: fail, put: fail, add: fail, spend: fail, revoke: fail, sweep: fail, close: fail };
  return { name: "failing store", server: (server) => ({ ...server, store: broken }) };
}

/**
 * The store forgets what was used: a code, or a refresh token, works again and again. Breaks the single use that
 * OAuth 2.1 §4.1.3 demands, for whoever wants to see what a client or a gateway in front makes of it.
 */
export function forgetful(kind: "code" | "refresh_token" = "code"): Fault {
  return {
    name: `store that forgets a spent ${kind}`,
    endpoints: ["token"],
    server: (server) => ({ ...server, store: forgetting(server.store, kind) }),
  };
}

function forgetting(store: Store, forgotten: Kind): Store {
  return wrapStore(store, {
    async get<K extends Kind>(kind: K, id: string): Promise<Entry<Records[K]> | undefined> {
      const entry = await store.get(kind, id);
      return kind === forgotten && entry !== undefined ? { ...entry, spentAt: undefined } : entry;
    },
    async spend(kind, id, now) {
      const isFirst = await store.spend(kind, id, now);
      return kind === forgotten || isFirst;
    },
  });
}
