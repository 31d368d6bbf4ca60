/**
 * The timers and clocks of the runtime, taken when an entry of the package loads: a test may replace the globals with
 * fakes later. Waits of the server use these. What a test controls uses the globals: delays of faults, and the clock.
 */

import type nodeProcess from "node:process";

/**
 * In jest the globals may be fakes before the entry loads, unlike this module. On Deno loading it takes 50 ms, and even
 * `process` 15; a worker has none.
 */
const source = "Deno" in globalThis
  ? globalThis
  : (globalThis as { readonly process?: typeof nodeProcess }).process?.getBuiltinModule?.("timers") ?? globalThis;

const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } = source;

/** A worker rejects calls of a timer as a method of another object. */
const bound = <T extends (...args: never[]) => unknown>(timer: T): T =>
  source === globalThis ? timer?.bind(globalThis) as T : timer;

/** The timers, and two clocks: the system time, and one that is never set back, in milliseconds. */
export const timers = {
  setTimeout: bound(setTimeout),
  clearTimeout: bound(clearTimeout),
  setInterval: bound(setInterval),
  clearInterval: bound(clearInterval),
  setImmediate: bound(setImmediate),
  now: Date.now,
  elapsed: performance.now.bind(performance),
};

/**
 * Maximum difference between the clocks of two machines that this server tolerates, in milliseconds: of instances on
 * one store, or of the program that logs in a user.
 */
export const clockToleranceMs = 30_000;

/** A timer that {@link timers} started. */
export type Timer = ReturnType<typeof setTimeout>;

/** Resolves after that many milliseconds of real time. */
export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => timers.setTimeout(resolve, milliseconds));
}
