/** Puts several test files into one process each: modules load once, and code that was compiled is used again. */

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Test files in one process. More would save little, and leave a core idle at the end. */
const batchSize = 8;

/**
 * Writes modules that import these tests, each a part of them, and returns their paths. Few tests stay as they are.
 *
 * @param folder An absolute path; it is created.
 * @param extension Of the modules, such as `.mjs`.
 */
export async function batchTests(
  tests: readonly string[],
  { folder, extension }: { readonly folder: string; readonly extension: string },
): Promise<readonly string[]> {
  if (tests.length <= batchSize) return tests;
  await Deno.mkdir(folder, { recursive: true });
  const count = Math.ceil(tests.length / batchSize);
  return await Promise.all(Array.from({ length: count }, async (_, index) => {
    const path = `${folder}/batch_${`${index + 1}`.padStart(2, "0")}_test${extension}`;
    // Neighbours in the list are often slow, so they go into different batches.
    const urls = tests.filter((_, place) => place % count === index).map((test) => pathToFileURL(resolve(test)).href);
    await Deno.writeTextFile(path, urls.map((url) => `import ${JSON.stringify(url)};\n`).join(""));
    return path;
  }));
}
