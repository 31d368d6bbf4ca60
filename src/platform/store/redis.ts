/** A store in Redis or Valkey, for any number of instances and machines. Needs the `ioredis` package. */

import { Redis } from "ioredis";
import { withTimeout } from "./with_timeout.ts";
import {
  evictable,
  type ListOptions,
  type RecordKind,
  type RecordMetadata,
  type Records,
  type Store,
  type StoredRecord,
  storeOptions,
} from "../../core/store/store.ts";
import { escapeKey } from "../../core/store/sql.ts";
import { countRecords, kindsWithList, listRecords, recordFields, searchRecords, toStoredRecord } from "./redis_list.ts";
import { isReadOnly, redisError } from "./redis_errors.ts";
import { displayUrl } from "./display_url.ts";

export { StoreError } from "../../core/store/store.ts";

/** Options of a Redis store. */
export interface RedisOptions {
  /** The prefix of all keys, as a hash tag: a cluster keeps them on one node. Default: `latchkey`. */
  readonly prefix?: string;
  /** Timeout of a call, in milliseconds. Default: 5000. */
  readonly timeout?: number;
  /** Receives a sentence if the server evicts keys. Default: not reported. */
  readonly warn?: (message: string) => void;
}

const defaults: Required<RedisOptions> = { prefix: "latchkey", timeout: 5000, warn: () => {} };

/** The part of a Lua script that gives a record its time to live: from the arguments of these numbers. */
const expire = (expiresAt: number, deleteAt: number) => `
    if ARGV[${deleteAt}] ~= "" and tonumber(ARGV[${expiresAt}]) > redis.call("TIME")[1] * 1000 then
      redis.call("PEXPIREAT", KEYS[1], ARGV[${deleteAt}])
    end`;

/**
 * The part of a Lua script that writes a record. Redis checks its memory only before the first write of a script, and
 * not before DEL: a script that begins with DEL would lose the former record and exceed `maxmemory`.
 */
const write = `
    redis.call("HSET", KEYS[1], "v", ARGV[1], "e", ARGV[2])
    redis.call("HDEL", KEYS[1], "g", "c")
    redis.call("PERSIST", KEYS[1])
    if ARGV[3] ~= "" then redis.call("HSET", KEYS[1], "g", string.sub(ARGV[3], 2)) end
    ${expire(2, 4)}
    if ARGV[2] == "Infinity" then redis.call("ZREM", KEYS[2], KEYS[1])
    else redis.call("ZADD", KEYS[2], ARGV[2], KEYS[1]) end
    if KEYS[3] then redis.call("ZADD", KEYS[3], 0, ARGV[5]) end
    return 1`;

/** The part of a Lua script that ends it unless the record has the value of this argument, and is not consumed. */
const unlessStill = (former: number) =>
  `if redis.call("HGET", KEYS[1], "v") ~= ARGV[${former}] or redis.call("HEXISTS", KEYS[1], "c") == 1 then return 0 end`;

/**
 * Lua scripts, one for each verb that writes: Redis runs a script atomically. A record is a hash: `v` value, `g` grant,
 * `e` expiry, `c` time of consumption. A sorted set contains the keys of all records that can expire, by expiry.
 * Evictable records also have a time to live, so that Redis deletes them if no instance does. A record that has already
 * expired by the clock of Redis gets no time to live, because the server's clock decides.
 */
const scripts = {
  put: write,
  add: `
    if redis.call("EXISTS", KEYS[1]) == 1 then return 0 end
    ${write}`,
  replace: `
    ${unlessStill(6)}
    ${write}`,
  extend: `
    local known = redis.call("HGET", KEYS[1], "e")
    if not known or known == "Infinity" or tonumber(known) >= tonumber(ARGV[1]) then return 0 end
    redis.call("HSET", KEYS[1], "e", ARGV[1])
    redis.call("ZADD", KEYS[2], ARGV[1], KEYS[1])
    ${expire(1, 2)}
    return 1`,
  delete: `
    if ARGV[2] then ${unlessStill(2)} end
    redis.call("ZREM", KEYS[2], KEYS[1])
    if KEYS[3] then redis.call("ZREM", KEYS[3], ARGV[1]) end
    return redis.call("DEL", KEYS[1])`,
  consume: `
    if redis.call("EXISTS", KEYS[1]) == 0 then return 0 end
    return redis.call("HSETNX", KEYS[1], "c", ARGV[1])`,
  revoke: `
    local known = redis.call("HGET", KEYS[1], "e")
    if known == "Infinity" then return 0 end
    if known and ARGV[1] ~= "Infinity" and tonumber(known) >= tonumber(ARGV[1]) then return 0 end
    redis.call("HSETNX", KEYS[1], "v", ARGV[2])
    redis.call("HSET", KEYS[1], "e", ARGV[1])
    if ARGV[1] == "Infinity" then redis.call("ZREM", KEYS[2], KEYS[1])
    else redis.call("ZADD", KEYS[2], ARGV[1], KEYS[1]) end
    return 1`,
  // Keys from the sorted set have the same hash tag as the set.
  sweep: `
    local due = redis.call("ZRANGEBYSCORE", KEYS[1], "-inf", ARGV[1], "LIMIT", 0, ARGV[2])
    for _, key in ipairs(due) do
      redis.call("DEL", key)
      redis.call("ZREM", KEYS[1], key)
      local kind, id = string.match(string.sub(key, #ARGV[3] + 1), "^([%l_]+):(.*)$")
      if string.find(ARGV[4], " " .. kind .. " ", 1, true) then redis.call("ZREM", ARGV[3] .. "ids:" .. kind, id) end
    end
    return #due`,
} as const;

