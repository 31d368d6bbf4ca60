/** Clients and users, found by id. A server has them from its start, or a wider interface changes them. */

import type { MaybePromise } from "./maybe_promise.ts";

/** @internal Clients or users. If the result is known without a store, methods return it synchronously. */
export interface Entries<Item> {
  /** Finds one by id; `undefined` if it does not exist. */
  find(id: string): MaybePromise<Item | undefined>;
  /**
   * The entries in their order, the default one first.
   *
   * @param options `limit`: the maximum number of entries. Default: all.
   */
  list(options?: { readonly limit?: number }): MaybePromise<readonly Item[]>;
  /** The entries in memory, by id. The same map until one of them changes. */
  known(): ReadonlyMap<string, Item>;
}

/** Entries that never change. */
export function fixedEntries<Item>(items: readonly Item[], getId: (item: Item) => string): Entries<Item> {
  const byId = new Map(items.map((item) => [getId(item), item]));
  return {
    find: (id) => byId.get(id),
    list: ({ limit } = {}) => items.slice(0, limit),
    known: () => byId,
  };
}
