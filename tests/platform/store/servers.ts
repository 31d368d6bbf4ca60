/** The database servers that tests may use: named in the environment, or else the tests that need them are skipped. */

import { assert, assertMatch, assertRejects } from "@std/assert";
import process from "node:process";
import { test } from "node:test";
import { type Store, StoreError } from "../../../src/core/store/store.ts";

/** A name that no other run, test or process uses at this moment: for the schema or prefix of one store. */
export function uniqueName(): string {
  return `latchkey_test_${process.pid}_${Math.random().toString(36).slice(2, 10)}`;
}

/** Such as `postgres://postgres@127.0.0.1:5432/test`. */
export const postgresUrl = process.env.LATCHKEY_TEST_POSTGRES || undefined;

/** Such as `redis://127.0.0.1:6379`. */
export const redisUrl = process.env.LATCHKEY_TEST_REDIS || undefined;

/** Milliseconds that a call of such a store may take: enough where other tests keep the machine busy. */
export const timeout = 60_000;

/** Removes what tests have left in a PostgreSQL server. */
export async function dropPostgresSchemas(url: string, schemas: readonly string[]): Promise<void> {
  const { default: postgres } = await import("postgres");
  const sql = postgres(url, { max: 1, onnotice() {} });
  for (const schema of schemas) await sql`DROP SCHEMA IF EXISTS ${sql(schema)} CASCADE`;
  await sql.end();
}

/** Removes what tests have left in a Redis server. */
export async function dropRedisPrefixes(url: string, prefixes: readonly string[]): Promise<void> {
  const { Redis } = await import("ioredis");
  const redis = new Redis(url);
  for (const prefix of prefixes) {
    const keys = await redis.keys(`{${prefix}}:*`);
    if (keys.length > 0) await redis.unlink(...keys);
  }
  await redis.quit();
}

/** Tests that a store rejects an invalid URL, and servers that cannot be reached or used, without the password. */
export function testRejectedAddresses(
  open: (url: string, options?: { readonly timeout: number }) => Promise<Store>,
  skip: boolean,
  invalid: string,
  unusable: readonly (readonly [url: string, sentence: RegExp])[],
): void {
  test("[OP-08] an invalid URL is rejected before the driver repeats it with its password", async () => {
    for (const broken of [invalid, "hunter2"]) {
      const error = await assertRejects(() => open(broken), StoreError);
      assertMatch(error.message, /expected a URL like .* percent-encode/);
      assert(!error.message.includes("hunter2") && error.cause === undefined);
    }
  });

  test(
    "a server that cannot be reached or used is reported in one sentence, without the password",
    { skip },
    async () => {
      for (const [url, sentence] of unusable) {
        const error = await assertRejects(() => open(url, { timeout: 3000 }), StoreError);
        assertMatch(error.message, sentence);
        assert(!error.message.includes("hunter2"));
      }
    },
  );
}
