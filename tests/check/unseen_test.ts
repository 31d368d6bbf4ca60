/** Clients written without knowledge of the attacks: what finds each mistake, and that no style is accused. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { accusations } from "./accusations.ts";
import { sample } from "../sample.ts";
import { partOfCatalogue } from "./catalogue_part.ts";
import { checkEntry } from "./unseen/entry.ts";
import { correctClients, legalStyles, mistakes } from "./unseen/set.ts";

for (const entry of sample(mistakes, 8, 0)) {
  const { kind, name, foundBy } = entry;
  if (foundBy === undefined) continue;
  test(`${kind}: a client that ${name} is found by ${foundBy}`, async () => {
    const isPractice = foundBy.startsWith("practice/");
    const report = await checkEntry(entry, { only: [isPractice || foundBy === "login" ? "practices" : foundBy] });
    assertEquals(report.control.passed, foundBy !== "login", String(report));
    if (foundBy !== "login") assert(accusations(report).includes(foundBy), String(report));
  });
}

for (const [place, entry] of sample([...[...correctClients, ...legalStyles].entries()], 12, 0)) {
  const { kind, name } = entry;
  test(`${kind}, correct: ${name}: accused of nothing`, async () => {
    const report = await checkEntry(entry, { only: partOfCatalogue(12, Math.floor(place / 12)) });
    assert(report.control.passed, String(report));
    assertEquals(accusations(report), [], String(report));
  });
}
