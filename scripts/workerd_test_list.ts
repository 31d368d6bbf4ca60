/** Registers tests in workerd, in place of `node:test`, and runs them. */

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
export async function run(): Promise<{ name: string; outcome: "passed" | "failed"; details: string }[]> {
  const results = [];
  for (const { name, body } of registered) {
    try {
      await body();
      results.push({ name, outcome: "passed" as const, details: "" });
    } catch (error) {
      results.push({ name, outcome: "failed" as const, details: error instanceof Error ? String(error.stack) : "" });
    }
  }
  return results;
}
