/** Lists of records in Redis: a sorted set contains the ids of each kind that is listed often. */

import type { Redis } from "ioredis";
import { escapeKey, idRange, unescapeKey } from "../../core/store/sql.ts";
import type { ListedRecord, ListOptions, RecordKind, Records, StoredRecord } from "../../core/store/store.ts";

/** The kinds whose ids are kept in a sorted set. For other kinds, all keys are searched. */
export const kindsWithList: ReadonlySet<string> = new Set([
  ...["client", "user", "session_client", "logout_call"],
  ...["event_stream", "stream_subject", "stream_event"],
]);

/** The members of the hash that is a record: value, grant, expiry, time of consumption. */
export const recordFields = ["v", "g", "e", "c"] as const;

/** Converts these members to a record; `undefined` if the hash does not exist. */
export function toStoredRecord<T>(fields: readonly (string | null)[]): StoredRecord<T> | undefined {
  const [value, grantId, expiry, consumedAt] = fields;
  if (typeof value !== "string") return undefined;
  return {
    value: JSON.parse(value),
    ...typeof grantId === "string" && { grantId: JSON.parse(grantId) },
    expiresAt: Number(expiry),
    ...typeof consumedAt === "string" && { consumedAt: Number(consumedAt) },
  };
}

/** Atomic: no record is deleted between reading its id and reading its content. */
const listScript = `
  local ids = redis.call("ZRANGEBYLEX", KEYS[1], ARGV[1], ARGV[2], "LIMIT", 0, ARGV[3])
  local found = {}
  for i, id in ipairs(ids) do
    found[i] = {id, redis.call("HMGET", ARGV[4] .. id, "v", "g", "e", "c")}
  end
  return found`;

/** Reads a page of records. */
export async function listRecords<K extends RecordKind>(
  redis: Redis,
  keyPrefix: string,
  kind: K,
  { prefix, after, limit }: ListOptions,
): Promise<ListedRecord<Records[K]>[]> {
  const { from, to } = idRange(prefix, after);
  const recordPrefix = `${keyPrefix}${kind}:`;
  let rows: (readonly [id: string, fields: (string | null)[]])[];
  if (kindsWithList.has(kind)) {
    rows = await redis.eval(
      listScript,
      1,
      `${keyPrefix}ids:${kind}`,
      `[${from}`,
      `(${to}`,
      limit,
      recordPrefix,
    ) as typeof rows;
  } else {
    const ids = (await searchIds(redis, recordPrefix, prefix)).filter((id) => id >= from).sort().slice(0, limit);
    rows = await Promise.all(
      ids.map(async (id) => [id, await redis.hmget(recordPrefix + id, ...recordFields)] as const),
    );
  }
  return rows.flatMap(([id, fields]) => {
    const record = toStoredRecord<Records[K]>(fields);
    return record === undefined ? [] : [{ id: unescapeKey(id), ...record }];
  });
}

export async function countRecords(redis: Redis, keyPrefix: string, kind: RecordKind, prefix: string): Promise<number> {
  if (!kindsWithList.has(kind)) return (await searchIds(redis, `${keyPrefix}${kind}:`, prefix)).length;
  const { from, to } = idRange(prefix);
  return await redis.zlexcount(`${keyPrefix}ids:${kind}`, `[${from}`, `(${to}`);
}

/** The escaped ids among all keys; takes time in proportion to the size of the database, without blocking it. */
async function searchIds(redis: Redis, recordPrefix: string, prefix: string): Promise<string[]> {
  const ids = new Set<string>();
  for await (const keys of searchKeys(redis, `${escapePattern(recordPrefix + escapeKey(prefix))}*`)) {
    for (const key of keys) ids.add(key.slice(recordPrefix.length));
  }
  return [...ids];
}

/** The records of every kind whose ids begin with a prefix, some hundred at a time; an id may occur twice. */
export async function* searchRecords(
  redis: Redis,
  keyPrefix: string,
  prefix: string,
): AsyncGenerator<readonly { readonly kind: RecordKind; readonly id: string }[]> {
  const start = escapeKey(prefix);
  for await (const keys of searchKeys(redis, `${escapePattern(keyPrefix)}*:${escapePattern(start)}*`)) {
    yield keys.flatMap((key) => {
      const colon = key.indexOf(":", keyPrefix.length);
      const id = key.slice(colon + 1);
      const kind = key.slice(keyPrefix.length, colon);
      // The pattern also finds the prefix in the middle of an id, and the index of the ids of a kind.
      return kind !== "ids" && id.startsWith(start) ? [{ kind: kind as RecordKind, id: unescapeKey(id) }] : [];
    });
  }
}

async function* searchKeys(redis: Redis, pattern: string): AsyncGenerator<readonly string[]> {
  let cursor = "0";
  do {
    const [next, keys] = await redis.scan(cursor, "MATCH", pattern, "COUNT", 1000);
    yield keys;
    cursor = next;
  } while (cursor !== "0");
}

function escapePattern(text: string): string {
  return text.replace(/[\\*?[\]]/g, "\\$&");
}
