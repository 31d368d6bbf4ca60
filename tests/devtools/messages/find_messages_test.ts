/** The matcher of the messages of client libraries: what it finds, and what it must not find. */

import { assert, assertEquals, assertLess } from "@std/assert";
import { test } from "node:test";
import { findMessages } from "../../../src/devtools/messages/find_messages.ts";
import { problems } from "../../../src/devtools/messages/messages.ts";
import { forEachCase } from "../../kit.ts";
import { cpuTimeOf } from "../../until.ts";

const all = problems.flatMap((problem) => problem.messages.map((message) => ({ problem, message })));
const titles = (text: string) => findMessages(text).map(({ message }) => message.text);

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
      const found = findMessages(place(written(message.text)));
      assertEquals(found.map((one) => one.problem.title), [problem.title], place(written(message.text)));
    }
  });
});

test("a part of a message counts if no other problem has it", () => {
  assertEquals(titles("unexpected aud"), ['unexpected "aud" claim value']);
  assertEquals(titles("no matching state found"), ["No matching state found in storage"]);
  assertEquals(titles("issuer did not match"), [
    "oidc: issuer did not match the issuer returned by provider, expected * got *",
  ]);
  for (const text of ["does not match", "claim missing", "Invalid ID token", "was missing", "jwt"]) {
    assertEquals(titles(text), [], text);
  }
});

test("two ordinary words count only as a whole message", () => {
  assertEquals(titles("jwt.exceptions.InvalidAudienceError: Invalid audience"), ["Invalid audience"]);
  assertEquals(titles("Invalid audience. Expected shop, received cart"), [
    "Invalid audience. Expected *, received *",
  ]);
  for (const text of ["Invalid audience of the film", "the jwt expired flag", "an invalid signature on the form"]) {
    assertEquals(titles(text), [], text);
  }
});

test("every message has its facts, and the texts differ", () => {
  for (const { causes, application, server, guide, title } of problems) {
    assert(causes.length > 0 && application !== "" && server !== "" && /^[\w/.-]+\.md(#[\w-]+)?$/.test(guide), title);
  }
  const texts = all.map(({ message }) => message.text);
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
    assertEquals(found.map(({ message }) => message.text), [
      "Protected resource * does not match expected * (or origin)",
    ]);
  }
});
