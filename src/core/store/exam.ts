/**
 * The exam of stores, for every test runner.
 *
 * @module
 */

import type { CodeRecord, KeyRecord, Store } from "./store.ts";

function assert(condition: unknown): asserts condition {
  if (!condition) throw new Error(`expected a value, received ${condition}`);
}

function assertEquals(actual: unknown, expected: unknown): void {
  if (!isEqual(actual, expected)) throw new Error(`expected ${show(expected)}, received ${show(actual)}`);
}

/** Whether two values are the same JSON; a number may also be infinite, and a record absent. */
function isEqual(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  const [keys, others] = [Object.keys(a), Object.keys(b)];
  return Array.isArray(a) === Array.isArray(b) && keys.length === others.length &&
    keys.every((key) => Object.hasOwn(b, key) && isEqual(Reflect.get(a, key), Reflect.get(b, key)));
}

function show(value: unknown): string {
  return `${JSON.stringify(value, (_, one) => one === Infinity ? "Infinity" : one)}`.slice(0, 500);
}

const startTime = Date.UTC(2030, 0, 1);

/** Calls a function with each number below this one, a hundred at a time. */
async function forEachOf(count: number, call: (i: number) => unknown): Promise<void> {
  for (let from = 0; from < count; from += 100) {
    await Promise.all(Array.from({ length: Math.min(100, count - from) }, (_, i) => call(from + i)));
  }
}

const code: CodeRecord = {
  grant: {
    clientId: "demo-web",
    subject: { sub: "alice", authTime: startTime - 1000, sid: "session-1" },
    scope: ["openid", "read"],
    approvedAt: startTime,
  },
  redirectUri: "http://localhost:8000/authorized?a=b&c=%20",
  codeChallenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  nonce: "n-0S6_WzA2Mj",
  validUntil: startTime + 60_000,
};

const signingKey: KeyRecord = {
  kid: "k1",
  jwk: { kty: "oct", k: "AAAA", key_ops: ["sign"], nested: { deep: [1, null, true] } },
  signsFrom: 0,
  longest: 3600,
};

const metadata = { grantId: "approval-1", expiresAt: startTime + 60_000 };

const oddNames = [
  "",
  " ",
  "__proto__",
  "constructor",
  "toString",
  "'",
  '"',
  "'); DROP TABLE record; --",
  "\\",
  "\\u0000",
  "\0",
  "a",
  "A",
  "a\0",
  "a\0b",
  "a\nb",
  "%",
  "a:b",
  "é",
  "e\u0301",
  "日本語 🗝️",
  "\ud800",
  "\udc00",
  "\ufffd",
  "undefined",
  "null",
  "0",
  "00",
  "x".repeat(100_000),
  "x".repeat(100_001),
];

/** `JSON.parse` of V8 may read a member whose name is one escaped character as `\`, once it has read one of that name. */
const oddMembers = oddNames.filter((name) => name !== "\\");

/** A store that sits the exam. */
export interface ExamOptions {
  /**
   * Registers a test: `test` of `node:test`, Vitest, Jest or Bun, or `Deno.test`.
   *
   * @param title The promise, and the name of the store.
   * @param run Rejects if the store breaks the promise.
   */
  readonly test: (title: string, run: () => Promise<void>) => unknown;
  /** The name of the store, in the titles. */
  readonly name: string;
  /** Makes an empty store each time, which the exam closes. */
  readonly open: () => Promise<Store>;
  /** Opens the records of the last store that `open` made, again. `durable` and `instances` need it. */
  readonly reopen?: () => Promise<Store>;
  /** Whether what a call has written is there after the store was closed and opened again. Default: with `reopen`. */
  readonly durable?: boolean;
  /** Whether the store may be opened again while it is open, by several instances. Default: with `reopen`. */
  readonly instances?: boolean;
}

