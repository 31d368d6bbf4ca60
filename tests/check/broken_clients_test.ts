/** Every broken client is found by the attacks of its row, and the correct client by none of them. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { accusations } from "./accusations.ts";
import { brokenClients } from "./broken_clients.ts";
import { neededFor } from "./catalogue_part.ts";
import { correctDecisions } from "./decisions.ts";
import { checkClientWithEdDsa } from "./patient_check.ts";
import { sample } from "../sample.ts";
import { smallClient } from "./small_client.ts";

for (const { name, change, foundBy, client } of sample(brokenClients, 16, 1)) {
  test(`a client that ${name} is found by ${foundBy.join(", ")}`, async () => {
    const check = (decisions: typeof correctDecisions) => {
      const driver = smallClient(undefined, undefined, undefined, decisions);
      return checkClientWithEdDsa({ ...driver, client: { ...driver.client, ...client } }, { only: neededFor(foundBy) });
    };
    const report = await check({ ...correctDecisions, ...change });
    assert(report.control.passed, String(report));
    const found = accusations(report);
    assertEquals(foundBy.filter((id) => !found.includes(id)), [], String(report));
    if (client === undefined) return;
    const correct = accusations(await check(correctDecisions));
    assertEquals(foundBy.filter((id) => correct.includes(id)), []);
  });
}

test("every row of the broken clients has a name of its own", () => {
  const names = brokenClients.map(({ name }) => name);
  assertEquals(names.length, new Set(names).size);
});
