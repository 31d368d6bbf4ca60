/** Wraps a store to replace some of its methods. */

import type { Store } from "../core/store/store.ts";

/** The store with some methods replaced. Also works for a store that is an instance of a class. */
export function wrapStore(store: Store, overrides: Partial<Store>): Store {
  return {
    ...store.persistent !== undefined && { persistent: store.persistent },
    get: (kind, id) => store.get(kind, id),
    put: (kind, id, value, metadata) => store.put(kind, id, value, metadata),
    add: (kind, id, value, metadata) => store.add(kind, id, value, metadata),
    replace: (kind, id, former, value, metadata) => store.replace(kind, id, former, value, metadata),
    consume: (kind, id, now) => store.consume(kind, id, now),
    extend: (kind, id, expiresAt) => store.extend(kind, id, expiresAt),
    revoke: (grantId, until, record) => store.revoke(grantId, until, record),
    delete: (kind, id, former) => store.delete(kind, id, former),
    list: (kind, options) => store.list(kind, options),
    count: (kind, prefix) => store.count(kind, prefix),
    deleteExpired: (now) => store.deleteExpired(now),
    deleteAll: (prefix) => store.deleteAll(prefix),
    close: () => store.close(),
    ...overrides,
  };
}
