/** What was made for a release, in dist/release/, as those who download it see it. */

// deno-lint-ignore-file no-import-prefix
import { assert, assertEquals } from "@std/assert";
import { Spec, Validation } from "npm:@cyclonedx/cyclonedx-library@10.3.0";
// Modules of the validation library.
import "npm:ajv-formats-draft2019@1.6.1";
import "npm:ajv-formats@3.0.1";
import "npm:ajv@8.20.0";
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import manifest from "../../deno.json" with { type: "json" };
import { namedTargets } from "../../scripts/release/packagers.ts";

const folder = "dist/release/";
const names = globSync("*", { cwd: folder }).sort();
const bills = names.filter((name) => name.endsWith(".cdx.json"));

/** A bill of materials, as far as it is looked at here. */
interface Bill {
  readonly metadata: { readonly component: { readonly "bom-ref": string; readonly version: string } };
  readonly components: readonly { readonly "bom-ref": string; readonly name: string; readonly type: string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const read = (name: string): Bill => JSON.parse(readFileSync(folder + name, "utf8"));

test("every bill of materials is valid strict CycloneDX 1.6, and a licence unknown to SPDX is not", async () => {
  const verify = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
  assert(bills.length >= 2);
  for (const name of bills) assertEquals(await verify.validate(readFileSync(folder + name, "utf8")), null, name);
  const bad = readFileSync(folder + bills[0], "utf8").replace('"id": "MIT"', '"id": "MIT-ish"');
  assert(await verify.validate(bad) !== null);
});

test("every dependency in a bill of materials is listed, and every component is needed", () => {
  for (const name of bills) {
    const { metadata, components, dependencies } = read(name);
    assertEquals(metadata.component.version, manifest.version);
    const known = [metadata.component, ...components].map((component) => component["bom-ref"]).sort();
    assertEquals(dependencies.map(({ ref }) => ref).sort(), known);
    const reached = new Set([metadata.component["bom-ref"]]);
    // Iteration over a Set includes members added meanwhile.
    for (const ref of reached) {
      for (const next of dependencies.find((entry) => entry.ref === ref)!.dependsOn) reached.add(next);
    }
    assertEquals([...reached].sort(), known, name);
  }
});

test("the package lists its dependencies and bundled packages; a binary lists all of them, and its runtime", () => {
  const direct = Object.keys(manifest.imports);
  for (const name of bills) {
    const { components } = read(name);
    const found = components.map(({ name }) => name);
    assertEquals(direct.filter((name) => !found.includes(name)), [], name);
    const runtimes = components.filter(({ type }) => type === "platform").map(({ name }) => name);
    assertEquals(runtimes.length, name.includes("-npm.") ? 0 : 1, `${name}: ${runtimes}`);
  }
});

test("the files for package managers have the sums of the archives, if there is an archive for each of them", async () => {
  const sums = readFileSync(`${folder}SHA256SUMS`, "utf8");
  const missing = (await namedTargets()).filter((target) => !sums.includes(`-${target}.`));
  const packed = names.find((name) => name.endsWith("-packagers.tar.gz"));
  assertEquals(packed === undefined, missing.length > 0, `without ${missing}`);
  if (packed === undefined) return;
  const { stdout } = await new Deno.Command("tar", { args: ["-xOzf", folder + packed] }).output();
  const found = new Set(new TextDecoder().decode(stdout).match(/\b[0-9a-f]{64}\b/g));
  for (const sum of found) assert(sums.includes(`${sum}  latchkey-${manifest.version}-`), sum);
  assertEquals(found.size, (await namedTargets()).length);
});

test("SHA256SUMS has every file, in the format of sha256sum", () => {
  const summed = names.filter((name) => name !== "SHA256SUMS" && name !== "NOTES.md");
  const sums = summed.map((name) =>
    `${createHash("sha256").update(readFileSync(folder + name)).digest("hex")}  ${name}\n`
  );
  assertEquals(readFileSync(`${folder}SHA256SUMS`, "utf8"), sums.join(""));
  // Names with version and system, so that files of several versions do not collide.
  assertEquals(summed.filter((name) => !name.includes(manifest.version)), []);
});
