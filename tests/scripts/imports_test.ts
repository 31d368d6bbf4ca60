/** The judge of who imports whom, on small made-up houses. */

import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { checkImports, formatImportTable, type ImportRules } from "../../scripts/import_rules.ts";
import { blankLiterals, readImports } from "../../scripts/read_source.ts";

const house: ImportRules = {
  folders: {
    "plan.ts": { allowed: { "": "anything", "late/": "dynamic" } },
    front: { allowed: { "back/": "anything", "late/": "types" } },
    back: { allowed: {}, packages: ["jose", "@scope/tool"] },
    late: { allowed: {} },
  },
  reserved: [
    { identifiers: /\bDate\.now\b/, allowedIn: ["plan.ts"], reason: "others are handed a clock" },
    { modules: /^node:/, allowedIn: ["late/disk.ts"], reason: "the rest runs everywhere" },
  ],
};

function breaches(sources: Record<string, string>): string[] {
  return checkImports(new Map(Object.entries(sources)), house);
}

test("imports the list allows pass without a word", () => {
  assertEquals(
    breaches({
      "plan.ts": `import "./back/a.ts";\nconst later = () => import("./late/b.ts");\nDate.now();`,
      "front/a.ts": `import { a } from "../back/a.ts";\nimport type { B } from "../late/b.ts";\nimport "./b.ts";`,
      "back/a.ts": `export { SignJWT } from "jose";\nimport x from "@scope/tool/deep";`,
      "late/disk.ts": `import { DatabaseSync } from "node:sqlite";`,
    }),
    [],
  );
});

test("an import against the list is named with its line and what would be allowed", () => {
  assertEquals(
    breaches({
      "plan.ts": `import { b } from "./late/b.ts";`,
      "front/a.ts": `/** First line. */\nimport {\n  b,\n} from "../late/b.ts";`,
      "back/a.ts": `export * from "../front/a.ts";\nimport { h } from "preact/hooks";`,
      "front/b.ts": `import "jose";\nimport "node:fs";\nawait import(name);`,
    }),
    [
      "src/plan.ts:1 imports src/late/b.ts, but src/plan.ts may take only types or `await import()` from there.",
      "src/front/a.ts:2 imports src/late/b.ts, but src/front may take only types from there.",
      "src/back/a.ts:1 imports src/front/a.ts, but src/back may take nothing from there.",
      "src/back/a.ts:2 imports preact, but src/back may use only jose and @scope/tool.",
      "src/front/b.ts:1 imports jose, but src/front may use no package.",
      "src/front/b.ts:2 imports node:fs, which only late/disk.ts may: the rest runs everywhere.",
      "src/front/b.ts:3 imports a computed name: write the name out, so that it can be checked.",
    ],
  );
});

test("a reserved word counts in code, inside templates too, but not in comments, strings or patterns", () => {
  assertEquals(
    breaches({
      "front/a.ts": [
        "// Date.now",
        "/* Date.now */ const quoted = 'Date.now' + \"Date.now\";",
        "const pattern = /[/'\"`]Date.now/;",
        "const half = total / 2; // Date.now /",
        "const told = `Date.now ${{ a: `${Date.now()}` }} Date.now`;",
      ].join("\n"),
    }),
    ["src/front/a.ts:5 says `Date.now`, which only plan.ts may: others are handed a clock."],
  );
});

test("files that load each other in a circle are named once; a circle through types is none", () => {
  assertEquals(
    breaches({
      "back/a.ts": `import { b } from "./b.ts";`,
      "back/b.ts": `import { c } from "./c.ts";`,
      "back/c.ts": `import { a } from "./a.ts";`,
      "late/a.ts": `import { b } from "./b.ts";`,
      "late/b.ts": `import { type A } from "./a.ts";`,
    }),
    [
      "src/back/a.ts → src/back/b.ts → src/back/c.ts → src/back/a.ts: these files load each other in a circle; " +
      "move what they share to a file below.",
    ],
  );
});

test("a folder or file the list does not know is refused", () => {
  assertEquals(breaches({ "attic/a.ts": "", "attic/b.ts": "" }), [
    "src/attic is no room of this house: say in scripts/imports.ts what it may import.",
  ]);
});

test("every way to write an import is read, and what only looks like one is not", () => {
  const source = [
    `import type { A } from "./a.ts";`,
    `import b, { c } from './b.ts';`,
    `import * as d from "./d.ts";`,
    `import { type E, type F } from "./e.ts";`,
    `import { type G, h } from "./g.ts";`,
    `export type { I } from "./i.ts";`,
    `export * as j from "./j.ts";`,
    `import json from "./k.json" with { type: "json" };`,
    `type L = import("./l.ts").L;`,
    `const m = await import("./m.ts");`,
    `export const from = "./n.ts"; // import "./o.ts"`,
    `const p = 'import "./q.ts"';`,
  ].join("\n");
  assertEquals(readImports("x.ts", source).map(({ line, specifier, kind }) => `${line} ${specifier} ${kind}`), [
    "1 ./a.ts type",
    "2 ./b.ts value",
    "3 ./d.ts value",
    "4 ./e.ts type",
    "5 ./g.ts value",
    "6 ./i.ts type",
    "7 ./j.ts value",
    "8 ./k.json value",
    "9 ./l.ts type",
    "10 ./m.ts dynamic",
  ]);
  assertEquals(readImports("x.tsx", "").map(({ specifier }) => specifier), ["preact/jsx-runtime"]);
});

test("blanking keeps every line and column where it was", () => {
  const source = "const a = 'b'; /* c\nd */ const e = `f${g}h`; // i\nconst j = <p>it's k / l</p>;";
  assertEquals(
    blankLiterals(source),
    "const a = ' ';     \n     const e = ` ${g} `;     \nconst j = <p>it's k / l</p>;",
  );
});

test("the table counts values, types and late imports between rooms", () => {
  const sources = new Map([
    ["plan.ts", `import "./back/a.ts";\nimport "./back/b.ts";\nimport("./late/b.ts");`],
    ["front/a.ts", `import { a } from "../back/a.ts";\nimport type { B } from "../back/b.ts";`],
    ["back/a.ts", `import "jose";\nimport "node:util";\nimport "./b.ts";`],
    ["late/b.ts", ""],
  ]);
  assertEquals(formatImportTable(sources, house).split("\n"), [
    "         back  late  from outside",
    "plan.ts     2    1d",
    "front    1+1t     ·",
    "back        –     ·  jose node:util",
    "late        ·     –",
  ]);
});
