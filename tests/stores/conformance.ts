/** The exam that every store sits: what the verbs of src/store/store.ts promise. */

import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { test } from "node:test";
import type { CodeRecord, KeyRecord, Store } from "../../src/store/store.ts";

const start = Date.UTC(2030, 0, 1);

const code: CodeRecord = {
  clientId: "demo-web",
  redirectUri: "http://localhost:8000/authorized?a=b&c=%20",
  challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  scope: ["openid", "read"],
  sub: "alice",
  nonce: "n-0S6_WzA2Mj",
  authTime: start - 1000,
  sid: "session-1",
  resources: [],
  issuedAt: start,
  validUntil: start + 60_000,
};

const signingKey: KeyRecord = {
  kid: "k1",
  jwk: { kty: "oct", k: "AAAA", key_ops: ["sign"], nested: { deep: [1, null, true] } },
  signsFrom: 0,
  longest: 3600,
};

const shelf = { family: "approval-1", expiresAt: start + 60_000 };

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

/** Registers the exam; `open` makes an empty store each time, which the exam closes. */
export function storeExam(name: string, open: () => Promise<Store>, options: { readonly skip?: boolean } = {}): void {
  function question(title: string, ask: (store: Store) => Promise<void>): void {
    test(`${title} (${name})`, options, async () => {
      const store = await open();
      try {
        await ask(store);
      } finally {
        await store.close();
      }
    });
  }

  question("a record is read back as it was put, and only what is known is in it", async (store) => {
    await store.put("code", "one", code, shelf);
    await store.put("key", "ring", signingKey, { expiresAt: Infinity });
    assertEquals(await store.get("code", "one"), { value: code, ...shelf });
    assertEquals(await store.get("key", "ring"), { value: signingKey, expiresAt: Infinity });
    assertEquals(Object.keys((await store.get("key", "ring"))!).sort(), ["expiresAt", "value"]);
    assertStrictEquals(await store.get("code", "two"), undefined);
  });

  question("kinds do not see each other's records", async (store) => {
    await store.put("code", "same", code, shelf);
    assertStrictEquals(await store.get("key", "same"), undefined);
    assertStrictEquals(await store.spend("key", "same", start), false);
    await store.put("key", "same", signingKey, { expiresAt: Infinity });
    assertStrictEquals(await store.add("ended_family", "same", {}, shelf), true);
    assertStrictEquals(await store.spend("code", "same", start), true);
    assertEquals(await store.get("key", "same"), { value: signingKey, expiresAt: Infinity });
    assertEquals(await store.get("ended_family", "same"), { value: {}, ...shelf });
    assertEquals(await store.get("code", "same"), { value: code, ...shelf, spentAt: start });
  });

  question("putting again replaces value, family and expiry, and makes the record unspent", async (store) => {
    await store.put("code", "one", code, shelf);
    await store.spend("code", "one", start);
    const other = { ...code, sub: "bob" };
    await store.put("code", "one", other, { expiresAt: start + 90_000 });
    assertEquals(await store.get("code", "one"), { value: other, expiresAt: start + 90_000 });
    assertStrictEquals(await store.spend("code", "one", start + 1), true);
  });

  question("a replaced record is swept by its new expiry alone", async (store) => {
    await store.put("code", "longer", code, { expiresAt: start + 10 });
    await store.put("code", "longer", code, { expiresAt: start + 20 });
    await store.put("code", "shorter", code, { expiresAt: start + 30 });
    await store.put("code", "shorter", code, { expiresAt: start + 5 });
    await store.put("code", "kept", code, { expiresAt: start + 5 });
    await store.put("code", "kept", code, { expiresAt: Infinity });
    await store.put("code", "let go", code, { expiresAt: Infinity });
    await store.put("code", "let go", code, { expiresAt: start + 5 });
    assertStrictEquals(await store.sweep(start + 10), 2);
    assert(await store.get("code", "longer"));
    assert(await store.get("code", "kept"));
    assertStrictEquals(await store.sweep(start + 40), 1);
    assert(await store.get("code", "kept"));
  });

  question("what was read stays as it was read when the record is spent afterwards", async (store) => {
    await store.put("code", "one", code, shelf);
    const before = await store.get("code", "one");
    await store.spend("code", "one", start);
    assertEquals(before, { value: code, ...shelf });
  });

  question("one of a thousand attempts to add a record wins, and it is the winner's that is kept", async (store) => {
    const attempts = Array.from(
      { length: 1000 },
      (_, i) => store.add("code", "one", { ...code, sub: `user ${i}` }, { expiresAt: start + i }),
    );
    const won = await Promise.all(attempts);
    assertStrictEquals(won.filter((it) => it).length, 1);
    const winner = won.indexOf(true);
    assertEquals(await store.get("code", "one"), {
      value: { ...code, sub: `user ${winner}` },
      expiresAt: start + winner,
    });
  });

  question("adding does not touch a spent record, and is possible again once it was swept", async (store) => {
    await store.put("code", "one", code, shelf);
    await store.spend("code", "one", start);
    assertStrictEquals(await store.add("code", "one", { ...code, sub: "bob" }, { expiresAt: Infinity }), false);
    assertEquals(await store.get("code", "one"), { value: code, ...shelf, spentAt: start });
    await store.sweep(shelf.expiresAt);
    assertStrictEquals(await store.add("code", "one", code, shelf), true);
  });

  question("[CI-04] one of a thousand attempts to spend a code wins", async (store) => {
    await store.put("code", "one", code, shelf);
    const won = await Promise.all(Array.from({ length: 1000 }, (_, i) => store.spend("code", "one", start + i)));
    assertStrictEquals(won.filter((it) => it).length, 1);
    assertStrictEquals((await store.get("code", "one"))?.spentAt, start + won.indexOf(true));
  });

  question("[CI-04] a spent code is never spent again, whatever the clock says", async (store) => {
    await store.put("code", "one", code, shelf);
    assertStrictEquals(await store.spend("code", "one", 0), true);
    for (const now of [0, -1, start, start + 1e9, Infinity]) {
      assertStrictEquals(await store.spend("code", "one", now), false);
    }
    assertStrictEquals((await store.get("code", "one"))?.spentAt, 0);
  });

  question("[CI-04] spending what is not there fails and leaves nothing", async (store) => {
    assertStrictEquals(await store.spend("code", "one", start), false);
    assertStrictEquals(await store.get("code", "one"), undefined);
    await store.put("code", "one", code, shelf);
    assertStrictEquals(await store.spend("code", "one", start), true);
  });

  question("[CI-08] a spent code stays readable, with the time of its spending, until its expiry", async (store) => {
    await store.put("code", "one", code, shelf);
    await store.spend("code", "one", start + 5.25);
    await store.sweep(shelf.expiresAt - 1);
    assertEquals(await store.get("code", "one"), { value: code, ...shelf, spentAt: start + 5.25 });
    assertStrictEquals(await store.spend("code", "one", shelf.expiresAt - 1), false);
    assertStrictEquals(await store.sweep(shelf.expiresAt), 1);
    assertStrictEquals(await store.get("code", "one"), undefined);
    assertStrictEquals(await store.spend("code", "one", shelf.expiresAt), false);
  });

  question("[CI-08] the store never judges an expiry: an expired record can be read and spent", async (store) => {
    await store.put("code", "old", code, { expiresAt: 1 });
    await store.put("code", "new", code, { expiresAt: Infinity });
    assertStrictEquals(await store.spend("code", "old", start), true);
    assertEquals(await store.get("code", "old"), { value: code, expiresAt: 1, spentAt: start });
  });

  question("[CI-06] a family ends for what was issued before and for what is issued later", async (store) => {
    await store.put("code", "before", code, { ...shelf, family: "f" });
    assertStrictEquals(await store.get("ended_family", "f"), undefined);
    await store.revoke("f", start + 100);
    await store.put("code", "after", code, { ...shelf, family: "f" });
    assertEquals(await store.get("ended_family", "f"), { value: {}, expiresAt: start + 100 });
    assertStrictEquals(await store.get("ended_family", "g"), undefined);
    for (const id of ["before", "after"]) {
      assertEquals(await store.get("code", id), { value: code, family: "f", expiresAt: shelf.expiresAt });
    }
  });

  question("[CI-06] a family that was ended before anything was issued is ended", async (store) => {
    await store.revoke("f", start + 100);
    await store.put("code", "after", code, { ...shelf, family: "f" });
    assert(await store.get("ended_family", "f"));
  });

  question("[CI-06] ending a family again may keep the mark longer, never shorter", async (store) => {
    const until = async () => (await store.get("ended_family", "f"))?.expiresAt;
    await store.revoke("f", start + 100);
    await store.revoke("f", start + 50);
    assertStrictEquals(await until(), start + 100);
    await store.revoke("f", start + 200);
    assertStrictEquals(await until(), start + 200);
    assertStrictEquals(await store.sweep(start + 199), 0);
    await store.revoke("f", Infinity);
    await store.revoke("f", start + 300);
    assertStrictEquals(await until(), Infinity);
    await store.revoke("g", start + 100);
    assertStrictEquals(await store.sweep(start + 400), 1);
    assertStrictEquals(await until(), Infinity);
  });

  question("a sweep removes what expired at or before the given time, and nothing else", async (store) => {
    for (const offset of [30, 10, 20.5, 20, 40, 10]) {
      await store.put("code", `${offset}`, code, { expiresAt: start + offset });
    }
    await store.revoke("f", start + 20);
    assertStrictEquals(await store.sweep(start + 9), 0);
    assertStrictEquals(await store.sweep(start + 20), 3);
    assertStrictEquals(await store.get("code", "20"), undefined);
    assertStrictEquals(await store.get("ended_family", "f"), undefined);
    assert(await store.get("code", "20.5"));
    // The clock may be turned back.
    assertStrictEquals(await store.sweep(start), 0);
    await store.put("code", "early", code, { expiresAt: start - 1 });
    assertStrictEquals(await store.sweep(start), 1);
    assertStrictEquals(await store.sweep(start + 1e12), 3);
    assertStrictEquals(await store.sweep(start + 1e12), 0);
  });

  question("a sweep of thousands removes each due record once and counts it", async (store) => {
    for (let i = 0; i < 3000; i++) {
      await store.put("code", `code ${i}`, code, { expiresAt: start + (i * 7919) % 3000 });
    }
    const counts = await Promise.all([store.sweep(start + 1999), store.sweep(start + 1999)]);
    assertStrictEquals(counts[0] + counts[1], 2000);
    for (let i = 0; i < 3000; i++) {
      assertStrictEquals((await store.get("code", `code ${i}`)) !== undefined, (i * 7919) % 3000 > 1999);
    }
  });

  question("what is to be kept forever is never swept", async (store) => {
    await store.put("key", "ring", signingKey, { expiresAt: Infinity });
    for (const now of [start, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE, Infinity]) {
      assertStrictEquals(await store.sweep(now), 0);
    }
    assertEquals(await store.get("key", "ring"), { value: signingKey, expiresAt: Infinity });
  });

  question("values keep every character, number and empty thing they hold", async (store) => {
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
      await store.put("key", "ring", value, { expiresAt: start });
      assertEquals(await store.get("key", "ring"), { value, expiresAt: start });
    }
  });

  question("every string is an id and a family of its own", async (store) => {
    for (const odd of oddNames) {
      assertStrictEquals(await store.get("code", odd), undefined);
      assertStrictEquals(await store.add("code", odd, { ...code, sub: odd }, { family: odd, expiresAt: start }), true);
      assertStrictEquals(await store.get("ended_family", odd), undefined);
      await store.revoke(odd, start);
    }
    for (const odd of oddNames) {
      assertStrictEquals(await store.add("code", odd, code, shelf), false);
      assertStrictEquals(await store.spend("code", odd, 7), true);
      const expected = { value: { ...code, sub: odd }, family: odd, expiresAt: start, spentAt: 7 };
      assertEquals(await store.get("code", odd), expected);
    }
    assertStrictEquals(await store.sweep(start), 2 * oddNames.length);
  });

  question("closing twice is harmless", async (store) => {
    await store.put("code", "one", code, shelf);
    await store.close();
    await store.close();
  });
}
