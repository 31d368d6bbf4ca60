/** The tables of quirks: every row has its source, and a test of that profile or the reason why there is none. */

import { assert, assertEquals } from "@std/assert";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { providers } from "../../src/server/config/provider_settings/providers.ts";
import { forEachCase } from "../kit.ts";

interface Quirk {
  readonly profile: string;
  readonly quirk: string;
  readonly source: string;
  readonly emulated: string;
  readonly tests: readonly string[];
}

function readQuirks(): readonly Quirk[] {
  const text = readFileSync("static/docs/provider-differences.md", "utf8");
  return text.split(/^## (?=.*: differences)/m).slice(1).flatMap((section) => {
    const profile = /^\w+/.exec(section)![0].toLowerCase();
    const rows = section.split(/^## /m)[0]!.split("\n").filter((line) => line.startsWith("|")).slice(2);
    return rows.map((row) => {
      const cells = row.split("|").slice(1, -1).map((cell) => cell.trim());
      assertEquals(cells.length, 4, row);
      const [quirk = "", source = "", emulated = "", tests = ""] = cells;
      return { profile, quirk, source, emulated, tests: tests === "" ? [] : tests.split(", ") };
    });
  });
}

const quirks = readQuirks();

/** The files with clients, by their paths. */
const files = new Map(
  [
    ...globSync("tests/server/profiles/**/*_test.ts"),
    ...globSync("tests/browser/*_browser.ts"),
    "tests/server/providers_test.ts",
    "tests/languages/python-clients/test_providers.py",
  ].map((path) => path.replaceAll("\\", "/")).filter((path) => !path.endsWith("/readme_test.ts")).sort()
    .map((path) => [path, readFileSync(path, "utf8")]),
);

/** The names of packages that differ from those in the tables. */
const packages: Readonly<Record<string, string>> = {
  "Auth.js": "@auth/core/providers/",
  Amplify: "aws-amplify@",
  Authlib: "authlib.",
  "social-core": "social_core.backends.",
  "express-openid-connect": "/express_application.ts",
};

/** The files whose tests are about several profiles. */
const sharedTests = ["callbacks", "documented_codes", "ignored_scopes", "login_urls", "machine_clients", "unchecked"]
  .map((name) => `tests/server/profiles/${name}_test.ts`);

/** Whether a file has tests of the profile: by its own name, or because it names this profile or walks all of them. */
function isAbout(path: string, text: string, profile: string): boolean {
  return path.includes(`/${profile}_`) || text.includes(`"${profile}"`) || text.includes("Object.keys(providers)");
}

function findTest(name: string, profile: string): boolean {
  if (name === "requests") {
    const title = new RegExp(`^test\\("(?:\\[[^\\]]*\\] )?${profile}\\b[^"]*: `, "m");
    const ownTests = ["tests/server/providers_test.ts", `tests/server/profiles/${profile}_test.ts`];
    return ownTests.some((path) => title.test(files.get(path) ?? "")) ||
      sharedTests.some((path) => isAbout(path, files.get(path) ?? "", profile));
  }
  if (name === "sample") {
    return files.get(`tests/server/profiles/samples/${profile}_sample_test.ts`)?.includes("testSample(") ?? false;
  }
  const imported = packages[name] ?? name;
  const pattern = new RegExp(`(?:from |import |npm:|import\\w*\\().*${imported.replaceAll(".", "\\.")}`);
  return [...files].some(([path, text]) => pattern.test(text) && isAbout(path, text, profile));
}

test("each profile has a table of quirks", () => {
  const names = Object.keys(providers).filter((name) => !name.includes("@"));
  assertEquals([...new Set(quirks.map(({ profile }) => profile))].sort(), names.sort());
});

test("each quirk has a source, and a test of its profile or the reason why it is not emulated", async () => {
  await forEachCase(quirks, ({ profile, quirk, source, emulated, tests }) => {
    assert(source !== "", `${profile}: ${quirk} has no source`);
    if (tests.length === 0) assert(/^no: .{10,}/.test(emulated), `${profile}: ${quirk} has no test and no reason`);
    for (const name of tests) assert(findTest(name, profile), `${profile}: ${quirk} has no test ${name}`);
    return Promise.resolve();
  });
});
