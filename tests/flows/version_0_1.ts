/** Records as version 0.1 wrote them before clients and users were records: a change log, and guest users. */

import type { Store } from "../../src/mod.ts";
import type { RecordKind } from "../../src/store/store.ts";

/** The configuration under which they were written, at the issuer https://as.test. */
export const version01Settings = {
  login: "interactive",
  clients: [
    { client_id: "spa", redirect_uris: ["https://spa.example/cb"] },
    { client_id: "web", client_secret: "web-secret", redirect_uris: ["https://web.example/cb"] },
    { client_id: "gone", redirect_uris: ["https://gone.example/cb"] },
    { client_id: "kept", redirect_uris: ["https://kept.example/cb"] },
  ],
  users: [{ sub: "alice" }, { sub: "bob", name: "Bob" }, { sub: "carol" }],
} as const;

/** Writes them to a store. */
export async function writeVersion01(store: Store): Promise<void> {
  for (const { kind, id, value, consumedAt, expiresAt = Infinity } of records) {
    await store.put(kind as RecordKind, id, value as never, { expiresAt });
    if (consumedAt !== undefined) await store.consume(kind as RecordKind, id, consumedAt);
  }
}

interface Version01Record {
  readonly kind: string;
  readonly id: string;
  readonly value: unknown;
  readonly expiresAt?: number;
  readonly consumedAt?: number;
}

const records: readonly Version01Record[] = [
  {
    "kind": "change",
    "id": "https://as.test 0",
    "value": {
      "of": "clients",
      "id": "spa",
      "mark": "s9ybcfsRSrQOKzNW7LP_ew",
      "verb": "set",
      "written": { "client_id": "spa", "redirect_uris": ["https://changed-old.example/cb"] },
      "over": "zlEtmKUH-rNXLIQsqF54uzHHzLdUrWdVJ04he4dxgbQ",
    },
  },
  {
    "kind": "change",
    "id": "https://as.test 1",
    "value": {
      "of": "clients",
      "id": "spa",
      "mark": "5ViPHa6i4amQTobyX7tXNw",
      "verb": "configured",
      "over": "vgqpe_Dr_CMudaS8r1342wsWeRvFTWisUhyBwpCWIQ8",
    },
  },
  {
    "kind": "change",
    "id": "https://as.test 10",
    "value": { "of": "users", "id": "dora", "mark": "Z6QTpvexMkZXZ3foc3yLFA", "verb": "first", "over": "" },
  },
  {
    "kind": "change",
    "id": "https://as.test 2",
    "value": {
      "of": "clients",
      "id": "late",
      "mark": "2UWO98cOor4tzI7ZdBYKNg",
      "verb": "set",
      "written": {
        "client_id": "late",
        "redirect_uris": ["https://late.example/cb"],
        "client_name": "Late",
        "client_secret_digest": "FNvUIYIgQGsnSz2aQFyr9MhXlTvCuMAiZHmRnfD70Ww",
      },
      "over": "",
    },
  },
  {
    "kind": "change",
    "id": "https://as.test 3",
    "value": {
      "of": "clients",
      "id": "brief",
      "mark": "IIIgktcoMDDd-EoGyF_bxg",
      "verb": "set",
      "written": { "client_id": "brief", "redirect_uris": ["https://brief.example/cb"] },
      "over": "",
    },
  },
  {
    "kind": "change",
    "id": "https://as.test 4",
    "value": {
      "of": "clients",
      "id": "web",
      "mark": "cqwnF8AoVuJVrsCnwsBNDA",
      "verb": "set",
      "written": {
        "client_id": "web",
        "redirect_uris": ["https://web.example/cb"],
        "client_secret_digest": "ZWi9ZbdIsbOb_G8vCE1rN8t25qs3qxYDL6Ss20bPoO8",
      },
      "over": "Ju5PNPXFJL20n-iOoZjsJ3DrxaaHksJL7NvdO8liwFE",
    },
  },
  {
    "kind": "change",
    "id": "https://as.test 5",
    "value": {
      "of": "clients",
      "id": "gone",
      "mark": "DeSZtMggUUGTQupPVoBXSQ",
      "verb": "delete",
      "over": "EvUCyi5cT-mr4tEw-Db_IgSRxLNc2dxnUz3XXpuH9Zg",
    },
  },
  {
    "kind": "change",
    "id": "https://as.test 6",
    "value": { "of": "clients", "id": "brief", "mark": "ox3cmSdG7u4e7CXtcQt6Lw", "verb": "delete", "over": "" },
  },
  {
    "kind": "change",
    "id": "https://as.test 7",
    "value": {
      "of": "users",
      "id": "dora",
      "mark": "XSYns9-BTKbGb00v90lqVw",
      "verb": "set",
      "written": { "sub": "dora", "email": "dora@example.com" },
      "over": "",
    },
  },
  {
    "kind": "change",
    "id": "https://as.test 8",
    "value": {
      "of": "users",
      "id": "bob",
      "mark": "sLaD50yXFPXHTcCIsvkGVw",
      "verb": "set",
      "written": { "sub": "bob", "name": "Robert" },
      "over": "r7cNrF058L6JygEi8Uokd2H5-KD3gbhgUa8njRBqqC0",
    },
  },
  {
    "kind": "change",
    "id": "https://as.test 9",
    "value": {
      "of": "users",
      "id": "carol",
      "mark": "Qy6ny6w69AOKGaZHaiSK7w",
      "verb": "delete",
      "over": "5PKoFO6OHgaPMHcYBNINTWb4Kp8nj0rf-Ol91B2IUKU",
    },
  },
  {
    "kind": "person",
    "id": "UaKKkFfkaTqXWjAmx5946O9KY5By8BA7tmNSgYOIKKo",
    "value": { "user": { "sub": "left", "name": "Removed" } },
    "expiresAt": 1769817600000,
    "consumedAt": 1767225600000,
  },
  {
    "kind": "person",
    "id": "hVA5OIeOMhN6utAKksvOZEpCkWaxLb83WInpdsBPGAw",
    "value": { "user": { "sub": "guest", "name": "A guest" } },
    "expiresAt": 1769817600000,
  },
  {
    "kind": "server_secret",
    "id": "test configuration",
    "value": { "secret": "AIv3iTYkgM_vVRWkyFvITuXo4ZaewC7kHKJIl9KstTA" },
  },
];
