/** Draws from a seed: which variations a response has, and how. The same on every run and every runtime. */

import { seededRandom } from "../seeded_random.ts";

/** Draws of one variation for one response, in order. */
export interface Roll {
  /** A whole number from 0 to `below - 1`. */
  whole(below: number): number;
  /** One of the items. */
  pick<T>(items: readonly T[]): T;
  /** The items in another order, or by chance in the same. */
  shuffle<T>(items: readonly T[]): T[];
}

/** Creates the draws of a text, such as `7 white-space token 0`. */
export function createRoll(text: string): Roll {
  const random = seededRandom(text);
  const whole = (below: number) => new DataView(random(4).buffer).getUint32(0) % below;
  return {
    whole,
    pick: (items) => items[whole(items.length)]!,
    shuffle(items) {
      const left = [...items];
      return items.map(() => left.splice(whole(left.length), 1)[0]!);
    },
  };
}
