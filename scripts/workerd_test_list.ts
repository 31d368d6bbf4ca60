/** Registers tests in workerd, instead of `node:test`, and runs them. */

/** What became of a test. */
export interface TestResult {
  readonly name: string;
  /** Why it failed; absent if it passed. */
  readonly error?: string;
}

interface Registered {
  readonly name: string;
  readonly body: () => unknown;
}

const registered: Registered[] = [];

/** Registers a test, with or without options, which are ignored. */
export function test(
  name: string,
  ...rest: readonly [() => unknown] | readonly [options: object, () => unknown]
): void {
  registered.push({ name, body: rest.at(-1) as () => unknown });
}

/** Runs the tests one after another. */
export async function run(): Promise<TestResult[]> {
  const results: TestResult[] = [];
  for (const { name, body } of registered) {
    try {
      await body();
      results.push({ name });
    } catch (error) {
      results.push({ name, error: String(error instanceof Error ? error.stack : error) });
    }
  }
  return results;
}
