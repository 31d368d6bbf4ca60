/** Opens a store by the text that an operator names it with. */

import { parseStore } from "../../src/cli/options.ts";
import { postgresStore } from "../../src/store/sql/postgres.ts";
import { redisStore } from "../../src/store/redis.ts";
import { sqliteStore } from "../../src/store/sql/sqlite.ts";
import type { Store } from "../../src/store/store.ts";

/** Every store but the one in memory, which nobody shares. */
export function openStore(text: string): Promise<Store> {
  const choice = parseStore(text);
  switch (choice.kind) {
    case "sqlite":
      return sqliteStore(choice.path);
    case "postgres":
      return postgresStore(choice.url, choice.options);
    case "redis":
      return redisStore(choice.url, choice.options);
    case "memory":
      throw new Error("a store in memory is shared by nobody");
  }
}
