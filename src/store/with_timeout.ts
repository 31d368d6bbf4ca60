/** Timeouts of network calls. */

import { StoreError } from "./store_error.ts";

/** The error of a call that has timed out. */
export function timeoutError(location: string, timeoutMs: number): StoreError {
  return new StoreError({
    location,
    expected: `a response within ${timeoutMs} ms`,
    received: "none",
    hint: "check whether the server is overloaded, paused or unreachable; the call may still have taken effect",
  });
}

/** Rejects with `createError()` if a promise takes longer than this many milliseconds of real time. */
export async function withTimeout<T>(milliseconds: number, promise: Promise<T>, createError: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => timer = setTimeout(() => reject(createError()), milliseconds));
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
