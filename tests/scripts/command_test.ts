/** Command lines of scripts: every task has a help, and rejects unknown options. */

import { test } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { globSync, readFileSync } from "node:fs";
import { CommandError, formatHelp, parseCommand } from "../../scripts/command.ts";

const command = {
  call: "deno task bake",
  does: "Bakes the given files.",
  flags: {
    brown: { does: "a little longer than the others, until the cook can smell it in the hall and comes to look" },
    shape: { value: "SHAPE", does: "round or long", oneOf: ["round", "long"] },
    with: { value: "LIST", does: "what goes in", someOf: ["salt", "seeds", "nuts"] },
    until: { value: "TIME", does: "when it must be ready" },
  },
  words: { value: "FLOUR", does: "of which flour", oneOf: ["rye", "wheat"] },
} as const;
const plain = { call: "deno task wait", does: "Waits." };

test("a script reads its flags and words, with defaults", () => {
  assertEquals(parseCommand(command, []), { flags: { brown: false }, words: [] } as unknown);
  assertEquals(
    parseCommand(command, ["rye", "--brown", "--shape", "long", "--with=salt,nuts", "--until", "6", "wheat"]),
    {
      flags: { brown: true, shape: "long", with: ["salt", "nuts"], until: "6" },
      words: ["rye", "wheat"],
    },
  );
  assertEquals(parseCommand(plain, []), { flags: {}, words: [] });
});

test("anything else is rejected in one sentence", () => {
  const advice = "; deno task bake --help shows the options.";
  for (
    const [args, sentence] of [
      [["--black"], `Unknown option '--black'${advice}`],
      [["--black.er"], `Unknown option '--black.er'${advice}`],
      [["-b"], `Unknown option '-b'${advice}`],
      [["--brown=much"], `Option '--brown' does not take an argument${advice}`],
      [["--until"], `Option '--until <value>' argument missing${advice}`],
      [["--until", "--brown"], `Option '--until' argument is ambiguous${advice}`],
      [["--shape", "flat"], '--shape: expected round, long; found "flat".'],
      [["--with", "salt,sand"], '--with: expected salt, seeds, nuts; found "sand".'],
      [["rye", "rice"], 'FLOUR: expected rye, wheat; found "rice".'],
    ] as const
  ) {
    assertEquals(assertThrows(() => parseCommand(command, args), CommandError).message, sentence);
  }
  const { message } = assertThrows(() => parseCommand(plain, ["long"]), CommandError);
  assertEquals(message, "Unexpected argument 'long'; deno task wait --help shows the options.");
});

test("the help shows purpose, usage, and every option, in 80 columns", () => {
  assertEquals(parseCommand(command, ["--help"]), undefined);
  assertEquals(
    formatHelp(command),
    `Bakes the given files.

Usage: deno task bake [FLAG]... [FLOUR]...

  --brown         a little longer than the others, until the cook can smell it
                  in the hall and comes to look
  --shape SHAPE   round or long
  --with LIST     what goes in
  --until TIME    when it must be ready
  FLOUR           of which flour`,
  );
  assertEquals(formatHelp(plain), "Waits.\n\nUsage: deno task wait");
});

test("every task that is a script has a help, under its own name", () => {
  const { tasks } = JSON.parse(readFileSync("deno.json", "utf8"));
  const scripts = Object.entries<string>(tasks).flatMap(([name, line]) => {
    const [, path] = /^deno run .*?(scripts\/[\w/]+\.ts)$/.exec(line) ?? [];
    return path === undefined ? [] : [[name, path] as const];
  });
  assert(scripts.length > 10);
  for (const [name, path] of scripts) {
    const text = readFileSync(path, "utf8");
    assert(text.includes(`deno task ${name} --help`), `${path} does not say that deno task ${name} --help is there`);
    assert(text.includes(`call: "deno task ${name}",`), path);
  }
});

test("no script reads the command line itself", () => {
  const readers = globSync(["scripts/*.ts", "scripts/bench/*.ts"]).filter((path) =>
    /\bDeno\.args\b|\bargv\.|\bparseArgs\b/.test(readFileSync(path, "utf8"))
  );
  assertEquals(readers.map((path) => path.replaceAll("\\", "/")), ["scripts/command.ts"]);
});
