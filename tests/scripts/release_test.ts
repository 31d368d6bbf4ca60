/**
 * What a release hangs on: one version, a change log that can be read, bills of materials, workflows that run what
 * exists.
 */

import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { findReleaseBlockers, parseChangelog, type ReleaseState } from "../../scripts/release/changelog.ts";
import { findLicensedPackages, getLockedPackages, type Lock } from "../../scripts/release/locked_packages.ts";
import { billOfMaterials, type Component, getPackageUrl } from "../../scripts/release/sbom.ts";

const manifest = JSON.parse(readFileSync("deno.json", "utf8"));
const read = (path: string) => readFileSync(path, "utf8");
const digits = (text: string) => text.replaceAll(".", "\\.");

test("the version is only in deno.json and in the change log", () => {
  const version = new RegExp(`(?<![\\d.])${digits(manifest.version)}(?![\\d.]\\d|\\d)`);
  const own = [
    "README.md",
    ".ci/run",
    ...globSync("{src,scripts,static,tests,.github}/**/*.{ts,tsx,js,json,md,yml,css}"),
  ];
  const found = [...own, ...globSync("static/team/*")].filter((path) => version.test(read(path)));
  assertEquals(found.map((path) => path.replaceAll("\\", "/")), ["static/changes.md"]);
});

test("the change log is well-formed, and starts with the version in deno.json", () => {
  const [newest] = parseChangelog(read("static/changes.md"));
  assertEquals(newest?.version, manifest.version);
  assert(newest!.notes.length > 0);
});

const log = `# Changes

Words.

## 1.10.0 (unreleased)

### Added

- More.

## 1.9.0 (2026-02-28)

### Fixed

- One.
- Other.
`;

test("entries have a version, a date once released, and their notes unchanged", () => {
  assertEquals(parseChangelog(log), [
    { version: "1.10.0", date: undefined, notes: "### Added\n\n- More." },
    { version: "1.9.0", date: "2026-02-28", notes: "### Fixed\n\n- One.\n- Other." },
  ]);
});

test("a malformed change log is rejected with the line, the expected and the received text", () => {
  const faults: readonly (readonly [from: string, to: string, stated: string])[] = [
    ["## 1.9.0 (2026-02-28)", "## 1.9 (2026-02-28)", ':11: expected a heading such as "## 1.2.3 (unreleased)"'],
    ["2026-02-28", "28.2.2026", ":11: expected a heading"],
    ["2026-02-28", "2026-02-29", ":11: expected a day of the calendar"],
    ["2026-02-28", "unreleased", ":11: expected a date, because a newer version stands above"],
    ["## 1.9.0", "## 1.10.0", ":11: expected a version older than 1.10.0"],
    ["## 1.9.0", "## 1.11.0", ":11: expected a version older than 1.10.0"],
    [
      "### Fixed",
      "### Repaired",
      ":13: expected one of Added, Changed, Deprecated, Removed, Fixed, Security after ###",
    ],
  ];
  for (const [from, to, stated] of faults) {
    const error = assertThrows(() => parseChangelog(log.replace(from, to)), Error);
    assert(error.message.startsWith(`static/changes.md${stated}`), error.message);
    assert(error.message.endsWith(".") && error.message.includes(', found "##'), error.message);
  }
});

test("a version is released from a clean commit, with a dated entry, under its own tag", () => {
  const fine: ReleaseState = {
    version: "1.9.0",
    changelog: log,
    uncommittedFiles: [],
    head: "abc",
    taggedCommit: "abc",
    requestedTag: "v1.9.0",
  };
  assertEquals(findReleaseBlockers(fine), []);
  assertEquals(findReleaseBlockers({ ...fine, taggedCommit: undefined, requestedTag: undefined }), []);
  const cases: readonly (readonly [Partial<ReleaseState>, RegExp])[] = [
    [{ version: "1.10.0", requestedTag: "v1.10.0" }, /^static\/changes\.md calls 1\.10\.0 unreleased: write the date/],
    [{ version: "2.0.0", requestedTag: "v2.0.0" }, /^static\/changes\.md says nothing of 2\.0\.0: write what changed/],
    [{ changelog: log.replace("- One.\n- Other.", "").replace("### Fixed", "") }, /says nothing of 1\.9\.0/],
    [{ uncommittedFiles: ["a.ts"] }, /^a\.ts is not committed: commit or remove/],
    [{ uncommittedFiles: ["a", "b", "c", "d", "e"] }, /^a, b, c and 2 more are not committed/],
    [{ taggedCommit: "def" }, /^The tag v1\.9\.0 exists, and is another commit: raise the version in deno\.json\.$/],
    [
      { requestedTag: "v1.9.1" },
      /^The tag is v1\.9\.1, but deno\.json says 1\.9\.0: the tag of this version is v1\.9\.0\.$/,
    ],
  ];
  for (const [facts, stated] of cases) {
    const found = findReleaseBlockers({ ...fine, ...facts });
    assertEquals(found.length, 1);
    assertMatch(found[0]!, stated);
  }
});

