/** Random bytes of the system. */

import type { RandomBytes } from "../oauth/secrets.ts";

/** Creates a random source that reads 2048 bytes at a time, because reading a few bytes takes as long. */
export function randomPool(): RandomBytes {
  const pool = new Uint8Array(2048);
  let used = pool.length;
  return (bytes) => {
    if (bytes > pool.length) return crypto.getRandomValues(new Uint8Array(bytes));
    if (bytes > pool.length - used) {
      crypto.getRandomValues(pool);
      used = 0;
    }
    const result = new Uint8Array(bytes);
    // A loop, because slice takes several times as long on Bun. It erases the used bytes.
    for (let i = 0; i < bytes; i++) {
      result[i] = pool[used]!;
      pool[used++] = 0;
    }
    return result;
  };
}
