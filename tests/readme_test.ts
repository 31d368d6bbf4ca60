import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { bench, claimsOf } from "./flows/harness.ts";
import { faults } from "../src/testing/mod.ts";
import { readConfiguration } from "../src/config/read.ts";
import { settingsFaults } from "../src/oauth/settings_faults.ts";
import { latchkey } from "./watched.ts";
import { testLatchkey } from "./watched.ts";

const readme = readFileSync("README.md", "utf-8");

/** The first block of that language that holds certain words. */
function block(language: string, words = ""): string {
  const blocks = [...readme.matchAll(new RegExp("```" + language + "\n([\\s\\S]*?)```", "g"))];
  const found = blocks.map(([, text]) => text!).find((text) => text.includes(words));
  if (found === undefined) throw new Error(`README.md has no ${language} block with ${words}`);
  return found;
}

/** A part of the README as one program: its examples follow each other, and go on with what the ones before have made. */
function program(from: string, to: string): string {
  const part = readme.slice(readme.indexOf(`\n## ${from}`), readme.indexOf(`\n## ${to}`));
  const blocks = [...part.matchAll(/```ts(?: ignore)?\n([\s\S]*?)```/g)].map(([, text]) => text!);
  if (blocks.length === 0) throw new Error(`README.md has no examples between ${from} and ${to}`);
  // The type assertions and the disposal are all that keeps it from being JavaScript everywhere.
  return blocks.join("\n").replaceAll(/^import .*\n/gm, "").replace("await using as", "const as")
    .replaceAll(/(?<=[\w)])!(?=[).;,])/g, "");
}

test("the embedding example of the README runs as it stands and ends with tokens", async () => {
  const body = program("Inside a program", "With a client library");
  const run = new Function("latchkey", `return (async () => { ${body}\nawait as.close();\nreturn tokens; })()`);
  const tokens = await run(latchkey);
  assertEquals([tokens.token_type, tokens.scope, claimsOf(tokens.access_token).sub], ["Bearer", "read", "alice"]);
});

test("the examples of the mock in the README run one after the other", async () => {
  const body = program("In a test suite", "Inside a program");
  const said: unknown[][] = [];
  const console = { log: (...words: unknown[]) => said.push(words) };
  const run = new Function("testLatchkey", "faults", "console", `return (async () => { ${body}\nreturn as; })()`);
  const as = await run(testLatchkey, faults, console);
  assertEquals(said[0], ["alice", "invalid_grant"]);
  assertEquals(said[1], ["openid read", "access_denied", "invalid_request"]);
  assertEquals(said.length, 4);
  // The faults are there to be read: none of them has met a request.
  await assertRejects(() => as.close(), Error, "never fired");
});

test("the configuration example of the README is free of faults", async () => {
  const text = block("json");
  const sources = { args: ["--config", "x.json"], env: {}, readTextFile: () => Promise.resolve(text) };
  const { kind } = await readConfiguration(sources, settingsFaults);
  assertEquals(kind, "run");
});

test("the README shows a refusal as the terminal tells it", async () => {
  const { narrate } = await import("../src/operating/narration.ts");
  const { token, code, events } = await bench();
  await token({ code: await code(), redirect_uri: "https://spa.example/cb/" });
  const told = narrate(events.at(-1)!, false)!;
  const shown = block("text", "refused invalid_grant at").split("\n").join(" ");
  const wording = (text: string) =>
    text.replace(/^\S+ /, "").replace(/\S+:\/\/[^\s;]+/g, "URL").replace(/\d{4}-\S+Z/, "TIME").trim();
  assertEquals(wording(shown), wording(told));
});

test("every file the README points to is there", () => {
  for (const [, path] of readme.matchAll(/\]\((?!http)([^)#]+)\)/g)) {
    assertMatch(String(readFileSync(path!).length), /^[1-9]/);
  }
});

test("every test file and source file that the README names is there", () => {
  const named = [...readme.matchAll(/`((?:flows|oauth|endpoints|ui|stores|http)\/[\w/]*(?:\.tsx?)?)`/g)].map((
    [, path],
  ) => path!);
  assert(named.length > 30);
  // x stands for whatever somebody adds.
  for (const path of named.filter((path) => !/\bx(?:_test)?\.ts$/.test(path))) {
    assert(existsSync(`src/${path}`) || existsSync(`tests/${path}`), path);
  }
});
