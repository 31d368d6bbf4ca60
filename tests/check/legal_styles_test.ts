/** Legal styles of correct clients: the whole catalogue and the habits accuse none of them. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import type { CheckOptions } from "../../src/check/mod.ts";
import { checkClientWithEdDsa } from "./patient_check.ts";
import { legalStyles } from "./legal_styles.ts";
import { styledClient } from "./styled_client.ts";

const server: CheckOptions["server"] = { responseModes: ["query", "form_post", "jwt"] };

for (const [name, style] of Object.entries(legalStyles)) {
  test(`a correct client is accused of nothing: ${name}`, async () => {
    const report = await checkClientWithEdDsa(styledClient(name, style), { server });
    assert(report.control.passed, String(report));
    const accusations = report.results.filter(({ verdict }) => verdict === "failed")
      .map(({ attack: { id }, values, because }) => `${id} ${JSON.stringify(values)}: ${because}`);
    const habits = report.habits.filter(({ outcome }) => outcome === "failed").map(({ habit, because }) =>
      `habit ${habit.id}: ${because}`
    );
    assertEquals([...accusations, ...habits], []);
    assertEquals(report.control.failedAbilities.size, 0, String(report));
  });
}
