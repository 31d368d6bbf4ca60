/** Records of kinds that the core does not have: what stores them declares their types. */

import type { Server } from "../../core/server.ts";
import type { ListedRecord, Store } from "../../core/store/store.ts";

/** The store of a server, for records of these kinds. A store accepts any kind, so only the types differ. */
export function storeOf<Kinds extends object>({ store }: { readonly store: Store }): Store<Kinds> {
  return store as Store<Kinds>;
}

/**
 * How long, in milliseconds, a message to send belongs to the process that took it: far longer than
 * any post. If that process ends, another one sends it later: it may be sent twice, but is never lost.
 */
const leaseMs = 60_000;

/** The records that are due: a message that a process has taken is due again when its lease ends. */
export function dueRecords<T extends { readonly dueAt: number }>(
  { now }: Pick<Server, "now">,
  records: readonly ListedRecord<T>[],
): readonly ListedRecord<T>[] {
  return records.filter(({ value }) => value.dueAt <= now());
}

/**
 * Leases one of {@link dueRecords}; returns it as it is then, or `undefined` if another instance has leased or deleted
 * it since it was read. The caller deletes or replaces it.
 */
export async function leaseRecord<Kinds extends object, K extends keyof Kinds & string>(
  { now }: Pick<Server, "now">,
  store: Store<Kinds>,
  kind: K,
  { id, value, expiresAt }: ListedRecord<Kinds[K] & { readonly dueAt: number }>,
): Promise<ListedRecord<Kinds[K]> | undefined> {
  const leased = { ...value, dueAt: now() + leaseMs };
  return await store.replace(kind, id, value, leased, { expiresAt }) ? { id, value: leased, expiresAt } : undefined;
}
