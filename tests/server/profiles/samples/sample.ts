/**
 * Samples of the providers: what their own documentation and repositories show, unchanged but for issuer, domain and
 * client. Each goes through the same steps, and prints its row of the table of providers and steps.
 */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import type { ProviderName } from "../../../../src/server/config/provider_profile.ts";

/** The steps of a sample, in this order. */
export const steps = ["log in", "second scope, silently", "API verifies the token", "log out"] as const;

/** A step of a sample. */
export type Step = typeof steps[number];

/** Runs a step, and returns what it returns. A text instead of a function says why the provider has no such step. */
export interface RunStep {
  <T>(step: Step, run: () => T | Promise<T>): Promise<T>;
  (step: Step, reason: string): void;
}

/**
 * Tests a sample; it fails if a step fails or is missing.
 *
 * @param provider The profile.
 * @param packages The packages of the provider that the sample uses, or what it shows without one.
 * @param source The URL of the sample.
 * @param run Runs the steps.
 */
export function testSample(
  provider: ProviderName,
  packages: string,
  source: string,
  run: (step: RunStep) => Promise<void>,
): void {
  test(`${provider}: the sample with ${packages} runs unchanged (${source})`, async () => {
    const row = new Map<Step, string>();
    const runStep = ((step: Step, work: string | (() => unknown)) => {
      if (typeof work === "string") return void row.set(step, `– (${work})`);
      return (async () => {
        try {
          const result = await work();
          row.set(step, "yes");
          return result;
        } catch (error) {
          throw new Error(`${provider}, ${packages}: the step "${step}" failed`, { cause: error });
        }
      })();
    }) as RunStep;
    await run(runStep);
    assertEquals([...row.keys()], [...steps]);
    console.log(`${provider} | ${packages} | ${[...row].map(([step, result]) => `${step}: ${result}`).join(" | ")}`);
  });
}

/** Imports a package without its types: those of some packages bring `@types/node`, which changes global types. */
// deno-lint-ignore no-explicit-any
export async function importUntyped(name: string): Promise<any> {
  return await import(name);
}
