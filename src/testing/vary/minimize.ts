/** Searches for the smallest set of variations with which a test fails. */

import type { VariationText } from "./variation.ts";
import { type VaryAdvice, type VaryReport, varyReport } from "./vary_report.ts";

/** A run of the test that failed. */
interface FailedRun {
  /** What it threw. */
  readonly error: unknown;
  /** The variations that responses had. */
  readonly applied: readonly VariationText[];
}

/**
 * Runs a test, and if it fails, searches for the smallest set of variations with which it fails.
 *
 * @param run Runs the test with some of the variations, by default with all; `undefined` if it passes.
 */
export async function minimizeVariations(
  seed: string,
  run: (only?: readonly VariationText[]) => Promise<FailedRun | undefined>,
  advice: VaryAdvice,
): Promise<VaryReport> {
  const first = await run();
  let runs = 1;
  if (first === undefined) return varyReport({ seed, passed: true, variations: [], runs }, advice);
  let { error } = first;
  const fails = async (some: readonly VariationText[]) => {
    runs++;
    const failed = await run(some);
    if (failed !== undefined) ({ error } = failed);
    return failed !== undefined;
  };
  if (await fails([])) return varyReport({ seed, passed: false, variations: [], error, runs }, advice);
  const variations = await smallestFailing(first.applied, fails);
  const profile = `vary:${seed}:${variations.map(({ id }) => id).join("+")}`;
  return varyReport({ seed, passed: false, variations, profile, error, runs }, advice);
}

/**
 * Finds a subset that fails, and that passes without any one of its items: delta debugging (Zeller and Hildebrandt,
 * "Simplifying and Isolating Failure-Inducing Input", 2002).
 *
 * @param items Items that fail together.
 * @param fails Whether some of them fail; never called with all or none.
 */
async function smallestFailing<T>(
  items: readonly T[],
  fails: (subset: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let current = items;
  let parts = 2;
  while (current.length > 1) {
    const chunks = split(current, parts);
    const chunk = await find(chunks, fails);
    if (chunk !== undefined) {
      [current, parts] = [chunk, 2];
      continue;
    }
    // With two parts, the rest of one is the other.
    const rests = parts === 2 ? [] : chunks.map((part) => current.filter((item) => !part.includes(item)));
    const rest = await find(rests, fails);
    if (rest !== undefined) [current, parts] = [rest, Math.max(parts - 1, 2)];
    else if (parts >= current.length) return current;
    else parts = Math.min(parts * 2, current.length);
  }
  return current;
}

/** The items in so many parts of almost equal length. */
function split<T>(items: readonly T[], parts: number): readonly (readonly T[])[] {
  const bounds = Array.from({ length: parts + 1 }, (_, i) => Math.floor(i * items.length / parts));
  return bounds.slice(1).map((end, i) => items.slice(bounds[i], end));
}

async function find<T>(
  subsets: readonly (readonly T[])[],
  fails: (subset: readonly T[]) => Promise<boolean>,
): Promise<readonly T[] | undefined> {
  for (const subset of subsets) if (await fails(subset)) return subset;
  return undefined;
}
