/** The source of a module that registers the tests of several files, so that one process runs them. */

/**
 * A line that loads a test file. A file that cannot be loaded becomes a failed test: Deno would overlook it if it has
 * registered tests before, and on Node the others would not run.
 */
export function formatTestImport(file: string, url: string): string {
  const name = JSON.stringify(`${file} loads`);
  return `await import(${JSON.stringify(url)}).catch((error) => void test(${name}, () => Promise.reject(error)));\n`;
}
