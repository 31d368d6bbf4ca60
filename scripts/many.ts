/**
 * Runs the tests that need several instances and databases of their own: `deno task test:many [part of a file's name …]`.
 * They start PostgreSQL and Redis from Debian's packages themselves, on odd ports below 20000, and print the account of
 * every fault.
 */

import { globSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { bundleTests } from "./bundle_tests.ts";

/** Seconds after which the tests are taken to hang. */
const patience = 600;

const names = Deno.args;
const files = globSync("tests/many/*_many.ts").sort().filter((path) =>
  names.length === 0 || names.some((name) => path.includes(name))
);
if (files.length === 0) {
  console.error(`No file tests/many/*_many.ts has ${names.join(" or ")} in its name.`);
  Deno.exit(2);
}

// Instances run on Node and Bun too, and there from a bundle.
const [node, bun] = await Promise.all([
  print("node@24.21.0", "-p", "process.execPath"),
  print("bun@1.4.4", "-e", "console.log(process.execPath)"),
  bundleTests([]),
]);

// Without what speaks to the program, which would take it for its own.
const inherited = Object.entries(Deno.env.toObject()).filter(([name]) => !name.startsWith("LATCHKEY_"));
const own = { ...Object.fromEntries(inherited), NO_COLOR: "1", MANY_NODE: node, MANY_BUN: bun };

const running = new Set<Deno.ChildProcess>();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => {
    for (const child of running) end(child);
    Deno.exit(130);
  });
}

// Two at a time: they wait more than they work. Each has ports of its own.
const left = files.map((file, i) => ({ file, ports: 15_001 + 600 * i }));
const tally = { passed: 0, failed: 0, ignored: 0 };
await Promise.all([1, 2].map(async () => {
  for (let next = left.shift(); next !== undefined; next = left.shift()) await run(next.file, next.ports);
}));
console.log(`${tally.passed} passed, ${tally.failed} failed, ${tally.ignored} skipped`);
Deno.exit(tally.failed > 0 ? 1 : 0);

/** Runs one file, prints what it says when it has ended, and counts. */
async function run(file: string, ports: number): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--lock=dev.lock", "--no-check", file],
    env: { ...own, MANY_PORTS: String(ports) },
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached: true, // a process group of its own, so that one signal reaches everything that the tests have started
  }).spawn();
  running.add(child);
  let late = "";
  const timer = setTimeout(() => {
    late = `It was ended after ${patience} s.\n`;
    end(child);
  }, patience * 1000);
  const { success, stdout, stderr } = await child.output();
  clearTimeout(timer);
  // What a test that failed has left running.
  end(child);
  running.delete(child);
  const text = stripVTControlCharacters([stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join(""));
  // The accounts, and whatever went wrong; where all went well, not the names of the tests once more.
  console.log(`${file}\n${success ? accounts(text) : text}${late}`);
  const count = (word: string) => Number(new RegExp(`^(?:ok|FAILED) \\|.*?(\\d+) ${word}`, "m").exec(text)?.[1] ?? 0);
  tally.passed += count("passed");
  tally.failed += success ? 0 : Math.max(1, count("failed"));
  tally.ignored += count("ignored");
}

/** The lines that tests have printed, and the last one. */
function accounts(text: string): string {
  return text.split("\n").filter((line) => /: .*(lost \d|swept in \d)|^ok \|/.test(line)).map((line) => `  ${line}\n`)
    .join("");
}

function end(child: Deno.ChildProcess): void {
  try {
    Deno.kill(-child.pid, "SIGKILL");
  } catch {
    // The whole group has ended by itself.
  }
}

/** What a program of an npm package prints: here, where it lies. */
async function print(name: string, ...args: string[]): Promise<string> {
  const { stdout } = await new Deno.Command("npx", { args: ["-y", name, ...args], stderr: "null" }).output();
  return new TextDecoder().decode(stdout).trim();
}
