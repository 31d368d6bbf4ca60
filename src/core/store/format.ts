/**
 * The format of stored records. It is the first part of their ids, so a program finds only records of its own format:
 * codes, tokens and sessions of another one are unknown, and users log in again.
 */

import { type ListOptions, type RecordKind, type Store, StoreError } from "./store.ts";

/**
 * Raise it with each change of what a record, of any kind, means or contains. Otherwise a program could miss a limit
 * that another version has written, such as the key of a token. Then write the fixture of the tests again
 * (`tests/server/stored/write_fixture.ts`), and keep the one of the former format.
 */
const recordFormat = 1;

const formatPrefix = `${recordFormat} `;

/** Kinds of records that only prevent something, by their existence: they count in every format. */
const marks: ReadonlySet<string> = new Set(["revocation", "used_identifier"]);

/** The records of this format in a store; a store whose records end with the process needs none. */
export function formattedStore(store: Store): Store {
  if (store.persistent !== true) return store;
  const toOuter = (kind: RecordKind, id: string) => marks.has(kind) ? id : formatPrefix + id;
  return {
    persistent: true,
    get: (kind, id) => store.get(kind, toOuter(kind, id)),
    put: (kind, id, value, metadata) => store.put(kind, toOuter(kind, id), value, metadata),
    add: (kind, id, value, metadata) => store.add(kind, toOuter(kind, id), value, metadata),
    replace: (kind, id, former, value, metadata) => store.replace(kind, toOuter(kind, id), former, value, metadata),
    consume: (kind, id, now) => store.consume(kind, toOuter(kind, id), now),
    extend: (kind, id, expiresAt) => store.extend(kind, toOuter(kind, id), expiresAt),
    revoke: (grantId, until, record) => store.revoke(grantId, until, record),
    delete: (kind, id, former) => store.delete(kind, toOuter(kind, id), former),
    async list<K extends RecordKind>(kind: K, { prefix, after, limit }: ListOptions) {
      const records = await store.list(kind, {
        prefix: toOuter(kind, prefix),
        ...after !== undefined && { after: toOuter(kind, after) },
        limit,
      });
      const { length } = toOuter(kind, "");
      return records.map((record) => ({ ...record, id: record.id.slice(length) }));
    },
    count: (kind, prefix) => store.count(kind, toOuter(kind, prefix)),
    deleteExpired: (now) => store.deleteExpired(now),
    // Those of other formats too.
    deleteAll: async (prefix) => await store.deleteAll(formatPrefix + prefix) + await store.deleteAll(prefix),
    close: () => store.close(),
  };
}

/** Maximum number of records that are read at a time. */
const pageSize = 1000;

/** The number of records of another format that are kept for ever. */
async function countOthers(store: Store, kind: RecordKind): Promise<number> {
  if (await store.count(kind, "") === await store.count(kind, formatPrefix)) return 0;
  let count = 0;
  let after: string | undefined;
  while (true) {
    const page = await store.list(kind, { prefix: "", after, limit: pageSize });
    count += page.filter(({ id, expiresAt }) => expiresAt === Infinity && !id.startsWith(formatPrefix)).length;
    if (page.length < pageSize) return count;
    after = page.at(-1)!.id;
  }
}

/** What a store has of other formats, before it is used; `undefined` if it has nothing. */
export async function findOtherFormats(store: Store): Promise<OtherFormats | undefined> {
  if (store.persistent !== true) return undefined;
  const found = { clients: await countOthers(store, "client"), users: await countOthers(store, "user") };
  if (found.clients + found.users > 0) return found;
  // Reported once: each store that has been used has signing keys.
  const isFirstStart = await store.add("format", formatPrefix, {}, { expiresAt: Infinity });
  return isFirstStart && await store.count("key", "") > 0 ? found : undefined;
}

/** The number of clients and users of other formats, which this version cannot read. */
interface OtherFormats {
  readonly clients: number;
  readonly users: number;
}

/** The error of a start with {@link OtherFormats}. */
export function otherFormatError({ clients, users }: OtherFormats): StoreError {
  return new StoreError({
    location: "the store",
    expected: "clients and users that this version of Latchkey has written",
    received: `${clients} ${clients === 1 ? "client" : "clients"} and ${users} ${users === 1 ? "user" : "users"} of ` +
      "another version",
    hint: "name another store, or empty this one (delete the file of SQLite with its -wal and -shm, run DROP SCHEMA " +
      "latchkey CASCADE in PostgreSQL, delete the keys {latchkey}:* of Redis), and add the clients and users again",
  });
}
