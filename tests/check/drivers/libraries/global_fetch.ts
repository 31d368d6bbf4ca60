/** Replaces the global fetch during one call, for libraries without an option for it. Concurrent calls are separate. */

import { AsyncLocalStorage } from "node:async_hooks";
import type { Fetch } from "../../../../src/testing/fetch.ts";

const fetches = new AsyncLocalStorage<Fetch | undefined>();

/** The number of calls that are running. */
let running = 0;

/** The global fetch before the first of these calls. */
let previous: typeof globalThis.fetch;

/**
 * Passes requests of a call to the fetch of that call. All other requests, and those that this fetch itself sends, go
 * to the previous global fetch.
 */
const replacement = ((input, init) => {
  const fetch = fetches.getStore();
  return fetch === undefined
    ? previous(input, init)
    : fetches.run(undefined, () => fetch(input as string | URL | Request, init));
}) as typeof globalThis.fetch;

/** Runs a function whose calls of the global fetch go to `fetch`, including those after an `await`. */
export async function withGlobalFetch<Result>(fetch: Fetch, run: () => Promise<Result>): Promise<Result> {
  if (running++ === 0) {
    previous = globalThis.fetch;
    globalThis.fetch = replacement;
  }
  try {
    return await fetches.run(fetch, run);
  } finally {
    if (--running === 0 && globalThis.fetch === replacement) globalThis.fetch = previous;
  }
}
