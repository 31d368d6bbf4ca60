/** The SQLite store: the exam, and what only a file that processes share can get wrong. */

import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStrictEquals,
  assertStringIncludes,
} from "@std/assert";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { type SqliteOptions, sqliteStore, StoreError } from "../../../src/platform/store/sqlite.ts";
import type { CodeRecord, Store } from "../../../src/core/store/store.ts";
import { startChild } from "./run_child.ts";
import type { Command } from "./sqlite_child.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-stores-"));
after(() => rmSync(folder, { recursive: true }));

let files = 0;
const newPath = () => join(folder, `${files++}.db`);

const code: CodeRecord = {
  grant: {
    clientId: "demo-web",
    subject: { sub: "alice", authTime: 0, sid: "session-1" },
    scope: ["read"],
    approvedAt: 0,
  },
  redirectUri: "http://localhost:8000/authorized",
  validUntil: 60_000,
};
const stored = { expiresAt: 60_000 };

/** Opens a store for as long as `use` takes. */
async function withStore<T>(path: string, use: (store: Store) => Promise<T>, options?: SqliteOptions): Promise<T> {
  const store = await sqliteStore(path, options);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** Two processes with no store open yet, for as long as `use` takes. */
async function withChildren(use: (ask: (<T>(command: Command) => Promise<T>)[]) => Promise<void>): Promise<void> {
  const children = [startChild("tests/platform/store/sqlite_child"), startChild("tests/platform/store/sqlite_child")];
  try {
    await use(children.map((child) => child.ask));
  } finally {
    for (const child of children) await child.kill();
  }
}

test("[CI-04] two processes that race for 5,000 codes consume each code once", async () => {
  await withChildren(async (children) => {
    const path = newPath();
    await withStore(path, async (store) => {
      for (let i = 0; i < 5000; i++) await store.put("code", `code ${i}`, code, stored);
      for (const ask of children) await ask({ do: "open", path });
      const wins = await Promise.all(children.map((ask) => ask<number[]>({ do: "consumeAll", count: 5000, now: 1 })));
      assertEquals(wins.flat().sort((a, b) => a - b), Array.from({ length: 5000 }, (_, i) => i));
      assertStrictEquals((await store.get("code", "code 4999"))?.consumedAt, 1);
    });
  });
});

test("two processes that open the same new file together both succeed", async () => {
  await withChildren(async (children) => {
    for (let i = 0; i < 25; i++) {
      const path = newPath();
      await Promise.all(children.map((ask) => ask({ do: "open", path })));
      await children[0]({ do: "put", id: "one", value: code, ...stored });
      assertStrictEquals(await children[1]({ do: "consume", id: "one", now: 1 }), true);
      assertStrictEquals(await children[0]({ do: "consume", id: "one", now: 1 }), false);
    }
  });
});

test("[CI-04] acknowledged writes survive kill -9: a stored record, and a consumed code", async () => {
  const path = newPath();
  await withStore(path, (store) => store.put("code", "consumed", code, stored));
  const child = startChild("tests/platform/store/sqlite_child");
  try {
    await child.ask({ do: "open", path });
    await child.ask({ do: "put", id: "new", value: code, ...stored });
    assertStrictEquals(await child.ask({ do: "consume", id: "consumed", now: 7 }), true);
  } finally {
    await child.kill();
  }
  await withStore(path, async (store) => {
    assertEquals(await store.get("code", "new"), { value: code, ...stored });
    assertEquals(await store.get("code", "consumed"), { value: code, ...stored, consumedAt: 7 });
    assertStrictEquals(await store.consume("code", "consumed", 8), false);
  });
});

test("[CI-04] two connections to one file see each other's records and consume a code once", async () => {
  const path = newPath();
  await withStore(path, (one) =>
    withStore(path, async (two) => {
      await one.put("code", "a", code, stored);
      assertEquals(await two.get("code", "a"), { value: code, ...stored });
      assertStrictEquals(await two.add("code", "a", code, stored), false);
      const attempts = Array.from({ length: 200 }, (_, i) => (i % 2 ? one : two).consume("code", "a", i));
      assertStrictEquals((await Promise.all(attempts)).filter((won) => won).length, 1);
      await two.revoke("f", 1);
      assert(await one.get("revocation", "f"));
      assertStrictEquals(await one.deleteExpired(60_000), 2);
      assertStrictEquals(await two.get("code", "a"), undefined);
    }));
});

test("closing leaves one complete file that only its owner may read", async () => {
  const path = newPath();
  await withStore(path, async (store) => {
    await store.put("code", "one", code, stored);
    for (const suffix of ["", "-wal", "-shm"]) assertStrictEquals(statSync(path + suffix).mode & 0o777, 0o600);
  });
  assertEquals([existsSync(path), existsSync(`${path}-wal`), existsSync(`${path}-shm`)], [true, false, false]);
  await withStore(path, async (store) => assert(await store.get("code", "one")));
});

test("a store with full synchronous writes passes the same tests", async () => {
  const path = newPath();
  await withStore(path, async (store) => {
    await store.put("code", "one", code, stored);
    assertStrictEquals(await store.consume("code", "one", 1), true);
    assertStrictEquals(await store.consume("code", "one", 2), false);
  }, { durability: "power" });
  await withStore(path, async (store) => assertStrictEquals((await store.get("code", "one"))?.consumedAt, 1));
});

test("closing a store during deletion of expired records ends the deletion without an error", async () => {
  const store = await sqliteStore(newPath());
  for (let i = 0; i < 2000; i++) await store.put("code", `${i}`, code, stored);
  const sweep = store.deleteExpired(60_000);
  await store.close();
  assert(await sweep < 2000);
  await assertRejects(() => store.get("code", "1"), StoreError, "found a closed store; open it again");
});

/** Asserts that the file is rejected with one sentence that names it, and returns the sentence. */
async function rejection(path: string, options?: SqliteOptions): Promise<string> {
  const error = await assertRejects(() => withStore(path, () => Promise.resolve(), options), StoreError);
  assertStringIncludes(error.message, `${path}: expected `);
  assertMatch(error.message, /^[^\n]+: expected [^\n]+, found [^\n]+; [^\n]+\.$/);
  return error.message;
}

test("a missing folder is rejected, and not created", async () => {
  const path = join(folder, "missing", "latchkey.db");
  assertMatch(await rejection(path), /found no such folder; create the folder/);
  assertStrictEquals(existsSync(join(folder, "missing")), false);
});

test("a path below a file is rejected", async () => {
  const file = join(folder, "plain.txt");
  writeFileSync(file, "");
  assertMatch(await rejection(join(file, "latchkey.db")), /found no such folder/);
});

test("a folder is rejected", async () => {
  assertMatch(await rejection(folder), /found a folder; add a file name/);
});

test("a device is rejected", { skip: !existsSync("/dev/full") }, async () => {
  assertMatch(await rejection("/dev/full"), /found a device or a pipe/);
});

test("a folder in which no file can be created is rejected", { skip: !existsSync("/proc/version") }, async () => {
  await rejection("/proc/latchkey.db");
});

test("a file that cannot be written is rejected", { skip: !existsSync("/proc/version") }, async () => {
  await rejection("/proc/version");
});

test("a file that is no database is rejected and left unchanged", async () => {
  const path = newPath();
  const text = "Dear diary, ".repeat(1000);
  writeFileSync(path, text);
  assertMatch(await rejection(path), /found a damaged file, or a file that is not a database; restore it from a copy/);
  assertStrictEquals(readFileSync(path, "utf8"), text);
});

test("a damaged file is rejected", async () => {
  const whole = newPath();
  await withStore(whole, async (store) => {
    for (let i = 0; i < 100; i++) await store.put("code", `${i}`, code, stored);
  });
  const truncated = newPath();
  copyFileSync(whole, truncated);
  truncateSync(truncated, 5000);
  assertMatch(await rejection(truncated), /found a damaged file/);
  const garbled = newPath();
  writeFileSync(garbled, readFileSync(whole).fill(0x5a, 100, 4096));
  assertMatch(await rejection(garbled), /found a damaged file/);
});

test("a store without its table is rejected", async () => {
  const path = newPath();
  await withStore(path, () => Promise.resolve());
  const database = new DatabaseSync(path);
  database.exec("DROP TABLE record");
  database.close();
  assertMatch(await rejection(path), /found a damaged file/);
});

test("damage found later rejects the affected call", async () => {
  const path = newPath();
  await withStore(path, async (store) => {
    for (let i = 0; i < 100; i++) await store.put("code", `${i}`, code, stored);
  });
  writeFileSync(path, readFileSync(path).fill(0x5a, 4096));
  await withStore(path, async (store) => {
    const error = await assertRejects(() => store.get("code", "1"), StoreError);
    assertMatch(error.message, /found a damaged file/);
  });
});

test("a database of another program is rejected and not written", async () => {
  for (const mark of ["CREATE TABLE theirs (a)", "PRAGMA application_id = 7", "PRAGMA user_version = 1"]) {
    const path = newPath();
    const theirs = new DatabaseSync(path);
    theirs.exec(mark);
    theirs.close();
    const before = readFileSync(path);
    assertMatch(
      await rejection(path),
      /found a SQLite database of another program, which was not changed; choose another path/,
    );
    assertEquals(readFileSync(path), before);
    assertStrictEquals(existsSync(`${path}-wal`), false);
  }
});

test("a database of another program that crashed keeps its log", async () => {
  const path = newPath();
  const theirs = new DatabaseSync(path);
  theirs.exec("CREATE TABLE theirs (a); PRAGMA journal_mode = WAL; INSERT INTO theirs VALUES (1)");
  const crashed = join(folder, "crashed");
  mkdirSync(crashed);
  for (const suffix of ["", "-wal"]) copyFileSync(path + suffix, join(crashed, `copy.db${suffix}`));
  theirs.close();
  const read = () => ["copy.db", "copy.db-wal"].map((name) => readFileSync(join(crashed, name)));
  const before = read();
  assertMatch(await rejection(join(crashed, "copy.db")), /another program/);
  assertEquals(read(), before);
});

test("a store of a newer release is rejected and not written", async () => {
  const path = newPath();
  await withStore(path, () => Promise.resolve());
  const newer = new DatabaseSync(path);
  newer.exec("PRAGMA user_version = 2; PRAGMA wal_checkpoint(TRUNCATE)");
  newer.close();
  const before = readFileSync(path);
  assertMatch(await rejection(path), /expected a Latchkey database of version 1, found version 2; run the release/);
  assertEquals(readFileSync(path), before);
});

test("a file locked by another program is retried, then rejected", async () => {
  const path = newPath();
  await withStore(path, async (store) => {
    await store.put("code", "one", code, stored);
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    assertMatch(await rejection(path, { lockTimeout: 20 }), /found a lock of another program/);
    const error = await assertRejects(() => store.consume("code", "one", 1), StoreError);
    assertMatch(error.message, /found a lock of another program .*; close the program that holds it/);
    assert(await store.get("code", "one"), "reading continues");
    other.close();
    assertStrictEquals(await store.consume("code", "one", 1), true);
  }, { lockTimeout: 20 });
});

test("[JK-05] the permissions of an existing file and its log are restricted to the owner, with a warning", async () => {
  const path = newPath();
  writeFileSync(path, "");
  chmodSync(path, 0o644);
  const logged: string[] = [];
  const warn = (message: string) => void logged.push(message);
  const modes = () => ["", "-wal", "-shm"].map((suffix) => statSync(path + suffix).mode & 0o777);
  await withStore(path, async (store) => {
    await store.put("code", "one", code, stored);
    assertEquals(modes(), [0o600, 0o600, 0o600]);
    for (const suffix of ["", "-wal", "-shm"]) chmodSync(path + suffix, 0o664);
    // The log of a store that is open is one that was there, too.
    await withStore(path, () => Promise.resolve(assertEquals(modes(), [0o600, 0o600, 0o600])), { warn });
  }, { warn });
  assertEquals(logged.map((message) => message.split(" to ")[0]), [
    `Changed the permissions of ${realpathSync(path)} from 0644`,
    ...["", "-wal", "-shm"].map((suffix) => `Changed the permissions of ${realpathSync(path)}${suffix} from 0664`),
  ]);
  await withStore(path, () => Promise.resolve(), { warn });
  assertEquals(logged.length, 4);
});

test("an empty file, and a link to a file, can become a store", async () => {
  const path = newPath();
  writeFileSync(path, "");
  const link = newPath();
  symlinkSync(path, link);
  await withStore(link, (store) => store.put("code", "one", code, stored));
  await withStore(path, async (store) => assert(await store.get("code", "one")));
});

test("a path is used literally, whatever SQLite would interpret in it", async () => {
  const strange = join(folder, "a #b?mode=memory&c%20.db");
  await withStore(strange, (store) => store.put("code", "one", code, stored));
  await withStore(strange, async (store) => assert(await store.get("code", "one")));
  assertEquals(readdirSync(folder).filter((name) => name.startsWith("a #b")), ["a #b?mode=memory&c%20.db"]);
});
