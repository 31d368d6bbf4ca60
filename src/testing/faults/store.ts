/** A store that does not do what the server relies on. */

import type { RecordKind, Records, Store, StoredRecord } from "../../store/store.ts";
import { wrapStore } from "../wrap_store.ts";
import type { Fault } from "./fault.ts";

/** Every call of the store fails, so that an answer that needs it is `server_error`. What is in memory still works. */
export function failing(): Fault {
  const fail = () => Promise.reject(new Error("the store fails, because a fault in the test says so"));
  const brokenStore: Store = {
    get: fail,
    put: fail,
    add: fail,
    consume: fail,
    revoke: fail,
    deleteExpired: fail,
    close: fail,
  };
  return { name: "failing store", extend: (server) => ({ ...server, store: brokenStore }) };
}

/**
 * The store forgets what was used: a code, or a refresh token, works again and again. Breaks the single use that
 * OAuth 2.1 §4.1.3 demands, for whoever wants to see what a client or a gateway in front makes of it.
 */
export function forgetsConsumed(kind: "code" | "refresh_token" = "code"): Fault {
  return {
    name: `store that forgets a spent ${kind}`,
    endpoints: ["token"],
    extend: (server) => ({ ...server, store: forgetConsumed(server.store, kind) }),
  };
}

function forgetConsumed(store: Store, forgottenKind: RecordKind): Store {
  return wrapStore(store, {
    async get<K extends RecordKind>(kind: K, id: string): Promise<StoredRecord<Records[K]> | undefined> {
      const record = await store.get(kind, id);
      return kind === forgottenKind && record !== undefined ? { ...record, consumedAt: undefined } : record;
    },
    async consume(kind, id, now) {
      const isFirst = await store.consume(kind, id, now);
      return kind === forgottenKind || isFirst;
    },
  });
}
