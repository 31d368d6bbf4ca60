/**
 * The attacks on extensions: a client with every check passes all of them, and each mistake is found by the named ones.
 */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { unclearIn } from "./accusations.ts";
import { sample } from "../sample.ts";
import { partOf } from "./catalogue_part.ts";
import { checkClientWithEdDsa } from "./patient_check.ts";
import type { CheckOptions } from "../../src/check/mod.ts";
import { styledClient } from "./styled_client.ts";
import type { ExtensionMistake, Style } from "./style.ts";

/** The extensions that one client uses together, and the attacks on them. */
const clients: readonly { readonly style: Style; readonly only: readonly string[] }[] = [
  { style: { par: true, jar: true, responseMode: "jwt", dpop: true }, only: ["par", "jar", "jarm", "dpop"] },
  { style: { registers: true }, only: ["registration"] },
];

const server: CheckOptions["server"] = { responseModes: ["query", "jwt"] };

/** The attacks that find a mistake: no other attack of the category may fail. */
const foundBy: Readonly<Record<ExtensionMistake, readonly string[]>> = {
  "sends the request plainly when the push fails": ["par/rejected"],
  "sends the request unsigned when it is rejected": ["jar/rejected"],
  "does not verify signed responses": ["jarm/signature"],
  "accepts plain responses": ["jarm/beside-plain"],
  "repeats without a limit": ["par/rejected", "dpop/nonce-for-ever", "registration/rejected"],
  "has one nonce for all servers": ["dpop/nonce-renewed"],
  "does not read nonces": ["dpop/nonce-asked", "dpop/nonce-renewed"],
  "believes any registration": ["registration/response-shape", "registration/changed"],
  "never registers again": ["registration/forgotten"],
};

for (const { style, only } of clients) {
  test(`a client with ${Object.keys(style).join(", ")} and every check passes all attacks on them`, async () => {
    const report = await checkClientWithEdDsa(styledClient("extensions", style), { only: partOf(only, 4, 0), server });
    assert(report.passed, String(report));
    assertEquals(report.counts.passed, report.results.length, String(report));
  });
}

for (const [mistake, ids] of sample(Object.entries(foundBy), 4, 0)) {
  test(`a client that ${mistake} is found by ${ids.join(", ")}`, async () => {
    const found = new Set<string>();
    for (const { style, only } of clients) {
      const concerned = only.filter((category) => ids.some((id) => id.startsWith(`${category}/`)));
      if (concerned.length === 0) continue;
      const report = await checkClientWithEdDsa(
        styledClient(mistake, { ...style, mistake: mistake as ExtensionMistake }),
        { only: concerned, server },
      );
      assert(report.control.passed, String(report));
      assertEquals(unclearIn(report).length, 0, String(report));
      for (const { verdict, attack } of report.results) {
        if (verdict === "failed" || verdict === "warning") found.add(attack.id);
      }
    }
    assertEquals([...found].sort(), [...ids].sort());
  });
}

test("a client without extensions is not asked for them: the attacks are skipped, with the reason", async () => {
  const report = await checkClientWithEdDsa(styledClient("no extension", {}), {
    only: clients.flatMap(({ only }) => only),
  });
  assertEquals(report.counts.skipped, report.results.length, String(report));
  const reasons = new Map(report.results.map(({ attack: { id }, because }) => [id, because]));
  assertEquals(reasons.get("par/rejected"), "the client pushes no authorization request");
});
