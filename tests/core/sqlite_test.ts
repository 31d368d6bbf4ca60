/** The SQLite store sits the exam. What only a file that processes share can get wrong is in tests/platform/store/. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { sqliteStore } from "../../src/core/store/sqlite.ts";
import { storeConformance } from "./store_exam.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-core-"));
after(() => rmSync(folder, { recursive: true }));

let files = 0;
const openLast = () => sqliteStore(join(folder, `${files}.db`));

storeConformance("SQLite file", () => (files++, openLast()), { reopen: openLast });
storeConformance("SQLite in memory", () => sqliteStore(":memory:"));

test("only the durability power waits for the disk at each write", async () => {
  const { exec } = DatabaseSync.prototype;
  for (const [durability, synchronous] of [["process", 1], ["power", 2]] as const) {
    let database: DatabaseSync | undefined;
    DatabaseSync.prototype.exec = function (statement) {
      database = this;
      exec.call(this, statement);
    };
    try {
      const store = await sqliteStore(join(folder, `${durability}.db`), { durability });
      assertEquals(Number(database!.prepare("PRAGMA synchronous").get()!.synchronous), synchronous, durability);
      await store.close();
    } finally {
      DatabaseSync.prototype.exec = exec;
    }
  }
});
