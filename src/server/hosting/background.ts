/** Work that no response waits for, such as posts to clients. Closing a server waits for it. */

import type { Trace } from "../trace.ts";

/** @internal The work of one server. */
export interface Background {
  /**
   * Starts work. Its failure is an internal error in the trace.
   *
   * @param name The place of such an error.
   */
  start(name: string, work: () => Promise<unknown>): void;
  /** Waits until no work is left. */
  finished(): Promise<void>;
}

/** Creates the background of a server. */
export function background({ now, trace }: { readonly now: () => number; readonly trace: Trace }): Background {
  const running = new Set<Promise<void>>();

  async function run(name: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      trace({ type: "internal_error", at: now(), endpoint: name, cause });
    }
  }

  return {
    start(name, work) {
      const ending = run(name, work).finally(() => running.delete(ending));
      running.add(ending);
    },
    async finished() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
