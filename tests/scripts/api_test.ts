/** The difference that `deno task api --check` prints. */

import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { findDifferences } from "../../scripts/api_text.ts";

test("a difference names the entry and the name of each member that changed", () => {
  const before = ". Client: interface\n  id: string\n  name?: string\n\n./stores Store: interface\n  close(): void\n";
  const after = ". Client: interface\n  id: string\n  name: string\n. User: interface\n\n./stores Store: interface\n";
  assertEquals(findDifferences(before, before), []);
  assertEquals(findDifferences(before, after), [
    "+ . Client.name: string",
    "- . Client.name?: string",
    "+ . User: interface",
    "- ./stores Store.close(): void",
  ]);
});
