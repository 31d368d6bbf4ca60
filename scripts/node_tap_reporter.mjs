// Reports the tests of Node in the lines that Deno prints with `--reporter=tap`, so that one reader reads both.

/** @param {AsyncIterable<{ type: string, data: any }>} events */
export default async function* (events) {
  for await (const { type, data } of events) {
    // An error outside of the tests.
    if (type === "test:diagnostic" && data.message.startsWith("Error: ")) yield `${data.message}\n`;
    const result = { "test:pass": "ok", "test:fail": "not ok" }[type];
    if (result === undefined) continue;
    const indent = "    ".repeat(data.nesting);
    const name = data.name.replace(/[\\#]/g, "\\$&").replaceAll("\n", "\\n");
    const isSkipped = Boolean(data.skip || data.todo);
    yield `${indent}${result} ${data.testNumber} - ${name}${isSkipped ? " # SKIP" : ""}\n`;
    if (type === "test:pass") continue;
    const error = data.details.error.cause ?? data.details.error;
    const message = String(error.stack ?? error);
    yield `${indent}  ---\n${indent}  ${JSON.stringify({ message })}\n${indent}  ...\n`;
  }
}
