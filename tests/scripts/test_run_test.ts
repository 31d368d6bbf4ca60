/** How the scripts read what the test commands of Deno, Node and Bun print. */

import { assert, assertEquals } from "@std/assert";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { runTests, type RuntimeName } from "../../scripts/test_run.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-runs-"));
after(() => rmSync(folder, { recursive: true }));

const files = {
  mixed: `import { test } from "node:test";
test("passes", () => {});
test("[X-01] fails # with \\\\ signs", () => { throw new Error("expected 1"); });
test("is left out", { skip: true }, () => {});
for (let i = 0; i < 97; i++) test("number " + i, () => {});`,
  broken: `throw new Error("expected 2");`,
  fine: `import { test } from "node:test";\ntest("passes", () => {});`,
  ends: `import { test } from "node:test";\ntest("ends", () => process.exit(3));`,
};
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}_test.mjs`), text);

const run = (runtime: RuntimeName, ...names: string[]) =>
  runTests(runtime, names.map((name) => join(folder, `${name}_test.mjs`)));

for (const runtime of ["deno", "node", "bun"] as const) {
  test(`${runtime}: tests that passed, failed and were skipped are counted, and an error is in the output`, async () => {
    const { counts, output } = await run(runtime, "mixed", "fine");
    assertEquals(counts, { passed: 99, failed: 1, skipped: 1 }, output);
    assert(output.includes("expected 1") && output.includes("[X-01] fails"), output);
  });

  test(`${runtime}: a file that cannot be loaded, and a process that ends early, is a failure`, async () => {
    for (const name of ["broken", "ends"]) {
      const { counts, output } = await run(runtime, name);
      assert(counts.failed > 0, output);
    }
  });
}
