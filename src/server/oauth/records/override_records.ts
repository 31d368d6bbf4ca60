/** Records in the store: the ids of overrides, and lists of more than one page. */

import type { ListedRecord, OverrideRecord, RecordKind, Records, Store } from "../../../platform/store/store.ts";

/** Number of records in one page of a list. */
export const maxPageSize = 1000;

/**
 * The id of an override. Each configured entry of a client or user has its own id, so that instances with two
 * configurations, as in a rolling update, do not replace each other's changes.
 *
 * @param prefix The prefix of the ids of the issuer's records.
 */
export function overrideId(
  prefix: string,
  { of, id, basis, change }: Pick<OverrideRecord, "of" | "id" | "basis" | "change">,
): string {
  return change === "default" ? `${prefix}${of} default` : `${prefix}${of} ${basis} ${id}`;
}

/** All records of a kind whose ids begin with a prefix. */
export async function listAll<K extends RecordKind>(
  store: Store,
  kind: K,
  prefix: string,
): Promise<ListedRecord<Records[K]>[]> {
  const records: ListedRecord<Records[K]>[] = [];
  for (;;) {
    const page = await store.list(kind, { prefix, after: records.at(-1)?.id, limit: maxPageSize });
    records.push(...page);
    if (page.length < maxPageSize) return records;
  }
}
