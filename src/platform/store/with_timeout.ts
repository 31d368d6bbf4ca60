/** Timeouts of network calls. */

import { StoreError } from "../../core/store/store.ts";
import { type Timer, timers } from "../../core/http/timers.ts";

/** The error of a call that has timed out. */
export function timeoutError(location: string, timeoutMs: number): StoreError {
  return new StoreError({
    location,
    expected: `a response within ${timeoutMs} ms`,
    received: "none",
    hint: "check whether the server is overloaded, paused or unreachable; the call may still have taken effect",
  });
}

/**
 * Rejects with {@link timeoutError} if a promise takes longer than this many milliseconds of real time.
 *
 * @param onTimeout Called before the rejection. Default: nothing.
 */
export async function withTimeout<T>(
  location: string,
  timeoutMs: number,
  promise: Promise<T>,
  onTimeout: () => void = () => {},
): Promise<T> {
  let timer: Timer | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = timers.setTimeout(() => {
      onTimeout();
      reject(timeoutError(location, timeoutMs));
    }, timeoutMs);
  });
  return await Promise.race([promise, timeout]).finally(() => timers.clearTimeout(timer));
}
