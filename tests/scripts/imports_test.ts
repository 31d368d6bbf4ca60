/** The check of the imports of src/, on small invented trees. */

import { test } from "node:test";
import { assertEquals } from "@std/assert";
import type { ImportEdge } from "../../scripts/import_graph.ts";
import {
  checkImports,
  findCircles,
  findFolderCircles,
  formatImportTable,
  type ImportRules,
} from "../../scripts/import_rules.ts";

const rules: ImportRules = {
  folders: {
    "mod.ts": { allowed: { "": "anything", "late/": "dynamic" } },
    front: { allowed: { "back/": "anything", "late/": "types" } },
    back: { allowed: {}, packages: ["jose", "@scope/tool"] },
    late: { allowed: {} },
    "late/deep": { allowed: { "late/": "types" } },
  },
  texts: ["late/texts/"],
  importers: { "back/secret.ts": ["back/a.ts", "mod.ts"] },
  builtins: ["late/disk.ts"],
};

/**
 * `back/a.ts -> late/b.ts`, `t>` for types, `d>` for import(), `x>` for packages; the line is the place in the list.
 */
function graph(...arrows: string[]): ImportEdge[] {
  const kinds = { "->": "value", "t>": "type", "d>": "dynamic", "x>": "value" } as const;
  return arrows.map((arrow, i) => {
    const [from, sign, to] = arrow.split(" ") as [string, keyof typeof kinds, string];
    return { from, specifier: to, to: sign === "x>" ? undefined : to, kind: kinds[sign], line: i + 1 };
  });
}

test("imports that the rules allow pass", () => {
  const edges = graph(
    "mod.ts -> back/a.ts",
    "mod.ts d> late/b.ts",
    "mod.ts t> late/b.ts",
    "front/a.ts -> back/a.ts",
    "front/a.ts t> late/b.ts",
    "front/a.ts -> front/b.ts",
    "back/a.ts x> jose",
    "back/a.ts x> @scope/tool/deep",
    "back/a.ts -> back/secret.ts",
    "back/b.ts t> back/secret.ts",
    "late/disk.ts x> node:sqlite",
    "late/deep/a.ts t> late/b.ts",
    "late/page.tsx -> late/part.tsx",
    "late/page.tsx -> late/texts/a.ts",
    "late/page.tsx t> late/b.ts",
  );
  assertEquals(checkImports(["mod.ts", "front/a.ts", "back/a.ts"], edges, rules), []);
});

test("a forbidden import is named with its line and with what is allowed", () => {
  const edges = graph(
    "mod.ts -> late/b.ts",
    "front/a.ts -> late/b.ts",
    "back/a.ts -> front/a.ts",
    "back/a.ts x> preact/hooks",
    "front/b.ts x> jose",
    "front/b.ts x> node:fs",
    "back/b.ts -> back/secret.ts",
    "front/a.ts d> back/secret.ts",
    "late/deep/a.ts -> late/b.ts",
    "late/page.tsx -> late/b.ts",
  );
  assertEquals(checkImports([], edges, rules), [
    "src/mod.ts:1 imports src/late/b.ts, but src/mod.ts may import only types or `await import()` from there.",
    "src/front/a.ts:2 imports src/late/b.ts, but src/front may import only types from there.",
    "src/back/a.ts:3 imports src/front/a.ts, but src/back may import nothing from there.",
    "src/back/a.ts:4 imports preact, but src/back may import only jose and @scope/tool.",
    "src/front/b.ts:5 imports jose, but src/front may import no package.",
    "src/front/b.ts:6 imports node:fs; only late/disk.ts may, because the rest runs everywhere.",
    "src/back/b.ts:7 imports src/back/secret.ts; only back/a.ts and mod.ts may, except its types.",
    "src/front/a.ts:8 imports src/back/secret.ts; only back/a.ts and mod.ts may, except its types.",
    "src/late/deep/a.ts:9 imports src/late/b.ts, but src/late/deep may import only types from there.",
    "src/late/page.tsx:10 imports src/late/b.ts; a component may import values only from .tsx and late/texts/.",
  ]);
});

test("a folder or file without an entry is rejected", () => {
  assertEquals(checkImports(["attic/a.ts", "attic/b.ts"], [], rules), [
    "src/attic has no entry in scripts/imports.ts: add what it may import.",
  ]);
});

test("files that import each other in a circle are found, types and import() included", () => {
  const edges = graph(
    "back/a.ts -> back/b.ts",
    "back/b.ts -> back/c.ts",
    "back/c.ts -> back/a.ts",
    "back/c.ts -> late/b.ts",
    "late/a.ts d> late/b.ts",
    "late/b.ts t> late/a.ts",
    "mod.ts -> back/a.ts",
  );
  assertEquals(findCircles(edges), [["back/a.ts", "back/b.ts", "back/c.ts"], ["late/a.ts", "late/b.ts"]]);
});

test("folders that import values of each other in a circle are found, a file beside them too", () => {
  const edges = graph(
    "back/a/one.ts -> back/b/one.ts",
    "back/b/two.ts d> back/shared.ts",
    "back/shared.ts -> back/a/two.ts",
    "back/c/one.ts -> back/a/one.ts",
    "back/a/one.ts t> back/c/one.ts",
    "front/a.ts -> back/a/one.ts",
    "back/a/one.ts -> front/a.ts",
  );
  assertEquals(findFolderCircles(edges, ["back/", "front/"]), [["back/a", "back/b", "back/shared.ts"]]);
});

test("the table counts values, types and import() between folders", () => {
  const edges = graph(
    "mod.ts -> back/a.ts",
    "mod.ts -> back/b.ts",
    "mod.ts d> late/b.ts",
    "front/a.ts -> back/a.ts",
    "front/a.ts t> back/b.ts",
    "back/a.ts x> jose",
    "back/a.ts x> node:util",
    "back/a.ts -> back/b.ts",
  );
  const table = formatImportTable(["mod.ts", "front/a.ts", "back/a.ts", "late/b.ts"], edges, rules);
  assertEquals(table.split("\n"), [
    "        back  late  packages",
    "mod.ts     2    1d",
    "front   1+1t     ·",
    "back       –     ·  jose node:util",
    "late       ·     –",
  ]);
});
