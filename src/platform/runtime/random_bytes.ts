/** Random bytes outside of a server. */

/** Random bytes of the runtime, for code without the random source of a server. */
export function systemRandomBytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}
