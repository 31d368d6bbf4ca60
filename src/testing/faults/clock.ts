/** A server whose clock is wrong. */

import type { Fault } from "./fault.ts";

/**
 * The server's clock is ahead by that many seconds, or behind by a negative number, while it answers: `iat` and `exp` of
 * what it issues, and what it takes for expired. The keys go by the true time.
 */
export function skewed(seconds: number): Fault {
  return {
    name: `clock skewed by ${seconds} s`,
    extend: (server) => ({ ...server, now: () => server.now() + seconds * 1000 }),
  };
}
