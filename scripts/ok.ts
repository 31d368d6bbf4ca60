/** Runs every check that must pass before a push: `deno task ok --help`. */

import { readCommand } from "./command.ts";
import manifest from "../deno.json" with { type: "json" };

/** Each check: its name, the arguments for `deno`, and advice for a failure. */
const checks: readonly (readonly [name: string, args: readonly string[], advice: string])[] = [
  ["format", ["fmt", "--check"], "Run: deno fmt."],
  ["lint", ["lint"], "Each finding above names its rule; deno lint --fix fixes some."],
  ["lock", ["task", "lock", "--check"], "See the fix above."],
  ["types", ["task", "check"], "Fix the type errors above; examples in comments and READMEs count too."],
  ["documentation", ["doc", "--lint", ...Object.values(manifest.exports)], "Document or export what is named above."],
  // The types are checked above, and once more by a release.
  ["package", ["publish", "--dry-run", "--allow-dirty", "--no-check"], "The package cannot be published."],
  [
    "import check",
    ["test", "-A", "--lock=dev.lock", "tests/scripts/imports_deno.ts"],
    "These tests prove that the next step sees every import.",
  ],
  ["imports", ["task", "imports"], "Move the code, or change the list in scripts/imports.ts and say why."],
  [
    "core",
    ["task", "core"],
    "Move what is named above into src/core, or out of the circle.",
  ],
  [
    "rules",
    ["task", "rules", "--uncovered"],
    "Write the missing tests, correct the IDs in their titles, or make table and rules.md agree.",
  ],
  ["assets", ["task", "assets", "--check"], "Run: deno task assets."],
  ["troubleshooting", ["task", "troubleshooting", "--check"], "Run: deno task troubleshooting."],
  ["public names", ["task", "api", "--check"], "The difference is shown above."],
];

const { flags } = readCommand({
  call: "deno task ok",
  does: `Runs every check that must pass before a push: ${checks.map(([name]) => name).join(", ")}, tests. Stops at ` +
    "the first failure, and prints how to fix it.",
  flags: { "but-tests": { does: "without the tests" } },
});

/** Checks at a time. Types take as long as all others together. */
const checkCount = 2;

const remaining = checks.toSorted(([a], [b]) => Number(b === "types") - Number(a === "types"));
const running = new Set<Deno.ChildProcess>();
await Promise.all(Array.from({ length: checkCount }, async () => {
  for (let check = remaining.shift(); check !== undefined; check = remaining.shift()) await run(check);
}));

if (!flags["but-tests"]) {
  const { code } = await new Deno.Command(Deno.execPath(), { args: ["task", "--quiet", "test"] }).spawn()
    .status;
  Deno.exit(code);
}

/** Runs a check. If it fails, ends the others, and this program. */
async function run([name, args, advice]: typeof checks[number]): Promise<void> {
  const started = performance.now();
  const child = new Deno.Command(Deno.execPath(), { args: [...args], stdout: "piped", stderr: "piped" }).spawn();
  running.add(child);
  const { success, stdout, stderr } = await child.output();
  running.delete(child);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${name}: ${success ? "ok" : "FAILED"} (${seconds} s)`);
  if (success) return;
  for (const other of running) other.kill();
  await Deno.stdout.write(stdout);
  await Deno.stderr.write(stderr);
  console.error(`\nStopped at ${name}. ${advice} To repeat it alone: deno ${args.join(" ")}`);
  Deno.exit(1);
}
