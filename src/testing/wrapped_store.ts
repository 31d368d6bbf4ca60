/** A store with some of its verbs changed, and the same shape. */

import type { Store } from "../store/store.ts";

/** The same store, except for the verbs given. Works for every store, also for one that is an instance of a class. */
export function wrapStore(store: Store, changed: Partial<Store>): Store {
  return {
    get: (kind, id) => store.get(kind, id),
    put: (kind, id, value, shelf) => store.put(kind, id, value, shelf),
    add: (kind, id, value, shelf) => store.add(kind, id, value, shelf),
    spend: (kind, id, now) => store.spend(kind, id, now),
    revoke: (family, until) => store.revoke(family, until),
    sweep: (now) => store.sweep(now),
    close: () => store.close(),
    ...changed,
  };
}
