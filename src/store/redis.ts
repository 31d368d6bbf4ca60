/** A store in Redis or Valkey, for any number of instances on any number of machines; through the `ioredis` package. */

import { Redis } from "ioredis";
import { timeoutError, withTimeout } from "./with_timeout.ts";
import { evictable } from "./evictable.ts";
import { escapeKey } from "./escape_key.ts";
import { countRecords, listed, listRecords, recordFields, toStoredRecord } from "./redis_list.ts";
import { isReadOnly, notReplicated, redisError } from "./redis_errors.ts";
import { assertUrl } from "./store_error.ts";
import type { ListOptions, RecordKind, RecordMetadata, Records, Store, StoredRecord } from "./store.ts";

export { StoreError, type StoreErrorDetails } from "./store_error.ts";

/** How a Redis store behaves. */
export interface RedisOptions {
  /** What the names of its keys begin with, in braces, so that a cluster keeps them together. Default `latchkey`. */
  readonly prefix?: string;
  /** Milliseconds after which a call that has not been answered fails. Default 5000. */
  readonly timeout?: number;
  /**
   * Replicas that must have a write before the call is answered; where fewer have it in time, the call fails and nothing
   * is issued. As many as might take the primary's place, so that whichever does has all that was answered. Default 0: a
   * failover may then lose the last moment before it, and with it the marks of what was spent.
   */
  readonly replicas?: number;
}

/**
 * A record is a hash: `v` value, `f` family, `e` expiry, `s` when it was spent. What can expire stands in one sorted set
 * besides, by expiry. Each verb that writes is one script, which nothing else of the server comes between. What may be
 * lost early is given a time to live, too, so that it goes where no instance is left to sweep; but not where it has
 * expired already by the clock of Redis, which is then not the clock of the rules.
 */
