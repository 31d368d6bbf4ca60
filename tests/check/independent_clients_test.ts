/** Correct clients that share no code with the check and its other clients, in usual and unusual styles. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { accusations } from "./accusations.ts";
import { sample } from "../sample.ts";
import { partOfCatalogue } from "./catalogue_part.ts";
import { checkEntry, type Entry, kinds } from "./independent_clients/entry.ts";
import { otherStyles } from "./independent_clients/other_styles.ts";
import { webStyles } from "./independent_clients/web_styles.ts";

/** The correct clients that the styles change. */
const correctClients: readonly Entry[] = [
  ...kinds.map((kind): Entry => ({ kind, name: `a correct ${kind}`, source: "" })),
  { kind: "resource server", name: "a correct resource server that verifies JWTs", source: "", verifying: () => ({}) },
];

for (const [place, entry] of sample([...[...correctClients, ...webStyles, ...otherStyles].entries()], 12, 0)) {
  const { kind, name } = entry;
  test(`${kind}, correct: ${name}: accused of nothing`, async () => {
    const report = await checkEntry(entry, { only: partOfCatalogue(12, Math.floor(place / 12)) });
    assert(report.control.passed, String(report));
    assertEquals(accusations(report), [], String(report));
  });
}
