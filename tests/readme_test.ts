import { assert, assertEquals, assertMatch } from "@std/assert";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { bench, claimsOf } from "./flows/harness.ts";
import { latchkey } from "../src/mod.ts";
import { readConfiguration } from "../src/config/read.ts";
import { settingsFaults } from "../src/oauth/settings_faults.ts";

const readme = readFileSync("README.md", "utf-8");

function block(language: string): string {
  const found = new RegExp("```" + language + "\n([\\s\\S]*?)```").exec(readme)?.[1];
  if (found === undefined) throw new Error(`README.md has no ${language} block`);
  return found;
}

test("the embedding example of the README runs as it stands and ends with tokens", async () => {
  // The type assertions and the disposal are all that keeps it from being JavaScript everywhere.
  const body = block("ts").replace(/^import .*\n/m, "").replace("await using as", "const as").replaceAll(")!", ")");
  const run = new Function("latchkey", `return (async () => { ${body}\nawait as.close();\nreturn tokens; })()`);
  const tokens = await run(latchkey);
  assertEquals([tokens.token_type, tokens.scope, claimsOf(tokens.access_token).sub], ["Bearer", "read", "alice"]);
});

test("the configuration example of the README is free of faults", async () => {
  const text = block("json");
  const sources = { args: ["--config", "x.json"], env: {}, readTextFile: () => Promise.resolve(text) };
  const { kind } = await readConfiguration(sources, settingsFaults);
  assertEquals(kind, "run");
});

test("the README shows a refusal as the terminal tells it", async () => {
  const { narrate } = await import("../src/config/narration.ts");
  const { token, code, events } = await bench();
  await token({ code: await code(), redirect_uri: "https://spa.example/cb/" });
  const told = narrate(events.at(-1)!, false)!;
  const shown = block("text").split("\n").join(" ");
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
