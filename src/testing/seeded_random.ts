/** Seeded random bytes: the same for the same seed on every runtime. Predictable, so for tests only. */

import type { RandomBytes } from "../core/keys/secrets.ts";

/**
 * Creates a pseudorandom generator from a seed: sfc32 (Chris Doty-Humphrey's Small Fast Counter, from PractRand), with
 * a hash of the seed as its state. Not cryptographically secure.
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

  // Mixes the seed into the state; the number of rounds is the author's.
  for (let i = 0; i < 15; i++) next();
  return (bytes) => {
    const words = new DataView(new ArrayBuffer(Math.ceil(bytes / 4) * 4));
    for (let offset = 0; offset < bytes; offset += 4) words.setInt32(offset, next());
    return new Uint8Array(words.buffer, 0, bytes);
  };
}

/** Three 32-bit words of a text: FNV-1a with three offsets, finished with the mixer of MurmurHash3. */
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

/** A source from a seed that can begin again. */
export function restartableRandom(seed: string): { readonly roll: RandomBytes; reset(): void } {
  let random = seededRandom(seed);
  return { roll: (bytes) => random(bytes), reset: () => void (random = seededRandom(seed)) };
}
