/** The bound of what public and unknown clients write to the store. */

import { assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { rejectBeyondBound } from "../../../src/server/stored/bounded_records.ts";
import { OAuthError } from "../../../src/core/rules/errors.ts";
import type { Server } from "../../../src/core/server.ts";

const client = { confidential: false, standing: "unknown" } as const;

function mark(id: number) {
  return { kind: "used_identifier", id: String(id), value: {}, expiresAt: 1000, address: "203.0.113.7" } as const;
}

test("[HT-23] beyond the bound a request is rejected with the number of earlier ones of its network", () => {
  const server = { clients: {}, now: () => 0 } as Server;
  let written = 0;
  const { details } = assertThrows(() => {
    for (; written < 100_000; written++) rejectBeyondBound(server, client, mark(written));
  }, OAuthError);
  assertEquals(details.facts?.(), { count: written });
});

test("[HT-23] a record that is written again counts once", () => {
  const server = { clients: {}, now: () => 0 } as Server;
  for (let i = 0; i < 100_000; i++) rejectBeyondBound(server, client, mark(i % 10));
});