const lock: Lock = {
  npm: {
    "@scope/deep@2.0.0": { integrity: `sha512-${"A".repeat(86)}==` },
    "near@1.0.0_peer@3.0.0": {
      integrity: `sha512-${"B".repeat(85)}A==`,
      dependencies: ["@scope/deep", "peer@3.0.0_near@1.0.0"],
      optionalPeers: ["peer@3.0.0_near@1.0.0"],
    },
    "peer@3.0.0_near@1.0.0": { integrity: `sha512-${"A".repeat(86)}==`, dependencies: ["near@1.0.0_peer@3.0.0"] },
  },
  workspace: { dependencies: ["npm:near@1", "npm:@else/where@^2"] },
};

test("a file lists the locked packages whose licences it includes", () => {
  const licences = "near 1.0.0\n\nMIT\n\n\n@scope/deep 2.0.0\r\n\r\nMIT; beware of peer 3.0.0\n";
  const packages = getLockedPackages(lock);
  assertEquals(
    findLicensedPackages(licences, packages).map(({ name, version, needs, direct }) => ({
      name,
      version,
      needs,
      direct,
    })),
    [
      { name: "@scope/deep", version: "2.0.0", needs: [], direct: false },
      { name: "near", version: "1.0.0", needs: ["@scope/deep"], direct: true },
    ],
  );
  assertEquals(packages.find(({ name }) => name === "peer")?.needs, ["near"]);
  const ours = getLockedPackages(JSON.parse(read("deno.lock"))).filter(({ direct }) => direct).map(({ name }) => name);
  for (const name of Object.keys(manifest.imports)) assert(ours.includes(name), name);
});

test("a bill of materials is reproducible, and lists packages, licences, hashes and dependencies", () => {
  const parts: Component[] = getLockedPackages(lock).filter(({ name }) => name !== "peer")
    .map((found) => ({
      ...found,
      license: found.direct ? "MIT OR Apache-2.0" : "MIT",
      scope: "required",
      type: "library",
    }));
  const subject = {
    name: "it",
    version: "1.2.3",
    license: "MIT",
    type: "application",
    purl: "pkg:generic/it@1.2.3",
    bytes: new TextEncoder().encode("it"),
  } as const;
  const text = billOfMaterials(subject, parts, 1_795_000_000);
  assertEquals(billOfMaterials(subject, parts.toReversed(), 1_795_000_000), text);
  const bill = JSON.parse(text);
  assertEquals([bill.bomFormat, bill.specVersion, bill.metadata.timestamp], [
    "CycloneDX",
    "1.6",
    new Date(1_795_000_000_000).toISOString(),
  ]);
  assertMatch(bill.serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assertEquals(bill.components[0], {
    type: "library",
    "bom-ref": "pkg:npm/%40scope/deep@2.0.0",
    name: "@scope/deep",
    version: "2.0.0",
    scope: "required",
    licenses: [{ license: { id: "MIT" } }],
    purl: "pkg:npm/%40scope/deep@2.0.0",
    externalReferences: [{
      type: "distribution",
      url: "https://registry.npmjs.org/@scope/deep/-/deep-2.0.0.tgz",
      hashes: [{ alg: "SHA-512", content: "0".repeat(128) }],
    }],
  });
  assertEquals(bill.components[1].licenses, [{ expression: "MIT OR Apache-2.0" }]);
  assertEquals(bill.dependencies, [
    { ref: "pkg:generic/it@1.2.3", dependsOn: ["pkg:npm/near@1.0.0"] },
    { ref: "pkg:npm/%40scope/deep@2.0.0", dependsOn: [] },
    { ref: "pkg:npm/near@1.0.0", dependsOn: ["pkg:npm/%40scope/deep@2.0.0"] },
  ]);
  const other = JSON.parse(billOfMaterials({ ...subject, bytes: new Uint8Array() }, parts, 1_795_000_000));
  assert(other.serialNumber !== bill.serialNumber);
  assertThrows(() => billOfMaterials(subject, [{ ...parts[0]!, integrity: "" }], 0), Error, "found none");
  assertEquals(getPackageUrl({ name: "a", version: "1.0.0" }), "pkg:npm/a@1.0.0");
});

const workflows = globSync(".github/workflows/*.yml").map((path) => ({ path, text: read(path) }));

test("the workflows run existing tasks and files", () => {
  const runs = workflows.flatMap(({ text }) => [...text.matchAll(/^\s*(?:- )?run: (.*)$/gm)].map(([, line]) => line!));
  const tasks = runs.flatMap((line) => [...line.matchAll(/deno task ([\w:]+)/g)].map(([, name]) => name!));
  assert(tasks.length >= 4);
  for (const task of tasks) assert(Object.hasOwn(manifest.tasks, task), task);
  const paths = runs.flatMap((line) =>
    [...line.matchAll(/(?<=\s|^)(?:tests\/\w+|\.ci\/run)(?=\s|$)/g)].map(([path]) => path)
  );
  assert(paths.length >= 5);
  for (const path of paths) assert(globSync(path).length === 1, path);
});

test("the workflows use the Deno version of .ci/run", () => {
  const [, version] = /deno@(\d+\.\d+\.\d+)/.exec(read(".ci/run"))!;
  const found = workflows.flatMap(({ text }) => [...text.matchAll(/deno-version: v(\S+)/g)].map(([, found]) => found));
  assert(found.length >= 4);
  assertEquals(new Set(found), new Set([version]));
});
