/** Records of kinds that the core does not have: what stores them declares their types. */

import type { Server } from "../core/server.ts";
import type { ListedRecord, Store } from "../core/store/store.ts";

/** The store of a server, for records of these kinds. A store accepts any kind, so only the types differ. */
export function storeOf<Kinds extends object>({ store }: { readonly store: Store }): Store<Kinds> {
  return store as Store<Kinds>;
}

/**
 * How long, in milliseconds, a message to send belongs to the process that took it: far longer than
 * any post. If that process ends, another one sends it later: it may be sent twice, but is never lost.
 */
const leaseMs = 60_000;

/** The records that are due and belong to no process. */
export function dueRecords<T extends { readonly dueAt: number }>(
  { now }: Pick<Server, "now">,
  records: readonly ListedRecord<T>[],
): readonly ListedRecord<T>[] {
  const isFree = (consumedAt: number | undefined) => consumedAt === undefined || consumedAt + leaseMs <= now();
  return records.filter(({ value, consumedAt }) => value.dueAt <= now() && isFree(consumedAt));
}

/** Leases one of {@link dueRecords}. Of several instances, one leases it. The caller deletes or replaces it. */
export async function leaseRecord<Kinds extends object, K extends keyof Kinds & string>(
  { now }: Pick<Server, "now">,
  store: Store<Kinds>,
  kind: K,
  { id, value, expiresAt, consumedAt }: ListedRecord<Kinds[K]>,
): Promise<boolean> {
  // The process that leased it has ended: a record that is written again is not consumed.
  if (consumedAt !== undefined) await store.put(kind, id, value, { expiresAt });
  return await store.consume(kind, id, now());
}
