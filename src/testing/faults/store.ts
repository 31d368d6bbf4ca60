/** A store that does not do what the server relies on. */

import type { RecordKind, Records, Store, StoredRecord } from "../../store/store.ts";
import { wrapStore } from "../wrap_store.ts";
import { defineFault, type FaultFactory } from "./definition.ts";
import type { Fault } from "./fault.ts";

/** Every call of the store fails, so that a response that needs the store is `server_error`. */
export const failing: FaultFactory<() => Fault> = defineFault({
  id: "store.failing",
  title: "Store fails",
  correctClient: "The client reports server_error (status 500), and retries later.",
  create: () => ({ name: "failing store", extend: (server) => ({ ...server, store: failingStore(server.store) }) }),
});

function failingStore(store: Store): Store {
  const fail = () => Promise.reject(new Error("the store fails because of a fault in the test"));
  const calls = Object.keys(wrapStore(store, {})).map((call) => [call, fail]);
  return wrapStore(store, Object.fromEntries(calls));
}

/**
 * The store forgets that a code or a refresh token was used: it works again. This breaks the single use that OAuth 2.1
 * §4.1.3 requires, to test a client or a gateway behind such a server.
 */
export const forgetsConsumed: FaultFactory<(kind?: "code" | "refresh_token") => Fault> = defineFault({
  id: "store.forgetsConsumed",
  title: "Store forgets that a code or refresh token was used",
  endpoints: ["token"],
  correctClient: "The client exchanges a code or refresh token once, although the server would accept it again.",
  parameters: [{
    name: "kind",
    label: "What can be used again",
    type: "string",
    enum: ["code", "refresh_token"],
    default: "code",
    description: "What can be used again: code or refresh_token.",
  }],
  create: ({ kind }) => ({
    name: `store that forgets a used ${kind}`,
    extend: (server) => ({ ...server, store: forgetConsumed(server.store, kind) }),
  }),
});

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