/** The kinds of {@link kindsWithList}, for a script. */
const listedKinds = ` ${[...kindsWithList].join(" ")} `;

/** Maximum number of records deleted by one script, because a script blocks all other commands. */
const deleteBatchSize = 200;

/**
 * How long Redis keeps expired records that were not deleted, in milliseconds by its own clock, which may differ from
 * the server's.
 */
const expiryGraceMs = 24 * 3600 * 1000;

/**
 * Opens the store in a Redis (7 or newer) or Valkey server, named as `redis://user:password@host:6379/0`, or
 * `rediss://` for TLS. The durability of a write depends on the server's `appendfsync`; after a failover the last writes
 * may be lost. The server must not evict keys: `maxmemory-policy noeviction`.
 *
 * @throws {StoreError} If the server cannot be reached or used. The store's calls reject with the same error; it
 *   reconnects by itself.
 * @throws {TypeError} If an option is unknown.
 */
export async function redisStore(url: string, options: RedisOptions = {}): Promise<Store> {
  const { prefix, timeout, warn } = storeOptions("redisStore", defaults, options);
  const location = displayUrl(url, "the Redis server", "redis://user:password@host:6379/0");
  const redis = connect(url, timeout);
  // The driver reports the reason of a failed connection only in an event.
  let connectionError: unknown;
  redis.on("error", (error) => connectionError = error);
  let closed = false;
  const expiryIndexKey = `{${prefix}}:expiries`;
  const keyPrefix = `{${prefix}}:`;
  const recordKey = (kind: RecordKind, id: string) => `${keyPrefix}${kind}:${escapeKey(id)}`;
  /** The keys that a script writes: the record, the expiries, and the ids of a kind in {@link kindsWithList}. */
  const writtenKeys = (
    kind: RecordKind,
    id: string,
  ) => [recordKey(kind, id), expiryIndexKey, ...kindsWithList.has(kind) ? [`${keyPrefix}ids:${kind}`] : []];

  async function call<T>(operation: () => Promise<T>): Promise<T> {
    try {
      return await withTimeout(location, timeout, operation());
    } catch (error) {
      // After a failover the host name may resolve to the new primary: reconnect. A replica accepts reads, so only
      // writes detect this.
      if (isReadOnly(error) && redis.status === "ready") redis.disconnect(true);
      throw redisError(location, error);
    }
  }

  const runScript = (name: keyof typeof scripts, keys: readonly string[], ...args: (string | number)[]) =>
    call(() => redis[name](keys.length, ...keys, ...args));

  try {
    await withTimeout(location, timeout, redis.connect());
  } catch (error) {
    redis.disconnect();
    throw redisError(location, connectionError ?? error);
  }
  const policy = await withTimeout(location, timeout, evictionPolicy(redis)).catch(() => undefined);
  if (policy !== undefined && policy !== "noeviction") {
    warn(
      `The Redis server evicts records when its memory is full (maxmemory-policy ${policy}): clients, keys and ` +
        `revocations may be lost. Set maxmemory-policy noeviction.`,
    );
  }

  return {
    persistent: true,
    async get<K extends RecordKind>(kind: K, id: string): Promise<StoredRecord<Records[K]> | undefined> {
      return toStoredRecord<Records[K]>(await call(() => redis.hmget(recordKey(kind, id), ...recordFields)));
    },
    async put(kind, id, value, metadata) {
      await runScript("put", writtenKeys(kind, id), ...writeArgs(kind, id, value, metadata));
    },
    async add(kind, id, value, metadata) {
      return await runScript("add", writtenKeys(kind, id), ...writeArgs(kind, id, value, metadata)) === 1;
    },
    async replace(kind, id, former, value, metadata) {
      const args = [...writeArgs(kind, id, value, metadata), JSON.stringify(former)];
      return await runScript("replace", writtenKeys(kind, id), ...args) === 1;
    },
    async consume(kind, id, now) {
      return await runScript("consume", [recordKey(kind, id)], String(now)) === 1;
    },
    async extend(kind, id, expiresAt) {
      await runScript(
        "extend",
        [recordKey(kind, id), expiryIndexKey],
        String(expiresAt),
        deletionTime(kind, expiresAt),
      );
    },
    async revoke(grantId, until, record = {}) {
      const keys = [recordKey("revocation", grantId), expiryIndexKey];
      await runScript("revoke", keys, String(until), JSON.stringify(record));
    },
    async delete(kind, id, former) {
      const args = [escapeKey(id), ...former === undefined ? [] : [JSON.stringify(former)]];
      return await runScript("delete", writtenKeys(kind, id), ...args) === 1;
    },
    list: async <K extends RecordKind>(kind: K, options: ListOptions) =>
      await call(() => listRecords<K>(redis, keyPrefix, kind, options)),
    count: async (kind, idPrefix) => await call(() => countRecords(redis, keyPrefix, kind, idPrefix)),
    async deleteExpired(now) {
      // A record with an infinite expiry outlasts even an infinite clock.
      const expiredBefore = String(Math.min(now, Number.MAX_VALUE));
      let removed = 0;
      while (!closed) {
        const batch = await call(() =>
          redis.sweep(1, expiryIndexKey, expiredBefore, deleteBatchSize, keyPrefix, listedKinds)
        );
        removed += batch;
        if (batch < deleteBatchSize) break;
      }
      return removed;
    },
    async deleteAll(idPrefix) {
      let removed = 0;
      const batches = searchRecords(redis, keyPrefix, idPrefix);
      while (true) {
        const { done, value: records } = await call(() => batches.next());
        if (done) return removed;
        const deleted = await Promise.all(
          records.map(({ kind, id }) => runScript("delete", writtenKeys(kind, id), escapeKey(id))),
        );
        removed += deleted.filter((count) => count === 1).length;
      }
    },
    async close() {
      if (closed) return;
      closed = true;
      await withTimeout(location, timeout, redis.quit()).catch(() => redis.disconnect());
    },
  };
}

