/** The records of one app in a store that several apps share. */

import {
  type ListedRecord,
  type ListOptions,
  type RecordKind,
  type RecordMetadata,
  type Records,
  type Store,
  type StoredRecord,
  StoreError,
} from "../../core/store/store.ts";

/**
 * The part of a store whose ids begin with a prefix. `close()` waits for pending writes and leaves the store open;
 * later writes reject, so that no request in flight writes after its app was dropped.
 *
 * @param prefix The prefix of another part must not begin with it.
 * @param deleteExpired Deletes the expired records of the whole store.
 */
export function prefixedStore(store: Store, prefix: string, deleteExpired: Store["deleteExpired"]): Store {
  const pending = new Set<Promise<unknown>>();
  let isClosed = false;

  const toOuter = ({ grantId, expiresAt }: RecordMetadata): RecordMetadata =>
    grantId === undefined ? { expiresAt } : { grantId: prefix + grantId, expiresAt };

  function toInner<T extends StoredRecord<unknown>>(record: T): T {
    const { grantId } = record;
    return grantId === undefined ? record : { ...record, grantId: grantId.slice(prefix.length) };
  }

  async function write<T>(call: () => Promise<T>): Promise<T> {
    if (isClosed) throw closedError();
    const result = call();
    pending.add(result);
    try {
      return await result;
    } finally {
      pending.delete(result);
    }
  }

  return {
    persistent: store.persistent,
    async get<K extends RecordKind>(kind: K, id: string) {
      const record = await store.get(kind, prefix + id);
      return record && toInner(record);
    },
    put: (kind, id, value, metadata) => write(() => store.put(kind, prefix + id, value, toOuter(metadata))),
    add: (kind, id, value, metadata) => write(() => store.add(kind, prefix + id, value, toOuter(metadata))),
    replace: (kind, id, former, value, metadata) =>
      write(() => store.replace(kind, prefix + id, former, value, toOuter(metadata))),
    consume: (kind, id, now) => write(() => store.consume(kind, prefix + id, now)),
    extend: (kind, id, expiresAt) => write(() => store.extend(kind, prefix + id, expiresAt)),
    revoke: (grantId, until, record) => write(() => store.revoke(prefix + grantId, until, record)),
    delete: (kind, id, former) => write(() => store.delete(kind, prefix + id, former)),
    async list<K extends RecordKind>(kind: K, options: ListOptions): Promise<ListedRecord<Records[K]>[]> {
      const { after, limit } = options;
      const records = await store.list(kind, {
        prefix: prefix + options.prefix,
        ...after !== undefined && { after: prefix + after },
        limit,
      });
      return records.map((record) => ({ ...toInner(record), id: record.id.slice(prefix.length) }));
    },
    count: (kind, idPrefix) => store.count(kind, prefix + idPrefix),
    deleteExpired,
    deleteAll: (idPrefix) => write(() => store.deleteAll(prefix + idPrefix)),
    async close() {
      isClosed = true;
      await Promise.allSettled(pending);
    },
  };
}

function closedError(): StoreError {
  return new StoreError({
    location: "the store of an app",
    expected: "an app that is in use",
    received: "an app that was closed while it handled the request",
    hint: "send requests to another app",
  });
}
