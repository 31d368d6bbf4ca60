/** Random bytes of the system. */

import type { RandomBytes } from "../oauth/secrets.ts";

/** Makes a source of random bytes that draws many at a time: a few bytes take as long as a thousand. */
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
    // Byte by byte: for so few, slice takes several times as long on Bun. Used bytes are erased.
    for (let i = 0; i < bytes; i++) {
      result[i] = pool[used]!;
      pool[used++] = 0;
    }
    return result;
  };
}
