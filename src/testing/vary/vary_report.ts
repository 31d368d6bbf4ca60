/** What a search for the cause of a failure found, as text and as data. */

import type { VariationText } from "./variation.ts";

/** The result of {@link Vary.minimize}. */
export interface VaryReport {
  /** Whether the test passes with every variation of the seed. */
  readonly passed: boolean;
  /** The smallest set of variations with which the test fails; empty if it passes, or fails without any of them. */
  readonly variations: readonly VariationText[];
  /** The profile with these variations alone; absent if there are none. */
  readonly profile?: string;
  /** What the test threw with them; absent if it passes. */
  readonly error?: unknown;
  /** How often the test ran. */
  readonly runs: number;
  /** The report as text. */
  toString(): string;
  /** The report as data, with the message of the error. */
  toJSON(): object;
}

/** Says in one line which variations a server had, for the messages of failures; `undefined` without the profile. */
export function describeVariations(
  { seed, applied }: { readonly seed: string | undefined; readonly applied: readonly VariationText[] },
): string | undefined {
  if (seed === undefined) return undefined;
  return `profile vary:${seed}, with ${applied.map(({ id }) => id).join(", ") || "no variation yet"}`;
}

/** What the report advises, for tests and for commands. */
export interface VaryAdvice {
  /** What to do about a test that fails without any variation. */
  readonly withoutVariation: string;
  /** How to repeat the failure with the profile of the report. */
  repeat(profile: string): string;
}

type VaryResult = Omit<VaryReport, "toString" | "toJSON"> & { readonly seed: string };

/** Creates the report. */
export function varyReport(result: VaryResult, advice: VaryAdvice): VaryReport {
  const { passed, variations, profile, error, runs } = result;
  const data = { passed, variations, profile, error, runs };
  return {
    ...data,
    toString: () => formatReport(result, advice),
    toJSON: () => ({ ...data, error: passed ? undefined : messageOf(error) }),
  };
}

const messageOf = (error: unknown) => error instanceof Error ? error.message : String(error);

function formatReport({ seed, passed, variations, profile, error, runs }: VaryResult, advice: VaryAdvice): string {
  const count = `${runs} ${runs === 1 ? "run" : "runs"}`;
  if (passed) return `vary:${seed}: passed.`;
  const received = `received: ${messageOf(error)}`;
  if (variations.length === 0) {
    return `vary:${seed}: the test fails without any variation too (${count}).\n  ${received}\n  ${advice.withoutVariation}`;
  }
  return [
    `vary:${seed}: your client needs ${variations.map(({ needs }) => needs).join(", together with ")} (${count}).`,
    ...variations.map(({ id, allowed, source }) => `  ${id}: ${allowed} (${source})`),
    `  ${received}`,
    `  repeat:   ${advice.repeat(profile!)}`,
  ].join("\n");
}
