/** Every broken client is found by the attacks of its row, and the correct client by none of them. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { brokenClients } from "./broken_clients.ts";
import { correctDecisions } from "./decisions.ts";
import { checkClientWithEdDsa } from "./patient_check.ts";
import { sample } from "../sample.ts";
import { smallClient } from "./small_client.ts";

for (const { name, change, foundBy, client } of sample(brokenClients, 8, 1)) {
  test(`a client that ${name} is found by ${foundBy.join(", ")}`, async () => {
    const check = (decisions: typeof correctDecisions) =>
      checkClientWithEdDsa(
        { ...smallClient(undefined, undefined, undefined, decisions), ...client !== undefined && { client } },
        { only: foundBy },
      );
    const report = await check({ ...correctDecisions, ...change });
    assert(report.control.passed, String(report));
    const found = report.results.filter(({ verdict }) => verdict === "failed" || verdict === "warning");
    const ids = new Set(found.map(({ attack: { id } }) => id));
    assertEquals(foundBy.filter((id) => !ids.has(id)), [], String(report));
    if (client === undefined) return;
    const correct = await check(correctDecisions);
    assertEquals(correct.counts.passed, correct.results.length, String(correct));
  });
}

test("every row of the broken clients has a name and a change of its own", () => {
  const names = brokenClients.map(({ name }) => name);
  assertEquals(names.length, new Set(names).size);
  assert(brokenClients.every(({ change, foundBy }) => Object.keys(change).length === 1 && foundBy.length > 0));
});
