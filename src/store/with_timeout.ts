/** A time limit for what travels over a network, where silence must not become waiting forever. */

import { StoreError } from "./store_error.ts";

/** Silence. */
export function timeoutError(location: string, timeoutMs: number): StoreError {
  return new StoreError({
    location,
    expected: `an answer within ${timeoutMs} ms`,
    received: "none",
    hint: "see whether the server is overloaded, paused, or cut off; what was asked may have happened or not",
  });
}

/** Rejects with what `late` makes when something takes longer than this many milliseconds of real time. */
export async function withTimeout<T>(milliseconds: number, promise: Promise<T>, createError: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => timer = setTimeout(() => reject(createError()), milliseconds));
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
