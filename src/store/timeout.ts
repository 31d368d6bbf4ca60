/** A time limit for what travels over a network, where silence must not become waiting forever. */

import { StoreError } from "./store_error.ts";

/** Silence. */
export function notAnswering(place: string, timeout: number): StoreError {
  return new StoreError({
    place,
    expected: `an answer within ${timeout} ms`,
    found: "none",
    mend: "see whether the server is overloaded, paused, or cut off; what was asked may have happened or not",
  });
}

/** Rejects with what `late` makes when something takes longer than this many milliseconds of real time. */
export async function within<T>(milliseconds: number, something: Promise<T>, late: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const lapse = new Promise<never>((_, reject) => timer = setTimeout(() => reject(late()), milliseconds));
  try {
    return await Promise.race([something, lapse]);
  } finally {
    clearTimeout(timer);
  }
}
