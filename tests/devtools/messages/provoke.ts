/** Makes real libraries fail, and compares what they say with the table of messages. */

import { assert } from "@std/assert";
import { test } from "node:test";
import { findMessages } from "../../../src/devtools/messages/find_messages.ts";
import type { Fault, TestLatchkey } from "../../../src/testing/mod.ts";
import { forEachCase } from "../../kit.ts";

/** Creates a function that runs something with a fault of one request to the server. */
export function faultsOf(as: TestLatchkey) {
  return async <T>(endpoint: Parameters<typeof as.on>[0], fault: Fault, run: () => Promise<T>): Promise<T> => {
    as.on(endpoint).once(fault);
    try {
      return await run();
    } finally {
      // An error before the request leaves the fault, which then is not what the message is of.
      as.reset({ keep: ["clients"] });
    }
  };
}

/** A message, and what makes the library say it: it throws, or returns a text with it. */
export type Provocation = readonly [text: string, run: () => unknown];

/** Tests that a library says the messages, and that the matcher finds each in the error as it is printed. */
export function testMessages(library: string, provocations: readonly Provocation[]): void {
  test(`${library}: ${provocations.length} messages of the library are known`, async () => {
    await forEachCase(provocations, async ([text, run]) => assertKnown(library, text, await provoke(run)));
  });
}

/** Asserts that the matcher finds the problem of a message in what a library printed, and its row if the table has one. */
export function assertKnown(library: string, text: string, printed: string): void {
  const found = findMessages(printed);
  const [alone] = findMessages(text.replaceAll("*", "x"));
  const isInTable = alone?.message?.libraries.includes(library);
  // The error code says more than a message that hides its cause.
  const isFound = found.some(({ problem, message, code }) =>
    message === undefined && code !== undefined || (isInTable ? message?.text === text : problem === alone?.problem)
  );
  assert(isFound, `${text}: found ${JSON.stringify(found.map(({ problem }) => problem.title))} in\n${printed}`);
}

/** What a library prints when it fails. */
async function provoke(run: () => unknown): Promise<string> {
  const result = await Promise.resolve().then(run).catch(print);
  assert(typeof result === "string", "the library did not fail");
  return result;
}

/** An error and its causes, as a runtime prints them. */
function print(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error as { readonly cause?: { readonly err?: unknown } };
  return [`${error.name}: ${error.message}`, ...cause === undefined ? [] : [print(cause.err ?? cause)]].join("\n");
}
