/**
 * The SQLite store sits the exam. The tests of what the platform adds, and of a file that processes share, are in
 * tests/platform/store/.
 */

import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assertEquals, assertMatch, assertRejects, assertStrictEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { sqliteStore } from "../../src/core/store/sqlite.ts";
import { storeExam } from "../../src/core/store/exam.ts";
import { StoreError } from "../../src/core/store/store.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-core-"));
after(() => rmSync(folder, { recursive: true }));

let files = 0;
const openLast = () => sqliteStore(join(folder, `${files}.db`));

storeExam({ test, name: "SQLite file", open: () => (files++, openLast()), reopen: openLast });
storeExam({ test, name: "SQLite in memory", open: () => sqliteStore(":memory:") });

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

test("a new file and its log are for their owner only", async () => {
  const path = join(folder, "new.db");
  const store = await sqliteStore(path);
  await store.revoke("grant", 1);
  for (const suffix of ["", "-wal", "-shm"]) assertStrictEquals(statSync(path + suffix).mode & 0o777, 0o600, suffix);
  await store.close();
});

test("a link to a missing file is rejected, and creates no file", async () => {
  for (const name of ["missing.db", "missing-folder/missing.db"]) {
    const target = join(folder, name);
    const link = join(folder, `link-${name.length}.db`);
    symlinkSync(target, link);
    const error = await assertRejects(() => sqliteStore(link), StoreError);
    assertMatch(error.message, /found a link to a missing file; create the file/);
    assertEquals(readdirSync(folder).filter((entry) => entry.startsWith("missing")), []);
  }
});

test("a file that cannot become a store is rejected with the reason", async () => {
  const write = (name: string, statement: string) => {
    const path = join(folder, name);
    const database = new DatabaseSync(path);
    database.exec(statement);
    database.close();
    return path;
  };
  await (await sqliteStore(join(folder, "newer.db"))).close();
  for (
    const [path, message] of [
      [write("theirs.db", "CREATE TABLE theirs (a)"), "found a SQLite database of another program"],
      [write("newer.db", "PRAGMA user_version = 2"), "expected a Latchkey database of version 1, found version 2"],
      [join(folder, "missing", "new.db"), 'found the error "ENOENT'],
    ] as const
  ) {
    await assertRejects(() => sqliteStore(path), StoreError, message);
  }
});
