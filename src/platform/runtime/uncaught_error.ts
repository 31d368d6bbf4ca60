/** Errors that no code catches, on Deno, Node and Bun. */

import { timers } from "../../core/http/timers.ts";

type Listener = (error: unknown) => void;

/** The part of the `process` object of Node and Bun that has the errors. */
interface ProcessEvents {
  listeners(event: string): Listener[];
  removeAllListeners(event: string): void;
  on(event: string, listener: Listener): void;
}

/**
 * Calls a function for every error that no code catches, instead of all other listeners. The returned function ends
 * this.
 */
export function onUncaughtError(report: Listener): () => void {
  return "Deno" in globalThis ? listenToEvents(report) : listenToProcess(report);
}

/**
 * Resolves when the errors of the current task have been reported, and those of the microtasks after it. Errors that
 * timers throw come later: a timer of 0 ms takes one millisecond on Node and Bun, and two on Deno.
 */
export function uncaughtErrorsReported(): Promise<void> {
  return new Promise((resolve) => timers.setImmediate(resolve));
}

function listenToEvents(report: Listener): () => void {
  const onRejection = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    report(event.reason);
  };
  const onError = (event: ErrorEvent) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    report(event.error);
  };
  globalThis.addEventListener("unhandledrejection", onRejection);
  globalThis.addEventListener("error", onError);
  return () => {
    globalThis.removeEventListener("unhandledrejection", onRejection);
    globalThis.removeEventListener("error", onError);
  };
}

function listenToProcess(report: Listener): () => void {
  const { process } = globalThis as unknown as { readonly process: ProcessEvents };
  const replaced = ["unhandledRejection", "uncaughtException"].map((event) => {
    const listeners = process.listeners(event);
    process.removeAllListeners(event);
    process.on(event, report);
    return { event, listeners };
  });
  return () => {
    for (const { event, listeners } of replaced) {
      process.removeAllListeners(event);
      for (const listener of listeners) process.on(event, listener);
    }
  };
}
