/** Waiting for a condition instead of a time. */

import process from "node:process";
import { timers } from "../src/core/http/timers.ts";

/** Milliseconds after which a condition counts as never met; far more than any test takes on a slow machine. */
const limitMs = 180_000;

/**
 * Waits until a condition is met, however long the machine takes.
 *
 * @throws {Error} With the condition, after three minutes.
 */
export async function until(isMet: () => boolean | Promise<boolean>): Promise<void> {
  const started = performance.now();
  while (!await isMet()) {
    if (performance.now() - started > limitMs) throw new Error(`waited ${limitMs / 1000} s in vain until ${isMet}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/**
 * The result of an action, if it ends before a timer of that time fires, else `"late"`. The action must end by a timer
 * of this process, or without waiting: timers fire in order even if the process was paused or is slow.
 */
export async function endsWithin<T>(milliseconds: number, action: () => Promise<T>): Promise<T | "late"> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ending = action();
  const late = new Promise<"late">((resolve) => timer = setTimeout(resolve, milliseconds, "late"));
  return await Promise.race([ending, late]).finally(() => clearTimeout(timer));
}

/**
 * The CPU time of this thread during an action, in milliseconds. Pauses do not count; on Deno, neither do other test
 * files.
 */
export async function cpuTimeOf(action: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await action();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Gives the server other timers or clocks than those of the runtime.
 *
 * @param fakes Members of `timers`, such as the global functions while `node:test` has replaced them.
 * @returns Ends it.
 */
export function replaceTimers(fakes: Readonly<Partial<Record<keyof typeof timers, unknown>>>): () => void {
  const real = { ...timers };
  Object.assign(timers, fakes);
  return () => void Object.assign(timers, real);
}

/** Milliseconds of a step of a patient timer. */
const stepMs = 25;

/**
 * Performs an action during which timers wait in short steps: a pause of the process takes one step, so that what came
 * in meanwhile is read before a time limit ends.
 */
export async function withPatientTimers<T>(action: () => Promise<T>): Promise<T> {
  const { setTimeout, clearTimeout } = globalThis;
  const steps = new Map<unknown, ReturnType<typeof setTimeout>>();
  let started = 0;
  const startTimer = (callback: (...args: unknown[]) => void, milliseconds = 0, ...args: unknown[]) => {
    const id = --started;
    const wait = (remaining: number) => {
      const step = Math.min(remaining, stepMs);
      const end = () => (steps.delete(id), callback(...args));
      steps.set(id, setTimeout(() => remaining > step ? wait(remaining - step) : end(), step));
    };
    wait(milliseconds);
    return id;
  };
  const stopTimer = (id?: number) => (clearTimeout(steps.get(id) ?? id), void steps.delete(id));
  const fakes = { setTimeout: startTimer, clearTimeout: stopTimer };
  const restore = replaceTimers(fakes);
  Object.assign(globalThis, fakes);
  try {
    return await action();
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
    restore();
  }
}
