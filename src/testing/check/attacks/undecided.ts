/** The conclusion of an attack that shows nothing about the client. */

import type { Conclusion } from "../attack.ts";

/** @param because Why, one sentence without a full stop. */
export function undecided(because: string): Conclusion {
  return { outcome: "rejected", passed: false, isInconclusive: true, because };
}
