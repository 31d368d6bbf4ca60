/** Every kind of store, for tests that several instances on one store must pass. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { memoryStore, type Store } from "../../../src/mod.ts";
import { postgresStore } from "../../../src/platform/store/sql/postgres.ts";
import { redisStore } from "../../../src/platform/store/redis.ts";
import { sqliteStore } from "../../../src/platform/store/sqlite.ts";
import { dropPostgresSchemas, dropRedisPrefixes, postgresUrl, redisUrl, timeout, uniqueName } from "./servers.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-kinds-"));
after(() => rmSync(folder, { recursive: true }));

const names: string[] = [];
after(() => postgresUrl === undefined ? undefined : dropPostgresSchemas(postgresUrl, names));
after(() => redisUrl === undefined ? undefined : dropRedisPrefixes(redisUrl, names));

/** For each kind of store, a function that creates a new store, and returns a function that opens it. */
export const storeKinds: (readonly [name: string, skip: boolean, create: () => () => Promise<Store>])[] = [
  ["memory", false, () => {
    const store = { ...memoryStore(), persistent: true, close: () => Promise.resolve() };
    return () => Promise.resolve(store);
  }],
  ["SQLite", false, () => {
    const path = join(folder, `${uniqueName()}.db`);
    return () => sqliteStore(path);
  }],
  ["PostgreSQL", postgresUrl === undefined, () => {
    const schema = uniqueName();
    names.push(schema);
    return () => postgresStore(postgresUrl!, { timeout, schema, connections: 2 });
  }],
  ["Redis", redisUrl === undefined, () => {
    const prefix = uniqueName();
    names.push(prefix);
    return () => redisStore(redisUrl!, { timeout, prefix });
  }],
];