/** The `maxmemory-policy` of a server; `undefined` if it does not say. Rejects if INFO is forbidden. */
async function evictionPolicy(redis: Redis): Promise<string | undefined> {
  return /^maxmemory_policy:([\w-]+)/m.exec(await redis.info("memory"))?.[1];
}

/** The scripts as commands of the driver, which sends them by digest (EVALSHA). */
type ScriptCommands<Result> = Readonly<Record<keyof typeof scripts, (...args: (string | number)[]) => Result>>;

type Connection = Redis & ScriptCommands<Promise<number>>;

function connect(url: string, timeout: number): Connection {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: timeout,
    // Closes a silent connection, because TCP alone would take minutes to detect a dead peer.
    socketTimeout: Math.ceil(timeout * 0.8),
    disconnectTimeout: 100,
    // A command may have run before the connection broke, so it fails and is not sent again.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // Without a connection, calls fail immediately: a queued write could run after its caller has given up.
    enableOfflineQueue: false,
    retryStrategy: (tries) => Math.min(50 * 2 ** tries, 2000),
    connectionName: "latchkey",
  });
  for (const [name, lua] of Object.entries(scripts)) redis.defineCommand(name, { lua });
  return redis as Connection;
}

/** Value, expiry, grant, time to live, and id. A prefix of the grant distinguishes an empty one from none. */
function writeArgs(kind: RecordKind, id: string, value: unknown, { grantId, expiresAt }: RecordMetadata): string[] {
  return [
    JSON.stringify(value),
    String(expiresAt),
    grantId === undefined ? "" : `+${JSON.stringify(grantId)}`,
    deletionTime(kind, expiresAt),
    escapeKey(id),
  ];
}

/** When Redis itself deletes a record, in milliseconds since the epoch; empty for a record that it keeps. */
function deletionTime(kind: RecordKind, expiresAt: number): string {
  const deleteAt = expiresAt + expiryGraceMs;
  return evictable.has(kind) && deleteAt < Number.MAX_SAFE_INTEGER ? String(Math.ceil(deleteAt)) : "";
}
