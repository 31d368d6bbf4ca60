/** Every message of the table is provoked by a test, or has the place in the code of its library as data. */

import { assert, assertEquals } from "@std/assert";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { problems } from "../../../src/devtools/messages/messages.ts";

const folder = "tests/devtools/messages";
const files = [
  ...readdirSync(folder).filter((name) => !/find_messages|coverage/.test(name)).map((name) => `${folder}/${name}`),
  ...["tests/browser/messages_browser.ts", "tests/languages/python-clients/test_messages.py"],
  ...["tests/languages/go-clients/messages_test.go", "tests/languages/ruby-clients/messages_test.rb"],
];

/** The texts in quotes of these tests. */
const quoted = files.flatMap((file) =>
  [...readFileSync(file, "utf8").matchAll(/(["'`])((?:\\.|(?!\1).)*)\1/g)].map(([, , text]) =>
    text!.replaceAll(/\\(.)/g, "$1")
  )
);

/** Whether a test names the text, or what it begins with, before the first value in it. */
function isProvoked(text: string): boolean {
  const [fixed = ""] = text.split("*");
  return quoted.some((one) => one === text || one.length >= 11 && (fixed.startsWith(one) || one === fixed));
}

test("every message is provoked by a test, or names the file that has it", () => {
  const messages = problems.flatMap((problem) => problem.messages);
  const [provoked, others] = [
    messages.filter(({ text }) => isProvoked(text)),
    messages.filter(({ text }) => !isProvoked(text)),
  ];
  assertEquals(others.filter(({ source }) => source === undefined).map(({ text }) => text), []);
  for (const { text, source } of messages) {
    assert(source === undefined || /^[\w.-]+\/[\w.-]+ \S+\.\w+$/.test(source), `${text}: ${source}`);
  }
  assert(provoked.length >= 50);
  const libraries = new Set(messages.flatMap((message) => message.libraries));
  console.log(`${messages.length} messages of ${libraries.size} libraries and programs, ${provoked.length} provoked`);
});
