/** The global fetch of one call, for libraries that take no fetch. Calls at the same time have their own. */

import { AsyncLocalStorage } from "node:async_hooks";
import type { Fetch } from "../../testing/fetch.ts";

const fetches = new AsyncLocalStorage<Fetch | undefined>();

/** How many calls run. */
let running = 0;

/** The fetch before the first of them. */
let previous: typeof globalThis.fetch;

/**
 * Requests of a call go to its fetch; all others, and those that this fetch passes on, to the previous global fetch.
 */
const replacement = ((input, init) => {
  const fetch = fetches.getStore();
  return fetch === undefined
    ? previous(input, init)
    : fetches.run(undefined, () => fetch(input as string | URL | Request, init));
}) as typeof globalThis.fetch;

/** Runs a function, whose calls of the global fetch go to `fetch`, also those after an `await`. */
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
