/** Seeded dice: the same bytes for the same seed on every runtime. They can be foretold, so they are for tests alone. */

import type { RandomBytes } from "../oauth/secrets.ts";

/**
 * Makes dice that follow from a text: sfc32 (Chris Doty-Humphrey's Small Fast Counter, of the PractRand suite), whose
 * state is a hash of the text. Well distributed and no secret at all.
 */
export function seededRandom(seed: string): RandomBytes {
  let [a, b, c] = hash(seed);
  let counter = 1;

  function next(): number {
    const word = a + b + counter++ | 0;
    a = b ^ b >>> 9;
    b = c + (c << 3) | 0;
    c = (c << 21 | c >>> 11) + word | 0;
    return word;
  }

  // As its author advises, until the state no longer shows the seed.
  for (let i = 0; i < 15; i++) next();
  return (bytes) => {
    const words = new DataView(new ArrayBuffer(Math.ceil(bytes / 4) * 4));
    for (let offset = 0; offset < bytes; offset += 4) words.setInt32(offset, next());
    return new Uint8Array(words.buffer, 0, bytes);
  };
}

/** Three words of a text: FNV-1a three times, each from a beginning of its own, and stirred as MurmurHash3 ends. */
function hash(text: string): [number, number, number] {
  const hashFrom = (start: number) => {
    let h = start;
    for (const byte of new TextEncoder().encode(text)) h = Math.imul(h ^ byte, 0x01000193);
    h = Math.imul(h ^ h >>> 16, 0x85ebca6b);
    h = Math.imul(h ^ h >>> 13, 0xc2b2ae35);
    return h ^ h >>> 16;
  };
  return [hashFrom(0x811c9dc5), hashFrom(0x9e3779b9), hashFrom(0x243f6a88)];
}
