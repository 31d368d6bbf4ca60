/** Stores that two servers share. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { memoryStore, type Store } from "../../src/mod.ts";
import { sqliteStore } from "../../src/core/store/sqlite.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-pairs-"));
after(() => rmSync(folder, { recursive: true }));

let files = 0;

/** How to open a new store twice; on SQLite each server has its own handle. */
export const storePairs: Readonly<Record<"memory" | "SQLite", () => Promise<readonly [Store, Store]>>> = {
  memory() {
    const store = memoryStore();
    return Promise.resolve([store, store]);
  },
  async SQLite() {
    const path = join(folder, `${files++}.db`);
    return [await sqliteStore(path), await sqliteStore(path)];
  },
};
