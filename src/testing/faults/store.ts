/** A store that breaks the guarantees that the server relies on. */

import type { Server } from "../../core/server.ts";
import type { RecordKind, Records, Store, StoredRecord } from "../../core/store/store.ts";
import { wrapStore } from "../wrap_store.ts";
import { defineFault, type FaultFactory } from "./definition.ts";
import type { Fault } from "./fault.ts";
import { choiceParameter } from "./parameters.ts";

/** Every call of the store fails, so that every response that needs the store is `server_error`. */
export const failing: FaultFactory<() => Fault> = defineFault({
  id: "store.failing",
  title: "Store of the server fails",
  correctClient: "The client reports server_error (status 500), and can repeat the request later.",
  create: () => ({ name: "failing store", extend: (server) => ({ ...server, store: failingStore(server.store) }) }),
});

function failingStore(store: Store): Store {
  const fail = () => Promise.reject(new Error("the store fails because of a fault in the test"));
  const members = Object.entries(wrapStore(store, {}));
  const calls = members.flatMap(([name, member]) => typeof member === "function" ? [[name, fail]] : []);
  return wrapStore(store, Object.fromEntries(calls));
}

/**
 * The code or refresh token of the request has expired when it arrives, so that the server rejects the request by rule
 * CI-02 or RT-07, and each later one with the same code or refresh token. The fault fires when a request has a valid
 * one.
 *
 * @example An application that takes too long to exchange its code
 * ```ts ignore
 * as.on("token", { client }).once(faults.store.expired("code"));
 * ```
 */
export const expired: FaultFactory<(kind?: "code" | "refresh_token") => Fault> = defineFault({
  id: "store.expired",
  title: "Authorization code or refresh token has expired when the client sends it",
  endpoints: ["token"],
  correctClient: "The client starts a new login, and does not send the same code or refresh token again.",
  parameters: [
    choiceParameter("kind", ["code", "refresh_token"], "What has expired: code or refresh_token.", "What has expired"),
  ],
  create: ({ kind }) => ({
    name: kind === "code" ? "expired code" : "expired refresh token",
    waitsFor: kind === "code" ? "exchanged a valid code" : "exchanged a valid refresh token",
    extend: (server, { consume }) => ({ ...server, store: expire(server, kind, consume) }),
  }),
});

function expire({ store, now }: Server, expiredKind: RecordKind, consume: () => boolean): Store {
  return wrapStore(store, {
    async get<K extends RecordKind>(kind: K, id: string): Promise<StoredRecord<Records[K]> | undefined> {
      const record = await store.get(kind, id);
      if (kind !== expiredKind || record === undefined || record.consumedAt !== undefined || !consume()) return record;
      const value = { ...record.value, validUntil: now() - 1000 };
      await store.put(kind, id, value, { grantId: record.grantId, expiresAt: record.expiresAt });
      return { ...record, value };
    },
  });
}
