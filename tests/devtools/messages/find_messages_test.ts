/** The matcher of the messages of client libraries: what it finds, and what it must not find. */

import { assert, assertEquals, assertLess } from "@std/assert";
import { test } from "node:test";
import { findMessages } from "../../../src/devtools/messages/find_messages.ts";
import { problems, problemsByName } from "../../../src/devtools/messages/messages.ts";
import { forEachCase } from "../../kit.ts";
import { cpuTimeOf } from "../../until.ts";

const all = problems.flatMap((problem) => problem.messages.map((message) => ({ problem, message })));
/** The names of the problems of a text. */
const namesOf = (text: string) =>
  findMessages(text).map((found) => Object.keys(problemsByName).find((name) => problemsByName[name] === found.problem));

/** A message with values, as a library writes it. */
const written = (text: string) => text.replaceAll("*", "http://localhost:9000");

test("every message is found alone, in a stack trace, in a log as JSON, and without the quotes that a shell takes", async () => {
  const places: readonly ((text: string) => string)[] = [
    (text) => text,
    (text) => `OperationProcessingError: ${text}\n    at validate (file:///app/node_modules/x/index.js:12:3)`,
    (text) => JSON.stringify({ level: "error", message: `Error: ${text}` }),
    (text) => `Caused by: org.example.Exception: ${text.replaceAll(" ", "\n  ")}`,
    (text) => text.replaceAll(/["'`]/g, ""),
  ];
  await forEachCase(all, ({ problem, message }) => {
    for (const place of places) {
      const found = findMessages(place(written(message?.text)));
      assertEquals(found.map((one) => one.problem.title), [problem.title], place(written(message?.text)));
    }
  });
});

test("a part of a message counts if no other problem has it", () => {
  for (
    const [text, name] of [
      ["unexpected aud", "aud"],
      ["no matching state found", "browser_state"],
      ["issuer did not match the issuer returned", "metadata_issuer"],
    ] as const
  ) assertEquals(namesOf(text)[0], name, text);
  for (const text of ["does not match", "was missing", "jwt"]) assertEquals(namesOf(text), [], text);
});

test("every message has its facts, and the texts differ", () => {
  for (const { causes, application, server, guide, title } of problems) {
    assert(causes.length > 0 && application !== "" && server !== "" && /^[\w/.-]+\.md(#[\w-]+)?$/.test(guide), title);
  }
  const texts = all.map(({ message }) => message?.text);
  assertEquals(texts.filter((text, index) => texts.indexOf(text) !== index), []);
  assert(texts.length >= 80 && new Set(all.flatMap(({ message }) => message.libraries)).size >= 25);
});

test("a long text costs little", async () => {
  const cost = await cpuTimeOf(() => {
    findMessages("expected ".repeat(20_000));
    findMessages('unexpected JWT "'.repeat(6_000));
    findMessages("Invalid issuer. Expected ".repeat(4_000));
    findMessages(`(${"nonce did not match (wants x but got ".repeat(2_500)}\n)`);
    findMessages("Failed to connect to x port ".repeat(4_000));
  });
  assertLess(cost, 5_000);
});

test("a value may have the words of the message that follow it", () => {
  const text = "Protected resource http://a does not match expected http://b (or origin)";
  for (const value of ["http://a does not match expected", "b does not match expected c (or"]) {
    const found = findMessages(text.replace("http://a", value));
    assertEquals(found[0]?.message?.text, "Protected resource * does not match expected * (or origin)");
  }
});
