/** Another process on the same SQLite file, for sqlite_test.ts. */

import { sqliteStore } from "../../../src/platform/store/sqlite.ts";
import type { Records, Store } from "../../../src/core/store/store.ts";
import { handleCommands } from "./run_child.ts";

/** What the parent may ask for. */
export type Command =
  | { do: "open"; path: string }
  | { do: "put"; id: string; value: Records["code"]; expiresAt: number }
  | { do: "consume"; id: string; now: number }
  /** Consumes `code 0` to `code <count - 1>`; responds with the numbers that it consumed. */
  | { do: "consumeAll"; count: number; now: number };

let store: Store;

await handleCommands(async (command: Command) => {
  switch (command.do) {
    case "open":
      await store?.close();
      store = await sqliteStore(command.path);
      return;
    case "put":
      return store.put("code", command.id, command.value, { expiresAt: command.expiresAt });
    case "consume":
      return store.consume("code", command.id, command.now);
    case "consumeAll": {
      const won: number[] = [];
      for (let i = 0; i < command.count; i++) {
        if (await store.consume("code", `code ${i}`, command.now)) won.push(i);
      }
      return won;
    }
  }
});