const scripts = {
  put: `
    redis.call("DEL", KEYS[1])
    redis.call("HSET", KEYS[1], "v", ARGV[1], "e", ARGV[2])
    if ARGV[3] ~= "" then redis.call("HSET", KEYS[1], "f", string.sub(ARGV[3], 2)) end
    if ARGV[4] ~= "" and tonumber(ARGV[2]) > redis.call("TIME")[1] * 1000 then
      redis.call("PEXPIREAT", KEYS[1], ARGV[4])
    end
    if ARGV[2] == "Infinity" then redis.call("ZREM", KEYS[2], KEYS[1])
    else redis.call("ZADD", KEYS[2], ARGV[2], KEYS[1]) end
    if KEYS[3] then redis.call("ZADD", KEYS[3], 0, ARGV[5]) end
    return 1`,
  add: `
    if redis.call("EXISTS", KEYS[1]) == 1 then return 0 end
    redis.call("HSET", KEYS[1], "v", ARGV[1], "e", ARGV[2])
    if ARGV[3] ~= "" then redis.call("HSET", KEYS[1], "f", string.sub(ARGV[3], 2)) end
    if ARGV[4] ~= "" and tonumber(ARGV[2]) > redis.call("TIME")[1] * 1000 then
      redis.call("PEXPIREAT", KEYS[1], ARGV[4])
    end
    if ARGV[2] ~= "Infinity" then redis.call("ZADD", KEYS[2], ARGV[2], KEYS[1]) end
    if KEYS[3] then redis.call("ZADD", KEYS[3], 0, ARGV[5]) end
    return 1`,
  delete: `
    redis.call("ZREM", KEYS[2], KEYS[1])
    if KEYS[3] then redis.call("ZREM", KEYS[3], ARGV[1]) end
    return redis.call("DEL", KEYS[1])`,
  spend: `
    if redis.call("EXISTS", KEYS[1]) == 0 then return 0 end
    return redis.call("HSETNX", KEYS[1], "s", ARGV[1])`,
  revoke: `
    local known = redis.call("HGET", KEYS[1], "e")
    if known == "Infinity" then return 0 end
    if known and ARGV[1] ~= "Infinity" and tonumber(known) >= tonumber(ARGV[1]) then return 0 end
    redis.call("HSET", KEYS[1], "v", "{}", "e", ARGV[1])
    if ARGV[1] == "Infinity" then redis.call("ZREM", KEYS[2], KEYS[1])
    else redis.call("ZADD", KEYS[2], ARGV[1], KEYS[1]) end
    return 1`,
  // Names come out of the sorted set, all of them with the braces of the set's own name.
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

/** The kinds of {@link listed}, for a script. */
const listedKinds = ` ${[...listed].join(" ")} `;

/** So many records go at a time, so that a sweep keeps no other command waiting for long. */
const deleteBatchSize = 200;

/**
 * How long Redis keeps expired records that were not deleted, in milliseconds by its own clock, which may differ from
 * the server's.
 */
const expiryGraceMs = 24 * 3600 * 1000;

/**
 * Opens the store in a Redis (7 or newer) or Valkey server, named as `redis://user:password@host:6379/0`, or `rediss://`
 * for TLS. How durable an answered call is, the server's persistence says (`appendfsync`) and {@link RedisOptions.replicas}.
 * The server must not evict: `maxmemory-policy noeviction`.
 *
 * @throws {StoreError} if the server cannot be reached or used. The store's calls reject with the same error; it
 * connects again by itself.
 */
export async function redisStore(url: string, options: RedisOptions = {}): Promise<Store> {
  const { prefix = "latchkey", timeout = 5000, replicas = 0 } = options;
  assertUrl(url, "the Redis server", "redis://user:password@host:6379/0");
  const location = displayUrl(url);
  const redis = connect(url, timeout);
  // Waiting for replicas holds up a connection, and reads with it, so writes then have one of their own.
  const writer = replicas === 0 ? redis : connect(url, timeout);
  const connections = new Set([redis, writer]);
  // Why there is no connection, the driver says in an event alone.
  let connectionError: unknown;
  for (const connection of connections) connection.on("error", (error) => connectionError = error);
  const expiryIndexKey = `{${prefix}}:expiries`;
  const keyPrefix = `{${prefix}}:`;
  const recordKey = (kind: RecordKind, id: string) => `${keyPrefix}${kind}:${escapeKey(id)}`;
  /** The keys that a script writes: the record, the expiries, and the ids of a kind that is listed. */
  const writtenKeys = (kind: RecordKind, id: string) => [
    recordKey(kind, id),
    expiryIndexKey,
    ...listed.has(kind) ? [`${keyPrefix}ids:${kind}`] : [],
  ];

  async function call<T>(operation: () => Promise<T>): Promise<T> {
    try {
      return await withTimeout(timeout, operation(), () => timeoutError(location, timeout));
    } catch (error) {
      // Another server has taken this one's place, and the name may lead there by now. A replica can still be read, so
      // that reading alone would never notice.
      if (isReadOnly(error)) {
        for (const connection of connections) if (connection.status === "ready") connection.disconnect(true);
      }
      throw redisError(location, error);
    }
  }

  /** Runs a script, and waits until as many replicas have what it wrote as were asked for. */
  function runScript(
    name: keyof typeof scripts,
    keys: readonly string[],
    ...args: (string | number)[]
  ): Promise<number> {
    const scriptArgs = [keys.length, ...keys, ...args];
    return call(() => replicas === 0 ? redis[name](...scriptArgs) : enqueue({ name, scriptArgs }));
  }

  const pendingWrites: PendingWrite[] = [];
  let isSending = false;

  function enqueue(newWrite: Pick<PendingWrite, "name" | "scriptArgs">): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    pendingWrites.push({ ...newWrite, resolve, reject });
    if (!isSending) {
      isSending = true;
      sendAll().finally(() => isSending = false);
    }
    return promise;
  }

  /** Sends what waits, all of it together, so that one wait for the replicas serves many writes. */
  async function sendAll(): Promise<void> {
    while (pendingWrites.length > 0) {
      const batch = pendingWrites.splice(0);
      try {
        const pipeline = writer.pipeline();
        // Whole scripts, not their digests: one that had to be sent a second time would come behind the wait.
        for (const { name, scriptArgs } of batch) pipeline.eval(scripts[name], ...scriptArgs as [number, ...string[]]);
        // The wait is for what this connection has written. With a write at the end, that is also all that others had
        // written and our scripts have seen: a record that was there already is not vouched for before it is safe.
        const results = await pipeline.set(`{${prefix}}:beat`, "").wait(replicas, Math.floor(timeout * 0.4)).exec();
        const [waitError, replicated] = results!.at(-1) as [Error | null, number];
        for (const [i, { resolve, reject }] of batch.entries()) {
          const [scriptError, result] = results![i] as [Error | null, number];
          if (scriptError !== null || waitError !== null) reject(scriptError ?? waitError);
          else if (replicated < replicas) reject(notReplicated(location, replicas, replicated));
          else resolve(result);
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
  }

  try {
    for (const connection of connections) {
      await withTimeout(timeout, connection.connect(), () => timeoutError(location, timeout));
    }
  } catch (error) {
    for (const connection of connections) connection.disconnect();
    throw redisError(location, connectionError ?? error);
  }
  let closed = false;

  return {
    persistent: true,
    async get<K extends RecordKind>(kind: K, id: string): Promise<StoredRecord<Records[K]> | undefined> {
      return toStoredRecord<Records[K]>(await call(() => redis.hmget(recordKey(kind, id), ...recordFields)));
    },
    async put(kind, id, value, metadata) {
      await runScript("put", writtenKeys(kind, id), ...serializeArgs(kind, value, metadata), escapeKey(id));
    },
    async add(kind, id, value, metadata) {
      return await runScript("add", writtenKeys(kind, id), ...serializeArgs(kind, value, metadata), escapeKey(id)) ===
        1;
    },
    async consume(kind, id, now) {
      return await runScript("spend", [recordKey(kind, id)], String(now)) === 1;
    },
    async revoke(grantId, until) {
      await runScript("revoke", [recordKey("ended_family", grantId), expiryIndexKey], String(until));
    },
    async delete(kind, id) {
      await runScript("delete", writtenKeys(kind, id), escapeKey(id));
    },
    list: async <K extends RecordKind>(kind: K, options: ListOptions) =>
      await call(() => listRecords<K>(redis, keyPrefix, kind, options)),
    count: async (kind, idPrefix) => await call(() => countRecords(redis, keyPrefix, kind, idPrefix)),
    async deleteExpired(now) {
      // Infinity keeps a record even from an infinite clock.
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
    async close() {
      if (closed) return;
      closed = true;
      await Promise.all(
        [...connections].map((connection) =>
          withTimeout(timeout, connection.quit(), () => timeoutError(location, timeout)).catch(() =>
            connection.disconnect()
          )
        ),
      );
    },
  };
}

/** A write that waits to be sent. */
interface PendingWrite {
  readonly name: keyof typeof scripts;
  readonly scriptArgs: readonly (string | number)[];
  resolve(done: number): void;
  reject(failure: unknown): void;
}

/** Our scripts as commands, which the driver sends by their digests. */
type ScriptCommands<Answer> = Readonly<Record<keyof typeof scripts, (...args: (string | number)[]) => Answer>>;

type Connection = Redis & ScriptCommands<Promise<number>>;

function connect(url: string, timeout: number): Connection {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: timeout,
    // A connection that is silent for so long is given up: behind a paused server or a cut cable it would be for long.
    socketTimeout: Math.ceil(timeout * 0.8),
    disconnectTimeout: 100,
    // What was sent when the connection broke may have happened: it fails, and nobody sends it a second time.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // While there is no connection, calls fail at once, and nothing is kept to be done when nobody waits for it.
    enableOfflineQueue: false,
    retryStrategy: (tries) => Math.min(50 * 2 ** tries, 2000),
    connectionName: "latchkey",
  });
  for (const [name, lua] of Object.entries(scripts)) redis.defineCommand(name, { lua });
  return redis as Connection;
}

/** Value, expiry, family, and when Redis may delete it. A prefix on the family distinguishes an empty one from none. */
function serializeArgs(kind: RecordKind, value: unknown, { grantId, expiresAt }: RecordMetadata): string[] {
  const deleteAt = expiresAt + expiryGraceMs;
  const isEvictable = evictable.has(kind) && deleteAt < Number.MAX_SAFE_INTEGER;
  return [
    JSON.stringify(value),
    String(expiresAt),
    grantId === undefined ? "" : `+${JSON.stringify(grantId)}`,
    isEvictable ? String(Math.ceil(deleteAt)) : "",
  ];
}

/** The server as a person may be told of it: never with its password. */
function displayUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