/**
 * Registers the tests that every store passes: what the methods of {@link Store} promise. Two of them write thousands of
 * records.
 *
 * @throws {TypeError} If `durable` or `instances` is true without `reopen`.
 *
 * @example
 * ```ts ignore
 * import { test } from "node:test";
 * import { storeExam } from "@latchkey/latchkey/stores/exam";
 * import { myStore } from "./my_store.ts";
 *
 * let files = 0;
 * const reopen = () => myStore(`/tmp/exam-${files}.db`);
 * storeExam({ test, name: "my store", open: () => (files++, reopen()), reopen });
 * ```
 */
export function storeExam(
  { test, name, open, reopen, durable = reopen !== undefined, instances = reopen !== undefined }: ExamOptions,
): void {
  if (reopen === undefined && (durable || instances)) {
    throw new TypeError("storeExam: expected reopen with durable or instances, received none. Add it.");
  }
  function promise(title: string, check: (store: Store) => Promise<void>): void {
    test(`${title} (${name})`, async () => {
      const store = await open();
      try {
        await check(store);
      } finally {
        await store.close();
      }
    });
  }

  promise("a record is read back as it was put, and only what is known is in it", async (store) => {
    await store.put("code", "one", code, metadata);
    await store.put("key", "ring", signingKey, { expiresAt: Infinity });
    assertEquals(await store.get("code", "one"), { value: code, ...metadata });
    assertEquals(await store.get("key", "ring"), { value: signingKey, expiresAt: Infinity });
    assertEquals(Object.keys((await store.get("key", "ring"))!).sort(), ["expiresAt", "value"]);
    assertEquals(await store.get("code", "two"), undefined);
  });

  promise("kinds do not see each other's records", async (store) => {
    await store.put("code", "same", code, metadata);
    assertEquals(await store.get("key", "same"), undefined);
    assertEquals(await store.consume("key", "same", startTime), false);
    await store.put("key", "same", signingKey, { expiresAt: Infinity });
    assertEquals(await store.add("revocation", "same", {}, metadata), true);
    assertEquals(await store.consume("code", "same", startTime), true);
    assertEquals(await store.get("key", "same"), { value: signingKey, expiresAt: Infinity });
    assertEquals(await store.get("revocation", "same"), { value: {}, ...metadata });
    assertEquals(await store.get("code", "same"), { value: code, ...metadata, consumedAt: startTime });
  });

  promise("put replaces value, grant and expiry, and resets consumption", async (store) => {
    await store.put("code", "one", code, metadata);
    await store.consume("code", "one", startTime);
    const other = { ...code, nonce: "bob" };
    await store.put("code", "one", other, { expiresAt: startTime + 90_000 });
    assertEquals(await store.get("code", "one"), { value: other, expiresAt: startTime + 90_000 });
    assertEquals(await store.consume("code", "one", startTime + 1), true);
  });

  promise("a replaced record is swept by its new expiry alone", async (store) => {
    await store.put("code", "longer", code, { expiresAt: startTime + 10 });
    await store.put("code", "longer", code, { expiresAt: startTime + 20 });
    await store.put("code", "shorter", code, { expiresAt: startTime + 30 });
    await store.put("code", "shorter", code, { expiresAt: startTime + 5 });
    await store.put("code", "kept", code, { expiresAt: startTime + 5 });
    await store.put("code", "kept", code, { expiresAt: Infinity });
    await store.put("code", "let go", code, { expiresAt: Infinity });
    await store.put("code", "let go", code, { expiresAt: startTime + 5 });
    assertEquals(await store.deleteExpired(startTime + 10), 2);
    assert(await store.get("code", "longer"));
    assert(await store.get("code", "kept"));
    assertEquals(await store.deleteExpired(startTime + 40), 1);
    assert(await store.get("code", "kept"));
  });

  promise("a record read before its consumption stays unchanged", async (store) => {
    await store.put("code", "one", code, metadata);
    const before = await store.get("code", "one");
    await store.consume("code", "one", startTime);
    assertEquals(before, { value: code, ...metadata });
  });

  promise("one of a thousand attempts to add a record wins, and it is the winner's that is kept", async (store) => {
    const attempts = Array.from(
      { length: 1000 },
      (_, i) => store.add("code", "one", { ...code, nonce: `user ${i}` }, { expiresAt: startTime + i }),
    );
    const won = await Promise.all(attempts);
    assertEquals(won.filter((it) => it).length, 1);
    const winner = won.indexOf(true);
    assertEquals(await store.get("code", "one"), {
      value: { ...code, nonce: `user ${winner}` },
      expiresAt: startTime + winner,
    });
  });

  promise("add does not change a consumed record, and works again once it was deleted", async (store) => {
    await store.put("code", "one", code, metadata);
    await store.consume("code", "one", startTime);
    assertEquals(await store.add("code", "one", { ...code, nonce: "bob" }, { expiresAt: Infinity }), false);
    assertEquals(await store.get("code", "one"), { value: code, ...metadata, consumedAt: startTime });
    await store.deleteExpired(metadata.expiresAt);
    assertEquals(await store.add("code", "one", code, metadata), true);
  });

  promise("replace and delete change a record only as it was read; of many changes one succeeds", async (store) => {
    const changed = { ...code, nonce: "bob" };
    assertEquals(await store.replace("code", "one", code, changed, metadata), false);
    assertEquals(await store.get("code", "one"), undefined);
    assertEquals(await store.delete("code", "one"), false);
    const members = oddMembers.map((odd) => ({ ...code, nonce: odd, [odd]: [odd, null, -1 / 3] }));
    for (const value of [code, ...members]) {
      await store.put("code", "one", value, metadata);
      const read = (await store.get("code", "one"))!.value;
      assertEquals(await store.replace("code", "one", changed, code, metadata), false);
      assertEquals(await store.delete("code", "one", changed), false);
      assertEquals(await store.get("code", "one"), { value, ...metadata });
      await store.put("code", "used", value, metadata);
      await store.consume("code", "used", startTime);
      assertEquals(await store.replace("code", "used", read, changed, metadata), false);
      assertEquals(await store.delete("code", "used", read), false);
      assertEquals(await store.get("code", "used"), { value, ...metadata, consumedAt: startTime });
      assertEquals(await store.replace("code", "one", read, changed, { expiresAt: startTime }), true);
      assertEquals(await store.get("code", "one"), { value: changed, expiresAt: startTime });
      assertEquals(await store.replace("code", "one", read, code, metadata), false);
      assertEquals(await store.delete("code", "one", read), false);
    }
    const attempts = await Promise.all(
      Array.from(
        { length: 200 },
        (_, i) =>
          i % 100 === 50
            ? store.delete("code", "one", changed)
            : store.replace("code", "one", changed, { ...code, nonce: `user ${i}` }, metadata),
      ),
    );
    assertEquals(attempts.filter((it) => it).length, 1);
    const winner = attempts.indexOf(true);
    assertEquals((await store.get("code", "one"))?.value.nonce, winner % 100 === 50 ? undefined : `user ${winner}`);
    assertEquals(await store.deleteExpired(metadata.expiresAt), winner % 100 === 50 ? 1 : 2);
    await store.put("client", "one", { entry: {} }, { expiresAt: Infinity });
    assertEquals(await store.delete("client", "one", { entry: {} }), true);
    assertEquals(await store.count("client", ""), 0);
    assertEquals(await store.replace("client", "one", { entry: {} }, { entry: { a: 1 } }, metadata), false);
  });

  promise("[CI-04] one of a thousand attempts to consume a code succeeds", async (store) => {
    await store.put("code", "one", code, metadata);
    const won = await Promise.all(Array.from({ length: 1000 }, (_, i) => store.consume("code", "one", startTime + i)));
    assertEquals(won.filter((it) => it).length, 1);
    assertEquals((await store.get("code", "one"))?.consumedAt, startTime + won.indexOf(true));
  });

  promise("[CI-04] a consumed code is never consumed again, at any time", async (store) => {
    await store.put("code", "one", code, metadata);
    assertEquals(await store.consume("code", "one", 0), true);
    for (const now of [0, -1, startTime, startTime + 1e9, Infinity]) {
      assertEquals(await store.consume("code", "one", now), false);
    }
    assertEquals((await store.get("code", "one"))?.consumedAt, 0);
  });

  promise("[CI-04] consuming an unknown record fails and stores nothing", async (store) => {
    assertEquals(await store.consume("code", "one", startTime), false);
    assertEquals(await store.get("code", "one"), undefined);
    await store.put("code", "one", code, metadata);
    assertEquals(await store.consume("code", "one", startTime), true);
  });

  promise(
    "[CI-08] a consumed code stays readable, with the time of its consumption, until its expiry",
    async (store) => {
      await store.put("code", "one", code, metadata);
      await store.consume("code", "one", startTime + 5.25);
      await store.deleteExpired(metadata.expiresAt - 1);
      assertEquals(await store.get("code", "one"), { value: code, ...metadata, consumedAt: startTime + 5.25 });
      assertEquals(await store.consume("code", "one", metadata.expiresAt - 1), false);
      assertEquals(await store.deleteExpired(metadata.expiresAt), 1);
      assertEquals(await store.get("code", "one"), undefined);
      assertEquals(await store.consume("code", "one", metadata.expiresAt), false);
    },
  );

  promise("[CI-08] the store ignores expiry: an expired record can be read and consumed", async (store) => {
    await store.put("code", "old", code, { expiresAt: 1 });
    await store.put("code", "new", code, { expiresAt: Infinity });
    assertEquals(await store.consume("code", "old", startTime), true);
    assertEquals(await store.get("code", "old"), { value: code, expiresAt: 1, consumedAt: startTime });
  });

  promise("[CI-06] revoking a grant applies to records stored before and later", async (store) => {
    await store.put("code", "before", code, { ...metadata, grantId: "f" });
    assertEquals(await store.get("revocation", "f"), undefined);
    const revocation = { reason: `a "quoted" reason`, at: startTime };
    await store.revoke("f", startTime + 100, revocation);
    await store.put("code", "after", code, { ...metadata, grantId: "f" });
    assertEquals(await store.get("revocation", "f"), { value: revocation, expiresAt: startTime + 100 });
    assertEquals(await store.get("revocation", "g"), undefined);
    for (const id of ["before", "after"]) {
      assertEquals(await store.get("code", id), { value: code, grantId: "f", expiresAt: metadata.expiresAt });
    }
  });

  promise("[CI-06] a grant revoked before its first record is revoked", async (store) => {
    await store.revoke("f", startTime + 100);
    await store.put("code", "after", code, { ...metadata, grantId: "f" });
    assert(await store.get("revocation", "f"));
  });

  promise("[CI-06] revoking a grant again may keep the mark longer, never shorter", async (store) => {
    const until = async () => (await store.get("revocation", "f"))?.expiresAt;
    const first = { reason: "first", at: startTime };
    await store.revoke("f", startTime + 100, first);
    await store.revoke("f", startTime + 50, { reason: "second", at: startTime + 1 });
    assertEquals(await until(), startTime + 100);
    await store.revoke("f", startTime + 200);
    assertEquals(await until(), startTime + 200);
    assertEquals((await store.get("revocation", "f"))?.value, first);
    assertEquals(await store.deleteExpired(startTime + 199), 0);
    await store.revoke("f", Infinity);
    await store.revoke("f", startTime + 300);
    assertEquals(await until(), Infinity);
    await store.revoke("g", startTime + 100);
    assertEquals(await store.deleteExpired(startTime + 400), 1);
    assertEquals(await until(), Infinity);
  });

  promise("a record is kept for longer, consumed or not, and never for a shorter time", async (store) => {
    await store.put("pushed_request", "one", { clientId: "spa", parameters: [], validUntil: 1 }, metadata);
    await store.put("pushed_request", "used", { clientId: "spa", parameters: [], validUntil: 1 }, metadata);
    await store.consume("pushed_request", "used", startTime);
    await store.put("key", "ring", signingKey, { expiresAt: Infinity });
    const later = metadata.expiresAt + 1000.5;
    for (const id of ["one", "used", "unknown"]) {
      for (const expiresAt of [later, startTime]) await store.extend("pushed_request", id, expiresAt);
    }
    await store.extend("key", "ring", later);
    const value = { clientId: "spa", parameters: [], validUntil: 1 };
    assertEquals(await store.get("pushed_request", "one"), { value, ...metadata, expiresAt: later });
    assertEquals(await store.get("pushed_request", "used"), {
      value,
      ...metadata,
      expiresAt: later,
      consumedAt: startTime,
    });
    assertEquals(await store.get("pushed_request", "unknown"), undefined);
    assertEquals(await store.get("key", "ring"), { value: signingKey, expiresAt: Infinity });
    assertEquals(await store.consume("pushed_request", "used", startTime + 1), false);
    assertEquals(await store.deleteExpired(later - 1), 0);
    assertEquals(await store.deleteExpired(later), 2);
  });

  promise("a sweep removes what expired at or before the given time, and nothing else", async (store) => {
    for (const offset of [30, 10, 20.5, 20, 40, 10]) {
      await store.put("code", `${offset}`, code, { expiresAt: startTime + offset });
    }
    await store.revoke("f", startTime + 20);
    assertEquals(await store.deleteExpired(startTime + 9), 0);
    assertEquals(await store.deleteExpired(startTime + 20), 3);
    assertEquals(await store.get("code", "20"), undefined);
    assertEquals(await store.get("revocation", "f"), undefined);
    assert(await store.get("code", "20.5"));
    // The clock may be turned back.
    assertEquals(await store.deleteExpired(startTime), 0);
    await store.put("code", "early", code, { expiresAt: startTime - 1 });
    assertEquals(await store.deleteExpired(startTime), 1);
    assertEquals(await store.deleteExpired(startTime + 1e12), 3);
    assertEquals(await store.deleteExpired(startTime + 1e12), 0);
  });

  promise("a sweep of thousands removes each due record once and counts it", async (store) => {
    await forEachOf(3000, (i) => store.put("code", `code ${i}`, code, { expiresAt: startTime + (i * 7919) % 3000 }));
    const counts = await Promise.all([store.deleteExpired(startTime + 1999), store.deleteExpired(startTime + 1999)]);
    assertEquals(counts[0] + counts[1], 2000);
    await forEachOf(3000, async (i) => {
      assertEquals((await store.get("code", `code ${i}`)) !== undefined, (i * 7919) % 3000 > 1999);
    });
  });

  promise("what is to be kept forever is never swept", async (store) => {
    await store.put("key", "ring", signingKey, { expiresAt: Infinity });
    for (const now of [startTime, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE, Infinity]) {
      assertEquals(await store.deleteExpired(now), 0);
    }
    assertEquals(await store.get("key", "ring"), { value: signingKey, expiresAt: Infinity });
  });

  promise("values keep every character, number and empty member", async (store) => {
    const values: KeyRecord[] = [
      { kid: "", jwk: {}, signsFrom: -0.5, longest: 3600 },
      ...oddNames.map((odd, i) => ({
        kid: odd,
        jwk: Object.fromEntries([["value", odd], ["key", { [`key ${odd}`]: [] }], ["n", [i, -i / 3, 1e21, 2 ** 53]]]),
        signsFrom: Number.MIN_SAFE_INTEGER,
        longest: Number.MAX_SAFE_INTEGER,
      })),
    ];
    for (const value of values) {
      await store.put("key", "ring", value, { expiresAt: startTime });
      assertEquals(await store.get("key", "ring"), { value, expiresAt: startTime });
    }
  });

  promise("every string is a distinct id and a distinct grant", async (store) => {
    for (const odd of oddNames) {
      assertEquals(await store.get("code", odd), undefined);
      assertEquals(
        await store.add("code", odd, { ...code, nonce: odd }, { grantId: odd, expiresAt: startTime }),
        true,
      );
      assertEquals(await store.get("revocation", odd), undefined);
      await store.revoke(odd, startTime);
    }
    for (const odd of oddNames) {
      assertEquals(await store.add("code", odd, code, metadata), false);
      assertEquals(await store.consume("code", odd, 7), true);
      const expected = { value: { ...code, nonce: odd }, grantId: odd, expiresAt: startTime, consumedAt: 7 };
      assertEquals(await store.get("code", odd), expected);
    }
    assertEquals(await store.deleteExpired(startTime), 2 * oddNames.length);
  });

  promise("a deleted record is gone, and can be added again", async (store) => {
    for (const odd of ["one", ...oddNames]) {
      await store.delete("client", odd);
      await store.put("client", odd, { entry: { odd } }, { expiresAt: odd === "one" ? startTime : Infinity });
      await store.put("user", odd, { entry: { odd } }, { expiresAt: startTime });
      await store.delete("client", odd);
      await store.delete("client", odd);
      assertEquals(await store.get("client", odd), undefined);
      assertEquals((await store.get("user", odd))?.value, { entry: { odd } });
      assertEquals(await store.consume("client", odd, startTime), false);
      assertEquals(await store.add("client", odd, { entry: {} }, { expiresAt: Infinity }), true);
    }
    assertEquals(await store.count("client", ""), oddNames.length + 1);
    assertEquals(await store.deleteExpired(startTime), oddNames.length + 1);
    assertEquals(await store.count("user", ""), 0);
  });

  promise("a list has each record of a prefix once, page by page in one order", async (store) => {
    const prefix = "https://as.test ";
    const names = [...oddNames, ...Array.from({ length: 500 }, (_, i) => `client ${i * 7919 % 500}`)];
    await forEachOf(names.length, (i) => {
      const expiresAt = i % 3 === 0 ? startTime + i : Infinity;
      return store.put("client", prefix + names[i]!, { entry: { name: names[i]! } }, { expiresAt });
    });
    for (const other of ["", "https://as.tes", "https://as.test", "https://as.test!", "https://as.test/ ", "z"]) {
      await store.put("client", other, { entry: {} }, { expiresAt: Infinity });
    }
    await store.put("user", `${prefix}alice`, { entry: {} }, { expiresAt: Infinity });
    await store.consume("client", `${prefix}client 1`, startTime);
    for (const limit of [1, 7, 100, 10_000]) {
      const found: string[] = [];
      for (;;) {
        const page = await store.list("client", { prefix, after: found.at(-1), limit });
        const records = await Promise.all(page.map(({ id }) => store.get("client", id)));
        for (const [i, { id, ...record }] of page.entries()) {
          assertEquals(record, records[i]!);
          assertEquals(record.value, { entry: { name: id.slice(prefix.length) } });
          found.push(id);
        }
        if (page.length < limit) break;
        assertEquals(page.length, limit);
      }
      assertEquals([...found].sort(), names.map((name) => prefix + name).sort());
    }
    assertEquals(await store.count("client", prefix), names.length);
    assertEquals(await store.count("client", ""), names.length + 6);
    const [first, second] = await store.list("client", { prefix, limit: 2 });
    await store.delete("client", first!.id);
    assertEquals(await store.list("client", { prefix, limit: 1 }), [second!]);
    const swept = await store.deleteExpired(startTime + 1000);
    assertEquals(await store.count("client", ""), names.length + 6 - 1 - swept);
    assertEquals(await store.list("client", { prefix: "nothing", limit: 5 }), []);
  });

  promise("all records of a prefix are deleted, of every kind, expired or not, and no other one", async (store) => {
    const kinds = ["code", "key", "client", "revocation", "registration"] as const;
    const prefix = 'app *[%_]?\\ "é ';
    for (const id of [prefix, `${prefix}one`, `${prefix}${prefix}`, "app ", `x${prefix}`, `app :${prefix}`]) {
      for (const kind of kinds) await store.put(kind, id, code as never, { expiresAt: Infinity });
    }
    await forEachOf(600, (i) => store.put("code", `${prefix}${i}`, code, { expiresAt: startTime + i }));
    await store.consume("code", `${prefix}7`, startTime);
    assertEquals(await store.deleteAll(prefix), 3 * kinds.length + 600);
    for (const kind of kinds) {
      assertEquals((await store.list(kind, { prefix: "", limit: 10 })).map(({ id }) => id).sort(), [
        "app ",
        `app :${prefix}`,
        `x${prefix}`,
      ]);
    }
    assertEquals(await store.deleteAll(prefix), 0);
    assertEquals(await store.deleteExpired(Number.MAX_SAFE_INTEGER), 0);
    assertEquals(await store.deleteAll(""), 3 * kinds.length);
    assertEquals(await store.count("client", ""), 0);
  });

  promise("records of every kind can be listed", async (store) => {
    for (const id of ["a 0", "a 1", "a *", "b 0"]) await store.put("user", id, { entry: { sub: id } }, metadata);
    const page = await store.list("user", { prefix: "a ", limit: 10 });
    assertEquals(page.map(({ id }) => id).sort(), ["a *", "a 0", "a 1"]);
    assertEquals(page.length, await store.count("user", "a "));
    assertEquals((await store.list("user", { prefix: "a *", limit: 10 })).map(({ id }) => id), ["a *"]);
  });

  promise("a store can be closed twice", async (store) => {
    await store.put("code", "one", code, metadata);
    await store.close();
    await store.close();
  });

  if (instances) {
    promise(
      "another instance sees each write immediately, and of calls to both one consumes a record",
      async (store) => {
        const other = await reopen!();
        try {
          await store.put("code", "one", code, metadata);
          assertEquals(await other.get("code", "one"), { value: code, ...metadata });
          const both = [store, other, store, other];
          const consumed = await Promise.all(both.map((instance) => instance.consume("code", "one", startTime)));
          assertEquals(consumed.filter((isFirst) => isFirst).length, 1);
          const added = await Promise.all(both.map((instance) => instance.add("code", "two", code, metadata)));
          assertEquals(added.filter((isFirst) => isFirst).length, 1);
          const { value } = (await other.get("code", "two"))!;
          const changed = { ...value, nonce: "changed" };
          const replaced = await Promise.all(both.map((one) => one.replace("code", "two", value, changed, metadata)));
          assertEquals(replaced.filter((isFirst) => isFirst).length, 1);
          const deleted = await Promise.all(both.map((one) => one.delete("code", "two", changed)));
          assertEquals(deleted.filter((isFirst) => isFirst).length, 1);
          await other.revoke("a grant", startTime);
          assertEquals((await store.get("revocation", "a grant"))?.expiresAt, startTime);
        } finally {
          await other.close();
        }
      },
    );
  }

  if (durable) {
    promise(
      "records, consumptions and revocations are there after the store was closed and opened again",
      async (first) => {
        await first.put("code", "one", code, metadata);
        await first.put("code", "used", code, metadata);
        await first.consume("code", "used", startTime);
        await first.revoke("f", startTime + 100, { reason: "first", at: startTime });
        await first.close();
        const store = await reopen!();
        try {
          assertEquals(await store.get("code", "one"), { value: code, ...metadata });
          assertEquals(await store.get("code", "used"), { value: code, ...metadata, consumedAt: startTime });
          assertEquals(await store.consume("code", "used", startTime + 1), false);
          assertEquals(await store.consume("code", "one", startTime), true);
          assertEquals((await store.get("revocation", "f"))?.value, { reason: "first", at: startTime });
          assertEquals(await store.add("code", "one", code, metadata), false);
          assertEquals(await store.deleteExpired(metadata.expiresAt), 3);
        } finally {
          await store.close();
        }
      },
    );
  }
}
