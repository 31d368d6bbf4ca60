/** Thrown values as text. */

/** Converts a thrown value to text. It never throws, although the `toString` of the value may. */
export function errorText(cause: unknown): string {
  try {
    return String(cause);
  } catch {
    return "something that cannot be written as text";
  }
}
