/**
 * The parts of the import check that exist on Deno only: the graph of `deno info` and the lint plugin. Run by
 * `deno task ok`.
 */

import { test } from "node:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { assertEquals } from "@std/assert";
import { readImportGraph } from "../../scripts/import_graph.ts";
import plugin from "../../scripts/lint.ts";

test("every way to write an import is read", async () => {
  const folder = await mkdtemp(join(tmpdir(), "imports-"));
  const source = [
    `import type { A } from "./a.ts";`,
    `import b, { c } from './b.ts';`,
    `import * as d from "./d.ts"; import type { D } from "./d.ts";`,
    `export type { I } from "./i.ts";`,
    `export * as j from "./j.ts";`,
    `import json from "./k.json" with { type: "json" };`,
    `type L = import("./l.ts").L;`,
    `const m = await import("./m.ts");`,
    `export const from = "./n.ts"; // import "./o.ts"`,
    `const p = 'import "./q.ts"';`,
    `import { join } from "node:path";`,
  ].join("\n");
  try {
    await mkdir(dirname(join(folder, "x/y.ts")));
    await writeFile(join(folder, "x/y.ts"), source);
    const edges = await readImportGraph(folder, ["x/y.ts"]);
    assertEquals(edges.map(({ line, to, specifier, kind }) => `${line} ${to ?? specifier} ${kind}`), [
      "1 x/a.ts type",
      "2 x/b.ts value",
      "3 x/d.ts value",
      "3 x/d.ts type",
      "4 x/i.ts type",
      "5 x/j.ts value",
      "6 x/k.json value",
      "7 x/l.ts type",
      "8 x/m.ts dynamic",
      "11 node:path value",
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a reserved name is rejected in code, but not in comments and literals", () => {
  const source = [
    "// Date.now",
    "/* Date.now */ const quoted = 'Date.now' + \"Date.now\";",
    "const pattern = /Date.now/;",
    "const text = `Date.now ${{ a: `${Date.now()}` }} Date.now`;",
    "const moment = new Date(5), file = globals.Deno, shared = records.process, later = () => import('./a.ts');",
    "const random = crypto.randomUUID() + Math.random(), moment2 = new Date(), env = process?.env;",
    "const computed = () => import(name);",
  ].join("\n");
  const findLines = (path: string) =>
    Deno.lint.runPlugin(plugin, resolve(path), source)
      .map(({ range: [start] }) => source.slice(0, start).split("\n").length).sort();
  assertEquals(findLines("src/core/a.ts"), [4, 5, 6, 6, 6, 6, 7]);
  assertEquals(findLines("src/platform/runtime/a.ts"), [7]);
  assertEquals(findLines("tests/a.ts"), []);
});
