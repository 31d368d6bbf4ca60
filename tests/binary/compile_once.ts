/** The compile script: its errors, and its output for other systems. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import process from "node:process";
import { thisSystem } from "../../scripts/run.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-compile-"));
after(() => rmSync(folder, { recursive: true }));

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

async function compile(...flags: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const args = ["task", "--quiet", "compile", ...flags];
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, env: { NO_COLOR: "1" } }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

test("a failed build is one sentence and exit code 1", async () => {
  const cases = [
    [["--with", "make"], /^--with: expected deno, bun, node; found "make"\.\n$/],
    [["--target", "beos"], /^--target: expected linux-x64, .*; found "beos"\.\n$/],
    [["--tarqet", "linux-x64"], /^Unknown option '--tarqet'; deno task compile --help shows the options\.\n$/],
    [
      ["--with", "node", "--target", "windows-x64"],
      /^Node builds for \S+ alone; --with bun builds for windows-x64\.\n$/,
    ],
  ] as const;
  for (const [flags, sentence] of cases) {
    const { code, stdout, stderr } = await compile(...flags, "--output", join(folder, "never"));
    assertEquals([code, stdout], [1, ""]);
    assertMatch(stderr, sentence);
  }
  const help = await compile("--help");
  assertEquals([help.code, help.stderr], [0, ""]);
  for (const word of ["--with", "--target", "--output"]) assertMatch(help.stdout, new RegExp(`^ +${word} `, "m"));
});

/** How a file for a target of each system begins: what it is, and at which place it names which processor. */
const systems = {
  "linux-x64": { magic: "7f454c46", place: () => 18, processor: 0x3e },
  "macos-arm64": { magic: "cffaedfe", place: () => 4, processor: 0x0c },
  "windows-x64": { magic: "4d5a", place: (view: DataView) => view.getUint32(0x3c, true) + 4, processor: 0x8664 },
} as const;

for (const [target, { magic, place, processor }] of Object.entries(systems)) {
  test(`Bun builds for ${target}`, async () => {
    const output = join(folder, `latchkey-${target}`);
    const { code, stdout, stderr } = await compile("--with", "bun", "--target", target, "--output", output);
    assertEquals(code, 0, stderr);
    const file = stdout.trimEnd().split("\n").at(-1)!;
    assertEquals(file, target.startsWith("windows") ? `${output}.exe` : output);
    const bytes = new Uint8Array(readFileSync(file));
    rmSync(file);
    const view = new DataView(bytes.buffer);
    assertEquals(Buffer.from(bytes.buffer, 0, magic.length / 2).toString("hex"), magic);
    assertEquals(view.getUint16(place(view), true), processor);
    assert(Buffer.from(bytes.buffer).includes("demo-confidential"), "the program is not inside");
    assert(bytes.length < 130 * 2 ** 20, `${bytes.length} bytes`);
    if (target === thisSystem) {
      const other = sha256(readFileSync(process.env.LATCHKEY_TEST_BINARY!));
      assertEquals(sha256(bytes), other, "the same source gives other bytes under another file name");
    }
  });
}
